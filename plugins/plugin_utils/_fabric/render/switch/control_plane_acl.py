# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access list for hosts towards the switch itself: ICMP, and nothing else that is IP.

    acl/spx-control     at each host port: all but ICMP is dropped. ARP and LLDP are no IP and pass;
                        neighbour discovery is ICMPv6. So SSH, the API, BGP and VXLAN do not arrive.
    acl/spx-gateways    of the whole control plane: TCP and UDP to the addresses of the host ports.
                        A host of another leaf comes by way of the fabric and meets no host port here.

Control plane lists come before Cumulus' own `acl-default-whitelist`, which lets BGP in from
anywhere, and behind `acl-default-dos`. Source: Cumulus Linux user guide, Firewall Rules.
"""

from __future__ import annotations

import ipaddress
import itertools
import typing as t

from ...plan.addressing import codec

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from .....module_utils._json import Doc
    from .context import Context

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
    version = ctx.fabric.addresses.version
    told = [{"protocol": word, "dest-ip": net} for net in _links(ctx) for word in ("tcp", "udp")]
    return {
        "type": f"ipv{version}",
        "rule": {
            str(number * 10): {"match": {"ip": match}, "action": {"deny": {}}}
            for number, match in enumerate(told, start=1)
        },
    }


def _links(ctx: Context) -> Iterator[str]:
    """The links of the host ports as the fewest prefixes that hold exactly them, in order."""
    addresses = ctx.fabric.addresses
    free = (32 if addresses.version == 4 else 128) - addresses.link_length
    numbered = [row["address"] for row in ctx.host_ports if "address" in row]
    links = sorted({codec.number(address)[0] >> free for address in numbered})
    address = ipaddress.IPv4Address if addresses.version == 4 else ipaddress.IPv6Address
    for _apart, run in itertools.groupby(enumerate(links), key=lambda pair: pair[1] - pair[0]):
        row = [link for _number, link in run]
        ends = (address(row[0] << free), address(((row[-1] + 1) << free) - 1))
        yield from map(str, ipaddress.summarize_address_range(*ends))


def _list(family: str, icmp: str) -> Doc:
    return {
        "type": family,
        "rule": {
            "10": {"match": {"ip": {"protocol": icmp}}, "action": {"permit": {}}},
            "1000": {"match": {"ip": {"source-ip": "ANY"}}, "action": {"deny": {}}},
        },
    }
