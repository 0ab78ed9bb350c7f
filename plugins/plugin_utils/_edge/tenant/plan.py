# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a tenant's job: the leaves are read, and nothing is changed."""

from __future__ import annotations

import typing as t
from functools import cache

from ..._fabric.description.errors import FabricError
from ..._fabric.tenants import health
from ..._fabric.tenants.moves import jobs, procedure
from ..._fabric.tenants.registry import Registry
from ..._fabric.tenants.steps import STEPS
from ..._jobs import runs
from ..._jobs.hooks import OWN_HOOKS, OWN_TASKS, site_hooks
from ..ask import proceed
from ..output import show
from ..project import fabric
from ..run_store import store
from ..switch import leaves as nvue_leaves
from . import reports
from .edit import COMMIT
from .evidence import must_confirm

if t.TYPE_CHECKING:
    from ..._fabric.plan.fabric import Fabric
    from ..action import Action, Plain

HEALTH, ACCEPTANCE = "rest_health", "acceptance"
WAIT = 120
"""Seconds that a gate is waited for where spx_wait says nothing."""


def run(task: Action, args: Plain, stated: Plain) -> Plain:
    """Keep the plan in the run's store, or refuse it in sentences."""
    plan, check = fabric(args["description"], stated), task._task.check_mode
    registry = Registry.load(plan)
    given = store.get("variables")
    if args["job"] == HEALTH:
        rows = health.held(plan, registry)
        lines = health.lines(rows)
        if given.get("spx_report") and not check:
            reports.write(plan, stated, {HEALTH: {**rows, "lines": lines}})
        show(f"  {line}" for line in lines)
        return {"changed": False, "lines": lines}
    leaves, hooks = nvue_leaves(plan, task, stated), _hooks(plan)
    order = _order(plan, args, given, hooks, check=check)
    try:
        made = procedure.plan(plan, registry, leaves, order)
    except FabricError as exc:
        return {**leaves.result(), "failed": True, "msg": str(exc)}
    if plan.description.acceptance_level and "accept" in made.get("planned", ()):
        level = plan.description.acceptance_level
        made["lines"].append(f"  acceptance: level {level} of playbook performance, node by node")
    job = {
        **made,
        "run": order.run,
        "written": order.written,
        "wait": given.get("spx_wait", WAIT),
        "hook_files": {COMMIT: str(OWN_HOOKS / f"{COMMIT}.yml"), **hooks},
    }
    store.put("job", job)
    # A move of nodes that are there already has no steps; the other jobs are about all leaves of the tenant.
    work = made["planned"] if args["job"] == "move" else made["leaves"]
    waits = not made["acts"] and not check and bool(work)
    proceed(task, stated, made["lines"], acts=made["acts"] and bool(work))
    return {
        "changed": False,
        "lines": made["lines"],
        "only_planned": waits,
    }


def _hooks(plan: Fabric) -> dict[str, str]:
    """The files of the hooks that the site has; the steps run these, also where a file is gone by then.

    With acceptance_level the collection's own tasks are the hook acceptance.
    """
    folders = store.get("fabric").get("hooks") or []
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
    plan: Fabric, args: Plain, given: Plain, hooks: dict[str, str], *, check: bool
) -> procedure.Order:
    if not args["slug"]:
        raise FabricError.of("variable spx_tenant: this playbook needs it: add -e spx_tenant=...")
    return procedure.Order(
        args["job"],
        args["slug"],
        nodes=jobs.expand(plan, args["nodes"] or []),
        acceptance=given.get("spx_acceptance"),
        hooks=list(hooks),
        written=bool(given.get("spx_registry_write")),
        approved=bool(given.get("spx_approved")),
        check=check,
        run=runs.this(),
        today=reports.now()[:10],
        at_work=cache(runs.at_work),
    )
