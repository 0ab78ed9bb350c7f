# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ports of a host's front end and storage, their bonds, and the storage VLAN, as module host takes them.

    [{name: front1, network: front-end, pci: 0000:01:00.0, mtu: 9166, bond: front, peer: {device, port}}, ...,
     {name: front, network: front-end, members: [front1, front2], mtu: 9166, metric: 512, system: 44:38:39:ff:02:00},
     {name: front.2021, network: storage, parent: front, vlan: 2021, mtu: 9166, metric: 0}]

A routed port has what a rail has: {address, length, gateway, table, routes: [{to, metric}]}. What leaves from its
own address leaves by it. Of two routed ports the first is the default; without its carrier, the second.

What has the storage of a tenant by DHCP has gateway and routes too, where arrays are in other subnets than the tenant.
"""

from __future__ import annotations

import typing as t

from ...plan.slices import NetNic, segment_mac
from ...plan.topology.converged import FRONT_END, STORAGE
from ...tenants import attachments, converged
from ...tenants.nets import of_arrays, part_of
from . import outages

if t.TYPE_CHECKING:
    from collections.abc import Sequence

    from ...plan.fabric import Fabric
    from ...plan.slices import NodeSlice
    from ...plan.topology.cabling import Node, Switch
    from ...tenants.registry import Registry
    from .interfaces import End, Route

METRIC = 512
"""Metric of the front end's default route: above every rail's route, and below a default route of systemd-networkd by
DHCP (1024)."""
TABLES = 500
"""Distance between the tables of routed ports and those of rails."""
ANYWHERE = {4: "0.0.0.0/0", 6: "::/0"}


class NetworkPort(NetNic):
    """A port of a node's slice on the front end or storage, with what its host needs besides.

    `system` is the LACP system id of its pair of leaves; `vlan` the tagged storage VLAN on the bond, where storage
    has no ports of its own; `routes` what a routed port leads to.
    """

    pci: str
    system: t.NotRequired[str]
    vlan: t.NotRequired[int]
    routes: t.NotRequired[list[str]]


class Attachment(t.TypedDict, total=False):
    """A port, a bond (with `members`) or a VLAN (with `parent`); `system` is the LACP system id of the leaves.

    `idle` says why the switches have it shut, so that nobody is to miss its link or address.
    """

    name: t.Required[str]
    network: t.Required[str]
    mtu: t.Required[int]
    pci: str
    bond: str
    address: str
    length: int
    gateway: str
    table: int
    routes: list[Route]
    peer: End
    members: list[str]
    parent: str
    vlan: int
    metric: int
    system: str
    idle: str


def planned(
    fabric: Fabric, registry: Registry, node: Node, slice_: NodeSlice, *, table_base: int
) -> list[Attachment]:
    """Return a node's attachments to the front end and storage, with the storage VLAN of its tenant on its bond."""
    found = ports(fabric, node, slice_)
    vlan = storage_vlan(fabric, registry, node) if found else 0
    for port in found:
        if vlan and port["network"] == FRONT_END and "bond" in port:
            port["vlan"] = vlan
    if not found:
        return []
    made = rows(found, table_base=table_base, idle=idle(fabric, registry, node))
    if way := storage_way(fabric, registry, node):
        for row in made:
            if row["network"] == STORAGE and ("members" in row or "parent" in row):
                row["gateway"], row["routes"] = way
    return made


def storage_way(fabric: Fabric, registry: Registry, node: Node) -> tuple[str, list[Route]] | None:
    """(gateway, routes) to the arrays of a node's holder, where they are in other subnets than the node.

    They are where all tenants share them, and where they are behind sessions of BGP.
    """
    stated = part_of(STORAGE, fabric.description)
    slug, up = attachments.placed(registry, node, STORAGE)
    if stated is None or not up:
        return None
    peers = [row.external_peers for row in registry.file.tenants if row.slug == slug]
    behind = any(peer.network == STORAGE for row in peers for peer in row)
    if not behind and not converged.shared(fabric):
        return None
    routes: list[Route] = [{"to": to, "metric": METRIC} for to in of_arrays(fabric.description, 4)]
    return registry.nets[slug, STORAGE].gateway, routes


