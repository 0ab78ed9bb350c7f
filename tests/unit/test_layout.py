# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests are where one looks for them, and find what they import without changes of ``sys.path``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATH_CHANGE = re.compile(
    r"sys\.path\.(insert|append|extend)\b|sys\.path(\[.*?\])?\s*\+?=[^=]|add(?:sitedir)|syspath_(?:prepend)"
)
ONE_PLACE = ROOT / "tests" / "conftest.py"
"""It makes the checkout importable as a collection; ``pythonpath`` in pyproject.toml has everything else."""


def python_files() -> Iterator[tuple[Path, str]]:
    """Python files of the tests, the demo and the docs, but for programs that Python runs isolated.

    Such a program (``-I``) ignores ``PYTHONPATH``.
    """
    for folder in ("demo", "docs", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in ("", ".py"):
                text = path.read_text(encoding="utf-8")
                first = text.partition("\n")[0]
                if path.suffix or ("python" in first and "-I" not in first):
                    yield path, text


def test_no_file_changes_sys_path() -> None:
    found = [path for path, text in python_files() if PATH_CHANGE.search(text)]
    assert found == [ONE_PLACE], "use `pythonpath` of pyproject.toml, or a relative import"


DECISIONS = (ast.If, ast.IfExp, ast.For, ast.While, ast.Try, ast.Match, ast.BoolOp, ast.Compare)
LOGIC = (*DECISIONS, ast.comprehension, ast.Raise, ast.Assert)
"""Nodes that a function of a file with logic has. Documentation, tables and plain calls have none of it."""


def has_logic(text: str) -> bool:
    """Check whether a function in a Python source decides, repeats or refuses anything."""
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
    return any(isinstance(part, LOGIC) for made in functions for part in ast.walk(made))


def place_of(source: Path) -> Path:
    """Place of a source file's tests: plugins/x/_y.py has tests/unit/plugins/x/test_y.py."""
    below = source.relative_to(ROOT)
    return ROOT / "tests" / "unit" / below.parent / f"test_{source.stem.lstrip('_')}.py"


def test_every_source_file_with_logic_has_tests_at_its_place() -> None:
    sources = [path for path in (ROOT / "plugins").rglob("*.py") if has_logic(path.read_text())]
    assert len(sources) > 200
    without = [
        path
        for path in sources
        if not place_of(path).exists() or "\ndef test_" not in place_of(path).read_text()
    ]
    assert [str(place_of(path).relative_to(ROOT)) for path in sorted(without)] == []


@pytest.mark.parametrize(
    "text, logic",
    [
        ("def f(x):\n    return x or 1\n", True),
        ("class A:\n    def f(self):\n        return [x for x in self.y]\n", True),
        ("def main():\n    module(spec={'a': 1})\n", False),
        ("TABLE = {x: 1 for x in 'ab'}\nif TABLE:\n    A = 1\n", False),
    ],
)
def test_what_counts_as_logic(text: str, logic: bool) -> None:
    assert has_logic(text) is logic
