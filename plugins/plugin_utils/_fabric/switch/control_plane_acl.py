# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host may say to a switch itself: ICMP, and nothing else that is IP.

    acl/spx-control     at each host port: all but ICMP is dropped. ARP and LLDP are no IP and pass;
                        neighbour discovery is ICMPv6. So SSH, the API, BGP and VXLAN do not arrive.
    acl/spx-gateways    of the whole control plane: TCP and UDP to the addresses of the host ports.
                        A host of another leaf comes by way of the fabric and meets no host port here.

Control plane lists stand before Cumulus' own `acl-default-whitelist`, which lets BGP in from
anywhere, and behind `acl-default-dos`. Source: Cumulus Linux user guide, Firewall Rules.
"""

from __future__ import annotations

import ipaddress
import typing as t

if t.TYPE_CHECKING:
    from .context import Context, Doc

NAME, NAME_V6 = "spx-control", "spx-control-v6"
GATEWAYS = "spx-gateways"


def control_plane_acl(ctx: Context) -> Doc | None:
    """The lists, and their binding to every host port."""
    if not ctx.host_ports:
        return None
    acl = {NAME: _list("ipv4", "icmp"), NAME_V6: _list("ipv6", "icmpv6")}
    inbound: Doc = {"inbound": {"control-plane": {}}}
    bound = {"acl": {NAME: inbound, NAME_V6: inbound}}
    return {
        "acl": {**acl, GATEWAYS: _gateways(ctx)},
        "interface": {row["port"]: bound for row in ctx.host_ports},
        "system": {"control-plane": {"acl": {GATEWAYS: {"inbound": {}}}}},
    }


def _gateways(ctx: Context) -> Doc:
    ends = [f"{row['address']}/{row['length']}" for row in ctx.host_ports if row["address"]]
    links: t.Iterable[t.Any] = {ipaddress.ip_interface(end).network for end in ends}
    goals = [str(net) for net in ipaddress.collapse_addresses(links)]
    told = [{"protocol": word, "dest-ip": goal} for goal in goals for word in ("tcp", "udp")]
    return {
        "type": f"ipv{ctx.fabric.plan.version}",
        "rule": {
            str(number * 10): {"match": {"ip": match}, "action": {"deny": {}}}
            for number, match in enumerate(told, start=1)
        },
    }


def _list(family: str, icmp: str) -> Doc:
    return {
        "type": family,
        "rule": {
            "10": {"match": {"ip": {"protocol": icmp}}, "action": {"permit": {}}},
            "1000": {"match": {"ip": {"source-ip": "ANY"}}, "action": {"deny": {}}},
        },
    }
