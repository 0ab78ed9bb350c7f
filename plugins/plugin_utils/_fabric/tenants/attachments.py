# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments: where nodes, storage arrays and links to providers meet their leaves, on every network alike.

    of_node(fabric, node)     [Attachment(network="east-west", leaf="leaf-p1-su001-r1", port="swp1s0", ...), ...]
    on_leaf(fabric, leaf)     those of the nodes of one leaf

An attachment is a port of a node on one network, seen from its leaf: a routed port with an address, or a bond whose
VLAN is that of the node's holder (`nets.py`). The node of lab-converged has two on each of its three networks. Where
storage has no ports of its own, a bond of the front end is two attachments, of which that of storage is tagged. A node
of max-524288 has eight, all east-west. Who holds the node is the registry's: an attachment follows from the plan alone.

Networks differ in nothing but their row of `POLICIES`: what reads leaves, guards them or moves nodes asks that row
and never for the name of a network. Costs follow the nodes, arrays and links that are asked about, never the fabric.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..description._third_party import netaddr
from ..plan.addressing.addresses import Ends
from ..plan.slices import bond_name
from ..plan.topology.cabling import EAST_WEST, HOST, Node, Port, Switch
from ..plan.topology.converged import FRONT_END, STORAGE
from ..plan.topology.converged_cabling import NetPort
from . import nets
from .schema import QUARANTINE

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ..plan.devices import NodePort
    from ..plan.fabric import Fabric
    from .holdings import Holdings

BOND, ROUTED = "bond", "routed"


@dataclasses.dataclass(frozen=True)
class Policy:
    """A row of what differs between networks.

    `everybody`: every owner is on the network, not the entitled ones alone. `silent`: a shut port is with nobody, and
    shows nothing of where its node is. `unbuilt`: the port of a node that is not built is in quarantine, not unused.
    `rails`: the routes of an owner may be scoped by rail or collapsed by leaf, and may leak to other owners.
    """

    everybody: bool
    silent: bool
    unbuilt: bool
    rails: bool


POLICIES = {
    EAST_WEST: Policy(everybody=True, silent=False, unbuilt=True, rails=True),
    FRONT_END: Policy(everybody=False, silent=True, unbuilt=False, rails=False),
    STORAGE: Policy(everybody=False, silent=True, unbuilt=False, rails=False),
}


class Attachment(t.NamedTuple):
    """A port of a node on a network, as its leaf has it.

    `port` is what is in the VRF or in VLANs: the bond where the node has one, and `swp` what is below it. `tagged` is
    the second network of a bond, and `shares` the first one of such a bond. A routed port has an address and a gateway,
    in a prefix of their own. `present`: the node is built. `resting`: the link is out of service; `deferred`: its leaf
    is, so that nothing can be changed there.
    """

    node: Node
    network: str
    leaf: str
    port: str
    swp: str
    nic: str
    present: bool
    resting: bool
    deferred: bool
    address: str = ""
    gateway: str = ""
    length: int = 0
    rail: int | None = None
    plane: int | None = None
    tagged: bool = False
    shares: bool = False

    @property
    def routed(self) -> bool:
        """Return whether the port itself is in a VRF, rather than a bond in VLANs."""
        return self.port == self.swp

    @property
    def prefix(self) -> str | None:
        """The prefix of both ends of a routed port."""
        return Ends(self.address, self.gateway, self.length).prefix

    @property
    def policy(self) -> Policy:
        """The row of its network."""
        return POLICIES[self.network]


def of_node(
    fabric: Fabric, node: Node, networks: Collection[str] = tuple(POLICIES)
) -> list[Attachment]:
    """The attachments of a node on some networks, in the order of these, and of its ports."""
    ends = ((port, fabric.end(node, port)) for port in fabric.node_ports())
    made = [
        at
        for port, end in ends
        for at in _between(fabric, node, port, *t.cast("tuple[Switch, Port]", end))
    ]
    order = list(POLICIES)
    return sorted(
        (at for at in made if at.network in networks), key=lambda at: order.index(at.network)
    )


def on_leaf(fabric: Fabric, leaf: Switch) -> Iterator[Attachment]:
    """The attachments on a leaf, in the order of its cages."""
    hosts = fabric.blocks(leaf).get(HOST)
    for index in range(hosts.count if hosts else 0):
        there = Port(HOST, index)
        if end := fabric.end(leaf, there):
            node, port = t.cast("tuple[Node, NodePort]", end)
            found = _between(fabric, node, port, leaf, there)
            yield from (at for at in found if at.present or at.policy.unbuilt)


def network_of(port: NodePort) -> str:
    """The network of a port of a node."""
    return port.network if isinstance(port, NetPort) else EAST_WEST


def _between(
    fabric: Fabric, node: Node, port: NodePort, leaf: Switch, there: Port
) -> Iterator[Attachment]:
    """The attachment of a port of a node; two where storage is tagged on its bond."""
    network = network_of(port)
    bonded, ends = mode(fabric, network) == BOND, fabric.addresses.ends(node, port)
    own, swp, switch = (
        fabric.port_name(node, port),
        fabric.port_name(leaf, there),
        fabric.name(leaf),
    )
    rests = fabric.outages and _rests(fabric, {(switch, swp), (switch, None)}, node, own)
    two = bonded and tagged(fabric, STORAGE)
    first = Attachment(
        node,
        network,
        leaf=switch,
        port=bond_name(there.index) if bonded else swp,
        swp=swp,
        nic=own,
        present=fabric.present(node),
        resting=bool(rests),
        deferred=(switch, None) in fabric.outages,
        address=ends.low,
        gateway=ends.high,
        length=ends.length,
        rail=None if isinstance(port, NetPort) else port.rail,
        plane=None if isinstance(port, NetPort) else port.plane,
        shares=two,
    )
    yield first
    if two:
        nic = f"{fabric.names.bond(FRONT_END)}.{STORAGE}"
        yield first._replace(network=STORAGE, nic=nic, tagged=True, shares=False)


