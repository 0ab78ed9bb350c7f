# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""VRFs of a leaf's document, routes between them, and access lists at its ports.

Nothing here knows the registry: `isolation.py` compares what is read here with it.
"""

from __future__ import annotations

import ipaddress
import typing as t

from ....module_utils._json import Doc, Json
from ..._nvue.document.shapes import mapping
from ..._nvue.document.tree import get

_OWN_LISTS = "spx-tenant"
_EVERYTHING = ("ANY", "0.0.0.0/0", "::/0")


def at(doc: Json, *path: str) -> Doc:
    """The mapping at a path of a document; empty where nothing is there."""
    found = get(doc, path) if isinstance(doc, dict) else None
    return mapping(found) if found is not None else {}


# Routes between VRFs


def automatic(target: str) -> bool:
    """Check whether a route target means those of every AS number: `auto`, `ANY:4000021`."""
    return ":" not in target or target.upper().startswith(("ANY:", "*:"))


def meant(body: Json, target: str, exporters: t.Mapping[str, set[str]]) -> set[str]:
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
    """Check whether a list of the tenants' at the port ends in the denial of everything."""
    lists = [(name, rules) for name, rules in _inbound(applied, port, family) if rules]
    last = [rules[max(rules, key=int)] for name, rules in lists if name.startswith(_OWN_LISTS)]
    return any("deny" in at(rule, "action") and _unbounded(at(rule, "match")) for rule in last)


def beyond(applied: Doc, port: str, family: str, allowed: t.Collection[str]) -> list[str]:
    """Rules at the port that let a host send further than the allowed prefixes, with what they let."""
    return [
        f"{goal or 'ANY'} (rule {number} of {name})"
        for goal, number, name in _permitted(applied, port, family)
        if not _inside(str(goal or "ANY"), allowed)
    ]


def short_of(applied: Doc, port: str, family: str, wanted: t.Collection[str]) -> list[str]:
    """The wanted prefixes that no rule at the port lets a host send to."""
    version = 4 if family == "ipv4" else 6
    goals = [_network(goal) for goal, _rule, _list in _permitted(applied, port, family)]
    found = [goal for goal in goals if goal is not None and goal.version == version]
    permitted = [str(network) for network in ipaddress.collapse_addresses(t.cast("t.Any", found))]
    return [prefix for prefix in wanted if not _inside(prefix, permitted)]


def _permitted(applied: Doc, port: str, family: str) -> t.Iterator[tuple[object, str, str]]:
    """(destination, rule, list) of what a host may send; the destination is None for any."""
    for name, rules in _inbound(applied, port, family):
        for number in sorted(rules, key=int):
            if "deny" not in at(rules[number], "action"):
                yield at(rules[number], "match", "ip").get("dest-ip"), number, name


def _inbound(applied: Doc, port: str, family: str) -> t.Iterator[tuple[str, Doc]]:
    """The lists of a family that see what a host sends through the switch, and their rules."""
    for name, bound in sorted(at(applied, "interface", port, "acl").items()):
        if not isinstance(bound, dict) or "inbound" not in bound:
            continue
        of_family = at(applied, "acl", name).get("type") == family
        if of_family and "control-plane" not in at(bound, "inbound"):
            yield name, at(applied, "acl", name, "rule")


def _unbounded(match: Doc) -> bool:
    return all(
        bool(value) and _unbounded(value) if isinstance(value, dict) else value in _EVERYTHING
        for value in match.values()
    )


def _inside(prefix: str, allowed: t.Collection[str]) -> bool:
    if prefix in allowed:
        return True
    found = _network(prefix)
    return found is not None and any(
        found.version == other.version and found.subnet_of(t.cast("t.Any", other))
        for other in map(ipaddress.ip_network, allowed)
    )


def _network(prefix: object) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    """A prefix as a network; None for `ANY`, nothing, and what is none."""
    try:
        return ipaddress.ip_network(str(prefix), strict=False)
    except ValueError:
        return None
