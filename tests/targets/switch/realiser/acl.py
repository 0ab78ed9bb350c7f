# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ACLs of a document as rules bound to hooks; filters.py writes and loads them.

Inbound rules of a port sit where packets arrive, those for its control plane where packets are
for the switch itself, outbound ones where forwarded packets leave (iptables' FORWARD in the user guide) or,
for the control plane, where the switch's own do. Those of a port of the bridge sit where frames
enter and leave it, so that neighbours on one switch are filtered too. What no rule matches passes, as
on the switch. ARP is not IP and is never matched.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .document import Doc, Refused, at
from .model import machine

BUILT_IN = {"acl-default-dos", "acl-default-whitelist"}
ANY_PORT = "*"
BRIDGED = {"in": "bridge-in", "out": "bridge-out", "control": "bridge-control"}
HOOKS = ("in", "control", "out", "out-control", *BRIDGED.values())


@dataclass(frozen=True)
class Rule:
    """One rule: everything given must match; `protocol` "" is any."""

    number: str
    accept: bool
    source: str = ""
    destination: str = ""
    protocol: str = ""
    source_ports: tuple[str, ...] = ()
    destination_ports: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    icmp_type: str = ""
    ttl: int | None = None


@dataclass
class Filters:
    """The ACLs of one namespace: rules by ACL, and which ACL is bound where."""

    families: dict[str, str] = field(default_factory=dict)
    rules: dict[str, list[Rule]] = field(default_factory=dict)
    bound: dict[str, list[tuple[str, str]]] = field(
        default_factory=lambda: {hook: [] for hook in HOOKS}
    )

    def bind(self, doc: Doc, hook: str, port: str, acl: str) -> None:
        """Apply an ACL to a port (or ANY_PORT) at a hook."""
        if acl in BUILT_IN:
            return
        body = at(doc, "acl", acl)
        if body.get("type") not in ("ipv4", "ipv6"):
            reason = "only ipv4 and ipv6 are understood by this realiser"
            raise Refused(f"acl.{acl}.type: {reason}")
        self.families[acl] = body["type"]
        self.rules[acl] = _rules(body)
        self.bound[hook].append((port, acl))


def filters(doc: Doc, backend: str) -> dict[str, Filters]:
    """The filters of each namespace ("" the device's own)."""
    device = machine(doc)
    ports, spaces = device.ports, list(device.vrfs) if backend == "netns" else []
    bridged = device.layer2.bridge.ports if device.layer2.bridge else {}
    found = {space: Filters() for space in ["", *spaces]}
    for name, body in at(doc, "interface").items():
        if name in ports:
            space = ports[name].vrf if spaces else ""
            for acl, sides in body.get("acl", {}).items():
                place = f"interface.{name}.acl.{acl}"
                for hook in _hooks(sides):
                    if name in bridged and hook not in BRIDGED:
                        raise Refused(f"{place}: not what the switch sends to a port of the bridge")
                    found[space].bind(doc, BRIDGED[hook] if name in bridged else hook, name, acl)
    for acl in at(doc, "system", "control-plane", "acl"):
        for item in found.values():
            item.bind(doc, "control", ANY_PORT, acl)
    return found


def _hooks(sides: Doc) -> list[str]:
    words = {"inbound": ("in", "control"), "outbound": ("out", "out-control")}
    return [words[side]["control-plane" in body] for side, body in sides.items()]


def _rules(body: Doc) -> list[Rule]:
    found = []
    for number, rule in sorted(body.get("rule", {}).items(), key=lambda item: int(item[0])):
        match = at(rule, "match", "ip")
        common: dict[str, Any] = {
            "number": number,
            "accept": "permit" in rule["action"],
            "source": _address(match, "source-ip"),
            "destination": _address(match, "dest-ip"),
            "states": tuple(match.get("state", {})),
            "ttl": match.get("ttl"),
            "icmp_type": str(match.get("icmp-type", match.get("icmpv6-type", ""))),
        }
        found += _with_ports(match, common)
    return found


def _address(match: Doc, key: str) -> str:
    value = match.get(key, "ANY")
    return "" if value == "ANY" else str(value)


def _with_ports(match: Doc, common: dict[str, Any]) -> list[Rule]:
    """One rule, or one for each of TCP and UDP when it names ports of both."""
    found = []
    for protocol in ("tcp", "udp"):
        ports = {**_beside(match, protocol), **at(match, protocol)}
        if ports or protocol in match:
            found.append(
                Rule(
                    **common,
                    protocol=protocol,
                    source_ports=_ports(ports, "source-port"),
                    destination_ports=_ports(ports, "dest-port"),
                )
            )
    protocol = match.get("protocol")
    if not found:
        if protocol is None and common["icmp_type"]:
            protocol = "icmpv6" if "icmpv6-type" in match else "icmp"
        words = {"icmpv6": "ipv6-icmp", "ospf": "89", "pim": "103"}
        text = "" if protocol is None else words.get(protocol, str(protocol))
        found.append(Rule(**common, protocol=text))
    return found


def _ports(ports: Doc, key: str) -> tuple[str, ...]:
    return tuple(port for port in ports.get(key, {}) if port != "ANY")


def _beside(match: Doc, protocol: str) -> dict[str, Any]:
    """Ports written beside `protocol`, as older releases do."""
    keys = ("source-port", "dest-port")
    return {key: match[key] for key in keys if key in match and match.get("protocol") == protocol}
