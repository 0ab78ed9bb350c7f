# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML is read by safe loaders alone, which build no object of a class that a text names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
READERS = ("load", "load_all", "compose", "compose_all", "parse", "scan")
UNSAFE = ("unsafe_load", "unsafe_load_all", "full_load", "full_load_all")
LOADERS = {"SafeLoader", "CSafeLoader"}


def names(tree: ast.AST) -> set[str]:
    """The names, attributes and texts of an expression that end in Loader."""
    parts = (getattr(part, key, "") for part in ast.walk(tree) for key in ("id", "attr", "value"))
    return {part for part in parts if isinstance(part, str) and part.endswith("Loader")}


def loaders(module: ast.Module, loader: ast.expr) -> set[str]:
    """The loaders of PyYAML that an expression stands for: itself, a constant, or a class's bases."""
    found = names(loader)
    for node in module.body if isinstance(loader, ast.Name) else ():
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == loader.id:
            found |= names(node.value)
        if isinstance(node, ast.ClassDef) and node.name == loader.id:
            found |= {name for base in node.bases for name in names(base)}
    return found


def imports_pyyaml(module: ast.Module) -> bool:
    return any(
        alias.name == "yaml"
        for node in ast.walk(module)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    )


def unsafe(text: str) -> Iterator[str]:
    """The calls of a module that may read YAML by another loader; ruamel's is safe unless `typ` says otherwise."""
    module = ast.parse(text)
    for call in ast.walk(module):
        if not isinstance(call, ast.Call):
            continue
        name = ast.unparse(call.func)
        base, _dot, attribute = name.rpartition(".")
        stated = [word.value for word in call.keywords if word.arg == "Loader"] or call.args[1:2]
        wrong = attribute in UNSAFE or (
            attribute == "YAML" and any(word.arg == "typ" for word in call.keywords)
        )
        if base == "yaml" and attribute in READERS and (stated or imports_pyyaml(module)):
            found = loaders(module, stated[0]) if stated else set()
            wrong = not found or not found <= LOADERS
        if wrong:
            yield f"line {call.lineno}: {name}"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("import yaml\nyaml.load(x)", True),
        ("import yaml\nyaml.load(x, Loader=yaml.Loader)", True),
        ("import yaml\nyaml.load(x, yaml.FullLoader)", True),
        ("import yaml\nyaml.unsafe_load(x)", True),
        ("import yaml\nclass L(yaml.Loader): pass\nyaml.load(x, L)", True),
        ("import yaml\nL = getattr(yaml, 'CLoader', yaml.SafeLoader)\nyaml.load(x, L)", True),
        ("YAML = library.YAML(typ='unsafe')", True),
        ("import yaml\nclass L(yaml.SafeLoader): pass\nyaml.load(x, L)", False),
        ("import yaml\nyaml.load(x, getattr(yaml, 'CSafeLoader', yaml.SafeLoader))", False),
        ("import yaml\nyaml.safe_load(x)", False),
        ("yaml = library.YAML()\nyaml.load(x)", False),
    ],
)
def test_a_loader_that_is_not_safe_is_found(text: str, wrong: bool) -> None:
    assert bool([*unsafe(text)]) is wrong


def test_plugins_read_yaml_by_safe_loaders() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for path in sorted((ROOT / "plugins").rglob("*.py"))
        if (lines := [*unsafe(path.read_text(encoding="utf-8"))])
    }
    assert found == {}
