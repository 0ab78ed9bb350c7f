# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts and long lists as sentences have them."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from collections.abc import Collection


def count(things: Collection[object], one: str, many: str | None = None) -> str:
    """`1 node`, `2 nodes`."""
    return f"{len(things)} {one if len(things) == 1 else many or one + 's'}"


def some(words: list[str], most: int = 8) -> list[str]:
    """The first words of a long list, and a sign that there are more."""
    return words if len(words) <= most else [*words[:most], "..."]
