# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One device's slice of the plan: all that its configuration and its checks need.

A switch:

    {schema, fabric, name, role, plane, pod, ..., asn, loopback, vtep, router_id,
     mtu: {fabric, host, path},
     ports: [{port, cage, kind: host|up|down, speed, breakout, present,
              peer: {device, port, role, asn, index, loopback}, address, peer_address, length,
              rail, su, slot}]}

A node:

    {schema, ..., ports: [{port, rail, plane, address, gateway, length, routes, mtu,
                           peer: {device, port, role}}]}

Addresses are text without length; `length` is the prefix length. Numbers are zero-based, MTUs
bytes.
"""

from __future__ import annotations

import functools
import typing as t

from .addressing import codec
from .places import Identity, identity
from .topology.cabling import DOWN, HOST, UP, Device, NicPort, Node, Port, Switch
from .topology.cages import parse

if t.TYPE_CHECKING:
    from .devices import Devices
    from .topology.cabling import End


SCHEMA = 1
FABRIC_MTU = 9216
# VXLAN over IPv4 adds 50 bytes (Ethernet 14, IPv4 20, UDP 8, VXLAN 8).
VXLAN_OVERHEAD = 50


class Mtu(t.TypedDict):
    """Bytes: links between switches, host links (both ends), and the path between hosts."""

    fabric: int
    host: int
    path: int


class Peer(t.TypedDict):
    """The other end of a cable; of a switch its numbers too."""

    device: str
    port: str
    role: str
    asn: t.NotRequired[int]
    index: t.NotRequired[int]
    loopback: t.NotRequired[str]


class Nic(t.TypedDict):
    """A port of a node."""

    pci: str | None
    port: str
    rail: int
    plane: int
    address: str
    length: int
    gateway: str
    routes: list[str]
    mtu: int
    peer: Peer


class _Bare(t.TypedDict):
    port: str
    cage: int
    breakout: int
    kind: str
    speed: str
    present: bool


class SwitchPort(_Bare):
    """A port of a switch; rail, su and slot are those of the node that it leads to.

    An unnumbered link has neither addresses nor length.
    """

    peer: Peer
    rail: t.NotRequired[int]
    su: t.NotRequired[int]
    slot: t.NotRequired[int]
    address: t.NotRequired[str]
    peer_address: t.NotRequired[str]
    length: t.NotRequired[int]


class Slice(Identity):
    """What the slices of nodes and switches share."""

    schema: int
    mtu: Mtu


class NodeSlice(Slice):
    """The slice of a node."""

    ports: list[Nic]


class SwitchSlice(Slice):
    """The slice of a switch; only a leaf has a VTEP."""

    router_id: str
    vtep: t.NotRequired[str]
    ports: list[SwitchPort]


AnySlice = t.Union[NodeSlice, SwitchSlice]
_Peers = t.Callable[[Device], Peer]


def mtu() -> Mtu:
    """The MTUs of every fabric."""
    host = FABRIC_MTU - VXLAN_OVERHEAD
    return {"fabric": FABRIC_MTU, "host": host, "path": host}


def of_device(
    fabric: Devices, device: Device, *, kinds: t.Container[str] = (HOST, UP, DOWN)
) -> AnySlice:
    """The slice of one device; of a switch only the ports of `kinds`."""
    if isinstance(device, Node):
        return of_node(fabric, device)
    return of_switch(fabric, device, kinds=kinds)


def of_node(fabric: Devices, node: Node) -> NodeSlice:
    """The slice of a node."""
    ports = [_nic_port(fabric, node, nic) for nic in fabric.cabling.nic_ports()]
    return {"schema": SCHEMA, **identity(fabric, node), "mtu": mtu(), "ports": ports}


def of_switch(
    fabric: Devices, device: Switch, *, kinds: t.Container[str] = (HOST, UP, DOWN)
) -> SwitchSlice:
    """The slice of a switch, with the ports of `kinds`."""
    own = identity(fabric, device)
    made: SwitchSlice = {
        "schema": SCHEMA,
        **own,  # type: ignore[typeddict-item]  # keys that need not be there
        "mtu": mtu(),
        "router_id": own["loopback"],
        "ports": [],
    }
    if device.role == "leaf":
        made["vtep"] = codec.text(fabric.addresses.vtep(device), 4)
    peers = functools.cache(functools.partial(_peer, fabric))
    made["ports"] = [
        _switch_port(fabric, device, port, peers)
        for port in fabric.cabling.ports(device)
        if port.kind in kinds
    ]
    if fabric.description.swapped_ports or fabric.moved:
        made["ports"].sort(key=lambda row: parse(row["port"]) or (0, 0))
    return made


def _nic_port(fabric: Devices, node: Node, nic: NicPort) -> Nic:
    host, leaf, length = fabric.addresses.ends(node, nic)
    switch, index = fabric.cabling.leaf_of(node, nic)
    pci = fabric.description.nics.pci
    return {
        "pci": pci[nic.rail] if pci else None,
        "port": fabric.names.nic(nic),
        "rail": nic.rail,
        "plane": nic.plane,
        "address": host,
        "length": length,
        "gateway": leaf,
        "routes": fabric.addresses.routes(node, nic),
        "mtu": mtu()["host"],
        "peer": {
            "device": fabric.name(switch),
            "port": fabric.port_name(switch, Port(HOST, index)),
            "role": "leaf",
        },
    }


def _switch_port(fabric: Devices, switch: Switch, port: Port, peers: _Peers) -> SwitchPort:
    name = fabric.port_name(switch, port)
    block = fabric.cabling.blocks(switch.role)[port.kind]
    speed = fabric.description.switches
    end = t.cast("End", fabric.cabling.peer(switch, port))  # Cabling.ports yields only cabled ports
    cage, _sub = parse(name) or (0, None)
    made: _Bare = {
        "port": name,
        "cage": cage,
        "breakout": block.breakout,
        "kind": port.kind,
        "speed": speed.host_speed if port.kind == HOST else speed.fabric_speed,
        "present": fabric.present(end[0]),
    }
    peer: Peer = {**peers(end[0]), "port": fabric.port_name(*end)}
    low, high, length = fabric.addresses.ends(*((switch, port) if port.kind == UP else end))
    own, other = (low, high) if port.kind == UP else (high, low)
    numbers = {"address": own, "peer_address": other, "length": length} if own else {}
    if not isinstance(end[0], Node):
        return t.cast("SwitchPort", {**made, "peer": peer, **numbers})
    rail, (_pod, su, slot) = t.cast(NicPort, end[1]).rail, end[0]
    where = {"rail": rail, "su": su, "slot": slot}
    return t.cast("SwitchPort", {**made, **where, **numbers, "peer": peer})


def _peer(fabric: Devices, peer: Device) -> Peer:
    """What a switch's slice says of a neighbour; all but the port is the same for all links to it."""
    made: Peer = {"device": fabric.name(peer), "port": "", "role": "node"}
    if isinstance(peer, Node):
        return made
    return {
        **made,
        "role": peer.role,
        "asn": fabric.addresses.asn(peer),
        "index": peer.index,
        "loopback": codec.text(fabric.addresses.loopback(peer), 4),
    }
