# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The three streams that every list export is made of: devices, links and addresses.

Formats of the east-west fabric alone are made of `devices` and `links`; `all_devices` and `all_links` have those of the
converged fabric besides.
"""

from __future__ import annotations

import functools
import typing as t

from ..catalog.roles import ROLES
from ..plan.addressing import codec
from ..plan.addressing.oob import units_of
from ..plan.places import rack_name
from ..plan.slices import speed_of
from ..plan.topology.cabling import UP, AnyPort, Device, NicPort, Node, Port
from ..plan.topology.converged import CORE, LEAVES, WITH_VTEP
from ..plan.topology.converged_cabling import NETWORKS, FarEnd, NetPort, plane_of
from ..plan.topology.oob import ACCESS, LEAF

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plan.fabric import Fabric
    from ..plan.topology.cabling import Switch


class End(t.NamedTuple):
    """One end of a cable."""

    device: str
    role: str
    rack: str
    unit: str
    port: str


KINDS = {
    "host": "host link",
    "leaf": "leaf to spine",
    "spine": "spine to super-spine",
    **{network: f"{network} link" for network in NETWORKS},
    **{role: f"{ROLES[role].label} to converged spine" for role in LEAVES},
    CORE: "between the switches of the core",
    "array": "array link",
    "server": "server link",
    "external": "external link",
    ACCESS: "out-of-band link",
    LEAF: "out-of-band leaf to spine",
}
"""Words for the kinds of cables."""
Place = tuple[str, str, str, str]
"""A device's name, role, rack and unit."""
Places = t.Callable[[Device], Place]

_NEIGHBOURS = 1024
"""Devices whose place is kept: those that the next cables end at again."""


class Link(t.NamedTuple):
    """A cable; `a` is the lower end. Addresses are text with length, or empty.

    One of the converged fabric has no plane. What is outside of the fabric has a name and no port.
    """

    kind: str
    plane: int | None
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
    """Built devices of the east-west fabric, in the order of the plan."""
    yield from fabric.east_west(pods=pods)
    yield from fabric.nodes(pods=pods)


def all_devices(fabric: Fabric, pods: Pods = None) -> Iterator[Device]:
    """Built devices; the converged fabric belongs to no pod."""
    yield from devices(fabric, pods)
    if pods is None:
        yield from fabric.in_no_pod()


def links(fabric: Fabric, pods: Pods = None) -> Iterator[Link]:
    """Every cable between built devices of the east-west fabric: first those of hosts, then upwards."""
    return _links(fabric, pods, list(fabric.cabling.nic_ports()))


def all_links(fabric: Fabric, pods: Pods = None) -> Iterator[Link]:
    """Every cable of built devices: those of nodes, those of the east-west fabric, then the others.

    With pods only those of their nodes are there of the converged fabric, which belongs to no pod.
    """
    yield from _links(fabric, pods, list(fabric.node_ports()))
    for leaf in fabric.in_no_pod() if pods is None else ():
        if ROLES[leaf.role].pairs or ROLES[leaf.role].oob:
            yield from _converged_links(fabric, leaf)


def _links(fabric: Fabric, pods: Pods, nics: list[NicPort | NetPort]) -> Iterator[Link]:
    places = functools.lru_cache(maxsize=_NEIGHBOURS)(functools.partial(_place, fabric))
    for node in fabric.nodes(pods=pods):
        for nic in nics:
            yield _link(fabric, node, nic, places)
    for switch in fabric.east_west(pods=pods):
        block = fabric.blocks(switch).get(UP)
        for index in range(block.count if block else 0):
            port = Port(UP, index)
            if fabric.present(t.cast("tuple[Switch, Port]", fabric.cabling.peer(switch, port))[0]):
                yield _link(fabric, switch, port, places)


def _converged_links(fabric: Fabric, leaf: Switch) -> Iterator[Link]:
    """The cables of a leaf to spines and to the outside; there it is the lower end."""
    places = functools.partial(_place, fabric)
    for port in fabric.cabling_of(leaf).ports(leaf):
        end = fabric.end(leaf, port)
        if isinstance(end, FarEnd):
            own = End(*places(leaf), fabric.port_name(leaf, port))
            speed = speed_of(fabric, leaf, port)
            kind = ACCESS if port.kind == ACCESS else end.kind
            rack = _rack_of_extra(fabric, end.name) if port.kind == ACCESS else ""
            far = End(end.name, end.kind, rack, "", "")
            yield Link(kind, None, own, far, "", "", speed, None)
        elif end and port.kind == ACCESS and fabric.present(end[0]):
            yield _access_link(fabric, leaf, port, end)
        elif port.kind == UP:
            yield _link(fabric, leaf, port, places)


