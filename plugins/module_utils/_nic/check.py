# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading plain data strictly: each function returns the typed value or raises one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from .errors import NicError

Built = TypeVar("Built")
Reader = Callable[[object, str], Any]
"""Reads a value at a place, which errors name."""


def mapping(value: object, where: str) -> Mapping[object, object]:
    """A mapping as it is."""
    if not isinstance(value, Mapping):
        raise NicError(f"{where}: '{value}' is not a mapping of names to values.")
    return value


def fields_of(value: object, where: str, allowed: Sequence[str]) -> Mapping[str, object]:
    """A mapping of which every key is known."""
    known = mapping(value, where)
    extra = [str(key) for key in known if key not in allowed]
    if extra:
        raise NicError(f"{where}: '{extra[0]}' is not known; allowed are {', '.join(allowed)}.")
    return cast("Mapping[str, object]", known)  # its keys are among the allowed ones


def record(
    make: Callable[..., Built],
    data: object,
    where: str,
    readers: Mapping[str, Reader],
    mark: str = ".",
) -> Built:
    """An object of a mapping, each field by its reader; one without a value keeps its default."""
    known = fields_of(data, where, tuple(readers))
    given = {key: value for key, value in known.items() if value is not None}
    return make(**{key: readers[key](value, f"{where}{mark}{key}") for key, value in given.items()})


def text(value: object, where: str, allowed: Sequence[str]) -> str:
    """One of the allowed words."""
    if value not in allowed:
        words = ", ".join(word for word in allowed if word)
        raise NicError(f"{where}: '{value}' is not allowed; use one of {words}.")
    return str(value)


def whole(value: object, where: str, low: int, high: int) -> int:
    """A whole number between low and high; the text of one will do."""
    try:
        number = int(str(value), 0) if not isinstance(value, bool) else int(value)
    except ValueError:
        raise NicError(f"{where}: '{value}' is not a whole number.") from None
    if not low <= number <= high:
        raise NicError(f"{where}: {number} is not between {low} and {high}.")
    return number


def flag(value: object, where: str) -> bool:
    """true or false; the texts `true` and `false` will do."""
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    found = words.get(str(value).lower())
    if found is None:
        raise NicError(f"{where}: '{value}' is neither true nor false.")
    return found


def numbers(value: object, where: str, count: int, high: int) -> tuple[int, ...]:
    """Exactly `count` whole numbers from 0 to high; a text of digits (`00010000`) will do."""
    given = list(value) if isinstance(value, (list, tuple, str)) else []
    if len(given) != count:
        raise NicError(f"{where}: '{value}' must be a list of {count} numbers, priority 0 first.")
    return tuple(whole(item, where, 0, high) for item in given)


def each(value: object) -> Iterable[object]:
    """The entries of a list that may be absent."""
    return cast("Iterable[object]", value or ())
