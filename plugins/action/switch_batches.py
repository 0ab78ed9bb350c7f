# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.switch_batches``; documented in the module of that name."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import batches
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._project import fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._wrappers import sentences

SPEC: dict[str, dict[str, Any]] = {
    "hosts": {"type": "list", "elements": "str", "required": True},
    "share": {"type": "int", "default": 25},
    "description": {"type": "path"},
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
        order = batches.of_switches(plan, args["hosts"], share=args["share"])
        result["lines"] = list(order["lines"].values())
        if self._task.check_mode:  # disturbs nothing, so it takes more at a time
            order = batches.of_switches(plan, args["hosts"], share=100)
        return {**result, "batches": order}
