# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words for a cable: ports, parts, lengths, bundles, labels.

A label has the id of its cable, the end that it is at, and each other end, in the manner of TIA-606:

    L1.1.1/05-N1.09/r1p1
    leaf-p1-su001-r1 swp5
    to worker-su01-rack03-h09 rail1p1
    to worker-su01-rack03-h10 rail1p1
"""

from __future__ import annotations

import typing as t

from ...catalog.data import table
from ...plan.topology.cabling import HOST
from ...plan.topology.converged_cabling import FarEnd
from ...plan.topology.oob import ACCESS

if t.TYPE_CHECKING:
    from ...plan.topology.cabling import Device
    from .cables import Cable, Cables, Far, Plug

MOST_CHARACTERS = 40
"""Limit of a line of a label. A longer name gives way to the code of its device."""
OPEN = "to be chosen"
TWISTED_PAIR = "twisted pair with RJ45 plugs"


class Parts(t.NamedTuple):
    """Parts of a cable; a copper cable and one that is to be chosen have no transceivers."""

    cable: str
    head: str
    ends: str


class Label(t.NamedTuple):
    """The lines of a label: the cable, this end, every other end."""

    cable: str
    here: str
    there: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the lines as printed."""
        return (self.cable, self.here, *(f"to {end}" for end in self.there))

    @property
    def text(self) -> str:
        """In one line: this end, a slash, the other ends."""
        return f"{self.here} / {' + '.join(self.there)}"


def port(plug: Plug) -> str:
    """The interface that a plug is in, or the cage where it has all of it: `swp5`, `swp5s0`, `rail1p1`.

    Empty outside of the fabric, where it is not known.
    """
    return f"swp{plug.cage}" if plug.cage and not plug.legs else "+".join(plug.ports)


def legs(plug: Plug) -> str:
    """The one-based legs of the cage: `1`, `1 and 2`; empty where the plug has the whole cage."""
    return " and ".join(map(str, plug.legs))


def end(cables: Cables, device: Far, text: str) -> str:
    """A device and a port on a label, at most MOST_CHARACTERS less those of `to `."""
    if isinstance(device, FarEnd):
        return device.name
    whole = f"{cables.fabric.name(device)} {text}"
    fits = len(whole) <= MOST_CHARACTERS - len("to ")
    return whole if fits else f"{cables.code(device)} {text}"


def label(cables: Cables, cable: Cable, plug: Plug) -> Label:
    """The label at a plug. A leg of a splitter names the port of the head that it belongs to."""
    own = end(cables, plug.device, port(plug))
    if plug is cable.head:
        others = [end(cables, other.device, port(other)) for other in cable.ends if other.built]
    else:
        others = [end(cables, cable.head.device, leg_of_head(cable, plug))]
    return Label(cable.id, own, tuple(others))


def leg_of_head(cable: Cable, plug: Plug) -> str:
    """The interface of the head that an other end leads to."""
    if len(cable.ends) == 1:
        return port(cable.head)
    begin = 0
    for other in cable.ends:
        if other is plug:
            break
        begin += len(other.ports)
    return "+".join(cable.head.ports[begin : begin + len(plug.ports)])


def parts(cables: Cables, cable: Cable) -> Parts:
    """The class of a cable and of its transceivers."""
    speed = cable.speed
    if cable.medium is None:
        return Parts(_open(cable, speed), "", "")
    row = table("cabling")["media"][cable.medium]
    plug = cables.plug(cable.ends[0].device) if cable.kind == HOST else "OSFP"
    if row["copper"]:
        ends = (
            f"{len(cable.ends)} x {_of_end(cable, speed)} {plug}"
            if cable.kind == HOST
            else "800G OSFP"
        )
        return Parts(f"800G OSFP to {ends}, {row['words']}", "", "")
    split = f", 1 to {len(cable.ends)}" if len(cable.ends) > 1 else ""
    twin = f"twin-port OSFP 800G, {row['optics'][speed]}, {row['words'].removesuffix(' fibre')}"
    far = f"{plug} 400G, {row['words'].removesuffix(' fibre')}" if cable.kind == HOST else twin
    return Parts(f"{table('cabling')['fibre']} {row['words']}{split}", twin, far)


def transceiver(cables: Cables, cable: Cable, plug: Plug) -> str:
    """Return the transceiver of a fibre's plug; empty where the cable has its plugs, or is to be chosen."""
    found = parts(cables, cable)
    return found.head if plug is cable.head else found.ends


def _of_end(cable: Cable, speed: str) -> str:
    """The speed of each end of a splitter."""
    return f"{int(speed[:-1]) * len(cable.ends[0].ports)}G"


def _open(cable: Cable, speed: str) -> str:
    if cable.kind == ACCESS:
        return f"{speed}, {TWISTED_PAIR}"
    if cable.meshed or isinstance(cable.ends[0].device, FarEnd):
        return f"{cable.links} x {speed}, port to port, {OPEN}"
    if len(cable.ends) > 1:
        return f"breakout 1 to {len(cable.ends)}, {speed} each, {OPEN}"
    return f"{cable.links} x {speed}, cage to cage, {OPEN}"


def medium(cable: Cable) -> str:
    """The medium in words."""
    if cable.kind == ACCESS:
        return TWISTED_PAIR
    return str(table("cabling")["media"][cable.medium]["words"]) if cable.medium else OPEN


def length(cable: Cable) -> float | None:
    """Metres to order: the shortest that is made and reaches; None where that is not known."""
    if cable.medium is None or cable.route is None:
        return None
    made = table("cabling")["media"][cable.medium]["lengths"]
    return next((metres for metres in made if metres >= cable.route), None)


def metres(value: float | None) -> str:
    """`1.5`, `30`, or nothing where a length is not known."""
    return "" if value is None else f"{value:.1f}".removesuffix(".0")


def place(cables: Cables, device: Far) -> str:
    """The rack of a device, or its name where that is not known: where bundles begin and end."""
    return cables.spot(device).rack or cables.name(device)


def bundle(cables: Cables, cable: Cable) -> str:
    """The cables that run together: `G01 to N1` either way, `inside N1` for those that stay in a rack.

    A breakout cable whose legs part is in a bundle of its own kind: `G01 and G02 to N1`.
    """
    head = place(cables, cable.head.device)
    others = list(dict.fromkeys(place(cables, plug.device) for plug in cable.ends if plug.built))
    if others == [head]:
        return f"inside {head}"
    if len(others) == 1:
        others, head = [min(others[0], head)], max(others[0], head)
    return f"{' and '.join(others)} to {head}"


def remarks(cables: Cables, cable: Cable) -> list[str]:
    """List remarks about this cable alone."""
    found = [
        f"The end at {leg_of_head(cable, plug)} stays free: {cables.name(plug.device)} is not built."
        for plug in cable.ends
        if not plug.built
    ]
    if cable.medium and cable.route is not None and length(cable) is None:
        found.append(f"The way is longer than {medium(cable)} reaches.")
    return found


def role(device: Device) -> str:
    """`node`, `leaf`, `super-spine`, `front-end-leaf` and so on."""
    return device.role.replace("_", "-")
