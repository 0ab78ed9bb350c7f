# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON as a server may send it: strict, and never deeper than people write."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._json import NoJsonError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.strict_json import parse


@pytest.mark.parametrize(
    "text, found",
    [(b'{"a": [1, 2.5, null]}', {"a": [1, 2.5, None]}), ('"ä"'.encode(), "ä"), (b"[]", [])],
)
def test_json_is_read(text, found):
    assert parse(text) == found


@pytest.mark.parametrize(
    "text, words",
    [
        (b"{", "it is not JSON"),
        (b"", "it is not JSON"),
        (b"\xff", "not UTF-8"),
        (b'"\\ud800"', "not UTF-8"),
        (b'{"a": 1, "a": 2}', "it names a key twice"),
        (b"NaN", "it has the number NaN"),
        (b"1e999", "it has the number 1e999"),
        (b"[" * 100_000, "more than 64 levels"),
    ],
)
def test_what_is_refused_says_why(text, words):
    with pytest.raises(NoJsonError, match=words):
        parse(text)
