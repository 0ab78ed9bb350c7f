# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places in an NVUE document, and patterns over them.

A path is a tuple of keys. As text its keys are joined with ``/``; a ``/`` inside a key is written
``%2F``::

    interface/swp1s0/ipv4/address/10.0.0.1%2F31

A glob is such a text in which ``*`` and ``?`` match within one key. It covers the places that it
matches and everything below them: ``interface/swp*/qos`` owns the whole QoS of every port.
"""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from ..errors import RefusedError

Path = tuple[str, ...]


def parse(text: str) -> Path:
    """Return the keys of a path given as text; a leading or trailing ``/`` is ignored."""
    keys = tuple(key for key in text.split("/") if key)
    return tuple(map(unquote, keys)) if "%" in text else keys


def to_text(path: Iterable[str]) -> str:
    """Return the text of a path; ``parse`` gives the path back."""
    return "/".join(key.replace("%", "%25").replace("/", "%2F") for key in path)


def to_url(path: Iterable[str]) -> str:
    """Return a path as it stands in a URL, with a leading ``/``."""
    return "/" + "/".join(quote(key, safe="") for key in path)


@dataclass(slots=True)
class Node:
    """One step of the compiled globs: what may follow, and whether a glob ends here."""

    literal: dict[str, Node] = field(default_factory=dict)
    pattern: dict[str, tuple[re.Pattern[str], Node]] = field(default_factory=dict)
    end: bool = False

    def child(self, key: str) -> Node:
        """Return the node that follows ``key``, made when it is new."""
        if not ("*" in key or "?" in key or "[" in key):
            if key not in self.literal:
                self.literal[key] = Node()
            return self.literal[key]
        if key not in self.pattern:
            self.pattern[key] = (re.compile(fnmatch.translate(key)), Node())
        return self.pattern[key][1]


States = tuple[Node, ...]


class Globs:
    """A compiled set of globs, to be walked together with a document."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self.patterns = tuple(sorted(set(patterns)))
        self.start = _compiled(self.patterns)

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def covers(self, path: Path) -> bool:
        """Return whether a glob matches ``path`` or a place above it."""
        states = self.start
        for key in path:
            states = step(states, key)
            if not states:
                return False
            if ended(states):
                return True
        return False


@functools.lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...]) -> States:
    """The first step of all globs; a run asks for the same few sets again and again."""
    root = Node()
    for pattern in patterns:
        _add(root, pattern)
    return (root,)


def _add(root: Node, pattern: str) -> None:
    keys = parse(pattern)
    if not keys:
        raise RefusedError(
            f"The glob {pattern!r} covers the whole configuration; name at least one key."
        )
    node = root
    for key in keys:
        node = node.child(key)
    node.end = True


def step(states: States, key: str) -> States:
    """Return the states after ``key``; empty when no glob can match any more."""
    found: list[Node] = []
    for node in states:
        literal = node.literal.get(key)
        if literal is not None:
            found.append(literal)
        for regex, following in node.pattern.values():
            if regex.match(key):
                found.append(following)
    return tuple(found)


def ended(states: States) -> bool:
    """Return whether a glob ends in one of the states."""
    if len(states) == 1:  # nearly always, and a generator costs four times as much
        return states[0].end
    return any(node.end for node in states)
