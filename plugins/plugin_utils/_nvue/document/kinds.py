# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of values and of keys in NVIDIA's schema, each as a test and as words for an error.

A kind of a value is a list as in ``nvue_schema.json``: ``["int", 552, 9216]``, ``["enum", "on", "off"]``,
``["string", least, greatest, pattern, ...]``. A kind of a key is a word as in ``nvue_keys.yaml``: ``int 0..7``.
JSON types are strict: ``"1500"`` is no integer, and ``true`` is none either.
"""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Callable, Sequence
from typing import Any

from ....module_utils._json import Json

Test = Callable[[Json], bool]
KeyTest = Callable[[str], bool]

WORDS = 8
"""Words of an enumeration that an error names; time zones are 600."""
CACHED = 8192
"""Addresses kept with their verdict: a leaf names each a few times."""


def value_test(kind: Sequence[Any]) -> Test:
    """Return the test of a kind of values."""
    name, *limits = kind
    return _VALUES[name](*limits)


def value_words(kind: Sequence[Any]) -> str:
    """Return a kind of values in words, such as ``int 552 to 9216``."""
    name, *limits = kind
    if name == "enum":
        return ", ".join(map(str, limits[:WORDS])) + (", …" if len(limits) > WORDS else "")
    if name in ("int", "number"):
        least, greatest = limits
        return name if least is None and greatest is None else f"{name} {least} to {greatest}"
    return "an object" if name in ("object", "map", "any") else str(name)


@functools.cache
def key_test(kind: str) -> KeyTest:
    """Return the test of a kind of keys, such as ``int 0..7`` or ``ip or enum evpn``."""
    tests = [_key_test(part) for part in kind.split(" or ")]
    return tests[0] if len(tests) == 1 else lambda key: any(test(key) for test in tests)


def _key_test(kind: str) -> KeyTest:
    name, _space, rest = kind.partition(" ")
    if name == "enum":
        return frozenset(rest.split("|")).__contains__
    if name == "int":
        least, greatest = map(int, rest.split(".."))
        return lambda key: _DIGITS.fullmatch(key) is not None and least <= int(key) <= greatest
    if name in _ADDRESSES:
        return _address(_ADDRESSES[name], slash=name.startswith("prefix"))
    return lambda key: _KEYS[name].fullmatch(key) is not None


def _address(parse: Callable[[str], object], *, slash: bool) -> KeyTest:
    @functools.lru_cache(maxsize=CACHED)
    def test(text: str) -> bool:
        if slash is not ("/" in text):
            return False
        try:
            parse(text)
        except ValueError:
            return False
        return True

    return test


def _number(types: tuple[type, ...], least: float | None, greatest: float | None) -> Test:
    def test(value: Json) -> bool:
        if type(value) not in types or not isinstance(value, int | float):
            return False
        return (least is None or value >= least) and (greatest is None or value <= greatest)

    return test


def _string(least: int, greatest: int | None, *patterns: str) -> Test:
    compiled = [re.compile(pattern) for pattern in patterns]

    def test(value: Json) -> bool:
        if not isinstance(value, str) or len(value) < least:
            return False
        return (greatest is None or len(value) <= greatest) and all(
            pattern.search(value) for pattern in compiled
        )

    return test


def _enum(*words: Any) -> Test:
    typed = {(type(word), word) for word in words}
    return lambda value: not isinstance(value, list) and (type(value), value) in typed


def _list(*kinds: Sequence[Any]) -> Test:
    tests = [value_test(kind) for kind in kinds]
    return lambda value: (
        isinstance(value, list) and all(any(test(each) for test in tests) for each in value)
    )


def _text(test: KeyTest) -> Test:
    return lambda value: isinstance(value, str) and test(value)


_VALUES: dict[str, Callable[..., Test]] = {
    "int": functools.partial(_number, (int,)),
    "number": functools.partial(_number, (int, float)),
    "string": _string,
    "secret": _string,
    "enum": _enum,
    "list": _list,
    "ipv4": lambda: _text(_address(ipaddress.IPv4Address, slash=False)),
    "ipv6": lambda: _text(_address(ipaddress.IPv6Address, slash=False)),
    "ipv4-prefix": lambda: _text(_address(ipaddress.IPv4Network, slash=True)),
    "ipv6-prefix": lambda: _text(_address(ipaddress.IPv6Network, slash=True)),
}
_DIGITS = re.compile(r"0|[1-9]\d{0,9}")
_PORTS = r"[A-Za-z][A-Za-z0-9_.-]{0,14}"
_VLANS = r"\d{1,4}(?:-\d{1,4})?"
_PAIR = r"(?:\d{1,10}|\d{1,3}(?:\.\d{1,3}){3}):\d{1,10}"
_KEYS = {
    name: re.compile(pattern, re.DOTALL)
    for name, pattern in {
        "any": r".+",
        "word": r"[^\s/]{1,255}",
        "host": r"[A-Za-z0-9_.:%-]{1,253}",
        "iface": _PORTS,
        "iface-range": rf"{_PORTS}(?:,[A-Za-z0-9_.-]{{1,15}}){{0,4095}}",
        "vlan-range": rf"{_VLANS}(?:,{_VLANS}){{0,4095}}",
        "vrf": r"[A-Za-z_][A-Za-z0-9_.-]{0,14}",
        "user": r"[a-z_][a-z0-9_-]{0,31}",
        "rt": rf"auto|ANY:\d{{1,10}}|{_PAIR}",
        "community": r"\d{1,5}:\d{1,5}|\d{1,10}|[a-z-]+",
        "large-community": r"\d{1,10}:\d{1,10}:\d{1,10}",
        "port": r"\d{1,5}(?:-\d{1,5})?|[A-Za-z][A-Za-z-]*",
        "secret8": r".{8,}",
    }.items()
}
_ADDRESSES: dict[str, Callable[[str], object]] = {
    "ip": ipaddress.ip_address,
    "ipv4": ipaddress.IPv4Address,
    "ipv6": ipaddress.IPv6Address,
    "prefix": ipaddress.ip_interface,
    "prefix4": ipaddress.IPv4Interface,
    "prefix6": ipaddress.IPv6Interface,
}
