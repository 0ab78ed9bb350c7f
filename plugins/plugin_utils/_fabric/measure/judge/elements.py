# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements in the path of a test between two NIC ports.

Adaptive routing spreads each flow over all uplinks and spines, so these are one element for a pair: `uplinks` of a
leaf, `spines` of a pod in a plane, `tops` (super-spines) of a plane. Where the NIC spreads a flow over its planes
(hwplb), the ports of a NIC are one end, and each element means its equals in all planes. A node, a NIC, a cable
and the uplinks of a leaf have two directions; a bandwidth test of one way proves one of them.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...plan.topology.cabling import UP, NicPort, Node, Port
from ..plan import placement
from ..plan.records import Pair

if t.TYPE_CHECKING:
    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import AnyPort, Device, Switch
    from ...plan.topology.cabling import End as CableEnd

NODE, NIC, CABLE, LEAF_SWITCH, UPLINKS, SPINES, TOPS, PLANE = (
    "node",
    "nic",
    "cable",
    "leaf",
    "uplinks",
    "spines",
    "tops",
    "plane",
)
SENDS, RECEIVES, BOTH = 0, 1, 2
"""The direction in which a test uses an element."""


class Element(t.NamedTuple):
    """Something that many tests have in common; coordinates that a kind has not are -1."""

    kind: str
    device: Node | Switch | None = None
    rail: int = -1
    plane: int = -1
    pod: int = -1


@dataclasses.dataclass(frozen=True, eq=False)
class End:
    """A NIC port, its leaf, and what belongs to it alone: node, NIC, cable. `Paths` makes one of each.

    `sends` and `receives` are the keys of its own elements; `above` those of its uplinks in either direction.
    """

    name: str
    node: Node
    nic: NicPort
    leaf: Switch
    own: tuple[Element, Element, Element]
    switch: Element
    uplinks: Element
    keys: tuple[tuple[int, ...], ...]
    above: tuple[int, ...]
    level: tuple[int, int]


Path = tuple[int, ...]
"""Keys of elements: the number of an element, and the direction in which it is used."""


