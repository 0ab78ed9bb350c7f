# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Things of the converged fabric: ports and bonds of its switches and of nodes, VLANs, routed links, VRFs of storage.

A bond is in VLANs and not in a VRF, so that its ports are in none. A subinterface to the outside is in the VRF of its
tenant. The addresses of a storage array move between its ports, and the array is not a device: they are on no
interface.
"""

from __future__ import annotations

import ipaddress
import typing as t

from ...plan.slices import mtu, of_converged, of_device, speed_of
from ...plan.topology.cabling import DOWN, HOST, UP, Port, Switch
from ...plan.topology.converged import ARRAY, EQUIPMENT, EXTERNAL, SERVER, TO_OUTSIDE
from ...plan.topology.converged_cabling import NetPort
from ...tenants import attachments, nets
from ...tenants.attachments import placed
from ...tenants.converged import equipped
from ...tenants.converged import sessions as converged_sessions
from ...tenants.schema import QUARANTINE
from ...tenants.vrfs import of_leaf
from .context import words
from .things import Ref, Value

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...plan.fabric import Fabric
    from ...plan.slices import NetNic
    from ...plan.topology.cabling import Node
    from ...tenants.nets import Net
    from ...tenants.schema import ExternalPeer
    from ...tenants.vrfs import Vrf
    from .context import Context

_SIDES = {
    HOST: "downlink",
    ARRAY: "downlink",
    SERVER: "downlink",
    DOWN: "downlink",
    UP: "uplink",
    EXTERNAL: "",
}


def node_ports(fabric: Fabric) -> list[NetPort]:
    """The ports of every node on the converged fabric."""
    return [port for port in fabric.node_ports() if isinstance(port, NetPort)]


def leaf_end(fabric: Fabric, node: Node, port: NetPort) -> tuple[Switch, str]:
    """The leaf and interface that a port of a node meets."""
    leaf, there = t.cast(tuple[Switch, Port], fabric.end(node, port))
    return leaf, fabric.port_name(leaf, there)


def net_of(c: Context, node: Node, port: NetPort) -> Net:
    """The owner and VRF of a routed port of a node."""
    slug, _up = placed(c.registry, node, port.network)
    return c.registry.nets[slug, port.network]


def storage(c: Context) -> Iterator[Net]:
    """The owners on the storage network, by id; none without one."""
    stated = c.fabric.description.networks
    if stated and stated.storage:
        found = [net for net in c.registry.nets.values() if net.network == "storage"]
        yield from sorted(found, key=lambda net: net.owner.id)


def with_vlans(c: Context) -> Iterator[Net]:
    """The owners that have a VLAN on a network: that of bonds, or of arrays."""
    for net in sorted(c.registry.nets.values(), key=lambda net: (net.network, net.owner.id)):
        if net.vlan and _has_vlans(c, net):
            yield net


def _has_vlans(c: Context, net: Net) -> bool:
    stated = nets.part_of(net.network, c.fabric.description)
    if stated is None:
        return False
    if attachments.tagged(c.fabric, net.network) and net.owner.slug == QUARANTINE:
        return False
    bonds = attachments.mode(c.fabric, net.network) == attachments.BOND
    return bonds or (equipped(c.fabric, net) and net.owner.customer)


def sessions(c: Context) -> Iterator[tuple[Net, ExternalPeer]]:
    """Every session to the outside, with whose it is."""
    return converged_sessions(c.fabric, c.registry, attachments.links(c.fabric))


def border_vlans(c: Context) -> dict[int, list[Net]]:
    """The VLANs of subinterfaces, with those who have one of that number on some link."""
    found: dict[int, list[Net]] = {}
    for net, peer in sessions(c):
        if vlan := nets.subinterface(net.owner, peer):
            users = found.setdefault(vlan, [])
            users += [] if net in users else [net]
    return dict(sorted(found.items()))


class SessionAddress(t.NamedTuple):
    """The leaf's address of a session, the interface that has it, and whose it is."""

    net: Net
    interface: str
    address: str


def session_addresses(c: Context, switch: Switch) -> Iterator[SessionAddress]:
    """The addresses of a switch on its sessions to the outside; unnumbered ones have none."""
    for row in of_leaf(c.fabric, c.registry, switch) if switch.role in TO_OUTSIDE else ():
        net = c.registry.nets[row["slug"], t.cast("t.Any", row["network"])]
        seen = set[str]()
        for one in row["sessions"]:
            text = f"{one['address']}/{one['length']}"
            if one["address"] and text not in seen:
                seen.add(text)  # two neighbours may be in one subnet
                yield SessionAddress(net, nets.interface(one["port"], one["vlan"]), text)


def session_prefixes(c: Context) -> Iterator[tuple[Net, str, int | None]]:
    """The subnets of sessions to the outside, each once in a VRF, with the VLAN."""
    seen = set[tuple[str, str]]()
    for net, peer in sessions(c):
        text = str(ipaddress.ip_interface(peer.address).network) if peer.address else ""
        if text and (net.vrf, text) not in seen:
            seen.add((net.vrf, text))
            yield net, text, nets.subinterface(net.owner, peer)


