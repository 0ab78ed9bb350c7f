# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From one FRR configuration to another by commands, touching only what differs.

A configuration is a dict of contexts (a tuple of the lines that lead into it, ("",) for the top)
to lines. Order of the commands: what must go before its contexts can go; then lists, maps and
profiles; then BGP; then VRFs; then lists, maps and profiles nothing refers to any more.

A VRF gets its VNI after its BGP instance has its route targets, and anew when they change: FRR
8.4 loses the remote router's MAC address when routes it has imported are imported again.
"""

from __future__ import annotations

import re

from .policy import Contexts

_NEIGHBOR = re.compile(r"^(?:no )?neighbor (\S+) ")
_BORN = re.compile(r"^neighbor \S+ (?:interface|peer-group$|peer-group \S+$|remote-as )")
_LAST_WINS = re.compile(
    r"^(?:no )?("
    r"bgp router-id|bgp bestpath bandwidth|timers bgp|rd|maximum-paths ibgp|maximum-paths(?= \d)"
    r"|redistribute \S+|bgp graceful-restart [a-z-]+|bgp listen limit|distance bgp|vni"
    r"|advertise ipv4 unicast|advertise ipv6 unicast"
    r"|neighbor \S+ (?:description|update-source|ebgp-multihop|password|timers connect"
    r"|timers(?= \d)|advertisement-interval|local-as|bfd profile|maximum-prefix|allowas-in"
    r"|remove-private-AS|next-hop-self|ttl-security hops|capability extended-nexthop|activate"
    r"|remote-as|send-community \S+|attribute-unchanged|unsuppress-map"
    r"|route-map (?=\S+ in)|route-map (?=\S+ out)|prefix-list (?=\S+ in)|prefix-list (?=\S+ out))"
    r"|match (?:ip|ipv6) address prefix-list|match (?:ip|ipv6) address prefix-len|match \S+"
    r"|set extcommunity (?:bandwidth|rt)|set as-path (?:prepend|exclude)|set ipv6 next-hop \S+"
    r"|set \S+|description|detect-multiplier|receive-interval|transmit-interval|minimum-ttl"
    r")(?= |$)"
)


def stages(old: Contexts, new: Contexts) -> tuple[list[str], list[str]]:
    """The lines to feed to vtysh so that `old` becomes `new`, in two goes.

    First what takes L3VNIs back; bgpd lets go of them a moment later, and only then of their
    instances. Both are empty when the configurations are equal.
    """
    again = _retargeted(old, new)
    bare = {
        key: [line for line in lines if not (key in again and line.startswith("vni "))]
        for key, lines in old.items()
    }
    return _leave_vnis(old, new, again), _rest(bare, new)


def _retargeted(old: Contexts, new: Contexts) -> set[tuple[str, ...]]:
    """The VRF contexts of tenants whose imported route targets change."""
    found: set[tuple[str, ...]] = set()
    for key, lines in old.items():
        if key in new and len(key) > 1 and " vrf " in key[0]:
            was, now = (
                {line for line in some if line.startswith("route-target import ")}
                for some in (lines, new[key])
            )
            if was != now:
                found.add((f"vrf {key[0].rpartition(' vrf ')[2]}",))
    return found


def commands(old: Contexts, new: Contexts) -> list[str]:
    """Both stages in a row."""
    first, second = stages(old, new)
    return first + second


def _rest(old: Contexts, new: Contexts) -> list[str]:
    old = _without_replaced(old, new)
    lines: list[str] = []
    lines += _drop_instances(old, new)
    lines += _shrink(old, new)
    first = [key for key in new if not _is_bgp(key) and key[0].split(" ")[0] not in ("bfd", "vrf")]
    second = [key for key in new if key[0] == "bfd"]
    third = sorted((key for key in new if _is_bgp(key)), key=lambda key: key[0].count(" vrf "))
    fourth = [key for key in new if key[0].startswith("vrf ")]
    for key in (*first, *second, *third, *fourth):
        lines += _enter(key, _grown(old.get(key), new[key]))
    lines += _drop_leftovers(old, new)
    return lines


def _is_bgp(key: tuple[str, ...]) -> bool:
    return key[0].startswith("router bgp ")


def _negated(line: str) -> str:
    """The line that takes `line` back."""
    if line.startswith("no "):
        return line[3:]
    match = re.match(r"^(neighbor \S+ maximum-prefix|maximum-paths ibgp|maximum-paths) .*", line)
    return f"no {match.group(1)}" if match and "neighbor" not in line else f"no {line}"


def _key(line: str) -> str:
    match = _LAST_WINS.match(line)
    if match is None:
        return line.removeprefix("no ")
    side = re.search(r"(?:route-map|prefix-list) \S+ (in|out)$", line)
    return re.sub(r"^no ", "", match.group(0)) + (f" {side.group(1)}" if side else "")


def _peers(lines: list[str]) -> dict[str, list[str]]:
    """The lines that bring each neighbour and peer group into being."""
    found: dict[str, list[str]] = {}
    for line in lines:
        match = _NEIGHBOR.match(line)
        if match:
            found.setdefault(match.group(1), [])
            if _BORN.match(line):
                found[match.group(1)].append(line)
    return found


def _without_replaced(old: Contexts, new: Contexts) -> Contexts:
    """`old` without what vanishes with a neighbour; context ("gone",) lists what to delete.

    A neighbour whose origin (group, interface, remote AS) differs is deleted and made anew.
    """
    gone: set[tuple[str, str]] = set()
    for key in old:
        if len(key) == 1 and _is_bgp(key) and key in new:
            before, after = _peers(old[key]), _peers(new[key])
            for name, origin in before.items():
                if after.get(name) != origin:
                    gone.add((key[0], name))
            groups = {f"peer-group {name}" for instance, name in gone if instance == key[0]}
            for name, origin in before.items():
                # A peer group takes its members along.
                if any(line.endswith(tuple(f" {group}" for group in groups)) for line in origin):
                    gone.add((key[0], name))
    kept = {}
    for key, lines in old.items():
        kept[key] = [
            line
            for line in lines
            if not ((match := _NEIGHBOR.match(line)) and (key[0], match.group(1)) in gone)
        ]
    kept[("gone",)] = [
        f"{instance}|{name}|{_kind(old[(instance,)], name)}" for instance, name in sorted(gone)
    ]
    return kept


def _kind(lines: list[str], name: str) -> str:
    if f"neighbor {name} peer-group" in lines:
        return "group"
    interface = any(line.startswith(f"neighbor {name} interface") for line in lines)
    return "interface" if interface else "address"


def _leave_vnis(old: Contexts, new: Contexts, again: set[tuple[str, ...]]) -> list[str]:
    """L3VNIs that go, and everything of VRFs that go: before the instances that use them."""
    lines = []
    for key, was in old.items():
        if key[0].startswith("vrf "):
            wanted = [] if key in again else new.get(key, [])
            gone = [line for line in was if line not in wanted]
            gone = gone if key not in new else [line for line in gone if line.startswith("vni ")]
            lines += [key[0], *(f"no {line}" for line in gone), "exit-vrf"] if gone else []
    return lines


def _drop_instances(old: Contexts, new: Contexts) -> list[str]:
    """Instances that go, tenants first; when the default one goes, so do all others."""
    heads = [key for key in old if len(key) == 1 and _is_bgp(key)]
    default_goes = any(" vrf " not in key[0] and key not in new for key in heads)
    going = [key for key in heads if key not in new or default_goes]
    lines = [f"no {key[0]}" for key in sorted(going, key=lambda key: " vrf " not in key[0])]
    for key in [key for key in old if (key[0],) in going]:
        del old[key]
    old[("gone",)] = [item for item in old.get(("gone",), []) if (item.split("|")[0],) not in going]
    return lines


def _shrink(old: Contexts, new: Contexts) -> list[str]:
    """Neighbours, lines and address families of BGP instances that stay."""
    lines: list[str] = []
    order = {"interface": 0, "address": 0, "group": 1}
    gone = [item.split("|") for item in old.get(("gone",), [])]
    for instance, name, kind in sorted(gone, key=lambda item: order[item[2]]):
        word = {"group": " peer-group", "interface": " interface", "address": ""}[kind]
        lines += _enter((instance,), [f"no neighbor {name}{word}"])
    for key in [key for key in old if _is_bgp(key)]:
        if key not in new and key[-1].startswith("vni "):
            lines += _enter(key[:-1], [f"no {key[-1]}"])
        else:
            lines += _enter(key, _shrunk(old[key], new.get(key, [])))
    lines += _bare_interfaces(old, new)
    for key in [key for key in old if key in new and not _is_bgp(key) and key != ("",)]:
        gone_lines = [line for line in _shrunk(old[key], new[key]) if "no vni" not in line]
        lines += _enter(key, gone_lines or None)
    return lines


def _bare_interfaces(old: Contexts, new: Contexts) -> list[str]:
    """Interfaces that lose all their lines; the interface itself is the kernel's."""
    gone = [key for key in old if key not in new and key[0].startswith("interface ")]
    return [line for key in gone for line in _enter(key, _shrunk(old[key], []))]


