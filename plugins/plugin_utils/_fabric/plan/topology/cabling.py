# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cabling as arithmetic on coordinates, and its inverse.

A place is a tuple of small numbers, all zero-based:

    Switch(role="leaf", plane, pod, index)         index = su * leaves_per_su + leaf in the SU
    Switch(role="spine", plane, pod, index)
    Switch(role="super_spine", plane, group, index)   index = member of the group
    Node(pod, su, slot)

A port of a switch is (kind, index) with kind host, up or down; a port of a node is (rail, plane).
`Cabling.peer` is an involution: the peer of the peer is where one started.
"""

from __future__ import annotations

import typing as t

from .cages import Block
from .clos import EVPN_MEMBERS, EVPN_SPINES, Clos

if t.TYPE_CHECKING:
    from collections.abc import Iterator

HOST, UP, DOWN = "host", "up", "down"
EAST_WEST = "east-west"
"""The network of this cabling; those of the nodes' other ports are in `converged_cabling.py`."""


class Switch(t.NamedTuple):
    """A switch; for a super-spine `pod` is its group."""

    role: str
    plane: int
    pod: int
    index: int  # type: ignore[assignment]  # shadows tuple.index, which nobody calls


class Node(t.NamedTuple):
    """A node slot."""

    pod: int
    su: int
    slot: int

    @property
    def role(self) -> str:
        """Name of its role in `catalog/roles.yaml`, as a switch has one."""
        return "node"


class Port(t.NamedTuple):
    """A logical port of a switch."""

    kind: str
    index: int  # type: ignore[assignment]  # as above


class NicPort(t.NamedTuple):
    """A NIC port of a node; by-rail, `plane` equals `rail`."""

    rail: int
    plane: int


Device = t.Union[Switch, Node]
AnyPort = t.Union[Port, NicPort]
End = tuple[Device, AnyPort]


