# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of converged leaves: what a port is used for, VLANs, Ethernet segments, and routes between VRFs.

As in rules.py each is a generator of breaches over the whole configuration in the newer spelling, and
data/README.md says which are sourced and which inferred.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .models import Model
from .release import Release
from .schema import Breach

Doc = dict[str, Any]
INTERNAL = (3725, 3999)
"""VLANs that the switching silicon keeps for itself unless told otherwise (user guide, VLAN-aware Bridge Mode)."""
OF_L3VNIS = (4000, 4064)
"""VLANs that NVUE gives to L3 VNIs unless told otherwise (the same page)."""
_SVI = re.compile(r"vlan(\d+)")
_SUB = re.compile(r"(.+)\.(\d+)")


def _at(doc: Any, *path: str) -> Any:
    for key in path:
        doc = doc.get(key, {}) if isinstance(doc, dict) else {}
    return doc


def _on(value: Any) -> bool:
    return bool(value == "enabled")


def _members(doc: Doc) -> dict[str, list[str]]:
    """The bonds that name each port."""
    found: dict[str, list[str]] = {}
    for name, body in _at(doc, "interface").items():
        for port in _at(body, "bond", "member"):
            found.setdefault(port, []).append(name)
    return found


def _routed(body: Doc) -> list[str]:
    """List the layer 3 settings that an interface has of its own."""
    found = [f"{kind} address" for kind in ("ipv4", "ipv6") if _at(body, kind, "address")]
    return found + (["VRF"] if body.get("vrf", "default") != "default" else [])


