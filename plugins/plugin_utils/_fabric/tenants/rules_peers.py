# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of neighbours outside the fabric: their links, subinterfaces, addresses, and what is accepted of them."""

from __future__ import annotations

import dataclasses
import ipaddress
import typing as t

from ..description._third_party import netaddr
from ..description.errors import Breach, nearest
from ..description.words import some
from ..plan.addressing import pools
from . import attachments, capacity, converged, nets, owners, schema

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..description.yaml_source import Key
    from .holdings import Holdings
    from .nets import Net


@dataclasses.dataclass(frozen=True)
class Peer:
    """A neighbour of an owner, with the place of its row.

    `version`: that of IP which owners have on its network. `net` is None where the owner is not on the network.
    """

    key: Key
    owner: owners.Owner
    row: schema.ExternalPeer
    version: int
    net: Net | None

    @property
    def vlan(self) -> int | None:
        """The VLAN of its subinterface; see `nets.subinterface`."""
        return nets.subinterface(self.owner, self.row)

    def at(self, key: str) -> Key:
        """The place of a key of the row; a neighbour that provisions has neither VLAN nor addresses, but a link."""
        return (*self.key, key if self.owner.customer or key == "name" else "link")

    @property
    def said(self) -> str:
        """The neighbour as sentences name it."""
        return f"{self.owner.slug}/{self.row.name}"


def breaches(registry: Holdings) -> Iterator[Breach]:
    """Every broken rule of the neighbours outside; of the two sessions of a row of the house one sentence a key."""
    said: set[Key] = set()
    for breach in _breaches(registry):
        if breach.key[0] != "provisioning_peers" or breach.key not in said:
            yield breach
        said.add(breach.key)


def _breaches(registry: Holdings) -> Iterator[Breach]:
    peers, blocks = [*_peers(registry), *_house(registry)], blocks_of(registry)
    for peer in {peer.key: peer for peer in peers}.values():
        yield from _link(registry, peer)
        yield from _network(registry, peer)
        yield from _port(peer)
        yield from _reached(registry, peer)
        yield from _addresses(peer, blocks)
        yield from _limits(peer)
        yield from _as(registry, peer)
        yield from _private(registry, peer)
    yield from _provisioning(registry)
    yield from _clear(registry, peers)
    yield from _names(peers)
    yield from _subinterfaces(registry, peers)
    yield from _twice(registry, peers)
    yield from _accepted(peers, blocks)


def blocks_of(registry: Holdings) -> list[pools.Block]:
    """Return the fabric's own blocks: nothing outside may overlap them."""
    known = registry.fabric.addresses
    named = {
        f"{net.owner.slug} on the network {net.network}": net.subnet
        for net in registry.nets.values()
        if net.subnet
    }
    return pools.blocks(named | pools.infrastructure(known.links, known.pools))


def _peers(registry: Holdings) -> Iterator[Peer]:
    for key, row, owner in registry.rows():
        if isinstance(row, schema.Tenant):
            found = {net.network: net for net in nets.of(row, owner, registry.fabric.description)}
            for number, peer in enumerate(row.external_peers):
                here = (*key, "external_peers", number)
                version = registry.fabric.addresses.version_on(peer.network)
                yield Peer(here, owner, peer, version, found.get(peer.network))


def _house(registry: Holdings) -> Iterator[Peer]:
    """A neighbour that provisions has two sessions, one for quarantine and one for rest."""
    found = [net for net in nets.house(registry.fabric.description) if net.network == "front-end"]
    for number, row in enumerate(registry.file.provisioning_peers):
        made = schema.ExternalPeer(name=row.name, link=row.link, asn=row.asn, default=False)
        for net in found:
            version = registry.fabric.addresses.version_on(net.network)
            yield Peer(("provisioning_peers", number), net.owner, made, version, net)


def _link(registry: Holdings, peer: Peer) -> Iterator[Breach]:
    known = sorted(attachments.links(registry.fabric))
    if peer.row.link in known:
        return
    use = f"use one of {', '.join(some(known))}" if known else "add it to networks.border.links"
    yield Breach(
        (*peer.key, "link"),
        f"'{peer.row.link}' is not a link of networks.border of the description"
        f"{nearest(peer.row.link, known)}: {use}.",
    )


def _network(registry: Holdings, peer: Peer) -> Iterator[Breach]:
    network = peer.row.network
    if peer.net is None:
        yield Breach(
            (*peer.key, "network"),
            f"'{network}' is not among the networks of {peer.owner.slug}: add it there, or use one of them.",
        )
    elif nets.part_of(network, registry.fabric.description) is None:
        yield Breach(
            (*peer.key, "network"),
            f"'{network}' is not among the networks of the description: add networks.{network.replace('-', '_')} to "
            "it, or remove the neighbour.",
        )


