# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing and loading filters: nftables, or iptables where the kernel's nftables has no IP.

Both replace what was there before in one transaction per table. With kernel VRFs a packet for the
switch itself has the VRF's device by the time it is delivered: nftables can ask for the port
beside it, iptables is helped by a mark that the packet gets on arrival.
"""

from __future__ import annotations

import functools

from .acl import ANY_PORT, Filters, Rule
from .shell import CommandError, inside, run

TABLE = "inet spx"
EXEMPT = ("lo", "eth0")
_HOOKS = {
    "in": "type filter hook prerouting priority -300; policy accept;",
    "control": "type filter hook input priority 0; policy accept;",
    "out": "type filter hook postrouting priority 0; policy accept;",
}
_TABLES = {
    "in": ("raw", "PREROUTING"),
    "control": ("filter", "INPUT"),
    "out": ("mangle", "POSTROUTING"),
}


@functools.cache
def has_nftables() -> bool:
    """Whether nftables filters IP packets here, tried in a namespace that vanishes."""
    try:
        run(["unshare", "--net", "nft", "add", "table", *TABLE.split()])
    except (CommandError, FileNotFoundError):
        return False
    return True


def load(filters: Filters, namespace: str) -> None:
    """Replace the filters of a namespace."""
    if has_nftables():
        text = f"table {TABLE} {{}}\ndelete table {TABLE}\n{nftables(filters)}"
        run(inside(namespace, ["nft", "-f", "-"]), text=text)
        return
    for family, program in (("ipv4", "iptables"), ("ipv6", "ip6tables")):
        text = iptables(filters, family)
        run(inside(namespace, [f"{program}-legacy-restore"]), text=text)


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
    for hook, bound in filters.bound.items():
        lines += [f"  chain {hook} {{", f"    {_HOOKS[hook]}"]
        word = "oifname" if hook == "out" else "iifname"
        for port, acl in bound:
            exempt = ", ".join(f'"{name}"' for name in EXEMPT)
            match = f"{word} != {{ {exempt} }}" if port == ANY_PORT else f'{word} "{port}"'
            lines.append(f"    {match} jump {_chain(acl)}")
            if hook == "control" and port != ANY_PORT:
                lines.append(f'    meta sdifname "{port}" jump {_chain(acl)}')
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def _nft_rule(rule: Rule, family: str) -> str:
    address = "ip" if family == "ipv4" else "ip6"
    parts = [f"{address} saddr {rule.source}"] if rule.source else []
    parts += [f"{address} daddr {rule.destination}"] if rule.destination else []
    parts += [f"ct state {{ {', '.join(rule.states)} }}"] if rule.states else []
    parts += [f"meta l4proto {rule.protocol}"] if rule.protocol else []
    for word, ports in (("sport", rule.source_ports), ("dport", rule.destination_ports)):
        parts += [f"{rule.protocol} {word} {{ {', '.join(ports)} }}"] if ports else []
    if rule.icmp_type:
        parts.append(f"{'icmp' if family == 'ipv4' else 'icmpv6'} type {rule.icmp_type}")
    verdict = "accept" if rule.accept else "drop"
    return " ".join([*parts, "counter", verdict, f'comment "rule {rule.number}"'])


def iptables(filters: Filters, family: str) -> str:
    """The tables of a namespace for iptables-restore."""
    acls = [acl for acl, of in filters.families.items() if of == family]
    marks = sorted({port for port, dummy in filters.bound["control"] if port != ANY_PORT})
    text = []
    for hook, (table, chain) in _TABLES.items():
        used = [acl for acl in acls if any(item[1] == acl for item in filters.bound[hook])]
        text += [f"*{table}", f":{chain} ACCEPT"]
        text += [":PREROUTING ACCEPT"] if table == "mangle" else []
        text += [f":{_chain(acl)[:28]} -" for acl in used]
        for acl in used:
            text += [_ipt_rule(rule, acl) for rule in filters.rules[acl]]
        if table == "mangle":
            text += [f"-A PREROUTING -i {p} -j MARK --set-mark {n}" for n, p in enumerate(marks, 1)]
        for port, acl in filters.bound[hook]:
            if acl in used:
                text.append(f"-A {chain} {_ipt_port(hook, port, marks)}-j {_chain(acl)[:28]}")
        text.append("COMMIT")
    return "\n".join([*text, ""])


def _ipt_port(hook: str, port: str, marks: list[str]) -> str:
    if port == ANY_PORT:
        return f"! -i {EXEMPT[1]} "
    if hook == "control":
        return f"-m mark --mark {marks.index(port) + 1} "
    return f"{'-o' if hook == 'out' else '-i'} {port} "


def _ipt_rule(rule: Rule, acl: str) -> str:
    parts = [f"-A {_chain(acl)[:28]}"]
    parts += [f"-s {rule.source}"] if rule.source else []
    parts += [f"-d {rule.destination}"] if rule.destination else []
    parts += [f"-p {rule.protocol}"] if rule.protocol else []
    for word, ports in (("--sports", rule.source_ports), ("--dports", rule.destination_ports)):
        listed = ",".join(port.replace("-", ":") for port in ports)
        parts += [f"-m multiport {word} {listed}"] if ports else []
    parts += [f"-m conntrack --ctstate {','.join(rule.states).upper()}"] if rule.states else []
    if rule.icmp_type:
        word = "--icmpv6-type" if rule.protocol == "ipv6-icmp" else "--icmp-type"
        parts.append(f"{word} {rule.icmp_type}")
    return " ".join([*parts, "-j", "ACCEPT" if rule.accept else "DROP"])
