# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that the features of converged switches share: their roles, bonds, and addresses on a VLAN."""

from __future__ import annotations

import ipaddress
import typing as t

from ...description.errors import FabricError
from ...plan.topology import converged as plan
from ...tenants import nets

if t.TYPE_CHECKING:
    from ...plan.slices import ConvergedPort, ConvergedSlice
    from ...plan.slices import Segment as EthernetSegment
    from ...tenants.vrfs import Segment, Vrf
    from .context import Context

SPINE, CORE, EXTERNAL = plan.CONVERGED_SPINE, plan.CORE, plan.EXTERNAL
EQUIPMENT, OUTSIDE = plan.EQUIPMENT, plan.OUTSIDE
LEAVES = plan.LEAVES
WITH_NODES = (plan.FRONT_END_LEAF, plan.STORAGE_LEAF, plan.CORE)
TO_OUTSIDE = plan.TO_OUTSIDE
BRIDGE = "br_default"
UNUSED = "spx-unused"
"""The VRF of ports to the outside that are in nobody's: without routes, so that nothing passes from them."""
LIST = "spx-tenant"
"""Prefix of access lists, prefix lists and route-maps; `switch_tenants` owns those."""
LAST_RULE = 65000
MOST_RULES = (LAST_RULE - 10) // 10
SHARE = 4
"""A leaf takes its own addresses from the last quarter of a subnet at most."""
AnyNetwork = t.Union[ipaddress.IPv4Network, ipaddress.IPv6Network]


class Bond(t.NamedTuple):
    """A bond of a leaf: its members, and the Ethernet segment that it shares with the other leaf."""

    name: str
    members: list[ConvergedPort]
    segment: EthernetSegment | None


def own_slice(ctx: Context) -> ConvergedSlice:
    """The slice of a converged switch, by its own type."""
    return t.cast("ConvergedSlice", ctx.slice)


def ports(ctx: Context, *kinds: str) -> list[ConvergedPort]:
    """The ports of some kinds, in the order of the cages; all where none is named."""
    rows = own_slice(ctx)["ports"]
    return [row for row in rows if not kinds or row["kind"] in kinds]


def in_service(ctx: Context, row: ConvergedPort) -> bool:
    """Check whether the other end of a port is built, and the description does not take the port out of service."""
    return row["present"] and row["port"] not in ctx.resting_ports


def bonds(ctx: Context) -> list[Bond]:
    """The bonds of a leaf, in the order of their first members."""
    members: dict[str, list[ConvergedPort]] = {}
    for row in ports(ctx):
        if "bond" in row:
            members.setdefault(row["bond"], []).append(row)
    return [Bond(name, rows, rows[0].get("segment")) for name, rows in members.items()]


def switches(ctx: Context) -> int:
    """Count the switches of the converged fabric at capacity."""
    return sum(ctx.fabric.others.switches().values())


def rows(ctx: Context) -> list[Vrf]:
    """The VRFs on a leaf; none on a spine, and none where the registry was not asked."""
    return ctx.networks or []


def family(text: str) -> str:
    """`ipv4` or `ipv6` of an address or prefix."""
    return "ipv6" if ":" in text else "ipv4"


def host(address: str) -> str:
    """An address as the prefix that holds it alone."""
    return f"{address}/{128 if ':' in address else 32}"


def own_address(ctx: Context, segment: Segment) -> str:
    """The leaf's own address on a VLAN, beside the gateway that all leaves share.

    Each leaf needs one that no other has, since a DHCP server answers to it (Cumulus Linux 5.18, DHCP
    Relays, EVPN symmetric without MLAG).
    """
    number = nets.own_number(ctx.device)
    if (number + 1) * SHARE > ipaddress.ip_network(segment["subnet"]).num_addresses - 2:
        raise FabricError.of(
            f"{ctx.slice['name']}: the subnet {segment['subnet']} of VLAN {segment['vlan']} has no room for an "
            f"address of its own for each leaf, and this one is number {number + 1}: make the subnets larger "
            "(length of subnets in networks of the description), or state a larger one for the tenant."
        )
    return nets.own_address(segment["subnet"], ctx.device)


def length(prefix: str) -> int:
    """The length of a prefix."""
    return int(prefix.partition("/")[2])
