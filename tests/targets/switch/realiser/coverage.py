# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Coverage of a document by the realiser: data/coverage.yml applied to its leaves."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import yaml

Path_ = tuple[str, ...]
Tree = dict[str, Any]
END = ""
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""A guest's Python takes a second for the table without C."""


@functools.cache
def _table() -> dict[str, Any]:
    text = (Path(__file__).parent / "data" / "coverage.yml").read_text("utf-8")
    table = yaml.load(text, Loader=LOADER)
    realised = []
    for pattern in table["realised"]:
        if pattern.endswith("{peer}"):
            realised += [pattern.replace("{peer}", peer) for peer in table["peer"]]
        else:
            realised.append(pattern)
    kinds = {"realised": [*realised, *table["neutral"]], "stored": table["stored"]}
    return {
        "strict": set(table["strict"]),
        **{kind: _tree(items) for kind, items in kinds.items()},
        "known": _tree([*kinds["realised"], *kinds["stored"]]),
    }


def _tree(patterns: list[str]) -> Tree:
    """Patterns by their parts; the last part of one has END."""
    tree: Tree = {}
    for pattern in patterns:
        place = tree
        for part in pattern.split("."):
            place = place.setdefault(part, {})
        place[END] = {}
    return tree


def sort(document: dict[str, Any]) -> tuple[list[str], list[str]]:
    """(refused, not_realised): dotted paths of the leaves of a document."""
    table = _table()
    refused, stored = [], []
    for path in _leaves(document, ()):
        dotted = ".".join(path)
        if _covers(table["realised"], path):
            if _management(path):
                stored.append(dotted)
        elif path[0] not in table["strict"] or _covers(table["stored"], path):
            stored.append(dotted)
        elif not _scaffold(table["known"], path):
            refused.append(dotted)
    return refused, stored


def _management(path: Path_) -> bool:
    """The management port and VRF are the lab's own."""
    return path[:2] in (("interface", "eth0"), ("interface", "eth1"), ("vrf", "mgmt"))


def _leaves(value: Any, path: Path_) -> list[Path_]:
    if not isinstance(value, dict) or not value:
        return [path] if path else []
    return [leaf for key, inner in value.items() for leaf in _leaves(inner, (*path, key))]


def _covers(tree: Tree, path: Path_) -> bool:
    if "**" in tree:
        return True
    if not path:
        return END in tree
    return any(_covers(tree[key], path[1:]) for key in (path[0], "*") if key in tree)


def _scaffold(tree: Tree, path: Path_) -> bool:
    """Check whether an empty object at `path` only holds a place for things that are understood."""
    if not path:
        return bool(tree.keys() - {END})
    return any(_scaffold(tree[key], path[1:]) for key in (path[0], "*") if key in tree)
