# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layer 2 of a document: bonds, the bridge with its VLANs, 802.1Q devices, anycast gateways."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .document import Doc, Refused, at

ANYCAST_MAC = "44:38:39:ff:00:ff"
"""The MAC address of anycast gateways where the document names none: NVIDIA's rendered leaf writes it."""
_SVI = re.compile(r"vlan(\d+)")


@dataclass(frozen=True)
class Bond:
    """A bond with its ports; `system` is the LACP system id that its switches share ("": the switch's own).

    `tracked`: it has an Ethernet segment, and goes down with the last uplink.
    """

    members: tuple[str, ...]
    lacp: bool
    fast: bool
    system: str
    tracked: bool = False


@dataclass(frozen=True)
class Tagged:
    """A device for one VLAN: a subinterface of a port, or an SVI of the bridge."""

    base: str
    vlan: int


@dataclass(frozen=True)
class Anycast:
    """The gateway addresses that an SVI shares with the other switches, behind a MAC address of their own."""

    mac: str
    addresses: frozenset[str]
    up: bool


@dataclass(frozen=True)
class Membership:
    """The VLANs of a bridge port: the one of untagged frames (None: they are dropped), and tagged ones."""

    untagged: int | None
    tagged: frozenset[int]


@dataclass(frozen=True)
class Bridge:
    """The VLAN-aware bridge: its VLANs, the VNIs that carry them, its ports."""

    name: str
    vlans: frozenset[int]
    vnis: dict[int, int]
    ports: dict[str, Membership]


@dataclass(frozen=True)
class Layer2:
    """All of it; `bridge` None: the switch only routes."""

    bonds: dict[str, Bond] = field(default_factory=dict)
    tagged: dict[str, Tagged] = field(default_factory=dict)
    anycast: dict[str, Anycast] = field(default_factory=dict)
    bridge: Bridge | None = None

    @property
    def members(self) -> dict[str, str]:
        """The bond of each port that is in one."""
        return {port: name for name, bond in self.bonds.items() for port in bond.members}

    @property
    def needs(self) -> list[str]:
        """List the requirements on the kernel, in words; a bridge that nothing is in needs nothing."""
        used = self.bridge is not None and bool(self.bridge.vlans or self.bridge.ports)
        found = ["bonds"] if self.bonds else []
        found += ["VLANs of a bridge"] if used else []
        return found + (["802.1Q subinterfaces"] if self.tagged and not used else [])


def layer2(doc: Doc) -> Layer2:
    """Return the layer 2 of a whole document."""
    bridge = _bridge(doc)
    interfaces = at(doc, "interface")
    return Layer2(
        bonds={
            name: _bond(doc, body)
            for name, body in interfaces.items()
            if at(body, "bond", "member")
        },
        tagged=_tagged(interfaces, bridge),
        anycast={
            name: _anycast(doc, name, body)
            for name, body in interfaces.items()
            if _shares(doc, body)
        },
        bridge=bridge,
    )


def _bond(doc: Doc, body: Doc) -> Bond:
    bond = body["bond"]
    shared = at(doc, "evpn", "multihoming", "segment").get("mac-address", "")
    segment = at(body, "evpn", "multihoming", "segment")
    return Bond(
        members=tuple(sorted(bond["member"])),
        lacp=bond.get("mode", "lacp") == "lacp",
        fast=bond.get("lacp-rate", "fast") == "fast",
        system=str(segment.get("mac-address", shared)).lower() if segment else "",
        tracked=bool({"local-id", "identifier"} & set(segment)),
    )


def _bridge(doc: Doc) -> Bridge | None:
    domains = at(doc, "bridge", "domain")
    if len(domains) > 1:
        raise Refused("bridge.domain: this realiser understands one bridge")
    for name, body in domains.items():
        vlans = frozenset(map(int, at(body, "vlan")))
        vnis = {
            int(vlan): int(vni) for vlan, row in at(body, "vlan").items() for vni in at(row, "vni")
        }
        ports = {
            port: _membership(at(row, "bridge", "domain")[name], body, vlans)
            for port, row in at(doc, "interface").items()
            if name in at(row, "bridge", "domain")
        }
        return Bridge(name, vlans, vnis, ports)
    return None


def _membership(port: Doc, bridge: Doc, vlans: frozenset[int]) -> Membership:
    """An access port ignores tagged frames; another one inherits the VLANs it does not state.

    Source: user guide, VLAN-aware Bridge Mode.
    """
    if isinstance(port.get("access"), int):
        return Membership(port["access"], frozenset())
    own = port.get("untagged", bridge.get("untagged", 1))
    untagged = own if isinstance(own, int) else None
    tagged = frozenset(map(int, at(port, "vlan"))) or vlans
    return Membership(untagged, tagged - {untagged})


def _tagged(interfaces: Doc, bridge: Bridge | None) -> dict[str, Tagged]:
    found = {}
    for name, body in interfaces.items():
        base, dot, vlan = name.rpartition(".")
        svi = _SVI.fullmatch(name)
        if body.get("type") == "sub" or (dot and vlan.isdigit() and name.startswith("swp")):
            found[name] = Tagged(body.get("base-interface", base), int(body.get("vlan", vlan)))
        elif svi or body.get("type") == "svi":
            if bridge is None:
                raise Refused(f"interface.{name}: an SVI requires a bridge")
            number = int(body.get("vlan", svi.group(1) if svi else 0))
            found[name] = Tagged(body.get("base-interface", bridge.name), number)
    return found


def _shares(doc: Doc, body: Doc) -> bool:
    """Check whether an SVI has a shared gateway address: the switch as a whole has them off by default."""
    states = [at(body, family, "vrr").get("state") for family in ("ipv4", "ipv6")]
    return "enabled" in states and at(doc, "router", "vrr").get("state") == "enabled"


def _anycast(doc: Doc, name: str, body: Doc) -> Anycast:
    rows = [at(body, family, "vrr") for family in ("ipv4", "ipv6")]
    rows = [row for row in rows if row.get("state") == "enabled"]
    everywhere = at(doc, "system", "global")
    macs = [row["mac-address"] for row in rows if row.get("mac-address", "auto") != "auto"]
    macs += [everywhere[key] for key in ("anycast-mac", "fabric-mac") if key in everywhere]
    return Anycast(
        mac=str((macs or [ANYCAST_MAC])[0]).lower(),
        addresses=frozenset(text for row in rows for text in row.get("address", {})),
        up=not any("down" in at(row, "vrr-state") for row in rows),
    )
