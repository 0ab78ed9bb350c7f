# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML with its traps closed, and the line of every key.

serial: 012345        -> refused: YAML reads an octal number, quote it
mac: 11:22:33:44:55   -> refused: YAML reads a base-60 number, quote it
name: no              -> refused: YAML reads a boolean, quote it
name: a               -> refused when 'name' occurs twice
<<: *base             -> refused: values are written out
"""

from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import re
import typing as t

from ._third_party import yaml
from .errors import Breach, FabricError, key_path, shown, unreadable

Key = tuple[str | int, ...]

_OCTAL = re.compile(r"[-+]?0[0-9_]+$")
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$")
_TRUTHY = {"yes", "no", "on", "off", "y", "n"}
_LARGEST = 2**63
MOST_LEVELS = 64
"""Levels of nesting; far below what exhausts the stack of libyaml, which dies of it."""
MOST_REPEATED = 100_000
"""Values that aliases may repeat: a few short lines can otherwise mean billions of them."""
_FAR = re.compile(rf"^[ \t?:-]{{{MOST_LEVELS}}}", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Source:
    """A parsed file: plain data, and the line (one-based) on which each key path begins."""

    path: str
    data: t.Any
    lines: dict[Key, int]

    def sentence(self, breach: Breach) -> str:
        """The breach with its place: `fabric.yml line 3, rails: ...`."""
        line = self.line(breach.key)
        name = pathlib.Path(self.path).name
        where = f"{name} line {line}" if line else name
        return f"{where}, {key_path(breach.key)}: {breach.sentence}"

    def line(self, key: Key) -> int:
        """The line of the longest part of the key path that exists; 0 when there is none."""
        for length in range(len(key), 0, -1):
            if key[:length] in self.lines:
                return self.lines[key[:length]]
        return 0


def read(path: str, *, remedy: str = "name an existing file") -> Source:
    """Parse one YAML file; FabricError lists every trap with its line.

    `remedy` says what to do where the file does not exist.
    """
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FabricError.of(f"{path} does not exist: {remedy}.") from None
    except (OSError, ValueError) as exc:
        raise FabricError.of(
            f"{path} cannot be read ({unreadable(exc)}): make it a readable UTF-8 file."
        ) from exc
    return parse(text, path=path)


def parse(text: str, *, path: str) -> Source:
    """Parse a text as `read` does."""
    try:
        refuse_depth(text, path)
        node = _compose(text)
    except (yaml.YAMLError, ValueError) as exc:  # ValueError: an escape beyond Unicode
        mark = getattr(exc, "problem_mark", None)
        line = f" line {mark.line + 1}" if mark else ""
        raise FabricError.of(
            f"{pathlib.Path(path).name}{line}: the YAML does not parse ({_problem(exc)}): correct it."
        ) from exc
    walk = _Walk()
    data = walk.build(node, ()) if node is not None else {}
    source = Source(path, data, walk.lines)
    if walk.breaches:
        raise FabricError([source.sentence(breach) for breach in walk.breaches])
    return source


def _problem(exc: Exception) -> str:
    """PyYAML's words, with the line where the thing began that it was reading."""
    problem = getattr(exc, "problem", None) or "it is not YAML"
    context, mark = getattr(exc, "context", None), getattr(exc, "context_mark", None)
    if not context:
        return str(problem)
    return f"{context}{f' of line {mark.line + 1}' if mark else ''}, {problem}"


def refuse_depth(text: str, path: str) -> None:
    """FabricError where a text nests too deep for who reads it; only what may be deep is parsed for it.

    Each level of a block has a column of its own, and each other one a bracket, which may stand in quotes.
    """
    if text.count("[") + text.count("{") < MOST_LEVELS and not _FAR.search(text):
        return
    depth = 0
    for event in _events(text):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MOST_LEVELS:
            raise FabricError.of(
                f"{pathlib.Path(path).name} line {_line(event)}: the YAML nests more than "
                f"{MOST_LEVELS} levels deep: write it flatter."
            )


