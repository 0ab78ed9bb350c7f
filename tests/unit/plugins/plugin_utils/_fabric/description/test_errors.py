# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences for an operator."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.description import (
    Description,
    Strict,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
    key_of,
    key_path,
    nearest,
    shown,
    unreadable,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.synonyms import (
    MEANINGS,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.schema import (
    TenantsFile,
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


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("rial", ["rails", "tiers"], "rails"),
        ("xyz", ["rails", "tiers"], ""),
        ("", ["rails"], ""),
        ("SN5601", ["SN5400", "SN5600", "SN5610", "SN5640"], "SN5600"),
        ("guide-v4", ["guide-v6", "guide-v4-2tier"], "guide-v4-2tier"),
        ("gpus", ["capacity", "rails"], "capacity"),
        ("Leafs", ["switches", "site"], "switches"),
        ("sus", ["sus_per_pod", "pods"], "sus_per_pod"),
        ("dns-servers", ["dns", "ntp"], "dns"),
        ("gpus", ["rails", "tiers"], ""),
    ],
)
def test_the_word_that_is_meant_is_offered(word, known, meant):
    """Check that the meaning of a word counts before its spelling."""
    assert nearest(word, known) == (f", did you mean '{meant}'" if meant else "")


def test_each_meaning_is_a_key():
    """A key that was renamed would never be offered."""
    keys = {
        *names(Description),
        *names(TenantsFile),
        *table("profiles")["infrastructure"]["A"]["pools"],
        *table("variables"),
    }
    assert set(MEANINGS) <= keys
    assert not [key for key, words in MEANINGS.items() if key in words.split()]


def names(model):
    """The keys of a model and of those within it."""
    for name, field in model.model_fields.items():
        yield name
        inner = [field.annotation, *t.get_args(field.annotation)]
        for kind in [*inner, *(part for row in inner for part in t.get_args(row))]:
            if isinstance(kind, type) and issubclass(kind, Strict):
                yield from names(kind)


@pytest.mark.parametrize(("count", "lines"), [(8, 8), (9, 3), (256, 3)])
def test_of_many_alike_sentences_the_first_are_said(count, lines):
    error = FabricError(
        [f"line {n}: 'h{n}' is wrong: correct it." for n in range(count)] + ["other."]
    )
    said = str(error).splitlines()
    assert len(said) == lines + 1
    assert said[-1] == "other."
    assert ("There are" in said[-2]) is (count > 8)
    assert count <= 8 or said[-2].endswith(f"There are {count - 3} more like it.")
    assert len(error.sentences) == count + 1


def test_of_a_difference_no_line_is_left_out():
    lines = ["edited:", *(f"+  node-{n}: " + "{}" for n in range(40))]
    assert str(FabricError.whole(lines)).splitlines() == lines
