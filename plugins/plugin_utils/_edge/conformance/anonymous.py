# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a device answered, without anything that shows whose device it is. Private.

    hide = Anonymous({"leaf-p1-su001-r1", "acme"})
    hide.data({"swp1": {"address": "10.1.2.3/31"}})      {"swp1": {"address": "198.18.0.1/31"}}

Numbers, truth values, words of states, names of ports, versions and models stay. Every other text becomes a
placeholder, each text the same one at each place. `leaks` finds what is left of the site all the same.
"""

from __future__ import annotations

import ipaddress
import re
import typing as t

if t.TYPE_CHECKING:
    from collections.abc import Iterable

_STATES = frozenset(
    {
        "state",
        "oper-status",
        "admin-status",
        "status",
        "mode",
        "type",
        "severity",
        "protocol",
        "origin",
        "progress",
    }
)
"""Keys whose values are words of the device's own language."""
_VERSIONS = frozenset(
    {
        "build",
        "product-release",
        "version",
        "image",
        "model",
        "product-name",
        "part-number",
        "asic-model",
    }
)
"""Keys whose values say what the device is, not whose."""
_SYSTEMS = frozenset({"remote-as", "local-as", "autonomous-system", "peer-as", "asn"})
_NAMES = frozenset(
    {
        "user",
        "peer-group",
        "route-map",
        "prefix-list",
        "community-list",
        "snippet",
        "role",
        "class",
        "profile",
        "acl",
    }
    | {
        "neighbor",
        "interface",
        "vrf",
        "server",
        "destination",
        "certificate",
        "ca-certificate",
        "hostname",
    }
)
"""Keys below which the site chooses the keys."""
_KEPT_NAME = re.compile(
    r"swp\d+(s\d+)?|eth\d+|lo|vlan\d+|bond\d+|br_\w+|default|mgmt|\d{1,6}|ipv[46]|\*"
)
_WORD = re.compile(r"[A-Za-z][A-Za-z _/-]{0,30}( \([A-Za-z -]{1,20}\))?")
_COUNT = re.compile(r"[-+]?\d{1,20}(\.\d+)?([eE][-+]?\d+)?( ?[A-Za-z%/]{1,8})?")
_MAC = re.compile(r"(?<![\w:])[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}(?![\w:])", re.IGNORECASE)
_GUID = re.compile(
    r"(?<![\w:])(?:[0-9a-f]{4}:){3}[0-9a-f]{4}(?![\w:])|\b0x[0-9a-f]{16}\b", re.IGNORECASE
)
_ADDRESS = re.compile(
    r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})(?:/\d{1,3})?(?![\w.:])",
    re.IGNORECASE,
)
_FOUR, _SIX = int(ipaddress.ip_address("198.18.0.0")), int(ipaddress.ip_address("2001:db8::"))
_SHORTEST = 3


class Anonymous:
    """Replaces what shows the site; `words` are names of it, such as of devices and tenants."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = {word.lower() for word in words if len(word) >= _SHORTEST}
        self._given: dict[str, str] = {}
        self._count: dict[str, int] = {}

    def data(self, value: t.Any, path: tuple[str, ...] = ()) -> t.Any:
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
        return 65000 if key in _SYSTEMS and isinstance(value, int) else value

    def text(self, said: str) -> str:
        """A sentence or the output of a tool without addresses and names of the site."""
        said = _MAC.sub(lambda match: self._mac(match[0]), said)
        said = _GUID.sub(lambda match: self._guid(match[0]), said)
        said = _ADDRESS.sub(lambda match: self._address(match[0]), said)
        return (
            self._pattern().sub(lambda match: self._name("name", match[0]), said)
            if self._words
            else said
        )

    def leaks(self, text: str) -> list[str]:
        """Names and addresses of the site that a text still holds."""
        found = [match[0] for match in self._pattern().finditer(text)] if self._words else []
        given = set(self._given.values())
        for match in _ADDRESS.finditer(text):
            if _found(match[0]) and match[0].partition("/")[0] not in given:
                found.append(match[0])
        return sorted(set(found))

    def _key(self, key: str, path: tuple[str, ...]) -> str:
        made = self.text(key)
        if made == key and path and path[-1] in _NAMES and not _KEPT_NAME.fullmatch(key):
            return self._name("name", key)
        return made

    def _value(self, key: str, value: str) -> str:
        made = self.text(value)
        if (
            made != value
            or key in _VERSIONS
            or _ADDRESS.fullmatch(value)
            or not value
            or _KEPT_NAME.fullmatch(value)
        ):
            return made
        if key in _SYSTEMS:
            return "65000"
        if key in _STATES and _WORD.fullmatch(value):
            return made
        if _COUNT.fullmatch(value) and not any(
            word in key for word in ("serial", "guid", "id", "mac")
        ):
            return made
        return made if value.lower() in _PLAIN else self._name("text", value)

    def _pattern(self) -> re.Pattern[str]:
        words = sorted(self._words, key=len, reverse=True)
        return re.compile(
            rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, words))})(?![A-Za-z0-9])", re.IGNORECASE
        )

    def _name(self, kind: str, value: str) -> str:
        return self._given.setdefault(f"{kind} {value.lower()}", f"{kind}-{self._next(kind)}")

    def _next(self, kind: str) -> int:
        self._count[kind] = self._count.get(kind, 0) + 1
        return self._count[kind]

    def _mac(self, value: str) -> str:
        if f"mac {value.lower()}" not in self._given:
            number = self._next("mac")
            self._given[f"mac {value.lower()}"] = (
                f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}"
            )
        return self._given[f"mac {value.lower()}"]

    def _guid(self, value: str) -> str:
        if f"guid {value.lower()}" not in self._given:
            digits = f"{self._next('guid'):016x}"
            parts = [digits[at : at + 4] for at in range(0, 16, 4)]
            self._given[f"guid {value.lower()}"] = (
                f"0x{digits}" if value[:2] == "0x" else ":".join(parts)
            )
        return self._given[f"guid {value.lower()}"]

    def _address(self, value: str) -> str:
        """Another address for one, the same each time; a length stays, and so does what is none."""
        found = _found(value)
        if found is None:
            return value
        key = f"address {found}"
        if key not in self._given:
            base = _FOUR if found.version == 4 else _SIX
            self._given[key] = str(ipaddress.ip_address(base + self._next(f"v{found.version}")))
        return self._given[key] + "".join(value.partition("/")[1:])


_PLAIN = frozenset(
    {
        "on",
        "off",
        "yes",
        "no",
        "true",
        "false",
        "enabled",
        "disabled",
        "enable",
        "disable",
        "none",
        "auto",
        "up",
        "down",
    }
    | {
        "full",
        "half",
        "n/a",
        "na",
        "unknown",
        "ok",
        "green",
        "yes/no",
        "lossless",
        "lossy",
        "external",
        "internal",
    }
)


def _found(value: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a text is, with or without a length; None for no address, and for one that all devices have."""
    try:
        found = ipaddress.ip_address(value.partition("/")[0])
    except ValueError:
        return None
    return None if found.is_unspecified or found.is_loopback or found.is_multicast else found
