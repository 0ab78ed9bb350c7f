# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The three streams that every list export is made of: devices, links and addresses."""

from __future__ import annotations

import functools
import typing as t

from ..addressing import codec
from ..places import rack_name
from ..topology.cabling import UP, AnyPort, Device, NicPort, Node, Port

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..fabric import Fabric
    from ..topology.cabling import Switch


class End(t.NamedTuple):
    """One end of a cable."""

    device: str
    role: str
    rack: str
    unit: str
    port: str


KINDS = {"host": "host link", "leaf": "leaf to spine", "spine": "spine to super-spine"}
"""What people read of the kinds of cables."""
Place = tuple[str, str, str, str]
"""A device's name, role, rack and unit."""
Places = t.Callable[[Device], Place]

_NEIGHBOURS = 1024
"""Devices whose place is kept: those that the next cables end at again."""


class Link(t.NamedTuple):
    """A cable; `a` is the lower end. Addresses are text with length, or empty."""

    kind: str
    plane: int
    a: End
    b: End
    a_address: str
    b_address: str
    speed: str
    rail: int | None


class Address(t.NamedTuple):
    """An address and its place."""

    address: str
    length: int
    kind: str
    device: str
    port: str
    plane: int | None


Pods = t.Optional[t.Sequence[int]]
"""The zero-based pods that are exported; None is the whole fabric."""


def devices(fabric: Fabric, pods: Pods = None) -> Iterator[Device]:
    """Built devices in the order of the plan."""
    yield from fabric.switches(pods=pods)
    yield from fabric.nodes(pods=pods)


def links(fabric: Fabric, pods: Pods = None) -> Iterator[Link]:
    """Every cable between built devices: first those of hosts, then upwards."""
    places = functools.lru_cache(maxsize=_NEIGHBOURS)(functools.partial(_place, fabric))
    nics = list(fabric.cabling.nic_ports())
    for node in fabric.nodes(pods=pods):
        for nic in nics:
            yield _link(fabric, node, nic, places)
    for switch in fabric.switches(pods=pods):
        block = fabric.cabling.blocks(switch.role).get(UP)
        for index in range(block.count if block else 0):
            port = Port(UP, index)
            if fabric.present(t.cast("tuple[Switch, Port]", fabric.cabling.peer(switch, port))[0]):
                yield _link(fabric, switch, port, places)


def _link(fabric: Fabric, lower: Device, port: AnyPort, places: Places) -> Link:
    upper, down = t.cast("tuple[Switch, Port]", fabric.cabling.peer(lower, port))
    low, high, length = fabric.addresses.ends(lower, port)
    speeds = fabric.description.switches
    nic = port if isinstance(port, NicPort) else None
    return Link(
        kind="host" if isinstance(lower, Node) else lower.role,
        plane=nic.plane if nic else upper.plane,
        a=End(*places(lower), fabric.port_name(lower, port)),
        b=End(*places(upper), fabric.port_name(upper, down)),
        a_address=f"{low}/{length}" if low else "",
        b_address=f"{high}/{length}" if high else "",
        speed=speeds.host_speed if nic else speeds.fabric_speed,
        rail=nic.rail if nic else None,
    )


def _place(fabric: Fabric, device: Device) -> Place:
    """What an end says of its device. A node's rack is computed, a switch's known only from the site."""
    row = fabric.rows.get(device)
    rack, unit = (row.rack, row.unit) if row else ("", "")
    if not isinstance(device, Node):
        return fabric.name(device), device.role, rack, unit
    return fabric.name(device), "node", rack or rack_name(fabric, device), unit


def addresses(fabric: Fabric, pods: Pods = None) -> Iterator[Address]:
    """Every address of the plan on a built device."""
    for device in devices(fabric, pods):
        yield from _own_addresses(fabric, device)
    for link in links(fabric, pods):
        for end, text in ((link.a, link.a_address), (link.b, link.b_address)):
            if text:
                bare, _slash, length_text = text.partition("/")
                yield Address(bare, int(length_text), "link", end.device, end.port, link.plane)


def _own_addresses(fabric: Fabric, device: Device) -> Iterator[Address]:
    name, plan = fabric.name(device), fabric.addresses
    address, length, _gateway = plan.management(device)
    own = codec.text(address, 4), length, "management", name
    if isinstance(device, Node):
        yield Address(*own, "mgmt", None)
        return
    yield Address(*own, "eth0", device.plane)
    for kind, ask in (("loopback", plan.loopback), ("vtep", plan.vtep)):
        if kind == "loopback" or device.role == "leaf":
            yield Address(codec.text(ask(device), 4), 32, kind, name, "lo", device.plane)
