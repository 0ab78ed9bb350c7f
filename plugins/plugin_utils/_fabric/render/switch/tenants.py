# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants' part of a leaf: VRFs, ports, and what the other networks have besides: VLANs, sessions, gateways.

Every port of a node is in exactly one VRF, its tenant's, `t2-rest` or `t1-quarantine`, or down. A VRF exports what is
local as type 5; east-west quarantine exports nothing, and a border leaf with sessions only what a route-map lets
through. No default is originated here: the route-map passes on the one that a peer announced. Access lists at ports
keep the nodes of quarantine and rest apart. Nothing of this is on spines.
"""

from __future__ import annotations

import typing as t

from ...._nvue.document.tree_edit import lay
from ...description.errors import FabricError
from ...plan.topology.cabling import EAST_WEST, HOST
from ...plan.topology.converged import FRONT_END, LEAVES, STORAGE, WITH_VTEP
from ...tenants import capacity, nets, prefixes
from ...tenants.vrfs import of_leaf
from . import converged, converged_acl, converged_external, converged_leaks, converged_segments

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .....module_utils._json import Doc
    from ...plan.topology.cabling import Node
    from ...tenants.registry import Registry
    from ...tenants.vrfs import RoutedPort, Vrf
    from .context import Context

HOUSE = ("quarantine", "rest")
ACL = converged.LIST


def tenants(ctx: Context) -> Doc | None:
    """The tenants' part of a leaf's document; None on other switches, and where the registry was not asked."""
    rows = _rows(ctx)
    if rows is None:
        return None
    _apart(ctx, rows)
    made: Doc = {}
    for roles, part in _PARTS:
        for key, body in part(ctx, rows).items() if ctx.role in roles else ():
            if key in made:
                lay(made, {key: body})
            else:
                made[key] = body
    return {key: value for key, value in made.items() if value}


def _rows(ctx: Context) -> list[Vrf] | None:
    if ctx.networks is not None or ctx.tenants is None or ctx.role not in WITH_VTEP:
        return ctx.networks if ctx.role in WITH_VTEP else None
    return of_leaf(ctx.fabric, ctx.tenants, ctx.device)


def _apart(ctx: Context, rows: Iterable[Vrf]) -> None:
    """Refuse a VLAN, or an interface to the outside, that two VRFs would have."""
    taken: dict[str, str] = {}
    for row in rows:
        vlans = (row["l3vlan"], *(s["vlan"] for s in row["segments"]))
        names = [f"VLAN {vlan}" for vlan in vlans if vlan]
        names += {nets.interface(s["port"], s["vlan"]): "" for s in row["sessions"]}
        for name in names:
            other = taken.setdefault(name, row["vrf"])
            if other != row["vrf"] or names.count(name) > 1:
                raise FabricError.of(
                    f"{ctx.slice['name']}: the VRFs {other} and {row['vrf']} would share {name}: state other VLANs in "
                    "tenants.yml, or raise vrfs_per_leaf if there are not enough for L3VNIs."
                )


def _reserved(ctx: Context, _rows: Iterable[Vrf]) -> Doc:
    """The VLANs that the switch keeps for L3VNIs."""
    stated = ctx.tenants.file.vrfs_per_leaf if ctx.tenants else None
    begin, end = capacity.vlan_range(ctx.fabric, stated)
    reserved: Doc = {"vlan": {"l3-vni-vlan": {"begin": begin, "end": end}}}
    return {"system": {"global": {"reserved": reserved}}}


# Ports


def _ports(ctx: Context, rows: Iterable[Vrf]) -> Doc:
    """Render ports: up or down, addresses of routed ones, and lists in quarantine and rest."""
    interfaces: Doc = {}
    acls: Doc = {}
    up: set[str] = set()
    for row in rows:
        for routed in row["routed"]:
            up |= {routed["port"]} if routed["up"] else set()
            lists = _lists_of(ctx, row, routed)
            acls.update(lists)
            interfaces[routed["port"]] = _routed(row, routed) | _bound(lists)
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
    for row in converged.ports(ctx, HOST, *converged.OUTSIDE):
        used = row["kind"] == converged.EXTERNAL or row.get("bond", row["port"]) in up
        state = "up" if used and converged.in_service(ctx, row) else "down"
        made[row["port"]] = {"link": {"state": {state: {}}}}
    return made


def _routed(row: Vrf, routed: RoutedPort) -> Doc:
    """A routed port: its VRF, and its address if a node is built there."""
    if not routed["present"]:
        return {"vrf": row["vrf"]}
    version = converged.family(routed["address"])
    addressed: Doc = {"address": {f"{routed['address']}/{routed['length']}": {}}}
    if version == "ipv6":
        addressed["neighbor-discovery"] = {"router-advertisement": {"state": "disabled"}}
    return {"vrf": row["vrf"], version: addressed}


def _lists_of(ctx: Context, row: Vrf, routed: RoutedPort) -> Doc:
    """The lists bound inbound at a routed port: none for a customer, or where no node is built."""
    if row["kind"] not in HOUSE or not routed["present"]:
        return {}
    return _LISTS[row["network"]](ctx, row, routed)


def _gateway_lists(_ctx: Context, row: Vrf, routed: RoutedPort) -> Doc:
    """A node of the house reaches its gateway, and the provisioning servers."""
    lists = converged_acl.house(row, gateway=routed["address"])
    return {f"{name}-{routed['port']}": body for name, body in lists.items()}


def _bound(lists: Iterable[str]) -> Doc:
    bound: Doc = {name: {"inbound": {}} for name in lists}
    return {"acl": bound} if bound else {}


# VRFs


def _vrfs(ctx: Context, rows: Iterable[Vrf]) -> Doc:
    return {"vrf": {row["vrf"]: _vrf(ctx, row) for row in rows}}


def _vrf(ctx: Context, row: Vrf) -> Doc:
    """A VRF; without an L3VNI (east-west quarantine) it has neither EVPN nor BGP, so nothing leaves it."""
    if not row["l3vni"]:
        return {"table": "auto"}
    router: Doc = {}
    if row["collapse"]:
        router["static"] = {prefix: _blackhole(row) for prefix in _collapsed(ctx, row)}
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
    evpn: Doc = {"state": "enabled", "vni": {str(row["l3vni"]): {}}}
    if row["l3vlan"]:
        evpn["vlan"] = row["l3vlan"]
    return {"evpn": evpn, "router": {**router, "bgp": bgp}}


def _family(ctx: Context, row: Vrf) -> Doc:
    export: Doc = {"state": "enabled"}
    made: Doc = {
        "state": "enabled",
        "redistribute": {"static" if row["collapse"] else "connected": {"state": "enabled"}},
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


def _blackhole(row: Vrf) -> Doc:
    via: Doc = {"blackhole": {"type": "blackhole"}}
    return {"address-family": f"ipv{row['version']}-unicast", "via": via}


def _collapsed(ctx: Context, row: Vrf) -> list[str]:
    """The tenant's own links of this leaf as the fewest prefixes, and nobody else's."""
    up = [port["address"] for port in row["routed"] if port["up"] and port["address"]]
    return prefixes.collapsed(ctx.fabric, [prefixes.link_at(ctx.fabric, text) for text in up])


def _policy(ctx: Context, rows: list[Vrf]) -> Doc:
    made: Doc = {}
    for row in rows:
        if row["sessions"]:
            lay(made, converged_external.export_policy(row))
    lay(made, converged_leaks.policy(ctx, rows))
    return {"router": {"policy": made}} if made else {}


# Access lists of the house VRFs


def _rail_lists(ctx: Context, row: Vrf, port: RoutedPort) -> Doc:
    """The lists bound inbound at an east-west port: a node of the house reaches its own links, or its group's."""
    version = ctx.fabric.addresses.version
    if row["kind"] == "rest" and port["group"] is not None:
        name = f"{ACL}-rest-{port['group']}"
        allowed = _group(ctx, ctx.registry, port["group"])
    else:
        name = f"{ACL}-{port['port']}"
        own = f"{port['address']}/{32 if version == 4 else 128}"
        allowed = [own] if row["kind"] == "quarantine" else _alone(ctx, port)
    return {name: _list(allowed, version)}


