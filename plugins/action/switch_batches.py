# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.switch_batches``; documented in the module of that name."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import batches
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._project import fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._wrappers import sentences

SPEC: dict[str, dict[str, Any]] = {
    "hosts": {"type": "list", "elements": "str", "required": True},
    "share": {"type": "int", "default": 25},
    "description": {"type": "path"},
    "compared": {"type": "str"},
}


class ActionModule(ActionBase):
    """Orders switches so that the fabric survives the loss of any batch."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True

    @sentences()
    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Run the task and return its result."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        _found, args = self.validate_argument_spec(SPEC)
        plan = fabric(args["description"], task_vars)
        names = args["hosts"]
        if args["compared"]:
            names = _differing(plan, names, args["compared"], task_vars or {})
        order = batches.of_switches(plan, names, share=args["share"])
        result["lines"] = list(order["lines"].values())
        if self._task.check_mode:
            for line in result["lines"]:
                Display().display(f"  {line}")
            order |= {"first": [], "rest": []}
        return {**result, "batches": order}


def _differing(plan: Fabric, names: list[str], variable: str, stated: dict[str, Any]) -> list[str]:
    """The hosts that their comparison says to change; FabricError when one was not compared."""
    found = {name: stated["hostvars"][name].get(variable) or {} for name in names}
    out = {row.device for row in plan.description.out_of_service if not row.port}
    silent = [name for name in names if "changes" not in found[name] and name not in out]
    if silent:
        raise FabricError.of(
            f"{', '.join(silent)}: not compared with the plan (the reason is above), so no switch is changed: "
            "repair the switch, list it in out_of_service, or leave it out with --limit, and run again."
        )
    return [name for name in names if found[name].get("due")]
