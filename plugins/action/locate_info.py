# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.output import show
from ..plugin_utils._edge.project import INVENTORIED, description_path
from ..plugin_utils._fabric.description.errors import FabricError, NotInFabric
from ..plugin_utils._fabric.export.handover.label_search import find
from ..plugin_utils._fabric.plan.addressing.addresses import NET_LINKS
from ..plugin_utils._fabric.plan.fabric import Fabric
from ..plugin_utils._fabric.plan.locate import bare, clean, is_address, pasted, sentence
from ..plugin_utils._fabric.plan.topology.cabling import Node
from ..plugin_utils._fabric.tenants import tenant_addresses
from ..plugin_utils._fabric.tenants.registry import Registry

if t.TYPE_CHECKING:
    from ..plugin_utils._fabric.plan.locate import Place


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
                places += _found(fabric, args["address"], _registry(fabric, remarks))
            except NotInFabric as exc:
                refusals += exc.sentences
        if not places:
            raise FabricError(remarks + refusals)
        lines = [_line(place) for place in places]
        show([*lines, *remarks])
        return {"places": places, "remarks": remarks, "lines": lines}


def _registry(fabric: Fabric, remarks: list[str]) -> Registry | None:
    """Load the registry of tenants; one that does not load hides no place."""
    try:
        return Registry.load(fabric)
    except FabricError as exc:
        remarks += [f"tenants are not shown: {text}" for text in exc.sentences]
        return None


def _found(fabric: Fabric, text: str, registry: Registry | None) -> list[Plain]:
    """The places of a text without the signs around it, or as it is; NotInFabric where it is none."""
    try:
        return _places(fabric, clean(bare(text)), registry)
    except NotInFabric as exc:
        if bare(text) == text.strip() or is_address(text):
            raise
        try:
            return _places(fabric, clean(text), registry)
        except NotInFabric:
            raise exc from None


def _places(fabric: Fabric, text: str, registry: Registry | None) -> list[Plain]:
    try:
        found = pasted(fabric, text)
    except NotInFabric:
        if not is_address(text):
            if numbered := _numbered(fabric, text, registry):
                return numbered
            slugs = [owner.slug for _key, _row, owner in registry.rows()] if registry else ()
            found = find(fabric, text, names=slugs)
        elif registry and fabric.description.networks:
            return [{**place} for place in tenant_addresses.places(fabric, registry, text)]
        else:
            raise
    return [{**place, **(_held(fabric, registry, place) if registry else {})} for place in found]


def _numbered(fabric: Fabric, text: str, registry: Registry | None) -> list[Plain]:
    """The tenants of a name, VLAN or VNI, and the switches and sessions of an AS number."""
    digits = text.lower().removeprefix("as").removeprefix("n").strip(" :")
    asn = int(digits) if re.fullmatch("[0-9]{1,10}", digits) else 0
    switches = [one for one in fabric.switches() if asn and fabric.addresses.asn(one) == asn]
    found: list[Plain] = [
        {**place, "asn": asn} for one in switches for place in fabric.locate(fabric.name(one))
    ]
    return (
        found + [{**one} for one in tenant_addresses.numbered(fabric, registry, text)]
        if registry
        else found
    )


def _held(fabric: Fabric, registry: Registry, place: Place) -> Plain:
    """Return the tenant of a place's node; on its other networks also the VRF and VLAN of the port."""
    node = fabric.device(place.get("node", place["device"]))
    if not isinstance(node, Node):
        return {}
    own = {"tenant": registry.holding(node).slug}
    if place["kind"] in NET_LINKS.values():
        own |= tenant_addresses.net_at(fabric, registry, node, place["network"])
    return own


def _line(place: Plain) -> str:
    """A place as a sentence."""
    made: str = (
        tenant_addresses.sentence if place["kind"] in tenant_addresses.KINDS else sentence
    )(place)
    return made
