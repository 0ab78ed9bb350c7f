# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a switch reports of itself: BGP and EVPN sessions, errors, bit error rates, deadlocks, RoCE."""

from __future__ import annotations

import typing as t

from ..._nvue.shapes import below
from ..catalog.data import table
from .results import failed, passed

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from ..switch.context import Row
    from .results import Findings
    from .switch_view import View

_COUNTERS = ("in-errors", "out-errors", "carrier-transitions")


# Sessions: the planned ones, and no others


def sessions(view: View) -> Findings:
    """Planned sessions are Established."""
    if _nothing_runs(view):
        yield failed("No BGP session exists at all.")
        return
    used = _in_use(view, _planned(view))
    for key, row in used.items():
        peer, state = row["peer"], _state(view, key)
        if state.lower() != "established":
            says = (
                f"The session on {row['port']} with {peer['device']} {peer['port']} (AS {peer['asn']}) "
                f"is {state}: check the cable and {peer['device']}."
            )
            yield failed(says, row["port"], "established", state)
    yield view.all_of(used, "sessions are Established")


def evpn(view: View) -> Findings:
    """Sessions carry EVPN where planned."""
    if _nothing_runs(view):
        return  # the check of sessions fails
    used = _in_use(view, _carrying_evpn(view))
    for key, row in used.items():
        state, families = _state(view, key), below(view.neighbors.get(key, {}), "address-family")
        if state.lower() != "established" or "l2vpn-evpn" not in families:
            where = f"{row['port']} with {row['peer']['device']}"
            says = f"EVPN does not run on {where}: the session is {state}."
            yield failed(says, row["port"], "l2vpn-evpn", state)
    yield view.all_of(used, "sessions carry EVPN")


def unexpected(view: View) -> Findings:
    """There is no session beside the planned ones."""
    if _nothing_runs(view):
        return  # the check of sessions fails
    for key in sorted({*view.neighbors} - {*_planned(view), *_carrying_evpn(view)}):
        says = (
            f"A session with {key} exists ({_state(view, key)}) that no plan has: remove it, or list "
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
    body = view.neighbors.get(key)
    return "missing" if body is None else str(body.get("state", "unknown"))


# Counters, and the state of RoCE


def errors(view: View) -> Findings:
    """Error counters are below their limits."""
    seen, limits = view.reported("link", "stats"), table("limits_switch")
    for port, body in seen.items():
        for name in _COUNTERS:
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
        says = f"RoCE is {mode}, planned is {planned}: run playbook switches."
        yield failed(says, expected=planned, found=mode)


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None
