# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ..plugin_utils._edge.action import Action, Plain, show
from ..plugin_utils._edge.project import INVENTORIED, description_path
from ..plugin_utils._fabric.export.handover.find import find
from ..plugin_utils._fabric.fabric import Fabric
from ..plugin_utils._fabric.locate import is_address, sentence
from ..plugin_utils._fabric.model.errors import FabricError, NotInFabric
from ..plugin_utils._fabric.tenancy.registry import Registry
from ..plugin_utils._fabric.topology.cabling import Node


class ActionModule(Action):
    """One line for each match; several fabrics may be asked at once."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Look in every description."""
        places: list[Plain] = []
        refusals: list[str] = []
        remarks: list[str] = []
        for path in args["descriptions"] or sorted(set(INVENTORIED.values())) or [None]:
            try:
                fabric = Fabric.load(description_path(path, stated))
            except FabricError as exc:
                remarks += exc.sentences
                continue
            try:
                places += _with_tenant(fabric, _found(fabric, args["address"]), remarks)
            except NotInFabric as exc:
                refusals += exc.sentences
        if not places:
            raise FabricError(remarks + refusals)
        lines = [sentence(place) for place in places]
        show([*lines, *remarks])
        return {"places": places, "remarks": remarks, "lines": lines}


def _found(fabric: Fabric, text: str) -> list[Plain]:
    """The places of a text; NotInFabric where it is none."""
    try:
        found = fabric.locate(text)
    except NotInFabric:
        if is_address(text):
            raise
        found = find(fabric, text)
    return [{**place} for place in found]


def _with_tenant(fabric: Fabric, places: list[Plain], remarks: list[str]) -> list[Plain]:
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
