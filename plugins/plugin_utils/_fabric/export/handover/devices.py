# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of devices: what each is, where it is, its addresses and tenants, and what its ports lead to."""

from __future__ import annotations

import typing as t

from ...._pages import html
from ...plan.slices import model_of, of_device
from ...plan.topology.cabling import Node
from ...plan.topology.cages import parse
from ...plan.topology.converged import OUTSIDE, WITH_VTEP
from ...tenants.registry import Registry
from . import labels

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ...plan.slices import AnySlice
    from ...plan.topology.cabling import Device
    from .cables import Cables

_NODE_PORTS = (
    ("Port", "mono"),
    ("Rail", "number"),
    ("Plane", "number"),
    ("To", "mono"),
    ("Address", "mono"),
    ("Gateway", "mono"),
    ("Cable", "mono"),
)
_SWITCH_PORTS = (
    ("Port", "mono"),
    ("Cage", "number"),
    ("Leg", "number"),
    ("Towards", ""),
    ("Speed", ""),
    ("To", "mono"),
    ("Address", "mono"),
    ("Cable", "mono"),
)
_NET_PORTS = (
    ("Port", "mono"),
    ("Network", ""),
    ("To", "mono"),
    ("Address or bond", "mono"),
    ("Gateway", "mono"),
    ("Cable", "mono"),
)
_TOWARDS = {
    "host": "node",
    "array": "storage array",
    "server": "server",
    "external": "outside",
    "up": "upper switch",
    "down": "lower switch",
    "access": "out-of-band port",
}


class Pages:
    """The pages of one fabric; its registry is read once."""

    def __init__(self, cables: Cables) -> None:
        self._cables, self._fabric = cables, cables.fabric
        self._registry = Registry.load(cables.fabric)

    def page(self, title: str, devices: Iterable[Device]) -> Iterator[str]:
        """The page of some devices, each in a section of its own."""
        name = self._fabric.description.name
        top = f"{html.link('../index.html', name)} / {html.text(title)}"
        body = (chunk for device in devices for chunk in self._section(device))
        return html.page(f"{name}: {title}", body, top=top)

    def _section(self, device: Device) -> Iterator[str]:
        data, spot = of_device(self._fabric, device), self._cables.floor.spot(device)
        where = f"rack {spot.rack}" if spot.rack else "rack not stated"
        unit = f", unit {spot.unit}" if spot.unit else ""
        yield "<section>"
        yield html.heading(
            data["name"], f"{labels.role(device)}, {where}{unit}", anchor=data["name"]
        )
        yield html.facts(self._facts(device, data))
        cable_of = {
            port: cable.id for cable, plug in self._cables.at(device) for port in plug.ports
        }
        above = f"Ports of {data['name']}"
        if isinstance(device, Node):
            yield from html.table(_NODE_PORTS, _node_ports(data, cable_of), above=above)
            if data.get("networks"):
                above = f"Ports of {data['name']} on the converged fabric"
                yield from html.table(_NET_PORTS, _net_ports(data, cable_of), above=above)
        else:
            yield from html.table(_SWITCH_PORTS, _switch_ports(data, cable_of), above=above)
        yield "</section>\n"

    def _facts(self, device: Device, data: AnySlice) -> Iterator[tuple[str, object]]:
        row = self._fabric.rows.get(device)
        if isinstance(device, Node):
            d = self._fabric.stated(device)
            yield "What it is", f"GPU node with {d.rails} x {d.nics.model}"
        else:
            yield "What it is", model_of(self._fabric, device)
        yield "Place", ", ".join(_place(data))
        yield "Code on labels", self._cables.code(device)
        yield "Name in the plan", self._fabric.names.name(device) if row and row.name else ""
        yield "Serial", data.get("serial", "")
        yield "MAC address", data.get("mac", "")
        gateway = data["management_gateway"]
        yield "Management", data["management"] + (f", gateway {gateway}" if gateway else "")
        stated: Mapping[str, t.Any] = data
        yield "ASN", stated.get("asn", "")
        yield "Loopback", stated.get("loopback", "")
        yield "VTEP", stated.get("vtep", "")
        yield "Partner", stated.get("partner", "")
        yield "Tenant" if isinstance(device, Node) else "Tenants", ", ".join(self._tenants(device))

    def _tenants(self, device: Device) -> list[str]:
        """List the tenant of a node; on a leaf, the tenants of its nodes, with their number."""
        if isinstance(device, Node):
            return [self._registry.holding(device).slug]
        found: dict[str, set[Node]] = {}
        ports = self._fabric.cabling_of(device).ports(device)
        for port in ports if device.role in WITH_VTEP else ():
            end = self._fabric.end(device, port)
            if end and isinstance(end[0], Node) and self._fabric.present(end[0]):
                found.setdefault(self._registry.holding(end[0]).slug, set()).add(end[0])
        return [
            f"{slug} ({len(nodes)} node{'s' if len(nodes) > 1 else ''})"
            for slug, nodes in sorted(found.items())
        ]


def _place(data: AnySlice) -> Iterator[str]:
    """The coordinates of a device, counted from 1."""
    stated: Mapping[str, t.Any] = data
    words_of = {"su": "SU", "index": f"{stated['role'].replace('_', '-')} number"}
    for key in ("plane", "pod", "group", "su", "rack", "slot", "pair", "member", "index"):
        if key in stated and not (key == "index" and "su" in stated):
            yield f"{words_of.get(key, key)} {stated[key] + 1}"
    if stated.get("rails"):
        rails = [str(rail + 1) for rail in stated["rails"]]
        yield f"rail{'s' if len(rails) > 1 else ''} {', '.join(rails)}"


def _node_ports(data: AnySlice, cable_of: Mapping[str, str]) -> Iterator[tuple[object, ...]]:
    for port in t.cast("t.Any", data["ports"]):
        peer = f"{port['peer']['device']} {port['peer']['port']}"
        own = (port["port"], port["rail"] + 1, port["plane"] + 1, peer)
        address = f"{port['address']}/{port['length']}"
        yield (*own, address, port["gateway"], cable_of.get(port["port"], ""))


def _net_ports(data: AnySlice, cable_of: Mapping[str, str]) -> Iterator[tuple[object, ...]]:
    for port in t.cast("t.Any", data)["networks"]:
        name, peer = port["port"], f"{port['peer']['device']} {port['peer']['port']}"
        own = (name, port["network"], peer, _address(port))
        yield (*own, port.get("gateway", ""), cable_of.get(name, ""))


def _address(port: Mapping[str, t.Any]) -> str:
    """The address of a port, or the bond that it is in; one to the outside has neither."""
    if "address" in port:
        return f"{port['address']}/{port['length']}"
    if "bond" in port:
        return f"in {port['bond']}"
    return "" if port.get("kind") in OUTSIDE else "unnumbered"


def _switch_ports(data: AnySlice, cable_of: Mapping[str, str]) -> Iterator[tuple[object, ...]]:
    for port in t.cast("t.Any", data["ports"]):
        name = port["port"]
        _cage, sub = parse(name) or (0, None)
        leg = "" if sub is None else sub + 1
        peer = f"{port['peer']['device']} {port['peer']['port']}".rstrip()
        address = _address(port)
        own = (name, port["cage"], leg, _TOWARDS[port["kind"]], port["speed"])
        if port["present"]:
            yield (*own, peer, address, cable_of.get(name, ""))
        else:
            yield (*own, f"{peer}, not built", address, "")
