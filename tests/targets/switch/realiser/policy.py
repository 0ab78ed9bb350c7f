# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prefix lists, route maps and the other lists of router.policy, as FRR lines and contexts."""

from __future__ import annotations

import ipaddress

from .document import Doc, Refused, at

Contexts = dict[tuple[str, ...], list[str]]


def contexts(doc: Doc) -> Contexts:
    """The FRR contexts of router.policy; the lists are lines of the context ("",)."""
    policy = at(doc, "router", "policy")
    lines = [*_prefix_lists(at(policy, "prefix-list")), *_other_lists(policy)]
    found: Contexts = {("",): lines}
    for name, body in at(policy, "route-map").items():
        for number, rule in _ordered(body.get("rule", {})):
            place = f"router.policy.route-map.{name}.rule.{number}"
            action = "permit" if "permit" in rule["action"] else "deny"
            family = "ipv6" if at(rule, "match").get("type") == "ipv6" else "ip"
            found[(f"route-map {name} {action} {number}",)] = [
                *([f"description {rule['description']}"] if "description" in rule else []),
                *_matches(at(rule, "match"), family, place),
                *_sets(at(rule, "set"), place),
            ]
    return found


def _ordered(rules: Doc) -> list[tuple[str, Doc]]:
    return sorted(rules.items(), key=lambda item: int(item[0]))


def _prefix_lists(lists: Doc) -> list[str]:
    lines = []
    for name, body in lists.items():
        word = "ipv6" if body.get("type") == "ipv6" else "ip"
        for number, rule in _ordered(body.get("rule", {})):
            if len(rule.get("match", {})) != 1:
                place = f"router.policy.prefix-list.{name}.rule.{number}"
                raise Refused(f"{place}: exactly one prefix per rule is understood")
            ((prefix, bounds),) = rule["match"].items()
            text = "any" if prefix == "any" else _bounded(prefix, bounds)
            lines.append(f"{word} prefix-list {name} seq {number} {rule['action']} {text}")
    return lines


def _bounded(prefix: str, bounds: Doc) -> str:
    network = ipaddress.ip_interface(prefix).network
    length = network.prefixlen
    low, high = bounds.get("min-prefix-len"), bounds.get("max-prefix-len")
    text = str(network)
    if low is not None and low > length:
        text += f" ge {low}"
    if high is not None and (high > length):
        text += f" le {high}"
    return text


def _other_lists(policy: Doc) -> list[str]:
    lines = []
    for name, body in at(policy, "community-list").items():
        for number, rule in _ordered(body.get("rule", {})):
            values = " ".join(rule.get("community", {}))
            lines.append(
                f"bgp community-list standard {name} seq {number} {rule['action']} {values}"
            )
    for name, body in at(policy, "large-community-list").items():
        for number, rule in _ordered(body.get("rule", {})):
            values = " ".join(rule.get("large-community", {}))
            lines.append(
                f"bgp large-community-list standard {name} seq {number} {rule['action']} {values}"
            )
    for name, body in at(policy, "ext-community-list").items():
        for number, rule in _ordered(body.get("rule", {})):
            values = " ".join(
                f"{kind} {value}" for kind, row in rule["ext-community"].items() for value in row
            )
            lines.append(
                f"bgp extcommunity-list standard {name} seq {number} {rule['action']} {values}"
            )
    for name, body in at(policy, "as-path-list").items():
        for number, rule in _ordered(body.get("rule", {})):
            expression = rule.get("aspath-exp", ".*")
            lines.append(
                f"bgp as-path access-list {name} seq {number} {rule['action']} {expression}"
            )
    return lines


_MATCH = {
    "interface": "match interface {}",
    "source-protocol": "match source-protocol {}",
    "as-path-list": "match as-path {}",
    "community-list": "match community {}",
    "large-community-list": "match large-community {}",
    "ext-community-list": "match extcommunity {}",
    "evpn-vni": "match evpn vni {}",
    "local-preference": "match local-preference {}",
    "metric": "match metric {}",
    "origin": "match origin {}",
    "peer": "match peer {}",
    "source-vrf": "match source-vrf {}",
    "tag": "match tag {}",
}
_ROUTE_TYPES = {"macip": "macip", "imet": "multicast", "prefix": "prefix", "ip-prefix": "prefix"}


def _matches(match: Doc, family: str, place: str) -> list[str]:
    lines = []
    for key, value in match.items():
        if key == "type":
            continue
        if key == "ip-prefix-list":
            lines.append(f"match {family} address prefix-list {value}")
        elif key == "ip-prefix-len":
            lines.append(f"match {family} address prefix-len {value}")
        elif key == "evpn-route-type":
            lines.append(f"match evpn route-type {_ROUTE_TYPES[value]}")
        elif key in _MATCH:
            lines.append(_MATCH[key].format(value))
        else:
            raise Refused(f"{place}.match.{key} is not understood by this realiser")
    return lines


_SET = {
    "local-preference": "set local-preference {}",
    "origin": "set origin {}",
    "originator-id": "set originator-id {}",
    "tag": "set tag {}",
    "weight": "set weight {}",
    "source-ip": "set src {}",
    "as-path-exclude": "set as-path exclude {}",
    "ipv6-nexthop-global": "set ipv6 next-hop global {}",
    "metric": "set metric {}",
}
_BANDWIDTH = {
    "multipaths": "num-multipaths",
    "cumulative": "cumulative",
    "multipaths-non-transitive": "num-multipaths non-transitive",
    "cumulative-non-transitive": "cumulative non-transitive",
}


def _sets(values: Doc, place: str) -> list[str]:
    lines = []
    for key, value in values.items():
        if key == "ext-community-bw":
            lines.append(f"set extcommunity bandwidth {_BANDWIDTH.get(value, value)}")
        elif key in ("community", "large-community"):
            lines.append(f"set {key} {' '.join(value)}")
        elif key == "ext-community-rt":
            lines.append(f"set extcommunity rt {' '.join(value)}")
        elif key == "as-path-prepend":
            lines += _prepend(value)
        elif key == "ipv6-nexthop-prefer-global":
            lines += ["set ipv6 next-hop prefer-global"] if value == "enabled" else []
        elif key == "atomic-aggregate":
            lines += ["set atomic-aggregate"] if value == "enabled" else []
        elif key in _SET and not isinstance(value, dict):
            lines.append(_SET[key].format(value))
        else:
            raise Refused(f"{place}.set.{key} is not understood by this realiser")
    return lines


def _prepend(value: Doc) -> list[str]:
    lines = []
    if "as" in value:
        lines.append(f"set as-path prepend {value['as'].replace(',', ' ')}")
    if "last-as" in value:
        lines.append(f"set as-path prepend last-as {value['last-as']}")
    return lines
