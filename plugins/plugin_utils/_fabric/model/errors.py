# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong, as sentences for an operator.

Each breach says where (file, line, key path), which value, what is allowed and what to do:

    fabric.yml line 9, capacity.pods: 129 is more than the 128 ports of a super-spine: use 128.
"""

from __future__ import annotations

import dataclasses
import difflib
import typing as t

from ....module_utils import _text

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class FabricError(Exception):
    """One or more breaches of the rules of a fabric; `str()` is one sentence a line."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences: list[str] = _text.plain(list(sentences))
        super().__init__("\n".join(self.sentences))

    @classmethod
    def of(cls, sentence: str) -> FabricError:
        """The error of a single sentence."""
        return cls([sentence])


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
    """Why a file could not be read, in a few words."""
    if isinstance(exc, OSError):
        return exc.strerror or "no reason given"
    return f"byte {exc.start} is not UTF-8" if isinstance(exc, UnicodeDecodeError) else str(exc)


def nearest(word: str, known: Iterable[str]) -> str:
    """`, did you mean 'rails'?` or nothing when no known word is close."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return f", did you mean '{found[0]}'" if found else ""
