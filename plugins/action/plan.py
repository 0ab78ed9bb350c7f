# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.project import (
    description_path,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import sentences
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import compare, earlier
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.addressing import suggest
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

_MOST_FILES = 100
_MOST_CHANGES = 1000
_MOST_TOLD = 100
_QUICK = 1000
"""Nodes up to which nobody waits long enough to wonder."""

_ARGUMENTS = {
    "description": {"type": "path"},
    "dest": {"type": "path"},
    "exports": {"type": "list", "elements": "str"},
    "pods": {"type": "list", "elements": "int"},
    "suggest": {"type": "bool", "default": False},
    "against": {"type": "path"},
    "allow_renumber": {"type": "bool", "default": False},
    "report": {"type": "path"},
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
        path = description_path(options["description"], task_vars)
        if options["suggest"]:
            return result | {"suggestions": suggest.of_file(path), "changed": False}
        fabric = Fabric.load(path)
        if options["against"]:
            result.update(self._compare(fabric, options))
        output = Output(
            options["dest"],
            dry=self._task.check_mode,
            tell=lambda text: self._tell(fabric, text),
        )
        if options["dest"]:
            result["left_out"] = self._write(fabric, output, options)
        result["facts"] = facts(fabric)
        result["files"] = output.files
        result["changed"] = bool(output.changed)
        result["changed_files"] = output.changed[:_MOST_FILES]
        result["files_changed"] = len(output.changed)
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
        with output.alone():
            return everything.write(
                fabric,
                output,
                kinds=options["exports"],
                scope=scope,
                progress=output.tell,
            )

    def _tell(self, fabric: Fabric, text: str) -> None:
        """Progress, where the work is long."""
        if fabric.clos.nodes > _QUICK:
            Display().display(f"plan {fabric.description.name}: {text}")

    def _compare(self, fabric: Fabric, options: dict[str, t.Any]) -> dict[str, t.Any]:
        """The differences to an earlier plan; FabricError, after telling them, when they renumber."""
        self._tell(fabric, "against ...")
        found = compare.Differences(most=_MOST_CHANGES)
        changes = found.watch(compare.against(earlier.find(options["against"], fabric), fabric))
        report = Output(options["report"], dry=self._task.check_mode)
        report.write("plan-changes.csv", compare.lines(changes))
        if found.renumbered and not options["allow_renumber"]:
            for row in found.rows[: min(_MOST_TOLD, found.renumbered)]:
                Display().display("{what} of {place}: {before} -> {after}".format(**row))
            first = found.rows[0]
            raise FabricError.of(
                f"against {options['against']}: {found.renumbered} values of existing equipment would change, first "
                f"{first['what']} of {first['place']} from {first['before']} to {first['after']}: keep the stated "
                "capacity and profile, or set spx_allow_renumber to true."
            )
        return {
            "changes": found.rows,
            "renumbered": found.renumbered,
            "differences": found.renumbered + found.others,
        }
