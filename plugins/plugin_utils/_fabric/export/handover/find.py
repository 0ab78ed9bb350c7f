# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From what is printed on a label or on a rack back to the places.

find(fabric, "L1.1.1/05-N1.09/r1p1")    both ends of the cable, a place for each link of it
find(fabric, "leaf-p1-su001-r1 swp5")   the same, by its second line; `:` does for the space
find(fabric, "G01")                     the devices of a rack, from the top down
"""

from __future__ import annotations

import re
import typing as t

from ...locate import unknown
from ...topology.cabling import Switch
from . import words
from .cables import Cables
from .floor import Floor

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...fabric import Fabric
    from ...locate import Place
    from .cables import Cable

_ID = re.compile(r"([LST][0-9.]+)/([0-9]{1,4})(?:\.[0-9]+)?-\S+")
_END = re.compile(r"(?:to )?(\S+)[ :](\S+)")


def find(fabric: Fabric, text: str) -> list[Place]:
    """The places of a line of a label, or of the devices of a rack; NotInFabric where the text is neither."""
    text = text.strip()
    cable = _labelled(Cables(fabric), text)
    if cable:
        return [{**place, "cable": cable.id} for place in _links(fabric, cable)]
    if found := _in_rack(fabric, text):
        return found
    raise unknown(fabric, text, "address, device, port, place, cable label or rack")


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
            (cable for cable, plug in plugs if port in (words.port(plug), *plug.ports)), None
        )
    return None


def _links(fabric: Fabric, cable: Cable) -> Iterator[Place]:
    """The other ends of a cable, each with its port at the head."""
    for plug in cable.ends:
        for port in plug.ports:
            yield from fabric.locate(f"{fabric.name(plug.device)}:{port}")


def _in_rack(fabric: Fabric, rack: str) -> list[Place]:
    if not rack:
        return []
    floor = Floor(fabric)
    spots = ((floor.spot(device), device) for device in fabric.devices())
    inside = sorted(
        ((spot.unit, device) for spot, device in spots if spot.rack == rack),
        key=lambda one: -one[0],
    )
    return [place for _unit, device in inside for place in fabric.locate(fabric.name(device))]