Ports = t.Iterable[tuple[str, "Mapping[str, Value]"]]
"""Names of interfaces of a device, with their values."""


def of_switch(c: Context, switch: Switch) -> Ports:
    """Name and values of each interface of a switch: bonds first, as their members refer to them."""
    rows = of_leaf(c.fabric, c.registry, switch)
    vrfs, vlans, bonds = dict(_in_vrfs(c, rows)), _in_vlans(c, rows), _bonds(c, switch)
    for name in dict.fromkeys(bonds.values()):
        yield name, _bond("downlink", vlans.get(name, _Vlans()))
    for port in c.fabric.cabling_of(switch).ports(switch):
        name = c.fabric.port_name(switch, port)
        between = port.kind in (UP, DOWN)
        values: dict[str, Value] = {
            "type": words()["types"]["OSFP"][speed_of(c.fabric, switch, port)],
            "mtu": None if port.kind == EXTERNAL else mtu()["fabric" if between else "host"],
            "role": _SIDES[port.kind],
        }
        if port.kind in (HOST, *EQUIPMENT):
            bond = bonds.get(name)
            values["lag"] = c.interface(switch, bond) if bond else ""
            values |= vlans.get(name, _Vlans()).values()
        yield name, {**values, **vrfs.get(name, {})}
    yield from _subinterfaces(c, switch, rows)


def _subinterfaces(c: Context, switch: Switch, rows: list[Vrf]) -> Ports:
    """The subinterfaces of sessions to the outside; two sessions of a VRF may share one."""
    for row in rows:
        for port, vlan in dict.fromkeys((one["port"], one["vlan"]) for one in row["sessions"]):
            if vlan is not None:
                values: dict[str, Value] = {
                    "type": "virtual",
                    "parent": c.interface(switch, port),
                    "vrf": c.named_vrf(row["vrf"]),
                    **_Vlans(tagged=(c.border_vlan(vlan),)).values(),
                }
                yield nets.interface(port, vlan), values


class _Vlans(t.NamedTuple):
    """The VLANs on a bond or port, and whether it may be used."""

    untagged: Value = ""
    tagged: tuple[Ref, ...] = ()
    up: bool = True

    def values(self) -> dict[str, Value]:
        """Return the VLANs as fields of an interface."""
        mode = "tagged" if self.tagged else "access" if self.untagged else ""
        tagged: Value = tuple(sorted(self.tagged))
        return {"mode": mode, "untagged_vlan": self.untagged, "tagged_vlans": tagged}


def _bonds(c: Context, switch: Switch) -> dict[str, str]:
    """The bond of each port that is in one."""
    rows = of_converged(c.fabric, switch)["ports"]
    return {row["port"]: row["bond"] for row in rows if "bond" in row}


def _bond(role: str, vlans: _Vlans | None = None) -> dict[str, Value]:
    """The values of a bond; those of a node have no VLANs, as hosts make them."""
    made: dict[str, Value] = {"type": "lag", "mtu": mtu()["host"], "role": role}
    return made if vlans is None else {**made, "enabled": vlans.up, **vlans.values()}


def _in_vlans(c: Context, rows: list[Vrf]) -> dict[str, _Vlans]:
    """The VLANs of bonds and ports by name."""
    found: dict[str, _Vlans] = {}
    for row in rows:
        vlan = c.vlan(c.registry.nets[row["slug"], t.cast("t.Any", row["network"])])
        for port in (port for segment in row["segments"] for port in segment["ports"]):
            old = found.get(port["bond"], _Vlans())
            if port["tagged"]:
                found[port["bond"]] = old._replace(tagged=(*old.tagged, vlan))
            else:
                found[port["bond"]] = old._replace(untagged=vlan, up=port["up"])
    return found


def _in_vrfs(c: Context, rows: list[Vrf]) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """The ports that are in a VRF themselves: routed ones of nodes, and those of one customer to the outside."""
    for row in rows:
        vrf = c.named_vrf(row["vrf"])
        for routed in row["routed"]:
            yield routed["port"], {"vrf": vrf, "enabled": routed["up"]}
        for session in row["sessions"]:
            if session["vlan"] is None:
                yield session["port"], {"vrf": vrf}


def of_node(c: Context, node: Node) -> Ports:
    """Name and values of each interface of a node, bonds first. Nothing is known of cages: they follow the speed."""
    rows = t.cast("list[NetNic]", of_device(c.fabric, node).get("networks", []))
    for bond in dict.fromkeys(row["bond"] for row in rows if "bond" in row):
        yield bond, _bond("uplink")
    for port, row in zip(node_ports(c.fabric), rows, strict=True):
        end = t.cast(tuple[Switch, Port], c.fabric.end(node, port))
        kind = words()["types"]["OSFP"][speed_of(c.fabric, *end)]
        lag = c.interface(node, row["bond"]) if "bond" in row else ""
        yield row["port"], {"type": kind, "mtu": mtu()["host"], "role": "uplink", "lag": lag}
