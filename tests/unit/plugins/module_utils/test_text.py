# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text from outside is printed as escapes, wherever it becomes a sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.module_utils import _text
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf import process
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.port import DcimError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.outcome import Outcome
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.results import (
    Subject,
    failed,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApiError,
    NvueError,
    OvertakenError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.client import Revision

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


CANARY = "x\r\nTASK [Apply it] ***\nok: [leaf-01]\x85\u2028SUMMARY lab: all is well\r\x1b[2J\u202e"
ONE_LINE = r"x TASK [Apply it] *** ok: [leaf-01]\x85\u2028SUMMARY lab: all is well\r\x1b[2J\u202e"
SOURCES: dict[str, Callable[[str], object]] = {
    "error of a switch": lambda said: ApiError(f"500: {said}", status=500),
    "state of a revision": lambda said: NvueError(Revision("7", "failed", issues=(said,)).words()),
    "user of a draft": lambda said: OvertakenError(Revision("7", "pending", user=said).named()),
    "error of a DCIM": DcimError,
    "tool of a host": NicError,
    "program of a measurement": lambda said: process.words(Result(1, "", said)),
    "LLDP name": lambda said: LEAF.result("switch.lldp.neighbour", failed(said))["sentence"],
    "port of a switch": lambda said: LEAF.result("switch.bgp.unexpected", failed("x.", said))[
        "port"
    ],
    "file or registry": FabricError.of,
    "answer of a host": lambda said: Outcome().failed(
        "h01", "h01", "t", {"msg": "no", "rc": 1, "stderr": said}
    ),
}
"""Sources of outside text that becomes words of ours; answers and notes of hooks have tests where they arrive."""
LEAF = Subject("lab", "su01", "leaf-01")


@pytest.mark.parametrize("source", SOURCES)
def test_no_text_from_outside_begins_a_line_or_is_endless(source: str) -> None:
    said = str(SOURCES[source](CANARY))
    assert len(said.splitlines()) == 1
    assert said.isprintable()
    assert "x1b[2J" in said
    assert len(str(SOURCES[source](CANARY * 10000))) < 3 * _text.MOST


def test_a_long_text_loses_its_middle() -> None:
    assert _text.line(CANARY) == ONE_LINE
    made = _text.line(f"head {'x' * 10**6} tail", 80)
    assert (len(made), made[:4], made[-4:]) == (80, "head", "tail")
    assert len(_text.line("\x00" * 10**6, 80)) == 80
    assert _text.lines("a\r\nb\x1b\nc") == ["a", r"b\x1b", "c"]
