# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`acl/spx-control`: what a host may say to the switch itself: ICMP, and nothing else that is IP.

ARP and LLDP are no IP and pass; neighbour discovery is ICMPv6. So SSH, the API, BGP and VXLAN that
a tenant's host sends to the switch are dropped at the port.
"""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from .context import Context, Doc

NAME, NAME_V6 = "spx-control", "spx-control-v6"


def control_plane_acl(ctx: Context) -> Doc | None:
    """The lists, and their binding to every host port."""
    if not ctx.host_ports:
        return None
    acl = {NAME: _list("ipv4", "icmp"), NAME_V6: _list("ipv6", "icmpv6")}
    inbound: Doc = {"inbound": {"control-plane": {}}}
    bound = {"acl": {NAME: inbound, NAME_V6: inbound}}
    return {"acl": acl, "interface": {row["port"]: bound for row in ctx.host_ports}}


def _list(family: str, icmp: str) -> Doc:
    return {
        "type": family,
        "rule": {
            "10": {"match": {"ip": {"protocol": icmp}}, "action": {"permit": {}}},
            "1000": {"match": {"ip": {"source-ip": "ANY"}}, "action": {"deny": {}}},
        },
    }
