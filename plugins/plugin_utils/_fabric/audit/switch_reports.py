# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of a switch's own reports: sessions, links, neighbours, counters, RoCE."""

from __future__ import annotations

import itertools
import typing as t

from ..._nvue.document.shapes import below
from ..._nvue.wire.operational import state_of
from ..._nvue.wire.sessions import ESTABLISHED
from ..catalog.data import table
from ..plan.topology.cabling import DOWN, HOST, UP, NicPort, Node
from .results import failed, not_realised, not_run, passed, some

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from ..plan.topology.cabling import Device
    from ..render.switch.context import Row
    from .results import Finding, Findings
    from .switch_view import View

Place = tuple[str, str]
EVPN = "l2vpn-evpn"
UNKNOWN = "not known"
COUNTERS = ("in-errors", "out-errors", "carrier-transitions")


# Sessions: the planned ones, and no others


def sessions(view: View) -> Findings:
    """Planned sessions are Established."""
    if _nothing_runs(view):
        yield failed("No BGP session exists at all.")
        return
    used = _in_use(view, _planned(view))
    silent = [key for key in used if _state(view, key) == UNKNOWN]
    for key, row in used.items():
        peer, state = row["peer"], _state(view, key)
        if state not in (ESTABLISHED, UNKNOWN):
            says = (
                f"The session on {row['port']} with {peer['device']} {peer['port']} (AS {peer['asn']}) "
                f"is {state}: check the cable and {peer['device']}."
            )
            yield failed(says, row["port"], "established", state)
    yield from _all_known(view, silent, "state") or [view.all_of(used, "sessions are Established")]


def evpn(view: View) -> Findings:
    """Sessions carry EVPN where planned."""
    if _nothing_runs(view):
        return  # the check of sessions fails
    used = _in_use(view, _carrying_evpn(view))
    silent = [key for key in used if _runs_evpn(view, key) is None]
    for key, row in used.items():
        if _runs_evpn(view, key) is False:
            state, where = _state(view, key), f"{row['port']} with {row['peer']['device']}"
            says = f"EVPN does not run on {where}: the session is {state}."
            yield failed(says, row["port"], EVPN, state)
    yield from _all_known(view, silent, EVPN) or [view.all_of(used, "sessions carry EVPN")]


def _runs_evpn(view: View, key: str) -> bool | None:
    """Say if EVPN runs on a session; None where the switch does not report enough of it."""
    peer = view.neighbors.get(key)
    if peer is None or peer.state not in (ESTABLISHED, ""):
        return False
    carries = peer.carries(EVPN)
    return carries if peer.state or carries is False else None


def _all_known(view: View, silent: list[str], what: str) -> list[Finding]:
    """A finding where sessions are reported without something: a summary shows neither good nor bad."""
    if not silent:
        return []
    named = f"{some(silent)}: nothing is known of {'it' if len(silent) == 1 else 'them'}."
    return [not_run(f"{view.subject.device} reports no {what} of the BGP session {named}")]


def unexpected(view: View) -> Findings:
    """Check that there is no session beside the planned ones."""
    if _nothing_runs(view):
        return  # the check of sessions fails
    for key in sorted({*view.neighbors} - {*_planned(view), *_carrying_evpn(view)}):
        says = (
            f"A session with {key} exists ({_state(view, key)}) that is not planned: remove it, or list "
            "its place in unmanaged and waive this check."
        )
        yield failed(says, key if key.startswith("swp") else None, found=key)
    yield view.all_of(view.neighbors, "sessions exist, all of them planned")


def _planned(view: View) -> dict[str, Row]:
    numbered = view.ctx.description.addressing.inter_switch != "unnumbered"
    return {
        row["peer_address" if numbered else "port"]: row
        for row in view.ctx.fabric_ports
        if row["present"]
    }


def _carrying_evpn(view: View) -> dict[str, Row]:
    if view.ctx.description.routing.evpn == "loopbacks":
        return {row["peer"]["loopback"]: row for row in view.ctx.evpn_peers}
    return {key: row for key, row in _planned(view).items() if row["port"] in view.ctx.evpn_ports}


def _in_use(view: View, rows: dict[str, Row]) -> dict[str, Row]:
    return {key: row for key, row in rows.items() if view.in_use(row)}


def _nothing_runs(view: View) -> bool:
    return not view.neighbors and bool(_planned(view))


def _state(view: View, key: str) -> str:
    peer = view.neighbors.get(key)
    return "missing" if peer is None else peer.text or UNKNOWN


# Links


def links(view: View) -> Findings:
    """Every port in use is up."""
    if not view.interfaces:
        yield view.unreported("state of its ports")
        return
    used = _used(view)
    for row in used:
        port = row["port"]
        found = state_of(below(view.interfaces, port))
        if not found:
            what = f"{view.subject.device} reports no state of {port} to {_text(row)}"
            yield not_run(f"{what}: nothing is known of it.", port, "up")
        elif found != "up":
            remedy = f"check the cable, its modules and {row['peer']['device']}."
            yield failed(f"{port} to {_text(row)} is {found}: {remedy}", port, "up", found)
    if all(state_of(below(view.interfaces, row["port"])) for row in used):
        yield view.all_of(used, "ports are up")


