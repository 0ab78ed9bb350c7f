# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signatures say what a value is: the share of those that do not may fall, and never grows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import untyped

MOST = {"": 6.0, "folder": 15.0}
"""Percent of all signatures, and of those of any folder."""


def test_no_more_signatures_than_before_say_nothing() -> None:
    shares = untyped.shares()
    assert shares[""] <= MOST[""]
    over = {folder: round(share, 1) for folder, share in shares.items() if share > MOST["folder"]}
    assert over == {}


@pytest.mark.parametrize(
    ("kind", "nothing"),
    [
        ("dict[str, t.Any]", True),
        ("list[dict]", True),
        ("Plain | None", True),
        ("'Mapping[str, Alias]'", True),
        ("dict[str, object]", False),
        ("Callable[[], list[str]]", False),
        ("Known", False),
    ],
)
def test_names_of_types_are_resolved(tmp_path: Path, kind: str, nothing: bool) -> None:
    file = tmp_path / "module.py"
    (tmp_path / "other.py").write_text("import typing as t\nPlain = dict[str, t.Any]\n")
    file.write_text("from .other import Plain\nAlias = list[Plain]\nKnown = dict[str, str]\n")
    assert untyped.says_nothing(file, ast.parse(kind, mode="eval").body) is nothing
