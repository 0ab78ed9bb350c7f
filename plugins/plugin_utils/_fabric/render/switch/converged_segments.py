# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`bridge/domain/br_default`, `interface/vlan*` and DHCP relay: the VLANs of a leaf's VRFs.

    vlan21     SVI in t21-acme: an address of the leaf's own, and the gateway that all leaves share (VRR)
    bond17     access to VLAN 21; with a tagged storage VLAN beside it both VLANs, 21 of them untagged
    4300021    L2VNI of VLAN 21, with explicit route targets: those derived from a 4-byte ASN keep half of it

Sources: Cumulus Linux 5.18, VLAN-aware Bridge Mode, DHCP Relays (EVPN symmetric without MLAG), EVPN
Multihoming; NVIDIA's rendered core switch. A port is an edge of the spanning tree, and a BPDU shuts it, since
a bond with an Ethernet segment leads to a host.
"""

from __future__ import annotations

import typing as t

from ...description.errors import FabricError
from ...tenants import nets
from . import converged

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from .....module_utils._json import Doc
    from ...tenants.vrfs import Segment, Vrf
    from .context import Context

RELAY = "spx-relay"
"""The group of DHCP servers of a VRF."""


def segments(ctx: Context, rows: Iterable[Vrf]) -> Doc:
    """VLANs, L2VNIs, SVIs, relays, and the VLANs of bonds and of ports without one."""
    made: Doc = {"interface": {}, "vlan": {}, "vni": {}, "dhcp-relay": {}}
    members: dict[str, list[tuple[int, bool]]] = {}
    vlans: Doc = {}
    vnis: Doc = {}
    interfaces: Doc = {}
    relays: Doc = {}
    for row in rows:
        _check(ctx, row)
        for segment in row["segments"]:
            vlans[str(segment["vlan"])] = {"vni": {str(segment["l2vni"]): {}}}
            vnis[str(segment["l2vni"])] = {"route-target": _targets(row, segment)}
            interfaces[f"vlan{segment['vlan']}"] = _svi(ctx, row, segment)
            for port in segment["ports"]:
                if port["up"]:
                    members.setdefault(port["bond"], []).append((segment["vlan"], port["tagged"]))
        if relay := _relay(row):
            relays[row["vrf"]] = relay
    for name, carried in members.items():
        interfaces[name] = {"bridge": {"domain": {converged.BRIDGE: _member(carried)}}}
    made = {"interface": interfaces}
    if vlans:
        made["bridge"] = {"domain": {converged.BRIDGE: {"vlan": vlans}}}
        made["evpn"] = {"vni": vnis}
    if relays:
        made["service"] = {"dhcp-relay": relays}
    return made


def _check(ctx: Context, row: Vrf) -> None:
    if row["segments"] and not row["l3vni"]:
        raise FabricError.of(
            f"{ctx.slice['name']}: the VRF {row['vrf']} has VLANs and no L3VNI, which is asymmetric routing, and "
            "EVPN multihoming does not work with it: state an L3VNI for its owner."
        )


def _targets(row: Vrf, segment: Segment) -> Doc:
    """Route targets of an L2VNI, with the administrator of those of its VRF."""
    administrator = row["exports"][0].partition(":")[0]
    target = f"{administrator}:{segment['l2vni']}"
    return {"export": {target: {}}, "import": {target: {}}}


def _svi(ctx: Context, row: Vrf, segment: Segment) -> Doc:
    length = converged.length(segment["subnet"])
    own = converged.own_address(ctx, segment)
    return {
        "type": "svi",
        "vlan": segment["vlan"],
        "vrf": row["vrf"],
        "link": {"mtu": segment["mtu"]},
        converged.family(segment["gateway"]): {
            "address": {f"{own}/{length}": {}},
            "vrr": {
                "address": {f"{segment['gateway']}/{length}": {}},
                "state": "enabled",
                "vrr-state": {"up": {}},
            },
        },
    }


def _member(carried: list[tuple[int, bool]]) -> Doc:
    """Return the place of a bond in the bridge: access to its only VLAN, or a list with at most one untagged."""
    untagged = [vlan for vlan, tagged in carried if not tagged]
    edge: Doc = {"stp": {"admin-edge": "enabled", "bpdu-guard": "enabled"}}
    if len(carried) == 1 and untagged:
        return {"access": untagged[0], **edge}
    vlans: Doc = {str(vlan): {} for vlan in sorted(vlan for vlan, _tagged in carried)}
    return {"vlan": vlans, "untagged": untagged[0] if untagged else "none", **edge}


def _relay(row: Vrf) -> Doc:
    """The relay of a VRF; the servers are in the same VRF, by its L3VNI's interface.

    On a core they may also be behind a session of this switch: a relay takes answers from upstream interfaces alone.
    """
    served = [segment for segment in row["segments"] if segment["relay"]]
    if not served:
        return {}
    servers = dict.fromkeys(server for segment in served for server in segment["relay"])
    upstream = [f"vlan{row['l3vlan']}_l3"]
    upstream += [nets.interface(one["port"], one["vlan"]) for one in row["sessions"]]
    group: Doc = {
        "server": {server: {} for server in servers},
        "upstream-interface": {name: {} for name in upstream},
    }
    return {
        "server-group": {RELAY: group},
        "downstream-interface": {
            f"vlan{segment['vlan']}": {"server-group-name": RELAY} for segment in served
        },
        "source-ip": "giaddress",
    }
