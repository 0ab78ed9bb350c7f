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
                           peer: {device, port, role}}],
     networks: [{port, network, index, bond, address, gateway, length, mtu, peer}]}

A switch of the converged fabric:

    {schema, ..., role, pair, member, partner, asn, loopback, vtep, router_id,
     ports: [{port, cage, kind: host|array|server|external|up|down, speed, breakout, present, peer, network, node,
              ordinal, bond, segment: {local_id, mac}, address, peer_address, length, link, array, server}]}

A switch of the out-of-band network:

    {schema, ..., role, index, asn, loopback, router_id, segments: [{kind, vlan, prefix, gateway, pool}],
     ports: [{port, cage, kind: access|up|down|external, speed, breakout, present, peer, segments, units: [{unit,
              address, vlan}]}]}

Addresses are text without length; `length` is the prefix length. Numbers are zero-based, MTUs
bytes.
"""

from __future__ import annotations

import functools
import typing as t

from ..catalog.roles import ROLES
from .addressing import codec
from .addressing.asn import CONVERGED
from .addressing.oob import units_of
from .places import Identity, identity
from .topology.cabling import DOWN, HOST, UP, Cabling, Device, NicPort, Node, Port, Switch
from .topology.cages import parse
from .topology.converged import ARRAY, EQUIPMENT, EXTERNAL, FRONT_END, OUTSIDE, SERVER, STORAGE
from .topology.converged_cabling import ConvergedCabling, FarEnd, NetPort, plane_of
from .topology.oob import ACCESS, OobCabling

if t.TYPE_CHECKING:
    from ..description.base import Strict
    from ..description.networks import Networks
    from .addressing import oob
    from .addressing.oob import OobAddresses
    from .devices import Devices
    from .topology.cabling import End
    from .topology.converged_cabling import NetEnd


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
    """Fields that the slices of nodes and switches share."""

    schema: int
    mtu: Mtu


class NetNic(t.TypedDict):
    """A port of a node on the converged fabric: in a bond, or with an address of its own."""

    port: str
    network: str
    index: int
    mtu: int
    peer: Peer
    bond: t.NotRequired[str]
    address: t.NotRequired[str]
    length: t.NotRequired[int]
    gateway: t.NotRequired[str]


class Segment(t.TypedDict):
    """An Ethernet segment: the MAC address is the system id of LACP too."""

    local_id: int
    mac: str


class ConvergedPort(_Bare):
    """A port of a switch of the converged fabric.

    `ordinal` is the number of the node at capacity. A routed port has addresses, one in a bond has its name; where the
    bond spans both leaves of the pair, it has a segment. `link` is the name of a link to the outside.
    """

    peer: Peer
    network: t.NotRequired[str]
    node: t.NotRequired[str]
    ordinal: t.NotRequired[int]
    bond: t.NotRequired[str]
    segment: t.NotRequired[Segment]
    address: t.NotRequired[str]
    peer_address: t.NotRequired[str]
    length: t.NotRequired[int]
    link: t.NotRequired[str]
    array: t.NotRequired[str]
    server: t.NotRequired[str]


class NodeSlice(Slice):
    """The slice of a node; `networks` are its ports on the converged fabric, where there is one."""

    ports: list[Nic]
    networks: t.NotRequired[list[NetNic]]


class SwitchSlice(Slice):
    """The slice of a switch; only a leaf has a VTEP."""

    router_id: str
    vtep: t.NotRequired[str]
    ports: list[SwitchPort]


class ConvergedSlice(Slice):
    """The slice of a switch of the converged fabric; a leaf has a VTEP and a partner, the other of its pair."""

    router_id: str
    vtep: t.NotRequired[str]
    partner: t.NotRequired[str]
    ports: list[ConvergedPort]


class OobUnit(t.TypedDict):
    """An address behind an access port: of a host, a BMC, a BlueField's two sides, an eth0 or other equipment."""

    unit: str
    address: str
    vlan: int


class OobSwitchPort(_Bare):
    """A port of a switch of the out-of-band network; an access port has units."""

    peer: Peer
    units: t.NotRequired[list[OobUnit]]


