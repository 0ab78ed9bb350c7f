# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.tenant_plan``; documented in the module of that name."""

from __future__ import annotations

import json
import typing as t
from functools import cache

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import runs, tenant_reports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.leaves import Leaves
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.project import (
    OWN_HOOKS,
    fabric,
    site_hooks,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import sentences
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import (
    health,
    jobs,
    procedure,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.steps import STEPS

if t.TYPE_CHECKING:
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric

HEALTH, COMMIT = "rest_health", "registry_commit"
WAIT = 120
"""Seconds that a gate is waited for where spx_wait says nothing."""
_NAMES = {"type": "list", "elements": "str", "default": []}
_ARGUMENTS: dict[str, dict[str, t.Any]] = {
    "job": {"type": "str", "choices": [*procedure.JOBS, HEALTH], "required": True},
    "tenant": {"type": "str"},
    "nodes": _NAMES,
    "description": {"type": "path"},
    "registry": {"type": "path"},
}
Plain = dict[str, t.Any]


class ActionModule(ActionBase):
    """Reads the leaves of a job, and plans it or refuses it in sentences; changes nothing."""

    _supports_check_mode = True
    _requires_connection = False

    @sentences()
    def run(self, tmp: str | None = None, task_vars: Plain | None = None) -> Plain:
        """The plan, as the fact spx_fact_job."""
        result: Plain = super().run(tmp, task_vars)
        _validation, given = self.validate_argument_spec(_ARGUMENTS)
        asked, stated = json.loads(json.dumps(given)), task_vars or {}  # without lazy containers
        plan = fabric(asked["description"], stated)
        registry = Registry.load(plan, asked["registry"])
        result["changed"] = False
        if asked["job"] == HEALTH:
            shown = {"_ansible_verbose_always": True}
            return {**result, **shown, **self._health(plan, registry, stated)}
        leaves = Leaves(plan, self, stated)
        hooks = self._hooks(stated)
        order = self._order(plan, asked, stated, hooks)
        try:
            made = procedure.plan(plan, registry, leaves, order)
        except FabricError as exc:
            return {**result, **leaves.result(), "failed": True, "msg": str(exc)}
        own = {COMMIT: str(OWN_HOOKS / f"{COMMIT}.yml")}
        wait = (stated.get("spx_fact_variables") or {}).get("spx_wait", WAIT)
        how = {"run": order.run, "written": order.written, "wait": wait}
        job = {**made, **how, "hook_files": own | hooks}
        facts = {"spx_fact_job": job, "spx_fact_done": []}
        return {**result, "lines": made["lines"], "ansible_facts": facts}

    @staticmethod
    def _hooks(stated: Plain) -> dict[str, str]:
        """The files of the hooks that the site has; the steps run these, also where a file is gone by then."""
        folders = (stated.get("spx_fabric") or {}).get("hooks") or []
        return site_hooks(
            folders, [*(hook for step in STEPS.values() for hook in step.hooks), COMMIT]
        )

    def _order(
        self, plan: Fabric, asked: Plain, stated: Plain, hooks: dict[str, str]
    ) -> procedure.Order:
        given = stated.get("spx_fact_variables") or {}
        if not asked["tenant"]:
            raise FabricError.of(
                "variable spx_tenant: this playbook needs it: add -e spx_tenant=..."
            )
        return procedure.Order(
            asked["job"],
            asked["tenant"],
            nodes=jobs.expand(plan, asked["nodes"]),
            acceptance=given.get("spx_acceptance"),
            hooks=list(hooks),
            written=bool(given.get("spx_registry_write")),
            approved=bool(given.get("spx_approved")),
            check=self._task.check_mode,
            run=runs.this(),
            today=tenant_reports.now()[:10],
            at_work=cache(runs.at_work),
        )

    def _health(self, plan: Fabric, registry: Registry, stated: Plain) -> Plain:
        """What is in quarantine, in rest and on its way; a report where one is asked for."""
        rows = health.held(plan, registry)
        lines = health.lines(rows)
        asked = (stated.get("spx_fact_variables") or {}).get("spx_report")
        if asked and not self._task.check_mode:
            tenant_reports.write(plan, stated, {HEALTH: {**rows, "lines": lines}})
        return {"msg": lines}
