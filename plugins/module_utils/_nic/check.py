# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading plain data strictly: each function returns the typed value or raises one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from .errors import NicError

Made = TypeVar("Made")


def mapping(value: Any, where: str) -> Mapping[Any, Any]:
    """A mapping as it is."""
    if not isinstance(value, Mapping):
        raise NicError(f"{where}: '{value}' is not a mapping of names to values.")
    return value


def fields_of(value: Any, where: str, allowed: Sequence[str]) -> Mapping[str, Any]:
    """A mapping without any key that nobody knows."""
    known = mapping(value, where)
    extra = [str(key) for key in known if key not in allowed]
    if extra:
        raise NicError(f"{where}: '{extra[0]}' is not known; allowed are {', '.join(allowed)}.")
    return known


def text(value: Any, where: str, allowed: Sequence[str]) -> str:
    """One of the allowed words."""
    if value not in allowed:
        words = ", ".join(word for word in allowed if word)
        raise NicError(f"{where}: '{value}' is not allowed; use one of {words}.")
    return str(value)


def whole(value: Any, where: str, low: int, high: int) -> int:
    """A whole number between low and high; the text of one will do."""
    try:
        number = int(str(value), 0) if not isinstance(value, bool) else int(value)
    except ValueError:
        raise NicError(f"{where}: '{value}' is not a whole number.") from None
    if not low <= number <= high:
        raise NicError(f"{where}: {number} is not between {low} and {high}.")
    return number


def flag(value: Any, where: str) -> bool:
    """true or false; the texts `true` and `false` will do."""
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    found = words.get(str(value).lower())
    if found is None:
        raise NicError(f"{where}: '{value}' is neither true nor false.")
    return found


def numbers(value: Any, where: str, count: int, high: int) -> tuple[int, ...]:
    """Exactly `count` whole numbers from 0 to high; a text of digits (`00010000`) will do."""
    given = list(value) if isinstance(value, (list, tuple, str)) else []
    if len(given) != count:
        raise NicError(f"{where}: '{value}' must be a list of {count} numbers, priority 0 first.")
    return tuple(whole(item, where, 0, high) for item in given)


def optional(known: Mapping[str, Any], key: str, read: Callable[[Any], Made]) -> Made | None:
    """`read` of the value, None where the key is absent or null."""
    return None if known.get(key) is None else read(known[key])
