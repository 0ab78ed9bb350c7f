# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.validate_summary``; documented in the module of that name."""

from __future__ import annotations

import os
from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _reports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import sentences
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import (
    results,
    summary,
)

SPEC: dict[str, dict[str, Any]] = {
    "report": {"type": "path", "required": True},
    "state": {"type": "str", "default": "present", "choices": ["present", "empty"]},
    "strict": {"type": "bool", "default": False},
}


class ActionModule(ActionBase):
    """Reads all results of a report and says what they come to."""

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
        if args["state"] == "empty":
            return {**result, "changed": results.empty(args["report"]) > 0}
        rows = results.read(args["report"])
        if not rows:
            raise FabricError.of(
                f"report: {args['report']} holds no results: run playbook validate, or name its folder."
            )
        counted = summary.counts(rows)
        Display().display(summary.table(rows))
        result["counts"] = counted
        file = os.path.join(args["report"], "junit.xml")
        result["junit"] = _reports.put(file, summary.junit(rows), FabricError.of)
        if summary.breached(counted, strict=args["strict"]):
            result |= {"failed": True, "msg": summary.verdict(counted)}
        return result