class Paths:
    """The elements of tests of one fabric; each NIC port is computed once."""

    def __init__(self, fabric: Fabric) -> None:
        self.fabric = fabric
        self.ports = placement.nics(fabric)
        self.spread = fabric.description.planes.balancing == "hwplb"
        self._ends: dict[tuple[str, int | None, int | None], End | None] = {}
        self._elements: list[Element] = []
        self._numbers: dict[Element, int] = {}
        self._spines: dict[tuple[int, int, int], Path] = {}

    def key(self, element: Element, way: int = BOTH) -> int:
        """An element in a direction as a number: paths are long, and numbers are quick to compare."""
        number = self._numbers.setdefault(element, len(self._elements))
        if number == len(self._elements):
            self._elements.append(element)
        return 3 * number + way

    def element(self, key: int) -> Element:
        """The element of a key."""
        return self._elements[key // 3]

    def end(self, name: str, rail: int | None, plane: int | None) -> End | None:
        """The NIC port of a built node; None for a device or port that is none."""
        key = (name, rail, plane)
        if key not in self._ends:
            self._ends[key] = self._found(*key)
        return self._ends[key]

    def _found(self, name: str, rail: int | None, plane: int | None) -> End | None:
        node = self.fabric.device(name)
        if not isinstance(node, Node) or (rail, plane) not in self.ports:
            return None
        nic = NicPort(t.cast(int, rail), t.cast(int, plane))
        leaf = self.fabric.cabling.leaf_of(node, nic)[0]
        own = (
            Element(NODE, node),
            Element(NIC, node, nic.rail),
            Element(CABLE, node, nic.rail, -1 if self.spread else nic.plane),
        )
        switch, uplinks = Element(LEAF_SWITCH, leaf), Element(UPLINKS, leaf)
        ways = (SENDS, RECEIVES, BOTH)
        return End(
            name=name,
            node=node,
            nic=nic,
            leaf=leaf,
            own=own,
            switch=switch,
            uplinks=uplinks,
            keys=tuple(tuple(self.key(e, way) for e in own) for way in ways),
            above=tuple(self.key(uplinks, way) for way in ways),
            level=(self.key(switch), self.key(Element(PLANE, None, -1, nic.plane))),
        )

    def path(self, first: End, second: End, *, both_ways: bool = False) -> Path:
        """Return the elements in the path of a test from one end to another."""
        out, into = (BOTH, BOTH) if both_ways else (SENDS, RECEIVES)
        if first.leaf == second.leaf:
            return (*first.keys[out], *second.keys[into], *first.level)
        above = (first.above[out], second.above[into], second.level[0])
        spines = self._shared(first.nic.plane, first.leaf.pod, second.leaf.pod)
        return (*first.keys[out], *second.keys[into], *first.level, *above, *spines)

    def elements(self, path: Path) -> set[Element]:
        """The elements of a path."""
        return {self._elements[key // 3] for key in path}

    def _shared(self, plane: int, one: int, two: int) -> Path:
        """The spines of both pods, and between pods the super-spines."""
        if (plane, one, two) not in self._spines:
            found = [Element(SPINES, None, -1, plane, pod) for pod in sorted({one, two})]
            found += [Element(TOPS, None, -1, plane)] if one != two else []
            self._spines[plane, one, two] = tuple(self.key(element) for element in found)
        return self._spines[plane, one, two]

    # What an element means

    def cables(self, element: Element) -> list[tuple[Device, AnyPort]]:
        """The lower ends of the cables that an element is, or is one of."""
        cabling = self.fabric.cabling
        if isinstance(element.device, Node):
            nics = [p for p in cabling.nic_ports() if element.rail in (-1, p.rail)]
            return [(element.device, p) for p in nics if element.plane in (-1, p.plane)]
        leaves = self.switches(element) if element.kind == UPLINKS else ()
        return [(leaf, p) for leaf in leaves for p in cabling.ports(leaf) if p.kind == UP]

    def switches(self, element: Element) -> list[Switch]:
        """The switches that an element is, or is one of, or whose uplinks it is."""
        if isinstance(element.device, Node) or element.kind == PLANE:
            return []
        if element.device is not None:
            return [element.device._replace(plane=plane) for plane in self.planes(element)]
        found = self.fabric.switches(planes=self.planes(element))
        role = "spine" if element.kind == SPINES else "super_spine"
        return [s for s in found if s.role == role and element.pod in (-1, s.pod)]

    def planes(self, element: Element) -> list[int]:
        """The planes of an element: all where NICs spread flows over them."""
        if self.spread:
            return list(range(self.fabric.clos.planes))
        device = element.device
        return [element.plane if device is None or isinstance(device, Node) else device.plane]


def pair(fabric: Fabric, first: End, second: End) -> Pair:
    """The pair of two ends of one plane; their rails differ only where such pairs were measured."""
    if first.nic == second.nic:
        found = placement.distance(fabric, first.node, second.node)
        return Pair(first.name, second.name, *first.nic, found)
    found = placement.distance_across(fabric, (first.node, first.nic), (second.node, second.nic))
    return Pair(first.name, second.name, *first.nic, found, second.nic.rail)


def cable_name(fabric: Fabric, lower: Device, port: AnyPort) -> str:
    """A cable end to end, as `locate` says it: `node port rail1p1 <-> leaf port swp1s0`."""
    upper, at = t.cast("CableEnd", fabric.cabling.peer(lower, port))
    ends = ((lower, port), (upper, at))
    return " <-> ".join(f"{fabric.name(d)} port {fabric.port_name(d, p)}" for d, p in ends)


def lower_end(fabric: Fabric, device: Device, port: AnyPort) -> tuple[Device, AnyPort]:
    """The lower end of the cable at a port."""
    if isinstance(device, Node) or t.cast(Port, port).kind == UP:
        return device, port
    return t.cast("CableEnd", fabric.cabling.peer(device, port))
