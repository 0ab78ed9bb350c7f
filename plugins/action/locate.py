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
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.locate import sentence
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cabling import Node

_ARGUMENTS = {
    "address": {"type": "str", "required": True},
    "descriptions": {"type": "list", "elements": "path"},
}


class ActionModule(ActionBase):
    """One line for each match; several fabrics may be asked at once."""

    _supports_check_mode = True
    _requires_connection = False

    @sentences()
    def run(
        self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None
    ) -> dict[str, t.Any]:
        """Look in every description."""
        result = super().run(tmp, task_vars)
        _validation, options = self.validate_argument_spec(_ARGUMENTS)
        places: list[dict[str, t.Any]] = []
        refusals: list[str] = []
        remarks: list[str] = []
        for path in options["descriptions"] or [None]:
            try:
                fabric = Fabric.load(description_path(path, task_vars))
            except FabricError as exc:
                remarks += exc.sentences
                continue
            try:
                places += _with_tenant(fabric, fabric.locate(options["address"]), remarks)
            except NotInFabric as exc:
                refusals += exc.sentences
        if not places:
            raise FabricError(remarks + refusals)
        result["places"], result["remarks"] = places, remarks
        result["lines"] = [sentence(place) for place in places]
        for line in [*result["lines"], *remarks]:
            Display().display(line)
        return result


def _with_tenant(
    fabric: Fabric, places: list[dict[str, t.Any]], remarks: list[str]
) -> list[dict[str, t.Any]]:
    """Each place of a node with the tenant that holds it; a broken registry hides no place."""
    try:
        registry = Registry.load(fabric)
    except FabricError as exc:
        remarks += [f"tenants are not told: {text}" for text in exc.sentences]
        return places
    made = []
    for place in places:
        node = fabric.device(place.get("node", place["device"]))
        holder = {"tenant": registry.holding(node).slug} if isinstance(node, Node) else {}
        made.append(place | holder)
    return made
