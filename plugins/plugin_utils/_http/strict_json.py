# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON as a server may send it: strict."""

from __future__ import annotations

import json
import math
from typing import NoReturn

from ...module_utils import _json
from ...module_utils._json import Json, NoJsonError


def parse(content: bytes) -> Json:
    """Return what a JSON text holds; raise ``NoJsonError``.

    Refused beside what ``_json.parse`` refuses: a key that occurs twice (readers differ in which one they
    believe), numbers that JSON does not have, and characters that UTF-8 has not.
    """
    found: Json = _json.parse(content, decoder=_DECODER)
    if b"\\u" in content:
        try:
            json.dumps(found, ensure_ascii=False).encode()
        except UnicodeError:
            raise NoJsonError("it is not UTF-8") from None
    return found


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise NoJsonError("it names a key twice")
    return made


def _no_number(word: str) -> NoReturn:
    raise NoJsonError(f"it has the number {word[:20]}")


def _float(word: str) -> float:
    number = float(word)
    return number if math.isfinite(number) else _no_number(word)


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number, parse_float=_float)
