# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import compare
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.addressing.suggest import (
    suggest,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    everything,
    rows,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report import facts
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._project import description_path
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._wrappers import sentences

_MOST_FILES, _MOST_CHANGES = 100, 1000

_ARGUMENTS = {
    "description": {"type": "path"},
    "dest": {"type": "path"},
    "exports": {"type": "list", "elements": "str"},
    "pods": {"type": "list", "elements": "int"},
    "suggest": {"type": "bool", "default": False},
    "against": {"type": "path"},
    "allow_renumber": {"type": "bool", "default": False},
}


class ActionModule(ActionBase):
    """Loads, compares and writes; the rules are in the core."""

    _supports_check_mode = True
    _supports_diff = True
    _requires_connection = False

    @sentences()
    def run(
        self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None
    ) -> dict[str, t.Any]:
        """Write the plan."""
        result = super().run(tmp, task_vars)
        _validation, options = self.validate_argument_spec(_ARGUMENTS)
        fabric = Fabric.load(description_path(options["description"], task_vars))
        if options["suggest"]:
            result["suggestions"] = suggest(fabric.description, fabric.clos)
        if options["against"]:
            result["changes"], result["renumbered"] = self._compare(fabric, options)
        output = Output(options["dest"], dry=self._task.check_mode)
        if options["dest"]:
            result["left_out"] = self._write(fabric, output, options)
        result["facts"] = facts(fabric)
        result["files"] = output.files
        result["changed"] = bool(output.changed)
        result["changed_files"] = output.changed[:_MOST_FILES]
        if self._task.diff:
            result["diff"] = {"prepared": "".join(f"{name}\n" for name in result["changed_files"])}
        return result

    def _write(self, fabric: Fabric, output: Output, options: dict[str, t.Any]) -> list[str]:
        pods = options["pods"]
        wrong = [pod for pod in pods or () if not 1 <= pod <= fabric.clos.pods]
        if wrong:
            raise FabricError.of(
                f"pods: {wrong[0]} is outside the 1 to {fabric.clos.pods} of fabric "
                f"{fabric.description.name}: use one-based numbers inside it."
            )
        scope = rows.Scope([pod - 1 for pod in sorted(set(pods))]) if pods else rows.EVERYTHING
        large = fabric.clos.nodes > 1000

        def progress(text: str) -> None:
            if large:
                Display().display(f"plan {fabric.description.name}: {text}")

        with output.alone():
            return everything.write(
                fabric, output, kinds=options["exports"], scope=scope, progress=progress
            )

    def _compare(
        self, fabric: Fabric, options: dict[str, t.Any]
    ) -> tuple[list[dict[str, t.Any]], int]:
        old = Fabric.load(description_path(options["against"]))
        changes, touched = [], []
        for row in compare.against(old, fabric):
            if len(changes) < _MOST_CHANGES:
                changes.append(row)
            if compare.renumbers(row):
                touched.append(row)
        if touched and not options["allow_renumber"]:
            first = touched[0]
            raise FabricError.of(
                f"against {options['against']}: {len(touched)} values of existing equipment would change, first "
                f"{first['what']} of {first['place']} from {first['before']} to {first['after']}: keep the stated "
                "capacity and profile, or set spx_allow_renumber to true."
            )
        return changes, len(touched)
