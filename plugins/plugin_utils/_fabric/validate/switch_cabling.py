# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links and neighbours of a switch against the plan, and what an exchange of cables looks like."""

from __future__ import annotations

import itertools
import typing as t

from ..._nvue.shapes import below
from ..topology.cabling import NicPort, Node

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..switch.context import Row
    from .results import Result
    from .switch_view import View

Place = tuple[str, str]


def links(view: View) -> Iterator[Result]:
    """Every port in use is up; one that its configuration shuts is not looked at."""
    if not view.interfaces:
        yield view.not_realised("switch.link.state", "state of its ports")
        return
    used = [row for row in view.ctx.ports if view.in_use(row) and not _shut(view, row["port"])]
    down = [_down(view, row) for row in used if _oper(view, row["port"]) != "up"]
    yield from view.judged("switch.link.state", down, len(used), "ports are up")


def _shut(view: View, port: str) -> bool:
    state = below(view.applied, "interface", port, "link").get("state") or {}
    return isinstance(state, str | dict) and "down" in state


def _oper(view: View, port: str) -> str:
    link = below(view.interfaces.get(port, {}), "link")
    state = link.get("oper-status") or link.get("state")
    return str(
        next(iter(state), "unknown") if isinstance(state, dict) else state or "missing"
    ).lower()


def _down(view: View, row: Row) -> Result:
    peer, found = row["peer"], _oper(view, row["port"])
    return view.subject.failed(
        "switch.link.state",
        f"{row['port']} to {peer['device']} {peer['port']} is {found}: check the cable, its modules "
        f"and {peer['device']}.",
        port=row["port"],
        expected="up",
        found=found,
    )


# Neighbours


def neighbours(view: View) -> Iterator[Result]:
    """What LLDP hears against the plan; two exchanged cables are one result, not two."""
    used = [row for row in view.ctx.ports if view.in_use(row) and not _shut(view, row["port"])]
    heard = {row["port"]: _closest(view, row) for row in used}
    wrong = [row for row in used if not _is(view, row, heard[row["port"]])]
    # Pairs of ports of which each hears what the other should.
    pairs = [
        (one, other)
        for one, other in itertools.combinations(wrong, 2)
        if _is(view, one, heard[other["port"]]) and _is(view, other, heard[one["port"]])
    ]
    swapped = {row["port"] for pair in pairs for row in pair}
    single = [
        _neighbour(view, row, heard[row["port"]]) for row in wrong if row["port"] not in swapped
    ]
    good = len(used) - len(wrong)
    if single or not pairs:
        what = "neighbours are the planned ones"
        yield from view.judged("switch.lldp.neighbour", single, good, what)
    swaps = [_swap(view, *pair) for pair in pairs]
    yield from view.judged("switch.lldp.swap", swaps, good, "cables stand where they belong")


def _closest(view: View, row: Row) -> Place | None:
    """Of several neighbours at a port the planned one, else the first."""
    found: Sequence[Place] = view.lldp.get(row["port"], ())
    return next((place for place in found if _is(view, row, place)), found[0] if found else None)


def _is(view: View, row: Row, place: Place | None) -> bool:
    if place is None:
        return False
    system, port = place
    return same_system(system, row["peer"]["device"]) and _same_port(view, row, port)


def same_system(heard: str, planned: str) -> bool:
    """Host names are equal, with or without a domain."""
    return heard.lower() == planned.lower() or heard.lower().startswith(f"{planned.lower()}.")


def _same_port(view: View, row: Row, port: str) -> bool:
    """Ports of switches must be equal; a host may call its NIC by a name that the plan lacks."""
    if port == row["peer"]["port"]:
        return True
    return row["kind"] == "host" and view.ctx.fabric.names.nic_port(port) is None


def _swap(view: View, one: Row, other: Row) -> Result:
    ports = f"{one['port']} and {other['port']}"
    return view.subject.failed(
        "switch.lldp.swap",
        f"{_what(view, one, other)} exchanged at {ports}: exchange the cables, or list the ports in "
        "swapped_ports.",
        port=f"{one['port']},{other['port']}",
        expected=[_text(one), _text(other)],
        found=[_text(other), _text(one)],
    )


def _what(view: View, one: Row, other: Row) -> str:
    if one["kind"] == other["kind"] == "host":
        if one["rail"] == other["rail"]:
            first, second = one["slot"] + 1, other["slot"] + 1
            return f"rail {one['rail'] + 1}: nodes {first} and {second} of SU {one['su'] + 1} are"
        if one["slot"] == other["slot"]:
            rails = f"rails {one['rail'] + 1} and {other['rail'] + 1}"
            return f"node {one['slot'] + 1} of SU {one['su'] + 1}: {rails} are"
    return f"the links to {_text(one)} and {_text(other)} are"


def _text(row: Row) -> str:
    return f"{row['peer']['device']} {row['peer']['port']}"


def _neighbour(view: View, row: Row, place: Place | None) -> Result:
    found = " ".join(place) if place else None
    why = f"{found} is heard{_belongs(view, place)}" if place else "nothing is heard"
    remedy = "correct the cable" if place else "check the cable, and LLDP at the other end"
    return view.subject.failed(
        "switch.lldp.neighbour",
        f"{row['port']}: planned is {_text(row)}, {why}: {remedy}.",
        port=row["port"],
        expected=_text(row),
        found=found,
    )


def _belongs(view: View, place: Place | None) -> str:
    """Where the plan wants the cable that was found, if it knows its other end."""
    fabric = view.ctx.fabric
    system, port = place or ("", "")
    device = fabric.device(system) or fabric.device(system.partition(".")[0])
    end = fabric.peer(device, port) if device else None
    if device is None or end is None:
        return ""
    name = fabric.name(end[0])
    if name == view.subject.device:
        return f", which belongs to {end[1]}"
    nic = fabric.port(device, port)
    if isinstance(device, Node) and isinstance(nic, NicPort):
        return f", which is rail {nic.rail + 1} of node {device.slot + 1} and belongs to {name} {end[1]}"
    return f", which belongs to {name} {end[1]}"
