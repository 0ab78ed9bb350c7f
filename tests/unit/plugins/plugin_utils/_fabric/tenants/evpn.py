# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EVPN in a few lines: what the route tables of leaves hold, computed from their documents alone.

Knows nothing of the collection: it reads documents as a switch would. Every cabled host is up.
"""

from __future__ import annotations

import ipaddress
from typing import Any


def at(doc: Any, *path: str) -> Any:
    """Return the value at a path, or an empty mapping."""
    for key in path:
        doc = doc.get(key, {}) if isinstance(doc, dict) else {}
    return doc


def ports(doc: dict[str, Any], vrf: str) -> dict[str, dict[str, Any]]:
    """The interfaces of a VRF that are up."""
    found = at(doc, "interface").items()
    return {n: b for n, b in found if b.get("vrf") == vrf and "down" not in at(b, "link", "state")}


def connected(doc: dict[str, Any], vrf: str) -> set[str]:
    """The prefixes of a VRF's own links."""
    made = set()
    for body in ports(doc, vrf).values():
        for family in ("ipv4", "ipv6"):
            made |= {
                str(ipaddress.ip_interface(text).network) for text in at(body, family, "address")
            }
    return made


def targets(doc: dict[str, Any], vrf: str, way: str) -> set[str]:
    """Route targets of a VRF: way is import or export."""
    side = {"import": ("route-import", "from-evpn"), "export": ("route-export", "to-evpn")}[way]
    return set(at(doc, "vrf", vrf, "router", "bgp", *side, "route-target"))


def exported(doc: dict[str, Any], vrf: str) -> set[str]:
    """The prefixes that a VRF announces as type 5."""
    families = at(doc, "vrf", vrf, "router", "bgp", "address-family")
    made: set[str] = set()
    for name, body in families.items():
        export = at(body, "route-export", "to-evpn")
        if export.get("state") != "enabled":
            continue
        word, found = name.split("-")[0], set[str]()
        if at(body, "redistribute", "connected").get("state") == "enabled":
            found |= {p for p in connected(doc, vrf) if (":" in p) == (word == "ipv6")}
        if at(body, "redistribute", "static").get("state") == "enabled":
            found |= set(at(doc, "vrf", vrf, "router", "static"))
        chosen = export.get("route-map")
        made |= {prefix for prefix in found if not chosen or _mapped(doc, chosen, prefix)}
    return made


def _mapped(doc: dict[str, Any], name: str, prefix: str) -> bool:
    """Check whether a route map lets a prefix without communities pass."""
    rules = at(doc, "router", "policy", "route-map", name, "rule")
    for number in sorted(rules, key=int):
        match = at(rules[number], "match")
        wanted = match.get("ip-prefix-list")
        if "community-list" not in match and (not wanted or listed(doc, wanted, prefix)):
            return "permit" in rules[number]["action"]
    return False


def listed(doc: dict[str, Any], name: str, prefix: str) -> bool:
    """Check whether a prefix list permits a prefix; the first rule that matches decides."""
    network = ipaddress.ip_network(prefix)
    rules = at(doc, "router", "policy", "prefix-list", name, "rule")
    for number in sorted(rules, key=int):
        for text, more in at(rules[number], "match").items():
            if _within(network, ipaddress.ip_network(text), more):
                return bool(rules[number]["action"] == "permit")
    return False


def _within(network: Any, around: Any, more: dict[str, Any]) -> bool:
    if network == around:
        return True
    longest = int(more.get("max-prefix-len", around.prefixlen))
    return (
        network.version == around.version
        and network.subnet_of(around)
        and network.prefixlen <= longest
    )


def table(documents: dict[str, dict[str, Any]], leaf: str, vrf: str) -> set[str]:
    """The prefixes in a VRF of a leaf, its own and those that other VRFs announce to it."""
    own = documents[leaf]
    made = connected(own, vrf) | set(at(own, "vrf", vrf, "router", "static"))
    wanted = targets(own, vrf, "import")
    for name, document in documents.items():
        for other in at(document, "vrf"):
            if (name, other) != (leaf, vrf) and wanted & targets(document, other, "export"):
                made |= exported(document, other)
    return made


def reaches(
    documents: dict[str, dict[str, Any]], source: tuple[str, str], target: tuple[str, str]
) -> bool:
    """Check whether a packet from the host at one (leaf, port) arrives at the host at another.

    Both ports must be up, the source's inbound access list must let it pass, the source's VRF must
    have a route to the target, and the VRF at the far end must be one whose route it is.
    """
    (leaf, port), (far, other) = source, target
    here, there = at(documents[leaf], "interface", port), at(documents[far], "interface", other)
    vrf, beyond = here.get("vrf"), there.get("vrf")
    address = _host(there)
    if not (vrf and beyond and address) or not _up(here) or not _up(there):
        return False
    if not _permitted(documents[leaf], here, address):
        return False
    if leaf == far:
        return bool(vrf == beyond) or _imports(documents, (leaf, vrf), (far, beyond))
    prefix = {p for p in exported(documents[far], beyond) if address in ipaddress.ip_network(p)}
    return bool(prefix) and _imports(documents, (leaf, vrf), (far, beyond))


def _imports(
    documents: dict[str, dict[str, Any]], one: tuple[str, str], two: tuple[str, str]
) -> bool:
    wanted = targets(documents[one[0]], one[1], "import")
    return bool(wanted & targets(documents[two[0]], two[1], "export"))


def _up(body: dict[str, Any]) -> bool:
    return "down" not in at(body, "link", "state")


def _host(body: dict[str, Any]) -> Any:
    """The host's end of a link, given the leaf's: the other address of its /31 (or ::1 for ::2)."""
    for family in ("ipv4", "ipv6"):
        for text in at(body, family, "address"):
            own = ipaddress.ip_interface(text)
            return own.ip - 1
    return None


def _permitted(document: dict[str, Any], body: dict[str, Any], address: Any) -> bool:
    """The first rule that matches decides; without a list everything passes."""
    for name in at(body, "acl"):
        if not name.startswith("spx-tenant"):
            continue
        rules = at(document, "acl", name, "rule")
        for number in sorted(rules, key=int):
            prefix = at(rules[number], "match", "ip").get("dest-ip", "ANY")
            if prefix == "ANY" or address in ipaddress.ip_network(prefix):
                if "deny" in rules[number]["action"]:
                    return False
                break
    return True
