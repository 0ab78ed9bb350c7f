# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of the domain, as sentences for an operator.

Each breach says where (file, line, key path), which value, what is allowed and what to do:

    fabric.yml line 9, capacity.pods: 129 is more than the 128 ports of a super-spine: use 128.
"""

from __future__ import annotations

import collections
import dataclasses
import difflib
import itertools
import re
import typing as t

from ....module_utils import _text
from .synonyms import MEANINGS

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_ALIKE = 8
"""Sentences that differ only in their numbers, and are all said; of more the first ones are."""
_FIRST = 3


class FabricError(Exception):
    """One or more breaches of the rules of a fabric; `str()` is one sentence a line.

    Where many are alike, `str()` has the first ones and how many more there are.
    """

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences: list[str] = [_text.line(sentence) for sentence in sentences]
        super().__init__("\n".join(_grouped(self.sentences)))

    @classmethod
    def of(cls, sentence: str) -> FabricError:
        """The error of a single sentence."""
        return cls([sentence])

    @classmethod
    def whole(cls, lines: Sequence[str]) -> FabricError:
        """The error of lines none of which is left out, such as those of a difference."""
        made = cls(lines)
        made.args = ("\n".join(made.sentences),)
        return made


def _grouped(sentences: Sequence[str]) -> Iterator[str]:
    """The sentences; of more than `_ALIKE` that differ only in numbers and quoted words, `_FIRST` and a count."""
    kinds = [re.sub(r"'[^']*'|[0-9]+", "", sentence) for sentence in sentences]
    alike, said = collections.Counter(kinds), collections.Counter[str]()
    for sentence, kind in zip(sentences, kinds, strict=True):
        said[kind] += 1
        if alike[kind] <= _ALIKE or said[kind] < _FIRST:
            yield sentence
        elif said[kind] == _FIRST:
            yield f"{sentence} There are {alike[kind] - _FIRST} more like it."


class NotInFabric(FabricError):
    """An address or a name that this fabric does not own."""


@dataclasses.dataclass(frozen=True)
class Breach:
    """A broken rule at a key path such as `("capacity", "pods")` of a file."""

    key: tuple[str | int, ...]
    sentence: str


def key_path(key: Iterable[str | int]) -> str:
    """`("absent", 2, "x")` -> `absent[2].x`."""
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else str(part))
    return text or "(top level)"


def key_of(text: str) -> tuple[str | int, ...]:
    """The inverse of `key_path`: `absent[2].x` -> `("absent", 2, "x")`."""
    return tuple(
        int(p) if p.isdigit() else p for p in text.replace("[", ".").replace("]", "").split(".")
    )


def shown(text: str, most: int = 80) -> str:
    """A text in quotes on one line, its middle left out where it is long."""
    if len(text) > most:
        text = f"{text[: most // 2]}...{text[-most // 4 :]}"
    return repr(text)


def unreadable(exc: Exception) -> str:
    """Reason that a file could not be read, in a few words."""
    if isinstance(exc, OSError):
        return exc.strerror or "no reason given"
    if isinstance(exc, UnicodeDecodeError):
        return f"byte {exc.start} is not {exc.encoding.upper()}"
    return str(exc)


def nearest(word: str, known: Iterable[str]) -> str:
    """`, did you mean 'rails'`, or nothing when no known word is close: by meaning first, then by spelling.

    Of equally close ones the one that begins in the same way, as SN5600 for SN5601, is meant.
    """
    names = sorted(known)
    plain = word.lower().replace("-", "_").strip()
    meant = [name for name, words in MEANINGS.items() if name in names and plain in words.split()]
    begun = [name for name in names if plain and name.lower().replace("-", "_").startswith(plain)]
    close = difflib.get_close_matches(word, names, n=len(names) or 1)
    found = meant or sorted(begun or close, key=lambda name: _distance(word, name))
    return f", did you mean '{found[0]}'" if found else ""


def _distance(word: str, name: str) -> tuple[float, int]:
    """Less for closer: unlike letters, then those that the two do not begin with together."""
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(word, name, strict=False))
    together = sum(1 for _pair in same)
    return -round(difflib.SequenceMatcher(None, word, name).ratio(), 2), -together
