# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of the out-of-band network, a segment for each leaf and kind, and the way back.

Nodes and switches keep the addresses that they have without the network: those of a group of nodes are a prefix of
`host_oob`, which is its segment; a switch has a host route, because its subnet is spread over all leaves. What has no
address without the network has one of `oob.prefix`: switch (4 spines, then leaves), kind, number.

kind 0 loopback, 1 eth0 of out-of-band switches, 2 and 3 BlueFields beyond the second, 4 nvlink, 5 shelf, 6 pdu, 7 cdu
"""

from __future__ import annotations

import functools
import re
import typing as t

from ..topology import oob
from ..topology.cabling import Node, Port, Switch
from ..topology.converged_cabling import FarEnd
from . import asn as asns
from .codec import Management

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..topology.cabling import Device
    from ..topology.oob import OobCabling
    from .codec import Layout

_NAMES = ("switch", "kind", "number")
FIELDS = (("kind", 3), ("number", 6))
SPINES = 4
"""Numbers of switches that are kept for spines, so that more leaves move none."""
OF_SWITCHES, OF_DPUS = "switch", "dpu"
CODES = {OF_SWITCHES: 1, OF_DPUS: 2, "nvlink": 4, "shelf": 5, "pdu": 6, "cdu": 7}
_LOOPBACK, _GATEWAY, _NEIGHBOUR, _FIRST = 0, 1, 2, 3
_POOL = 15
"""Addresses at the end of a segment that are kept for unknown devices."""
_IN_GROUP = 2
"""BlueFields whose addresses are those of the node's slot."""
_OOB_GATEWAY = 7
_UNIT = re.compile(r"dpu([1-9][0-9]?)?_(bmc|oob)")
VLANS = {"nodes": 200, **{kind: 100 + code for kind, code in CODES.items()}}
"""The VLAN of a kind; groups of nodes count on from theirs."""


class Segment(t.NamedTuple):
    """A subnet at a leaf with its gateway there; `pool` are the first and last address for unknown devices."""

    kind: str
    vlan: int
    network: int
    length: int
    gateway: int
    pool: tuple[int, int] | None = None


class Access(t.NamedTuple):
    """An address at an access port: the segment, the device or the name of equipment, and its unit."""

    leaf: Switch
    port: Port
    device: Device | str
    unit: str
    address: int


