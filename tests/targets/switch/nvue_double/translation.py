# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Translation of a saved configuration when a newer release boots with it.

Published: an optimised upgrade keeps the configuration and translates it (user guide, Upgrading Cumulus Linux), and
what moved with which release. Inferred: all else. What the newer release refuses is left out and listed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from . import tree
from .release import Release
from .schema import Schema

_MOVES = yaml.safe_load((Path(__file__).parent / "data" / "moves.yml").read_text("utf-8"))


def translate(
    document: dict[str, Any], old: Schema, new: Schema
) -> tuple[dict[str, Any], list[str]]:
    """A document of `old` as `new` has it, and the places that it refuses."""
    doc = old.canonical(document) if new.release.modern else old.expand(document, [])
    for row in _MOVES:
        since = Release.parse(row["since"])
        if old.release < since <= new.release:
            doc = _moved(doc, row)
    return _accepted(doc, new)


def _moved(document: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    *place, last = row["from"].split("/")
    path = place if last == "*" else [*place, last]
    content = tree.get(document, path)
    if content is tree.MISSING:
        return document
    doc = tree.without(document, path)
    for key, inner in content.items() if last == "*" else [("", content)]:
        named = {row["key"]: key, **inner} if "key" in row else inner
        there = tree.wrap(row["to"].split("/"), named)
        doc = tree.overlay(doc, there)
    return _pruned(doc, path[:-1])


def _pruned(document: dict[str, Any], path: list[str]) -> dict[str, Any]:
    """A document without the empty objects that a move left."""
    while path and tree.get(document, path) == {}:
        document = tree.without(document, path)
        path = path[:-1]
    return document


def _accepted(document: dict[str, Any], new: Schema) -> tuple[dict[str, Any], list[str]]:
    lost = []
    for breach in new.check(document, [], patch=False):
        place = _place(document, breach.location)
        if place:
            document = tree.without(document, place)
            lost.append("/".join(place))
    return document, lost


def _place(document: dict[str, Any], location: str) -> list[str]:
    """The keys of a dotted place; a key may hold dots."""
    here: Any = document
    found: list[str] = []
    words = location.split(".")
    while words:
        for length in range(len(words), 0, -1):
            key = ".".join(words[:length])
            if isinstance(here, dict) and key in here:
                found.append(key)
                here, words = here[key], words[length:]
                break
        else:
            return []
    return found
