# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences for an operator."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
    key_of,
    key_path,
    nearest,
    shown,
    unreadable,
)


@pytest.mark.parametrize(
    "key, text", [(("absent", 2, "x"), "absent[2].x"), (("a",), "a"), (("a", 0, 1), "a[0][1]")]
)
def test_a_key_path_leads_back(key, text):
    assert key_path(key) == text
    assert key_of(text) == key


def test_the_top_has_a_name():
    assert key_path(()) == "(top level)"


def test_each_sentence_is_a_line_and_nothing_more():
    error = FabricError(["one", "two\nlines \x1b[2J"])
    assert len(error.sentences) == 2
    assert "\x1b" not in str(error)
    assert FabricError.of("one").sentences == ["one"]


def test_long_texts_lose_their_middle():
    assert shown("short") == "'short'"
    text = shown("a" * 100 + "b" * 100)
    assert len(text) < 80
    assert text.startswith("'aaa")
    assert text.endswith("bbb'")


def test_why_a_file_cannot_be_read(tmp_path):
    with pytest.raises(OSError) as missing:
        (tmp_path / "x").read_text()
    with pytest.raises(UnicodeDecodeError) as strange:
        b"ab\xff".decode()
    assert unreadable(missing.value) == "No such file or directory"
    assert unreadable(strange.value) == "byte 2 is not UTF-8"
    assert unreadable(ValueError("odd")) == "odd"


def test_a_close_word_is_offered():
    assert nearest("rial", ["rails", "tiers"]) == ", did you mean 'rails'"
    assert nearest("xyz", ["rails", "tiers"]) == ""