def _used(view: View) -> list[Row]:
    """Ports in use; one that its configuration shuts is not looked at."""
    return [row for row in view.ctx.ports if view.in_use(row) and not _shut(view, row["port"])]


def _cabled(view: View) -> list[Row]:
    """Ports in use whose other end is of the fabric; an array or a provider calls itself what it likes."""
    return [row for row in _used(view) if row["kind"] in (HOST, UP, DOWN)]


def _shut(view: View, port: str) -> bool:
    state = below(view.applied, "interface", port, "link").get("state") or {}
    return isinstance(state, str | dict) and "down" in state


# Neighbours by LLDP, and what an exchange of cables looks like


def neighbours(view: View) -> Findings:
    """Every neighbour that LLDP hears is what the plan says; exchanged cables are left to `swaps`."""
    if not view.lldp:
        yield view.unreported("LLDP neighbours")
        return
    wrong = _wrong(view)
    pairs = _exchanged(view, wrong)
    swapped = {row["port"] for pair in pairs for row in pair}
    for row, place in wrong:
        if row["port"] not in swapped:
            yield _neighbour(view, row, place)
    right = {row["port"]: row for row in _right(view)}
    beside = {row["port"]: _beside(view, row) for row in right.values()}
    for port in (port for port, others in beside.items() if others):
        yield _several(view, right[port], beside[port])
    if not pairs:
        alone = [port for port, others in beside.items() if not others]
        yield view.all_of(alone, "neighbours are the planned ones")


def swaps(view: View) -> Findings:
    """No two cables are exchanged; two that are make one result."""
    if not view.lldp:
        return  # the check of neighbours says so
    for one, other in _exchanged(view, _wrong(view)):
        ports, peers = (one["port"], other["port"]), [_text(one), _text(other)]
        stated = view.ctx.fabric.description.uplinks and one["kind"] != "host"
        where = "correct their rows in uplinks" if stated else "list the ports in swapped_ports"
        says = f"{_what(one, other)} exchanged at {' and '.join(ports)}: exchange the cables, or {where}."
        yield failed(says, ",".join(ports), peers, peers[::-1])
    yield view.all_of(_right(view), "cables are where they belong")


def _wrong(view: View) -> list[tuple[Row, Place | None]]:
    """Ports in use at which the planned neighbour is not heard, with what is heard there."""
    heard = [(row, _closest(view, row)) for row in _cabled(view)]
    return [(row, place) for row, place in heard if not _is(view, row, place)]


def _right(view: View) -> list[Row]:
    """Ports in use at which the planned neighbour is heard, maybe beside others."""
    return [row for row in _cabled(view) if _is(view, row, _closest(view, row))]


def _beside(view: View, row: Row) -> list[Place]:
    """Return what is heard at a port beside its planned neighbour."""
    return [place for place in view.lldp.get(row["port"], ()) if not _is(view, row, place)]


def _exchanged(view: View, wrong: list[tuple[Row, Place | None]]) -> list[tuple[Row, Row]]:
    """Pairs of ports of which each hears what the other should."""
    return [
        (one, other)
        for (one, at_one), (other, at_other) in itertools.combinations(wrong, 2)
        if _is(view, one, at_other) and _is(view, other, at_one)
    ]


def _closest(view: View, row: Row) -> Place | None:
    """Choose the planned one of several neighbours at a port, else the first."""
    found: t.Sequence[Place] = view.lldp.get(row["port"], ())
    return next((place for place in found if _is(view, row, place)), found[0] if found else None)


def _is(view: View, row: Row, place: Place | None) -> bool:
    """Check whether a neighbour is the planned one.

    Host names are equal, with or without a domain. Ports of switches must be equal; a host may call
    its NIC by a name that the plan lacks.
    """
    if place is None:
        return False
    system, port, peer = place[0].lower(), place[1], row["peer"]
    same = system == peer["device"].lower() or system.startswith(f"{peer['device'].lower()}.")
    names = view.ctx.fabric.names
    planned = names.nic_port(port) or names.net_port(port)
    own_name = row["kind"] == "host" and planned is None
    return same and (port == peer["port"] or own_name)


def _what(one: Row, other: Row) -> str:
    if "rail" in one and "rail" in other:
        if one["rail"] == other["rail"]:
            first, second = one["slot"] + 1, other["slot"] + 1
            return f"rail {one['rail'] + 1}: nodes {first} and {second} of SU {one['su'] + 1} are"
        if one["slot"] == other["slot"]:
            rails = f"rails {one['rail'] + 1} and {other['rail'] + 1}"
            return f"node {one['slot'] + 1} of SU {one['su'] + 1}: {rails} are"
    return f"the links to {_text(one)} and {_text(other)} are"


