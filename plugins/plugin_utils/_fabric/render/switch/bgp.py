# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`router/bgp` and `vrf/default/router/bgp`: one eBGP session on every cable between switches.

Every session names the AS number that the plan has at the other end, so a cable between wrong
planes, pods or tiers brings no session up. EVPN rides on one session for each of a few neighbours,
or between loopbacks where the description says so.
"""

from __future__ import annotations

import typing as t

from ...catalog import upgrades
from ...catalog.data import table
from ...catalog.roles import ROLES
from . import converged
from .policy import LOOPBACKS, weight_of

if t.TYPE_CHECKING:
    from .....module_utils._json import Doc
    from .context import Context, Row

GROUPS = {"up": "spx-up", "down": "spx-down"}
OVERLAY = "spx-overlay"
# Multipaths never go below what NVUE has by default.
_DEFAULT_MULTIPATHS = 64


class Bfd(t.TypedDict):
    """The timers of BFD on links and between loopbacks; None where there is none."""

    links: Doc | None
    loopbacks: Doc | None


class Restart(t.TypedDict):
    """A profile of the catalog: what graceful restart is, and how a loss is noticed."""

    graceful_restart: Doc
    bfd: Bfd


def bgp(ctx: Context) -> Doc | None:
    """The whole of BGP in the default VRF."""
    profile = restart_profile(ctx)
    router: Doc = {
        "bgp": {
            "state": "enabled",
            "autonomous-system": ctx.slice["asn"],
            "router-id": ctx.slice["router_id"],
            "graceful-restart": dict(profile["graceful_restart"]),
        }
    }
    bfd = profile["bfd"]
    rows = (("spx-links", bfd["links"]), ("spx-loopbacks", bfd["loopbacks"]))
    timers = {name: row for name, row in rows if row}
    if timers:
        router["bfd"] = {"state": "enabled", "profile": timers}
    elif ctx.role in converged.TO_OUTSIDE:
        # Before the first peer asks for it: turning BFD on restarts FRR, and resets everybody's sessions.
        router["bfd"] = {"state": "enabled"}
    return {"router": router, "vrf": {"default": {"router": {"bgp": _default_vrf(ctx, profile)}}}}


def forwarding(ctx: Context) -> Doc | None:
    """The resource mode that a restart in service needs; a change of it restarts switchd."""
    d = ctx.description
    mode = upgrades.resource_mode(d.routing.restart, d.releases)
    if mode is None:
        return None
    word = mode.leaves if ROLES[ctx.role].vtep else mode.others
    return {"system": {"forwarding": {"resource-mode": word}}}


def restart_profile(ctx: Context) -> Restart:
    """The graceful-restart and BFD profile that the description names."""
    found: Restart = table("restart_profiles")[ctx.description.routing.restart]
    return found


def _default_vrf(ctx: Context, profile: Restart) -> Doc:
    families: Doc = {
        "ipv4-unicast": {
            "state": "enabled",
            "redistribute": {"connected": {"state": "enabled", "route-map": LOOPBACKS}},
            "multipaths": {"ebgp": multipaths(ctx)},
        }
    }
    if ctx.evpn:
        families["l2vpn-evpn"] = {"state": "enabled"}
    return {
        "state": "enabled",
        "path-selection": {"multipath": {"aspath-ignore": "enabled"}},
        "address-family": families,
        "peer-group": _groups(ctx, profile),
        "neighbor": _neighbors(ctx),
    }


def multipaths(ctx: Context) -> int:
    """Equal paths that a route can have here: the widest way up, or the links to one neighbour.

    On the converged fabric no more than there are links.
    """
    c = ctx.fabric.clos
    if ctx.converged:
        return max(len(ctx.fabric_ports), _DEFAULT_MULTIPATHS)
    width = {
        "leaf": c.leaf_up.count,
        "spine": max(c.leaf_links, c.spine_up.count),
        "super_spine": c.spine_links,
    }[ctx.role]
    return max(width, _DEFAULT_MULTIPATHS)


def _groups(ctx: Context, profile: Restart) -> Doc:
    made: Doc = {}
    for kind in ("up", "down"):
        if any(row["kind"] == kind for row in ctx.fabric_ports):
            made[GROUPS[kind]] = _group(ctx, kind, profile)
    if ctx.evpn and not ctx.evpn_on_links:
        made[OVERLAY] = _overlay_group(ctx, profile)
    return made


def _group(ctx: Context, kind: str, profile: Restart) -> Doc:
    ipv4: Doc = {
        "state": "enabled",
        "policy": {"outbound": {"route-map": weight_of(ctx.role)}},
        "prefix-limits": _limit(ctx, loopbacks_behind(ctx, kind)),
    }
    made: Doc = {"address-family": {"ipv4-unicast": ipv4}}
    if profile["bfd"]["links"]:
        made["bfd"] = {"profile": "spx-links"}
    if ctx.description.addressing.inter_switch == "numbered-127":
        made["capabilities"] = {"extended-nexthop": "enabled"}
    return made


def _overlay_group(ctx: Context, profile: Restart) -> Doc:
    made: Doc = {
        # The own address, not the VXLAN source: a session must not end when a VTEP moves.
        "update-source": ctx.slice["loopback"],
        "multihop-ttl": 2,
        "address-family": {
            "ipv4-unicast": {"state": "disabled"},
            "l2vpn-evpn": {"state": "enabled"},
        },
    }
    if profile["bfd"]["loopbacks"]:
        made["bfd"] = {"profile": "spx-loopbacks"}
    return made


def _neighbors(ctx: Context) -> Doc:
    on_links = ctx.evpn_on_links
    numbered = ctx.description.addressing.inter_switch != "unnumbered"
    made: Doc = {}
    for row in ctx.fabric_ports:
        if row["present"]:
            neighbor = _neighbor(row, GROUPS[row["kind"]], numbered=numbered)
            if ":" in row.get("address", ""):
                # Parallel IPv6 sessions between the same two switches stay idle without it.
                neighbor["update-source"] = row["address"]
            if on_links and row["port"] in ctx.evpn_ports:
                neighbor["address-family"] = _evpn_family()
            made[row["peer_address"] if numbered else row["port"]] = neighbor
    if not on_links:
        for row in ctx.evpn_peers:
            neighbor = _neighbor(row, OVERLAY, numbered=True)
            made[row["peer"]["loopback"]] = {**neighbor, "address-family": _evpn_family()}
    return made


def _neighbor(row: Row, group: str, *, numbered: bool) -> Doc:
    return {
        "type": "numbered" if numbered else "unnumbered",
        "peer-group": group,
        "remote-as": row["peer"]["asn"],
        "description": row["peer"]["device"],
    }


def _evpn_family() -> Doc:
    """EVPN without a prefix limit: FRR has none in this family, and NVUE's is not published."""
    return {"l2vpn-evpn": {"state": "enabled"}}


def loopbacks_behind(ctx: Context, kind: str) -> int:
    """Loopbacks and VTEPs that lie behind a port of this kind, at capacity."""
    if ctx.converged:
        return 2 if ctx.role == converged.SPINE else 2 * converged.switches(ctx)
    c = ctx.fabric.clos
    pod = 2 * c.leaves_per_pod + c.spines
    if kind == "up":
        return pod * c.pods + c.groups * c.members
    return 2 if ctx.role == "spine" else pod


def _limit(ctx: Context, expected: int) -> Doc:
    """A quarter more than the plan can have; a warning unless the description wants the session to end."""
    made: Doc = {"maximum": expected + expected // 4 + 8}
    if ctx.description.routing.prefix_limit == "warning":
        made["warning-only"] = "enabled"
    return {"inbound": made}


def maintenance(ctx: Context) -> Doc | None:
    """Graceful shutdown while the option `maintenance` is true."""
    if not ctx.options.get("maintenance"):
        return None
    return {"router": {"bgp": {"graceful-shutdown": "enabled"}}}
