# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Neighbours by LLDP, and what an exchange of cables looks like.

    judge(view, row, Neighbour("gpu-1.example.net", "rail1p1"))    planned
    judge(view, row, Neighbour("gpu-1", "rail2p1"))                other: the plan has it at another port
    judge(view, row, Neighbour("localhost", "p0"))                 unproven: it has no name of its own

Names are equal up to case and domain. A port that the plan does not know is found by its description or by the PCI
address in a kernel's name. `found` of a failure is a text where it proves the cable wrong, else a list.
"""

from __future__ import annotations

import itertools
import re
import typing as t

from ..._nvue.document.shapes import below
from ..._nvue.wire.operational import Neighbour
from ..description.devices import is_mac
from ..plan.topology.cabling import DOWN, HOST, UP, NicPort, Node
from ..plan.topology.cages import parse
from ..plan.topology.oob import ACCESS, ETH0
from ..render.host import interfaces
from .results import failed, not_realised

if t.TYPE_CHECKING:
    from ..plan.topology.cabling import Device
    from ..render.switch.context import Row
    from .results import Finding, Findings, Result
    from .switch_view import View

PLANNED, OTHER, UNPROVEN, STRANGE = "planned", "other", "unproven", "strange"
_NAMELESS = frozenset({"", "localhost", "localhost.localdomain", "cumulus"})
"""Names that systems have before anybody gave them one."""
_ARM = "bluefield"
"""Part of the kernel's name on the ARM side of a DPU, in LLDP's description of the system. [inferred]"""
_KERNEL = re.compile(r"en(?:P(\d{1,5}))?p(\d{1,3})s(\d{1,2})(?:f(\d))?(?:np\d{1,2}|d\d{1,2})?")
"""Name of a network device by its PCI address, in decimal numbers; source: systemd.net-naming-scheme(7)."""


def proves_another(row: Result) -> bool:
    """Check whether a failed result of neighbours proves that the cable is another one."""
    return isinstance(row["found"], str)


def used_ports(view: View) -> list[Row]:
    """Ports in use; one that its configuration shuts is not looked at."""
    return [row for row in view.ctx.ports if view.in_use(row) and not _shut(view, row["port"])]


def cabled(view: View) -> list[Row]:
    """Ports in use whose other end is of the fabric; an array or a provider calls itself what it likes.

    A BMC says nothing, so that an out-of-band port counts where a switch is planned, or somebody is heard.
    """
    kinds = (HOST, UP, DOWN)
    return [row for row in used_ports(view) if row["kind"] in kinds or _speaks(view, row)]


def _speaks(view: View, row: Row) -> bool:
    return row["kind"] == ACCESS and (row["peer"]["port"] == ETH0 or row["port"] in view.lldp)


def _shut(view: View, port: str) -> bool:
    state = below(view.applied, "interface", port, "link").get("state") or {}
    return isinstance(state, str | dict) and "down" in state


def judge(view: View, row: Row, found: Neighbour) -> str:
    """Return what a neighbour at a port proves of the cable there."""
    fabric, peer = view.ctx.fabric, row["peer"]
    bearers = fabric.called(found.system)
    nameless = (
        found.system.lower() in _NAMELESS or is_mac(found.system) or _ARM in found.about.lower()
    )
    own = fabric.device(peer["device"])
    if own is None or (own in bearers and len(bearers) > 1):
        return UNPROVEN  # two sites name a device alike
    if own not in bearers:
        return (
            OTHER
            if bearers
            else UNPROVEN
            if nameless or _near(found.system, peer["device"])
            else STRANGE
        )
    port = _port(view, own, found)
    if port == peer["port"]:
        return PLANNED
    definite = not isinstance(own, Node) and parse(found.port)
    return OTHER if port or definite else UNPROVEN


def _near(name: str, other: str) -> bool:
    return name.lower().partition(".")[0] == other.lower().partition(".")[0]


def _port(view: View, device: Device, found: Neighbour) -> str:
    """The planned port that a neighbour of a device is at, empty where nothing shows it."""
    fabric, texts = view.ctx.fabric, (found.port, found.description)
    if planned := next((text for text in texts if fabric.port(device, text)), ""):
        return planned
    names = filter(None, map(_KERNEL.fullmatch, texts))
    if not isinstance(device, Node) or not fabric.stated(device).nics.pci:
        return ""
    for match in names:
        domain, bus, slot, function = (int(number or 0) for number in match.groups())
        pci = f"{domain:04x}:{bus:02x}:{slot:02x}.{function}"
        ports = interfaces.rows(fabric, fabric.slice(device), table_base=0)
        return next((port["name"] for port in ports if port["pci"].lower() == pci), "")
    return ""


def neighbours(view: View) -> Findings:
    """Every neighbour that LLDP hears is what the plan says; exchanged cables are left to `swaps`."""
    if not view.lldp:
        yield view.unreported("LLDP neighbours")
        return
    pairs = _exchanged(view)
    swapped = {row["port"] for pair in pairs for row in pair}
    right = []
    for row in cabled(view):
        if row["port"] in swapped:
            continue
        if (finding := _finding(view, row)) is None:
            right.append(row)
        else:
            yield finding
    if not pairs:
        yield view.all_of(right, "neighbours are the planned ones")


def swaps(view: View) -> Findings:
    """No two cables are exchanged; two that are make one result."""
    if not view.lldp:
        return  # the check of neighbours says so
    for one, other in _exchanged(view):
        ports, peers = (one["port"], other["port"]), [text_of(one), text_of(other)]
        stated = view.ctx.fabric.description.uplinks and one["kind"] != "host"
        where = "correct their rows in uplinks" if stated else "list the ports in swapped_ports"
        says = f"{_what(one, other)} exchanged at {' and '.join(ports)}: exchange the cables, or {where}."
        yield failed(says, ",".join(ports), peers, peers[::-1])
    right = [row for row in cabled(view) if PLANNED in _heard(view, row).values()]
    yield view.all_of(right, "cables are where they belong")


def unproven(view: View) -> list[str]:
    """Return the host ports of which LLDP proves neither the planned cable nor another one."""
    rows = [row for row in cabled(view) if row["kind"] == HOST]
    return [r["port"] for r in rows if not {PLANNED, OTHER}.intersection(_heard(view, r).values())]


def _heard(view: View, row: Row) -> dict[Neighbour, str]:
    """Return the verdict on each neighbour at a port."""
    found = [Neighbour(*one) for one in view.lldp.get(row["port"], ())]
    return {one: judge(view, row, one) for one in found}


def _exchanged(view: View) -> list[tuple[Row, Row]]:
    """Pairs of ports of which each hears what the other should, and nothing else."""
    heard = {row["port"]: (row, _heard(view, row)) for row in cabled(view)}
    alone = [(r, next(iter(found))) for r, found in heard.values() if [*found.values()] == [OTHER]]
    return [
        (one, other)
        for (one, at_one), (other, at_other) in itertools.combinations(alone, 2)
        if judge(view, one, at_other) == judge(view, other, at_one) == PLANNED
    ]


def _finding(view: View, row: Row) -> Finding | None:
    """The finding of a port; None where the planned neighbour alone is heard."""
    heard, port, planned = _heard(view, row), row["port"], text_of(row)
    words = [" ".join(filter(None, one[:2])) for one in heard]
    if PLANNED in heard.values():
        return _beside(view, row, heard)
    begin = f"{port}: planned is {planned}, "
    if not heard:
        return _silent(view, row, begin)
    states = {*heard.values()}
    if states == {OTHER}:
        where = _belongs(view, next(iter(heard)))
        says = f"{begin}{words[0]} is heard{where}: correct the cable."
        return failed(says, port, planned, ", ".join(words))
    what = f"{begin}{' and '.join(words)} {'are' if len(words) > 1 else 'is'} heard"
    if states == {UNPROVEN}:
        return not_realised(
            f"{what}, which proves neither this cable nor another one.", port, planned, words
        )
    return failed(f"{what}, and not the plan's name: find out what that is.", port, planned, words)


def _silent(view: View, row: Row, begin: str) -> Finding:
    port, planned = row["port"], text_of(row)
    if view.young:
        return not_realised(f"{begin}nothing is heard, and {view.young}", port, planned)
    if view.resolved.get(port):
        why = "nothing is heard, and a MAC address is resolved there, which pair.cable compares"
        return not_realised(f"{begin}{why} with those of the host.", port, planned)
    return failed(
        f"{begin}nothing is heard: check the cable, and LLDP at the other end.", port, planned
    )


def _beside(view: View, row: Row, heard: dict[Neighbour, str]) -> Finding | None:
    """More than one neighbour at a port: one that has a name of the plan is a lie, or a cable too many."""
    fabric, port, planned = view.ctx.fabric, row["port"], text_of(row)
    own = fabric.device(row["peer"]["device"])
    others = {
        one: state
        for one, state in heard.items()
        if state != PLANNED and not (state == UNPROVEN and fabric.called(one.system) == [own])
    }
    if not others:
        return None
    found = [" ".join(filter(None, one[:2])) for one in others]
    what = f"{port}: beside {planned}, {', '.join(found)} is heard"
    if named := next((one for one, state in others.items() if state == OTHER), None):
        remedy = f"find out what calls itself {named.system} at this cable."
        return failed(f"{what}, which the plan has elsewhere: {remedy}", port, planned, found)
    says = f"{what}, so that the neighbour is not proven: switch LLDP off in what announces it."
    return not_realised(says, port, planned, found)


def _what(one: Row, other: Row) -> str:
    if "rail" in one and "rail" in other:
        if one["rail"] == other["rail"]:
            first, second = one["slot"] + 1, other["slot"] + 1
            return f"rail {one['rail'] + 1}: nodes {first} and {second} of SU {one['su'] + 1} are"
        if one["slot"] == other["slot"]:
            rails = f"rails {one['rail'] + 1} and {other['rail'] + 1}"
            return f"node {one['slot'] + 1} of SU {one['su'] + 1}: {rails} are"
    return f"the links to {text_of(one)} and {text_of(other)} are"


def text_of(row: Row) -> str:
    """The planned other end of a cable."""
    return f"{row['peer']['device']} {row['peer']['port']}"


def _belongs(view: View, found: Neighbour) -> str:
    """Name the port where the plan has the cable, if the plan knows its other end."""
    fabric = view.ctx.fabric
    device = next(iter(fabric.called(found.system)), None)
    port = _port(view, device, found) if device else ""
    end = fabric.peer(device, port) if device and port else None
    if device is None or end is None:
        return ""
    name = fabric.name(end[0])
    if name == view.subject.device:
        return f", which belongs to {end[1]}"
    nic = fabric.port(device, port)
    if isinstance(device, Node) and isinstance(nic, NicPort):
        return f", which is rail {nic.rail + 1} of node {device.slot + 1} and belongs to {name} {end[1]}"
    return f", which belongs to {name} {end[1]}"
