# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between an existing plant and the fabric that its counts would compute.

    what,place,stated,computed,differs
    name,leaf-p1-su001-r1,tor-a1,leaf-p1-su001-r1,yes
    host_address,worker-su01-rack01-h01:rail1p1,10.40.0.1,10.0.0.0,yes

A row is a value that `devices.csv`, the table of addresses, `uplinks` or `swapped_ports` states. `place` is in names of
the plan.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import typing as t

from ..plan.addressing import codec, suggest
from ..plan.fabric import Fabric
from ..plan.topology.cabling import UP, NicPort, Node, Port
from ..plan.topology.converged_cabling import is_converged
from .report import csv_lines

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..description.devices import Row
    from ..plan.topology.cabling import AnyPort, Device, End, Switch

COLUMNS = "what,place,stated,computed,differs"
WORDS = {
    "name": "names",
    "management": "management addresses",
    "asn": "ASNs",
    "loopback": "loopbacks",
    "vtep": "VTEPs",
    "host_address": "addresses of hosts",
    "leaf_address": "addresses of leaf ports",
    "cable": "cables",
}


class Value(t.NamedTuple):
    """Value of a table, beside the one that the plan would have computed; empty where no profile fits."""

    what: str
    place: str
    stated: str
    computed: str

    @property
    def differs(self) -> bool:
        """Check whether the two values differ."""
        return self.stated != self.computed


@dataclasses.dataclass
class Counts:
    """Counts by kind: the stated values, and those of them that differ."""

    profile: str
    stated: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    differ: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)

    def watch(self, values: Iterator[Value]) -> Iterator[Value]:
        """Pass values on."""
        for value in values:
            self.stated[value.what] += 1
            self.differ[value.what] += value.differs
            yield value

    def sentence(self) -> str:
        """The counts as a line for a person; "" where nothing of the kind is stated, as with serials alone."""
        told = [
            f"{self.differ[what]} of {self.stated[what]} {word}"
            for what, word in WORDS.items()
            if self.stated[what]
        ]
        words = f"the plant differs from a computed one (profile {self.profile}) in"
        return f"{words} {', '.join(told)}" if told else ""


def stated(fabric: Fabric) -> bool:
    """Check whether tables of a site state a value that the plan would compute."""
    d = fabric.description
    return bool(fabric.rows or fabric.addresses.table or d.uplinks or d.swapped_ports)


def lines(values: Iterator[Value]) -> Iterator[str]:
    """The values as CSV."""
    return csv_lines(COLUMNS, ((*x, "yes" if x.differs else "no") for x in values))


def computed(fabric: Fabric) -> Fabric:
    """The same counts without tables; a table's addresses give way to the first profile that fits."""
    d, source = fabric.description, fabric.source
    addressing = d.addressing
    if fabric.addresses.table:
        fits = [name for name, reasons in suggest.suggest(d, fabric.clos).items() if not reasons]
        same = [name for name in fits if ("v6" in name) == (fabric.addresses.version == 6)]
        addressing = addressing.model_copy(update={"profile": (same or fits)[0], "table": None})
    update: dict[str, t.Any] = {
        "addressing": addressing,
        "devices": None,
        "uplinks": None,
        "swapped_ports": [],
        "out_of_service": [],  # it names devices as the site does
    }
    return Fabric(d.model_copy(update=update), source)


def values(fabric: Fabric, plain: Fabric) -> Iterator[Value]:
    """Every stated value: of devices in the order of their file, then of links."""
    for device, row in fabric.rows.items():
        yield from _device(plain, device, row)
    if fabric.addresses.table:
        for node, nic in fabric.addresses.table.links:
            yield from _addresses(fabric, plain, node, nic)
    for lower, port in _ports(fabric):
        yield _cable(fabric, plain, lower, port)


def _device(plain: Fabric, device: Device, row: Row) -> Iterator[Value]:
    text = functools.partial(codec.text, version=4)
    found, place = plain.addresses, plain.name(device)
    if row.name:
        yield Value("name", place, row.name, place)
    if row.management:
        yield Value("management", place, row.management, found.management(device).text)
    if isinstance(device, Node):
        return
    if row.asn:
        yield Value("asn", place, str(row.asn), str(found.asn(device)))
    if row.loopback:
        yield Value("loopback", place, row.loopback, text(found.loopback(device)))
    if row.vtep:
        yield Value("vtep", place, row.vtep, text(found.vtep(device)))


def _addresses(fabric: Fabric, plain: Fabric, node: Node, nic: NicPort) -> Iterator[Value]:
    place = f"{plain.name(node)}:{plain.names.nic(nic)}"
    own, other = fabric.addresses.ends(node, nic), plain.addresses.ends(node, nic)
    yield Value("host_address", place, own.low, other.low)
    yield Value("leaf_address", place, own.high, other.high)


def _ports(fabric: Fabric) -> Iterator[tuple[Device, AnyPort]]:
    """The lower ends of built cables that a table states, or that end at a swapped port."""
    d = fabric.description
    if d.uplinks:
        for switch in fabric.east_west():
            yield from ((switch, port) for port in fabric.cabling.ports(switch) if port.kind == UP)
    for swap in d.swapped_ports:
        device = t.cast("Device", fabric.device(swap.device))  # checked when it was loaded
        for name in () if is_converged(device) else swap.ports:
            port = t.cast("AnyPort", fabric.port(device, name))
            peer = t.cast("End", fabric.cabling.peer(device, port))
            upwards = isinstance(port, Port) and port.kind == UP
            lower, low = (device, port) if upwards else peer
            if fabric.present(lower):
                yield lower, low


def _cable(fabric: Fabric, plain: Fabric, lower: Device, port: AnyPort) -> Value:
    place = f"{plain.name(lower)}:{plain.port_name(lower, port)}"
    return Value(
        "cable", place, _ends(fabric, plain, lower, port), _ends(plain, plain, lower, port)
    )


def _ends(of: Fabric, plain: Fabric, lower: Device, port: AnyPort) -> str:
    upper, down = t.cast("tuple[Switch, Port]", of.cabling.peer(lower, port))
    return f"{of.port_name(lower, port)} to {plain.name(upper)}:{of.port_name(upper, down)}"