def _shrunk(was: list[str], now: list[str]) -> list[str]:
    kept = {_key(line) for line in now}
    return [_negated(line) for line in reversed(was) if line not in now and _key(line) not in kept]


def _grown(was: list[str] | None, now: list[str]) -> list[str] | None:
    """The lines of a context that are new; None: the context is as it was."""
    if was is None:
        return now
    fresh = [line for line in now if line not in was]
    return fresh or None


def _enter(key: tuple[str, ...], lines: list[str] | None) -> list[str]:
    if lines is None or (not lines and _is_bgp(key) and len(key) > 1):
        return []
    if key == ("",):
        return lines
    if not lines and _is_bgp(key):
        return []
    leave = {"vrf": "exit-vrf", "address-family": "exit-address-family", "vni": "exit-vni"}
    exits = [leave.get(part.split(" ", 1)[0], "exit") for part in reversed(key)]
    return [*key, *lines, *exits]


def _drop_leftovers(old: Contexts, new: Contexts) -> list[str]:
    lines = []
    for key in old:
        if key in new or key in (("gone",), ("",)) or _is_bgp(key):
            continue
        if key[0].startswith(("vrf ", "interface ")):
            continue
        if len(key) > 1:
            lines += [key[0], f"no {key[1]}", "exit"]
        elif not _turned(key[0], new):
            lines.append(f"no {key[0]}")
    for line in reversed(old.get(("",), [])):
        if line not in new.get(("",), []) and not _overridden(line, new.get(("",), [])):
            lines.append(f"no {line}")
    return lines


def _turned(head: str, new: Contexts) -> bool:
    """Check whether a route map's entry only changes between permit and deny."""
    words = head.split()
    other = {"permit": "deny", "deny": "permit"}.get(words[2] if len(words) == 4 else "")
    return other is not None and (" ".join([*words[:2], other, words[3]]),) in new


def _overridden(line: str, now: list[str]) -> bool:
    """Check whether a list entry of the same name and number replaces this one."""
    head = re.match(r"^(.* seq \d+) ", line)
    return bool(head) and any(other.startswith(f"{head.group(1)} ") for other in now)  # type: ignore[union-attr]