class OobSegment(t.TypedDict):
    """A subnet of a leaf and its gateway; `pool` are the first and last address for unknown devices."""

    kind: str
    vlan: int
    prefix: str
    gateway: str
    pool: t.NotRequired[list[str]]


class OobSlice(Slice):
    """The slice of a switch of the out-of-band network; a leaf has segments."""

    router_id: str
    segments: t.NotRequired[list[OobSegment]]
    ports: list[OobSwitchPort]


AnySlice = t.Union[NodeSlice, SwitchSlice, ConvergedSlice, OobSlice]
_Peers = t.Callable[[Device], Peer]


def mtu() -> Mtu:
    """The MTUs of every fabric."""
    host = FABRIC_MTU - VXLAN_OVERHEAD
    return {"fabric": FABRIC_MTU, "host": host, "path": host}


KINDS = (HOST, *OUTSIDE, UP, DOWN, ACCESS)


def bond_name(index: int) -> str:
    """The bond of a leaf that the port with an index of its kind is in: `bond17`."""
    return f"bond{index + 1}"


def of_device(fabric: Devices, device: Device, *, kinds: t.Container[str] = KINDS) -> AnySlice:
    """The slice of one device; of a switch only the ports of `kinds`."""
    if isinstance(device, Node):
        return of_node(fabric, device)
    cabling = fabric.cabling_of(device)
    if isinstance(cabling, OobCabling):
        return of_oob(fabric, device, cabling, kinds=kinds)
    slice_of = of_switch if isinstance(cabling, Cabling) else of_converged
    return slice_of(fabric, device, kinds=kinds)


def of_node(fabric: Devices, node: Node) -> NodeSlice:
    """The slice of a node."""
    ports = [_nic_port(fabric, node, nic) for nic in fabric.cabling.nic_ports()]
    own = identity(fabric, node)
    made: NodeSlice = {"schema": SCHEMA, **own, "mtu": mtu(), "ports": ports}  # type: ignore[typeddict-item]
    if fabric.description.networks:
        made["networks"] = [
            _net_nic(fabric, node, port)
            for port in fabric.node_ports()
            if isinstance(port, NetPort)
        ]
    return made