def _text(row: Row) -> str:
    return f"{row['peer']['device']} {row['peer']['port']}"


def _neighbour(view: View, row: Row, place: Place | None) -> Finding:
    found = " ".join(place) if place else None
    why = f"{found} is heard{_belongs(view, place)}" if place else "nothing is heard"
    remedy = "correct the cable" if place else "check the cable, and LLDP at the other end"
    sentence = f"{row['port']}: planned is {_text(row)}, {why}: {remedy}."
    return failed(sentence, port=row["port"], expected=_text(row), found=found)


def _several(view: View, row: Row, others: list[Place]) -> Finding:
    """More than one neighbour at a port: one that has a name of the plan is a lie, or a cable too many."""
    port, found = row["port"], ", ".join(map(" ".join, others))
    heard = f"{port}: beside {_text(row)}, {found} is heard"
    if named := next((place for place in others if _elsewhere(view, row, place)), None):
        remedy = f"find out what calls itself {named[0]} at this cable."
        return failed(f"{heard}, which the plan has elsewhere: {remedy}", port, _text(row), found)
    says = f"{heard}, so that the neighbour is not proven: switch LLDP off in what announces it."
    return not_realised(says, port, _text(row), found)


def _elsewhere(view: View, row: Row, place: Place) -> bool:
    """Return whether a neighbour has the name of another planned device, or of another planned port of the same one."""
    fabric, device = view.ctx.fabric, _bearer(view, place)
    if device is None:
        return False
    return fabric.name(device) != row["peer"]["device"] or fabric.peer(device, place[1]) is not None


def _bearer(view: View, place: Place) -> Device | None:
    """The planned device whose name a neighbour has, with or without a domain, in any case of its letters."""
    fabric, name = view.ctx.fabric, place[0].lower()
    own = {row.name.lower(): device for device, row in fabric.rows.items() if row.name}
    spellings = (name, name.partition(".")[0])
    found = (own.get(text) or fabric.device(text) for text in spellings)
    return next((device for device in found if device is not None), None)


def _belongs(view: View, place: Place) -> str:
    """Name the port where the plan has the cable, if the plan knows its other end."""
    fabric, port = view.ctx.fabric, place[1]
    device = _bearer(view, place)
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


# Counters, and the state of RoCE


def errors(view: View) -> Findings:
    """Error counters are below their limits."""
    seen, limits = view.reported("link", "stats"), table("limits_switch")
    for port, body in seen.items():
        for name in COUNTERS:
            found, most = _number(body.get(name)), limits[name]
            if found is not None and found > most:
                remedy = "check cable and modules, then clear the counter."
                says = f"{port}: {name} is {found:.0f}, more than {most}: {remedy}"
                yield failed(says, port, most, found)
    yield view.all_of(seen, "ports are free of errors", "counters of its ports")


def rates(view: View) -> Findings:
    """Bit error rates are below the limit, where the switch reports them."""
    most = float(table("limits_switch")["effective-ber"])
    health = view.reported("link", "phy", "health")
    found = {port: _number(body.get("effective-ber")) for port, body in health.items()}
    known = {port: rate for port, rate in found.items() if rate is not None}
    for port, rate in known.items():
        if rate > most:
            what = f"{port}: the effective bit error rate is {rate:g}, more than {most:g}"
            yield failed(f"{what}: clean or replace the cable.", port, most, rate)
    yield view.all_of(known, "ports are clean", "bit error rates")


def deadlocks(view: View) -> Findings:
    """The PFC watchdog counted no deadlock, whatever traffic class."""
    seen = view.reported("qos", "pfc-watchdog")
    for port, body in seen.items():
        if count := _deadlocked(body):
            remedy = "find the host that pauses without end, then clear the count."
            says = f"{port}: the PFC watchdog has counted {count} deadlocks: {remedy}"
            yield failed(says, port, 0, count)
    yield view.all_of(seen, "ports saw no deadlock", "state of its PFC watchdog")


def _deadlocked(body: Doc) -> int:
    """Deadlocks counted anywhere below; a state of DEADLOCK counts as one."""
    total = int(_number(body.get("deadlock-count")) or 0)
    total += sum(_deadlocked(value) for value in body.values() if isinstance(value, dict))
    return total or int(any(str(value).upper() == "DEADLOCK" for value in body.values()))


def roce(view: View) -> Findings:
    """The mode that the switch reports, which is not the one that it was given."""
    mode, planned = str(view.roce.get("mode") or ""), "lossless"
    if not mode:
        yield view.unreported("state of RoCE")
    elif mode == planned:
        yield passed(f"RoCE is {mode}.", expected=planned, found=mode)
    else:
        says = f"RoCE is {mode}, expected {planned}: run playbook switches."
        yield failed(says, expected=planned, found=mode)


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None