class OobAddresses:
    """Numbers of the out-of-band network; `host` packs pod, SU, slot and index of a node's address."""

    def __init__(
        self,
        layout: Layout,
        cabling: OobCabling,
        host: Callable[..., int],
        *,
        site: int,
        first: int,
    ) -> None:
        self.layout, self.cabling, self.site, self.first = layout, cabling, site, first
        self._pack, self._unpack = layout.packer(_NAMES), layout.unpacker(_NAMES)
        self._host = host

    def holds(self, switch: Switch) -> bool:
        """Check whether the capacity has such a switch."""
        return self.cabling.counts.holds(switch)

    def _place(self, switch: Switch) -> int:
        return switch.index + (SPINES if switch.role == oob.LEAF else 0)

    def _at(self, place: int) -> Switch | None:
        switch = (
            Switch(oob.SPINE, 0, 0, place)
            if place < SPINES
            else Switch(oob.LEAF, 0, 0, place - SPINES)
        )
        return switch if self.holds(switch) else None

    def loopback(self, switch: Switch) -> int:
        """The loopback and router id."""
        return self._pack(self._place(switch), _LOOPBACK, 0)

    def asn(self, switch: Switch) -> int:
        """The ASN of the plan."""
        return asns.converged(switch.role, site=self.site, index=switch.index, first=self.first)

    def with_asn(self, asn: int) -> Switch | None:
        """The switch that the plan gives an ASN to; of the spines the first."""
        role, index = asns.converged_of(asn, site=self.site, first=self.first) or ("", 0)
        switch = Switch(role, 0, 0, index)
        return switch if self.holds(switch) else None

    # Segments

    def of_kind(self, leaf: Switch, kind: str) -> Segment:
        """The segment of a kind at a leaf, from `oob.prefix`."""
        place, code, wide = self._place(leaf), CODES[kind], kind == OF_DPUS
        network = self._pack(place, code, 0)
        last = network + (128 if wide else 64) - 2
        return Segment(
            kind,
            VLANS[kind],
            network,
            25 if wide else 26,
            network + _GATEWAY,
            (last - _POOL + 1, last),
        )

    def of_group(self, leaf: Switch, within: int) -> Segment | None:
        """The segment of a group of nodes at a leaf; None beyond the capacity."""
        node = self.cabling.first_of(leaf, within)
        if node is None:
            return None
        network, size = self._host(*node, 0), self.cabling.counts.group
        gateway = network + _OOB_GATEWAY
        length = 32 - 3 - (size.bit_length() - 1)
        return Segment("nodes", VLANS["nodes"] + within, network, length, gateway)

    def segments(self, leaf: Switch) -> list[Segment]:
        """The segments of a leaf: of nodes, then by kind; only those of which it has a port."""
        counts = self.cabling.counts
        made = [
            self.of_group(leaf, within) for within in range(counts.groups if counts.units else 0)
        ]
        dpus = [OF_DPUS] if self.dpus > _IN_GROUP else []
        extras = {
            end.kind for (index, _number), end in self.cabling.extras.items() if index == leaf.index
        }
        kinds = [OF_SWITCHES, *dpus, *(kind for kind in CODES if kind in extras)]
        return [one for one in made if one] + [self.of_kind(leaf, kind) for kind in kinds]

    @property
    def dpus(self) -> int:
        """BlueFields of a node that are cabled."""
        return sum(unit.startswith("dpu") for unit in self.cabling.counts.units)

    def subnet(self, node: Node) -> tuple[int, int]:
        """(prefix length, gateway) of a node."""
        segment = self.of_group(*self.cabling.group_of(node))
        return (segment.length, segment.gateway) if segment else (32, 0)

    def segment_of(self, leaf: Switch, port: Port, unit: str) -> Segment | None:
        """The segment that a unit at an access port is in."""
        end = self.cabling.peer(leaf, port)
        if isinstance(end, FarEnd):
            return self.of_kind(leaf, end.kind)
        if end and isinstance(end[0], Node) and _number(unit) <= _IN_GROUP:
            return self.of_group(*self.cabling.group_of(end[0]))
        return self.of_kind(leaf, OF_DPUS if end and isinstance(end[0], Node) else OF_SWITCHES)

    # Addresses

    def of_unit(self, node: Node, unit: str) -> int:
        """The address of a unit of a node: host, bmc, dpu_bmc, dpu_oob, dpu2_bmc, ..."""
        number = _number(unit)
        if number <= _IN_GROUP:
            return self._host(*node, _index(unit))
        leaf, within = self.cabling.group_of(node)
        position = within * self.cabling.counts.members + node.slot % self.cabling.counts.group
        own = position * (self.dpus - _IN_GROUP) + number - _IN_GROUP - 1
        return self._pack(self._place(leaf), CODES[OF_DPUS], 0) + 2 * own + _side(unit) + 2

    def management(self, switch: Switch) -> Management:
        """The eth0 of an out-of-band switch."""
        end = self.cabling.peer(switch, oob.OobPort(oob.ETH0))
        if end is None or isinstance(end, FarEnd):
            own = self._pack(self._place(switch), CODES[OF_SWITCHES], _NEIGHBOUR)
            return Management(own, 32)
        leaf, port = t.cast("tuple[Switch, Port]", end)
        segment = self.of_kind(leaf, OF_SWITCHES)
        number = _NEIGHBOUR
        if switch.role == oob.SPINE:
            number = _FIRST + port.index - self.cabling.counts.node_ports
        return Management(segment.network + number, segment.length, segment.gateway)

    def extra(self, name: str) -> tuple[int, Segment] | None:
        """The address of a piece of equipment, and its segment."""
        end = self.cabling.extra(name)
        if end is None:
            return None
        leaf, port = end
        far = t.cast(FarEnd, self.cabling.peer(leaf, port))
        segment = self.of_kind(leaf, far.kind)
        return segment.network + _FIRST - 1 + port.index - self.cabling.counts.own - 1, segment

    # The way back

    def find(self, address: int) -> tuple[str, Device, dict[str, int | str]] | None:
        """(kind, device, details) of an address of the block; of equipment the leaf, with its name."""
        place, code, number = self._unpack(address) or (-1, 0, 0)
        switch = self._at(place) if place >= 0 else None
        if switch is None:
            return None
        if code == _LOOPBACK:
            return None if number else ("loopback", switch, {})
        if switch.role == oob.SPINE:
            return None
        if code in (CODES[OF_DPUS], CODES[OF_DPUS] + 1):
            return self._of_dpu(switch, number + 64 * (code - CODES[OF_DPUS]))
        kind = next(kind for kind, own in CODES.items() if own == code)
        if number == _GATEWAY:
            return ("oob_gateway", switch, {"unit": kind}) if self._has(switch, kind) else None
        if kind == OF_SWITCHES:
            return self._of_eth0(switch, number)
        port = Port(oob.ACCESS, self.cabling.counts.own + 1 + number - _FIRST + 1)
        end = self.cabling.peer(switch, port) if number >= _NEIGHBOUR else None
        fits = isinstance(end, FarEnd) and end.kind == kind
        return (
            ("oob_extra", switch, {"extra": end.name}) if fits and isinstance(end, FarEnd) else None
        )

    def _has(self, leaf: Switch, kind: str) -> bool:
        return any(segment.kind == kind for segment in self.segments(leaf))

    def _of_eth0(
        self, leaf: Switch, number: int
    ) -> tuple[str, Device, dict[str, int | str]] | None:
        counts = self.cabling.counts
        index = counts.own if number == _NEIGHBOUR else counts.node_ports + number - _FIRST
        if number != _NEIGHBOUR and not counts.node_ports <= index < counts.own:
            return None
        end = self.cabling.peer(leaf, Port(oob.ACCESS, index)) if number >= _NEIGHBOUR else None
        if end is None or isinstance(end, FarEnd) or isinstance(end[0], Node):
            return None
        return ("switch_oob", end[0], {}) if end[0].role in (oob.LEAF, oob.SPINE) else None

    def _of_dpu(self, leaf: Switch, number: int) -> tuple[str, Device, dict[str, int | str]] | None:
        each = self.dpus - _IN_GROUP
        if each < 1 or number < _NEIGHBOUR:
            return ("oob_gateway", leaf, {"unit": OF_DPUS}) if each > 0 and number == 1 else None
        own, side = divmod(number - 2, 2)
        position, dpu = divmod(own, each)
        within, offset = divmod(position, self.cabling.counts.members)
        first = self.cabling.first_of(leaf, within)
        if first is None or first.slot + offset >= self.cabling.clos.slots:
            return None
        unit = f"dpu{dpu + _IN_GROUP + 1}_{('bmc', 'oob')[side]}"
        return "host_oob", first._replace(slot=first.slot + offset), {"unit": unit}

    def accesses(self, leaf: Switch) -> Iterator[tuple[Port, Device | FarEnd, str]]:
        """(port, device or equipment, unit) of each address behind the access ports of a leaf."""
        for port in self.cabling.ports(leaf):
            end = self.cabling.peer(leaf, port) if port.kind == oob.ACCESS else None
            if isinstance(end, FarEnd):
                yield port, end, end.kind
            elif end:
                yield from ((port, end[0], unit) for unit in units_of(t.cast("t.Any", end[1]).unit))


@functools.lru_cache(maxsize=64)
def units_of(port: str) -> tuple[str, ...]:
    """The units behind an out-of-band port: mgmt -> host; dpu2 -> dpu2_bmc, dpu2_oob."""
    if port.startswith("dpu"):
        own = "dpu" if port == "dpu1" else port
        return f"{own}_bmc", f"{own}_oob"
    return ("host" if port == oob.MGMT else port,)


def port_of(unit: str) -> str:
    """The out-of-band port of a unit: dpu_oob -> dpu1."""
    if found := _UNIT.fullmatch(unit):
        return f"dpu{found[1] or 1}"
    return oob.MGMT if unit == "host" else unit


def _number(unit: str) -> int:
    """The number of the BlueField of a unit; 0 for one that is none."""
    found = _UNIT.fullmatch(unit)
    return int(found[1] or 1) if found else 0


def _side(unit: str) -> int:
    return int(unit.endswith("_oob"))


def _index(unit: str) -> int:
    """The index in the slot of a node: host 1, bmc 2, and two for each of two BlueFields."""
    number = _number(unit)
    return 2 * number + 1 + _side(unit) if number else {"host": 1, "bmc": 2}[unit]