def idle(fabric: Fabric, registry: Registry, node: Node) -> dict[str, str]:
    """Ports, and whole networks, that carry nothing, with the reason: out of service, or shut on the switches."""
    made = outages.of_networks(fabric, node)
    for network in (FRONT_END, STORAGE):
        slug, up = attachments.placed(registry, node, network)
        if not up:
            made[network] = f"the switches have it shut, in {slug}"
    return made


def storage_vlan(fabric: Fabric, registry: Registry, node: Node) -> int:
    """The storage VLAN of a node's holder on the bond of its front end; 0 where there is none."""
    stated = part_of(STORAGE, fabric.description)
    slug, up = attachments.placed(registry, node, STORAGE)
    if stated is None or stated.node_ports or not up:
        return 0
    return int(registry.nets[slug, STORAGE].vlan)


def ports(fabric: Fabric, node: Node, slice_: NodeSlice) -> list[NetworkPort]:
    """The ports of a slice, with what hosts need besides.

    Those of a network for which the description has no PCI addresses are left to the host.
    """
    found = [_port_of(fabric, node, row) for row in slice_.get("networks", ())]
    return [port for port in found if port["pci"]]


def _led(fabric: Fabric, row: NetNic) -> list[str]:
    """A routed port of the front end leads anywhere, one of storage to the arrays."""
    version = fabric.addresses.routed_version
    arrays = of_arrays(fabric.description, version)
    return [ANYWHERE[version]] if row["network"] == FRONT_END else arrays


def _port_of(fabric: Fabric, node: Node, row: NetNic) -> NetworkPort:
    """A port has its PCI address; a bond has the system id of its pair where it is on both leaves."""
    stated = part_of(row["network"], fabric.stated(node))
    pci = stated.pci[row["index"]] if stated.pci else ""
    made = t.cast("NetworkPort", {**row, "pci": pci})
    if "address" in row:
        return {**made, "routes": _led(fabric, row)}
    leaf = t.cast("Switch", fabric.known(row["peer"]["device"]))
    leaves = fabric.others.meeting(row["network"])
    whole = leaves and leaves.hosts[row["network"]].ports > 1
    return {**made, "system": segment_mac(leaf)} if whole else made


def rows(
    ports: Sequence[NetworkPort], *, table_base: int, idle: t.Mapping[str, str] | None = None
) -> list[Attachment]:
    """Return a host's attachments from the ports of its slice; [] without any.

    `idle` maps names of ports, and names of networks, to why they carry nothing.
    """
    made: list[Attachment] = [
        _port(port, table_base + TABLES + number) for number, port in enumerate(ports, 1)
    ]
    for name in dict.fromkeys(port["bond"] for port in ports if "bond" in port):
        members = [port for port in ports if port.get("bond") == name]
        made.append(_bond(name, members))
        made += _vlans(name, members)
    return [_resting(row, idle or {}) for row in made]


def _resting(row: Attachment, idle: t.Mapping[str, str]) -> Attachment:
    why = idle.get(row["name"]) or idle.get(row["network"])
    return {**row, "idle": why} if why else row


def _port(port: NetworkPort, table: int) -> Attachment:
    made: Attachment = {
        "name": port["port"],
        "network": port["network"],
        "pci": port["pci"],
        "mtu": port["mtu"],
        "peer": {"device": port["peer"]["device"], "port": port["peer"]["port"]},
    }
    if "bond" in port:
        return {**made, "bond": port["bond"]}
    return {
        **made,
        "address": port["address"],
        "length": port["length"],
        "gateway": port["gateway"],
        "table": table,
        "routes": [{"to": to, "metric": METRIC + port["index"]} for to in port["routes"]],
    }


def _bond(name: str, members: Sequence[NetworkPort]) -> Attachment:
    first = members[0]
    made: Attachment = {
        "name": name,
        "network": first["network"],
        "mtu": first["mtu"],
        "members": [port["port"] for port in members],
        "metric": METRIC if first["network"] == FRONT_END else 0,
    }
    return {**made, "system": first["system"]} if "system" in first else made


def _vlans(name: str, members: Sequence[NetworkPort]) -> list[Attachment]:
    vlans = dict.fromkeys(port["vlan"] for port in members if "vlan" in port)
    return [
        {
            "name": f"{name}.{vlan}",
            "network": STORAGE,
            "mtu": members[0]["mtu"],
            "parent": name,
            "vlan": vlan,
            "metric": 0,
        }
        for vlan in vlans
    ]
