# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a tenant's job: the leaves are read, and nothing is changed."""

from __future__ import annotations

import dataclasses
import typing as t
from functools import cache

from ..._fabric.description.errors import FabricError
from ..._fabric.tenants import health
from ..._fabric.tenants.moves import jobs, procedure
from ..._fabric.tenants.registry import Registry
from ..._fabric.tenants.steps import STEPS
from .. import clock, kinds, runs
from ..hooks import OWN_HOOKS, OWN_TASKS, site_hooks
from . import reports
from .edit import COMMIT
from .evidence import must_confirm, must_name
from .kinds import JOB

if t.TYPE_CHECKING:
    from ..._fabric.plan.fabric import Fabric
    from ..run import Result, Run

HEALTH, ACCEPTANCE = "rest_health", "acceptance"
WAIT = 120
"""Seconds that a gate is waited for where spx_wait says nothing."""


def make(run: Run, job: str, slug: str | None, nodes: t.Sequence[str]) -> Result:
    """Keep the plan in the run's store, or refuse it in sentences."""
    plan, store = run.fabric(), run.store
    registry = Registry.load(plan)
    given = kinds.given(store)
    if job == HEALTH:
        rows = health.held(plan, registry)
        lines = health.lines(rows)
        if given.report and not run.check:
            reports.write(run, plan, {HEALTH: {**rows, "lines": lines}})
        run.show(f"  {line}" for line in lines)
        return {"changed": False, "lines": lines}
    leaves, hooks = run.leaves(plan), _hooks(run, plan)
    order = _order(run, plan, job, slug, nodes, hooks)
    try:
        made = procedure.plan(plan, registry, leaves, order)
        must_name([call for calls in made.hooks.values() for call in calls], hooks)
    except FabricError as exc:
        return {**leaves.result(), "failed": True, "msg": str(exc)}
    lines = [*made.lines]
    if plan.description.acceptance_level and "accept" in made.planned:
        level = plan.description.acceptance_level
        lines.append(f"  acceptance: level {level} of playbook performance, node by node")
    made = dataclasses.replace(
        made,
        lines=lines,
        run=order.run,
        written=order.written,
        wait=WAIT if given.wait is None else given.wait,
        hook_files={COMMIT: str(OWN_HOOKS / f"{COMMIT}.yml"), **hooks},
    )
    store.put(JOB, made)
    # A move of nodes that are there already has no steps; the other jobs are about all leaves of the tenant.
    work = made.planned if job == "move" else made.leaves
    waits = not made.acts and not run.check and bool(work)
    run.ask(lines, acts=made.acts and bool(work))
    return {"changed": False, "lines": lines, "only_planned": waits}


def _hooks(run: Run, plan: Fabric) -> dict[str, str]:
    """The files of the hooks that the site has; the steps run these, also where a file is gone by then.

    With acceptance_level the collection's own tasks are the hook acceptance.
    """
    folders = kinds.hook_folders(run.store)
    found = site_hooks(folders, [*(hook for step in STEPS.values() for hook in step.hooks), COMMIT])
    must_confirm(found)
    if not (level := plan.description.acceptance_level):
        return found
    if ACCEPTANCE in found:
        raise FabricError.of(
            f"acceptance_level: the description says {level}, and the site has the hook {found[ACCEPTANCE]}: remove "
            "one of the two."
        )
    return {**found, ACCEPTANCE: str(OWN_TASKS / "performance_accept.yml")}


def _order(
    run: Run,
    plan: Fabric,
    job: str,
    slug: str | None,
    nodes: t.Sequence[str],
    hooks: dict[str, str],
) -> procedure.Order:
    given = kinds.given(run.store)
    if not slug:
        raise FabricError.of("variable spx_tenant: this playbook needs it: add -e spx_tenant=...")
    return procedure.Order(
        job,
        slug,
        nodes=jobs.expand(plan, nodes),
        acceptance=given.acceptance,
        hooks=list(hooks),
        written=given.registry_write,
        approved=bool(given.approved),
        check=run.check,
        run=runs.this(),
        today=clock.stamp()[:10],
        at_work=cache(runs.at_work),
    )
