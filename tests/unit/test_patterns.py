# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No text from outside keeps a regular expression of plugins at work: each is run on its worst 1 MB."""

from __future__ import annotations

import ast
import importlib
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.patterns import PATTERNS, Worst

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
FLAGS = {"compile": 1, "search": 2, "match": 2, "fullmatch": 2, "findall": 2, "finditer": 2}
FLAGS |= {"split": 3, "sub": 4, "subn": 4}
"""Functions of re, and the place of their flags among the arguments."""
SIZES = (1 << 8, 1 << 12, 1 << 16, 1 << 20)
"""Characters of the texts: work that grows by their square shows before the last one, which costs seconds."""


class Use(NamedTuple):
    """A call of re in a file of plugins; `row` is its name in the table."""

    line: int
    row: str | bytes
    pattern: ast.expr
    flags: list[ast.expr]
    methods: frozenset[str]


def uses(text: str) -> Iterator[Use]:
    """Each pattern of a file with the functions that it is used by; of a compiled one those of its name."""
    tree = ast.parse(text)
    called: dict[str, set[str]] = {}
    names: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in FLAGS:
            called.setdefault(ast.unparse(node.value).rpartition(".")[2], set()).add(node.attr)
        if isinstance(node, ast.Assign):
            name = ast.unparse(node.targets[0]).rpartition(".")[2]
            names |= {id(part): name for part in ast.walk(node.value)}
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            raise AssertionError(
                f"line {node.lineno}: import re itself, so that patterns are found."
            )
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")):
            continue
        function, pattern = ast.unparse(node.func)[3:], node.args[0]
        if function in FLAGS:
            at = FLAGS[function]
            flags = [word.value for word in node.keywords if word.arg == "flags"] or node.args[
                at : at + 1
            ]
            row = pattern.value if isinstance(pattern, ast.Constant) else ast.unparse(pattern)
            known = called.get(names.get(id(node), ""), {"search"})
            yield Use(
                node.lineno,
                row,
                pattern,
                flags,
                frozenset({function} if function != "compile" else known),
            )


def _value(expression: ast.expr | str, names: dict[str, Any]) -> Any:
    tree = expression if isinstance(expression, str) else ast.Expression(expression)
    return eval(compile(tree, "<pattern>", "eval"), names)


def compiled(file: str, use: Use, row: Worst) -> Iterator[re.Pattern[Any]]:
    """The pattern as the module compiles it, for each value of the name that the row gives."""
    module = f"ansible_collections.spectrum_x.fabric.plugins.{file[:-3].replace('/', '.')}"
    names = vars(importlib.import_module(module)) | {"__builtins__": __builtins__}
    flags = _value(use.flags[0], names) if use.flags else 0
    name, values = row.each
    for value in _value(values, names):
        yield re.compile(_value(use.pattern, names | {name: value}), flags)


def seconds(pattern: re.Pattern[Any], method: str, text: str | bytes) -> float:
    """Those of the processor, as other work on the machine does not count."""
    begin = time.process_time()
    if method in ("sub", "subn"):
        getattr(pattern, method)(text[:0], text)
    elif method == "finditer":
        for _match in pattern.finditer(text):
            pass
    else:
        getattr(pattern, method)(text)
    return time.process_time() - begin


def slow(
    pattern: re.Pattern[Any], method: str, row: Worst, sizes: tuple[int, ...] = SIZES[:-1]
) -> str:
    """The first size that costs more than linear work does, "" for none; so a bad pattern costs no hour."""
    for size in sizes:
        text = row.text(size)
        took = seconds(
            pattern, method, text.encode() if isinstance(pattern.pattern, bytes) else text
        )
        if took > 0.01 + size * 4e-7:
            return f"{pattern.pattern!r}.{method} takes {took:.2f} s for {size} characters of {row}"
    return ""


FILES = {
    str(path.relative_to(PLUGINS)): [*uses(text)]
    for path in sorted(PLUGINS.rglob("*.py"))
    if re.search(r"^\s*(import|from) re\b", text := path.read_text(encoding="utf-8"), re.MULTILINE)
}
ROWS = [
    pytest.param(file, use, id=f"{file}:{use.line}")
    for file, found in FILES.items()
    for use in found
    if isinstance(PATTERNS.get(file, {}).get(use.row), Worst)
]


def test_each_pattern_has_a_row_and_each_row_a_pattern() -> None:
    found = {
        (file, use.row): f"{file} line {use.line}: {use.row!r}"
        for file, all_ in FILES.items()
        for use in all_
    }
    rows = {(file, row) for file, rows in PATTERNS.items() for row in rows}
    assert [found[key] for key in found.keys() - rows] == [], "give each a row in tests/patterns.py"
    assert rows - found.keys() == set(), "these patterns are gone: remove their rows"


@pytest.mark.parametrize(
    "sizes", [SIZES[:-1], pytest.param(SIZES[-1:], marks=pytest.mark.large)], ids=["", "1MB"]
)
@pytest.mark.parametrize(("file", "use"), ROWS)
def test_a_pattern_is_linear_on_its_worst_text(file: str, use: Use, sizes: tuple[int, ...]) -> None:
    row = PATTERNS[file][use.row]
    assert isinstance(row, Worst)
    for pattern in compiled(file, use, row):
        for method in [row.by] if row.by else sorted(use.methods):
            assert slow(pattern, method, row, sizes) == ""


@pytest.mark.parametrize(
    ("pattern", "row"),
    [
        (r"^\s*level", Worst("\n")),
        (r"\d+\.", Worst("1")),
        (r"a.*b", Worst("a")),
    ],
)
def test_a_pattern_that_is_not_linear_is_found(pattern: str, row: Worst) -> None:
    assert slow(re.compile(pattern, re.MULTILINE), "search", row, (1 << 14,))
