# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ACLs of a document as nftables rules, one table per namespace, replaced in one transaction.

Inbound rules of a port sit at prerouting, those for its control plane at input, outbound ones at
postrouting; what no rule matches passes, as on the switch. ARP is not IP and is never matched.
"""

from __future__ import annotations

from typing import Any

from .model import at, machine
from .policy import Doc, Refused
from .shell import inside, run

TABLE = "inet spx"
BUILT_IN = {"acl-default-dos", "acl-default-whitelist"}
_HOOKS = {
    "in": "type filter hook prerouting priority -300; policy accept;",
    "control": "type filter hook input priority 0; policy accept;",
    "out": "type filter hook postrouting priority 0; policy accept;",
}


def rules(doc: Doc, backend: str) -> dict[str, str]:
    """The nft script of each namespace ("" the device's own)."""
    ports, spaces = machine(doc).ports, list(machine(doc).vrfs) if backend == "netns" else []
    bound: dict[str, dict[str, list[tuple[str, str]]]] = {
        space: {hook: [] for hook in _HOOKS} for space in ["", *spaces]
    }
    for name, body in at(doc, "interface").items():
        if name in ports:
            for acl, sides in body.get("acl", {}).items():
                for hook in _hooks(sides, f"interface.{name}.acl.{acl}"):
                    space = ports[name].vrf if spaces else ""
                    bound[space][hook].append((name, acl))
    for acl in at(doc, "system", "control-plane", "acl"):
        if acl not in BUILT_IN:
            for vrf in bound:
                bound[vrf]["control"].append(("*", acl))
    return {vrf: _script(doc, hooks) for vrf, hooks in bound.items()}


def _hooks(sides: Doc, place: str) -> list[str]:
    found = []
    for side, body in sides.items():
        if side == "outbound" and body:
            raise Refused(f"{place}.outbound.control-plane is not understood by this realiser")
        found.append(
            "out" if side == "outbound" else "control" if "control-plane" in body else "in"
        )
    return found


def _script(doc: Doc, hooks: dict[str, list[tuple[str, str]]]) -> str:
    used = sorted({acl for items in hooks.values() for _, acl in items if acl not in BUILT_IN})
    lines = [f"table {TABLE} {{"]
    for acl in used:
        lines.append(f"  chain acl-{_safe(acl)} {{")
        lines += [f"    {rule}" for rule in _chain(at(doc, "acl", acl), acl)]
        lines.append("  }")
    for hook, items in hooks.items():
        lines += [f"  chain {hook} {{", f"    {_HOOKS[hook]}"]
        word = "oifname" if hook == "out" else "iifname"
        for port, acl in items:
            if acl in BUILT_IN:
                continue
            match = f'{word} != {{ "lo", "eth0" }}' if port == "*" else f'{word} "{port}"'
            lines.append(f"    {match} jump acl-{_safe(acl)}")
            if hook == "control" and port != "*":
                # In a kernel VRF the packet has the VRF's device by now, the port is beside it.
                lines.append(f'    meta sdifname "{port}" jump acl-{_safe(acl)}')
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def _safe(name: str) -> str:
    return "".join(char if char.isalnum() or char in "-_" else "_" for char in name)


def _chain(body: Doc, acl: str) -> list[str]:
    family = body.get("type")
    if family not in ("ipv4", "ipv6"):
        raise Refused(f"acl.{acl}.type: only ipv4 and ipv6 are understood by this realiser")
    found = []
    for number, rule in sorted(body.get("rule", {}).items(), key=lambda item: int(item[0])):
        verdict = "accept" if "permit" in rule["action"] else "drop"
        matches = _matches(at(rule, "match", "ip"), family)
        for match in matches:
            words = " ".join(part for part in (match, "counter", verdict) if part)
            found.append(f'meta nfproto {family} {words} comment "rule {number}"')
    return found


def _matches(match: Doc, family: str) -> list[str]:
    """The nft expressions of one rule: several when it names ports of both TCP and UDP."""
    parts = []
    address = "ip" if family == "ipv4" else "ip6"
    for key, word in (("source-ip", "saddr"), ("dest-ip", "daddr")):
        if match.get(key, "ANY") != "ANY":
            parts.append(f"{address} {word} {match[key]}")
    states = list(match.get("state", {}))
    if states:
        parts.append(f"ct state {{ {', '.join(states)} }}")
    for key, word in (("icmp-type", "icmp"), ("icmpv6-type", "icmpv6")):
        if key in match:
            parts.append(f"{word} type {match[key]}")
    return _with_ports(match, parts)


def _with_ports(match: Doc, parts: list[str]) -> list[str]:
    found = []
    for protocol in ("tcp", "udp"):
        ports = {**_old(match, protocol), **at(match, protocol)}
        if protocol in match or _old(match, protocol):
            words = [f"meta l4proto {protocol}"]
            for key, word in (("source-port", "sport"), ("dest-port", "dport")):
                listed = [port for port in ports.get(key, {}) if port != "ANY"]
                if listed:
                    words.append(f"{protocol} {word} {{ {', '.join(listed)} }}")
            found.append(" ".join([*parts, *words]))
    if not found:
        protocol = match.get("protocol")
        words_ = [f"meta l4proto {_protocol(protocol)}"] if protocol is not None else []
        found.append(" ".join([*parts, *words_]))
    return found


def _old(match: Doc, protocol: str) -> dict[str, Any]:
    """Ports written beside `protocol`, as older releases do."""
    keys = ("source-port", "dest-port")
    return {key: match[key] for key in keys if key in match and match.get("protocol") == protocol}


def _protocol(value: Any) -> str:
    return {"icmpv6": "ipv6-icmp", "ospf": "89", "pim": "103"}.get(value, str(value))


def load(script: str, namespace: str) -> None:
    """Replace the table of a namespace by `script` in one transaction."""
    text = f"table {TABLE} {{}}\ndelete table {TABLE}\n{script}"
    run(inside(namespace, ["nft", "-f", "-"]), text=text)
