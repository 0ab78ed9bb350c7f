# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The object model of a release: which keys exist, what each may hold, and what is filled in.

The data files under data/schema/ hold one model with the spans of releases in which each key
exists; `load(release)` compiles it for one release. Shape errors are reported as `Breach`es; the
rules that join several objects are in rules.py.
"""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from . import names, scalars
from .release import Release
from .tree import MISSING

DATA = Path(__file__).parent / "data" / "schema"
_MEMBER = re.compile(
    r"^(?P<name>.+?)(?:@(?P<since>\d+\.\d+(?:\.\d+)?)?(?:\.\.(?P<until>\d+\.\d+(?:\.\d+)?))?)?$"
)


@dataclass(frozen=True)
class Breach:
    """One reason why a document is refused: the dotted place and the reason."""

    location: str
    reason: str


@dataclass
class Node:
    """One place of the model: a scalar, an object, or (open) anything."""

    scalars: tuple[scalars.Scalar, ...] = ()
    default: Any = MISSING
    members: dict[str, Member] = field(default_factory=dict)
    each: list[tuple[scalars.Scalar, Node]] = field(default_factory=list)
    open: bool = False
    choice: bool = False

    def child(self, key: str) -> Node | None:
        """The place below `key`, or None where the model has no such key."""
        if key in self.members:
            return self.members[key].node
        for scalar, node in self.each:
            if scalars.key_matches(scalar, key):
                return node
        return Node(open=True) if self.open else None

    def names(self, key: str) -> list[str]:
        """All members `key` stands for; only collections of interfaces and VLANs know ranges."""
        ranged = key not in self.members and any(kind.ranged for kind, dummy in self.each)
        if ranged and names.is_range(key):
            try:
                return names.expand(key)
            except ValueError:
                return [key]
        return [key]

    @property
    def is_object(self) -> bool:
        """Whether a value here is an object."""
        return not self.scalars


@dataclass(frozen=True)
class Member:
    """A named member: its place, and the key it has in releases from 5.15 on."""

    node: Node
    canonical: str


class Schema:
    """The compiled model of one release."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self._definitions: dict[str, Any] = {}
        raw: dict[str, Any] = {}
        for path in sorted(DATA.glob("*.yml")):
            text = yaml.safe_load(path.read_text(encoding="utf-8"))
            self._definitions.update(text.pop("$defs", {}))
            raw.update(text)
        self.root = self._object(raw)

    def _build(self, raw: Any) -> Node:
        if isinstance(raw, dict):
            return self._object(raw)
        if raw.startswith("$"):
            return self._object(self._definitions[raw[1:]])
        if raw == "any":
            return Node(open=True)
        if raw == "empty":
            return Node()
        expression, dummy, default = raw.partition(" = ")
        kinds = scalars.parse(expression, modern=self.release.modern)
        node = Node(scalars=kinds)
        if default:
            node.default = self._default(default, kinds)
        return node

    def _default(self, text: str, kinds: tuple[scalars.Scalar, ...]) -> Any:
        if kinds[0].boolean:
            on = text in ("enabled", "on")
            return (("enabled", "disabled") if self.release.modern else ("on", "off"))[not on]
        return int(text) if text.isdigit() else text

    def _object(self, raw: dict[str, Any]) -> Node:
        node = Node()
        for spelled, value in raw.items():
            if spelled == "$choice":
                node.choice = True
            elif spelled == "$open":
                node.open = True
            elif spelled == "$extend":
                base = self._object(self._definitions[value[1:]])
                node.members.update(base.members)
                node.each += base.each
            else:
                self._add(node, spelled, value)
        return node

    def _add(self, node: Node, spelled: str, value: Any) -> None:
        if spelled.startswith("<"):
            (kind,) = scalars.parse(spelled.strip("<>"), modern=True)
            node.each.append((kind, self._build(value)))
            return
        match = _MEMBER.match(spelled)
        if match is None or not self._exists(match.group("since"), match.group("until")):
            return
        name = match.group("name")
        if value == "toggle":
            key = "state" if self.release.modern else "enable"
            node.members[key] = Member(self._build("bool"), "state")
        else:
            node.members[name] = Member(self._build(value), name)

    def _exists(self, since: str | None, until: str | None) -> bool:
        return (since is None or self.release.at_least(since)) and (
            until is None or self.release.up_to(until)
        )

    def node_at(self, path: list[str]) -> Node | None:
        """The place at `path`, or None where the model has none."""
        node: Node | None = self.root
        for key in path:
            if node is None or not node.is_object:
                return None
            node = node.child(key)
        return node

    def check(self, value: Any, path: list[str], *, patch: bool) -> list[Breach]:
        """Every shape error of `value` at `path`; `patch` allows null (unset) anywhere."""
        node = self.node_at(path)
        if node is None:
            return [Breach(".".join(path), "no such object")]
        return list(_check(node, value, ".".join(path), patch=patch))

    def merge(self, doc: Any, change: Any, path: list[str]) -> Any:
        """`doc` (the whole configuration) after the patch `change` at `path`."""
        merged = copy.deepcopy(doc)
        place = merged
        node: Node | None = self.root
        for index, key in enumerate(path):
            if index == len(path) - 1 and not isinstance(change, dict):
                _merge_into(node or Node(open=True), place, {key: change})
                return merged
            place = place.setdefault(key, {})
            node = node.child(key) if node else None
        _merge_into(node or Node(open=True), place, change)
        return merged

    def fill(self, doc: Any, path: list[str]) -> Any:
        """`doc` (found at `path`) with the defaults of the objects it holds."""
        node = self.node_at(path)
        return _fill(node, doc) if node is not None else doc

    def expand(self, doc: Any, path: list[str]) -> Any:
        """`doc` (found at `path`) with its range keys written out."""
        node = self.node_at(path)
        return _expand(node, doc) if node is not None else doc

    def canonical(self, doc: Any) -> Any:
        """The whole configuration `doc` in the spelling of 5.15 and later."""
        from .dialect import rewrite

        plain = _canonical(self.root, doc)
        return plain if self.release.modern else rewrite(plain)