def _events(text: str) -> t.Iterator[yaml.Event]:
    """Yield the events before the place where the text is no YAML, which its reader reports too."""
    with contextlib.suppress(yaml.YAMLError, ValueError):
        yield from yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0


def _compose(text: str) -> yaml.Node | None:
    """The node of a text: by libyaml where it is there, ten times as fast, and its errors by PyYAML."""
    try:
        return yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:
        return yaml.compose(text, Loader=yaml.SafeLoader)


class _Walk:
    """Turns composed nodes into plain data, collecting lines and traps on the way."""

    def __init__(self) -> None:
        self.lines: dict[Key, int] = {}
        self.breaches: list[Breach] = []
        self._construct = yaml.SafeLoader("").construct_object
        self._open: list[yaml.Node] = []
        self._built: set[int] = set()
        self._repeated = 0

    def _breach(self, key: Key, sentence: str) -> None:
        self.breaches.append(Breach(key, sentence))

    def build(self, node: yaml.Node, key: Key) -> object:
        self.lines.setdefault(key, node.start_mark.line + 1)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, key)
        if node in self._open:
            self._breach(key, "the alias is inside its own anchor: write the values out.")
            return None
        if not self._fits(node, key):
            return None
        self._open.append(node)
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, key)
            return [self.build(child, (*key, i)) for i, child in enumerate(node.value)]
        finally:
            self._open.pop()

    def _fits(self, node: yaml.Node, key: Key) -> bool:
        """Check whether the repetitions of aliases are within bounds; a breach is reported once."""
        if id(node) in self._built:
            self._repeated += 1 + len(node.value)
        self._built.add(id(node))
        if len(self._open) > MOST_LEVELS:
            why = f"the YAML nests more than {MOST_LEVELS} levels deep: write it flatter."
        elif self._repeated > MOST_REPEATED:
            why = "the aliases repeat more values than any file needs: write the values out."
        else:
            return True
        if not any(breach.sentence == why for breach in self.breaches):
            self._breach(key[:1], why)
        return False

    def _mapping(self, node: yaml.Node, key: Key) -> dict[str, object]:
        data: dict[str, object] = {}
        for name_node, child in node.value:
            if not isinstance(name_node, yaml.ScalarNode):
                self._breach(
                    key, "a key of this mapping is itself a list or a mapping: use plain text."
                )
                continue
            name = str(name_node.value)
            here = (*key, name)
            if name_node.tag.endswith(":merge"):
                self.lines[here] = name_node.start_mark.line + 1
                self._breach(here, "merge keys are not followed: write the values out.")
                continue
            if name in data:
                self._breach(
                    here,
                    f"the key '{name}' is already in line {self.lines[here]}: keep one.",
                )
                self.lines[here] = name_node.start_mark.line + 1
                continue
            self.lines[here] = name_node.start_mark.line + 1
            data[name] = self.build(child, here)
        return data

    def _scalar(self, node: yaml.ScalarNode, key: Key) -> object:
        text = node.value
        trap = None if node.style else _trap(text, node.tag)
        if trap:
            self._breach(
                key,
                f"{text} is read by YAML as {trap}: write '{text}' in quotes{_or(trap)}.",
            )
            return text
        if not node.style and node.tag.endswith(":timestamp"):
            return text
        try:
            value = self._construct(node, deep=True)
        except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError):
            self._breach(
                key,
                f"{shown(text)} is not a value that YAML can read as {node.tag}: write it in "
                "quotes and without a tag.",
            )
            return text
        if isinstance(value, int) and abs(value) >= _LARGEST:
            self._breach(key, f"{shown(text)} is larger than any number here: use a smaller one.")
            return 0
        return value


def _or(trap: str) -> str:
    return ", or without the leading zero" if "octal" in trap else ""


def _trap(text: str, tag: str) -> str | None:
    if tag.endswith((":int", ":float")) and _SEXAGESIMAL.match(text):
        return "a base-60 number"
    if tag.endswith(":int") and _OCTAL.match(text):
        return "an octal number"
    if tag.endswith(":bool") and text.lower() in _TRUTHY:
        return "a boolean (a boolean is written true or false)"
    return None
