# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants' part of a converged leaf: VRFs, VLANs, routed ports, sessions to the outside, access lists.

Every port of a node is in exactly one VRF or down. A VRF exports what is local as type 5; on a border leaf
with sessions only what a route-map lets through. No default is originated here: the route-map passes on the one
that a peer announced.
"""

from __future__ import annotations

import typing as t

from ...._nvue.document.treeedit import lay
from ...description.errors import FabricError
from ...plan.topology.cabling import HOST
from ...tenants import capacity, nets
from . import converged, converged_acl, converged_external, converged_leaks, converged_segments

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from .....module_utils._json import Doc
    from ...tenants.vrfs import Routed, Vrf
    from .context import Context

HOUSE = ("quarantine", "rest")


def tenants(ctx: Context) -> Doc | None:
    """The tenants' part of a converged leaf; None on spines, and where the registry was not asked."""
    if ctx.role not in converged.LEAVES or ctx.networks is None:
        return None
    rows = ctx.networks
    _apart(ctx, rows)
    made: Doc = {}
    parts: tuple[Doc, ...] = (
        converged_segments.segments(ctx, rows),
        converged_external.external(ctx, rows),
        converged_acl.gateways(ctx, rows),
        _ports(ctx, rows),
        {"vrf": {row["vrf"]: _vrf(ctx, row) for row in rows}},
        _policy(ctx, rows),
        {"system": {"global": {"reserved": {"vlan": {"l3-vni-vlan": _reserved(ctx)}}}}},
    )
    for part in parts:
        lay(made, part)
    return _full(made)


def _apart(ctx: Context, rows: Iterable[Vrf]) -> None:
    """Refuse a VLAN, or an interface to the outside, that two VRFs would have."""
    taken: dict[str, str] = {}
    for row in rows:
        names = [f"VLAN {row['l3vlan']}", *(f"VLAN {s['vlan']}" for s in row["segments"])]
        names += {nets.interface(s["port"], s["vlan"]): "" for s in row["sessions"]}
        for name in names:
            other = taken.setdefault(name, row["vrf"])
            if other != row["vrf"] or names.count(name) > 1:
                raise FabricError.of(
                    f"{ctx.slice['name']}: the VRFs {other} and {row['vrf']} would share {name}: state other VLANs in "
                    "tenants.yml, or raise vrfs_per_leaf if there are not enough for L3VNIs."
                )


def _full(doc: Doc) -> Doc:
    """A document without the mappings at its top that nothing is in."""
    return {key: value for key, value in doc.items() if value}


def _reserved(ctx: Context) -> Doc:
    """The VLANs that the switch keeps for L3VNIs, as on the leaves of the east-west fabric."""
    stated = ctx.tenants.file.vrfs_per_leaf if ctx.tenants else None
    begin, end = capacity.vlan_range(ctx.fabric, stated)
    return {"begin": begin, "end": end}


# Ports


def _ports(ctx: Context, rows: Iterable[Vrf]) -> Doc:
    """Whether ports of nodes and arrays are up, addresses of routed ones, and lists in quarantine and rest."""
    interfaces: Doc = {}
    acls: Doc = {}
    up: set[str] = set()
    for row in rows:
        for routed in row["routed"]:
            up |= {routed["port"]} if routed["up"] else set()
            lists = _house_of_port(row, routed)
            acls.update(lists)
            lay(interfaces, {routed["port"]: _routed(row, routed) | _bound(lists)})
        for segment in row["segments"]:
            up |= {port["bond"] for port in segment["ports"] if port["up"]}
            if segment["isolated"]:
                lists = converged_acl.house(row, segment=segment)
                acls.update(lists)
                for port in segment["ports"]:
                    lay(interfaces, {port["bond"]: _bound(lists)})
    lay(interfaces, _states(ctx, up))
    return {"interface": interfaces, "acl": acls}


def _states(ctx: Context, up: set[str]) -> Doc:
    """A port is up where it is in service and it, or its bond, is in use; one to the outside also before."""
    made: Doc = {}
    for row in converged.ports(ctx, HOST, converged.ARRAY, converged.EXTERNAL):
        used = row["kind"] == converged.EXTERNAL or row.get("bond", row["port"]) in up
        state = "up" if used and converged.in_service(ctx, row) else "down"
        made[row["port"]] = {"link": {"state": {state: {}}}}
    return made


def _routed(row: Vrf, routed: Routed) -> Doc:
    version = converged.family(routed["address"])
    addressed: Doc = {"address": {f"{routed['address']}/{routed['length']}": {}}}
    if version == "ipv6":
        addressed["neighbor-discovery"] = {"router-advertisement": {"state": "disabled"}}
    return {"vrf": row["vrf"], version: addressed}


def _house_of_port(row: Vrf, routed: Routed) -> Doc:
    if row["kind"] not in HOUSE:
        return {}
    lists = converged_acl.house(row, gateway=routed["address"])
    return {f"{name}-{routed['port']}": body for name, body in lists.items()}


def _bound(lists: Iterable[str]) -> Doc:
    bound: Doc = {name: {"inbound": {}} for name in lists}
    return {"acl": bound} if bound else {}


# VRFs


def _vrf(ctx: Context, row: Vrf) -> Doc:
    bgp: Doc = {
        "state": "enabled",
        "rd": row["rd"],
        "path-selection": {"multipath": {"aspath-ignore": "enabled"}},
        "address-family": {
            f"ipv{row['version']}-unicast": _family(ctx, row),
            "l2vpn-evpn": {"state": "enabled"},
        },
        "route-export": {"to-evpn": {"route-target": {target: {} for target in row["exports"]}}},
        "route-import": {"from-evpn": {"route-target": {target: {} for target in row["imports"]}}},
    }
    if row["sessions"]:
        bgp["neighbor"] = converged_external.neighbors(ctx, row)
    evpn: Doc = {"state": "enabled", "vni": {str(row["l3vni"]): {}}, "vlan": row["l3vlan"]}
    return {"evpn": evpn, "router": {"bgp": bgp}}


def _family(ctx: Context, row: Vrf) -> Doc:
    export: Doc = {"state": "enabled"}
    made: Doc = {
        "state": "enabled",
        "redistribute": {"connected": {"state": "enabled"}},
        "route-export": {"to-evpn": export},
    }
    if row["sessions"]:
        export["route-map"] = converged_external.export_map(row)
    elif row["leaks"] and not converged_leaks.skips(ctx):
        export["route-map"] = converged_leaks.export_map(row)
    if row["leaks"]:
        made["route-import"] = converged_leaks.route_import(row)
        if converged_leaks.skips(ctx):
            export["skip-evpn-imported"] = "enabled"
    return made


def _policy(ctx: Context, rows: list[Vrf]) -> Doc:
    made: Doc = {}
    for row in rows:
        if row["sessions"]:
            lay(made, converged_external.export_policy(row))
    lay(made, converged_leaks.policy(ctx, rows))
    return {"router": {"policy": made}} if made else {}