def _access_link(fabric: Fabric, leaf: Switch, port: Port, end: t.Any) -> Link:
    """The cable of a node or an eth0 to an out-of-band leaf."""
    places = functools.partial(_place, fabric)
    low = End(*places(end[0]), fabric.port_name(*end))
    high = End(*places(leaf), fabric.port_name(leaf, port))
    return Link(ACCESS, None, low, high, "", "", speed_of(fabric, leaf, port), None)


def _rack_of_extra(fabric: Fabric, name: str) -> str:
    """Return the rack of other equipment, where the description states it."""
    extras = fabric.description.oob.extras if fabric.description.oob else []
    return next((extra.rack for extra in extras if extra.name == name), "")


def _link(fabric: Fabric, lower: Device, port: AnyPort | NetPort, places: Places) -> Link:
    upper, down = t.cast("tuple[Switch, Port]", fabric.end(lower, port))
    low, high, length = fabric.addresses.ends(lower, port)
    nic = port if isinstance(port, NicPort) else None
    kind = "host" if isinstance(lower, Node) else lower.role
    return Link(
        kind=port.network if isinstance(port, NetPort) else kind,
        plane=nic.plane if nic else plane_of(upper),
        a=End(*places(lower), fabric.port_name(lower, port)),
        b=End(*places(upper), fabric.port_name(upper, down)),
        a_address=f"{low}/{length}" if low else "",
        b_address=f"{high}/{length}" if high else "",
        speed=speed_of(fabric, upper, down),
        rail=nic.rail if nic else None,
    )


def _place(fabric: Fabric, device: Device) -> Place:
    """Describe the device of an end. A node's rack is computed, a switch's known only from the site."""
    row = fabric.rows.get(device)
    rack, unit = (row.rack, row.unit) if row else ("", "")
    if not isinstance(device, Node):
        return fabric.name(device), device.role, rack, unit
    return fabric.name(device), "node", rack or rack_name(fabric, device), unit


def addresses(fabric: Fabric, pods: Pods = None) -> Iterator[Address]:
    """Every address of the plan on a built device."""
    for device in all_devices(fabric, pods):
        yield from _own_addresses(fabric, device)
    if fabric.oob and pods is None:
        yield from _oob_addresses(fabric)
    for link in all_links(fabric, pods):
        for end, text in ((link.a, link.a_address), (link.b, link.b_address)):
            if text:
                bare, _slash, length_text = text.partition("/")
                yield Address(bare, int(length_text), "link", end.device, end.port, link.plane)


def _oob_addresses(fabric: Fabric) -> Iterator[Address]:
    """The addresses of BMCs, BlueFields and other equipment, and the gateways of the leaves."""
    for leaf in (switch for switch in fabric.in_no_pod() if switch.role == LEAF):
        numbers, name = fabric.addresses.oob, fabric.name(leaf)
        for segment in numbers.segments(leaf) if numbers else ():
            address = codec.text(segment.gateway, 4)
            yield Address(address, segment.length, "gateway", name, f"vlan{segment.vlan}", None)
        for port in fabric.cabling_of(leaf).ports(leaf):
            end = fabric.end(leaf, port) if port.kind == ACCESS else None
            if end and (isinstance(end, FarEnd) or fabric.present(end[0])):
                yield from _behind(fabric, leaf, port, end)


def _behind(fabric: Fabric, leaf: Switch, port: Port, end: t.Any) -> Iterator[Address]:
    """The addresses behind an access port that no device is listed with already."""
    numbers = t.cast("t.Any", fabric.addresses.oob)
    far = isinstance(end, FarEnd)
    units = (end.kind,) if far else units_of(end[1].unit)
    name = end.name if far else fabric.name(end[0])
    for unit in units:
        if unit not in ("host", "eth0"):
            segment = numbers.segment_of(leaf, port, unit)
            address = codec.text(fabric.addresses.behind(leaf, port, unit), 4)
            yield Address(address, segment.length, "oob", name, unit.replace("_", "-"), None)


def _own_addresses(fabric: Fabric, device: Device) -> Iterator[Address]:
    name, plan = fabric.name(device), fabric.addresses
    port = plan.management(device)
    own = port.text, port.length, "management", name
    if isinstance(device, Node):
        yield Address(*own, "mgmt", None)
        return
    plane = plane_of(device)
    yield Address(*own, "eth0", plane)
    for kind, ask in (("loopback", plan.loopback), ("vtep", plan.vtep)):
        if kind == "loopback" or device.role in WITH_VTEP:
            yield Address(codec.text(ask(device), 4), 32, kind, name, "lo", plane)
