# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of values and of keys: each tells whether a value (or a key) is of that kind.

A kind of a value is a row of NVIDIA's schema such as ``["int", 552, 9216]``; a kind of a key is a
word of the file of keys such as ``int 0..7``. JSON types are strict: "1500" and true are no integers.
"""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import names

Check = Callable[[Any], bool]

OBJECTS = frozenset({"object", "map", "any"})
"""Kinds of places that hold an object."""
SHOWN = 20
"""Words of an enumeration that an error names: there are 600 time zones."""

_KEYS = {
    "any": r".+",
    "word": r"[^\s/]{1,255}",
    "host": r"[A-Za-z0-9_.:%-]{1,253}",
    "iface": r"[A-Za-z][A-Za-z0-9_.-]{0,14}",
    "vrf": r"[A-Za-z_][A-Za-z0-9_.-]{0,14}",
    "user": r"[a-z_][a-z0-9_-]{0,31}",
    "rt": r"auto|ANY:\d{1,10}|(?:\d{1,10}|\d{1,3}(?:\.\d{1,3}){3}):\d{1,10}",
    "community": r"\d{1,5}:\d{1,5}|\d{1,10}|[a-z-]+",
    "large-community": r"\d{1,10}:\d{1,10}:\d{1,10}",
    "port": r"\d{1,5}|\d{1,5}-\d{1,5}|[A-Za-z][A-Za-z-]*",
    "secret8": r".{8,}",
}
_ADDRESSES: dict[str, Callable[[str], Any]] = {
    "ipv4": ipaddress.IPv4Address,
    "ipv6": ipaddress.IPv6Address,
    "ip": ipaddress.ip_address,
    "prefix4": ipaddress.IPv4Interface,
    "prefix6": ipaddress.IPv6Interface,
    "prefix": ipaddress.ip_interface,
    "ipv4-prefix": ipaddress.IPv4Network,
    "ipv6-prefix": ipaddress.IPv6Network,
}


@dataclass(frozen=True)
class Scalar:
    """One kind of a value or a key; `says` is how an error names what is allowed."""

    says: str
    check: Check
    on_off: bool = False
    ranged: bool = False
    secret: bool = False


def of_value(kind: Sequence[Any]) -> Scalar:
    """The kind of a value, from a row of NVIDIA's schema."""
    name, *limits = kind
    if name == "enum":
        return _enumeration(limits)
    if name in ("int", "number"):
        return _number(name, *limits)
    if name == "list":
        items = [of_value(item) for item in limits]
        says = "a list of " + " or ".join(item.says for item in items)
        return Scalar(says, lambda value: isinstance(value, list) and _each_fits(value, items))
    if name in _ADDRESSES:
        return Scalar(f"an address of the form {name}", _address(name))
    return _string(name, *limits)


def of_key(words: str) -> tuple[Scalar, ...]:
    """The kinds of a map's keys, such as "prefix or enum any"."""
    return tuple(_key(*part.partition(" ")[::2]) for part in words.split(" or "))


def _key(name: str, rest: str) -> Scalar:
    if name == "enum":
        return _enumeration(rest.split("|"))
    if name == "int":
        least, most = map(int, rest.split(".."))
        return Scalar(f"an integer {least}..{most}", lambda key: _digits(key, least, most))
    if name in _ADDRESSES:
        return Scalar(f"an address of the form {name}", _address(name))
    if name.endswith("-range"):
        return Scalar(f"a name or range of kind {name}", _ranged(name), ranged=True)
    fits = re.compile(_KEYS[name], re.DOTALL).fullmatch
    secret = name.startswith("secret")
    return Scalar(f"a key of the form {name}", lambda key: fits(key) is not None, secret=secret)


def _enumeration(words: Sequence[str]) -> Scalar:
    shown = ", ".join(f"'{word}'" for word in words[:SHOWN]) + ", …" * (len(words) > SHOWN)
    known = frozenset(words)
    return Scalar(
        f"one of {shown}",
        lambda value: isinstance(value, str) and value in known,
        on_off="on" in known,
    )


def _number(name: str, least: float | None, most: float | None) -> Scalar:
    types = (int,) if name == "int" else (int, float)

    def check(value: Any) -> bool:
        return type(value) in types and (
            (least is None or value >= least) and (most is None or value <= most)
        )

    bounds = "" if least is None and most is None else f" {least}..{most}"
    return Scalar(f"{'an integer' if name == 'int' else 'a number'}{bounds}", check)


def _string(name: str, least: int, most: int | None, *patterns: str) -> Scalar:
    # "$" would let a line break follow.
    compiled = [re.compile(re.sub(r"\$$", r"\\Z", pattern)) for pattern in patterns]

    def check(value: Any) -> bool:
        if not isinstance(value, str) or len(value) < least or (most and len(value) > most):
            return False
        return all(pattern.search(value) for pattern in compiled)

    says = f"a string of {least} to {most or 'any number of'} characters"
    says += "".join(f" that fits {pattern}" for pattern in patterns)
    return Scalar(says, check, secret=name == "secret")


def _each_fits(value: list[Any], kinds: list[Scalar]) -> bool:
    return all(any(kind.check(item) for kind in kinds) for item in value)


@functools.cache
def _address(kind: str) -> Check:
    build, slash = _ADDRESSES[kind], "prefix" in kind

    @functools.lru_cache(maxsize=8192)
    def parses(text: str) -> bool:
        try:
            build(text)
        except ValueError:
            return False
        return slash == ("/" in text)

    return lambda value: isinstance(value, str) and parses(value)


def _digits(key: str, least: int, most: int) -> bool:
    """Check whether a key is an integer within bounds: integers travel as their decimal digits."""
    return re.fullmatch(r"0|[1-9]\d{0,18}", key) is not None and least <= int(key) <= most


def _ranged(kind: str) -> Check:
    pattern = re.compile(r"\d{1,4}" if kind == "vlan-range" else _KEYS["iface"])

    def check(key: str) -> bool:
        try:
            return all(pattern.fullmatch(name) for name in names.expand(key))
        except ValueError:
            return False

    return check