def _reached(registry: Holdings, peer: Peer) -> Iterator[Breach]:
    """Check that hosts have routes to the prefixes of a neighbour of storage."""
    description = registry.fabric.description
    if peer.row.network != "storage" or nets.part_of("storage", description) is None:
        return
    known = nets.of_arrays(description, peer.version)
    for number, text in _of_its_version(peer):
        if not any(netaddr.IPNetwork(text) in netaddr.IPNetwork(one) for one in known):
            yield Breach(
                (*peer.key, "prefixes", number),
                f"'{text}' of {peer.said} is in no prefix of storage to which hosts have a route "
                f"({', '.join(known)}): add it to networks.storage.array_prefixes.",
            )


def _of_its_version(peer: Peer) -> Iterator[tuple[int, str]]:
    """The accepted prefixes with their places, but for those of the other version, which `_accepted` refuses."""
    for number, text in enumerate(peer.row.prefixes):
        if ipaddress.ip_network(text).version == peer.version:
            yield number, text


def _provisioning(registry: Holdings) -> Iterator[Breach]:
    part = nets.part_of("front-end", registry.fabric.description)
    if registry.file.provisioning_peers and not (part and part.provisioning):
        yield Breach(
            ("provisioning_peers",),
            "quarantine and rest have no provisioning servers: add networks.front_end.provisioning to the "
            "description, or remove the neighbours.",
        )


def _port(peer: Peer) -> Iterator[Breach]:
    row = peer.row
    if not row.tagged and row.vlan:
        yield Breach(
            (*peer.key, "vlan"),
            f"{row.vlan} of {peer.said} is not allowed with tagged: false, where the port itself is in the VRF: "
            "remove it, or set tagged to true.",
        )
    if peer.vlan == 0:
        yield Breach(
            (*peer.key, "vlan"),
            f"the id {peer.owner.id} of {peer.owner.slug} is above {nets.LAST_ID_WITH_SUBINTERFACES}, up to which "
            "VLANs of subinterfaces follow from ids: add a VLAN, 11 to 3999.",
        )


def _addresses(peer: Peer, blocks: list[pools.Block]) -> Iterator[Breach]:
    """Both ends in one subnet outside the fabric, of the network's version of IP; or none: an unnumbered session."""
    row = peer.row
    if row.address is None or row.peer_address is None:
        if row.address != row.peer_address:
            lacks = "peer_address" if row.address else "address"
            yield Breach(
                (*peer.key, lacks),
                f"the key is missing: {peer.said} has one of address and peer_address: add the other one, or remove "
                "both for a session without addresses.",
            )
        return
    own, other = ipaddress.ip_interface(row.address), ipaddress.ip_address(row.peer_address)
    if own.ip == other or own.version != other.version or other not in own.network:
        such = next((one for one in own.network.hosts() if one != own.ip), other)
        yield Breach(
            (*peer.key, "peer_address"),
            f"'{row.peer_address}' of {peer.said} is not beside {row.address}: use another address of {own.network}, "
            f"such as {such}.",
        )
    elif own.version != peer.version:
        yield Breach(
            (*peer.key, "address"),
            f"'{row.address}' of {peer.said} is IPv{own.version}, and {peer.owner.slug} has IPv{peer.version} alone on "
            f"{row.network}: use IPv{peer.version} addresses.",
        )
    elif met := pools.overlapped(row.address, blocks):
        yield Breach(
            (*peer.key, "address"),
            f"'{row.address}' of {peer.said} overlaps {met}: use a subnet outside the fabric.",
        )


def _limits(peer: Peer) -> Iterator[Breach]:
    row = peer.row
    needed = len(row.prefixes) + row.default
    if row.maximum < needed:
        yield Breach(
            (*peer.key, "maximum"),
            f"{row.maximum} of {peer.said} is below the {needed} routes that are accepted from it: set it to {needed} "
            "or more.",
        )
    if not needed and peer.owner.customer:
        yield Breach(
            (*peer.key, "prefixes"),
            f"nothing is accepted from {peer.said}: list prefixes, or set default to true.",
        )


def _as(registry: Holdings, peer: Peer) -> Iterator[Breach]:
    """The AS number towards a neighbour is not its own, and none of the plan, whose leaves would drop its routes."""
    plan = registry.fabric.addresses
    number = converged.local_as(registry.fabric, peer.row)
    own = (plan.leaf_with, plan.tier_with, plan.converged_with)
    if number and (number == peer.row.asn or any(find(number) for find in own)):
        whose = "its own" if number == peer.row.asn else "that of a switch in the plan"
        yield Breach(
            peer.at("local_as"),
            f"{number} towards {peer.said} is {whose}: state another local_as, or another networks.border.asn in the "
            "description.",
        )


def _private(registry: Holdings, peer: Peer) -> Iterator[Breach]:
    """A provider drops private prefixes, or worse: lets them out; a public AS number is a provider's."""
    if peer.row.announce_private or not peer.owner.customer or not _public(peer.row.asn):
        return
    net, known = peer.net, registry.fabric.addresses
    own = net.subnet if net else ""
    if net and net.network in known.routed_ports:
        own = known.pools["storage"].base
    if own and any(ipaddress.ip_network(own).overlaps(p) for p in _PRIVATE[peer.version]):
        yield Breach(
            (*peer.key, "announce_private"),
            f"{own} of {peer.owner.slug} is private, and AS {peer.row.asn} of {peer.said} is public: set it to true "
            "where that provider takes private prefixes, or state a public subnet.",
        )


