# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Racks, devices, interfaces, addresses and cables of the part, as a DCIM should have them.

Devices and cables are `planned` until a validation says more; what is out of service is `offline`. The rack
of a node is computed where the site states none. A device with a rack unit is at the front of its rack,
which is inferred: the project knows no face. DHCP may reserve the management address of a switch whose MAC
or serial is known.
"""

from __future__ import annotations

import typing as t

from ...catalog.roles import ROLES
from ...description.devices import mac, unit_of
from ...plan.addressing import codec
from ...plan.places import domain, label, rack_name
from ...plan.slices import model_of, mtu
from ...plan.topology.cabling import DOWN, HOST, UP, Node, Port, Switch
from ...plan.topology.converged import WITH_VTEP
from ...plan.topology.converged_cabling import NetPort, plane_of
from ...plan.topology.oob import ACCESS, ETH0, OobPort
from . import converged
from .context import words
from .prefixes import uplinks
from .things import Ref, Thing, Value

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...description.devices import Row
    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import AnyPort, Device
    from ...tenants.owners import Owner
    from .context import Context

LOOPBACK = "lo"
MANAGEMENT = {True: "mgmt", False: "eth0"}
"""The management port of a node, and that of a switch."""
_SIDES = {HOST: "downlink", DOWN: "downlink", UP: "uplink"}


def rack_of(fabric: Fabric, device: Device) -> str:
    """The rack of a device: the site's, else of a node the computed one; empty where nobody knows it."""
    row = fabric.rows.get(device)
    if row and row.rack:
        return row.rack
    return rack_name(fabric, device) if isinstance(device, Node) else ""


def racks(c: Context) -> Iterator[Thing]:
    """Each rack once; computed ones follow each other, so that only the site's are remembered."""
    stated, last = {row.rack for row in c.fabric.rows.values() if row.rack}, ""
    seen: set[str] = set()
    for device in c.part.devices(c.fabric):
        name = rack_of(c.fabric, device)
        if not name or name == last or name in seen:
            continue
        if name in stated:
            seen.add(name)
        else:
            last = name
        yield Thing("rack", c.key(name), name, {"name": name, "location": c.location})


def devices(c: Context) -> Iterator[Thing]:
    """The devices of the part."""
    made = words()
    for device in c.part.devices(c.fabric):
        node = isinstance(device, Node)
        name, row = c.fabric.name(device), c.fabric.rows.get(device)
        model = made["node_type"] if isinstance(device, Node) else model_of(c.fabric, device)
        role = ROLES[device.role].dcim
        values: dict[str, Value] = {
            "name": name,
            "location": c.location,
            "role": Ref("role", role),
            "device_type": Ref("device_type", model),
            "platform": None if node else Ref("platform", made["platform"]),
            "status": "offline" if name in c.fabric.resting else "planned",
            **_place(c, device, row),
        }
        yield Thing("device", c.device(device).key, name, values)


def _place(c: Context, device: Device, row: Row | None) -> dict[str, Value]:
    """Rack, unit, face and serial, None where nobody knows them."""
    rack, unit = rack_of(c.fabric, device), unit_of(row.unit) if row and row.rack else 0
    return {
        "rack": Ref("rack", c.key(rack)) if rack else None,
        "unit": unit or None,
        "face": "front" if unit else None,
        "serial": (row.serial if row else "") or None,
    }


def interfaces(c: Context) -> Iterator[Thing]:
    """Management, loopback and every planned port, also those of nodes that are not built yet."""
    for device in c.part.devices(c.fabric):
        node = isinstance(device, Node)
        if not node:
            yield _interface(c, device, LOOPBACK, type="virtual", role="loopback")
        row = c.fabric.rows.get(device)
        own = mac(row.mac) if row and row.mac else None
        kind = words()["management"]
        yield _interface(c, device, MANAGEMENT[node], type=kind, management=True, mac=own)
        yield from _nics(c, device) if isinstance(device, Node) else _ports(c, device)
        yield from _converged(c, device)


def _interface(c: Context, device: Device, port: str, **values: Value) -> Thing:
    ref = c.interface(device, port)
    common: dict[str, Value] = {
        "device": c.device(device),
        "name": port,
        "enabled": True,
        "management": False,
        "vrf": "",
        "role": "",
    }
    return Thing("interface", ref.key, f"{c.fabric.name(device)} {port}", {**common, **values})


def _converged(c: Context, device: Device) -> Iterator[Thing]:
    """The ports of a switch or node on the converged fabric."""
    found: t.Iterable[tuple[str, t.Mapping[str, Value]]] = ()
    if isinstance(device, Node):
        found = converged.of_node(c, device)
    elif ROLES[device.role].converged:
        found = converged.of_switch(c, device)
    yield from _out_of_band(c, device)
    for name, values in found:
        yield _interface(c, device, name, **values)


