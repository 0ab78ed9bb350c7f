# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The object model of a release: which keys exist, what each may hold, and what is filled in.

``data/nvue_schema.json`` is NVIDIA's own schema: rows of ``[first, last, kind, ...]`` by path, with
releases by their minor number and ``*`` for each key of a map. The kinds of those keys are in
``data/nvue_keys.yaml``, and what neither says in ``data/beyond.yml``. `load(release)` compiles them
for one release. Shape errors are reported as `Breach`es; the rules that join several objects are in
rules.py.
"""

from __future__ import annotations

import copy
import functools
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from . import names, scalars
from .release import Release
from .tree import MISSING

DATA = Path(__file__).parent / "data"
EACH = "*"
"""The key of a path that stands for each key of a map."""


@dataclass(frozen=True)
class Breach:
    """One reason why a document is refused: the dotted place and the reason."""

    location: str
    reason: str


@dataclass
class Node:
    """One place of the model: a plain value, an object, or (open) anything."""

    kinds: tuple[list[Any], ...] = ()
    members: dict[str, Node] = field(default_factory=dict)
    each: Node | None = None
    keys: tuple[scalars.Scalar, ...] = ()
    default: Any = MISSING
    open: bool = False
    choice: bool = False
    secret: bool = False

    @functools.cached_property
    def is_object(self) -> bool:
        """Check whether a value here is an object."""
        return self.open or any(kind[0] in scalars.OBJECTS for kind in self.kinds)

    @functools.cached_property
    def scalars(self) -> tuple[scalars.Scalar, ...]:
        """The kinds of plain value that are allowed here."""
        plain = (kind for kind in self.kinds if kind[0] not in scalars.OBJECTS)
        return tuple(map(scalars.of_value, plain))

    @functools.cached_property
    def on_off(self) -> bool:
        """Check whether the value is on or off, the words before 5.15."""
        return any(kind.on_off for kind in self.scalars)

    @functools.cached_property
    def masked(self) -> bool:
        """Check whether the value is a secret."""
        return self.secret or any(kind.secret for kind in self.scalars)

    @functools.cached_property
    def ranged(self) -> bool:
        """Check whether a key may mean several: interfaces and VLANs."""
        return any(kind.ranged for kind in self.keys)

    def child(self, key: str) -> Node | None:
        """The place below `key`, or None where the model has no such key."""
        if key in self.members:
            return self.members[key]
        if self.each is not None:
            fits = not self.keys or any(kind.check(key) for kind in self.keys)
            return self.each if fits else None
        return OPEN if self.open else None

    def fits(self, value: Any) -> bool:
        """Check whether a plain value is allowed; for a few places NVIDIA's schema states no kind."""
        if not self.kinds:
            return not isinstance(value, (dict, list))
        return any(kind.check(value) for kind in self.scalars)

    def names(self, key: str) -> list[str]:
        """All members `key` stands for; only collections of interfaces and VLANs know ranges."""
        if self.ranged and key not in self.members and names.is_range(key):
            try:
                return names.expand(key)
            except ValueError:
                return [key]
        return [key]

    def canonical(self, key: str) -> str:
        """The key in the spelling of 5.15 and later: an enable of on or off became a state."""
        switched = key == "enable" and "state" not in self.members
        return "state" if switched and key in self.members and self.members[key].on_off else key


OPEN = Node(open=True)
"""A place whose content is not part of the model."""


