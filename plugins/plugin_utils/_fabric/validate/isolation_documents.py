# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a leaf's document says of VRFs, of routes between them, and of access lists at its ports.

Nothing here knows the registry: `isolation.py` compares what is read here with it.
"""

from __future__ import annotations

import ipaddress
import typing as t

from ....module_utils._json import Doc, Json
from ..._nvue.shapes import mapping

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping


Network = t.Union[ipaddress.IPv4Network, ipaddress.IPv6Network]

_OWN_LISTS = "spx-tenant"
_EVERYTHING = ("ANY", "0.0.0.0/0", "::/0")


def at(doc: Json, *path: str) -> Doc:
    """The mapping at a path of a document; empty where nothing is there."""
    for key in path:
        doc = doc.get(key) if isinstance(doc, dict) else None
    return mapping(doc) if doc is not None else {}


# Routes between VRFs


def targets(body: Json, way: str) -> set[str]:
    """Route targets of a VRF; `way` is import or export."""
    side = {"import": ("route-import", "from-evpn"), "export": ("route-export", "to-evpn")}[way]
    return set(at(body, "router", "bgp", *side, "route-target"))


def automatic(target: str) -> bool:
    """Whether a route target means those of every AS number: `auto`, `ANY:4000021`."""
    return ":" not in target or target.upper().startswith(("ANY:", "*:"))


def meant(body: Json, target: str, exporters: Mapping[str, set[str]]) -> set[str]:
    """The VRFs whose routes an import brings; `auto` means the VRF's own L3VNI."""
    if not automatic(target):
        return exporters.get(target, set())
    numbers = {target.partition(":")[2]} if ":" in target else set(at(body, "evpn", "vni"))
    return {
        vrf
        for exported, vrfs in exporters.items()
        if exported.partition(":")[2] in numbers
        for vrf in vrfs
    }


def leaked(body: Json) -> list[str]:
    """VRFs of the same switch from which routes are taken, in any address family."""
    families = at(body, "router", "bgp", "address-family").values()
    lists = [at(family, "route-import", "from-vrf").get("list") for family in families]
    return sorted(
        {vrf for each in lists if isinstance(each, dict | list) for vrf in map(str, each)}
    )


# Access lists


def behind(applied: Doc, port: str, family: str) -> bool:
    """Whether a list of the tenants' at the port ends in the denial of everything."""
    for name, rules in _inbound(applied, port, family):
        last = rules[max(rules, key=int)] if rules else {}
        if (
            name.startswith(_OWN_LISTS)
            and "deny" in at(last, "action")
            and _unbounded(at(last, "match"))
        ):
            return True
    return False


def beyond(applied: Doc, port: str, family: str, allowed: Collection[str]) -> list[str]:
    """Rules at the port that let a host send further than the allowed prefixes, with what they let."""
    made = []
    for name, rules in _inbound(applied, port, family):
        for number in sorted(rules, key=int):
            goal = str(at(rules[number], "match", "ip").get("dest-ip", "ANY"))
            if "deny" not in at(rules[number], "action") and not _inside(goal, allowed):
                made.append(f"{goal} (rule {number} of {name})")
    return made


def short_of(applied: Doc, port: str, family: str, wanted: Collection[str]) -> list[str]:
    """The wanted prefixes that no rule at the port lets a host send to."""
    goals = [
        at(rule, "match", "ip").get("dest-ip")
        for _name, rules in _inbound(applied, port, family)
        for rule in rules.values()
        if "deny" not in at(rule, "action")
    ]
    version = 4 if family == "ipv4" else 6
    found = [n for goal in goals if (n := _network(goal)) is not None and n.version == version]
    permitted = [str(network) for network in _collapsed(found)]
    return [prefix for prefix in wanted if not _inside(prefix, permitted)]


def _collapsed(networks: list[Network]) -> Iterator[Network]:
    """The fewest networks for some of one version."""
    yield from ipaddress.collapse_addresses([n for n in networks if n.version == 4])
    yield from ipaddress.collapse_addresses([n for n in networks if n.version == 6])


def _inbound(applied: Doc, port: str, family: str) -> Iterator[tuple[str, Doc]]:
    """The lists of a family that see what a host sends through the switch, and their rules."""
    for name, bound in sorted(at(applied, "interface", port, "acl").items()):
        there = isinstance(bound, dict) and "inbound" in bound
        inbound = at(bound, "inbound") if there else None
        if inbound is None or "control-plane" in inbound:
            continue
        if at(applied, "acl", name).get("type") == family:
            yield name, at(applied, "acl", name, "rule")


def _unbounded(match: Doc) -> bool:
    return all(
        bool(value) and _unbounded(value) if isinstance(value, dict) else value in _EVERYTHING
        for value in match.values()
    )


def _inside(prefix: str, allowed: Collection[str]) -> bool:
    if prefix in allowed:
        return True
    found = _network(prefix)
    if found is None:
        return False
    return any(_within(found, ipaddress.ip_network(text)) for text in allowed)


def _within(one: Network, other: Network) -> bool:
    if isinstance(one, ipaddress.IPv4Network):
        return isinstance(other, ipaddress.IPv4Network) and one.subnet_of(other)
    return isinstance(other, ipaddress.IPv6Network) and one.subnet_of(other)


def _network(prefix: object) -> Network | None:
    """A prefix as a network; None for `ANY`, nothing, and what is none."""
    try:
        return ipaddress.ip_network(str(prefix), strict=False)
    except ValueError:
        return None