def _public(number: int) -> bool:
    """Check whether an AS number is in use in the Internet: none of RFC 6996, RFC 5398, RFC 7300 or RFC 6793."""
    return not any(first <= number <= last for first, last in _NOT_PUBLIC)


_NOT_PUBLIC = (
    (64496, 64511),
    (64512, 65535),
    (65536, 65551),
    (23456, 23456),
    (4_200_000_000, 4_294_967_295),
)
_PRIVATE: t.Mapping[int, list[t.Any]] = {
    4: [ipaddress.ip_network(prefix) for prefix in pools.PRIVATE],
    6: [ipaddress.ip_network("fc00::/7")],
}


def _names(peers: list[Peer]) -> Iterator[Breach]:
    seen: dict[tuple[str, str], Key] = {}
    for peer in peers:
        if seen.setdefault((peer.owner.slug, peer.row.name), peer.key) != peer.key:
            yield Breach(
                (*peer.key, "name"),
                f"'{peer.row.name}' is already a neighbour of {peer.owner.slug}: give each its own name.",
            )


def _subinterfaces(registry: Holdings, peers: list[Peer]) -> Iterator[Breach]:
    """A port, or a VLAN of a link, is in one VRF; and a port that is in one has no subinterfaces."""
    users: dict[str, list[Peer]] = {}
    for peer in peers:
        others = users.setdefault(peer.row.link, [])
        other = next((each for each in others if _meet(peer, each)), None)
        others.append(peer)
        if other is None:
            continue
        what = "tagged" if None in (peer.vlan, other.vlan) else "vlan"
        line = registry.source.line(other.key)
        yield Breach(
            peer.at(what),
            f"{peer.said} uses {_used(peer)} of the link '{peer.row.link}', and {other.said} (line {line}) uses "
            f"{_used(other)}: give each a VLAN or a link of its own.",
        )


def _clear(registry: Holdings, peers: list[Peer]) -> Iterator[Breach]:
    """The VLAN of a subinterface is none that its switch has for L3VNIs, or, on a core, in its bridge."""
    first, last = capacity.vlan_range(registry.fabric, registry.file.vrfs_per_leaf)
    stated = registry.fabric.description.networks
    core = stated is not None and stated.core is not None
    bridged = {net.vlan: net for net in registry.nets.values() if core and net.vlan}
    for peer in peers:
        key, vlan = peer.at("vlan"), peer.vlan or 0
        if first <= vlan <= last:
            yield Breach(
                key,
                f"{vlan} of {peer.said} is one of the VLANs {first} to {last}, which leaves keep for L3VNIs: state "
                "another one, or a smaller vrfs_per_leaf.",
            )
        elif net := bridged.get(vlan):
            yield Breach(
                key,
                f"{vlan} of {peer.said} is also the VLAN of {net.owner.slug} on the network {net.network}, and a core "
                "has both: state another one for either.",
            )


def _used(peer: Peer) -> str:
    return "the port itself" if peer.vlan is None else f"VLAN {peer.vlan}"


def _meet(one: Peer, two: Peer) -> bool:
    """Check whether two neighbours of a link conflict: two sessions of one VRF share a subinterface."""
    if (one.owner.slug, one.row.network) == (two.owner.slug, two.row.network):
        return (one.vlan is None) != (two.vlan is None)
    return one.vlan is None or two.vlan is None or (one.vlan == two.vlan != 0)


def _twice(registry: Holdings, peers: list[Peer]) -> Iterator[Breach]:
    """One session between two ends."""
    seen: dict[tuple[t.Any, ...], Peer] = {}
    for peer in peers:
        row = peer.row
        ends = (peer.owner.slug, row.network, row.link, peer.vlan, row.peer_address)
        other = seen.setdefault(ends, peer)
        if other is not peer:
            yield Breach(
                peer.at("peer_address"),
                f"{peer.said} is the neighbour {other.said} (line {registry.source.line(other.key)}) again: remove one "
                "of the two, or give each its own addresses.",
            )


def _accepted(peers: list[Peer], blocks: list[pools.Block]) -> Iterator[Breach]:
    """A neighbour announces nothing that is the fabric's own: it would take the traffic of whose it is."""
    for peer in peers:
        for number, prefix in enumerate(peer.row.prefixes):
            key = (*peer.key, "prefixes", number)
            if ipaddress.ip_network(prefix).prefixlen == 0:
                yield Breach(
                    key,
                    f"'{prefix}' of {peer.said} holds every address: remove it, and set default to true for a "
                    "default route.",
                )
            elif ipaddress.ip_network(prefix).version != peer.version:
                yield Breach(
                    key,
                    f"'{prefix}' of {peer.said} is IPv{10 - peer.version}, and {peer.owner.slug} has "
                    f"IPv{peer.version} alone on {peer.row.network}: list IPv{peer.version} prefixes.",
                )
            elif met := pools.overlapped(prefix, blocks):
                yield Breach(
                    key,
                    f"'{prefix}' of {peer.said} overlaps {met}: list prefixes outside the fabric.",
                )
