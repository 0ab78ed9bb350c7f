# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.tenant_report``; documented in the module of that name."""

from __future__ import annotations

import datetime
import os
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _provenance, _reports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._project import description_path
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._wrappers import sentences

Plain = dict[str, t.Any]
SPEC: dict[str, Plain] = {
    "reports": {"type": "dict", "required": True},
    "report": {"type": "path"},
    "description": {"type": "path"},
}


class ActionModule(ActionBase):
    """Writes what was done, by whom and when, on the controller."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True

    @sentences()
    def run(self, tmp: str | None = None, task_vars: Plain | None = None) -> Plain:
        """Run the task and return its result."""
        result: Plain = super().run(tmp, task_vars)
        _found, args = self.validate_argument_spec(SPEC)
        stated = task_vars or {}
        path = description_path(args["description"], stated)
        folder = args["report"] or os.path.join(os.path.dirname(os.path.dirname(path)), "report")
        result |= {"changed": False, "files": []}
        if self._task.check_mode:
            return {**result, "skipped": True, "msg": "Reports are of what was done."}
        head = _head(Fabric.load(path).description.name, stated)
        for name, data in args["reports"].items():
            file = os.path.join(folder, f"{os.path.basename(str(name))}.json")
            result["files"].append(_reports.put_json(file, {**data, **head}, FabricError.of))
        return result


def _head(fabric: str, stated: Plain) -> Plain:
    """What every report begins with."""
    return {
        "schema": 1,
        "fabric": fabric,
        "who": os.environ.get("SUDO_USER") or os.environ.get("USER") or "unknown",
        "when": datetime.datetime.now(tz=datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "origin": _provenance.message("", stated),
    }
