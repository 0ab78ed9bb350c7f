# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`interface/swp*` and `interface/bond*` of a converged switch, its bridge, and what all its VLANs share.

    bond17   swp17s0 of this leaf; with bond17 of the partner it is one Ethernet segment of one node
    swp31s0  an uplink: while all of them are down, the switch takes its bonds down (uplink tracking)

The links between the members of a core are not tracked: when one fails, the other keeps its bonds.

Which VLANs a bond carries, and whether a port is up, is its tenant's. Sources: Cumulus Linux 5.18, EVPN
Multihoming; NVIDIA's rendered core switch (MIT, 2026-09-02), bonds with lacp-bypass.
"""

from __future__ import annotations

import typing as t

from ...plan.topology.cabling import DOWN, UP
from . import converged
from .interfaces import address, cage

if t.TYPE_CHECKING:
    from .....module_utils._json import Doc
    from ...plan.slices import ConvergedPort
    from .context import Context
    from .converged import Bond

OUTSIDE_MTU = 1500
"""Bytes on links to the outside; a larger one loses frames where the far end has the usual MTU."""
GATEWAY_MAC = "44:38:39:ff:00:ff"
"""The MAC of every gateway (VRR): of the range that NVIDIA reserves, as in its rendered core switch."""
INTERNAL_VLANS = "2-10"
"""VLANs that the switch uses by itself. By default they are 3725 to 3999, which tenants' VLANs may be
(Cumulus Linux 5.18, VLAN-aware Bridge Mode: at least three with the two bridges of EVPN)."""
PREFERRED, ORDINARY = 50_000, 32_767
"""Preferences as designated forwarder: the example of the page, and the default."""


def interfaces(ctx: Context) -> Doc | None:
    """Cages, ports and bonds; on leaves also the bridge, the MAC of gateways, and reserved VLANs."""
    made: Doc = {name: cage(factor) for name, factor in ctx.cages.items()}
    made.update({row["port"]: _port(ctx, row) for row in converged.ports(ctx)})
    made.update({bond.name: _bond(ctx, bond) for bond in converged.bonds(ctx)})
    return {"interface": made, **(_bridge() if ctx.role in converged.LEAVES else {})}


def _port(ctx: Context, row: ConvergedPort) -> Doc:
    link: Doc = {"mtu": mtu(ctx, row["kind"])}
    port: Doc = {"type": "swp", "description": _description(row), "link": link}
    if row["kind"] in (UP, DOWN):
        link["state"] = {"up" if converged.in_service(ctx, row) else "down": {}}
        port |= address(row) if "address" in row else {}
    if row["kind"] == UP and ctx.role in converged.WITH_NODES and ctx.role != converged.CORE:
        port["evpn"] = {"multihoming": {"uplink": "enabled"}}
    return port


def mtu(ctx: Context, kind: str) -> int:
    """The MTU of a port by its kind, in bytes."""
    if kind == converged.EXTERNAL:
        return OUTSIDE_MTU
    return ctx.slice["mtu"]["fabric" if kind in (UP, DOWN) else "host"]


def _description(row: ConvergedPort) -> str:
    # No comma: cabling checks on the switch split at it.
    outside = row["peer"]["device"] if row["kind"] in converged.OUTSIDE else ""
    return outside or f"{row['peer']['device']} {row['peer']['port']}".strip() or "spare"


def _bond(ctx: Context, bond: Bond) -> Doc:
    first = bond.members[0]
    lacp: Doc = {"member": {row["port"]: {} for row in bond.members}, "mode": "lacp"}
    if first.get("network") == "front-end":
        # A node that boots from the network has no LACP yet.
        lacp["lacp-bypass"] = "enabled"
    made: Doc = {
        "type": "bond",
        "description": first.get("node") or _description(first),
        "bond": lacp,
        "link": {"mtu": mtu(ctx, first["kind"])},
    }
    if bond.segment:
        made["evpn"] = {"multihoming": {"segment": _segment(ctx, bond)}}
    return made


def _segment(ctx: Context, bond: Bond) -> Doc:
    """The segment; the leaves of a pair forward broadcasts for every other one each."""
    segment = bond.segment or {"local_id": 0, "mac": ""}
    own = segment["local_id"] % 2 == converged.own_slice(ctx)["member"]
    return {
        "state": "enabled",
        "local-id": segment["local_id"],
        "mac-address": segment["mac"],
        "df-preference": PREFERRED if own else ORDINARY,
    }


def _bridge() -> Doc:
    return {
        "bridge": {"domain": {converged.BRIDGE: {"type": "vlan-aware"}}},
        "router": {"vrr": {"state": "enabled"}},
        "system": {
            "global": {
                "anycast-mac": GATEWAY_MAC,
                "fabric-mac": GATEWAY_MAC,
                "reserved": {"vlan": {"internal": {"range": INTERNAL_VLANS}}},
            }
        },
    }