def _group(ctx: Context, registry: Registry, group: str) -> list[str]:
    """The links of an acceptance group in the leaf's plane, collapsed."""
    fabric, plane = ctx.fabric, ctx.device.plane

    def work() -> list[str]:
        rails = [plane] if fabric.clos.by_rail else range(fabric.clos.rails)
        nodes = registry.group(group)
        links = (
            link for r in rails for link in prefixes.links_of(fabric, nodes, plane=plane, rail=r)
        )
        return prefixes.collapsed(fabric, links)

    allowed = registry.cached(("group", group, plane), work)
    if len(allowed) > converged.MOST_RULES:
        raise FabricError.of(
            f"the acceptance group '{group}' needs {len(allowed)} access rules and {converged.MOST_RULES} "
            "are possible: make smaller groups, or choose neighbouring nodes."
        )
    return allowed


def _alone(ctx: Context, port: RoutedPort) -> list[str]:
    """A node of no group reaches its own links only."""
    fabric, plane = ctx.fabric, ctx.device.plane
    node = t.cast("Node", fabric.known(port["node"]))
    nics = (nic for nic in fabric.cabling.nic_ports() if nic.plane == plane)
    return prefixes.collapsed(fabric, [prefixes.link_prefix(fabric, node, nic) for nic in nics])


def _list(allowed: Iterable[str], version: int) -> Doc:
    """Permit these destinations, and neighbour discovery over IPv6; deny everything else."""
    permitted = [*allowed, *(("fe80::/10", "ff02::/16") if version == 6 else ())]
    rules: Doc = {
        str(number * 10): {"match": {"ip": {"dest-ip": prefix}}, "action": {"permit": {}}}
        for number, prefix in enumerate(permitted, start=1)
    }
    rules[str(converged.LAST_RULE)] = {"match": {"ip": {"dest-ip": "ANY"}}, "action": {"deny": {}}}
    return {"type": f"ipv{version}", "rule": rules}


_Part = t.Callable[["Context", "list[Vrf]"], "Doc"]
_PARTS: tuple[tuple[tuple[str, ...], _Part], ...] = (
    (LEAVES, converged_segments.segments),
    (LEAVES, converged_external.external),
    (LEAVES, converged_acl.gateways),
    (WITH_VTEP, _ports),
    (WITH_VTEP, _vrfs),
    (WITH_VTEP, _policy),
    (WITH_VTEP, _reserved),
)
"""The parts of a leaf's document, with the roles that have them."""
_LISTS: dict[str, Callable[[Context, Vrf, RoutedPort], Doc]] = {
    EAST_WEST: _rail_lists,
    FRONT_END: _gateway_lists,
    STORAGE: _gateway_lists,
}
"""The lists at a routed port of the house, by network."""
