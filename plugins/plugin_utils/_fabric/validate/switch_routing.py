# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP and EVPN sessions of a switch: the planned ones, and no others."""

from __future__ import annotations

import typing as t

from ..._nvue.shapes import below

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..switch.context import Row
    from .results import Result
    from .switch_view import View


def sessions(view: View) -> Iterator[Result]:
    """Planned sessions are Established, carry EVPN where planned, and are the only ones."""
    numbered = view.ctx.description.addressing.inter_switch != "unnumbered"
    planned = {
        row["peer_address" if numbered else "port"]: row
        for row in view.ctx.fabric_ports
        if row["present"]
    }
    if not view.neighbors and planned:
        yield view.subject.failed("switch.bgp.session", "No BGP session exists at all.")
        return
    used = {key: row for key, row in planned.items() if view.in_use(row)}
    down = [_session(view, key, row) for key, row in used.items() if not _up(view, key)]
    yield from view.judged("switch.bgp.session", down, len(used), "sessions are Established")
    peers: dict[str, Row] = {}
    if view.ctx.description.routing.evpn == "loopbacks":
        peers = {row["peer"]["loopback"]: row for row in view.ctx.evpn_peers}
        evpn = {key: row for key, row in peers.items() if view.in_use(row)}
    else:
        evpn = {key: row for key, row in used.items() if row["port"] in view.ctx.evpn_ports}
    wrong = [_no_evpn(view, key, row) for key, row in evpn.items() if not _speaks_evpn(view, key)]
    yield from view.judged("switch.evpn.session", wrong, len(evpn), "sessions carry EVPN")
    strange = [_strange(view, key) for key in view.neighbors if key not in {*planned, *peers}]
    count, what = len(view.neighbors), "sessions exist, all of them planned"
    yield from view.judged("switch.bgp.unexpected", strange, count, what)


def _state(view: View, key: str) -> str:
    body = view.neighbors.get(key)
    return str(body.get("state", "unknown")) if isinstance(body, dict) else "missing"


def _up(view: View, key: str) -> bool:
    return _state(view, key).lower() == "established"


def _session(view: View, key: str, row: Row) -> Result:
    peer, state = row["peer"], _state(view, key)
    return view.subject.failed(
        "switch.bgp.session",
        f"The session on {row['port']} with {peer['device']} {peer['port']} (AS {peer['asn']}) is "
        f"{state}: check the cable and {peer['device']}.",
        port=row["port"],
        expected="established",
        found=state,
    )


def _strange(view: View, key: str) -> Result:
    return view.subject.failed(
        "switch.bgp.unexpected",
        f"A session with {key} exists ({_state(view, key)}) that no plan has: remove it, or list its "
        "place in unmanaged and waive this check.",
        port=key if key.startswith("swp") else None,
        found=key,
    )


def _speaks_evpn(view: View, key: str) -> bool:
    body = view.neighbors.get(key)
    families = below(body, "address-family") if isinstance(body, dict) else {}
    return _up(view, key) and "l2vpn-evpn" in families


def _no_evpn(view: View, key: str, row: Row) -> Result:
    return view.subject.failed(
        "switch.evpn.session",
        f"EVPN does not run on {row['port']} with {row['peer']['device']}: the session is "
        f"{_state(view, key)}.",
        port=row["port"],
        expected="l2vpn-evpn",
        found=_state(view, key),
    )
