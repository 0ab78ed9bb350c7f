# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON is read in one place, which refuses what is deeper than functions may nest."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils import _json

PLUGINS = Path(__file__).resolve().parents[4] / "plugins"


@pytest.mark.parametrize("text", ['{"a": [1, null]}', b'{"a": [1, null]}'])
def test_json_is_read(text: str | bytes) -> None:
    assert _json.parse(text) == {"a": [1, None]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is not JSON"),
        ("9" * 100_000, "it is not JSON"),
        (b"\xff", "it is not UTF-8"),
        ("[" * 100_000, "it has more than 64 levels"),
        ('{"a":' * 100_000, "it has more than 64 levels"),
        ("[" * 65 + "]" * 65, "it has more than 64 levels"),
    ],
)
def test_what_is_refused_says_why(text: str | bytes, words: str) -> None:
    with pytest.raises(_json.NoJsonError) as caught:
        _json.parse(text)
    assert str(caught.value) == words


def test_brackets_side_by_side_are_no_levels() -> None:
    assert len(_json.parse(f"[{'[],' * 100}[{'[' * 62}{']' * 62}]]")) == 101


def other_readers(path: Path) -> Iterator[int]:
    """Lines that read JSON by another way; a copy of own data, `loads(dumps(...))`, is none."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and re.match(
            r"json\.loads?\((?!json\.dumps\()", ast.unparse(node)
        ):
            yield node.lineno


def test_no_file_of_plugins_reads_json_otherwise() -> None:
    found = {
        str(path): lines for path in PLUGINS.rglob("*.py") if (lines := [*other_readers(path)])
    }
    assert found == {}