class Schema:
    """The compiled model of one release."""

    def __init__(self, release: Release) -> None:
        self.release = release
        known, mine = [*_nvidia()["releases"]], f"{release.major}.{release.minor}"
        self.judged_by = mine if mine in known else known[-1]
        self.root = Node((["object"],))
        for path, kinds in self._rows():
            self._place(path).kinds = tuple(kinds)
        self._name_keys(self.root, "")
        for name in ("default", "choice", "secret"):
            self._mark(name)

    def _rows(self) -> Iterator[tuple[str, list[list[Any]]]]:
        """Each path that the release has, with its kinds: NVIDIA's, then ours."""
        judging = [*_nvidia()["releases"]].index(self.judged_by)
        mine = max(judging, self.release.minor if self.release.major == 5 else 99)
        gone = {path: first for rows in _ours()["gone"].values() for path, first in rows.items()}
        ours = ((mine, rows) for rows in _ours()["node"].values())
        for minor, paths in ((judging, _nvidia()["paths"]), *ours):
            for path, spans in paths.items():
                for first, last, *kinds in spans:
                    if first <= minor <= last and mine < gone.get(path, 100):
                        yield path, kinds

    def _place(self, path: str) -> Node:
        node = self.root
        for key in path.split("/"):
            if key == EACH:
                node.each = node.each or Node()
                node = node.each
            else:
                node = node.members.setdefault(key, Node())
        return node

    def _name_keys(self, node: Node, path: str) -> None:
        """Give maps the kinds of their keys; an object without members is open or holds keys."""
        kind = _keys().get(path)
        node.keys = scalars.of_key(kind) if kind else ()
        if any(each[0] == "any" for each in node.kinds) and not node.members:
            if kind in (None, "any"):
                node.open = True
            else:
                node.each = Node((["any"],), open=True)
        for key, inner in (*node.members.items(), *([(EACH, node.each)] if node.each else [])):
            self._name_keys(inner, f"{path}/{key}" if path else key)

    def _mark(self, name: str) -> None:
        """Set a property of the places that our file lists, where the release has them."""
        for rows in _ours()[name].values():
            for path, value in (
                rows.items() if isinstance(rows, dict) else ((x, True) for x in rows)
            ):
                node = self._listed(path)
                if node is not None:
                    setattr(node, name, _OLDER.get(value, value) if node.on_off else value)

    def _listed(self, path: str) -> Node | None:
        node: Node | None = self.root
        for key in path.split("/"):
            if node is not None:
                node = node.each if key == EACH else node.members.get(key)
        return node

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
                _merge_into(node or OPEN, place, {key: change})
                return merged
            place = place.setdefault(key, {})
            node = node.child(key) if node else None
        _merge_into(node or OPEN, place, change)
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


_OLDER = {"enabled": "on", "disabled": "off"}


@functools.cache
def load(release: Release) -> Schema:
    """The model of `release`, compiled once per process."""
    made, name = Schema(release), f"{release.major}.{release.minor}"
    if made.judged_by != name:
        logging.getLogger(__package__).warning(
            "%s: judged by the schema of %s", name, made.judged_by
        )
    return made


def _yaml(text: str) -> Any:
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@functools.cache
def _nvidia() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((DATA / "nvue_schema.json").read_text("utf-8"))
    return data


@functools.cache
def _ours() -> dict[str, Any]:
    data: dict[str, Any] = _yaml((DATA / "beyond.yml").read_text("utf-8"))
    return data


@functools.cache
def _keys() -> dict[str, str]:
    listed: dict[str, list[str]] = _yaml((DATA / "nvue_keys.yaml").read_text("utf-8"))
    return {path: kind for kind, paths in listed.items() for path in paths}


def _check(node: Node, value: Any, place: str, *, patch: bool) -> Iterator[Breach]:
    if value is None:
        if not patch:
            yield Breach(place, "null is not a value")
    elif node is OPEN:
        return
    elif not node.is_object:
        if not node.fits(value):
            allowed = " or ".join(kind.says for kind in node.scalars)
            yield Breach(place, f"{value!r} is not allowed here, expected {allowed or 'a value'}")
    elif not isinstance(value, dict):
        yield Breach(place, f"{value!r} is not allowed here, expected an object")
    else:
        for key, inner in value.items() if not node.open else ():
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
        child = node.child(key) or OPEN
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
    if not node.ranged:
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
        if key not in filled and member.default is not MISSING:
            filled[key] = member.default
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
        clean = _expand(node.child(key) or OPEN, inner)
        _put(result, node.names(key), clean)
    return result


def _canonical(node: Node, value: Any) -> Any:
    if not isinstance(value, dict):
        if node.on_off and value in ("on", "off"):
            return "enabled" if value == "on" else "disabled"
        return value
    result: dict[str, Any] = {}
    for key, inner in value.items():
        clean = _canonical(node.child(key) or OPEN, inner)
        _put(result, node.names(node.canonical(key)), clean)
    return result
