# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The codec: a base prefix and ordered bit fields <-> an address.

    Layout("10.0.0.0/9", [Bits("plane", 2), Bits("rail", 3), ..., Bits("side", 1)])

`encode` and `decode` are exact inverses on every value that the fields allow; a pad, a maximum or
a code that does not hold makes `decode` refuse the address instead of inventing a place.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import itertools
import socket
import typing as t

from ...description.errors import FabricError, NotInFabric, shown

if t.TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class Bits:
    """One field: `width` bits, values 0 to `maximum`; a constant; or coded (index -> bits)."""

    name: str
    width: int
    maximum: int = -1
    value: int | None = None
    codes: tuple[int, ...] | None = None

    @property
    def top(self) -> int:
        """The largest coordinate that the field carries."""
        if self.codes:
            return len(self.codes) - 1
        return self.maximum if self.maximum >= 0 else (1 << self.width) - 1


def text(address: int, version: int) -> str:
    """An integer as an address: dotted, or compressed IPv6."""
    if version == 4:
        return f"{address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}"
    return str(ipaddress.IPv6Address(address))


def number(address: str) -> tuple[int, int]:
    """`10.0.0.1` -> (167772161, 4); FabricError when it is no address."""
    version, family = (6, socket.AF_INET6) if ":" in address else (4, socket.AF_INET)
    try:
        return int.from_bytes(socket.inet_pton(family, address), "big"), version
    except (OSError, ValueError):
        raise FabricError.of(
            f"{shown(address)} is not an IPv4 or IPv6 address: write one such as 172.16.1.2."
        ) from None


class Management(t.NamedTuple):
    """An out-of-band port: its address, prefix length, and gateway, 0 where that is not known.

    A site may state an address of IPv6, of which no device has one below 2^32.
    """

    address: int
    length: int
    gateway: int = 0

    @property
    def version(self) -> int:
        """Version of IP."""
        return 6 if self.address >> 32 else 4

    @property
    def text(self) -> str:
        """The address without its length."""
        return text(self.address, self.version)

    @property
    def whole(self) -> str:
        """The address with its length."""
        return f"{self.text}/{self.length}"


class Layout:
    """A prefix whose remaining bits are fields, most significant first.

    `placed` has each field with the bits to its right.
    """

    def __init__(
        self, name: str, base: str, fields: Sequence[Bits], *, link_length: int = 0
    ) -> None:
        network = _network(base, name)
        self.name, self.base, self.fields = name, str(network), tuple(fields)
        self.version = network.version
        self.bits = network.max_prefixlen
        self.prefix_length = network.prefixlen
        self.link_length = link_length or self.bits
        self._first = int(network.network_address)
        self._last = int(network.broadcast_address)
        free = self.bits - self.prefix_length
        used = sum(field.width for field in self.fields)
        if self.fields and used > free:
            raise FabricError.of(
                f"{self.name}: its fields need {used} bits, and {self.base} has {free}: "
                f"use a /{self.bits - used} or shorter prefix."
            )
        ends = itertools.accumulate(field.width for field in self.fields)
        self.placed = [(used - end, field) for end, field in zip(ends, self.fields)]
        self._shifts = {f.name: (at, f) for at, f in self.placed if f.value is None}
        constants = [(at, f.width, f.value) for at, f in self.placed if f.value is not None]
        if self.fields:
            constants.append((used, free - used, 0))
        self._fixed_mask = sum(((1 << width) - 1) << at for at, width, _value in constants)
        self._fixed = sum(value << at for at, _width, value in constants)

    def carries(self, name: str) -> bool:
        """Check whether the address holds this coordinate."""
        return name in self._shifts

    def top(self, name: str) -> int:
        """The largest value of a coordinate; 0 for one that the address does not hold."""
        return self._shifts[name][1].top if name in self._shifts else 0

    def shift(self, name: str) -> int:
        """Bits to the right of a field."""
        return self._shifts[name][0]

    def width(self, name: str) -> int:
        """Bits of a field."""
        return self._shifts[name][1].width

    def __contains__(self, address: int) -> bool:
        return self._first <= address <= self._last

    def packer(self, names: Sequence[str]) -> Callable[..., int]:
        """A fast encoder of positional coordinates; absent ones are ignored, none is checked.

        Coded fields must come last and take the code's index.
        """
        base = self._first | self._fixed
        places = [self._shifts.get(name, (0, Bits(name, 0))) for name in names]
        weights = [1 << at if field.width and not field.codes else 0 for at, field in places]
        coded = [(i, at, field.codes) for i, (at, field) in enumerate(places) if field.codes]

        def pack(*values: int) -> int:
            address = base
            for weight, value in zip(weights, values):
                address += weight * value
            for index, shift, codes in coded:
                address |= codes[values[index]] << shift
            return address

        return pack

    def unpacker(self, names: Sequence[str]) -> Callable[[int], tuple[int, ...] | None]:
        """A fast decoder to positional coordinates (0 where absent); None for a foreign address."""
        first, last, mask, fixed = self._first, self._last, self._fixed_mask, self._fixed
        steps = []
        for name in names:
            shift, field = self._shifts.get(name, (0, Bits(name, 0)))
            codes = {code: i for i, code in enumerate(field.codes)} if field.codes else None
            steps.append((shift, (1 << field.width) - 1, field.top, codes))

        def unpack(address: int) -> tuple[int, ...] | None:
            if not first <= address <= last or (address & mask) != fixed:
                return None
            values = []
            for shift, ones, top, codes in steps:
                value: int | None = (address >> shift) & ones
                if codes is not None:
                    value = codes.get(value)  # type: ignore[arg-type]
                if value is None or value > top:
                    return None
                values.append(value)
            return tuple(values)

        return unpack

    def encode(self, coordinates: Mapping[str, int]) -> int:
        """The address of coordinates by name; FabricError names a field that overflows."""
        address = self._first | self._fixed
        for name, (shift, field) in self._shifts.items():
            value = coordinates[name]
            if not 0 <= value <= field.top:
                raise FabricError.of(self.overflow(name, value))
            address |= (field.codes[value] if field.codes else value) << shift
        return address

    def decode(self, address: int) -> dict[str, int]:
        """Coordinates by name; NotInFabric when the address is none of the layout."""
        names = list(self._shifts)
        values = self.unpacker(names)(address)
        if values is None:
            raise NotInFabric.of(f"{text(address, self.version)} is not an address of {self.name}.")
        return dict(zip(names, values))

    def overflow(self, name: str, value: int) -> str:
        """Reason that a coordinate does not fit."""
        field = self._shifts[name][1]
        return (
            f"{name} {value} does not fit the {field.width}-bit {name} field of {self.name} "
            f"(max {field.top})"
        )

    def prefix(self, address: int, *, after: str) -> str:
        """The prefix that ends behind a field (or `base`, or `link`) and holds the address."""
        lengths = {"base": self.prefix_length, "link": self.link_length}
        length = lengths[after] if after in lengths else self.bits - self._shifts[after][0]
        masked = address >> (self.bits - length) << (self.bits - length)
        return f"{text(masked, self.version)}/{length}"


def _network(base: str, name: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(base)
    except ValueError as exc:
        raise FabricError.of(
            f"{name}: '{base}' is not a prefix ({exc}): write one such as 10.128.0.0/13."
        ) from exc
