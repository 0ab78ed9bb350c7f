# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cabling of the converged fabric, as arithmetic on coordinates, and its inverse.

    Switch("front_end_leaf", 0, pair, member)     storage_leaf and border_leaf alike; member 0 or 1
    Switch("converged_spine", 0, 0, index)
    Switch("converged_core", 0, 0, member)        the one pair of a fabric without leaves and spines
    NetPort("front-end", 0)                       the first front-end port of a node

A node with two ports has the first at member 0 of its pair and the second at member 1, both with the same index. Where
nodes have one port each, they take turns between the members. The links of a core are `up` at member 1 and `down` at
member 0, so that each has a lower end. What is outside, an array, a server or a provider, has no port of
its own here. The peer of the peer is where one started.
"""

from __future__ import annotations

import typing as t

from ...catalog.roles import ROLES
from .cabling import Node, Port, Switch
from .clos import EVPN_SPINES
from .converged import (
    CONVERGED_SPINE,
    CORE,
    DOWN,
    FRONT_END,
    HOST,
    LEAVES,
    MEMBERS,
    OUTSIDE,
    STORAGE,
    UP,
    Converged,
)

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from .cages import Block
    from .clos import Clos
    from .converged import Leaves

NETWORKS = (FRONT_END, STORAGE)
"""The networks that nodes have ports of."""


class NetPort(t.NamedTuple):
    """A port of a node on the converged fabric; `index` counts those of the network."""

    network: str
    index: int  # type: ignore[assignment]  # shadows tuple.index, which nobody calls


class FarEnd(t.NamedTuple):
    """Far end of an array port or an external port; `bond` is true where it spans both leaves."""

    kind: str
    name: str
    bond: bool = False


NetEnd = tuple[t.Union[Switch, Node], t.Union[Port, NetPort]]


def is_converged(device: object) -> bool:
    """Check whether a device is a switch of the converged fabric."""
    return isinstance(device, Switch) and ROLES[device.role].converged


def plane_of(switch: Switch) -> int | None:
    """The plane of a switch; None of one beside the east-west fabric, which is in none."""
    return None if ROLES[switch.role].beside else switch.plane


class ConvergedCabling:
    """The cable map of the converged fabric; `outside` is what the description cables to it."""

    def __init__(
        self,
        counts: Converged,
        clos: Clos,
        outside: t.Mapping[tuple[Switch, Port], FarEnd] | None = None,
    ) -> None:
        self.counts, self.clos = counts, clos
        self.outside = dict(outside or {})

    def blocks(self, switch: Switch) -> t.Mapping[str, Block]:
        """The port blocks of a switch: kind -> Block, in cage order."""
        blocks = self.counts.blocks(switch.role)
        if switch.role != CORE or switch.index:
            return blocks
        return {DOWN if kind == UP else kind: block for kind, block in blocks.items()}

    def switches(self) -> Iterator[Switch]:
        """All switches at capacity: border, storage and front-end leaves, pair by pair, then spines."""
        for role, leaves in self.counts.leaves.items():
            for pair in range(leaves.pairs):
                for member in range(MEMBERS):
                    yield Switch(role, 0, pair, member)
        for index in range(self.counts.spines):
            yield self.spine(index)

    @staticmethod
    def spine(index: int) -> Switch:
        """Return a spine by its number."""
        return Switch(CONVERGED_SPINE, 0, 0, index)

    def ports(self, switch: Switch) -> Iterator[Port]:
        """All logical ports of a switch that have a cable, in cage order."""
        for kind, block in self.blocks(switch).items():
            for index in range(block.count):
                port = Port(kind, index)
                if kind in (UP, DOWN) or self.peer(switch, port):
                    yield port

    def alike(self, switch: Switch) -> Iterator[Switch]:
        """All spines, or the pair of a leaf; none where nodes have one port, which no other leaf has."""
        if switch.role == CONVERGED_SPINE:
            return (switch._replace(index=index) for index in range(self.counts.spines))
        members = 0 if self.counts.leaves[switch.role].node_ports == 1 else MEMBERS
        return (switch._replace(index=member) for member in range(members))

    def relays_evpn(self, switch: Switch) -> bool:
        """Check whether a switch takes EVPN routes from one neighbour to others."""
        return switch.role == CONVERGED_SPINE and switch.index < EVPN_SPINES

    # Nodes

    def ordinal(self, node: Node) -> int:
        """The number of a node at capacity."""
        return (node.pod * self.clos.sus + node.su) * self.clos.slots + node.slot

    def node(self, ordinal: int) -> Node:
        """The inverse."""
        unit, slot = divmod(ordinal, self.clos.slots)
        return Node(*divmod(unit, self.clos.sus), slot)

    def node_ports(self, _node: Node | None = None) -> Iterator[NetPort]:
        """The ports of a node on the converged fabric, front end first; every node has the same."""
        for network in NETWORKS:
            leaves = self.counts.meeting(network)
            for index in range(leaves.hosts[network].ports if leaves else 0):
                yield NetPort(network, index)

    def leaf_of(self, node: Node, port: NetPort) -> tuple[Switch, int]:
        """The leaf and host port that a port of a node meets."""
        leaves = t.cast("Leaves", self.counts.meeting(port.network))
        hosts = leaves.hosts[port.network]
        pair, position = divmod(self.ordinal(node), leaves.nodes_per_pair)
        if hosts.ports == MEMBERS:
            return Switch(leaves.role, 0, pair, port.index), hosts.first + position
        index, member = divmod(position, MEMBERS)
        return Switch(leaves.role, 0, pair, member), hosts.first + index

    def host_end(self, leaf: Switch, index: int) -> tuple[Node, NetPort] | None:
        """The node and its port at a host port; None where the last pair has ports to spare."""
        leaves = self.counts.leaves[leaf.role]
        network = leaves.network_at(index)
        ports, first = leaves.hosts[network]
        both, within = ports == MEMBERS, index - first
        position = within if both else within * MEMBERS + leaf.index
        ordinal = leaf.pod * leaves.nodes_per_pair + position
        if position >= leaves.nodes_per_pair or ordinal >= self.counts.nodes:
            return None
        return self.node(ordinal), NetPort(network, leaf.index if both else 0)

    def nodes_of(self, leaf: Switch) -> Iterator[Node]:
        """The nodes of the pair of a leaf, at capacity."""
        leaves = self.counts.leaves[leaf.role]
        first = leaf.pod * leaves.nodes_per_pair
        return map(self.node, range(first, min(first + leaves.nodes_per_pair, self.counts.nodes)))

    # Cables

    def peer(self, device: Switch | Node, port: Port | NetPort) -> NetEnd | FarEnd | None:
        """The other end of the cable at a port; None where there is none."""
        if isinstance(device, Node):
            leaf, index = self.leaf_of(device, t.cast(NetPort, port))
            return leaf, Port(HOST, index)
        kind, index = t.cast(Port, port)
        if kind in OUTSIDE:
            return self.outside.get((device, Port(kind, index)))
        if kind == HOST:
            return self.host_end(device, index)
        if device.role == CORE:
            return device._replace(index=1 - device.index), Port(DOWN if kind == UP else UP, index)
        return self._above(device, index) if kind == UP else self._below(device, index)

    def _above(self, leaf: Switch, up: int) -> NetEnd:
        leaves = self.counts.leaves[leaf.role]
        spine, link = divmod(up, leaves.links)
        number = leaf.pod * MEMBERS + leaf.index
        return self.spine(spine), Port(DOWN, leaves.first + number * leaves.links + link)

    def _below(self, spine: Switch, down: int) -> NetEnd | None:
        for role in reversed(LEAVES):
            leaves = self.counts.leaves.get(role)
            if leaves and down >= leaves.first:
                number, link = divmod(down - leaves.first, leaves.links)
                leaf = Switch(role, 0, *divmod(number, MEMBERS))
                return leaf, Port(UP, spine.index * leaves.links + link)
        return None