def _rests(fabric: Fabric, ends: set[tuple[str, str | None]], node: Node, own: str) -> bool:
    """Return whether the description takes a link out of service: at its leaf's end, or at its node's."""
    name = fabric.name(node)
    return not fabric.outages.isdisjoint({*ends, (name, own), (name, None)})


# Networks


def place(registry: Holdings, slug: str, network: str, *, up: bool) -> tuple[str, bool]:
    """Return the place of a port whose node an owner has: with the owner, or shut in quarantine.

    Who is not entitled to the network has the port out of service.
    """
    return (slug, up) if entitled(registry, slug, network) else (QUARANTINE, False)


def holder(registry: Holdings, at: Attachment) -> tuple[str, bool]:
    """Return the holder of an attachment, and whether it is up: quarantine, where its node is not built."""
    return placed(registry, at.node, at.network) if at.present else (QUARANTINE, False)


def rails_of(ports: Iterable[Attachment]) -> list[int]:
    """The rails of some attachments."""
    return sorted({at.rail for at in ports if at.rail is not None})


def entitled(registry: Holdings, slug: str, network: str) -> bool:
    """Return whether an owner has a network; nobody has storage in quarantine or rest."""
    owned = (slug, network) in registry.nets and (slug, network) != (QUARANTINE, STORAGE)
    return owned or POLICIES[network].everybody


def placed(registry: Holdings, node: Node, network: str) -> tuple[str, bool]:
    """Return the current place of a node's ports of a network, and whether they are up."""
    holding = registry.holding(node)
    return place(registry, holding.slug, network, up=holding.up)


def mode(fabric: Fabric, network: str) -> str:
    """Return how nodes attach to a network: bond or routed. Storage without own ports is on the front-end bond."""
    if network == EAST_WEST:
        return ROUTED
    part = nets.part_of(network, fabric.description)
    return BOND if part is None or tagged(fabric, network) else str(part.attachment)


def tagged(fabric: Fabric, network: str) -> bool:
    """Return whether a network is a tagged VLAN on the front-end bonds."""
    part = nets.part_of(STORAGE, fabric.description)
    return network == STORAGE and part is not None and part.node_ports == 0


def routed_prefixes(fabric: Fabric, nodes: Iterable[Node], network: str) -> list[str]:
    """The links of nodes on a routed network beyond the east-west one, as the fewest prefixes."""
    ports = [NetPort(network, index) for index in range(routed_ports(fabric, network))]
    links = [str(fabric.addresses.net_link(n, port).prefix) for n in nodes for port in ports]
    return [str(prefix) for prefix in netaddr.cidr_merge(links)]


def routed_ports(fabric: Fabric, network: str) -> int:
    """Count the routed links of a node on a network: none on a bond, one where the description has no such network."""
    if nets.part_of(network, fabric.description) is None:
        return 1
    return fabric.addresses.routed_ports.get(network, 0)


# Leaves


def leaves_of(
    fabric: Fabric, nodes: Iterable[Node], networks: Collection[str] = tuple(POLICIES)
) -> list[str]:
    """The leaves in service that some nodes meet on some networks, each once: east-west ones first."""
    held = list(nodes)
    rails = {*networks} & {EAST_WEST}
    found = (leaves_met(fabric, held, some) for some in (rails, {*networks} - rails))
    return [name for switches in found for name in in_service(fabric, switches)]


def leaves_met(fabric: Fabric, nodes: Collection[Node], networks: Collection[str]) -> set[Switch]:
    """The leaves that some nodes meet on some networks, in service or not."""
    ports = [port for port in fabric.node_ports() if network_of(port) in networks]
    ends = (fabric.end(node, port) for node in nodes for port in ports)
    return {t.cast("tuple[Switch, Port]", end)[0] for end in ends}


def resting_links(fabric: Fabric) -> set[str]:
    """The east-west links that are out of service: by themselves, or with their node or leaf."""
    nodes: set[Node] = set()
    for name in {row.device for row in fabric.description.out_of_service}:
        device = fabric.device(name)
        if isinstance(device, Switch):
            nodes.update(at.node for at in on_leaf(fabric, device) if at.present)
        elif device is not None:
            nodes.add(device)
    rails = (at for node in nodes for at in of_node(fabric, node, (EAST_WEST,)))
    return {str(at.prefix) for at in rails if at.resting}


def in_service(fabric: Fabric, switches: Iterable[Switch]) -> list[str]:
    """The names of the switches that are in service, in the order of the fabric."""
    return [name for name in map(fabric.name, sorted(switches)) if name not in fabric.resting]


def leaves_with(fabric: Fabric, *kinds: str) -> list[str]:
    """The leaves to which arrays or servers are cabled, each once."""
    return in_service(
        fabric, {switch for (switch, _port), end in fabric.outside.items() if end.kind in kinds}
    )


def links(fabric: Fabric) -> dict[str, t.Any]:
    """The links to the outside by name, as the description has them: {name, leaf, port}."""
    border = nets.part_of("border", fabric.description)
    return {link.name: link for link in border.links} if border else {}


def leaf_of_link(fabric: Fabric, name: str) -> Switch:
    """The border leaf of a link; the description has its name in the plan, and a site may have given it another."""
    return t.cast(Switch, fabric.names.device(links(fabric)[name].leaf))


def border_leaves(fabric: Fabric, names: Iterable[str]) -> list[str]:
    """The border leaves in service of some links, each once."""
    known = links(fabric)
    return in_service(fabric, {leaf_of_link(fabric, name) for name in names if name in known})
