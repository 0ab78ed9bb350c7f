# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signatures say what data is: few of them have ``Any``, or a dict or list of it.

``pytest -s tests/unit/test_types.py`` prints the files with the most such signatures.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("plugins/plugin_utils", "plugins/module_utils")
AT_MOST = 0.15
"""The share of untyped signatures that is allowed. Lower it when the share falls; never raise it."""

EXCEPTED: dict[str, str] = {}
"""Files that meet the JSON of a device or of a tool before anybody knows its shape, with the reason."""

BARE = {"dict", "list", "Mapping", "MutableMapping", "Sequence", "Iterable", "Iterator", "Callable"}
"""Types that hold ``Any`` when nothing is said of what they hold."""


@dataclasses.dataclass
class Module:
    """Meaning of the names at the top of a module."""

    tree: ast.Module
    aliases: dict[str, ast.expr]
    imports: dict[str, tuple[str, str]]


@dataclasses.dataclass(frozen=True)
class Signature:
    """One function, method or record, and whether its types say what the data is."""

    file: str
    line: int
    name: str
    untyped: bool


class Code:
    """The modules of some folders, by their dotted path below the root."""

    def __init__(self, root: Path, folders: tuple[str, ...]) -> None:
        self.root = root
        self.files = {
            ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
            for folder in folders
            for path in sorted((root / folder).rglob("*.py"))
        }
        self.modules = {name: self._module(name, path) for name, path in self.files.items()}

    def _module(self, name: str, path: Path) -> Module:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        made = Module(tree, {}, {})
        package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
        for node in _at_the_top(tree.body):
            if isinstance(node, ast.ImportFrom):
                above = package[: len(package) - node.level + 1] if node.level else []
                source = ".".join([*above, *(node.module or "").split(".")]).rstrip(".")
                for each in node.names:
                    made.imports[each.asname or each.name] = (source, each.name)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                made.aliases[node.targets[0].id] = node.value
            elif isinstance(node, ast.AnnAssign) and _is_alias(node.annotation) and node.value:
                made.aliases[ast.unparse(node.target)] = node.value
        return made

    def signatures(self) -> Iterator[Signature]:
        """Every function and method, nested ones too, and every record: its fields are parameters."""
        for name, module in self.modules.items():
            file = str(self.files[name].relative_to(self.root))
            for node in ast.walk(module.tree):
                types = _types(node)
                if types is not None:
                    untyped = any(self.untyped(name, type_) for type_ in types)
                    yield Signature(file, node.lineno, node.name, untyped)  # type: ignore[attr-defined]

    def untyped(
        self, module: str, node: ast.expr, seen: frozenset[tuple[str, str]] = frozenset()
    ) -> bool:
        """Check whether an annotation of a module has ``Any`` in it, or a container of unknown contents."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.untyped(module, ast.parse(node.value, mode="eval").body, seen)
        if isinstance(node, ast.Subscript):
            held = [node.slice] if self._final(node.value) in BARE else [node.value, node.slice]
            return any(self.untyped(module, part, seen) for part in held)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._untyped_name(module, node, seen)
        return any(
            self.untyped(module, part, seen)
            for part in ast.iter_child_nodes(node)
            if isinstance(part, ast.expr)
        )

    def _untyped_name(self, module: str, node: ast.expr, seen: frozenset[tuple[str, str]]) -> bool:
        final = self._final(node)
        found = self._alias(module, ast.unparse(node))
        if found is None:
            return final == "Any" or final in BARE
        place, value = found
        key = (place, final)
        return key not in seen and self.untyped(place, value, seen | {key})

    @staticmethod
    def _final(node: ast.expr) -> str:
        return ast.unparse(node).rpartition(".")[2]

    def _alias(self, module: str, name: str) -> tuple[str, ast.expr] | None:
        """(module, value) of the alias that a name is, through imports; None where it is no alias."""
        known = self.modules.get(module)
        if known is None:
            return None
        head, _dot, rest = name.partition(".")
        if not rest and head in known.aliases:
            return module, known.aliases[head]
        if head not in known.imports:
            return None
        source, original = known.imports[head]
        return self._alias(f"{source}.{original}", rest) if rest else self._alias(source, original)


def _is_alias(annotation: ast.expr) -> bool:
    return ast.unparse(annotation).rpartition(".")[2] == "TypeAlias"


def _at_the_top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module, those below ``if t.TYPE_CHECKING`` too."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from _at_the_top(node.body + node.orelse)


RECORDS = ("dataclass", "NamedTuple", "TypedDict", "Protocol")


def _types(node: ast.AST) -> list[ast.expr] | None:
    """The annotations of a signature; None of what has no signature."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        a = node.args
        every = [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]
        found = [arg.annotation for arg in every if arg is not None]
        return [type_ for type_ in (*found, node.returns) if type_ is not None]
    if isinstance(node, ast.ClassDef):
        marks = [ast.unparse(each) for each in (*node.bases, *node.decorator_list)]
        if any(word in mark for mark in marks for word in RECORDS):
            return [row.annotation for row in node.body if isinstance(row, ast.AnnAssign)]
    return None


@functools.cache
def counted() -> list[Signature]:
    """The signatures of what plugins and modules share, but for the excepted files."""
    return [row for row in Code(ROOT, PARTS).signatures() if row.file not in EXCEPTED]


@pytest.mark.large
def test_few_signatures_are_untyped() -> None:
    every = counted()
    worst = collections.Counter(row.file for row in every if row.untyped)
    of = collections.Counter(row.file for row in every)
    share = worst.total() / len(every)
    print(f"\n{worst.total()} of {len(every)} signatures are untyped: {share:.1%}")
    for file, number in worst.most_common(40):
        print(f"{number:4} of {of[file]:3}  {file}")
    assert len(every) > 2000
    assert share <= AT_MOST, "type what you added, or a file from the list that -s prints"


@pytest.mark.large
def test_excepted_files_exist_and_need_it() -> None:
    untyped = {row.file for row in Code(ROOT, PARTS).signatures() if row.untyped}
    assert set(EXCEPTED) <= untyped
    assert len(EXCEPTED) <= 12


@pytest.mark.parametrize(
    "source, untyped",
    [
        ("def f(x: Any) -> int: ...", True),
        ("def f(x: int) -> t.Mapping[str, t.Any]: ...", True),
        ("def f(x: int, *rest: dict) -> None: ...", True),
        ("def f(x: 'list[Any] | None') -> None: ...", True),
        ("def f(x: Doc) -> None: ...", True),
        ("def f(x: other.Doc) -> None: ...", True),
        ("def f(x: Rows) -> None: ...", True),
        ("class A(NamedTuple):\n    x: Doc", True),
        ("@dataclass(frozen=True)\nclass A:\n    x: list[Any]", True),
        ("class A:\n    def f(self):\n        def g(x: Any) -> None: ...", True),
        ("def f(x: Json) -> dict[str, object]: ...", False),
        ("def f(x: list[int], *, y: Callable[[int], str]) -> None: ...", False),
        ("class A(NamedTuple):\n    x: Words", False),
    ],
)
def test_what_counts_as_untyped(tmp_path: Path, source: str, untyped: bool) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "other.py").write_text("Doc = dict[str, Any]\nWords = list[str]\n")
    (tmp_path / "code" / "one.py").write_text(
        "if t.TYPE_CHECKING:\n    from .other import Doc, Words\nfrom . import other\n"
        'Rows = t.Sequence["Doc"]\nJson = t.Union[int, "list[Json]", "dict[str, Json]"]\n' + source
    )
    found = list(Code(tmp_path, ("code",)).signatures())
    assert any(row.untyped for row in found) is untyped
