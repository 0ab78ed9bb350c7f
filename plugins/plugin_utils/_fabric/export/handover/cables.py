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

    FL1.2/05-N1.09/f2         member 2 of the first pair of front-end leaves, to the second front-end port of a node
    SL1.1/01.2-A2             leg 2 of cage 1 of a storage leaf, to what its array port 2 is cabled to
    OL7/11-N1.02/dpu1         port 11 of out-of-band leaf 7, to the first BlueField of a node; X3 an extra

An id follows from the places of both ends alone: neither names nor what is built changes it.
"""

from __future__ import annotations

import functools
import itertools
import re
import typing as t

from ...catalog.data import table
from ...catalog.roles import ROLES
from ...plan.slices import model_of, speed_of
from ...plan.topology.cabling import DOWN, HOST, UP, NicPort, Node, Switch
from ...plan.topology.cages import parse
from ...plan.topology.converged import (
    ARRAY,
    EXTERNAL,
    FRONT_END,
    SERVER,
    STORAGE,
)
from ...plan.topology.converged_cabling import NETWORKS, FarEnd, NetPort, plane_of
from ...plan.topology.oob import ACCESS, ETH0, OobPort
from ...plan.topology.oob import LEAF as OOB_LEAF
from ...plan.topology.oob import SPINE as OOB_SPINE
from .. import rows
from .floor import Floor, Spot

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Device, Port
    from ...plan.topology.cages import Block

    Far = t.Union[Device, FarEnd]
    """Far end of a cable."""

_KEPT = 4096
"""Cages whose cables are kept: those that the next devices of a rack meet again."""
_CODE = re.compile(r"[NLST][0-9]{1,4}(\.[0-9]{1,4}){1,3}")
_CONVERGED = {role.code: role for role in ROLES.values() if role.beside}
"""Roles by letters beside the east-west fabric, which pair and member follow, or the number of one without a pair."""
_CONVERGED_CODE = re.compile(r"([A-Z]{2})([0-9]{1,4})(?:\.([12]))?")
_OUTSIDE = {ARRAY: "A", SERVER: "V", EXTERNAL: "E"}
_OF_NODE = {FRONT_END: "f", STORAGE: "s"}
_CONNECTORS = 2
"""Connectors of a twin-port plug."""


class Plug(t.NamedTuple):
    """Plug in a device: `ports` are its interfaces, `cage` is 0 at a node.

    `legs` are the one-based ports of the cage that the plug has; empty where it has the whole cage. What is outside of
    the fabric has neither; nobody knows its ports.
    """

    device: Far
    cage: int
    legs: tuple[int, ...]
    ports: tuple[str, ...]
    built: bool


class Cable(t.NamedTuple):
    """A cable with its head, at the lower switch, and its other plugs.

    `plane` is None on the converged fabric. `speed` is that of a port.
    `medium` is a key of the catalog, None where it is to be chosen; `route` is metres, None where
    a place is not known. `meshed` says that cages of both ends lead to several others.
    """

    id: str
    kind: str
    plane: int | None
    rail: int | None
    links: int
    speed: str
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
        """Check whether the head and an other end are built."""
        return self.head.built and any(plug.built for plug in self.ends)


class _Wire(t.NamedTuple):
    """A link from the cage that it leaves; legs are one-based. `at` is the end where that is in no cage."""

    leg: int
    port: str
    far: Far
    far_cage: int
    far_leg: int
    far_port: str
    at: NicPort | NetPort | OobPort | Port | None

    @property
    def other(self) -> tuple[Far, int]:
        """The cage that it leads to; of a node a number for each."""
        return self.far, self.far_cage


class Cables:
    """The cables of a fabric, computed cage by cage."""

    def __init__(self, fabric: Fabric) -> None:
        self.fabric, self.floor = fabric, Floor(fabric)
        self._of_cage = functools.lru_cache(maxsize=_KEPT)(self._cables)
        self._joined = functools.lru_cache(maxsize=_KEPT)(self._meets)
        self._widths = _widths(fabric)
        d = fabric.description
        shared = self.nic(d.nics.model)["shared"]
        self._shared = shared and d.planes.mode == "split" and d.planes.count > 1

    def nic(self, model: str) -> dict[str, t.Any]:
        """The row of a NIC in the catalog."""
        return table("cabling")["nics"].get(model) or {"plug": None, "shared": True}

    def plug(self, node: object) -> str | None:
        """The plug of a node's rails; None where no public source has it, and for any other device."""
        model = self.fabric.stated(node).nics.model if isinstance(node, Node) else ""
        return t.cast("str | None", self.nic(model)["plug"])

    def all(self, pods: rows.Pods = None) -> Iterator[Cable]:
        """Every cable with something built at both ends, once."""
        for switch in self.fabric.east_west(pods=pods):
            yield from self._begin(switch)
        yield from self._converged(pods)

    def _begin(self, switch: Switch) -> Iterator[Cable]:
        return (cable for cable, _head in self._own(switch) if cable.built)

    def _converged(self, pods: rows.Pods) -> Iterator[Cable]:
        """Yield the cables of the converged fabric, which belongs to no pod: with pods only those of their nodes."""
        if pods is None:
            for switch in self.fabric.in_no_pod():
                yield from self._begin(switch)
            return
        seen: set[str] = set()
        for node in self.fabric.nodes(pods=pods):
            for cable, _plug in self.at(node):
                if cable.kind in NETWORKS and cable.id not in seen:
                    seen.add(cable.id)
                    yield cable

    def name(self, far: Far) -> str:
        """The name of a device, or of what is outside of the fabric."""
        return far.name if isinstance(far, FarEnd) else self.fabric.name(far)

    def spot(self, far: Far) -> Spot:
        """Return the place of a device; that of a device outside of the fabric is not known."""
        return Spot("", 0) if isinstance(far, FarEnd) else self.floor.spot(far)

    def built(self, far: Far) -> bool:
        """Check whether a device is built; one outside of the fabric is."""
        return isinstance(far, FarEnd) or self.fabric.present(far)

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
        most = max(
            block.breakout if kind == HOST and not self._shared else 1 for kind, block in blocks
        )
        roles = self.fabric.others.leaves.values()
        parts = (part for one in roles if one.node_ports for part in one.blocks[HOST].parts)
        return max([most, *(part.breakout for part in parts)])

    def cage_of(self, plug: Plug) -> object:
        """A key for each cage of a device: the number at a switch, the rail or the ports at a node."""
        if plug.cage or not self._shared:
            return plug.cage or plug.ports
        nic = self.fabric.names.nic_port(plug.ports[0])
        return nic.rail if nic else plug.ports

    def some_meshed(self, *, host: bool) -> bool:
        """Check whether cages of the first leaf or spine lead to several others, and those back to several."""
        firsts = [Switch("leaf", 0, 0, 0)]
        firsts += [Switch("spine", 0, 0, 0)] if self.fabric.clos.tiers == 3 else []
        firsts += [Switch(role, 0, 0, 0) for role in self.fabric.others.leaves]
        return any(
            cable.meshed and host == (cable.kind == HOST)
            for switch in firsts
            for cable, _plug in self._own(switch)
        )

    def _of_node(self, node: Node) -> Iterator[tuple[Cable, Plug]]:
        for nic in self.fabric.node_ports():
            yield from self._at_leaf(node, nic)
        for port in self.fabric.oob.node_ports() if self.fabric.oob else ():
            yield from self._at_leaf(node, port)

    def _at_leaf(
        self, device: Device, at: NicPort | NetPort | OobPort
    ) -> Iterator[tuple[Cable, Plug]]:
        """Yield the cables of the port of a node, or of the eth0 of a switch, which a leaf has the head of."""
        leaf, port = t.cast("tuple[Switch, Port]", self.fabric.end(device, at))
        name = self.fabric.port_name(device, at)
        cage, _sub = t.cast("tuple[int, int]", parse(self.fabric.port_name(leaf, port)))
        for cable in self._of_cage(leaf, cage):
            yield from (
                (cable, plug) for plug in cable.ends if plug.device == device and name in plug.ports
            )

    def _of_switch(self, switch: Switch) -> Iterator[tuple[Cable, Plug]]:
        yield from self._from_below(switch)
        yield from self._own(switch)
        if self.fabric.oob and self.fabric.oob.peer(switch, OobPort(ETH0)):
            yield from self._at_leaf(switch, OobPort(ETH0))

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
        for block in self.fabric.blocks(switch).values():
            yield from range(block.first, block.first + block.cages)

    def _block(self, switch: Switch, cage: int) -> Block:
        blocks = self.fabric.blocks(switch).values()
        parts = (part for block in blocks for part in block.parts)
        return next(part for part in parts if part.first <= cage < part.first + part.cages)

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
                below, its_port = t.cast("tuple[Switch, Port]", self.fabric.end(switch, port))
                found[
                    below,
                    t.cast("tuple[int, int]", parse(self.fabric.port_name(below, its_port)))[0],
                ] = 1
        return tuple(found)

    def _wires(self, switch: Switch, cage: int) -> Iterator[_Wire]:
        for leg, name, port in self._ports(switch, cage):
            if port.kind == DOWN:
                continue
            end = t.cast("FarEnd | tuple[Device, t.Any]", self.fabric.end(switch, port))
            if isinstance(end, FarEnd):
                yield _Wire(leg, name, end, leg, 1, "", port)
                continue
            far, far_port = end
            far_name = self.fabric.port_name(far, far_port)
            if isinstance(far_port, OobPort):
                yield _Wire(leg, name, far, 0, 1, far_name, far_port)
            elif isinstance(far, Node):
                yield _Wire(leg, name, far, self._of_nic(far_port), 1, far_name, far_port)
            else:
                far_cage, sub = t.cast("tuple[int, int | None]", parse(far_name))
                yield _Wire(leg, name, far, far_cage, (sub or 0) + 1, far_name, None)

    def _of_nic(self, port: NicPort | NetPort) -> int:
        """The number of the cage of a node that a port is in."""
        if isinstance(port, NetPort):
            return port.index
        return port.rail * 64 + (0 if self._shared else port.plane)

    def _cables(self, switch: Switch, cage: int) -> tuple[Cable, ...]:
        """The cables whose head is in a cage of a switch."""
        wires = list(self._wires(switch, cage))
        if not wires:
            return ()
        meshed = self._is_meshed(switch, cage, wires)
        medium = self.medium(switch, wires, meshed=meshed)
        outside = isinstance(wires[0].far, FarEnd)
        breakout = self._block(switch, cage).breakout
        connector = max(1, breakout // _CONNECTORS)
        if meshed or (medium and not table("cabling")["media"][medium]["copper"]):
            groups = _by_connector(wires, connector, meshed=meshed)
        else:
            groups = [[wire] for wire in wires] if outside else [wires]
        alone = len(groups) == 1 and not meshed and not (outside and breakout > 1)
        return tuple(
            self._cable(switch, cage, group, medium=medium, meshed=meshed, whole=alone)
            for group in groups
        )

    def _is_meshed(self, switch: Switch, cage: int, wires: list[_Wire]) -> bool:
        others = {wire.other for wire in wires}
        for far, far_cage in others:
            if isinstance(far, Node):
                if self._shared and not ROLES[switch.role].beside:
                    return True
            elif isinstance(far, Switch) and far_cage and len(self._joined(far, far_cage)) > 1:
                return True
        return False

    def medium(self, switch: Switch, wires: list[_Wire], *, meshed: bool) -> str | None:
        """Return the medium of a cage's cables; None where nothing public or nothing known decides."""
        data, d = table("cabling"), self.fabric.description
        host = isinstance(wires[0].far, Node)
        speed = self._speed(switch, wires)
        if (
            model_of(self.fabric, switch) not in data["models"]
            or speed not in data["media"]["multimode"]["optics"]
        ):
            return None
        far = wires[0].far
        beside = ROLES[switch.role].beside
        if not isinstance(far, Switch) and (beside or not self.plug(far)):
            return None
        stated = d.cabling.host if host else d.cabling.fabric
        if stated:
            return stated
        way = self._far(switch, wires) if not meshed else self._longest(switch.role)
        reaches = "host" if host else "fabric"
        return next(
            (
                name
                for name, row in data["media"].items()
                if way is not None and way <= row[reaches] and not (meshed and row["copper"])
            ),
            None,
        )

    def _speed(self, switch: Switch, wires: list[_Wire]) -> str:
        """The speed of a port of a cage, which has links of one kind."""
        port = t.cast("Port", self.fabric.port(switch, wires[0].port))
        return speed_of(self.fabric, switch, port)

    def _far(self, switch: Switch, wires: Iterable[_Wire]) -> float | None:
        """The longest way of some links; None where one to a built device is not known."""
        spot, found = self.floor.spot(switch), list[float]()
        for wire in wires:
            way = self.floor.route(spot, self.spot(wire.far))
            if way is None and self.built(wire.far):
                return None
            found += [] if way is None else [way]
        return max(found, default=None)

    @functools.cached_property
    def _longest_ways(self) -> dict[str, float | None]:
        above = {"leaf": "spine", "spine": "super_spine"}
        others = self.fabric.others
        above |= {role: others.above(role) for role in others.leaves}
        above |= {OOB_LEAF: OOB_SPINE} if self.fabric.oob else {}
        if not self.floor.racks:
            return dict.fromkeys(above)
        switches: dict[str, list[Switch]] = {role: [] for pair in above.items() for role in pair}
        for switch in self.fabric.switches():
            switches[switch.role].append(switch)
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
        first = wires[0]
        own = f"{self.code(switch)}/{cage:02}" + ("" if whole else f".{first.leg}")
        rails = {wire.at.rail for wire in wires if isinstance(wire.at, NicPort)}
        return Cable(
            id=f"{own}-{self._beyond(first, whole=whole)}",
            kind=_kind(switch, first),
            plane=plane_of(switch),
            rail=rails.pop() if len(rails) == 1 else None,
            links=len(wires),
            speed=self._speed(switch, wires),
            head=head,
            ends=ends,
            medium=medium,
            route=self._far(switch, wires),
            meshed=meshed,
        )

    def _beyond(self, wire: _Wire, *, whole: bool) -> str:
        """The other end of an id: `N1.09/r1p1`, `N1.09/f1`, `S1.3/17.1`, `A2`."""
        if isinstance(wire.far, FarEnd):
            letter = _OUTSIDE.get(wire.far.kind, "X")
            return f"{letter}{t.cast('Port', wire.at).index + 1}"
        if isinstance(wire.at, NicPort):
            other = f"r{wire.at.rail + 1}p{wire.at.plane + 1}"
        elif isinstance(wire.at, NetPort):
            other = f"{_OF_NODE[wire.at.network]}{wire.at.index + 1}"
        elif isinstance(wire.at, OobPort):
            other = wire.at.unit
        else:
            other = f"{wire.far_cage:02}" + ("" if whole else f".{wire.far_leg}")
        return f"{self.code(wire.far)}/{other}"

    def _end(self, wires: list[_Wire]) -> Plug:
        far, built = wires[0].far, self.built(wires[0].far)
        names = tuple(wire.far_port for wire in wires)
        if isinstance(far, FarEnd):
            return Plug(far, 0, (), names, built)
        if isinstance(far, Node) or not wires[0].far_cage:
            return Plug(far, 0, (), names, built)
        breakout = self._block(far, wires[0].far_cage).breakout
        legs = tuple(wire.far_leg for wire in wires)
        return Plug(far, wires[0].far_cage, () if len(legs) == breakout else legs, names, built)

    def code(self, device: Device) -> str:
        """A short name that is the same for ever: `L1.3.2` is leaf 2 of SU 3 in plane 1, `N3.09` node 9 of SU 3.

        With several pods the pod follows the plane, or begins a node's code. S is a spine, T a super-spine
        with its group. Leaves of the converged fabric have pair and member, `FL1.2`, its spines a number, `CS3`.
        """
        w, c = self._widths, self.fabric.clos
        if not isinstance(device, Node) and ROLES[device.role].beside:
            return self._converged_code(device)
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

    def _converged_code(self, switch: Switch) -> str:
        role = ROLES[switch.role]
        rest = f"{switch.pod + 1}.{switch.index + 1}" if role.pairs else f"{switch.index + 1}"
        return role.code + rest

    def coded(self, code: str) -> Device | None:
        """The device of a code, the inverse of `code`; None where no device has it."""
        if found := _CONVERGED_CODE.fullmatch(code):
            return self._converged_coded(*found.groups())
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

    def _converged_coded(self, letters: str, number: str, member: str | None) -> Switch | None:
        role = _CONVERGED.get(letters)
        if role is None or role.pairs != bool(member):
            return None
        pair, index = (int(number), int(member)) if member else (1, int(number))
        made = Switch(role.name, 0, pair - 1, index - 1)
        oob = self.fabric.oob if role.oob else None
        if not (oob.counts.holds(made) if oob else self.fabric.others.holds(role.name, *made[2:])):
            return None
        return (
            made
            if self.code(made) == f"{letters}{number}{'.' if member else ''}{member or ''}"
            else None
        )


def refusal(fabric: Fabric) -> str | None:
    """Reason that the stated cables are impossible."""
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


def _other(wire: _Wire) -> tuple[Far, int]:
    return wire.other


def _kind(switch: Switch, wire: _Wire) -> str:
    """The kind of a link, as that of `rows.Link`."""
    if isinstance(wire.at, OobPort) or getattr(wire.at, "kind", "") == ACCESS:
        return ACCESS
    if isinstance(wire.far, FarEnd):
        return wire.far.kind
    if isinstance(wire.at, NetPort):
        return wire.at.network
    return HOST if isinstance(wire.far, Node) else switch.role


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