def _out_of_band(c: Context, device: Device) -> Iterator[Thing]:
    """The ports of a switch of the out-of-band network, and those of a node beside its management port."""
    oob, slow = c.fabric.oob, words()["management"]
    if oob is None:
        return
    if isinstance(device, Node):
        for own in oob.node_ports():
            if own.unit != MANAGEMENT[True]:
                yield _interface(c, device, own.unit, type=slow, management=True)
    elif ROLES[device.role].oob:
        for port in oob.ports(device):
            access, name = port.kind == ACCESS, c.fabric.port_name(device, port)
            kind = slow if access else words()["types"]["OSFP"]["100G"]
            yield _interface(
                c, device, name, type=kind, role="uplink" if port.kind == UP else "downlink"
            )


def _nics(c: Context, node: Node) -> Iterator[Thing]:
    made, switches = words(), c.fabric.description.switches
    cage = made["cages"][c.fabric.stated(node).nics.model]["cage"]
    kind = made["types"][cage].get(switches.host_speed, made["types"]["OSFP"][switches.host_speed])
    for nic in c.fabric.cabling.nic_ports():
        name = c.fabric.names.nic(nic)
        yield _interface(c, node, name, type=kind, mtu=mtu()["host"], role="uplink")


def _ports(c: Context, switch: Switch) -> Iterator[Thing]:
    types, switches = words()["types"]["OSFP"], c.fabric.description.switches
    for port in () if plane_of(switch) is None else c.fabric.cabling.ports(switch):
        host = port.kind == HOST
        values: dict[str, Value] = {
            "type": types[switches.host_speed if host else switches.fabric_speed],
            "mtu": mtu()["host" if host else "fabric"],
            "role": _SIDES[port.kind],
        }
        if host:
            values |= _held(c, switch, port.index)
        yield _interface(c, switch, c.fabric.port_name(switch, port), **values)


def _held(c: Context, leaf: Switch, index: int) -> dict[str, Value]:
    """The VRF of a host port, and whether its node may use it."""
    end = c.fabric.cabling.host_end(leaf, index)
    if end is None or not c.fabric.present(end[0]):
        return {"vrf": c.vrf(c.registry.owners["quarantine"])}
    holding = c.registry.holding(end[0])
    return {"vrf": c.vrf(c.owner(holding)), "enabled": holding.up}


class _Place(t.NamedTuple):
    """An address of the plan: its kind as the DNS names have it, its key, and what carries it."""

    kind: str
    key: str
    ports: tuple[tuple[Device, str], ...]
    owner: Owner | None = None


def addresses(c: Context) -> Iterator[Thing]:
    """Every address on the part's devices; one that several ports carry is one thing, as anycast."""
    for switch in c.part.switches(c.fabric):
        yield from _own(c, switch)
        yield from _between(c, switch)
        yield from _sessions(c, switch)
    yield from _arrays(c) if c.part.top else ()
    for node in c.part.nodes(c.fabric):
        yield from _own(c, node)
        yield from _links(c, node)
        yield from _routed(c, node)


def _own(c: Context, device: Device) -> Iterator[Thing]:
    plan, place = c.fabric.addresses, c.place(device)
    port = MANAGEMENT[isinstance(device, Node)]
    on = _Place("management", c.key(place, port), ((device, port),))
    yield _address(c, on, plan.management(device).whole)
    if isinstance(device, Node):
        return
    on = _Place("loopback", c.key(place, LOOPBACK), ((device, LOOPBACK),))
    yield _address(c, on, f"{codec.text(plan.loopback(device), 4)}/32")
    if device.role in WITH_VTEP:
        on = _Place("vtep", c.key(place, LOOPBACK, "vtep"), ((device, LOOPBACK),))
        yield _address(c, on, f"{codec.text(plan.vtep(device), 4)}/32")


def _links(c: Context, node: Node) -> Iterator[Thing]:
    owner = c.owner(c.registry.holding(node))
    for nics in c.host_links(node):
        low, high, length = c.fabric.addresses.ends(node, nics[0])
        if not low:
            continue
        here: list[tuple[Device, str]] = [(node, c.fabric.names.nic(nic)) for nic in nics]
        met = [c.fabric.cabling.leaf_of(node, nic) for nic in nics]
        there: list[tuple[Device, str]] = [
            (leaf, c.fabric.port_name(leaf, Port(HOST, n))) for leaf, n in met
        ]
        for text, ports in ((low, here), (high, there)):
            key = c.key(c.place(ports[0][0]), ports[0][1])
            yield _address(c, _Place("link", key, tuple(ports), owner), f"{text}/{length}")


def _routed(c: Context, node: Node) -> Iterator[Thing]:
    """Both addresses of the node's routed ports on the converged fabric."""
    for port in converged.node_ports(c.fabric):
        low, high, length = c.fabric.addresses.ends(node, port)
        if not low:
            continue
        net = converged.net_of(c, node, port)
        here = (node, c.fabric.names.net(port))
        for text, end in ((low, here), (high, converged.leaf_end(c.fabric, node, port))):
            key = c.key(c.place(end[0]), end[1])
            made = _address(c, _Place("link", key, (end,), net.owner), f"{text}/{length}")
            yield made._replace(values={**made.values, "vrf": c.named_vrf(net.vrf)})


