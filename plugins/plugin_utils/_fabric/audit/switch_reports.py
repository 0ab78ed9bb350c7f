# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of a switch's own reports: sessions, links, neighbours, counters, RoCE."""

from __future__ import annotations

import typing as t

from ..._nvue.document.shapes import below
from ..._nvue.wire.operational import state_of
from ..._nvue.wire.sessions import ESTABLISHED
from ..catalog.data import table
from ..plan.topology.oob import ACCESS
from .results import failed, not_realised, not_run, passed, some
from .switch_neighbours import text_of, used_ports

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from ..plan.slices import Peer
    from ..render.switch.context import Row
    from .results import Finding, Findings
    from .switch_view import View

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
                f"The session on {row['port']} with {peer['device']} {peer['port']} ({_as(peer)}) "
                f"is {state}: check the cable and {peer['device']}."
            )
            yield failed(says, row["port"], "established", state)
    yield from _all_known(view, silent, "state") or [view.all_of(used, "sessions are Established")]


def _as(peer: Peer) -> str:
    """The AS of a neighbour; that of the site's own switches is not planned."""
    return f"AS {peer['asn']}" if "asn" in peer else "any AS"


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
    ctx = view.ctx
    if ctx.oob:  # its sessions are unnumbered, also those with the site's own switches
        return {row["port"]: row for row in ctx.ports if row["kind"] != ACCESS and row["present"]}
    numbered = ctx.description.addressing.inter_switch != "unnumbered"
    return {
        row["peer_address" if numbered else "port"]: row
        for row in ctx.fabric_ports
        if row["present"]
    }


def _carrying_evpn(view: View) -> dict[str, Row]:
    if view.ctx.description.routing.evpn == "loopbacks" and not view.ctx.oob:
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
    used = used_ports(view)
    for row in used:
        port = row["port"]
        found = state_of(below(view.interfaces, port))
        if not found:
            what = f"{view.subject.device} reports no state of {port} to {text_of(row)}"
            yield not_run(f"{what}: nothing is known of it.", port, "up")
        elif found != "up" and view.young:
            yield not_realised(
                f"{port} to {text_of(row)} is {found}, and {view.young}", port, "up", found
            )
        elif found != "up":
            remedy = f"check the cable, its modules and {row['peer']['device']}."
            yield failed(f"{port} to {text_of(row)} is {found}: {remedy}", port, "up", found)
    if all(state_of(below(view.interfaces, row["port"])) for row in used):
        yield view.all_of(used, "ports are up")


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
