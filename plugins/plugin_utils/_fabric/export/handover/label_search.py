# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From what is printed on a label or on a rack back to the places.

find(fabric, "L1.1.1/05-N1.09/r1p1")    both ends of the cable, a place for each link of it
find(fabric, "leaf-p1-su001-r1 swp5")   the same, by its second line; `:` does for the space
find(fabric, "G01")                     the devices of a rack, from the top down
find(fabric, "isp-a")                   the ports that an array or a link to the outside is cabled to
"""

from __future__ import annotations

import re
import typing as t

from ...description.words import some
from ...plan.locate import unknown
from ...plan.topology.cabling import Switch
from ...plan.topology.converged_cabling import FarEnd
from .. import rows
from . import labels
from .cables import Cables
from .floor import Floor

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...plan.fabric import Fabric
    from ...plan.locate import Place
    from ...plan.topology.cabling import Device
    from .cables import Cable

_ID = re.compile(r"([A-Z]{1,2}[0-9.]+)/([0-9]{1,4})(?:\.[0-9]+)?-\S+")
_END = re.compile(r"(?:to[ :])?(\S{1,255}?)[ :](\S{1,255})")


def find(fabric: Fabric, text: str, *, names: t.Iterable[str] = ()) -> list[Place]:
    """The places of a line of a label, or of the devices of a rack; NotInFabric where the text is neither.

    `names` are further ones that it may have been meant for.
    """
    text = text.strip()
    cables = Cables(fabric)
    cable = _labelled(cables, text)
    if cable:
        return [{**place, "cable": cable.id} for place in _links(fabric, cable)]
    if outside := _outside(cables, re.sub(r"^to[ :]", "", text)):
        return outside
    racks = _racks(fabric)
    if text in racks:
        return [place for device in racks[text] for place in fabric.locate(fabric.name(device))]
    known = f"; its racks are {', '.join(some(list(racks)))}" if racks else ""
    kinds = "address, device, port, place, cable label, rack, tenant, VLAN, VNI or AS"
    raise unknown(fabric, text, kinds, also=known, names=names)


def _labelled(cables: Cables, text: str) -> Cable | None:
    """The cable of the first line of a label, or of another one; None where the text is no such line."""
    if found := _ID.fullmatch(text):
        switch = cables.coded(found[1])
        heads = cables.in_cage(switch, int(found[2])) if isinstance(switch, Switch) else ()
        return next((cable for cable in heads if cable.id == text), None)
    if found := _END.fullmatch(text):
        device = cables.fabric.device(found[1]) or cables.coded(found[1])
        port, plugs = found[2].partition("+")[0], cables.at(device) if device else ()
        return next(
            (cable for cable, plug in plugs if port in (labels.port(plug), *plug.ports)), None
        )
    return None


def _outside(cables: Cables, name: str) -> list[Place]:
    """The ports of leaves that what is outside of the fabric is cabled to, by its name."""
    ends = cables.fabric.outside.items()
    leaves = dict.fromkeys(leaf for (leaf, _port), end in ends if end.name == name)
    found = (cable for leaf in leaves for cable, _plug in cables.at(leaf))
    return [
        {**place, "cable": cable.id}
        for cable in found
        if cables.name(cable.ends[0].device) == name
        for place in _links(cables.fabric, cable)
    ]


def _links(fabric: Fabric, cable: Cable) -> Iterator[Place]:
    """The other ends of a cable, each with its port at the head; the head where they are outside of the fabric."""
    for plug in cable.ends:
        end = cable.head if isinstance(plug.device, FarEnd) else plug
        for port in end.ports:
            yield from fabric.locate(f"{fabric.name(t.cast('Device', end.device))}:{port}")


def _racks(fabric: Fabric) -> dict[str, list[Device]]:
    """The devices of each rack that has a name, from the top down."""
    floor = Floor(fabric)
    inside: dict[str, list[tuple[int, Device]]] = {}
    for device in rows.all_devices(fabric):
        spot = floor.spot(device)
        if spot.rack:
            inside.setdefault(spot.rack, []).append((spot.unit, device))
    return {
        rack: [device for _unit, device in sorted(found, key=lambda one: -one[0])]
        for rack, found in inside.items()
    }