class Cabling:
    """The cable map of a Clos fabric."""

    def __init__(self, clos: Clos) -> None:
        self.clos = c = clos
        above = {UP: c.spine_up} if c.tiers == 3 else {}
        self._blocks: dict[str, t.Mapping[str, Block]] = {
            "leaf": {HOST: c.leaf_host, UP: c.leaf_up},
            "spine": {DOWN: c.spine_down, **above},
            "super_spine": {DOWN: c.super_down},
        }

    def of_role(self, role: str) -> t.Mapping[str, Block]:
        """The port blocks of a switch role: kind -> Block, in cage order; none of a role of another map."""
        return self._blocks.get(role, {})

    def blocks(self, switch: Switch) -> t.Mapping[str, Block]:
        """The port blocks of a switch: kind -> Block, in cage order."""
        return self._blocks[switch.role]

    def alike(self, switch: Switch) -> Iterator[Switch]:
        """Leaves of the same rails in all planes, spines of the pod, or super-spines of the plane; at capacity."""
        c = self.clos
        if switch.role == "leaf":
            planes = () if c.by_rail else range(c.planes)
            return (switch._replace(plane=plane) for plane in planes)
        groups = range(c.groups) if switch.role == "super_spine" else (switch.pod,)
        members = c.members if switch.role == "super_spine" else c.spines
        return (switch._replace(pod=pod, index=index) for pod in groups for index in range(members))

    def ports(self, switch: Switch) -> Iterator[Port]:
        """All logical ports of a switch that have a cable, in cage order; only top-of-rack has others."""
        for kind, block in self.blocks(switch).items():
            spare = kind == HOST and self.clos.top_of_rack
            for index in range(block.count):
                if not spare or self.host_end(switch, index) is not None:
                    yield Port(kind, index)

    def relays_evpn(self, switch: Switch) -> bool:
        """Check whether a spine or super-spine takes EVPN routes from one neighbour to others."""
        if switch.role == "spine":
            return switch.index < min(EVPN_SPINES, self.clos.spines)
        return (
            switch.role == "super_spine"
            and switch.pod < min(EVPN_SPINES, self.clos.spines)
            and switch.index < min(EVPN_MEMBERS, self.clos.members)
        )

    def nic_ports(self) -> Iterator[NicPort]:
        """All NIC ports of a node, by rail and then plane."""
        for rail in range(self.clos.rails):
            planes = (rail,) if self.clos.by_rail else range(self.clos.planes)
            for plane in planes:
                yield NicPort(rail, plane)

    def leaf_of(self, node: Node, nic: NicPort) -> tuple[Switch, int]:
        """The leaf and host port that a NIC port meets."""
        c = self.clos
        if c.top_of_rack:
            within, position = divmod(node.slot, c.nodes_per_leaf)
            index = position * c.rails + nic.rail
        elif c.by_rail:
            within, index = 0, node.slot
        else:
            within, offset = divmod(nic.rail, c.rails_per_leaf)
            index = node.slot * c.rails_per_leaf + offset
        return Switch("leaf", nic.plane, node.pod, node.su * c.leaves_per_su + within), index

    def host_end(self, leaf: Switch, index: int) -> tuple[Node, NicPort] | None:
        """The node and NIC port at a host port; None at spare ports of a last top-of-rack leaf."""
        c = self.clos
        su, within = divmod(leaf.index, c.leaves_per_su)
        if c.top_of_rack:
            position, rail = divmod(index, c.rails)
            slot = within * c.nodes_per_leaf + position
            if slot >= c.slots:
                return None
        elif c.by_rail:
            slot, rail = index, leaf.plane
        else:
            slot, offset = divmod(index, c.rails_per_leaf)
            rail = within * c.rails_per_leaf + offset
        return Node(leaf.pod, su, slot), NicPort(rail, leaf.plane)

    def peer(self, device: Device, port: AnyPort) -> End | None:
        """The other end of the cable at a port."""
        if isinstance(device, Node):
            leaf, index = self.leaf_of(device, t.cast(NicPort, port))
            return leaf, Port(HOST, index)
        kind, index = t.cast(Port, port)
        if device.role == "leaf":
            return self.host_end(device, index) if kind == HOST else self._above_leaf(device, index)
        if device.role == "spine":
            if kind == DOWN:
                return self._below(device, index, role="leaf", links=self.clos.leaf_links)
            return self._above_spine(device, index)
        return self._below_super(device, index)

    def _above_leaf(self, leaf: Switch, up: int) -> End:
        spine, link = divmod(up, self.clos.leaf_links)
        index = leaf.index * self.clos.leaf_links + link
        return Switch("spine", leaf.plane, leaf.pod, spine), Port(DOWN, index)

    def _below(self, spine: Switch, down: int, *, role: str, links: int) -> End:
        index, link = divmod(down, links)
        return Switch(role, spine.plane, spine.pod, index), Port(UP, spine.index * links + link)

    def _above_spine(self, spine: Switch, up: int) -> End:
        member, link = divmod(up, self.clos.spine_links)
        index = spine.pod * self.clos.spine_links + link
        return Switch("super_spine", spine.plane, spine.index, member), Port(DOWN, index)

    def _below_super(self, top: Switch, down: int) -> End:
        pod, link = divmod(down, self.clos.spine_links)
        up = top.index * self.clos.spine_links + link
        return Switch("spine", top.plane, pod, top.pod), Port(UP, up)

    def switches(
        self,
        *,
        planes: t.Collection[int] | None = None,
        pods: t.Collection[int] | None = None,
        sus: t.Collection[int] | None = None,
    ) -> Iterator[Switch]:
        """All switches at capacity: leaves, spines, super-spines, by plane; a selection if asked.

        Super-spines belong to no pod: a selection of pods leaves them out, one of SUs the spines
        too.
        """
        c = self.clos
        for plane in range(c.planes) if planes is None else sorted(planes):
            for pod in range(c.pods) if pods is None else sorted(pods):
                for su in range(c.sus) if sus is None else sorted(sus):
                    for within in range(c.leaves_per_su):
                        yield Switch("leaf", plane, pod, su * c.leaves_per_su + within)
                if sus is None:
                    for index in range(c.spines):
                        yield Switch("spine", plane, pod, index)
            if pods is None and sus is None:
                for group in range(c.groups):
                    for member in range(c.members):
                        yield Switch("super_spine", plane, group, member)

    def nodes(
        self, *, pods: t.Collection[int] | None = None, sus: t.Collection[int] | None = None
    ) -> Iterator[Node]:
        """All node slots at capacity, or those of some pods and SUs."""
        c = self.clos
        for pod in range(c.pods) if pods is None else sorted(pods):
            for su in range(c.sus) if sus is None else sorted(sus):
                for slot in range(c.slots):
                    yield Node(pod, su, slot)
