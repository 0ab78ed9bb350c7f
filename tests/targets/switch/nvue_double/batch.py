# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text batches: lines of `nv set` and `nv unset` turned into patches (5.15 and later)."""

from __future__ import annotations

import shlex
from typing import Any

from . import tree
from .schema import Schema


def patches(text: str, schema: Schema) -> list[tuple[list[str], Any]]:
    """(path, value) per line, value None for unset; ValueError names the line that is wrong."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        words = shlex.split(line, comments=True)
        if not words:
            continue
        if words[:1] != ["nv"] or words[1:2] not in (["set"], ["unset"]):
            raise ValueError(f"line {number}: only 'nv set' and 'nv unset' are allowed")
        if "snippet" in words:
            raise ValueError(f"line {number}: snippets are not allowed in a text patch")
        found.append(_line(words[2:], words[1] == "unset", number, schema))
    return found


def _line(words: list[str], unset: bool, number: int, schema: Schema) -> tuple[list[str], Any]:
    node = schema.root
    path: list[str] = []
    for position, word in enumerate(words):
        if not node.is_object:
            if position != len(words) - 1 or unset:
                raise ValueError(f"line {number}: '{word}' is not allowed")
            return path, int(word) if word.isdigit() and not node.fits(word) else word
        child = node.child(word)
        if child is None:
            raise ValueError(f"line {number}: '{word}' is not allowed")
        path.append(word)
        node = child
    if unset:
        return path, None
    if not node.is_object:
        raise ValueError(f"line {number}: a value is missing")
    return path, {}


def as_document(path: list[str], value: Any) -> Any:
    """One patch as a document from the root."""
    return tree.wrap(path, value)
