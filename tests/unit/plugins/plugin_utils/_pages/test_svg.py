# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts and numbers of pictures."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._pages import svg


@pytest.mark.parametrize(
    "count, most, shown",
    [(3, 4, [0, 1, 2]), (4, 4, [0, 1, 2, 3]), (128, 4, [0, 1, None, 127]), (5, 3, [0, None, 4])],
)
def test_some(count: int, most: int, shown: list[int | None]) -> None:
    assert svg.some(count, most) == shown


@pytest.mark.parametrize("value, text", [(3.0, "3"), (3.14159, "3.14"), (-0.5, "-0.5"), (10, "10")])
def test_number(value: float, text: str) -> None:
    assert svg.number(value) == text


@pytest.mark.parametrize("slots, fit, row", [(64, 22, 16), (64, 11, 8), (4, 20, 4), (7, 5, 5)])
def test_rows_are_of_one_length_where_that_fills_half(slots: int, fit: int, row: int) -> None:
    assert svg.per_row(slots, fit) == row


def test_text_is_escaped() -> None:
    made = svg.Svg("a<b", "c&d")
    made.height = 100
    made.text(1, 2, "<script>")
    root = ElementTree.fromstring("".join(made.lines()))
    shown = [part.text for part in root.iter() if part.tag.rpartition("}")[2] != "style"]
    assert list(filter(str.strip, filter(None, shown))) == ["a<b", "c&d", "a<b", "c&d", "<script>"]
