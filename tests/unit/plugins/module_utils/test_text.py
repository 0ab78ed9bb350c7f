# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text from outside is printed as escapes, wherever it becomes a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.module_utils import _text
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApiError,
    NvueError,
)

HOSTILE = {
    "up\x1b[2J\x1b]0;owned\x07": r"up\x1b[2J\x1b]0;owned\x07",
    "a\rb\x00c\x7fd": r"a\rb\x00c\x7fd",
    "csi\x9b31m": r"csi\x9b31m",
    "gnp\u202e.exe\u2066": r"gnp\u202e.exe\u2066",
    "one\u2028two\u2029three": r"one\u2028two\u2029three",
    "half\udc80": r"half\udc80",
    "none\ufffe\uffff": r"none\ufffe\uffff",
    "tab\tand\xa0space": "tab and space",
    "Zürich, 東京 🙂": "Zürich, 東京 🙂",
}


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_not_printed_is_an_escape(text: str) -> None:
    assert _text.plain(text) == HOSTILE[text]
    assert _text.plain({text: [text, (1, None)]}) == {HOSTILE[text]: [HOSTILE[text], [1, None]]}


def test_line_breaks_stay_where_lines_are_meant() -> None:
    assert _text.plain("one\r\ntwo\n") == "one\ntwo\n"
    assert _text.line("leaf\nok: all is well") == "leaf ok: all is well"


@given(st.text(st.characters()))
def test_nothing_else_is_left(text: str) -> None:
    made = _text.plain(text)
    assert all(part.isprintable() for part in made.split("\n"))
    assert _text.plain(made) == made
    made.encode()


@pytest.mark.parametrize("kind", [NvueError, FabricError.of, NicError])
def test_errors_hold_no_control_characters(kind: type[Exception]) -> None:
    for text, shown in HOSTILE.items():
        assert str(kind(f"LLDP says {text}")) == f"LLDP says {shown}"
    assert FabricError([*HOSTILE]).sentences == [*HOSTILE.values()]


def test_an_answer_cannot_add_a_line_to_a_sentence() -> None:
    assert str(ApiError("500: oops\nok: done", status=500)) == "500: oops ok: done"