def _net_nic(fabric: Devices, node: Node, port: NetPort) -> NetNic:
    leaf, there = t.cast("tuple[Switch, Port]", fabric.end(node, port))
    made: NetNic = {
        "port": fabric.names.net(port),
        "network": port.network,
        "index": port.index,
        "mtu": mtu()["host"],
        "peer": {
            "device": fabric.name(leaf),
            "port": fabric.port_name(leaf, there),
            "role": leaf.role,
        },
    }
    host, gateway, length = fabric.addresses.ends(node, port)
    if host:
        return {**made, "address": host, "length": length, "gateway": gateway}
    return {**made, "bond": fabric.names.bond(port.network)}


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
    pci = fabric.stated(node).nics.pci
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
    block = fabric.blocks(switch)[port.kind]
    end = t.cast("End", fabric.cabling.peer(switch, port))  # Cabling.ports yields only cabled ports
    cage, _sub = parse(name) or (0, None)
    made: _Bare = {
        "port": name,
        "cage": cage,
        "breakout": block.breakout,
        "kind": port.kind,
        "speed": speed_of(fabric, switch, port),
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
    """Return the neighbour's part of a switch's slice; all but the port is the same for all links to it."""
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


# The converged fabric


SEGMENTS = {FRONT_END: 0, STORAGE: 4_000_000, ARRAY: 8_000_000, SERVER: 12_000_000}
"""First local ids of Ethernet segments, less one."""
_SEGMENT_MAC = "44:38:39:ff"
"""Cumulus Linux recommends 44:38:39:ff:00:00 to 44:38:39:ff:ff:ff."""
_BONDS = {ARRAY: 5000, SERVER: 7000}
"""The number of a bond of arrays or servers less its one-based port of the kind."""


def of_converged(
    fabric: Devices, switch: Switch, *, kinds: t.Container[str] = KINDS
) -> ConvergedSlice:
    """The slice of a switch of the converged fabric, with the ports of `kinds`."""
    own, net = identity(fabric, switch), fabric.cabling_of(switch)
    made: ConvergedSlice = {
        "schema": SCHEMA,
        **own,  # type: ignore[typeddict-item]  # keys that need not be there
        "mtu": mtu(),
        "router_id": own["loopback"],
        "ports": [],
    }
    if ROLES[switch.role].vtep:
        made["vtep"] = codec.text(fabric.addresses.vtep(switch), 4)
        made["partner"] = fabric.name(switch._replace(index=1 - switch.index))
    peers = functools.cache(functools.partial(_peer, fabric))
    ports = [port for port in net.ports(switch) if port.kind in kinds]
    made["ports"] = [_converged_port(fabric, switch, port, peers) for port in ports]
    return made


def _converged_port(fabric: Devices, switch: Switch, port: Port, peers: _Peers) -> ConvergedPort:
    name, end = fabric.port_name(switch, port), t.cast("NetEnd | FarEnd", fabric.end(switch, port))
    bare: _Bare = {
        "port": name,
        "cage": (parse(name) or (0, None))[0],
        "breakout": fabric.blocks(switch)[port.kind].breakout_of(port.index),
        "kind": port.kind,
        "speed": speed_of(fabric, switch, port),
        "present": isinstance(end, FarEnd) or fabric.present(end[0]),
    }
    if isinstance(end, FarEnd):
        peer: Peer = {"device": end.name, "port": "", "role": end.kind}
        more = _outside(fabric, switch, port, end)
        return t.cast("ConvergedPort", {**bare, "peer": peer, **more})
    far, at = end
    made = {**bare, "peer": {**peers(far), "port": fabric.port_name(far, at)}}
    more = {} if isinstance(at, Port) else _node_port(fabric, switch, port, t.cast(Node, far), at)
    return t.cast("ConvergedPort", {**made, **more})


# The out-of-band network


def of_oob(
    fabric: Devices, switch: Switch, cabling: OobCabling, *, kinds: t.Container[str] = KINDS
) -> OobSlice:
    """The slice of a switch of the out-of-band network, with the ports of `kinds`."""
    own = identity(fabric, switch)
    numbers = t.cast("OobAddresses", fabric.addresses.oob)
    made: OobSlice = {
        "schema": SCHEMA,
        **own,  # type: ignore[typeddict-item]  # keys that need not be there
        "mtu": mtu(),
        "router_id": own["loopback"],
        "ports": [],
    }
    ports = [port for port in cabling.ports(switch) if port.kind in kinds]
    made["ports"] = [_oob_port(fabric, switch, port, numbers) for port in ports]
    if ACCESS in cabling.blocks(switch):
        made["segments"] = [_segment(one) for one in numbers.segments(switch)]
    return made


def _segment(one: oob.Segment) -> OobSegment:
    made: OobSegment = {
        "kind": one.kind,
        "vlan": one.vlan,
        "prefix": f"{codec.text(one.network, 4)}/{one.length}",
        "gateway": codec.text(one.gateway, 4),
    }
    pool = [codec.text(address, 4) for address in one.pool or ()]
    return {**made, "pool": pool} if pool else made


def _oob_port(fabric: Devices, switch: Switch, port: Port, numbers: OobAddresses) -> OobSwitchPort:
    name, end = fabric.port_name(switch, port), fabric.end(switch, port)
    made: _Bare = {
        "port": name,
        "cage": (parse(name) or (0, None))[0],
        "breakout": 1,
        "kind": port.kind,
        "speed": speed_of(fabric, switch, port),
        "present": True,
    }
    if isinstance(end, FarEnd):
        units = [end.kind] if port.kind == ACCESS else []
        peer: Peer = {"device": end.name, "port": "", "role": end.kind}
    else:
        far, at = t.cast("tuple[Device, t.Any]", end)
        units = list(units_of(at.unit)) if port.kind == ACCESS else []
        peer = {**_peer(fabric, far), "port": fabric.port_name(far, at)}
        made["present"] = fabric.present(far)
    if port.kind != ACCESS:
        return t.cast("OobSwitchPort", {**made, "peer": peer})
    rows = [_unit(fabric, switch, port, unit, numbers) for unit in units]
    return t.cast("OobSwitchPort", {**made, "peer": peer, "units": rows})


def _unit(fabric: Devices, leaf: Switch, port: Port, unit: str, numbers: OobAddresses) -> OobUnit:
    """The address of a unit behind an access port, and the VLAN that its segment has."""
    segment, address = (
        numbers.segment_of(leaf, port, unit),
        fabric.addresses.behind(leaf, port, unit),
    )
    return {"unit": unit, "address": codec.text(address, 4), "vlan": segment.vlan if segment else 1}


def model_of(fabric: Devices, switch: Switch) -> str:
    """The model of a switch; the other networks may have models of their own."""
    if own := fabric.description.oob_models.get(switch.role):
        return own
    networks = fabric.description.networks if plane_of(switch) is None else None
    return (networks and networks.switches.model) or fabric.description.switches.model


def speed_of(fabric: Devices, switch: Switch, port: Port) -> str:
    """The speed of a port of a switch, such as 400G."""
    stated = fabric.description.switches
    if plane_of(switch) is not None:
        return stated.host_speed if port.kind == HOST else stated.fabric_speed
    if ROLES[switch.role].oob:
        return "1G" if port.kind == ACCESS else "100G"
    net = t.cast("Networks", fabric.description.networks)
    if port.kind in (UP, DOWN):
        return net.switches.fabric_speed or stated.fabric_speed
    return str(getattr(_section(fabric, switch, port), f"{port.kind}_speed"))


def _section(fabric: Devices, switch: Switch, port: Port) -> Strict | None:
    """The network that has a port to a node, an array, a server or the outside."""
    net = t.cast("Networks", fabric.description.networks)
    if port.kind in EQUIPMENT:
        return t.cast("Strict | None", getattr(net, EQUIPMENT[port.kind].section))
    if port.kind == EXTERNAL:
        return net.border
    leaves = t.cast(ConvergedCabling, fabric.cabling_of(switch)).counts.leaves[switch.role]
    return net.front_end if leaves.network_at(port.index) == FRONT_END else net.storage


def _outside(fabric: Devices, switch: Switch, port: Port, end: FarEnd) -> dict[str, t.Any]:
    """Return the additional fields of a port to an array, a server or the outside."""
    if end.kind == EXTERNAL:
        return {"link": end.name}
    made: dict[str, t.Any] = {"network": EQUIPMENT[end.kind].network, end.kind: end.name}
    if end.bond:
        count = fabric.blocks(switch)[end.kind].count
        number = SEGMENTS[end.kind] + switch.pod * count + port.index + 1
        made |= {"bond": bond_name(_BONDS[end.kind] + port.index)}
        made |= {"segment": {"local_id": number, "mac": segment_mac(switch)}}
    return made


def _node_port(
    fabric: Devices, switch: Switch, port: Port, node: Node, at: NetPort
) -> dict[str, t.Any]:
    """Return the additional fields of a port to a node: its addresses, or its bond and segment."""
    net = t.cast(ConvergedCabling, fabric.cabling_of(switch))
    made: dict[str, t.Any] = {
        "network": at.network,
        "node": fabric.name(node),
        "ordinal": net.ordinal(node),
    }
    host, own, length = fabric.addresses.ends(node, at)
    if host:
        return {**made, "address": own, "peer_address": host, "length": length}
    made["bond"] = bond_name(port.index)
    if net.counts.leaves[switch.role].hosts[at.network].ports > 1:
        number = SEGMENTS[at.network] + made["ordinal"] + 1
        made["segment"] = {"local_id": number, "mac": segment_mac(switch)}
    return made


def segment_mac(leaf: Switch) -> str:
    """The segment MAC address of a pair: the same on both leaves."""
    return f"{_SEGMENT_MAC}:{CONVERGED[leaf.role]:02x}:{leaf.pod % 256:02x}"
