# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of a device, without anything that shows its owner. Private.

    hide = Anonymous({"leaf-p1-su001-r1", "acme"})
    hide.data({"swp1": {"address": "10.1.2.3/31"}})      {"swp1": {"address": "198.18.0.1/31"}}

Numbers, truth values, words of states, names of ports, versions and models stay. Every other text becomes a
placeholder, each text the same one at each place. `leaks` finds what is left of the site all the same.
"""

from __future__ import annotations

import collections
import ipaddress
import re
import typing as t

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ....module_utils._json import Json

_STATES = re.compile(r"state|(oper-|admin-)?status|mode|type|severity|protocol|origin|progress")
"""Keys whose values are words of the device's own language."""
_VERSIONS = re.compile(
    r"build|product-release|version|image|model|product-name|part-number|asic-model"
)
"""Keys whose values say what the device is, not whose."""
_SYSTEMS = re.compile(r"(remote|local|peer)-as|autonomous-system|asn")
_NAMES = re.compile(
    r"user|peer-group|route-map|(prefix|community)-list|snippet|role|class|profile|acl|neighbor|interface|vrf|server"
    r"|destination|(ca-)?certificate|hostname"
)
"""Keys below which the site chooses the keys."""
_PLAIN = re.compile(
    r"on|off|yes|no|true|false|enabled?|disabled?|none|auto|up|down|full|half|n/?a|unknown|ok|green|yes/no|lossless"
    r"|lossy|external|internal",
    re.IGNORECASE,
)
"""Words that show nothing, whatever the key."""
_KEPT_NAME = re.compile(
    r"swp\d+(s\d+)?|eth\d+|lo|vlan\d+|bond\d+|br_\w+|default|mgmt|\d{1,6}|ipv[46]|\*"
)
_WORD = re.compile(r"[A-Za-z][A-Za-z _/-]{0,30}( \([A-Za-z -]{1,20}\))?")
_COUNT = re.compile(r"[-+]?\d{1,20}(\.\d+)?([eE][-+]?\d+)?( ?[A-Za-z%/]{1,8})?")
_NUMBERED = re.compile(r"serial|guid|id|mac")
"""Parts of keys whose numbers are those of one device."""
_MAC = re.compile(r"(?<![\w:])[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}(?![\w:])", re.IGNORECASE)
_GUID = re.compile(
    r"(?<![\w:])(?:[0-9a-f]{4}:){3}[0-9a-f]{4}(?![\w:])|\b0x[0-9a-f]{16}\b", re.IGNORECASE
)
_ADDRESS = re.compile(
    r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})(?:/\d{1,3})?(?![\w.:])",
    re.IGNORECASE,
)
_FIRST = {4: ipaddress.ip_address("198.18.0.0"), 6: ipaddress.ip_address("2001:db8::")}
_SHORTEST = 3


class Anonymous:
    """Replaces what shows the site; `words` are names of it, such as of devices and tenants."""

    def __init__(self, words: Iterable[str]) -> None:
        known = sorted({word for word in words if len(word) >= _SHORTEST}, key=len, reverse=True)
        any_of_them = "|".join(map(re.escape, known)) or "(?!)"
        self._site = re.compile(rf"(?<![A-Za-z0-9])(?:{any_of_them})(?![A-Za-z0-9])", re.IGNORECASE)
        self._given: dict[str, str] = {}
        self._count: collections.Counter[str] = collections.Counter()

    def data(self, value: Json, path: tuple[str, ...] = ()) -> Json:
        """Plain data without the site."""
        if isinstance(value, dict):
            return {
                self._key(str(key), path): self.data(below, (*path, str(key)))
                for key, below in value.items()
            }
        if isinstance(value, list):
            return [self.data(one, path) for one in value]
        key = path[-1] if path else ""
        if isinstance(value, str):
            return self._value(key, value)
        return 65000 if isinstance(value, int) and _SYSTEMS.fullmatch(key) else value

    def text(self, said: str) -> str:
        """A sentence or the output of a tool without addresses and names of the site."""
        said = _MAC.sub(lambda match: self._mac(match[0]), said)
        said = _GUID.sub(lambda match: self._guid(match[0]), said)
        said = _ADDRESS.sub(lambda match: self._address(match[0]), said)
        return self._site.sub(lambda match: self._named("name", match[0]), said)

    def leaks(self, text: str) -> list[str]:
        """Names and addresses of the site that a text still holds."""
        found = {match[0] for match in self._site.finditer(text)}
        given = set(self._given.values())
        for match in _ADDRESS.finditer(text):
            if _found(match[0]) and match[0].partition("/")[0] not in given:
                found.add(match[0])
        return sorted(found)

    def _key(self, key: str, path: tuple[str, ...]) -> str:
        made = self.text(key)
        chosen = made == key and path and _NAMES.fullmatch(path[-1])
        return self._named("name", key) if chosen and not _KEPT_NAME.fullmatch(key) else made

    def _value(self, key: str, value: str) -> str:
        made = self.text(value)
        kept = _VERSIONS.fullmatch(key) or _ADDRESS.fullmatch(value) or _KEPT_NAME.fullmatch(value)
        if made != value or kept or not value:
            return made
        if _SYSTEMS.fullmatch(key):
            return "65000"
        return made if _shows_nothing(key, value) else self._named("text", value)

    def _once(self, kind: str, value: str, make: Callable[[int], str]) -> str:
        """The placeholder of a text, made of the next number of its kind; it is the same at each place."""
        key = f"{kind} {value.lower()}"
        if key not in self._given:
            self._count[kind] += 1
            self._given[key] = make(self._count[kind])
        return self._given[key]

    def _named(self, kind: str, value: str) -> str:
        return self._once(kind, value, lambda number: f"{kind}-{number}")

    def _mac(self, value: str) -> str:
        return self._once("mac", value, lambda n: f"02:00:00:00:{n >> 8:02x}:{n & 255:02x}")

    def _guid(self, value: str) -> str:
        def make(number: int) -> str:
            digits = f"{number:016x}"
            parts = [digits[at : at + 4] for at in range(0, 16, 4)]
            return f"0x{digits}" if value[:2].lower() == "0x" else ":".join(parts)

        return self._once("guid", value, make)

    def _address(self, value: str) -> str:
        """Another address for one, the same each time; a length stays, and so does what is none."""
        found = _found(value)
        if found is None:
            return value
        base = _FIRST[found.version]
        made = self._once(f"v{found.version}", str(found), lambda number: str(base + number))
        return made + "".join(value.partition("/")[1:])


def _shows_nothing(key: str, value: str) -> bool:
    """Check whether a text is a state, a count or a word that shows nothing of the site."""
    state = _STATES.fullmatch(key) and _WORD.fullmatch(value)
    count = _COUNT.fullmatch(value) and not _NUMBERED.search(key)
    return bool(state or count or _PLAIN.fullmatch(value))


def _found(value: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a text is, with or without a length; None for no address, and for one that all devices have."""
    try:
        found = ipaddress.ip_address(value.partition("/")[0])
    except ValueError:
        return None
    return None if found.is_unspecified or found.is_loopback or found.is_multicast else found
