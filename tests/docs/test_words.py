# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain English for operators: words that a Cumulus or Ansible manual would not use are refused.

Read are the README, the guides, the names and messages of tasks, the documentation of plugins and roles, the sentences
of errors that plugins raise, and the docstrings and comments of plugins, playbooks and roles.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from .blocks import GUIDES, README, ROOT

INSTEAD = {
    r"anew": "again",
    r"mend(s|ed|ing)?": "correct, repair",
    r"dearest": "most expensive",
    r"untold|mute": "not reported",
    r"told": "reported",
    r"owed|owes?": "needed, pending",
    r"shall": "must, is to",
    r"tells?|telling": "report, show, name",
    r"bears?|bearing|borne": "have",
    r"stands?(?!-ins?\b|alone\b| in\b)": "is",
    r"desks?": "a name for the thing itself",
    r"who(m)? is asked": "is read",
    r"speaks?|spoken": "report, connect",
}
"""Words that are not written, as an expression over whole words, and those written instead."""
WORDS = {re.compile(rf"\b(?:{word})\b", re.IGNORECASE): said for word, said in INSTEAD.items()}
MARKUP = re.compile(r"\b[A-Z]{1,3}\([^)]*\)")
"""Names of options and values in documentation."""
SAID = {"name", "msg", "fail_msg", "success_msg"}
Text = tuple[str, str]


FIRST = re.compile(r"(?:What|Who|Whose|Whom|Whether|That|Which|Where|When|Why|How)\b")
"""First words of docstrings that are refused: a verb or a noun comes first, as in: Return the VRF of a port."""
PARTICIPLES = {
    "announced",
    "applied",
    "arrived",
    "asked",
    "attested",
    "chosen",
    "closed",
    "counted",
    "cut",
    "done",
    "ending",
    "entering",
    "explained",
    "found",
    "given",
    "gone",
    "held",
    "kept",
    "klass",
    "known",
    "left",
    "looked",
    "made",
    "measured",
    "met",
    "opened",
    "owned",
    "reading",
    "raised",
    "refused",
    "rented",
    "reported",
    "resolved",
    "said",
    "seen",
    "shared",
    "shown",
    "stated",
    "taken",
    "told",
    "tried",
    "truth",
    "unread",
    "wanted",
    "wiping",
    "withdrawn",
    "written",
}
"""Words that name no file or class of plugins: participles, and words that name nothing of the field."""


def found(text: str) -> list[str]:
    """The words of a text that are not written, each with what is."""
    text = MARKUP.sub("", text)
    return [
        f"'{match.group()}' (write: {said})"
        for word, said in WORDS.items()
        for match in word.finditer(text)
    ]


def prose(path: Path) -> Iterator[Text]:
    """The lines of a page."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        yield f"{path.relative_to(ROOT)}:{number}", line


def loaded(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """(path, text) of files."""
    for path in sorted(paths):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def tasks() -> Iterator[Text]:
    """Names and messages of the plays and tasks of playbooks and roles."""
    paths = [*(ROOT / "playbooks").rglob("*.yml"), *(ROOT / "roles").glob("*/tasks/*.yml")]
    for name, text in loaded(paths):
        yield from ((name, said) for said in _said(yaml.safe_load(text)))


def _said(data: Any) -> Iterator[str]:
    if isinstance(data, list):
        for item in data:
            yield from _said(item)
    elif isinstance(data, dict):
        for key, value in data.items():
            if key in SAID and isinstance(value, str):
                yield re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", value, flags=re.DOTALL)
            else:
                yield from _said(value)


def documentation() -> Iterator[Text]:
    """The descriptions of plugins, roles and their options."""
    paths = [*(ROOT / "plugins").rglob("*.py"), *(ROOT / "plugins").rglob("*.yml")]
    for name, text in loaded([*paths, *(ROOT / "roles").glob("*/meta/argument_specs.yml")]):
        parts = [text] if "DOCUMENTATION:" in text or name.startswith("roles") else []
        if name.endswith(".py"):
            parts = re.findall(r'^(?:DOCUMENTATION|RETURN) = r?"""(.*?)"""', text, re.M | re.S)
        for part in parts:
            yield from ((name, said) for said in _described(yaml.safe_load(part)))


def _described(data: Any) -> Iterator[str]:
    if isinstance(data, list):
        for item in data:
            yield from _described(item)
    elif isinstance(data, dict):
        for key, value in data.items():
            if key in ("description", "short_description") and not isinstance(value, dict):
                yield from ([value] if isinstance(value, str) else value)
            else:
                yield from _described(value)


def sentences() -> Iterator[Text]:
    """The texts of errors where plugins raise them."""
    for name, text in loaded((ROOT / "plugins").rglob("*.py")):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                parts = (part for part in ast.walk(node.exc) if isinstance(part, ast.Constant))
                said = " ".join(part.value for part in parts if isinstance(part.value, str))
                yield f"{name}:{node.lineno}", said


def notes() -> Iterator[Text]:
    """Docstrings and comments, for whoever reads the source."""
    for name, text in loaded((ROOT / "plugins").rglob("*.py")):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield f"{name}:{token.start[0]}", token.string
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                yield f"{name}:{node.lineno}", str(node.value.value)
    for part in ("playbooks", "roles"):
        for name, text in loaded((ROOT / part).rglob("*.yml")):
            for number, line in enumerate(text.splitlines(), 1):
                if line.lstrip().startswith("#"):
                    yield f"{name}:{number}", line


def docstrings(text: str) -> Iterator[ast.Constant]:
    """Yield the docstrings of a file: of the module, of classes and functions, and below attributes."""
    for node in ast.walk(ast.parse(text)):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value


def names() -> Iterator[str]:
    """Yield files and classes whose whole name is a word of the list; `known_bugs` is a term of the field."""
    for name, text in loaded((ROOT / "plugins").rglob("*.py")):
        classes = [
            node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)
        ]
        for word in (Path(name).stem, *classes):
            if word.strip("_").lower() in PARTICIPLES:
                yield f"{name}: {word}"


@pytest.mark.parametrize("path", [README, *sorted(GUIDES.glob("*.rst"))], ids=lambda p: p.name)
def test_pages(path: Path) -> None:
    assert [f"{where}: {word}" for where, text in prose(path) for word in found(text)] == []


@pytest.mark.parametrize(
    "texts", [tasks, documentation, sentences, notes], ids=lambda t: t.__name__
)
def test_what_operators_are_shown(texts: Any) -> None:
    read = list(texts())
    assert len(read) > 100
    assert [f"{where}: {word}: {text}" for where, text in read for word in found(text)] == []


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    """Check every docstring of plugins; see FIRST."""
    read = [
        (f"{name}:{node.lineno}", str(node.value).strip())
        for name, text in loaded((ROOT / "plugins").rglob("*.py"))
        for node in docstrings(text)
    ]
    assert len(read) > 4000
    assert [f"{where}: {text[:80]}" for where, text in read if FIRST.match(text)] == []


def test_files_and_classes_are_named_by_nouns_of_the_field() -> None:
    assert sorted(names()) == []


def test_the_list_finds_words() -> None:
    assert len(found("It shall be mended anew by who stands there.")) == 4
    assert found("a stand-in of the NVUE API, which bearers trust: understand") == []
