# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a document the realiser understands: data/coverage.yml applied to its leaves."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import yaml

Path_ = tuple[str, ...]
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
    kinds = {"realised": realised, "neutral": table["neutral"], "stored": table["stored"]}
    return {
        "strict": set(table["strict"]),
        **{kind: [tuple(item.split(".")) for item in items] for kind, items in kinds.items()},
    }


def sort(document: dict[str, Any]) -> tuple[list[str], list[str]]:
    """(refused, not_realised): dotted paths of the leaves of a document."""
    table = _table()
    refused, stored = [], []
    for path in _leaves(document, ()):
        dotted = ".".join(path)
        if any(_covers(item, path) for item in (*table["realised"], *table["neutral"])):
            if _management(path):
                stored.append(dotted)
        elif path[0] not in table["strict"] or any(_covers(item, path) for item in table["stored"]):
            stored.append(dotted)
        elif not _scaffold(path, table):
            refused.append(dotted)
    return refused, stored


def _management(path: Path_) -> bool:
    """The management port and VRF are the lab's own."""
    return path[:2] in (("interface", "eth0"), ("interface", "eth1"), ("vrf", "mgmt"))


def _leaves(value: Any, path: Path_) -> list[Path_]:
    if not isinstance(value, dict) or not value:
        return [path] if path else []
    return [leaf for key, inner in value.items() for leaf in _leaves(inner, (*path, key))]


def _covers(pattern: Path_, path: Path_) -> bool:
    for index, part in enumerate(pattern):
        if part == "**":
            return True
        if index >= len(path) or part not in ("*", path[index]):
            return False
    return len(pattern) == len(path)


def _scaffold(path: Path_, table: dict[str, Any]) -> bool:
    """Whether an empty object at `path` only holds a place for things that are understood."""
    patterns = (*table["realised"], *table["neutral"], *table["stored"])
    return any(
        len(item) > len(path) and all(p in ("*", k) for p, k in zip(item, path))
        for item in patterns
    )
