# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NVIDIA's NVUE schema: the judge of every document that a switch gets.

``nvue_schema.json`` holds the paths of every release, written by ``make schema`` from NVIDIA's OpenAPI; a path has rows
of ``[first, last, kind, ...]``, releases by their minor number, and ``*`` is any key of a map. The kinds of those
keys are ours: ``nvue_keys.yaml``.

    schema = of(parse("5.16.1"))
    deviations(schema, document)        # every key, type and value that this release would refuse
"""

from __future__ import annotations

import difflib
import functools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from ....module_utils import _json
from ....module_utils._json import Json
from .kinds import KeyTest, Test, key_test, value_test, value_words
from .release import Release
from .secrets import is_secret, mask_path

PATHS = Path(__file__).with_name("nvue_schema.json")
KEYS = Path(__file__).with_name("nvue_keys.yaml")
EACH = "*"
"""The name of all keys of a map."""
OBJECTS = frozenset({"object", "map", "any"})
"""Kinds of places that hold an object; the members of `any` may be anything."""
Kinds = Sequence[Sequence[Any]]
"""Kinds of a value, each a list as in the file: a name and its limits."""


@dataclass(frozen=True)
class Deviation:
    """One place of a document that a release refuses, and the reason.

    `certain` is False for a key that no release has: NVIDIA's models leave out some that only actions use.
    """

    path: tuple[str, ...]
    reason: str
    certain: bool = True

    def __str__(self) -> str:
        return f"{'.'.join(self.path)}: {self.reason}"


class Node:
    """One place of the schema: the kinds of its value, and its members, which are made when they are asked for.

    Without kinds it takes every plain value: the models know no more of it.
    """

    def __init__(
        self,
        path: str = "",
        kinds: Kinds = (),
        below: _Below | None = None,
    ) -> None:
        self.kinds = kinds
        self._path, self._below = path, below

    @functools.cached_property
    def members(self) -> dict[str, Node]:
        """Return the places below by their keys."""
        path = f"{self._path}/" if self._path else ""
        found = self._below.get(self._path) if self._below else {}
        return {key: Node(path + key, kinds, self._below) for key, kinds in found.items()}

    @functools.cached_property
    def keys(self) -> str:
        """Return the kind of a map's keys."""
        return keys().get(self._path, "any")

    @functools.cached_property
    def holds_object(self) -> bool:
        """Return whether a value here is an object."""
        return any(kind[0] in OBJECTS for kind in self.kinds)

    @functools.cached_property
    def is_open(self) -> bool:
        """Return whether the members are not part of the schema."""
        return any(kind[0] == "any" for kind in self.kinds)

    @functools.cached_property
    def on_off(self) -> bool:
        """Return whether the value is a word pair of before 5.15: on or off."""
        return any(kind[0] == "enum" and "on" in kind for kind in self.kinds)

    @functools.cached_property
    def tests(self) -> tuple[Test, ...]:
        """Return the test of each kind of plain value."""
        return tuple(value_test(kind) for kind in self.kinds if kind[0] not in OBJECTS)

    @functools.cached_property
    def takes(self) -> KeyTest:
        """Return the test of a map's keys."""
        return key_test(self.keys)

    def below(self, key: str) -> Node | None:
        """Return the place of a member, which for a map is that of every key."""
        return self.members.get(key) or self.members.get(EACH)

    @property
    def allowed(self) -> str:
        """Return the kinds in words."""
        return " or ".join(sorted({value_words(kind) for kind in self.kinds}))


@dataclass(frozen=True)
class Schema:
    """The configuration schema of one release, such as 5.16."""

    release: str
    root: Node


def of(release: Release) -> Schema | None:
    """Return the schema of a release; None where NVIDIA's models do not have it."""
    return _load(f"{release.major}.{release.minor}")


def releases() -> tuple[str, ...]:
    """Return the releases of the schema, oldest first: 5.0 and so on."""
    return tuple(_data()["releases"])


def having(path: tuple[str, ...]) -> str:
    """Return the releases that have a place, such as ``5.0 to 5.2``; empty for none."""
    found = [name for name in releases() if _has(name, path)]
    return " to ".join(dict.fromkeys((found[0], found[-1]))) if found else ""


