# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text from outside, such as a banner, an LLDP name or the output of a tool, as a person may read it.

Such text may hold characters that change a terminal, hide a line, turn the order of letters around or
break XML. They are shown as escapes (`\\x1b`, `\\u202e`), as Python's `repr` shows them. No text is lost.

    plain("up\\x1b[2J")      "up\\\\x1b[2J"
    plain({"port": "a\\tb"}) {"port": "a b"}
"""

from __future__ import annotations

from typing import Any

_BLANKS = "\t\v\f\xa0"
MOST = 4000
"""Characters of one line: a device that says more is not heard to its end, and a sentence of ours is shorter."""


def plain(value: Any) -> Any:
    """A text, or all texts of plain data, without any character that is not printed; line breaks stay."""
    if isinstance(value, str):
        return value if value.isprintable() else _lines(value)
    if isinstance(value, dict):
        return {plain(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


def line(value: object, most: int = MOST) -> str:
    """The same for a text that has to stay on one line; of a long one the middle is left out.

    Whatever a device, a DCIM, a tool or a hook says comes through here before a person reads it: it begins no line.
    """
    # It is cut before it is cleaned, which takes its time, and once more, as escapes are longer than what they show.
    made = " ".join(str(plain(_cut(str(value), most))).split("\n"))
    return _cut(made, most)


def lines(value: object) -> list[str]:
    """The lines of a text that has several, each as `line` has it."""
    return [line(one) for one in str(value).replace("\r\n", "\n").split("\n")]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most * 3 // 4]} ... {text[-(most // 4 - 5) :]}"


def _lines(text: str) -> str:
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(one if one.isprintable() else "".join(map(_shown, one)) for one in lines)


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character in _BLANKS else character.encode("unicode_escape").decode("ascii")
