# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.tenant_report``; documented in the module of that name."""

from __future__ import annotations

import datetime
import json
import os
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _provenance
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
            result["files"].append(_write(os.path.expanduser(folder), str(name), {**data, **head}))
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


def _write(folder: str, name: str, data: Plain) -> str:
    """Replace a report as a whole, so that a reader never meets half of one."""
    path = os.path.join(folder, f"{os.path.basename(name)}.json")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(f"{path}.part", "w", encoding="utf-8") as handle:
            json.dump(data, handle, indent=4, sort_keys=True)
            handle.write("\n")
        os.replace(f"{path}.part", path)
    except OSError as exc:
        raise FabricError.of(
            f"report: {path} cannot be written ({exc.strerror}): name another folder in spx_report."
        ) from exc
    return path
