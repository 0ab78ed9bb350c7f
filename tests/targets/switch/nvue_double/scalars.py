# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scalar types of the schema: each says whether a value (or a key) is of that type."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import names

Check = Callable[[Any], bool]

_PATTERNS = {
    "word": r"[^\s/]{1,255}",
    "any": r".+",
    "host": r"[A-Za-z0-9_.:%-]{1,253}",
    "mac": r"(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}",
    "esi": r"00(?::[0-9A-Fa-f]{2}){9}",
    "iface": r"[A-Za-z][A-Za-z0-9_.-]{0,14}",
    "vrf": r"[A-Za-z_][A-Za-z0-9_.-]{0,14}",
    "user": r"[a-z_][a-z0-9_-]{0,31}",
    "alpha": r"alpha_(?:infinity|0|1_(?:2|4|8|16|32|64|128)|1|2|4|8|16|32|64)",
    "rd": r"(?:\d{1,10}|\d{1,3}(?:\.\d{1,3}){3}):\d{1,10}",
    "rt": r"auto|ANY:\d{1,10}|(?:\d{1,10}|\d{1,3}(?:\.\d{1,3}){3}):\d{1,10}",
    "community": r"\d{1,5}:\d{1,5}|\d{1,10}|[a-z-]+",
    "large-community": r"\d{1,10}:\d{1,10}:\d{1,10}",
    "port": r"\d{1,5}|\d{1,5}-\d{1,5}|[A-Za-z][A-Za-z-]*",
    "secret": r".+",
    "secret8": r".{8,}",
}
_ADDRESSES: dict[str, Callable[[str], Any]] = {
    "ipv4": ipaddress.IPv4Address,
    "ipv6": ipaddress.IPv6Address,
    "ip": ipaddress.ip_address,
    "prefix4": ipaddress.IPv4Interface,
    "prefix6": ipaddress.IPv6Interface,
    "prefix": ipaddress.ip_interface,
}


@dataclass(frozen=True)
class Scalar:
    """One alternative of a type expression; `says` is how an error names what is allowed."""

    says: str
    check: Check
    boolean: bool = False
    ranged: bool = False
    secret: bool = False


def parse(expression: str, *, modern: bool) -> tuple[Scalar, ...]:
    """The alternatives of a type expression such as "int 1..10 or enum auto|none"."""
    return tuple(_parse_one(part.strip(), modern=modern) for part in expression.split(" or "))


def _parse_one(part: str, *, modern: bool) -> Scalar:
    kind, dummy, rest = part.partition(" ")
    if kind == "bool":
        words = ("enabled", "disabled") if modern else ("on", "off")
        return Scalar(_one_of(words), lambda value: value in words, boolean=True)
    if kind == "enum":
        values = tuple(rest.split("|"))
        return Scalar(_one_of(values), lambda value: isinstance(value, str) and value in values)
    if kind == "int":
        return _integer(rest)
    if kind.startswith("str"):
        limit = int(kind[5:]) if "<=" in kind else 1_000_000
        return Scalar(
            f"a string of at most {limit} characters",
            lambda value: isinstance(value, str) and len(value) <= limit,
        )
    if kind in _ADDRESSES:
        return Scalar(f"an address of the form {kind}", _address(kind))
    if kind in ("iface-range", "vlan-range"):
        return Scalar(f"a name or range of kind {kind}", _ranged(kind), ranged=True)
    if kind == "peer":
        return Scalar("a peer (address, interface or range of them)", _peer(), ranged=True)
    if kind == "via":
        return Scalar("a next hop (address or interface)", _either("ip", "iface"))
    pattern = re.compile(_PATTERNS[kind], re.DOTALL)
    return Scalar(
        f"a value of the form {kind}",
        lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None,
        secret=kind.startswith("secret"),
    )


def _one_of(words: tuple[str, ...]) -> str:
    return "one of " + ", ".join(f"'{word}'" for word in words)


def _integer(bounds: str) -> Scalar:
    low, dummy, high = bounds.partition("..")
    least, most = (int(low), int(high)) if bounds else (-(2**63), 2**63)

    def check(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    return Scalar(f"an integer {least}..{most}" if bounds else "an integer", check)


def _address(kind: str) -> Check:
    build = _ADDRESSES[kind]

    def check(value: Any) -> bool:
        if not isinstance(value, str) or kind.startswith("prefix") != ("/" in value):
            return False
        try:
            build(value)
        except ValueError:
            return False
        return True

    return check


def _either(first: str, second: str) -> Check:
    address = _address(first)
    name = re.compile(_PATTERNS[second])
    return lambda value: (
        address(value) or (isinstance(value, str) and name.fullmatch(value) is not None)
    )


def _peer() -> Check:
    address, interfaces = _address("ip"), _ranged("iface-range")
    return lambda value: address(value) or interfaces(value)


def _ranged(kind: str) -> Check:
    pattern = re.compile(r"\d{1,4}" if kind == "vlan-range" else _PATTERNS["iface"])

    def check(value: Any) -> bool:
        if not isinstance(value, str):
            return False
        try:
            return all(pattern.fullmatch(name) for name in names.expand(value))
        except ValueError:
            return False

    return check


def key_matches(scalar: Scalar, key: str) -> bool:
    """Whether a member's key is of this type; integers travel as their decimal digits."""
    if scalar.check(key):
        return True
    return re.fullmatch(r"0|[1-9]\d{0,18}", key) is not None and scalar.check(int(key))
