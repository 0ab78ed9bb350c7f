# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations on NVUE documents. None of them changes its arguments; results share subtrees.

A document is a mapping of mappings. Its leaves are scalars, lists, and ``{}``, which says that a
member of a collection is there. In a wish ``None`` says that the place is to be unset.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard, cast

from ....module_utils._json import Doc, Json
from ..errors import RefusedError
from .paths import Globs, Path, States, ended, step
from .shapes import mapping


@dataclass(frozen=True, slots=True)
class Change:
    """One leaf that differs; ``None`` is a leaf that is not there."""

    path: Path
    before: Json
    after: Json


def normalise(value: object, *, where: str = "config") -> Doc:
    """Return user data as a document: plain types, keys as strings.

    Booleans are refused: NVUE has none, and YAML makes them of an unquoted ``on``.
    """
    if not isinstance(value, Mapping):
        raise RefusedError(f"{where} is {value!r}; a mapping of NVUE keys is needed.")
    plain: Doc = {}
    for key, child in value.items():
        if isinstance(key, bool) or key is None or key == "":
            raise RefusedError(f"{where} has the key {key!r}; quote it, NVUE keys are words.")
        if type(child) in _PLAIN:
            plain[str(key)] = cast(Json, child)
        else:
            plain[str(key)] = _plain(child, f"{where}/{key}")
    return plain


_PLAIN = frozenset({str, int, float})
"""Types that stay as they are; what comes of Ansible is of others, and a boolean is no integer."""


def _plain(value: object, where: str) -> Json:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return normalise(value, where=where)
    if isinstance(value, bool):
        raise RefusedError(
            f"{where} is the boolean {value}; NVUE knows words only, "
            "write enabled or disabled, or quote 'on' and 'off'."
        )
    if isinstance(value, list | tuple):
        return [_plain(item, where) for item in value]
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if value is None:
        return None
    raise RefusedError(f"{where} is of type {type(value).__name__}; NVUE holds words and numbers.")


def has_below(value: Json) -> TypeGuard[Doc]:
    """Return whether something lies below ``value``: it is not a leaf."""
    return isinstance(value, dict) and bool(value)


def leaves(doc: Doc, path: Path = ()) -> list[tuple[Path, Json]]:
    """Return (path, value) of every leaf, in the order of the document, which lies at ``path``."""
    found: list[tuple[Path, Json]] = []
    _leaves(doc, path, found)
    return found


def _leaves(doc: Doc, path: Path, found: list[tuple[Path, Json]]) -> None:
    for key, value in doc.items():
        if value and isinstance(value, dict):
            _leaves(value, (*path, key), found)
        else:
            found.append(((*path, key), value))


def count(doc: Doc) -> int:
    """Return how many leaves a document has."""
    return sum(count(value) if has_below(value) else 1 for value in doc.values())


def get(doc: Doc, path: Iterable[str], default: Json = None) -> Json:
    """Return what is at ``path``, or ``default``."""
    node: Json = doc
    for key in path:
        if not isinstance(node, dict) or key not in node:
            return default
        node = node[key]
    return node


def put(doc: Doc, path: Path, value: Json) -> Doc:
    """Return ``doc`` with ``value`` merged in at ``path``."""
    for key in reversed(path):
        value = {key: value}
    return merge(doc, mapping(value))


def merge(base: Doc, over: Doc) -> Doc:
    """Return ``base`` with ``over`` laid on top; a ``None`` of either stays. Shares what it can."""
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        merged[key] = merge(old, value) if both else value  # type: ignore[arg-type]
    return merged


def split(doc: Doc, globs: Globs) -> tuple[Doc, Doc]:
    """Return (what the globs cover, the rest).

    In the rest a container stays even when everything in it was covered: who owns
    ``interface/*/qos`` does not own the existence of the interface.
    """
    return _split(doc, globs.start)


def _split(doc: Doc, states: States) -> tuple[Doc, Doc]:
    inside: Doc = {}
    outside: Doc = {}
    for key, value in doc.items():
        following = step(states, key)
        if not following:
            outside[key] = value
        elif ended(following):
            inside[key] = value
        elif has_below(value):
            below, outside[key] = _split(value, following)
            if below:
                inside[key] = below
        else:
            outside[key] = value
    return inside, outside


def select(doc: Doc, globs: Globs) -> Doc:
    """Return the part of a document which the globs cover."""
    return split(doc, globs)[0]


def remove(doc: Doc, globs: Globs) -> Doc:
    """Return a document without the part which the globs cover."""
    return split(doc, globs)[1]


def prune(doc: Doc, globs: Globs) -> Doc:
    """Remove like ``remove``, without the containers that become empty."""
    return _full(doc, remove(doc, globs)) if globs else doc


def _full(whole: Doc, part: Doc) -> Doc:
    kept: Doc = {}
    for key, value in part.items():
        if isinstance(value, dict) and has_below(held := whole[key]):
            value = _full(held, value)
            if not value:
                continue
        kept[key] = value
    return kept


def same(left: Json, right: Json) -> bool:
    """Compare two leaves; ``9216`` and ``'9216'`` are the same to NVUE."""
    if left == right:
        return True
    if isinstance(left, int | str) and isinstance(right, int | str):
        return str(left) == str(right)
    return False


def diff(before: Doc, after: Doc) -> list[Change]:
    """Return the leaves that differ, sorted by path.

    >>> diff({"a": {"x": 1}}, {"a": {"x": 2, "y": {}}})
    [Change(path=('a', 'x'), before=1, after=2), Change(path=('a', 'y'), before=None, after={})]
    """
    changes = list(_diff(before, after, ()))
    changes.sort(key=lambda change: change.path)
    return changes


def _diff(before: Doc, after: Doc, path: Path) -> Iterator[Change]:
    for key, old in before.items():
        new = after.get(key)
        if old is new or old == new:
            continue
        here = (*path, key)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _diff(old, new, here)
        elif isinstance(old, dict) or isinstance(new, dict):
            yield from (Change(place, leaf, None) for place, leaf in _at(here, old))
            yield from (Change(place, None, leaf) for place, leaf in _at(here, new))
        elif not same(old, new):
            yield Change(here, old, new)
    for key, new in after.items():
        if key not in before:
            yield from (Change(place, None, leaf) for place, leaf in _at((*path, key), new))


def _at(path: Path, value: Json) -> Iterable[tuple[Path, Json]]:
    """Return the leaves at a place; none where nothing is there."""
    if has_below(value):
        return leaves(value, path)
    return () if value is None else ((path, value),)


def patches(before: Doc, after: Doc) -> tuple[Doc, Doc]:
    """Return (unsets, sets): two documents that lead from ``before`` to ``after``.

    ``unsets`` holds ``None`` at the highest place that vanishes, ``sets`` the leaves that come or
    change. Merged in this order over ``before`` they give ``after``.
    """
    unsets: Doc = {}
    sets: Doc = {}
    for key, old in before.items():
        new = after.get(key)
        if old is new or old == new:
            continue
        if new is None:
            unsets[key] = None
        elif isinstance(old, dict) and isinstance(new, dict):
            _below(key, patches(old, new), unsets, sets)
        elif not same(old, new):
            sets[key] = new
    for key, new in after.items():
        if key not in before and new is not None:
            sets[key] = new
    return unsets, sets


def _below(key: str, parts: tuple[Doc, Doc], unsets: Doc, sets: Doc) -> None:
    if parts[0]:
        unsets[key] = parts[0]
    if parts[1]:
        sets[key] = parts[1]
