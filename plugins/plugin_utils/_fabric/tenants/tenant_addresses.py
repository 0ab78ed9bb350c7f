# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of an address that belongs to a tenant: in a subnet, or on a session to the outside.

    places(fabric, registry, "10.208.14.1")
    -> [{kind: subnet_gateway, tenant: acme, network: front-end, prefix: 10.208.14.0/23, vlan: 21, l2vni: 4300021,
         leaves: [front-end-leaf-001-1, front-end-leaf-001-2], ...}]

The cost follows the nodes of the tenant.
"""

from __future__ import annotations

import ipaddress
import re
import typing as t

from ..description.errors import NotInFabric
from ..description.words import some
from ..plan.topology.cabling import Port, Switch
from ..plan.topology.converged import ARRAY, EXTERNAL, FRONT_END, SERVER
from . import attachments, converged, nets
from .schema import QUARANTINE

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plan.fabric import Fabric
    from ..plan.topology.cabling import Node
    from . import schema
    from .holdings import Holdings
    from .nets import Net

KINDS = {
    "subnet_gateway": "the gateway",
    "subnet_leaf": "the own address of a leaf",
    "subnet_vip": "an address of the storage arrays",
    "subnet": "an address",
    "session_leaf": "the leaf end",
    "session_peer": "the far end",
    "tenant": "a network",
}
_NUMBER = re.compile(r"^(?:asn?|l[23]?vni|vni|vlan|vrf|tenant)[ :]*(?=.)")
"""Words for an address in a sentence."""


class TenantPlace(t.TypedDict):
    """Meaning of an address for its tenant, as plain data.

    In a subnet `leaves` have its VLAN, and `ports` are those of the arrays that an address of storage may be at. Of a
    session `device` and `port` are the leaf and its interface.
    """

    fabric: str
    kind: str
    address: str
    prefix: str
    tenant: str
    network: str
    vrf: str
    l3vni: int
    vlan: t.NotRequired[int]
    l2vni: t.NotRequired[int]
    leaves: t.NotRequired[list[str]]
    nodes: t.NotRequired[list[str]]
    arrays: t.NotRequired[list[str]]
    ports: t.NotRequired[list[str]]
    device: t.NotRequired[str]
    port: t.NotRequired[str]
    link: t.NotRequired[str]
    session: t.NotRequired[str]
    asn: t.NotRequired[int]
    peer_address: t.NotRequired[str]


def places(fabric: Fabric, registry: Holdings, text: str) -> list[TenantPlace]:
    """Return the meaning of an address for a tenant; NotInFabric where it is nobody's."""
    address = ipaddress.ip_address(text)
    made = [*_in_subnets(fabric, registry, address), *_of_sessions(fabric, registry, address)]
    if not made:
        raise NotInFabric.of(_nobodys(fabric, address))
    return made


Address = t.Union[ipaddress.IPv4Address, ipaddress.IPv6Address]


def _nobodys(fabric: Fabric, address: Address) -> str:
    """Explain why an address is nobody's."""
    for network in ("front-end", "storage"):
        block = nets.block_of(network, fabric.description)
        if block and address in ipaddress.ip_network(block.prefix):
            return (
                f"{address} is in {block.prefix}, the subnets of tenants on {network} in fabric "
                f"{fabric.description.name}, and no tenant has that one: check the address, or add the tenant."
            )
    return (
        f"{address} belongs to no place and no tenant of fabric {fabric.description.name}, whose pools are "
        f"{fabric.addresses.pool_text()}: check the address, or name its fabric's description."
    )


def numbered(fabric: Fabric, registry: Holdings, text: str) -> list[TenantPlace]:
    """Return the networks of a tenant by its name, or by VRF, VLAN or VNI, and the sessions by name or AS number."""
    word = _NUMBER.sub("", text.strip().lower())
    made: list[TenantPlace] = []
    rows = registry.rows()
    rails = (nets.east_west(owner) for _key, row, owner in rows if "east-west" in row.entitled)
    for net in (*rails, *registry.nets.values()):
        numbers = [str(number) for number in (net.l3vni, net.l2vni, net.vlan) if number]
        if word in (net.owner.slug, net.vrf.lower(), *numbers):
            own = sorted(map(fabric.name, registry.nodes_of(net.owner.slug)))
            stated = {key: value for key in ("vlan", "l2vni") if (value := getattr(net, key))}
            there = {**_of_net(fabric, net, "tenant", text), "prefix": net.subnet, "nodes": own}
            made.append(t.cast("TenantPlace", {**there, **stated}))
    if fabric.description.networks:
        for net, peer in converged.sessions(fabric, registry, attachments.links(fabric)):
            if peer.address and word in (peer.name.lower(), str(peer.asn)):
                made.append(_session(fabric, net, peer, "session_peer"))
    return made


