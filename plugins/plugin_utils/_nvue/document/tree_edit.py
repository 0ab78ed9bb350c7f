# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Editing in place: moving subtrees about in a document that nobody else holds.

``grow`` makes the private copy.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....module_utils._json import Doc, Json
from .paths import Path
from .shapes import mapping

Keys = tuple[str, ...]


def grow(doc: Doc) -> Doc:
    """Return a copy whose mappings are all its own; most of a document's time goes here."""
    made = doc.copy()
    for key, value in doc.items():
        if isinstance(value, dict):
            made[key] = grow(value)
    return made


def lay(target: Doc, part: Doc) -> None:
    """Lay a part over the target, copying its mappings; the target alone is changed."""
    for key, value in part.items():
        below = target.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            lay(below, value)
        else:
            target[key] = grow(value) if isinstance(value, dict) else value


def match(doc: Doc, pattern: str) -> list[tuple[Path, Keys]]:
    """Return (path, keys that stood for each ``*``) of every place that fits the pattern."""
    return list(_match(doc, pattern.split("/"), (), ()))


def _match(node: Json, pattern: list[str], path: Path, keys: Keys) -> Iterator[tuple[Path, Keys]]:
    if not pattern:
        yield path, keys
        return
    if not isinstance(node, dict):
        return
    key, rest = pattern[0], pattern[1:]
    if key == "*":
        for member, value in node.items():
            yield from _match(value, rest, (*path, member), (*keys, member))
    elif key in node:
        yield from _match(node[key], rest, (*path, key), keys)


def take(doc: Doc, path: Path) -> Json:
    """Remove and return what is at ``path``, with the containers left empty by that."""
    way: list[Doc] = [doc]
    for key in path[:-1]:
        way.append(mapping(way[-1][key]))
    taken = way[-1].pop(path[-1])
    for place in range(len(way) - 1, 0, -1):
        if way[place]:
            break
        del way[place - 1][path[place - 1]]
    return taken


def fill(doc: Doc, pattern: str, keys: Keys, value: Json) -> None:
    """Put ``value`` where the pattern says, its ``*`` replaced by ``keys``, merging mappings."""
    rest = list(keys)
    path = [rest.pop(0) if key == "*" else key for key in pattern.split("/")]
    node = doc
    for key in path[:-1]:
        below = node.get(key)
        if not isinstance(below, dict):
            below = node[key] = {}
        node = below
    old = node.get(path[-1])
    if isinstance(old, dict) and isinstance(value, dict):
        lay(old, value)
    else:
        node[path[-1]] = value