def deviations(schema: Schema, document: Json) -> list[Deviation]:
    """Return each place of a document that the release would refuse."""
    found: list[Deviation] = []
    _judge(schema, schema.root, document, (), found)
    return [replace(each, path=mask_path(each.path)) for each in found]


def _judge(
    schema: Schema, node: Node, value: Json, path: tuple[str, ...], found: list[Deviation]
) -> None:
    if not isinstance(value, dict):
        if node.kinds and not any(test(value) for test in node.tests):
            shown = "this secret" if is_secret(path) else json.dumps(value)[:80]
            found.append(Deviation(path, f"{shown}: allowed: {node.allowed}: change it"))
    elif not node.holds_object:
        found.append(Deviation(path, f"an object: allowed: {node.allowed}: change it"))
    else:
        for key, member in value.items():
            below = node.members.get(key) if key != EACH else None
            if below is None and EACH in node.members and node.takes(key):
                below = node.members[EACH]
            if below is not None:
                _judge(schema, below, member, (*path, key), found)
            elif not node.is_open or not node.takes(key):
                found.append(_unknown(schema, node, (*path, key)))


def _unknown(schema: Schema, node: Node, path: tuple[str, ...]) -> Deviation:
    if EACH in node.members or node.is_open:
        return Deviation(path, f"allowed keys: {node.keys}: change it")
    elsewhere = having(path)
    near = difflib.get_close_matches(path[-1], node.members, 1)
    return Deviation(
        path,
        f"no key of Cumulus Linux {schema.release}"
        + (f", only of {elsewhere}" if elsewhere else "")
        + (": leave it out" if elsewhere or not near else f": write {near[0]}"),
        certain=bool(elsewhere),
    )


def _has(release: str, path: tuple[str, ...]) -> bool:
    schema = _load(release)
    node: Node | None = schema.root if schema else None
    for key in path:
        node = node.below(key) if node else None
    return node is not None


PAGES: dict[str, Kinds] = {
    # Ten octets, from 5.6 on with 00 first (guide of 5.17, EVPN Multihoming), where the models have digits alone.
    "interface/*/evpn/multihoming/segment/identifier": [
        ["string", 0, None, "^00(:[0-9A-Fa-f]{2}){9}$"]
    ],
}
"""Values that NVIDIA's page shows and its models lack."""


@functools.cache
def _load(release: str) -> Schema | None:
    if release not in releases():
        return None
    return Schema(release, Node("", [["object"]], _Below(releases().index(release))))


class _Below:
    """The places of a release by the path above them, taken from those of all releases when they are asked for."""

    def __init__(self, index: int) -> None:
        self._index = index

    def get(self, path: str) -> dict[str, Kinds]:
        """Return the kinds of each place below a path by its key."""
        return {
            key: [*kinds, *PAGES.get(f"{path}/{key}", ())]
            for key, spans in _places().get(path, {}).items()
            for first, last, *kinds in spans
            if first <= self._index <= last
        }


def rows(release: str) -> Iterator[tuple[str, Kinds]]:
    """Yield each path of a release such as 5.16, as text, with its kinds."""
    index = releases().index(release)
    for path, spans in _data()["paths"].items():
        for first, last, *kinds in spans:
            if first <= index <= last:
                yield path, kinds


def preload() -> None:
    """Read the files of the schema: a process that forks one for each switch reads them once for all."""
    _places()
    keys()


@functools.cache
def _places() -> dict[str, dict[str, Any]]:
    """Return the spans of every place by the path above it and its key."""
    places: dict[str, dict[str, Any]] = {}
    for path, spans in _data()["paths"].items():
        above, _slash, key = path.rpartition("/")
        places.setdefault(above, {})[key] = spans
    return places


@functools.cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = _json.parse(PATHS.read_bytes())
    return data


@functools.cache
def keys() -> dict[str, str]:
    """Return the kind of the keys of each map that has one."""
    kinds: dict[str, list[str]] = yaml.load(
        KEYS.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    )
    return {path: kind for kind, paths in kinds.items() for path in paths}
