# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts signatures that say nothing of a value: ``Any``, or a mapping without the types of its keys and values.

    python tests/untyped.py             the share of each folder of plugin_utils and module_utils, and of all
    python tests/untyped.py _jobs       the signatures of a folder themselves

Names of types are resolved: ``Plain = dict[str, t.Any]`` counts wherever it is imported.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PLUGINS = Path(__file__).resolve().parents[1] / "plugins"
PARTS = ("plugin_utils", "module_utils")
BARE = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "list", "List"})
"""Containers that say nothing without types in brackets."""


class Signature(NamedTuple):
    """A function, and whether a type of it says nothing."""

    file: Path
    line: int
    name: str
    untyped: bool


def files() -> list[Path]:
    """Return the files that are counted."""
    return [path for part in PARTS for path in sorted((PLUGINS / part).rglob("*.py"))]


@functools.cache
def tree(file: Path) -> ast.Module:
    """Return the parsed file."""
    return ast.parse(file.read_text(encoding="utf-8"))


@functools.cache
def names(file: Path) -> dict[str, ast.expr | tuple[Path, str]]:
    """Return the assigned names of a module with their values, and imported ones with their origin."""
    found: dict[str, ast.expr | tuple[Path, str]] = {}
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                module = base / f"{alias.name}.py"
                if module.is_file():
                    found[alias.asname or alias.name] = (module, "")
                elif base.with_suffix(".py").is_file():
                    found[alias.asname or alias.name] = (base.with_suffix(".py"), alias.name)
    for statement in tree(file).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            found[statement.targets[0].id] = statement.value
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            alias = "TypeAlias" in ast.unparse(statement.annotation)
            found |= {statement.target.id: statement.value} if alias and statement.value else {}
    return found


def says_nothing(
    file: Path, kind: ast.expr, met: frozenset[tuple[Path, str]] = frozenset()
) -> bool:
    """Return whether a type has ``Any``, or a container without its types, at any depth."""
    if isinstance(kind, ast.Constant) and isinstance(kind.value, str):
        return says_nothing(file, ast.parse(kind.value, mode="eval").body, met)
    if isinstance(kind, ast.Attribute):
        if kind.attr == "Any" or kind.attr in BARE:
            return True
        origin = names(file).get(kind.value.id) if isinstance(kind.value, ast.Name) else None
        return isinstance(origin, tuple) and _named(origin[0], kind.attr, met)
    if isinstance(kind, ast.Name):
        return kind.id == "Any" or kind.id in BARE or _named(file, kind.id, met)
    if isinstance(kind, ast.Subscript):
        head = ast.unparse(kind.value).rpartition(".")[2]
        return (head not in BARE and says_nothing(file, kind.value, met)) or says_nothing(
            file, kind.slice, met
        )
    children = [child for child in ast.iter_child_nodes(kind) if isinstance(child, ast.expr)]
    return any(says_nothing(file, child, met) for child in children)


def _named(file: Path, name: str, met: frozenset[tuple[Path, str]]) -> bool:
    """Return whether a name of a module is a type that says nothing."""
    value = names(file).get(name)
    if value is None or isinstance(value, ast.Call) or (file, name) in met:
        return False
    met = met | {(file, name)}
    if isinstance(value, tuple):
        return bool(value[1]) and _named(value[0], value[1], met)
    return says_nothing(file, value, met)


def signatures() -> Iterator[Signature]:
    """Yield each function and method with types."""
    for file in files():
        for node in ast.walk(tree(file)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                given = node.args
                arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs]
                arguments += [each for each in (given.vararg, given.kwarg) if each]
                kinds = [each.annotation for each in arguments if each.annotation]
                kinds += [node.returns] if node.returns else []
                untyped = any(says_nothing(file, kind) for kind in kinds)
                yield Signature(file, node.lineno, node.name, untyped)


def shares() -> dict[str, float]:
    """Return the share of untyped signatures of each folder in percent; that of all is ``""``."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for one in signatures():
        for folder in ("", str(one.file.parent.relative_to(PLUGINS))):
            counts[folder][0] += one.untyped
            counts[folder][1] += 1
    return {folder: 100 * bad / every for folder, (bad, every) in counts.items()}


def main() -> None:
    """Print the shares, or the signatures of folders."""
    if sys.argv[1:]:
        for one in signatures():
            place = one.file.relative_to(PLUGINS)
            if one.untyped and any(word in str(place) for word in sys.argv[1:]):
                print(f"{place}:{one.line}: {one.name}")
        return
    for folder, share in sorted(shares().items(), key=lambda row: row[1]):
        print(f"{share:5.1f} %  {folder or 'all'}")


if __name__ == "__main__":
    main()
