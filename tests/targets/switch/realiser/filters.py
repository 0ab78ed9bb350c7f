# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing and loading filters of nftables, which replace what was there before in one transaction.

With kernel VRFs a packet for the switch itself has the VRF's device by the time it is delivered;
its port is asked for beside it.
"""

from __future__ import annotations

from .acl import ANY_PORT, BRIDGED, Filters, Rule
from .shell import inside, run

TABLE, BRIDGE_TABLE = "inet spx", "bridge spx"
FIRST_MARK = 0x5B0000
EXEMPT = ("lo", "eth0", "mgmt")
"""Ports that no list of all ports applies to: the switch's own, and its management, whose VRF a packet passes too."""
_HOOKS = {
    "in": "type filter hook prerouting priority -300; policy accept;",
    "control": "type filter hook input priority 0; policy accept;",
    "out": "type filter hook forward priority 0; policy accept;",
    "out-control": "type filter hook output priority 0; policy accept;",
    "bridge-in": "type filter hook prerouting priority -300; policy accept;",
    "bridge-out": "type filter hook postrouting priority 0; policy accept;",
}


def load(filters: Filters, namespace: str) -> None:
    """Replace the filters of a namespace."""
    text = f"table {TABLE} {{}}\ndelete table {TABLE}\n{nftables(filters)}"
    if any(filters.bound[hook] for hook in BRIDGED.values()) or BRIDGE_TABLE in _tables(namespace):
        text += f"table {BRIDGE_TABLE} {{}}\ndelete table {BRIDGE_TABLE}\n{bridged(filters)}"
    run(inside(namespace, ["nft", "-f", "-"]), text=text)


def _tables(namespace: str) -> str:
    return run(inside(namespace, ["nft", "list", "tables"]))


def _chain(acl: str) -> str:
    return "acl-" + "".join(char if char.isalnum() or char in "-_" else "_" for char in acl)


def nftables(filters: Filters) -> str:
    """The table of a namespace for nft."""
    lines = [f"table {TABLE} {{"]
    for acl, rules in filters.rules.items():
        family = filters.families[acl]
        lines.append(f"  chain {_chain(acl)} {{")
        lines += [f"    meta nfproto {family} {_nft_rule(rule, family)}" for rule in rules]
        lines.append("  }")
    for hook in (hook for hook in filters.bound if hook not in BRIDGED.values()):
        bound = filters.bound[hook]
        lines += [f"  chain {hook} {{", f"    {_HOOKS[hook]}"]
        word = "oifname" if hook.startswith("out") else "iifname"
        for port, acl in bound:
            exempt = ", ".join(f'"{name}"' for name in EXEMPT)
            match = f"{word} != {{ {exempt} }}" if port == ANY_PORT else f'{word} "{port}"'
            lines.append(f"    {match} jump {_chain(acl)}")
            if hook == "control" and port != ANY_PORT:
                lines.append(f'    meta sdifname "{port}" jump {_chain(acl)}')
        if hook == "control":
            marks = _marks(filters)
            lines += [
                f"    meta mark {marks[port]} jump {_chain(acl)}"
                for port, acl in filters.bound["bridge-control"]
            ]
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def bridged(filters: Filters) -> str:
    """The table of the bridge of a namespace for nft: a frame's tag is no hindrance.

    Where a packet for the switch is delivered, its port is forgotten: so it gets the port's mark before.
    """
    lines = [f"table {BRIDGE_TABLE} {{"]
    ways = {"bridge-in": "iifname", "bridge-out": "oifname"}
    for acl in dict.fromkeys(acl for hook in ways for port, acl in filters.bound[hook]):
        word = {"ipv4": "ip", "ipv6": "ip6"}[filters.families[acl]]
        lines.append(f"  chain {_chain(acl)} {{")
        lines += [
            f"    meta protocol {word} {_nft_rule(rule, filters.families[acl])}"
            for rule in filters.rules[acl]
        ]
        lines.append("  }")
    for hook, word in ways.items():
        lines += [f"  chain {hook} {{", f"    {_HOOKS[hook]}"]
        lines += [f'    {word} "{port}" jump {_chain(acl)}' for port, acl in filters.bound[hook]]
        lines.append("  }")
    lines += ["  chain marks {", "    type filter hook prerouting priority -310; policy accept;"]
    lines += [
        f'    iifname "{port}" meta mark set {mark}' for port, mark in _marks(filters).items()
    ]
    return "\n".join([*lines, "  }", "}", ""])


def _marks(filters: Filters) -> dict[str, int]:
    ports = dict.fromkeys(port for port, acl in filters.bound["bridge-control"])
    return {port: FIRST_MARK + number for number, port in enumerate(ports)}


def _nft_rule(rule: Rule, family: str) -> str:
    address = "ip" if family == "ipv4" else "ip6"
    parts = [f"{address} saddr {rule.source}"] if rule.source else []
    parts += [f"{address} daddr {rule.destination}"] if rule.destination else []
    parts += [f"ct state {{ {', '.join(rule.states)} }}"] if rule.states else []
    if rule.ttl is not None:
        parts.append(f"ip ttl {rule.ttl}" if family == "ipv4" else f"ip6 hoplimit {rule.ttl}")
    parts += [f"meta l4proto {rule.protocol}"] if rule.protocol else []
    for word, ports in (("sport", rule.source_ports), ("dport", rule.destination_ports)):
        parts += [f"{rule.protocol} {word} {{ {', '.join(ports)} }}"] if ports else []
    if rule.icmp_type:
        parts.append(f"{'icmp' if family == 'ipv4' else 'icmpv6'} type {rule.icmp_type}")
    verdict = "accept" if rule.accept else "drop"
    return " ".join([*parts, "counter", verdict, f'comment "rule {rule.number}"'])