@functools.cache
def load(release: Release) -> Schema:
    """The model of `release`, compiled once per process."""
    return Schema(release)


def _check(node: Node, value: Any, place: str, *, patch: bool) -> Iterator[Breach]:
    if value is None:
        if not patch:
            yield Breach(place, "null is not a value")
    elif node.scalars:
        if isinstance(value, (dict, list)) or not any(kind.check(value) for kind in node.scalars):
            allowed = " or ".join(kind.says for kind in node.scalars)
            yield Breach(place, f"{value!r} is not allowed here, expected {allowed}")
    elif node.open and not node.members:
        return
    elif not isinstance(value, dict):
        yield Breach(place, f"{value!r} is not allowed here, expected an object")
    else:
        for key, inner in value.items():
            here = f"{place}.{key}" if place else key
            child = node.child(key)
            if child is None:
                yield Breach(here, f"unknown key '{key}'")
            else:
                yield from _check(child, inner, here, patch=patch)


def _merge_into(node: Node, place: dict[str, Any], change: dict[str, Any]) -> None:
    for key, value in change.items():
        _split_ranges(node, place, key)
        if value is None:
            for name in {key, *node.names(key)}:
                place.pop(name, None)
            continue
        child = node.child(key) or Node(open=True)
        if node.choice:
            for other in [other for other in place if other != key]:
                del place[other]
        if isinstance(value, dict):
            inner = place.get(key)
            place[key] = inner = inner if isinstance(inner, dict) else {}
            _merge_into(child, inner, value)
        else:
            place[key] = copy.deepcopy(value)


def _split_ranges(node: Node, place: dict[str, Any], key: str) -> None:
    """Write out the ranges of `place` that overlap `key` without being it."""
    if not any(kind.ranged for kind, dummy in node.each):
        return
    wanted = set(node.names(key))
    for other in [other for other in place if other != key and names.is_range(other)]:
        members = node.names(other)
        if len(members) > 1 and wanted & set(members):
            content = place.pop(other)
            for member in members:
                place[member] = _overlaid(copy.deepcopy(content), place.get(member))


def _overlaid(under: Any, over: Any) -> Any:
    if not isinstance(under, dict) or not isinstance(over, dict):
        return under if over is None else over
    for key, value in over.items():
        under[key] = _overlaid(under.get(key), value)
    return under


def _fill(node: Node, value: Any) -> Any:
    if not node.is_object or not isinstance(value, dict):
        return value
    filled = {}
    for key, inner in value.items():
        child = node.child(key)
        filled[key] = _fill(child, inner) if child is not None else inner
    for key, member in node.members.items():
        if key not in filled and member.node.default is not MISSING:
            filled[key] = member.node.default
    return filled


def _put(result: dict[str, Any], members: list[str], content: Any) -> None:
    """Give each member the content, below what the member has; each gets a copy of its own."""
    for member in members:
        own = content if member == members[-1] else copy.deepcopy(content)
        result[member] = _overlaid(own, result.get(member))


def _expand(node: Node, value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    result: dict[str, Any] = {}
    for key, inner in value.items():
        clean = _expand(node.child(key) or Node(open=True), inner)
        _put(result, node.names(key), clean)
    return result


def _canonical(node: Node, value: Any) -> Any:
    if not isinstance(value, dict):
        if any(kind.boolean for kind in node.scalars) and value in ("on", "off"):
            return "enabled" if value == "on" else "disabled"
        return value
    result: dict[str, Any] = {}
    for key, inner in value.items():
        child = node.child(key) or Node(open=True)
        name = node.members[key].canonical if key in node.members else key
        clean = _canonical(child, inner)
        _put(result, node.names(name), clean)
    return result
