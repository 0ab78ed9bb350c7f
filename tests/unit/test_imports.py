# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports are at the top of a module, where the import contracts see them, and form no circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("plugins/plugin_utils", "plugins/module_utils")
BY_NAME = {
    "plugins/plugin_utils/_fabric/description/_third_party.py": "A missing library is a sentence."
}
"""Files that import a library by its name, with the reason."""


def hidden(tree: ast.Module) -> Iterator[int]:
    """The lines of imports that are in a function, or by a name that only the run knows."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            inner = (
                part for part in ast.walk(node) if isinstance(part, (ast.Import, ast.ImportFrom))
            )
            yield from (part.lineno for part in inner)
        elif isinstance(node, ast.Import):
            names = {each.name.partition(".")[0] for each in node.names}
            yield from [node.lineno] if names & {"importlib", "imp", "runpy", "pkgutil"} else []
        elif isinstance(node, ast.ImportFrom) and not node.level:
            top = str(node.module).partition(".")[0]
            yield from [node.lineno] if top in ("importlib", "imp", "runpy", "pkgutil") else []
        elif isinstance(node, ast.Name) and node.id in ("__import__", "exec", "eval"):
            yield node.lineno


def sources(root: Path, parts: tuple[str, ...]) -> dict[str, Path]:
    """The modules below some folders, by dotted path."""
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for part in parts
        for path in sorted((root / part).rglob("*.py"))
    }


def imported(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of the collection that a module imports; those for types too."""
    package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            source = source.removeprefix("ansible_collections.spectrum_x.fabric.")
            for each in node.names:
                below = f"{source}.{each.name}"
                yield from [below] if below in known else [source] if source in known else []


def circle(root: Path, parts: tuple[str, ...]) -> list[str]:
    """The modules of a circle of imports; empty where there is none."""
    known = sources(root, parts)
    graph = {name: set(imported(name, path, known)) - {name} for name, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as exc:
        return list(exc.args[1])
    return []


def test_no_import_is_hidden() -> None:
    files = [path for part in PARTS for path in sorted((ROOT / part).rglob("*.py"))]
    assert len(files) > 200
    found = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in files
        for line in hidden(ast.parse(path.read_text(encoding="utf-8")))
    }
    allowed = {row for row in found if row.rpartition(":")[0] in BY_NAME}
    assert {row.rpartition(":")[0] for row in allowed} == set(BY_NAME)
    assert sorted(found - allowed) == []


def test_imports_form_no_circle_even_for_types() -> None:
    assert circle(ROOT, PARTS) == []


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    import json",
        "class A:\n    def f(self):\n        from .b import c",
        "import importlib.util",
        "from importlib import import_module",
        "x = __import__('json')",
    ],
)
def test_what_counts_as_hidden(source: str) -> None:
    assert list(hidden(ast.parse(source)))
    assert not list(
        hidden(ast.parse("import json\nfrom . import b\nif True:\n    from .c import d"))
    )


def test_a_circle_for_types_is_found(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "__init__.py").write_text("")
    (tmp_path / "code" / "one.py").write_text("from . import two\n")
    (tmp_path / "code" / "two.py").write_text("x = 1\n")
    assert circle(tmp_path, ("code",)) == []
    (tmp_path / "code" / "two.py").write_text("if t.TYPE_CHECKING:\n    from .one import One\n")
    assert set(circle(tmp_path, ("code",))) == {"code.one", "code.two"}
