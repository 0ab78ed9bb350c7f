# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`vrf/t*`, and the host ports in them: what tenants are on one leaf.

Every host port is in exactly one VRF: its tenant's, `t2-rest`, or `t1-quarantine`, which exports
nothing. Port access lists keep hosts of the two house VRFs apart. Nothing of this is on spines.
"""

from __future__ import annotations

import typing as t

from ...description.errors import FabricError
from ...tenants import capacity, prefixes
from ...tenants.vrfs import Routed, Vrf, of_leaf

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from .....module_utils._json import Doc
    from ...plan.topology.cabling import Node
    from ...tenants.registry import Registry
    from .context import Context

ACL = "spx-tenant"
LAST_RULE = 65000
MOST_RULES = (LAST_RULE - 10) // 10


def tenants(ctx: Context) -> Doc | None:
    """The tenants' part of a leaf's document; None on other switches, and without the registry."""
    registry = ctx.tenants
    if ctx.role != "leaf" or registry is None:
        return None
    rows = of_leaf(ctx.fabric, registry, ctx.device)
    interfaces: Doc = {}
    acls: Doc = {}
    shut = {row["port"] for row in ctx.host_ports if ctx.shut(row)}
    for row in rows:
        for port in row["routed"]:
            lists = _access_lists(ctx, registry, row, port)
            acls.update(lists)
            down = port["port"] in shut
            interfaces[port["port"]] = _port(row, port, lists=lists, shut=down)
    begin, end = capacity.vlan_range(ctx.fabric, registry.file.vrfs_per_leaf)
    vlans = {"l3-vni-vlan": {"begin": begin, "end": end}}
    made: Doc = {
        "interface": interfaces,
        "vrf": {row["vrf"]: _vrf(ctx, row) for row in rows},
        "acl": acls,
        "system": {"global": {"reserved": {"vlan": vlans}}},
    }
    return {key: value for key, value in made.items() if value}


def _port(row: Vrf, port: Routed, *, lists: Iterable[str], shut: bool) -> Doc:
    """A host port: its VRF, whether it is up, and, if a node is built there, its address."""
    up = port["up"] and not shut
    made: Doc = {"vrf": row["vrf"], "link": {"state": {"up" if up else "down": {}}}}
    if not port["present"]:
        return made
    family = "ipv6" if ":" in port["address"] else "ipv4"
    addressed: Doc = {"address": {f"{port['address']}/{port['length']}": {}}}
    if family == "ipv6":
        addressed["neighbor-discovery"] = {"router-advertisement": {"state": "disabled"}}
    made[family] = addressed
    bound: Doc = {name: {"inbound": {}} for name in lists}
    return made | ({"acl": bound} if bound else {})


def _vrf(ctx: Context, row: Vrf) -> Doc:
    """A VRF; without an L3VNI (quarantine) it has neither EVPN nor BGP, so nothing leaves it."""
    if not row["l3vni"]:
        return {"table": "auto"}
    family = f"ipv{ctx.fabric.addresses.version}-unicast"
    source: Doc = {"connected": {"state": "enabled"}}
    router: Doc = {}
    if row["collapse"]:
        own = _collapsed(ctx, row)
        source = {"static": {"state": "enabled"}}
        router["static"] = {prefix: _blackhole(family) for prefix in own}
    router["bgp"] = {
        "state": "enabled",
        "rd": row["rd"],
        "path-selection": {"multipath": {"aspath-ignore": "enabled"}},
        "address-family": {
            family: {
                "state": "enabled",
                "redistribute": source,
                "route-export": {"to-evpn": {"state": "enabled"}},
            },
            "l2vpn-evpn": {"state": "enabled"},
        },
        "route-export": {"to-evpn": {"route-target": {target: {} for target in row["exports"]}}},
        "route-import": {"from-evpn": {"route-target": {target: {} for target in row["imports"]}}},
    }
    return {"evpn": {"state": "enabled", "vni": {str(row["l3vni"]): {}}}, "router": router}


def _blackhole(family: str) -> Doc:
    return {"address-family": family, "via": {"blackhole": {"type": "blackhole"}}}


def _collapsed(ctx: Context, row: Vrf) -> list[str]:
    """The tenant's own links of this leaf as the fewest prefixes, and nobody else's."""
    up = [port["address"] for port in row["routed"] if port["up"] and port["address"]]
    return prefixes.collapsed(ctx.fabric, [prefixes.link_at(ctx.fabric, text) for text in up])


# Access lists of the house VRFs


def _access_lists(ctx: Context, registry: Registry, row: Vrf, port: Routed) -> dict[str, Doc]:
    """The lists bound inbound at a port: none for a customer, or where no node is built."""
    if not port["present"] or row["kind"] not in ("quarantine", "rest"):
        return {}
    version = ctx.fabric.addresses.version
    if row["kind"] == "rest" and port["group"] is not None:
        name = f"{ACL}-rest-{port['group']}"
        allowed = _group(ctx, registry, port["group"])
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
    if len(allowed) > MOST_RULES:
        raise FabricError.of(
            f"the acceptance group '{group}' needs {len(allowed)} access rules and {MOST_RULES} "
            "are possible: make smaller groups, or choose neighbouring nodes."
        )
    return allowed


def _alone(ctx: Context, port: Routed) -> list[str]:
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
    rules[str(LAST_RULE)] = {"match": {"ip": {"dest-ip": "ANY"}}, "action": {"deny": {}}}
    return {"type": f"ipv{version}", "rule": rules}
