# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.project import (
    description_path,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import sentences
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    atlas,
    atlas_results,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)

_MOST_FILES = 100

_ARGUMENTS = {
    "description": {"type": "path"},
    "dest": {"type": "path", "required": True},
    "report": {"type": "path"},
}


class ActionModule(ActionBase):
    """Loads fabric, registry and results, and writes the pages."""

    _supports_check_mode = True
    _supports_diff = True
    _requires_connection = False

    @sentences()
    def run(
        self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None
    ) -> dict[str, t.Any]:
        """Write the atlas."""
        result = super().run(tmp, task_vars)
        _validation, options = self.validate_argument_spec(_ARGUMENTS)
        fabric = Fabric.load(description_path(options["description"], task_vars))
        if options["report"] and not os.path.isdir(options["report"]):
            raise FabricError.of(
                f"report {options['report']} is no folder: name the one that validate wrote, or none."
            )
        found = atlas_results.read(options["report"], fabric.description.name)
        output = Output(options["dest"], dry=self._task.check_mode)
        with output.alone():
            atlas.write(fabric, Registry.load(fabric), output, results=found)
        result["page"] = f"{options['dest']}/atlas.html"
        result["files"] = output.files
        result["checks"] = dict(
            zip(atlas_results.STATES, atlas_results.total(found.values()), strict=True)
        )
        result["changed"] = bool(output.changed)
        result["changed_files"] = output.changed[:_MOST_FILES]
        if self._task.diff:
            result["diff"] = {"prepared": "".join(f"{name}\n" for name in result["changed_files"])}
        return result