def net_at(fabric: Fabric, registry: Holdings, node: Node, network: str) -> dict[str, t.Any]:
    """The VRF that the ports of a node are in on a network, with the VLAN where they are in a bond."""
    slug, _up = attachments.placed(registry, node, network)
    net = registry.nets[slug, network]
    bonded = attachments.mode(fabric, network) == attachments.BOND
    return {"vrf": net.vrf, **({"vlan": net.vlan, "l2vni": net.l2vni} if bonded else {})}


# Subnets


def subnets(fabric: Fabric, registry: Holdings) -> Iterator[tuple[TenantPlace, dict[str, str]]]:
    """The gateway of every subnet in use, and the leaves of the subnet by their own addresses in it."""
    for net in _used(fabric, registry):
        leaves = _leaves(fabric, registry, net)
        own = {nets.own_address(net.subnet, leaf): fabric.name(leaf) for leaf in leaves}
        yield _in_subnet(fabric, registry, net, net.gateway), own


def _used(fabric: Fabric, registry: Holdings) -> Iterator[Net]:
    """The owners whose subnets are in use: those of bonds, and those of arrays and servers."""
    for net in registry.nets.values():
        if net.subnet and (_bonded(fabric, net) or _equipment(fabric, registry, net)):
            yield net


def _equipment(fabric: Fabric, registry: Holdings, net: Net) -> set[Switch]:
    """The leaves with the VLAN of an owner at arrays or servers."""
    stored = net in converged.with_arrays(fabric, registry)
    return {
        switch
        for (switch, _port), end in fabric.outside.items()
        if (end.kind == ARRAY and stored)
        or (end.kind == SERVER and net in converged.with_server(fabric, registry, end.name))
    }


def _in_subnets(fabric: Fabric, registry: Holdings, address: Address) -> Iterator[TenantPlace]:
    for net in _used(fabric, registry):
        if address in ipaddress.ip_network(net.subnet):
            yield _in_subnet(fabric, registry, net, str(address))


def _bonded(fabric: Fabric, net: Net) -> bool:
    """Check whether nodes are in the VLAN of an owner; the ports of a routed network are in none."""
    if nets.part_of(net.network, fabric.description) is None:
        return False
    if attachments.tagged(fabric, net.network) and net.owner.slug == QUARANTINE:
        return False
    return attachments.mode(fabric, net.network) == attachments.BOND


def _in_subnet(fabric: Fabric, registry: Holdings, net: Net, address: str) -> TenantPlace:
    found = sorted(_leaves(fabric, registry, net))
    made: TenantPlace = {
        **_of_net(fabric, net, "subnet", address),
        "prefix": net.subnet,
        "vlan": net.vlan,
        "l2vni": net.l2vni,
        "leaves": [fabric.name(leaf) for leaf in found],
    }
    own = [leaf for leaf in found if nets.own_address(net.subnet, leaf) == address]
    if address == net.gateway:
        made["kind"] = "subnet_gateway"
    elif own:
        made |= {"kind": "subnet_leaf", "device": fabric.name(own[0])}
    elif address in net.vips:
        ports = array_ports(fabric)
        made |= {"kind": "subnet_vip", "arrays": sorted({*ports.values()}), "ports": sorted(ports)}
    return made


def _of_net(fabric: Fabric, net: Net, kind: str, address: str) -> TenantPlace:
    return {
        "fabric": fabric.description.name,
        "kind": kind,
        "address": address,
        "prefix": "",
        "tenant": net.owner.slug,
        "network": net.network,
        "vrf": net.vrf,
        "l3vni": net.l3vni,
    }


def _leaves(fabric: Fabric, registry: Holdings, net: Net) -> set[Switch]:
    """The leaves with the VLAN of an owner: those of the bonds of its nodes, and those of arrays and servers."""
    found = _equipment(fabric, registry, net)
    if _bonded(fabric, net):
        over = FRONT_END if attachments.tagged(fabric, net.network) else net.network
        found |= attachments.leaves_met(fabric, list(_nodes(fabric, registry, net)), (over,))
    return found


