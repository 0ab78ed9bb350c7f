# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON as a switch may send it: strict, and never deeper than people write."""

from __future__ import annotations

import json
import math
from typing import NoReturn

from ...module_utils._json import Json

# The deepest path of the published schema has about fifteen levels.
DEEPEST = 64


class NoJsonError(ValueError):
    """A text is not the JSON that a switch sends; the message says in what."""


def parse(content: bytes) -> Json:
    """Return what a JSON text holds; raise ``NoJsonError``.

    Refused beside bad syntax: other encodings than UTF-8, a key that occurs twice (readers differ in
    which one they believe), numbers that JSON does not have, and levels beyond ``DEEPEST``.
    """
    try:
        text = content.decode("utf-8")
        found: Json = _DECODER.decode(text)
        if "\\u" in text:
            json.dumps(found, ensure_ascii=False).encode()
    except NoJsonError:
        raise
    except UnicodeError:
        raise NoJsonError("it holds what is not UTF-8") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise NoJsonError("it is not JSON") from None
    if text.count("{") + text.count("[") > DEEPEST:
        _check_depth(found)
    return found


Nested = dict[str, Json] | list[Json]


def _check_depth(found: Json) -> None:
    """Level by level, as a text may be deeper than functions may nest."""
    level: list[Nested] = [found] if isinstance(found, (dict, list)) else []
    for _depth in range(DEEPEST):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> NoJsonError:
    return NoJsonError(f"it has more than {DEEPEST} levels")


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