def _sessions(c: Context, switch: Switch) -> Iterator[Thing]:
    """The switch's own addresses on sessions to the outside."""
    for net, name, text in converged.session_addresses(c, switch):
        on = _Place("link", c.key(c.place(switch), name), ((switch, name),), net.owner)
        made = _address(c, on, text)
        own: dict[str, Value] = {"vrf": c.named_vrf(net.vrf), "dns_name": ""}
        yield made._replace(values={**made.values, **own})


def _arrays(c: Context) -> Iterator[Thing]:
    """The addresses that storage arrays have for owners."""
    for net in converged.storage(c):
        for vip in net.vips:
            text = f"{vip}/{net.subnet.partition('/')[2]}"
            values: dict[str, Value] = {
                "address": text,
                "vrf": c.named_vrf(net.vrf),
                "tenant": c.tenant(net.owner),
                "status": "active",
                "role": "vip",
                "dns_name": "",
                "interfaces": (),
                "dhcp": False,
                "description": f"{c.fabric.description.name} storage of {net.owner.slug}",
            }
            yield Thing("address", c.key("vip", net.vrf, vip), text, values)


def _between(c: Context, switch: Switch) -> Iterator[Thing]:
    """The switch's own addresses on numbered links to other built switches."""
    if c.fabric.description.addressing.inter_switch == "unnumbered" or plane_of(switch) is None:
        return
    for port in c.fabric.cabling.ports(switch):
        if port.kind == HOST:
            continue
        peer, far = t.cast("tuple[Switch, Port]", c.fabric.cabling.peer(switch, port))
        if not c.fabric.present(peer):
            continue
        up = port.kind == UP
        low, high, length = c.fabric.addresses.ends(*((switch, port) if up else (peer, far)))
        name = c.fabric.port_name(switch, port)
        on = _Place("link", c.key(c.place(switch), name), ((switch, name),))
        yield _address(c, on, f"{low if up else high}/{length}")


def _address(c: Context, on: _Place, text: str) -> Thing:
    role = {"loopback": "loopback", "vtep": "vip"}.get(on.kind, "")
    device, port = on.ports[0]
    values: dict[str, Value] = {
        "address": text,
        "vrf": c.vrf(on.owner) if on.owner else "",
        "tenant": c.tenant(on.owner) if on.owner else "",
        "status": "active",
        "role": "anycast" if len(on.ports) > 1 else role,
        "dns_name": f"{label(on.kind, c.fabric.name(device), port)}.{domain(c.fabric.description)}",
        "interfaces": tuple(sorted(c.interface(*end) for end in on.ports)),
        "dhcp": on.kind == "management" and _recognised(c, device),
    }
    return Thing("address", on.key, text, values)


def _recognised(c: Context, device: Device) -> bool:
    """Check whether a DHCP server recognises the switch by its MAC address or serial number."""
    row = c.fabric.rows.get(device)
    return isinstance(device, Switch) and row is not None and bool(row.mac or row.serial)


def cables(c: Context) -> Iterator[Thing]:
    """The cables of which the part has the lower end; the other end may be outside of the part."""
    for node in c.part.nodes(c.fabric):
        for nic in c.fabric.cabling.nic_ports():
            yield _cable(c, node, nic)
        for port in converged.node_ports(c.fabric):
            yield _cable(c, node, port)
        for own in c.fabric.oob.node_ports() if c.fabric.oob else ():
            yield _cable(c, node, own)
    for switch in c.part.switches(c.fabric):
        if c.fabric.oob and c.fabric.oob.peer(switch, OobPort(ETH0)):
            yield _cable(c, switch, OobPort(ETH0))
        for up in uplinks(c, switch):
            yield _cable(c, switch, up)


def _cable(c: Context, lower: Device, port: AnyPort | NetPort | OobPort) -> Thing:
    upper, far = t.cast("tuple[Switch, Port]", c.fabric.end(lower, port))
    low = c.interface(lower, c.fabric.port_name(lower, port))
    high = c.interface(upper, c.fabric.port_name(upper, far))
    name = f"{c.fabric.name(lower)} {c.fabric.port_name(lower, port)}"
    ends: Value = tuple(sorted((low, high)))
    return Thing("cable", low.key, name, {"ends": ends, "status": "planned"})


def primaries(c: Context) -> Iterator[Thing]:
    """The management address of each device, which a DCIM takes after the addresses are there."""
    for device in c.part.devices(c.fabric):
        port = MANAGEMENT[isinstance(device, Node)]
        ref, name = c.device(device), c.fabric.name(device)
        address = Ref("address", c.key(c.place(device), port))
        six = c.fabric.addresses.management(device).version == 6
        values: dict[str, Value] = {"device": ref, "address": address}
        values |= {"version": 6} if six else {}
        yield Thing("primary", ref.key, name, values)
