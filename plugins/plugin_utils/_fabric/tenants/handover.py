# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hand-over file: what a tenant's administrators need on the first day, as plain data."""

from __future__ import annotations

import typing as t

from ..catalog import ra
from ..plan.topology.cabling import EAST_WEST
from ..plan.topology.converged import EQUIPMENT, FRONT_END, SERVER
from . import attachments, nets, prefixes, schema

if t.TYPE_CHECKING:
    from ..plan.fabric import Fabric
    from ..plan.topology.cabling import Node
    from .attachments import Attachment
    from .nets import Net
    from .registry import Registry

SCHEMA = 1


def handover(fabric: Fabric, registry: Registry, slug: str) -> dict[str, t.Any]:
    """{schema, tenant, vrfs, nodes, wipe, networks, prefixes, external_peers, nccl}."""
    mtu = fabric.slice(next(fabric.cabling.switches()))["mtu"]["path"]
    row, owner = registry.tenant(slug), registry.owner(slug)
    nodes, wipe = registry.nodes_of(slug), fabric.description.wipe
    return {
        "schema": SCHEMA,
        "fabric": fabric.description.name,
        "tenant": {"id": row.id, "slug": slug, "host_access": row.host_access},
        "vrfs": nets.as_data(row, owner, fabric.description),
        "nodes": [_node(fabric, node) for node in nodes],
        **({"wipe": wipe.model_dump(exclude_none=True)} if wipe else {}),
        "networks": _networks(fabric, registry, row),
        "prefixes": prefixes.tenant_prefixes(fabric, registry, slug),
        "external_peers": [_peer(peer) for peer in row.external_peers],
        "nccl": nccl(fabric, mtu=mtu),
    }


_WHERE_STATED = ("local_as", "local_as_replaces", "announce_private")


def _peer(peer: schema.ExternalPeer) -> dict[str, t.Any]:
    """A neighbour as the registry has it, with some keys only where they are stated."""
    left_out = {key for key in _WHERE_STATED if key not in peer.model_fields_set}
    return peer.model_dump(exclude=left_out)


def _servers(fabric: Fabric, net: Net) -> dict[str, list[str]]:
    """The servers in the VLAN of an owner; no key without any."""
    rows = EQUIPMENT[SERVER].stated(fabric.description.networks)
    names = [one.name for one in rows if net.network == FRONT_END and net.owner.slug in one.tenants]
    return {"servers": names} if names else {}


def _networks(fabric: Fabric, registry: Registry, row: schema.Tenant) -> list[dict[str, t.Any]]:
    """{network, attachment, vlan, subnet, gateway, vips, servers} of each network beyond the rails that it is on.

    On a bond hosts get their addresses by DHCP, from the subnet without its last quarter, which leaves use.
    """
    found = [registry.nets[row.slug, name] for name in schema.OTHERS if name in row.networks]
    return [
        {
            "network": net.network,
            "attachment": attachments.mode(fabric, net.network),
            "vlan": net.vlan,
            "subnet": net.subnet,
            "gateway": net.gateway,
            "vips": list(net.vips),
            **_servers(fabric, net),
        }
        for net in found
        if nets.part_of(net.network, fabric.description) is not None
    ]


def _port(at: Attachment) -> dict[str, t.Any]:
    """A port: with rail and plane or its network, and with addresses but where it is on a bond."""
    rail = at.network == EAST_WEST
    place = {"rail": at.rail, "plane": at.plane} if rail else {"network": at.network}
    ends = {"address": at.address, "gateway": at.gateway} if at.routed else {}
    return {"port": at.nic, **place, **ends}


def _node(fabric: Fabric, node: Node) -> dict[str, t.Any]:
    return {
        "name": fabric.name(node),
        "pod": node.pod,
        "su": node.su,
        "slot": node.slot,
        "ports": [_port(at) for at in attachments.of_node(fabric, node)],
    }


def nccl(fabric: Fabric, *, mtu: int) -> dict[str, t.Any]:
    """Facts of the fabric that a collective library's settings follow from.

    `cross_rail`: whether a NIC reaches NICs of another rail at all; planes by rail are disjoint.
    """
    c = fabric.clos
    planes = fabric.description.planes
    return {
        "rails": c.rails,
        "planes": c.planes,
        "plane_mode": planes.mode if c.planes > 1 else "none",
        "balancing": planes.balancing,
        "cross_rail": not c.by_rail,
        "cross_plane": False,
        "interfaces": [fabric.names.nic(nic) for nic in fabric.cabling.nic_ports()],
        "path_mtu": mtu,
        "ip_version": fabric.addresses.version,
        "versions": _validated(fabric),
    }


def _validated(fabric: Fabric) -> dict[str, t.Any]:
    """{ra, nccl: [version], hpcx: [version]} of the validated set, which jobs bring along."""
    release, site = fabric.description.release.ra, fabric.description.site_profiles
    path = fabric.beside(site[0]) if site else None
    known = ra.version_set(release, path)["versions"] if ra.version_id(release, path) else {}
    found = {key: known.get(key, []) for key in ("nccl", "hpcx")}
    return {"ra": ra.version_id(release, path) or str(release), **found}