def multihoming(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """EVPN multihoming excludes MLAG, and each segment of a switch is one bond's."""
    state = _at(doc, "evpn", "multihoming").get("state")
    with_mlag = [name for name, body in _at(doc, "interface").items() if _at(body, "bond", "mlag")]
    if _on(state) and (with_mlag or _on(_at(doc, "mlag").get("state"))):
        reason = "EVPN multihoming and MLAG cannot be configured on one switch"
        yield Breach("evpn.multihoming.state", reason)
    owners: dict[tuple[Any, str], str] = {}
    shared = _at(doc, "evpn", "multihoming", "segment").get("mac-address", "")
    for name, body in _at(doc, "interface").items():
        segment = _at(body, "evpn", "multihoming", "segment")
        if "local-id" in segment:
            key = (segment["local-id"], str(segment.get("mac-address", shared)).lower())
            if key in owners:
                place = f"interface.{name}.evpn.multihoming.segment.local-id"
                yield Breach(place, f"local-id {key[0]} is that of {owners[key]}")
            owners[key] = name


def bond_members(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """A port is in one bond, and then has nothing of its own: no address, VRF, bridge or subinterface."""
    interfaces = _at(doc, "interface")
    based = {_base(name, body) for name, body in interfaces.items()}
    for port, bonds in _members(doc).items():
        body = interfaces.get(port, {})
        if len(bonds) > 1:
            yield Breach(
                f"interface.{bonds[1]}.bond.member.{port}", f"{port} is in {bonds[0]} already"
            )
        elif not re.fullmatch(r"swp\d+(s\d+)?", port):
            yield Breach(f"interface.{bonds[0]}.bond.member.{port}", "only ports can be in a bond")
        uses = _routed(body) + (["bridge domain"] if _at(body, "bridge", "domain") else [])
        uses += ["subinterface"] if port in based else []
        for use in uses:
            yield Breach(
                f"interface.{port}", f"a port of {bonds[0]} cannot have a {use} of its own"
            )


def _base(name: str, body: Doc) -> str:
    """The port below a subinterface; nothing for another interface."""
    match = _SUB.fullmatch(name)
    if body.get("type") not in (None, "sub") or not (match or body.get("type") == "sub"):
        return ""
    return str(body.get("base-interface", match.group(1) if match else ""))


def subinterfaces(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """The name of a subinterface says its port and its VLAN, and no other of the port has that VLAN."""
    owners: dict[tuple[str, int], str] = {}
    for name, body in _at(doc, "interface").items():
        base = _base(name, body)
        if not base:
            continue
        place, match = f"interface.{name}", _SUB.fullmatch(name)
        vlan = body.get("vlan", int(match.group(2)) if match else None)
        if vlan is None:
            yield Breach(f"{place}.vlan", "vlan is required for a subinterface of this name")
            continue
        if match and (match.group(1), int(match.group(2))) != (base, vlan):
            yield Breach(place, f"the name does not fit base-interface {base} and vlan {vlan}")
        if (base, vlan) in owners:
            yield Breach(f"{place}.vlan", f"VLAN {vlan} of {base} is that of {owners[base, vlan]}")
        elif _at(doc, "interface", base, "bridge", "domain"):
            yield Breach(place, f"{base} is a port of a bridge")
        owners[base, vlan] = name


def bridge_ports(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """A port of a bridge is in one, has no layer 3 of its own, and is not both access port and trunk."""
    for name, body in _at(doc, "interface").items():
        domains = _at(body, "bridge", "domain")
        if len(domains) > 1:
            yield Breach(f"interface.{name}.bridge.domain", "a port can be in one bridge only")
        for use in _routed(body) if domains else ():
            yield Breach(f"interface.{name}", f"a port of a bridge cannot have a {use} of its own")
        for domain, row in domains.items():
            place = f"interface.{name}.bridge.domain.{domain}"
            if isinstance(row.get("access"), int) and ("untagged" in row or row.get("vlan")):
                yield Breach(f"{place}.access", "access excludes untagged and vlan")


def reserved_vlans(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """VLANs of bridges and SVIs are outside the two reserved ranges, which may be moved."""
    ranges = _reserved(doc)
    for place, vlan in _vlans(doc):
        for word, (low, high) in ranges.items():
            if low <= vlan <= high:
                yield Breach(
                    place, f"VLAN {vlan} is in the range {low}-{high} that is reserved {word}"
                )
    bridged = {vlan for place, vlan in _vlans(doc)}
    owners: dict[int, str] = {}
    low, high = ranges["for internal use"]
    for name, body in _at(doc, "vrf").items():
        vlan, place = _at(body, "evpn").get("vlan"), f"vrf.{name}.evpn.vlan"
        if not isinstance(vlan, int):
            continue
        if low <= vlan <= high:
            yield Breach(
                place, f"VLAN {vlan} is in the range {low}-{high} that is reserved for internal use"
            )
        elif vlan in bridged or vlan in owners:
            yield Breach(place, f"VLAN {vlan} is used by {owners.get(vlan, 'a bridge')}")
        owners[vlan] = name


def _reserved(doc: Doc) -> dict[str, tuple[int, int]]:
    stated = _at(doc, "system", "global", "reserved", "vlan")
    low, dash, high = str(_at(stated, "internal").get("range", "")).partition("-")
    l3 = _at(stated, "l3-vni-vlan")
    return {
        "for internal use": (int(low), int(high)) if dash else INTERNAL,
        "for L3 VNIs": (l3.get("begin", OF_L3VNIS[0]), l3.get("end", OF_L3VNIS[1])),
    }


def _vlans(doc: Doc) -> Iterator[tuple[str, int]]:
    """Every VLAN of a bridge, of its ports and of SVIs, with its place."""
    for domain, body in _at(doc, "bridge", "domain").items():
        yield from (
            (f"bridge.domain.{domain}.vlan.{vlan}", int(vlan)) for vlan in _at(body, "vlan")
        )
    for name, body in _at(doc, "interface").items():
        match = _SVI.fullmatch(name)
        if match or body.get("type") == "svi":
            vlan = body.get("vlan", int(match.group(1)) if match else 0)
            yield f"interface.{name}", vlan
        for domain, row in _at(body, "bridge", "domain").items():
            place = f"interface.{name}.bridge.domain.{domain}"
            yield from ((f"{place}.vlan.{vlan}", int(vlan)) for vlan in _at(row, "vlan"))
            yield from (
                (f"{place}.{key}", row[key])
                for key in ("access", "untagged")
                if isinstance(row.get(key), int)
            )


def svis(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """An SVI that is named after a VLAN is that of this VLAN."""
    for name, body in _at(doc, "interface").items():
        match = _SVI.fullmatch(name)
        if match and body.get("vlan", int(match.group(1))) != int(match.group(1)):
            yield Breach(f"interface.{name}.vlan", f"{body['vlan']} is not the VLAN of the name")


def leaks(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """Routes come from a VRF that exists and is another one, and all that take or give them have one ASN."""
    shared = _at(doc, "router", "bgp").get("autonomous-system")
    numbers = {
        name: _at(body, "router", "bgp").get("autonomous-system", shared)
        for name, body in _at(doc, "vrf").items()
    }
    for vrf, body in _at(doc, "vrf").items():
        for family, row in _at(body, "router", "bgp", "address-family").items():
            place = f"vrf.{vrf}.router.bgp.address-family.{family}.route-import.from-vrf"
            for other in _at(row, "route-import", "from-vrf", "list"):
                if other == vrf or other not in {"default", *numbers}:
                    yield Breach(
                        f"{place}.list.{other}", f"VRF {other} does not exist, or is this one"
                    )
                elif numbers.get(other, shared) not in (numbers[vrf], "auto", "none"):
                    yield Breach(
                        f"{place}.list.{other}", f"VRF {other} has another autonomous-system"
                    )


LISTS = {
    "community-list": "community-list",
    "ext-community-list": "ext-community-list",
    "large-community-list": "large-community-list",
    "as-path-list": "as-path-list",
}


def named_lists(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """A list that a route map names exists, and so does the BFD profile of a peer group."""
    known = _at(doc, "router", "policy")
    for name, body in _at(known, "route-map").items():
        for number, rule in body.get("rule", {}).items():
            for key, kind in LISTS.items():
                listed = _at(rule, "match").get(key)
                if listed is not None and listed not in _at(known, kind):
                    place = f"router.policy.route-map.{name}.rule.{number}.match.{key}"
                    yield Breach(place, f"{kind} {listed} does not exist")
    for vrf, body in _at(doc, "vrf").items():
        for group, peer in _at(body, "router", "bgp", "peer-group").items():
            profile = _at(peer, "bfd").get("profile")
            if profile is not None and profile not in _at(doc, "router", "bfd", "profile"):
                place = f"vrf.{vrf}.router.bgp.peer-group.{group}.bfd.profile"
                yield Breach(place, f"BFD profile {profile} does not exist")


RULES = (
    multihoming,
    bond_members,
    subinterfaces,
    bridge_ports,
    reserved_vlans,
    svis,
    leaks,
    named_lists,
)
