# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The devices of a description, checked: their names, addresses, ports and cables.

Loading reports every breach of the description at once.
"""

from __future__ import annotations

import collections
import functools
import pathlib
import re
import typing as t

from ..description import devices as devices_file
from ..description import places
from ..description import racks as racks_file
from ..description.errors import Breach, FabricError, NotInFabric, key_of, nearest, shown
from ..description.oob import read_macs
from .addressing import overrides
from .addressing.addresses import Addresses
from .addressing.oob import units_of
from .addressing.table import load as load_table
from .topology import converged, oob, rules, uplinks
from .topology.cabling import HOST, Cabling, Device, NicPort, Node, Port, Switch
from .topology.cages import parse as parse_port
from .topology.converged_cabling import ConvergedCabling, FarEnd, NetPort, is_converged
from .topology.names import Names
from .topology.oob import OobCabling, OobPort

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..description.description import Description
    from ..description.devices import Row
    from ..description.racks import Rack
    from ..description.yaml_source import Source
    from .topology.cabling import End
    from .topology.cages import Block
    from .topology.converged_cabling import NetEnd
    from .topology.oob import OobEnd

AnyPort = t.Union[Port, NicPort, NetPort, OobPort]
NodePort = t.Union[NicPort, NetPort]
AnyCabling = t.Union[Cabling, ConvergedCabling, OobCabling]


_WITH_NODES = (converged.FRONT_END_LEAF, converged.STORAGE_LEAF)
"""Leaves that are built with the first node of their pair."""
_ALWAYS = (
    "super_spine",
    converged.BORDER_LEAF,
    converged.CORE,
    converged.CONVERGED_SPINE,
    oob.SPINE,
    oob.LEAF,
)
"""Switches that are built with the fabric."""


RACK = 1
"""End of the place of a rack, which distinguishes it from a slot."""


def alike(one: str, other: str) -> bool:
    """Check whether two names are equal up to case, and to the domain where one of them has none."""
    short, long = sorted((f"{one}.".lower(), f"{other}.".lower()), key=len)
    return long.startswith(short)


class Devices:
    """The devices of a checked description, built and planned."""

    def __init__(self, description: Description, source: Source) -> None:
        self.description, self.source = description, source
        self.clos = rules.counted(description, source)
        self.cabling = Cabling(self.clos)
        self._counts = converged.of(description, self.clos)
        self._oob = oob.of(description, self.clos, self._counts)
        self.names = self._names()
        self.converged = self._converged()
        self.oob = (
            OobCabling(description.oob, self._oob, self.clos, self._counts)
            if description.oob and self._oob
            else None
        )
        self._absent = self._absent_places()
        self._pairs: dict[tuple[str, int, int], bool] = {}
        self.rows = self._rows()
        self.racks = self._racks()
        if overfull := list(self._overfull()):
            raise FabricError(overfull)
        self._by_name = {row.name: device for device, row in self.rows.items() if row.name}
        self._by_mark = {
            mark: device
            for device, row in self.rows.items()
            for mark in (row.serial.lower(), devices_file.mac(row.mac))
            if mark
        }
        self._kinds = self._places_of_nics()
        self._as: dict[tuple[int, ...], Description] = {}
        self.addresses = self._addresses()
        self.macs = self._macs()
        self.moved = self._moved()
        self._swaps = self._swapped()
        self._site = {**self.moved, **self._swaps}
        self._plan = {(device, at): port for (device, port), at in self._site.items()}
        self._refuse(list(self._wrong_outages()))

    def files(self) -> list[str]:
        """Files beside the description that it is made of."""
        d = self.description
        named = [d.devices, d.addressing.table, d.cabling.racks, d.uplinks]
        named += [d.oob.macs] if d.oob else []
        return [self.beside(name) for name in named if name]

    def beside(self, name: str) -> str:
        """A path relative to the description's folder."""
        return str(pathlib.Path(self.source.path).absolute().parent / name)

    # Stages of loading: each reports all of its breaches, then stops

    def _refuse(self, breaches: Collection[Breach]) -> None:
        if breaches:
            raise FabricError([self.source.sentence(breach) for breach in breaches])

    def _stage(self, work: t.Callable[[], t.Any]) -> t.Any:
        try:
            return work()
        except FabricError as exc:
            raise FabricError([self._with_line(sentence) for sentence in exc.sentences]) from exc

    def _with_line(self, sentence: str) -> str:
        """`naming.leaf: ...` with the line of the key; other sentences name their file already."""
        key, _colon, rest = sentence.partition(": ")
        path = key_of(key) if re.fullmatch(r"[a-z0-9_.\[\]]+", key) else ("",)
        if path[0] not in type(self.description).model_fields:
            return sentence
        return self.source.sentence(Breach(path, rest))

    def _names(self) -> Names:
        """The names; what is wrong with naming and with addressing is reported in one go."""
        d, sentences = self.description, list[str]()
        named = functools.partial(Names, self.clos, d.naming, self._counts, self._oob)
        works: list[t.Callable[[], t.Any]] = [named]
        if d.addressing.profile != "table":
            works.append(lambda: Addresses(d, self.clos))
        for work in works:
            try:
                self._stage(work)
            except FabricError as exc:
                sentences.extend(exc.sentences)
        if sentences:
            raise FabricError(sentences)
        return named()

    def _converged(self) -> ConvergedCabling | None:
        """The cable map of the other networks, with what the description cables to it."""
        if self._counts is None:
            return None
        self._refuse([*self._wrong_links(), *self._wrong_pair()])
        outside = {**dict(self._equipment()), **dict(self._external())}
        return ConvergedCabling(self._counts, self.clos, outside)

    def _serving(self, role: str) -> str:
        """The role that has the ports of a role of leaves: itself, or the core."""
        return self._counts.serving(role) if self._counts else role

    def _equipment(self) -> Iterator[tuple[tuple[Switch, Port], FarEnd]]:
        """Arrays and servers, at both leaves of a pair."""
        for kind in converged.EQUIPMENT.values():
            for one in kind.stated(self.description.networks):
                outside = FarEnd(kind.kind, one.name, one.attachment == "bond")
                for text in one.ports:
                    pair, port = converged.array_port(text)
                    for member in range(converged.MEMBERS):
                        leaf = Switch(self._serving(kind.leaf), 0, pair, member)
                        yield (leaf, Port(kind.kind, port)), outside

    def _external(self) -> Iterator[tuple[tuple[Switch, Port], FarEnd]]:
        net = self.description.networks
        for link in net.border.links if net and net.border else ():
            leaf = t.cast(Switch, self.names.device(link.leaf))  # _wrong_links has seen it
            yield (
                (leaf, Port(converged.EXTERNAL, link.port - 1)),
                FarEnd(converged.EXTERNAL, link.name),
            )

    def _wrong_links(self) -> Iterator[Breach]:
        """Links to the outside must be those of border leaves that there are."""
        net = self.description.networks
        role = self._serving(converged.BORDER_LEAF)
        first = Switch(role, 0, 0, 0)
        for number, link in enumerate(net.border.links if net and net.border else ()):
            leaf = self.names.device(link.leaf)
            if not isinstance(leaf, Switch) or leaf.role != role:
                known = [self.names.name(first._replace(index=n)) for n in range(converged.MEMBERS)]
                yield Breach(
                    ("networks", "border", "links", number, "leaf"),
                    f"{shown(link.leaf)} is not a border leaf{nearest(link.leaf, known)}: use a name such "
                    f"as {known[0]}.",
                )

    def _wrong_pair(self) -> Iterator[Breach]:
        """Provisioning servers must be behind a pair that there is."""
        net = self.description.networks
        front = net.front_end if net else None
        stated = front.provisioning.border if front and front.provisioning else None
        pairs = range(net.border.pairs if net and net.border else 0)
        role = self._serving(converged.BORDER_LEAF)
        known = [self.names.pair(Switch(role, 0, pair, 0)) for pair in pairs]
        if stated and stated not in known:
            allowed = f"use {known[0]}" if known else "add networks.border, or leave the key out"
            yield Breach(
                ("networks", "front_end", "provisioning", "border"),
                f"{shown(stated)} is not a pair of border leaves{nearest(stated, known)}: {allowed}.",
            )

    def _absent_places(self) -> frozenset[places.Place]:
        absent, limits = self.description.absent, self.clos.limits
        if why := places.too_many(
            (places.size(text, limits=limits) for text in absent), limits=limits
        ):
            raise FabricError.of(f"absent: {why}")
        return frozenset(place for text in absent for place in places.expand(text, limits=limits))

    def _places_of_nics(self) -> dict[places.Place, int]:
        """The number of the row that states the NICs of a place: (pod), (pod, su), (pod, su, rack, RACK), a slot."""
        made: dict[places.Place, int] = {}
        breaches = []
        for number, row in enumerate(self.description.nics.places):
            key = ("nics", "places", number, "place")
            try:
                found = self._stretch(row.place)
            except FabricError as exc:
                breaches.append(Breach(key, exc.sentences[0]))
                continue
            again = next((made[place] for place in found if place in made), None)
            if again is not None:
                other = shown(self.description.nics.places[again].place)
                breaches.append(
                    Breach(key, f"{shown(row.place)} is in {other} too: state each place once.")
                )
            made.update(dict.fromkeys(found, number))
        self._refuse(breaches)
        return made

    def _stretch(self, text: str) -> list[places.Place]:
        """The places that a text names, racks and names of nodes too."""
        c, node = self.clos, self.device(text)
        if isinstance(node, Node):
            return [tuple(node)]
        if "rack" not in text:
            return places.expand(text, limits=c.limits)
        limits = (c.pods, c.sus, -(-c.slots // c.nodes_per_rack))
        return [(*place, RACK) for place in places.expand(text, limits=limits, kinds=places.RACKS)]

    def stated(self, node: Node) -> Description:
        """The description as a node has it: of its NICs the narrowest place that states a key counts."""
        if not self._kinds:
            return self.description
        rack = (node.pod, node.su, node.slot // self.clos.nodes_per_rack, RACK)
        around = (node[:1], node[:2], rack, tuple(node))
        rows = tuple(self._kinds[place] for place in around if place in self._kinds)
        if rows not in self._as:
            every = self.description.nics.places
            self._as[rows] = self.description.of_places(every[number] for number in rows)
        return self._as[rows]

    def unfound(self) -> Node | None:
        """The first built node whose NICs the description does not place."""
        d = self.description
        nodes = () if d.nics.pci else self.nodes()
        return next((node for node in nodes if not self.stated(node).nics.pci), None)

    def _rows(self) -> dict[Device, Row]:
        if not self.description.devices:
            return {}
        path, own = self.beside(self.description.devices), self.description.name
        name = pathlib.Path(path).name
        rows: dict[Device, Row] = {}
        sentences = []
        for row in self._stage(lambda: devices_file.read(path, fabric=own)):
            device = self.names.device(row.place) or self.slot(row.place)
            if device is None:
                pod = "pod01/" if self.clos.pods > 1 else ""
                sentences.append(
                    f"{name} line {row.line}, place: {shown(row.place)} is not in the plan: "
                    f"name a node's place such as {pod}su01/h01, or a switch as the plan names it."
                )
            elif device in rows:
                sentences.append(
                    f"{name} line {row.line}, place: '{row.place}' is the device of line "
                    f"{rows[device].line}: keep one row."
                )
            else:
                rows[device] = row
        if sentences:
            raise FabricError(sentences)
        return rows

    def _racks(self) -> list[Rack]:
        stated = self.description.cabling.racks
        return self._stage(lambda: racks_file.read(self.beside(stated))) if stated else []

    def _overfull(self) -> Iterator[str]:
        """A sentence for each rack whose devices take more power than it has, built or not."""
        stated = self.description.cabling
        inside: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        for device, row in self.rows.items():
            inside[row.rack][device.role] += 1
        for rack in self.racks if stated.power else ():
            kinds = inside[rack.name]
            kinds["node"] += len(self._unstated(rack.name))
            taken = sum(stated.power.get(kind, 0) * number for kind, number in kinds.items())  # type: ignore[call-overload]
            if rack.kw and taken > rack.kw:
                what = ", ".join(
                    f"{number} of kind {kind}" for kind, number in kinds.items() if number
                )
                yield (
                    f"{pathlib.Path(stated.racks or '').name}, kw: rack {rack.name} has {rack.kw:g} kW, and its "
                    f"devices ({what}) take {taken:g} kW: move devices to other racks, or correct kw or cabling.power."
                )

    def _unstated(self, rack: str) -> list[Node]:
        """The built nodes of a rack that the plan computes, such as su01-rack03, of which devices.csv has no rack."""
        per, text = self.clos.nodes_per_rack, rack.replace("-", "/")
        limits = (self.clos.pods, self.clos.sus, -(-self.clos.slots // per))
        try:
            found = places.expand(text, limits=limits, kinds=places.RACKS)
        except FabricError:
            return []
        if len(found) != 1 or len(found[0]) != len(places.RACKS):
            return []
        pod, su, at = found[0]
        slots = range(at * per, min(self.clos.slots, (at + 1) * per))
        nodes = [Node(pod, su, slot) for slot in slots]
        return [n for n in nodes if self.present(n) and not (n in self.rows and self.rows[n].rack)]

    def slot(self, text: str) -> Node | None:
        """The one node slot that a place such as `su01/h03` means; None for any other text."""
        try:
            found = places.expand(text, limits=self.clos.limits)
        except FabricError:
            return None
        return Node(*found[0]) if len(found) == 1 and len(found[0]) == 3 else None

    def _addresses(self) -> Addresses:
        d = self.description

        def work() -> Addresses:
            if d.addressing.profile != "table":
                return Addresses(d, self.clos, rows=self.rows)
            if not d.addressing.table:
                raise FabricError.of(
                    "addressing.table: the key is missing and the profile is table: name the CSV."
                )
            path = self.beside(d.addressing.table)
            table = load_table(path, self.clos, self.names, built=self.present)
            return Addresses(d, self.clos, table=table, rows=self.rows)

        addresses: Addresses = self._stage(work)
        name = pathlib.Path(d.devices or "").name
        found = [f"{name} {s}" for s in overrides.collisions(self.rows, addresses, self.names)]
        if addresses.table:
            name = pathlib.Path(d.addressing.table or "").name
            found += [f"{name}: {s}" for s in overrides.table_clashes(addresses.table, addresses)]
        if found:
            raise FabricError(found)
        return addresses

    def _macs(self) -> dict[tuple[Device | str, str], str]:
        """MAC address by device, or name of equipment, and its out-of-band unit."""
        stated = self.description.oob
        if stated is None or self.oob is None:
            return {}
        made: dict[tuple[Device | str, str], str] = {
            (extra.name, extra.kind): extra.mac for extra in stated.extras if extra.mac
        }
        for device, row in self.rows.items():
            if row.mac:
                unit = "host" if isinstance(device, Node) else oob.ETH0
                made[device, unit] = devices_file.mac(row.mac)
        sentences = []
        path = self.beside(stated.macs) if stated.macs else ""
        rows = self._stage(lambda: read_macs(path)) if path else []
        for line, name, unit, address in rows:
            begin, found = (
                f"{pathlib.Path(path).name} line {line}",
                self.device(name) or self.slot(name),
            )
            units = [one for port in self.oob.node_ports() for one in units_of(port.unit)]
            if not isinstance(found, Node) or unit not in units:
                sentences.append(
                    f"{begin}, unit: {shown(unit)} of {shown(name)} is not planned: name a node, and one of "
                    f"{', '.join(units)}."
                )
            elif address in made.values():
                sentences.append(
                    f"{begin}, mac: '{address}' is another port's in the description or devices.csv: give each its own."
                )
            else:
                made[found, unit] = address
        if sentences:
            raise FabricError(sentences)
        return made

    def _moved(self) -> uplinks.Moved:
        """Port at the site of a planned one, where a table says how switches are cabled."""
        if not self.description.uplinks:
            return {}
        path = self.beside(self.description.uplinks)
        name = pathlib.Path(path).name
        made: uplinks.Moved = self._stage(lambda: uplinks.moved(self, uplinks.read(path), name))
        return made

    def _swapped(self) -> dict[tuple[Device, str], str]:
        """Physical port of a planned one, and the reverse, for cables the site has exchanged."""
        swaps: dict[tuple[Device, str], str] = {}
        breaches = []
        for number, row in enumerate(self.description.swapped_ports):
            device, (one, two) = self.device(row.device), row.ports
            why = self._wrong_swap(device, one, two, swaps)
            if device is None or why:
                breaches.append(
                    Breach(("swapped_ports", number), why.format(f"{one} and {two}", row.device))
                )
            else:
                swaps[device, one], swaps[device, two] = two, one
        self._refuse(breaches)
        return swaps

    def _wrong_swap(
        self, device: Device | None, one: str, two: str, swaps: Collection[tuple[Device, str]]
    ) -> str:
        """Reason that two ports of a device cannot be swapped, with room for their names and the device's."""
        ports = [self._logical(device, p) for p in (one, two)] if isinstance(device, Switch) else []
        if not isinstance(device, Switch) or None in ports:
            return "'{1}' with {0} is not a switch and two of its cabled ports: correct the names."
        if one == two or (device, one) in swaps or (device, two) in swaps:
            return "{0} of {1} are not two ports that no other entry swaps: name each port once."
        blocks = self.blocks(device)
        if self.description.uplinks and any(port.kind != HOST for port in ports if port):
            return "{0} of {1} lead to a switch, and uplinks says where: correct its rows."
        if len({blocks[port.kind].breakout_of(port.index) for port in ports if port}) > 1:
            return "{0} of {1} differ in speed: swap ports of one speed."
        return ""

    def _wrong_outages(self) -> Iterator[Breach]:
        for number, row in enumerate(self.description.out_of_service):
            key = ("out_of_service", number)
            device = self.device(row.device)
            if device is None:
                yield Breach(
                    (*key, "device"),
                    f"'{row.device}' is not a device of the fabric: use its name in the plan or at the site.",
                )
            elif row.port and self.port(device, row.port) is None:
                yield Breach(
                    (*key, "port"),
                    f"'{row.port}' is not a cabled port of {row.device}: use one that the plan has.",
                )
            if row.until and row.until < row.since:
                yield Breach(
                    (*key, "until"), f"{row.until} is before since, {row.since}: use a later day."
                )

    # Devices

    def device(self, name: str) -> Device | None:
        """The device that a name, a site's own name, a serial or a MAC address belongs to."""
        own = self._by_name.get(name) or self._by_mark.get(name.lower())
        if own is None and devices_file.is_mac(name):
            own = self._by_mark.get(devices_file.mac(name))
        if own is not None:
            return own
        found = self.names.device(name)
        row = self.rows.get(found) if found is not None else None
        return None if row and row.name and row.name != name else found

    @functools.cached_property
    def _called(self) -> dict[str, list[Device]]:
        """Devices that the site names, by their first label in small letters."""
        made: dict[str, list[Device]] = {}
        for name, device in self._by_name.items():
            made.setdefault(name.lower().partition(".")[0], []).append(device)
        return made

    def called(self, name: str) -> list[Device]:
        """Return the devices that a name may mean: in any case, with or without the domain of either.

        More than one where the site names devices alike in several domains.
        """
        label, own = name.lower().partition(".")[0], self.names
        texts = [name, label, *(f"{label}.{domain}" for domain in sorted(own.domains))]
        planned = [own.device(text, any_case=True) for text in texts]
        found = [*self._called.get(label, ()), *(one for one in planned if one is not None)]
        return [one for one in dict.fromkeys(found) if alike(self.name(one), name)]

    def name(self, device: Device) -> str:
        """The name that the device goes by: the site's, else the plan's."""
        row = self.rows.get(device)
        return row.name if row and row.name else self.names.name(device)

    def present(self, device: Device) -> bool:
        """Check whether the device is built."""
        place: places.Place = (device.pod,)
        if isinstance(device, Node):
            place = tuple(device)
        elif device.role in _WITH_NODES:
            return self._pair_present(device)
        elif device.role in _ALWAYS:
            return True
        elif device.role == "leaf":
            place = (device.pod, device.index // self.clos.leaves_per_su)
        return not self._absent or not any(place[:n] in self._absent for n in range(1, 4))

    def _pair_present(self, switch: Switch) -> bool:
        """A pair of leaves is built with the first of its nodes; without nodes, or with equipment, always."""
        net = t.cast(ConvergedCabling, self.converged)
        if not self._absent:
            return True
        found = self._pairs.get(switch[:3])
        if found is None:
            nodes = list(net.nodes_of(switch))
            arrays = any(leaf[:3] == switch[:3] for leaf, _port in net.outside)
            found = self._pairs[switch[:3]] = not nodes or arrays or any(map(self.present, nodes))
        return found

    @functools.cached_property
    def resting(self) -> frozenset[str]:
        """Names of the devices that the description takes out of service as a whole."""
        return frozenset(name for name, port in self.outages if not port)

    @functools.cached_property
    def outages(self) -> frozenset[tuple[str, str | None]]:
        """All that the description takes out of service: a device as a whole, or a port of it."""
        return frozenset((row.device, row.port) for row in self.description.out_of_service)

    def switches(self, **where: Collection[int] | None) -> Iterator[Switch]:
        """Built switches; `planes`, `pods` and `sus` select, and leave out those of the converged fabric."""
        yield from self.east_west(**where)
        if all(chosen is None for chosen in where.values()):
            yield from self.in_no_pod()

    @property
    def others(self) -> converged.Converged:
        """The counts of the switches that the other networks are made of; none without such networks."""
        return self.converged.counts if self.converged else converged.NOTHING

    @property
    def outside(self) -> t.Mapping[tuple[Switch, Port], FarEnd]:
        """The ends of cables that are none of the fabric's: arrays, and links to providers."""
        return self.converged.outside if self.converged else {}

    def in_no_pod(self) -> Iterator[Switch]:
        """Built switches beside the east-west fabric, which belong to no pod and no plane."""
        return filter(self.present, self._beside())

    def _beside(self) -> Iterator[Switch]:
        """The switches of the converged fabric, then those of the out-of-band network."""
        for cabling in (self.converged, self.oob):
            yield from cabling.switches() if cabling else ()

    def slots(self) -> Iterator[Switch]:
        """All switches that the capacity has, built or not."""
        yield from self.cabling.switches()
        yield from self._beside()

    def east_west(self, **where: Collection[int] | None) -> Iterator[Switch]:
        """Built switches of the east-west fabric alone, for what knows of no other."""
        return (switch for switch in self.cabling.switches(**where) if self.present(switch))

    def nodes(self, **where: Collection[int] | None) -> Iterator[Node]:
        """Built nodes; `pods` and `sus` select."""
        return (node for node in self.cabling.nodes(**where) if self.present(node))

    def devices(self) -> Iterator[Device]:
        """Every built device: switches, then nodes."""
        yield from self.switches()
        yield from self.nodes()

    def some_name(self) -> str:
        """A device's name, for sentences; of a planned one where nothing is built."""
        return self.name(next(self.devices(), next(self.cabling.switches())))

    # Ports

    def blocks(self, switch: Switch) -> t.Mapping[str, Block]:
        """The port blocks of a switch: kind -> Block, in cage order."""
        return self.cabling_of(switch).blocks(switch)

    def cabling_of(self, device: Device, port: AnyPort | None = None) -> AnyCabling:
        """The cable map that a switch is in, or a port of a node or a switch."""
        if self.oob and (
            isinstance(port, OobPort) or getattr(device, "role", "") in self.oob.roles
        ):
            return self.oob
        if self.converged and (isinstance(port, NetPort) or is_converged(device)):
            return self.converged
        return self.cabling

    def end(self, device: Device, port: AnyPort) -> End | NetEnd | OobEnd | FarEnd | None:
        """The other end of the cable at a logical port, which may be outside of the fabric."""
        return self.cabling_of(device, port).peer(device, t.cast("t.Any", port))

    def node_ports(self) -> Iterator[NodePort]:
        """The ports of a node on all networks, east-west ones first; every node has the same."""
        yield from self.cabling.nic_ports()
        if self.converged:
            yield from self.converged.node_ports()

    def port_name(self, device: Device, port: AnyPort) -> str:
        """The interface of a logical port, after the site's own cables and swaps."""
        if isinstance(port, OobPort):
            return port.unit
        if isinstance(port, NetPort):
            return self.names.net(port)
        if isinstance(device, Node):
            return self.names.nic(t.cast(NicPort, port))
        kind, index = t.cast(Port, port)
        name: str = self.blocks(device)[kind].name(index)
        return self._site.get((device, name), name) if self._site else name

    def _logical(self, device: Switch, name: str) -> Port | None:
        parsed = parse_port(name)
        if parsed is None:
            return None
        for kind, block in self.blocks(device).items():
            index = block.index(*parsed)
            if index is not None:
                port = Port(kind, index)
                return port if self.end(device, port) else None
        return None

    def port(self, device: Device, name: str) -> AnyPort | None:
        """The logical port of an interface name; None when no cable is planned there."""
        if isinstance(device, Node):
            rail = self.names.nic_port(name) or self.names.net_port(name)
            return rail or self.names.oob_port(name)
        if own := self.names.oob_port(name, switch=True):
            return own if self.end(device, own) else None
        return self._logical(device, self._plan.get((device, name), name))

    def peer(self, device: Device, name: str) -> tuple[Device, str] | None:
        """The other end of the cable at an interface: (device, interface); None where that is outside."""
        port = self.port(device, name)
        end = self.end(device, port) if port is not None else None
        if end is None or isinstance(end, FarEnd):
            return None
        return end[0], self.port_name(*end)

    def known(self, name: str) -> Device:
        """Return the device like `device`; NotInFabric when no built device has the name."""
        device = self.device(name)
        if device is None or not self.present(device):
            what = "is not built (it is listed in absent)" if device else "is not a device"
            raise NotInFabric.of(
                f"{shown(name)} {what} of fabric {self.description.name}: use a name such as "
                f"{self.some_name()}."
            )
        return device