def _nodes(fabric: Fabric, registry: Holdings, net: Net) -> Iterator[Node]:
    """The built nodes whose ports are in the VLAN; those of a tenant without the network are in quarantine."""
    slug = net.owner.slug
    for node in registry.nodes_of(slug) if net.owner.customer else fabric.nodes():
        here = attachments.placed(registry, node, net.network)[0] == slug
        if here and fabric.present(node):
            yield node


def _array_ports(fabric: Fabric) -> Iterator[tuple[str, str]]:
    """(`leaf port`, array) of every cable to an array."""
    for (switch, port), end in fabric.outside.items():
        if end.kind == ARRAY:
            yield f"{fabric.name(switch)} {fabric.port_name(switch, port)}", end.name


# Sessions to the outside


def sessions(fabric: Fabric, registry: Holdings) -> Iterator[TenantPlace]:
    """The leaf end of every session that has addresses."""
    for net, peer in converged.sessions(fabric, registry, attachments.links(fabric)):
        if peer.address:
            yield _session(fabric, net, peer, "session_leaf")


def array_ports(fabric: Fabric) -> dict[str, str]:
    """The array at each `leaf port`, for addresses that move between them."""
    return dict(sorted(_array_ports(fabric)))


def _of_sessions(fabric: Fabric, registry: Holdings, address: Address) -> Iterator[TenantPlace]:
    for net, peer in converged.sessions(fabric, registry, attachments.links(fabric)):
        own = ipaddress.ip_interface(peer.address) if peer.address else None
        far = ipaddress.ip_address(peer.peer_address) if peer.peer_address else None
        if own and address == own.ip:
            yield _session(fabric, net, peer, "session_leaf")
        elif own and address == far:
            yield _session(fabric, net, peer, "session_peer")


def _session(fabric: Fabric, net: Net, peer: schema.ExternalPeer, kind: str) -> TenantPlace:
    own = ipaddress.ip_interface(str(peer.address))
    ends = [str(own.ip), str(peer.peer_address)]
    address, other = ends if kind == "session_leaf" else ends[::-1]
    stated = attachments.links(fabric)[peer.link]
    leaf = attachments.leaf_of_link(fabric, peer.link)
    port = fabric.port_name(leaf, Port(EXTERNAL, stated.port - 1))
    vlan = nets.subinterface(net.owner, peer)
    made: TenantPlace = {
        **_of_net(fabric, net, kind, address),
        "prefix": str(own.network),
        "device": fabric.name(leaf),
        "port": nets.interface(port, vlan),
        "link": peer.link,
        "session": peer.name,
        "asn": peer.asn,
        "peer_address": other,
    }
    return {**made, "vlan": vlan} if vlan else made


# Sentences


def sentence(place: TenantPlace) -> str:
    """A place as one line for a person."""
    begin = f"{place['fabric']}: {place['address']} is {_what(place)}"
    return " ".join((begin, f"({', '.join(_numbers(place))}),", _where(place)))


def _what(place: TenantPlace) -> str:
    what, of = KINDS[place["kind"]], f"of {place['tenant']} on {place['network']}"
    if "session" in place:
        return f"{what} of the session {place['session']} {of}"
    if "nodes" in place:
        return f"{what} {of}"
    what = f"{what} at {', '.join(place['arrays'])}," if "arrays" in place else what
    what = what.replace("a leaf", place.get("device", ""))
    return f"{what} in the subnet {place['prefix']} {of}"


def _numbers(place: TenantPlace) -> Iterator[str]:
    words = {"vlan": "VLAN", "l2vni": "L2VNI", "vrf": "VRF", "l3vni": "L3VNI", "asn": "AS"}
    values: t.Mapping[str, object] = place
    return (f"{word} {values[key]}" for key, word in words.items() if values.get(key))


def _where(place: TenantPlace) -> str:
    if "session" in place:
        here = f"on {place['device']} port {place['port']}, link {place['link']}"
        return f"{here} <-> {place['peer_address']}"
    if "nodes" in place:
        return f"with {', '.join(some(place['nodes'])) or 'no node'}"
    if "ports" in place:
        return f"behind {', '.join(some(place['ports']))}"
    leaves = ", ".join(some(place.get("leaves", [])))
    return f"on {leaves}" if leaves else "on no leaf, as it has no node there"
