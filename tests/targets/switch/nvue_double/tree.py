# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations on configuration documents: nested dicts whose leaves are JSON scalars or lists."""

from __future__ import annotations

import copy
from typing import Any

Doc = dict[str, Any]
MISSING = object()


def get(doc: Any, path: list[str]) -> Any:
    """The value below `path`, or MISSING."""
    for key in path:
        if not isinstance(doc, dict) or key not in doc:
            return MISSING
        doc = doc[key]
    return doc


def wrap(path: list[str], value: Any) -> Any:
    """`value` inside nested objects, one per key of `path`."""
    for key in reversed(path):
        value = {key: value}
    return value


def without(doc: Doc, path: list[str]) -> Doc:
    """A copy of `doc` without what is below `path`; objects left empty by it stay."""
    doc = copy.copy(doc)
    if path and path[0] in doc:
        if len(path) == 1:
            del doc[path[0]]
        elif isinstance(doc[path[0]], dict):
            doc[path[0]] = without(doc[path[0]], path[1:])
    return doc


def diff(old: Any, new: Any) -> tuple[Doc, Doc]:
    """(set, unset): what must be set, and what must be unset (null), to get from old to new."""
    to_set: Doc = {}
    to_unset: Doc = {}
    for key in sorted(set(old) | set(new)):
        if key not in new:
            to_unset[key] = None
        elif key not in old:
            to_set[key] = copy.deepcopy(new[key])
        elif isinstance(old[key], dict) and isinstance(new[key], dict):
            inner_set, inner_unset = diff(old[key], new[key])
            if inner_set:
                to_set[key] = inner_set
            if inner_unset:
                to_unset[key] = inner_unset
        elif old[key] != new[key] or isinstance(old[key], bool) != isinstance(new[key], bool):
            to_set[key] = copy.deepcopy(new[key])
    return to_set, to_unset


def side(mine: Doc, other: Doc) -> Doc:
    """Return the parts of `mine` that differ from `other`; null where it has nothing."""
    found: Doc = {}
    for key in sorted(set(mine) | set(other)):
        if key not in mine:
            found[key] = None
        elif isinstance(mine[key], dict) and isinstance(other.get(key), dict):
            inner = side(mine[key], other[key])
            if inner:
                found[key] = inner
        elif key not in other or mine[key] != other[key]:
            found[key] = copy.deepcopy(mine[key])
    return found


def leaves(doc: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Every leaf of `doc` by its path; an empty object is a leaf."""
    if not isinstance(doc, dict) or not doc:
        return {path: doc}
    found: dict[tuple[str, ...], Any] = {}
    for key, value in doc.items():
        found.update(leaves(value, (*path, key)))
    return found


def rebase(base: Doc, ours: Doc, theirs: Doc) -> tuple[Doc, list[str]]:
    """`theirs` with the changes that lead from `base` to `ours`, and the paths both changed."""
    merged, conflicts = _rebase(base, ours, theirs, ())
    return ({} if merged is MISSING else merged), conflicts


def _rebase(base: Any, ours: Any, theirs: Any, path: tuple[str, ...]) -> tuple[Any, list[str]]:
    if _same(ours, theirs) or _same(base, ours):
        return theirs, []
    if _same(base, theirs):
        return ours, []
    if isinstance(ours, dict) and isinstance(theirs, dict):
        start = base if isinstance(base, dict) else {}
        merged: Doc = {}
        conflicts: list[str] = []
        for key in [*theirs, *(key for key in ours if key not in theirs)]:
            value, more = _rebase(
                start.get(key, MISSING),
                ours.get(key, MISSING),
                theirs.get(key, MISSING),
                (*path, key),
            )
            conflicts += more
            if value is not MISSING:
                merged[key] = value
        return merged, conflicts
    return ours, [".".join(path)]


def _same(left: Any, right: Any) -> bool:
    return left is right or (left is not MISSING and right is not MISSING and left == right)


def pointer_match(doc: Any, pattern: list[str]) -> Any:
    """The part of `doc` that a JSON-pointer glob keeps, or MISSING; `*` is any one key."""
    if not pattern:
        return doc
    if not isinstance(doc, dict):
        return MISSING
    kept: Doc = {}
    for key, value in doc.items():
        if pattern[0] in ("*", key):
            inner = pointer_match(value, pattern[1:])
            if inner is not MISSING:
                kept[key] = inner
    return kept if kept else MISSING


def pointer_drop(doc: Any, pattern: list[str]) -> Any:
    """`doc` without what a JSON-pointer glob names."""
    if not isinstance(doc, dict) or not pattern:
        return doc
    left: Doc = {}
    for key, value in doc.items():
        if pattern[0] in ("*", key):
            if len(pattern) == 1:
                continue
            value = pointer_drop(value, pattern[1:])
        left[key] = value
    return left


def overlay(under: Any, over: Any) -> Any:
    """`over` laid upon `under`: objects merge, anything else replaces."""
    if not isinstance(under, dict) or not isinstance(over, dict):
        return copy.deepcopy(over)
    merged = dict(under)
    for key, value in over.items():
        merged[key] = overlay(under[key], value) if key in under else copy.deepcopy(value)
    return merged
