# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts and long lists as sentences have them."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.words import (
    count,
    some,
)


def test_counts():
    assert [count([0] * n, "node") for n in (0, 1, 2)] == ["0 nodes", "1 node", "2 nodes"]
    assert count([1, 2], "leaf", "leaves") == "2 leaves"
    assert count([1], "leaf", "leaves") == "1 leaf"


def test_long_lists_say_that_there_is_more():
    words = [str(n) for n in range(9)]
    assert some(words[:8]) == words[:8]
    assert some(words) == [*words[:8], "..."]
    assert some(words, most=2) == ["0", "1", "..."]
