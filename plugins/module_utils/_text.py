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


def plain(value: Any) -> Any:
    """A text, or all texts of plain data, without any character that is not printed; line breaks stay."""
    if isinstance(value, str):
        return value if value.isprintable() else _lines(value)
    if isinstance(value, dict):
        return {plain(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


def line(value: object) -> str:
    """The same for a text that has to stay on one line."""
    return " ".join(str(plain(str(value))).split("\n"))


def _lines(text: str) -> str:
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(one if one.isprintable() else "".join(map(_shown, one)) for one in lines)


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character in _BLANKS else character.encode("unicode_escape").decode("ascii")
