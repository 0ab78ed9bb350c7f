# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine a document asks for: ports, VRFs, loopback and VTEP, as dataclasses."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import Any

from .document import Doc, at, on
from .layer2 import Layer2, layer2

DEFAULT_MTU = 9216
OUTER_V4, OUTER_V6 = 50, 70
MANAGEMENT = {"eth0", "eth1"}


@dataclass(frozen=True)
class Port:
    """A front port, bond, subinterface or SVI; vrf "" is the default VRF; addresses with their prefix lengths."""

    name: str
    vrf: str
    mtu: int
    up: bool
    addresses: frozenset[str]
    ipv6: bool


@dataclass(frozen=True)
class Vrf:
    """A tenant's VRF: its L3VNI (None: no overlay) and the addresses of its loopback."""

    name: str
    vni: int | None
    loopback: frozenset[str]


@dataclass(frozen=True)
class Machine:
    """All of it; `vtep` None: no VXLAN. `overlay_mtu` is what fits into a VXLAN packet.

    Ports of a bond are not in `ports`; `uplinks` are those that EVPN multihoming tracks.
    """

    hostname: str
    ports: dict[str, Port]
    vrfs: dict[str, Vrf]
    loopback: frozenset[str]
    vtep: str | None
    overlay_mtu: int
    lldp: dict[str, Any] = field(default_factory=dict)
    layer2: Layer2 = field(default_factory=Layer2)
    uplinks: frozenset[str] = frozenset()


def machine(doc: Doc) -> Machine:
    """The machine of a whole document."""
    closed = on(at(doc, "maintenance", "unit", "all-interfaces").get("mode"))
    below = layer2(doc)
    ports = {
        name: _port(name, body, closed, mtu=_mtu(doc, body))
        for name, body in at(doc, "interface").items()
        if _is_port(name, body, below)
    }
    vrfs = {
        name: _vrf(name, body)
        for name, body in at(doc, "vrf").items()
        if name not in ("default", "mgmt")
    }
    vtep = at(doc, "nve", "vxlan", "source").get("address")
    vtep = vtep if on(at(doc, "nve", "vxlan").get("state")) else None
    return Machine(
        hostname=at(doc, "system").get("hostname", "cumulus"),
        ports=ports,
        vrfs=vrfs,
        loopback=_addresses(at(doc, "interface", "lo"))
        | frozenset(at(doc, "vrf", "default", "loopback", "ip", "address")),
        vtep=vtep,
        overlay_mtu=_overlay_mtu(ports, vtep, below),
        lldp=at(doc, "system", "lldp") or at(doc, "service", "lldp"),
        layer2=below,
        uplinks=frozenset(
            name
            for name, body in at(doc, "interface").items()
            if on(at(body, "evpn", "multihoming").get("uplink"))
        ),
    )


def _is_port(name: str, body: Doc, below: Layer2) -> bool:
    """Check whether an interface has layer 3 settings of its own, or could have."""
    if name in below.members:
        return False
    return (name.startswith("swp") and not _divided(body)) or name in {
        **below.bonds,
        **below.tagged,
    }


def _divided(body: Doc) -> bool:
    return any(mode[0] in "248" for mode in at(body, "link", "breakout"))


def _mtu(doc: Doc, body: Doc) -> int:
    """Its own, or that of the port below: no VLAN device may have more than that has."""
    below = at(doc, "interface", str(body.get("base-interface", "")), "link")
    return int(at(body, "link").get("mtu", below.get("mtu", DEFAULT_MTU)))


def _port(name: str, body: Doc, closed: bool, *, mtu: int) -> Port:
    vrf = body.get("vrf", "default")
    return Port(
        name=name,
        vrf="" if vrf == "default" else vrf,
        mtu=mtu,
        up="down" not in at(body, "link", "state") and not closed,
        addresses=_addresses(body),
        ipv6=at(body, "ipv6").get("state", "enabled") == "enabled",
    )


def _addresses(body: Doc) -> frozenset[str]:
    texts = [*at(body, "ipv4", "address"), *at(body, "ipv6", "address")]
    return frozenset(str(ipaddress.ip_interface(text)) for text in texts)


def _vrf(name: str, body: Doc) -> Vrf:
    evpn = at(body, "evpn")
    vnis = list(at(evpn, "vni")) if evpn.get("state", "enabled") == "enabled" else []
    return Vrf(
        name=name,
        vni=int(vnis[0]) if vnis else None,
        loopback=frozenset(
            text
            for word in ("ip", "ipv4", "ipv6")
            for text in at(body, "loopback", word, "address")
        ),
    )


def _overlay_mtu(ports: dict[str, Port], vtep: str | None, below: Layer2) -> int:
    """MTU that fits into the smallest uplink, assuming the default VRF's ports are the uplinks."""
    outer = OUTER_V6 if vtep and ":" in vtep else OUTER_V4
    bridged = set(below.bridge.ports) if below.bridge else set()
    lower = {*below.bonds, *below.tagged, *bridged, *(item.base for item in below.tagged.values())}
    uplinks = [
        port.mtu for port in ports.values() if not port.vrf and port.up and port.name not in lower
    ]
    return min(uplinks, default=DEFAULT_MTU) - outer
