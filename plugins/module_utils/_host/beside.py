# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings on a rail beside the plan, and in the way of its packets: bonds, default routes, drops, rules before ours.

on_rails(found, rails)               of a rail itself: its name, a sentence, and the command that removes it
in_the_way(found, ports, prefixes)   sentences, with the command, of what is elsewhere on the host
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .backends import PRIORITY
from .interfaces import Interface, LiveState, destination, network
from .records import RouteRow, RuleRow

MAIN, LOCAL = "main", "local"
DROPS = ("unreachable", "blackhole", "prohibit", "throw")
"""Types of routes, and actions of rules, that end a packet's way."""
EVERYWHERE = 3
"""Longest prefix, bits, of a route that serves as a default one: its halves, and 2000::/3."""
NARROW = ("fwmark", "iif", "ipproto", "sport", "dport", "uid_start", "tos", "l3mdev")
"""Words of a rule that is for some packets only; those of RDMA have none of them."""
BEHIND = 32766
"""Priority of the rule that leads to the main table, where a rail has no table of its own."""


def on_rails(
    found: LiveState, rails: Iterable[Interface]
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the name of a rail, a sentence on what is on it beside the plan, and the command that removes it."""
    argv: tuple[str, ...]
    for one in filter(found.name_of, rails):
        name = found.name_of(one)
        if master := found.links.get(name, {}).get("master"):
            argv = ("ip", "link", "set", "dev", name, "nomaster")
            yield (
                one.name,
                f"{one.name}: it is in {master}, expected none ({' '.join(argv)}).",
                argv,
            )
        planned = {route.to for route in one.routes}
        for row in found.routes:
            if row.get("dev") == name and _everywhere(row) and destination(row) not in planned:
                argv = _route(row)
                yield (
                    one.name,
                    f"{one.name}: it has the route {_text(row)}, expected none ({' '.join(argv)}).",
                    argv,
                )


def _everywhere(row: RouteRow) -> bool:
    length = destination(row).partition("/")[2]
    usual = row.get("type", "unicast") == "unicast" and row.get("table", MAIN) != LOCAL
    return usual and length.isdecimal() and int(length) <= EVERYWHERE


def _text(row: RouteRow) -> str:
    return " by ".join(filter(None, (row.get("dst", "default"), row.get("gateway"))))


def _route(row: RouteRow) -> tuple[str, ...]:
    """Return the command that removes a route."""
    six = ":" in row.get("gateway", "") + row.get("dst", "")
    words = ["ip", "-6" if six else "-4", "route", "delete", *_type(row), row.get("dst", "default")]
    for word, key in (("via", "gateway"), ("dev", "dev"), ("table", "table"), ("metric", "metric")):
        words += [word, str(row[key])] if row.get(key) else []  # type: ignore[literal-required]
    return tuple(words)


def _type(row: RouteRow) -> list[str]:
    return [row["type"]] if row.get("type", "unicast") != "unicast" else []


def in_the_way(
    found: LiveState, ports: Sequence[Interface], prefixes: Iterable[str]
) -> Iterator[str]:
    """Yield a sentence for each route and rule of others that takes packets of the fabric away, or ends their way."""
    own = {one.name for one in ports} | {found.name_of(one) for one in ports}
    fabric = list(prefixes)
    for text in fabric:
        for row in found.routes:
            if row.get("dev") not in own and row.get("table", MAIN) == MAIN and _takes(row, text):
                yield _said_of_route(row, text)
    for rule in found.rules:
        yield from _of_rule(found, rule, ports, fabric)


def _takes(row: RouteRow, text: str) -> bool:
    """Say whether a route is equal to a prefix or inside it; one that ends the way also around it."""
    if row.get("dst") in (None, "default"):
        return False
    there, fabric = network(row["dst"], "route"), network(text, "prefixes")
    drops = row.get("type", "unicast") in DROPS
    if there.version != fabric.version or not (drops or row.get("type", "unicast") == "unicast"):
        return False
    inside = there.subnet_of(fabric)  # type: ignore[arg-type]
    return inside or (drops and fabric.subnet_of(there))  # type: ignore[arg-type]


def _said_of_route(row: RouteRow, text: str) -> str:
    if row.get("type") in DROPS:
        return (
            f"route {row['dst']} is {row['type']} and takes packets to {text}, a prefix of the fabric: remove it "
            f"({' '.join(_route(row))}), and what sets it at a boot."
        )
    return (
        f"route {row['dst']} of {row.get('dev', 'this host')} lies inside {text}, a prefix of the "
        "fabric: give that network (perhaps a container bridge) other addresses."
    )


def _of_rule(
    found: LiveState, rule: RuleRow, ports: Iterable[Interface], fabric: Iterable[str]
) -> Iterator[str]:
    """Yield a rule that is looked up before that of a rail and leads its packets elsewhere."""
    number, table = rule.get("priority", 0), str(rule.get("table", ""))
    if table == LOCAL or any(key in rule for key in NARROW) or not _meets(rule, "dst", fabric):
        return
    ends = rule.get("action") in DROPS
    routes = [row.get("dst") for row in found.routes if str(row.get("table", MAIN)) == table]
    leads = ends or any(_overlaps(there, text) for there in routes for text in fabric)
    for one in ports:
        ours = (rule.get("src"), table) == (one.address, str(one.table))
        before = number <= PRIORITY if one.table else number < BEHIND
        bound = rule.get("oif") in (None, found.name_of(one)) and _meets(rule, "src", [one.address])
        if one.address and leads and before and bound and not ours:
            way = f"leads to table {table}" if table else f"is {rule.get('action')}"
            yield (
                f"rule {number} comes before the routes of {one.name} and {way}: remove it (ip rule delete priority "
                f"{number}), and what sets it at a boot."
            )
            return


def _meets(rule: RuleRow, end: str, prefixes: Iterable[str]) -> bool:
    """Say whether a rule is for packets from, or to, one of the prefixes."""
    there = str(rule.get(end, "all"))
    if there == "all":
        return True
    length = rule.get(f"{end}len", 128 if ":" in there else 32)
    return any(_overlaps(f"{there}/{length}", text) for text in prefixes)


def _overlaps(there: str | None, text: str) -> bool:
    """Say whether a destination has addresses of a prefix; a default route has all."""
    if there in (None, "default"):
        return True
    one, other = network(there, "route"), network(text, "prefix")
    return one.version == other.version and one.overlaps(other)
