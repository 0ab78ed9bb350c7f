# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests are where one looks for them, and find what they import without changes of ``sys.path``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

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
