# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents of the out-of-band network: plain routing in the VRF OOB, and access ports that reach services alone.

    vlan200           SVI of a segment with its gateway; vlan101 also has the gateways of the subnets of switches
    swp1              access port: VLAN, edge of the spanning tree, limits of MAC addresses and of floods, lists
    spx-oob-in4       from a device: DHCP, and what the description lists; spx-oob-out4 lets only that reach it
    spx-oob-in6, out6 nothing: link-local IPv6 would reach every port of the VLAN
    spx-oob-arp       out of an access port: no ARP of another port
    swp49             uplink: unnumbered session in the VRF

A frame of the switch itself meets no list of forwarding, so that its ARP and its relay pass: [inferred] from iptables'
chains, which NVUE's lists are made of. Sources: Cumulus Linux 5.18, DHCP Relays, Port Security, Access Control List
Configuration; NVIDIA's schema. DHCP snooping is there since 5.11.
"""

from __future__ import annotations

import typing as t

from ...._nvue.document.release import Release
from ...description.errors import FabricError
from ...plan.addressing import codec
from ...plan.addressing.oob import OF_SWITCHES, VLANS
from ...plan.topology.cabling import UP, Node
from ...plan.topology.converged import EXTERNAL
from ...plan.topology.converged_cabling import FarEnd
from ...plan.topology.oob import ACCESS, LEAF
from . import converged
from .bgp import restart_profile
from .control_plane_acl import NAME, NAME_V6
from .converged_acl import made as permitting
from .converged_external import prefix_list

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from .....module_utils._json import Doc
    from ...description.oob import Oob
    from ...plan.slices import OobSlice, OobSwitchPort
    from .context import Context

VRF = "OOB"
OWN, ANY = "spx-oob-own", "spx-oob-any"
IN, OUT, ARP = "spx-oob-in", "spx-oob-out", "spx-oob-arp"
GROUP, RELAY = "spx-oob-up", "spx-relay"
MTU = 1500
SPARE_MACS = 2
"""MAC addresses of a port beside those of the plan: a BMC may show that of a virtual medium."""
MOST_FLOODED = 1000
"""Broadcasts, and multicasts, of an access port in packets a second; ours."""
_SNOOPING = Release(5, 11)
_Rule = tuple[str, str, int]
_EDGE: Doc = {"admin-edge": "enabled", "bpdu-guard": "enabled"}


def own_slice(ctx: Context) -> OobSlice:
    """The slice of an out-of-band switch."""
    return t.cast("OobSlice", ctx.slice)


def stated(ctx: Context) -> Oob:
    """The block of the description."""
    return t.cast("Oob", ctx.description.oob)


def ports(ctx: Context, *kinds: str) -> list[OobSwitchPort]:
    """The cabled ports of some kinds."""
    return [row for row in own_slice(ctx)["ports"] if row["kind"] in kinds]


def reached(ctx: Context) -> list[str]:
    """The prefixes that devices and switches exchange packets with, each once."""
    oob = stated(ctx)
    servers = [converged.host(server) for server in oob.dhcp if ":" not in server]
    return list(dict.fromkeys([*oob.controllers, *oob.services, *servers]))


def interfaces(ctx: Context) -> Doc | None:
    """Access ports, uplinks, SVIs and the bridge."""
    each: Doc = {name: _spare() for name in _uncabled(ctx)}
    each.update({row["port"]: _access(ctx, row) for row in ports(ctx, ACCESS)})
    each.update({row["port"]: _link(ctx, row) for row in _links(ctx)})
    segments = own_slice(ctx).get("segments", [])
    if not segments:
        return {"interface": each}
    gateways = {
        row["vlan"]: [f"{row['gateway']}/{converged.length(row['prefix'])}"] for row in segments
    }
    gateways.setdefault(VLANS[OF_SWITCHES], []).extend(_of_switches(ctx))
    for vlan, addresses in gateways.items():
        each[f"vlan{vlan}"] = {
            "type": "svi",
            "vlan": vlan,
            "vrf": VRF,
            "ipv4": {"address": {address: {} for address in addresses}},
        }
    vlans: Doc = {str(vlan): {} for vlan in gateways}
    domain: Doc = {"type": "vlan-aware", "vlan": vlans}
    if ctx.everywhere_since(_SNOOPING):
        domain["dhcp-snoop"] = {"vlan": dict(vlans)}
    return {"interface": each, "bridge": {"domain": {converged.BRIDGE: domain}}}


def _links(ctx: Context) -> list[OobSwitchPort]:
    """The ports to other switches; FabricError where all that lead upwards would be down."""
    up = ports(ctx, UP, EXTERNAL)
    if all(ctx.shut(t.cast("t.Any", row)) for row in up):
        raise FabricError.of(
            f"{ctx.slice['name']}: {' and '.join(row['port'] for row in up)} are out of service, and over them alone "
            "this switch, and all that is cabled to it, is reached: leave one of them in service."
        )
    return [row for row in own_slice(ctx)["ports"] if row["kind"] != ACCESS]


def _uncabled(ctx: Context) -> list[str]:
    """The ports that the model has and no cable: an open port that nobody uses is an invitation."""
    cabled = {row["port"] for row in own_slice(ctx)["ports"]}
    blocks = ctx.fabric.blocks(ctx.device).values()
    return [
        name
        for block in blocks
        for name in map(block.name, range(block.count))
        if name not in cabled
    ]


def _spare() -> Doc:
    return {"type": "swp", "description": "spare", "link": {"state": {"down": {}}}}


def _access(ctx: Context, row: OobSwitchPort) -> Doc:
    peer, down = row["peer"], ctx.shut(t.cast("t.Any", row))
    bound: Doc = {f"{IN}{version}": {"inbound": {}} for version in "46"}
    bound |= {name: {"outbound": {}} for name in (f"{OUT}4", f"{OUT}6", ARP)}
    inbound: Doc = {"inbound": {"control-plane": {}}}
    return {
        "type": "swp",
        "description": f"{peer['device']} {peer['port']}".rstrip(),
        "link": {"state": {"down" if down else "up": {}}},
        "bridge": {"domain": {converged.BRIDGE: {"access": _vlan(row), "stp": dict(_EDGE)}}},
        "port-security": {
            "state": "enabled",
            "mac-limit": len(row.get("units", ())) + SPARE_MACS,
            "violation-mode": "restrict",
        },
        "storm-control": {"broadcast": MOST_FLOODED, "multicast": MOST_FLOODED},
        "acl": {**bound, NAME: inbound, NAME_V6: dict(inbound)},
    }


def _vlan(row: OobSwitchPort) -> int:
    """The VLAN of an access port, which all units behind it share."""
    return row["units"][0]["vlan"] if row.get("units") else 1


def _link(ctx: Context, row: OobSwitchPort) -> Doc:
    peer, down = row["peer"], ctx.shut(t.cast("t.Any", row))
    return {
        "type": "swp",
        "description": f"{peer['device']} {peer['port']}".rstrip(),
        "link": {"state": {"down" if down else "up": {}}, "mtu": MTU},
        "vrf": VRF,
    }


def _switches(ctx: Context) -> Iterator[tuple[str, int, int]]:
    """(address, prefix length, gateway) of the eth0s that a leaf carries, but those of its own segment."""
    for port in ctx.fabric.cabling_of(ctx.device).ports(ctx.device):
        end = ctx.fabric.end(ctx.device, port) if port.kind == ACCESS else None
        if end is None or isinstance(end, FarEnd) or isinstance(end[0], Node):
            continue
        if end[0].role not in (LEAF, "oob_spine"):
            address, length, gateway = ctx.fabric.addresses.management(end[0])
            yield codec.text(address, 4), length, gateway


def _of_switches(ctx: Context) -> list[str]:
    """The gateways of the subnets of switches, which every leaf has that carries one of theirs."""
    found = {(gateway, length): 1 for _address, length, gateway in _switches(ctx) if gateway}
    return [f"{codec.text(gateway, 4)}/{length}" for gateway, length in found]


# Routing


def bgp(ctx: Context) -> Doc | None:
    """BGP in the VRF, its policies, and routes to the switches whose subnet is spread over all leaves."""
    data, profile = own_slice(ctx), restart_profile(ctx)
    router: Doc = {
        "bgp": {
            "state": "enabled",
            "autonomous-system": data["asn"],
            "router-id": data["router_id"],
            "graceful-restart": dict(profile["graceful_restart"]),
        },
        "policy": {"prefix-list": {OWN: prefix_list(4, _own(ctx)), ANY: prefix_list(4, _any(ctx))}},
    }
    routes: Doc = {
        f"{address}/32": {
            "address-family": "ipv4-unicast",
            "via": {f"vlan{VLANS[OF_SWITCHES]}": {"type": "interface"}},
        }
        for address, _length, _gateway in _switches(ctx)
    }
    vrf: Doc = {"bgp": _of_vrf(ctx), **({"static": routes} if routes else {})}
    loopback: Doc = {"ip": {"address": {f"{data['loopback']}/32": {}}}}
    return {"router": router, "vrf": {VRF: {"router": vrf, "loopback": loopback}}}


def _of_vrf(ctx: Context) -> Doc:
    data = own_slice(ctx)
    ipv4: Doc = {
        "state": "enabled",
        "redistribute": {"connected": {"state": "enabled"}, "static": {"state": "enabled"}},
    }
    session: Doc = {
        "address-family": {
            "ipv4-unicast": {
                "state": "enabled",
                "policy": {"inbound": {"prefix-list": ANY}, "outbound": {"prefix-list": OWN}},
            }
        }
    }
    return {
        "state": "enabled",
        "autonomous-system": data["asn"],
        "router-id": data["router_id"],
        "path-selection": {"multipath": {"aspath-ignore": "enabled"}},
        "address-family": {"ipv4-unicast": ipv4},
        "peer-group": {GROUP: session, **_down(ctx)},
        "neighbor": {row["port"]: _neighbor(row) for row in _links(ctx) if row["present"]},
    }


def _down(ctx: Context) -> Doc:
    """The sessions of a spine with its leaves: they announce what is theirs, and learn what the spine has."""
    own: Doc = {"state": "enabled", "policy": {"inbound": {"prefix-list": OWN}}}
    return {"spx-oob-down": {"address-family": {"ipv4-unicast": own}}} if ports(ctx, "down") else {}


def _neighbor(row: OobSwitchPort) -> Doc:
    return {
        "type": "unnumbered",
        "peer-group": "spx-oob-down" if row["kind"] == "down" else GROUP,
        "remote-as": row["peer"].get("asn", "external"),
        "description": row["peer"]["device"],
    }


def _own(ctx: Context) -> Iterator[_Rule]:
    """Prefixes that a switch announces upwards: a leaf its segments and switches, a spine all that leaves may have."""
    pools, data = ctx.fabric.addresses.layouts, own_slice(ctx)
    if "segments" not in data:
        names = ("oob", "host_oob", "switch_oob", "converged")
        yield from (("permit", pools[name].base, 32) for name in names if name in pools)
        stated_ones = (row.management for row in ctx.fabric.rows.values() if row.management)
        yield from (("permit", converged.host(address), 0) for address in stated_ones)
        return
    yield "permit", converged.host(data["loopback"]), 0
    yield from (("permit", row["prefix"], 0) for row in data["segments"])
    yield from (
        ("permit", converged.host(address), 0) for address, _length, _gateway in _switches(ctx)
    )


def _any(ctx: Context) -> Iterator[_Rule]:
    """Prefixes that are taken from above: a default route, and those that devices reach."""
    yield "permit", "0.0.0.0/0", 0
    yield from (("permit", prefix, 32) for prefix in reached(ctx))


# Relay and lists


def relay(ctx: Context) -> Doc | None:
    """The relay of a leaf: giaddr is the gateway of the segment, option 82 names the port."""
    segments, servers = own_slice(ctx).get("segments"), stated(ctx).dhcp
    if not segments or not servers:
        return None
    upstream: Doc = {row["port"]: {} for row in ports(ctx, UP, EXTERNAL)}
    group: Doc = {"server": {server: {} for server in servers}, "upstream-interface": upstream}
    own: Doc = {
        "server-group": {RELAY: group},
        "downstream-interface": {
            f"vlan{row['vlan']}": {"server-group-name": RELAY} for row in segments
        },
        "agent": {"state": "enabled", "use-pif-circuit-id": {"state": "enabled"}},
        "source-ip": "giaddress",
    }
    return {"service": {"dhcp-relay": {VRF: own}}}


def lists(ctx: Context) -> Doc | None:
    """The lists of access ports; they are bound where the ports are."""
    if not ports(ctx, ACCESS):
        return None
    prefixes = reached(ctx)
    dhcp: dict[str, t.Any] = {"protocol": "udp", "udp": {"dest-port": {"67": {}}}}
    arp: Doc = {"10": {"match": {"mac": {"protocol": "arp"}}, "action": {"deny": {}}}}
    return {
        "acl": {
            f"{IN}4": permitting("ipv4", [dhcp, *({"dest-ip": one} for one in prefixes)]),
            f"{OUT}4": permitting("ipv4", [{"source-ip": one} for one in prefixes]),
            f"{IN}6": permitting("ipv6", []),
            f"{OUT}6": permitting("ipv6", []),
            ARP: {"type": "mac", "rule": arp},
            NAME: permitting("ipv4", [{"protocol": "icmp"}, dhcp]),
            NAME_V6: permitting("ipv6", []),
        }
    }
