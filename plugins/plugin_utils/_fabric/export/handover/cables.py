# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cables of a fabric as things that are bought, labelled and pulled.

A link joins two ports, a cable joins plugs. A copper cable fills a cage: between two cages it carries
all their links, and as a splitter it has a head in the cage of a switch and a plug for each leg. Fibre
leaves a twin-port plug by two connectors, each with a cable of its own. Where the cages of both ends
lead to several others no splitter fits, and each link is a cable of fibre.

    L1.1.1/05-N1.09/r1p1      leaf 1 of SU 1 in plane 1, cage 5, to node 9 of SU 1, rail 1 plane 1
    L1.1.1/33.2-S1.3/17.1     leg 2 of cage 33, to leg 1 of cage 17 of spine 3

An id follows from the places of both ends alone: neither names nor what is built changes it.
"""

from __future__ import annotations

import functools
import itertools
import re
import typing as t

from ...catalog.data import table
from ...topology.cabling import DOWN, HOST, UP, NicPort, Node, Switch
from ...topology.cages import parse
from .. import rows
from .floor import Floor

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...fabric import Fabric
    from ...topology.cabling import Device, Port
    from ...topology.cages import Block

_KEPT = 4096
"""Cages whose cables are kept: those that the next devices of a rack meet again."""
_CODE = re.compile(r"[NLST][0-9]{1,4}(\.[0-9]{1,4}){1,3}")
_CONNECTORS = 2
"""Of a twin-port plug."""


class Plug(t.NamedTuple):
    """What sticks in a device: `ports` are its interfaces, `cage` is 0 at a node.

    `legs` are the one-based ports of the cage that the plug has; empty where it has the whole cage.
    """

    device: Device
    cage: int
    legs: tuple[int, ...]
    ports: tuple[str, ...]
    built: bool


class Cable(t.NamedTuple):
    """A cable with its head, at the lower switch, and its other plugs.

    `medium` is a key of the catalog, None where it is to be chosen; `route` is metres, None where
    a place is not known. `meshed` says that cages of both ends lead to several others.
    """

    id: str
    kind: str
    plane: int
    rail: int | None
    links: int
    head: Plug
    ends: tuple[Plug, ...]
    medium: str | None
    route: float | None
    meshed: bool

    @property
    def plugs(self) -> tuple[Plug, ...]:
        """All plugs, the head first."""
        return (self.head, *self.ends)

    @property
    def built(self) -> bool:
        """Whether the head and an other end are built."""
        return self.head.built and any(plug.built for plug in self.ends)


class _Wire(t.NamedTuple):
    """A link from the cage that it leaves; legs are one-based."""

    leg: int
    port: str
    far: Device
    far_cage: int
    far_leg: int
    far_port: str
    nic: NicPort | None

    @property
    def other(self) -> tuple[Device, int]:
        """The cage that it leads to; of a node a number for each."""
        return self.far, self.far_cage


class Cables:
    """The cables of a fabric, computed cage by cage."""

    def __init__(self, fabric: Fabric) -> None:
        self.fabric, self.floor = fabric, Floor(fabric)
        self._of_cage = functools.lru_cache(maxsize=_KEPT)(self._cables)
        self._joined = functools.lru_cache(maxsize=_KEPT)(self._meets)
        self._widths = _widths(fabric)
        d, data = fabric.description, table("cabling")
        self.nic = data["nics"].get(d.nics.model) or {"plug": None, "shared": True}
        self._shared = self.nic["shared"] and d.planes.mode == "split" and d.planes.count > 1

    def all(self, pods: rows.Pods = None) -> Iterator[Cable]:
        """Every cable with something built at both ends, once."""
        for switch in self.fabric.east_west(pods=pods):
            for cable, plug in self._own(switch):
                if cable.built and plug is cable.head:
                    yield cable

    def at(self, device: Device) -> Iterator[tuple[Cable, Plug]]:
        """The built cables of a device, each with the plug that is in it, in the order of its ports."""
        found = self._of_node(device) if isinstance(device, Node) else self._of_switch(device)
        return ((cable, plug) for cable, plug in found if cable.built and plug.built)

    def in_cage(self, switch: Switch, cage: int) -> tuple[Cable, ...]:
        """The cables whose head is in a cage of a switch, built or not; none where it has no such cage."""
        return self._of_cage(switch, cage) if cage in self._cages(switch) else ()

    def most_ends(self) -> int:
        """The most ends that a cable of this fabric has beside its head."""
        blocks = [(HOST, self.fabric.clos.leaf_host), (UP, self.fabric.clos.leaf_up)]
        blocks.append((UP, self.fabric.clos.spine_up))
        return max(
            block.breakout if kind == HOST and not self._shared else 1 for kind, block in blocks
        )

    def cage_of(self, plug: Plug) -> object:
        """A key for each cage of a device: the number at a switch, the rail or the ports at a node."""
        if plug.cage or not self._shared:
            return plug.cage or plug.ports
        nic = self.fabric.names.nic_port(plug.ports[0])
        return nic and nic.rail

    def some_meshed(self, *, host: bool) -> bool:
        """Whether cages of the first leaf or spine lead to several others, and those back to several."""
        firsts = [Switch("leaf", 0, 0, 0)]
        firsts += [Switch("spine", 0, 0, 0)] if self.fabric.clos.tiers == 3 else []
        return any(
            cable.meshed and host == (cable.kind == HOST)
            for switch in firsts
            for cable, _plug in self._own(switch)
        )

    def _of_node(self, node: Node) -> Iterator[tuple[Cable, Plug]]:
        for nic in self.fabric.cabling.nic_ports():
            leaf, port = t.cast("tuple[Switch, Port]", self.fabric.cabling.peer(node, nic))
            name = self.fabric.names.nic(nic)
            cage, _sub = t.cast("tuple[int, int]", parse(self.fabric.port_name(leaf, port)))
            for cable in self._of_cage(leaf, cage):
                yield from (
                    (cable, plug)
                    for plug in cable.ends
                    if plug.device == node and name in plug.ports
                )

    def _of_switch(self, switch: Switch) -> Iterator[tuple[Cable, Plug]]:
        yield from self._from_below(switch)
        yield from self._own(switch)

    def _own(self, switch: Switch) -> Iterator[tuple[Cable, Plug]]:
        for cage in self._cages(switch):
            yield from ((cable, cable.head) for cable in self._of_cage(switch, cage))

    def _from_below(self, switch: Switch) -> Iterator[tuple[Cable, Plug]]:
        for cage in self._cages(switch):
            for below, its_cage in self._joined(switch, cage):
                for cable in self._of_cage(below, its_cage):
                    yield from (
                        (cable, plug)
                        for plug in cable.ends
                        if plug.device == switch and plug.cage == cage
                    )

    def _cages(self, switch: Switch) -> Iterator[int]:
        for block in self.fabric.cabling.blocks(switch.role).values():
            yield from range(block.first, block.first + block.cages)

    def _block(self, switch: Switch, cage: int) -> Block:
        blocks = self.fabric.cabling.blocks(switch.role).values()
        return next(b for b in blocks if b.first <= cage < b.first + b.cages)

    def _ports(self, switch: Switch, cage: int) -> Iterator[tuple[int, str, Port]]:
        """(leg, interface, logical port) of the cabled ports of a cage."""
        block = self._block(switch, cage)
        begin = (cage - block.first) * block.breakout
        for leg, index in enumerate(range(begin, min(begin + block.breakout, block.count)), 1):
            name = block.name(index)
            port = t.cast("Port | None", self.fabric.port(switch, name))
            if port is not None:
                yield leg, name, port

    def _meets(self, switch: Switch, cage: int) -> tuple[tuple[Switch, int], ...]:
        """The cages of lower switches that links of a cage come from."""
        found = {}
        for _leg, _name, port in self._ports(switch, cage):
            if port.kind == DOWN:
                below, its_port = t.cast(
                    "tuple[Switch, Port]", self.fabric.cabling.peer(switch, port)
                )
                found[
                    below,
                    t.cast("tuple[int, int]", parse(self.fabric.port_name(below, its_port)))[0],
                ] = 1
        return tuple(found)

    def _wires(self, switch: Switch, cage: int) -> Iterator[_Wire]:
        for leg, name, port in self._ports(switch, cage):
            if port.kind == DOWN:
                continue
            far, far_port = t.cast("tuple[Device, t.Any]", self.fabric.cabling.peer(switch, port))
            far_name = self.fabric.port_name(far, far_port)
            if isinstance(far, Node):
                number = far_port.rail * 64 + (0 if self._shared else far_port.plane)
                yield _Wire(leg, name, far, number, 1, far_name, far_port)
            else:
                far_cage, sub = t.cast("tuple[int, int | None]", parse(far_name))
                yield _Wire(leg, name, far, far_cage, (sub or 0) + 1, far_name, None)

    def _cables(self, switch: Switch, cage: int) -> tuple[Cable, ...]:
        """The cables whose head is in a cage of a switch."""
        wires = list(self._wires(switch, cage))
        if not wires:
            return ()
        meshed = self._is_meshed(switch, cage, wires)
        medium = self.medium(switch, wires, meshed=meshed)
        breakout = self._block(switch, cage).breakout
        connector = max(1, breakout // _CONNECTORS)
        if meshed or (medium and not table("cabling")["media"][medium]["copper"]):
            groups = _by_connector(wires, connector, meshed=meshed)
        else:
            groups = [wires]
        alone = len(groups) == 1 and not meshed
        return tuple(
            self._cable(switch, cage, group, medium=medium, meshed=meshed, whole=alone)
            for group in groups
        )

    def _is_meshed(self, switch: Switch, cage: int, wires: list[_Wire]) -> bool:
        others = {wire.other for wire in wires}
        for far, far_cage in others:
            if isinstance(far, Node):
                if self._shared:
                    return True
            elif len(self._joined(far, far_cage)) > 1:
                return True
        return False

    def medium(self, switch: Switch, wires: list[_Wire], *, meshed: bool) -> str | None:
        """What the cables of a cage are made of; None where nothing public or nothing known decides."""
        data, d = table("cabling"), self.fabric.description
        host = isinstance(wires[0].far, Node)
        speed = d.switches.host_speed if host else d.switches.fabric_speed
        if (
            d.switches.model not in data["models"]
            or speed not in data["media"]["multimode"]["optics"]
        ):
            return None
        if host and not self.nic["plug"]:
            return None
        stated = d.cabling.host if host else d.cabling.fabric
        if stated:
            return stated
        far = self._far(switch, wires) if not meshed else self._longest(switch.role)
        reaches = "host" if host else "fabric"
        return next(
            (
                name
                for name, row in data["media"].items()
                if far is not None and far <= row[reaches] and not (meshed and row["copper"])
            ),
            None,
        )

    def _far(self, switch: Switch, wires: Iterable[_Wire]) -> float | None:
        """The longest way of some links; None where one to a built device is not known."""
        spot, found = self.floor.spot(switch), list[float]()
        for wire in wires:
            way = self.floor.route(spot, self.floor.spot(wire.far))
            if way is None and self.fabric.present(wire.far):
                return None
            found += [] if way is None else [way]
        return max(found, default=None)

    @functools.cached_property
    def _longest_ways(self) -> dict[str, float | None]:
        switches: dict[str, list[Switch]] = {"leaf": [], "spine": [], "super_spine": []}
        if not self.floor.racks:
            return dict.fromkeys(switches)
        for switch in self.fabric.east_west():
            switches[switch.role].append(switch)
        above = {"leaf": "spine", "spine": "super_spine"}
        return {
            low: self.floor.longest(switches[low], switches[high]) for low, high in above.items()
        }

    def _longest(self, role: str) -> float | None:
        """Meshed cages share their plugs, so one kind of fibre has to reach all of them."""
        return self._longest_ways.get(role)

    def _cable(
        self,
        switch: Switch,
        cage: int,
        wires: list[_Wire],
        *,
        medium: str | None,
        meshed: bool,
        whole: bool,
    ) -> Cable:
        legs = () if whole else tuple(wire.leg for wire in wires)
        names = tuple(wire.port for wire in wires)
        head = Plug(switch, cage, legs, names, self.fabric.present(switch))
        ends = tuple(self._end(list(group)) for _key, group in itertools.groupby(wires, _other))
        first, host = wires[0], isinstance(wires[0].far, Node)
        own = f"{self.code(switch)}/{cage:02}" + ("" if whole else f".{first.leg}")
        if first.nic:
            other = f"r{first.nic.rail + 1}p{first.nic.plane + 1}"
        else:
            other = f"{first.far_cage:02}" + ("" if whole else f".{first.far_leg}")
        return Cable(
            id=f"{own}-{self.code(first.far)}/{other}",
            kind=HOST if host else switch.role,
            plane=switch.plane,
            rail=first.nic.rail
            if first.nic and len({w.nic.rail for w in wires if w.nic}) == 1
            else None,
            links=len(wires),
            head=head,
            ends=ends,
            medium=medium,
            route=self._far(switch, wires),
            meshed=meshed,
        )

    def _end(self, wires: list[_Wire]) -> Plug:
        far, built = wires[0].far, self.fabric.present(wires[0].far)
        names = tuple(wire.far_port for wire in wires)
        if isinstance(far, Node):
            return Plug(far, 0, (), names, built)
        breakout = self._block(far, wires[0].far_cage).breakout
        legs = tuple(wire.far_leg for wire in wires)
        return Plug(far, wires[0].far_cage, () if len(legs) == breakout else legs, names, built)

    def code(self, device: Device) -> str:
        """A short name that is the same for ever: `L1.3.2` is leaf 2 of SU 3 in plane 1, `N3.09` node 9 of SU 3.

        With several pods the pod follows the plane, or begins a node's code. S is a spine, T a super-spine
        with its group.
        """
        w, c = self._widths, self.fabric.clos
        pod = f"{device.pod + 1:0{w['pod']}}." if c.tiers == 3 else ""
        if isinstance(device, Node):
            return f"N{pod}{device.su + 1:0{w['su']}}.{device.slot + 1:0{w['slot']}}"
        if device.role == "leaf":
            su, within = divmod(device.index, c.leaves_per_su)
            return f"L{device.plane + 1}.{pod}{su + 1:0{w['su']}}.{within + 1:0{w['leaf']}}"
        if device.role == "spine":
            return f"S{device.plane + 1}.{pod}{device.index + 1:0{w['spine']}}"
        group = f"{device.pod + 1:0{w['group']}}"
        return f"T{device.plane + 1}.{group}.{device.index + 1:0{w['member']}}"

    def coded(self, code: str) -> Device | None:
        """The device of a code, the inverse of `code`; None where no device has it."""
        if not _CODE.fullmatch(code):
            return None
        c, numbers = self.fabric.clos, [int(number) - 1 for number in code[1:].split(".")]
        pods = [c.pods] if c.tiers == 3 else []
        limits = {
            "N": [*pods, c.sus, c.slots],
            "L": [c.planes, *pods, c.sus, c.leaves_per_su],
            "S": [c.planes, *pods, c.spines],
            "T": [c.planes, c.groups, c.members],
        }[code[0]]
        if len(numbers) != len(limits) or not all(
            map(range.__contains__, map(range, limits), numbers)
        ):
            return None
        if c.tiers == 2:
            numbers.insert(0 if code[0] == "N" else 1, 0)
        made = _coded(code[0], numbers, c.leaves_per_su)
        return made if self.code(made) == code else None


def refusal(fabric: Fabric) -> str | None:
    """Why cables cannot be what the description states."""
    media, stated = table("cabling")["media"], fabric.description.cabling
    cables = Cables(fabric)
    for key in ("host", "fabric"):
        medium = getattr(stated, key)
        if medium and media[medium]["copper"] and cables.some_meshed(host=key == "host"):
            return (
                f"cabling.{key} is {medium}, and cages of both ends lead to several others, which no copper "
                "cable does: use multimode or single-mode."
            )
    return None


def _coded(letter: str, numbers: list[int], leaves: int) -> Device:
    """A node of pod, SU and slot; a switch of plane, pod (or group) and its number there."""
    if letter == "N":
        return Node(*numbers)
    plane, pod, *rest = numbers
    if letter == "L":
        return Switch("leaf", plane, pod, rest[0] * leaves + rest[1])
    return Switch("spine" if letter == "S" else "super_spine", plane, pod, rest[0])


def _other(wire: _Wire) -> tuple[Device, int]:
    return wire.other


def _by_connector(wires: list[_Wire], connector: int, *, meshed: bool) -> list[list[_Wire]]:
    """The wires of each fibre connector; of each link where a connector leads to several switches."""
    groups: list[list[_Wire]] = []
    for _key, found in itertools.groupby(wires, lambda wire: (wire.leg - 1) // connector):
        group = list(found)
        ends = {(*wire.other, (wire.far_leg - 1) // connector) for wire in group}
        groups += [[wire] for wire in group] if meshed and len(ends) > 1 else [group]
    return groups


def _widths(fabric: Fabric) -> dict[str, int]:
    c = fabric.clos
    counts = {
        "pod": c.pods,
        "su": c.sus,
        "slot": c.slots,
        "leaf": c.leaves_per_su,
        "spine": c.spines,
        "group": c.groups,
        "member": c.members,
    }
    return {name: len(str(count)) for name, count in counts.items()}
