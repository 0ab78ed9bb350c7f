# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The owners of VRFs on the other networks: storage of arrays, sessions outside, provisioning, prefixes."""

from __future__ import annotations

import typing as t

from ..plan.topology.converged import EQUIPMENT, FRONT_END, SERVER
from . import attachments, nets, schema
from .schema import QUARANTINE, REST

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plan.fabric import Fabric
    from .holdings import Holdings
    from .nets import Net


def shared(fabric: Fabric) -> bool:
    """Check whether one service VRF has the storage of all tenants."""
    part = nets.part_of("storage", fabric.description)
    return part is not None and part.mode == "shared"


def with_arrays(fabric: Fabric, registry: Holdings) -> Iterator[Net]:
    """Yield the VLANs on the ports of arrays: those of all owners with storage, or of services alone."""
    for net in with_storage(registry):
        if net.owner.kind == "service" or not shared(fabric):
            yield net


def served(fabric: Fabric, registry: Holdings, port: t.Mapping[str, t.Any]) -> list[Net]:
    """Return the owners whose VLANs are at a port of an array or a server; none at any other port."""
    if "array" in port:
        return list(with_arrays(fabric, registry))
    return list(with_server(fabric, registry, port["server"])) if "server" in port else []


def with_server(fabric: Fabric, registry: Holdings, name: str) -> Iterator[Net]:
    """Yield the owners whose front-end VLANs a server is in."""
    for one in EQUIPMENT[SERVER].stated(fabric.description.networks):
        for slug in one.tenants if one.name == name else ():
            if (slug, FRONT_END) in registry.nets and slug not in registry.ending:
                yield registry.nets[slug, FRONT_END]


def equipped(fabric: Fabric, net: Net) -> bool:
    """Check whether an owner may have a VLAN at ports of arrays or servers."""
    found = EQUIPMENT.values()
    rows = [
        one
        for kind in found
        if kind.network == net.network
        for one in kind.stated(fabric.description.networks)
    ]
    return any(net.owner.slug in getattr(one, "tenants", [net.owner.slug]) for one in rows)


def with_storage(registry: Holdings) -> Iterator[Net]:
    """Yield the VRFs on every leaf with arrays, whatever the mode: tenants and services with storage."""
    for (slug, network), net in registry.nets.items():
        if network == "storage" and net.owner.customer and slug not in registry.ending:
            yield net


def own_prefixes(fabric: Fabric, registry: Holdings, net: Net) -> list[str]:
    """Return the prefixes of an owner on a network: its subnet, and the routed links of its nodes.

    A routed network has a subnet only where arrays or servers are in it.
    """

    def work() -> list[str]:
        routed = attachments.mode(fabric, net.network) == attachments.ROUTED
        made = [net.subnet] if net.subnet and (not routed or equipped(fabric, net)) else []
        if routed:
            nodes = registry.nodes_of(net.owner.slug)
            made += attachments.routed_prefixes(fabric, nodes, net.network)
        return made

    return registry.cached(("own", net.owner.slug, net.network), work)


def sessions(
    fabric: Fabric, registry: Holdings, links: t.Container[str]
) -> Iterator[tuple[Net, schema.ExternalPeer]]:
    """The sessions over some links: whose, and with whom. The house has the same neighbours in both of its VRFs."""
    for peer in house_peers(fabric, registry):
        for slug in (QUARANTINE, REST):
            if peer.link in links:
                yield registry.nets[slug, "front-end"], peer
    for row in registry.file.tenants:
        for peer in row.external_peers if row.slug not in registry.ending else ():
            if peer.link in links:
                yield registry.nets[row.slug, peer.network], peer


def local_as(fabric: Fabric, peer: schema.ExternalPeer) -> int:
    """Return the AS number that border leaves have for a peer; 0 where each has its own."""
    border = nets.part_of("border", fabric.description)
    return peer.local_as or (border.asn if border else None) or 0


class Announcement(t.NamedTuple):
    """A session to the outside, and the prefixes that its peer hears."""

    tenant: str
    network: str
    peer: str
    link: str
    asn: int
    local_as: int
    prefixes: str


def announced(fabric: Fabric, registry: Holdings) -> Iterator[Announcement]:
    """Yield what every session to the outside announces, and as whom."""
    for net, peer in sessions(fabric, registry, attachments.links(fabric)):
        leaf = attachments.leaf_of_link(fabric, peer.link)
        own = local_as(fabric, peer) or fabric.addresses.asn(leaf)
        prefixes = " ".join(own_prefixes(fabric, registry, net))
        place = (net.owner.slug, net.network, peer.name, peer.link)
        yield Announcement(*place, asn=peer.asn, local_as=own, prefixes=prefixes)


def house_peers(fabric: Fabric, registry: Holdings) -> list[schema.ExternalPeer]:
    """Return the peers that lead quarantine and rest to the provisioning servers: nothing else is accepted from
    them."""
    provisioning = provisioning_of(fabric)
    return [
        schema.ExternalPeer(
            name=row.name,
            link=row.link,
            asn=row.asn,
            password=row.password,
            bfd=row.bfd,
            default=False,
            prefixes=list(provisioning.servers),
        )
        for row in (registry.file.provisioning_peers if provisioning else ())
    ]


def provisioning_of(fabric: Fabric) -> t.Any:
    """Return the description's servers for quarantine and rest; None without any."""
    part = nets.part_of("front-end", fabric.description)
    return part.provisioning if part else None


def allowed(fabric: Fabric, net: Net) -> list[str]:
    provisioning = provisioning_of(fabric)
    if net.owner.customer or net.network != "front-end" or provisioning is None:
        return []
    return list(provisioning.servers)


def relay(fabric: Fabric, net: Net) -> list[str]:
    """The DHCP servers of a segment: on the front end those of tenants, or those that provision."""
    part, provisioning = nets.part_of(net.network, fabric.description), provisioning_of(fabric)
    if net.network == "storage" or part is None:
        return []
    if net.owner.customer:
        return list(part.dhcp)
    return list(provisioning.dhcp) if provisioning else []
