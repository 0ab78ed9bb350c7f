# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain data is read strictly: a typed value, or one sentence."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic import check
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError


@pytest.mark.parametrize(
    "value, number", [(7, 7), ("7", 7), ("0x10", 16), (True, 1), (0, 0), (255, 255)]
)
def test_whole_numbers(value, number):
    assert check.whole(value, "x", 0, 255) == number


@pytest.mark.parametrize(
    "value, words", [(256, "256 is not between 0 and 255"), ("a", "'a' is not a whole number")]
)
def test_no_whole_numbers(value, words):
    with pytest.raises(NicError, match=f"^x: {words}"):
        check.whole(value, "x", 0, 255)


@pytest.mark.parametrize(
    "value, found", [(True, True), ("yes", True), ("False", False), (0, False), ("1", True)]
)
def test_flags(value, found):
    assert check.flag(value, "x") is found


@pytest.mark.parametrize("value", ["on", 2, None, ""])
def test_no_flags(value):
    with pytest.raises(NicError, match="is neither true nor false"):
        check.flag(value, "x")


def test_lists_of_numbers_have_their_length():
    assert check.numbers("00010000", "pfc", 8, 1) == (0, 0, 0, 1, 0, 0, 0, 0)
    assert check.numbers([0, "3"], "pfc", 2, 7) == (0, 3)
    for value in ([0] * 7, "0001", None):
        with pytest.raises(NicError, match="must be a list of 8 numbers"):
            check.numbers(value, "pfc", 8, 1)
    with pytest.raises(NicError, match="2 is not between 0 and 1"):
        check.numbers("00020000", "pfc", 8, 1)


def test_mappings_have_known_keys():
    assert check.fields_of({"a": 1}, "x", ("a", "b")) == {"a": 1}
    with pytest.raises(NicError, match="x: 'c' is not known; allowed are a, b"):
        check.fields_of({"a": 1, "c": 2}, "x", ("a", "b"))
    with pytest.raises(NicError, match="is not a mapping"):
        check.mapping([1], "x")


def test_words_are_of_a_list():
    assert check.text("pcp", "x", ("", "pcp", "dscp")) == "pcp"
    with pytest.raises(NicError, match="use one of pcp, dscp"):
        check.text("cos", "x", ("", "pcp", "dscp"))
