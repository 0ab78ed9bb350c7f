# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places that stay as they are because of what the switch holds now.

A guard is a list of rules, plain data that travels with a wish:

    {"place": "interface/swp1s0/vrf", "like": ["t[2-9][0-9]-*"],
     "keep": ["interface/swp1s0/vrf", "interface/swp1s0/ipv4"], "say": "... {value} ..."}

A rule applies when the applied value at its place is like one of the patterns and differs from the
wish. Where the place holds a mapping, each key that the wish lacks, and that no earlier rule keeps,
is such a value. What a rule keeps is then treated as unmanaged; ``{value}`` is the value in
``keep`` and ``say``. Further keys of a rule:

    but    values for which it never applies
    where  {place: value}: it applies only while each place has that value
    always applies although the value is the wished one: other places beside it may differ
    with   places whose keys name objects to keep too: {"interface/swp1s0/acl": "acl"}
    spare  how many keys of a mapping may go at once; it applies to the surplus alone
    drift  whether the sentence reports a drift that somebody has to settle

One kind of rule keeps nothing and forbids the change instead. It applies when two keys of the
mapping at its place, one of them like the patterns, would share a value afterwards that is not in
``but``;
``{what}``, ``{value}``, ``{one}`` and ``{other}`` say which:

    {"place": "vrf", "like": ["t22-globex"], "alone": {"evpn/vni": ["evpn/vni"]}, "say": "..."}

    alone  {place: places}: what a key has at the place, no other key has at any of the places

Another kind forbids the change where the applied value at its place is none of ``only``, and the change touches
that place; a place without a value never does.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...module_utils._json import Doc
from .paths import parse, to_text
from .shapes import below
from .tree import get

Rule = Mapping[str, Any]


@dataclass(frozen=True)
class Held:
    """What stays (globs), and why; ``drift`` are the sentences somebody has to act upon."""

    keep: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    drift: tuple[str, ...] = ()


def hold(rules: Iterable[Rule], before: Doc, wish: Doc) -> Held:
    """Return what the rules keep, given the applied and the wished document."""
    keep: list[str] = []
    notes: list[str] = []
    drift: list[str] = []
    for rule in rules:
        if "alone" in rule or "only" in rule:
            continue
        for value in _values(rule, before, wish, frozenset(keep)):
            keep += _kept(rule, value)
            keep += _companions(rule, before)
            if rule.get("say"):
                (drift if rule.get("drift") else notes).append(rule["say"].format(value=value))
    return Held(tuple(keep), tuple(notes), tuple(drift))


def forbidden(rules: Sequence[Rule], before: Doc, after: Doc) -> tuple[str, ...]:
    """Return a sentence for each rule that forbids the change."""
    return (*_elsewhere(rules, before, after), *_sharing(rules, after))


def _elsewhere(rules: Iterable[Rule], before: Doc, after: Doc) -> Iterator[str]:
    """Yield a sentence for each place whose value is another one than the change may touch."""
    for rule in rules:
        if "only" in rule:
            place = parse(rule["place"])
            value = get(before, place)
            if value not in (None, get(after, place), *rule["only"]):
                yield rule["say"].format(value=value)


def _sharing(rules: Iterable[Rule], after: Doc) -> tuple[str, ...]:
    """Return a sentence for each two keys that would share what one of them must have alone."""
    said: dict[tuple[str, str], str] = {}
    for rule in rules:
        for place, places in rule.get("alone", {}).items():
            for value, one, other in sorted(_shared(rule, after, place, places)):
                what = parse(place)[-1]
                sentence = rule["say"].format(what=what, value=value, one=one, other=other)
                said.setdefault((one, other), sentence)
    return tuple(said.values())


def _shared(
    rule: Rule, after: Doc, place: str, places: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield each value that two keys share, with them: the one that is like the patterns first."""
    bodies = below(after, *parse(rule["place"]))
    having: dict[str, set[str]] = {}
    for name, body in bodies.items():
        for at in places:
            for value in _told(body, at):
                having.setdefault(value, set()).add(name)
    for name, body in bodies.items():
        for value in _told(body, place):
            for other in having.get(value, set()) - {name}:
                one, two = sorted((name, other), key=lambda key: (not _like(rule, key), key))
                if _like(rule, one) and value not in rule.get("but", ()):
                    yield value, one, two


def _told(body: Any, place: str) -> list[str]:
    """Return the keys, or else the one value, at a place."""
    value = get(body, parse(place)) if isinstance(body, dict) else None
    return sorted(value) if isinstance(value, dict) else [] if value is None else [str(value)]


def _kept(rule: Rule, value: str) -> list[str]:
    return [str(glob).format(value=value) for glob in rule.get("keep", ())]


def _values(rule: Rule, before: Doc, wish: Doc, keep: frozenset[str]) -> list[str]:
    """Return the values by which a rule applies, sorted."""
    if any(get(before, parse(at)) != value for at, value in rule.get("where", {}).items()):
        return []
    place = parse(rule["place"])
    found, wanted = get(before, place), get(wish, place)
    if isinstance(found, dict):
        asked = wanted if isinstance(wanted, dict) else {}
        going = [name for name in sorted(found) if name not in asked and _like(rule, name)]
        return [name for name in going if not keep.issuperset(_kept(rule, name))][
            rule.get("spare", 0) :
        ]
    same = found == wanted and not rule.get("always")
    return [] if found is None or same or not _like(rule, str(found)) else [str(found)]


def _like(rule: Rule, value: str) -> bool:
    if value in rule.get("but", ()):
        return False
    return _any(value, rule.get("like", ("*",)))


def _any(value: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(value, pattern) for pattern in patterns)


def _companions(rule: Rule, before: Doc) -> list[str]:
    made = []
    for place, parent in rule.get("with", {}).items():
        bound = get(before, parse(place))
        if isinstance(bound, dict):
            made += [f"{parent}/{to_text((name,))}" for name in bound]
    return made
