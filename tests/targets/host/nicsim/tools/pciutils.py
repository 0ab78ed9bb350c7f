# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lspci and setpci as of pciutils 3.9.0, over the simulated configuration space."""

from __future__ import annotations

import dataclasses
import re
import sys
from typing import NoReturn, Optional

from nicsim import pci
from nicsim.call import Call, ToolError, say
from nicsim.pci import Device
from nicsim.store import State
from nicsim.tools import _lspci

HEX = re.compile(r"^[0-9a-fA-F]+$")


# ------------------------------------------------------------------------------------ filters


@dataclasses.dataclass(frozen=True)
class Filter:
    """`-s` and `-d`: None is any."""

    domain: Optional[int] = None
    bus: Optional[int] = None
    slot: Optional[int] = None
    function: Optional[int] = None
    vendor: Optional[int] = None
    device: Optional[int] = None
    pci_class: Optional[int] = None

    def matches(self, device: Device) -> bool:
        """Check whether a device is meant."""
        domain, bus, place = device.address.split(":")
        slot, function = place.split(".")
        have = (
            *(int(domain, 16), int(bus, 16), int(slot, 16), int(function, 16)),
            *(device.vendor, device.device, device.pci_class >> 8),
        )
        return all(want in (None, is_) for want, is_ in zip(dataclasses.astuple(self), have))


class BadFilter(Exception):
    """The text is what pciutils says of it."""


def _field(text: str, highest: int, complaint: str) -> Optional[int]:
    if text in ("", "*"):
        return None
    if not HEX.match(text) or int(text, 16) > highest:
        raise BadFilter(complaint)
    return int(text, 16)


def by_slot(text: str, base: Filter) -> Filter:
    """[[[domain]:][bus]:][slot][.[func]]."""
    fields = text.split(":")
    if len(fields) > 3:
        raise BadFilter("Too many fields")
    slot, _dot, function = fields[-1].partition(".")
    return dataclasses.replace(
        base,
        domain=_field(fields[-3], 0x7FFFFFFF, "Invalid domain number") if fields[2:] else None,
        bus=_field(fields[-2], 0xFF, "Invalid bus number") if fields[1:] else None,
        slot=_field(slot, 0x1F, "Invalid slot number"),
        function=_field(function, 7, "Invalid function number"),
    )


def by_identity(text: str, base: Filter) -> Filter:
    """[vendor]:[device][:class]."""
    fields = text.split(":")
    if len(fields) == 1:
        raise BadFilter("At least two fields must be given")
    return dataclasses.replace(
        base,
        vendor=_field(fields[0], 0xFFFF, "Invalid vendor ID"),
        device=_field(fields[1], 0xFFFF, "Invalid device ID"),
        pci_class=_field(fields[2], 0xFFFF, "Invalid class code") if fields[2:] else None,
    )


READERS = {"s": by_slot, "d": by_identity}


# -------------------------------------------------------------------------------------- lspci


def lspci(call: Call) -> int:
    """`[-n|-nn] [-D] [-d ID] [-s SLOT] [-k] [-v...] [-x...]` of every simulated device."""
    letters, chosen = _lspci_options(call.argv)
    look = _lspci.Look(
        numbers=letters.count("n"),
        verbose=letters.count("v"),
        domains="D" in letters,
        drivers="k" in letters,
        dump=letters.count("x"),
    )
    with call.state() as state:
        for device in pci.devices(state):
            if chosen.matches(device):
                say(_lspci.text(device, pci.readable(state, device), look), end="")
    return 0


def _lspci_options(argv: list[str]) -> tuple[str, Filter]:
    letters, chosen, rest = "", Filter(), list(argv)
    while rest:
        word = rest.pop(0)
        match = re.match(r"^-([nvkDx]*)(?:([sd])(.*))?$", word)
        if not match or word == "-":
            raise ToolError(f"nicsim: lspci {word} is not simulated", 1, "stderr")
        letters += match[1]
        if match[2]:
            value = match[3] or (rest.pop(0) if rest else "")
            try:
                chosen = READERS[match[2]](value, chosen)
            except BadFilter as complaint:
                raise ToolError(f"lspci: -{match[2]}: {complaint}", 1, "stderr") from complaint
    return letters, chosen


# ------------------------------------------------------------------------------------- setpci

WIDTHS = {"B": 1, "W": 2, "L": 4}

#: name -> (capability or 0, offset, width or 0, header types that have it or None for all)
REGISTERS: dict[str, tuple[int, int, int, Optional[tuple[int, ...]]]] = {
    "VENDOR_ID": (0, 0x00, 2, None),
    "DEVICE_ID": (0, 0x02, 2, None),
    "COMMAND": (0, 0x04, 2, None),
    "STATUS": (0, 0x06, 2, None),
    "REVISION": (0, 0x08, 1, None),
    "CLASS_DEVICE": (0, 0x0A, 2, None),
    "HEADER_TYPE": (0, 0x0E, 1, None),
    "CAPABILITIES": (0, 0x34, 1, (0, 1)),
    "SUBSYSTEM_VENDOR_ID": (0, 0x2C, 2, (0,)),
    "SUBSYSTEM_ID": (0, 0x2E, 2, (0,)),
    "PRIMARY_BUS": (0, 0x18, 1, (1,)),
    "SECONDARY_BUS": (0, 0x19, 1, (1,)),
    "SUBORDINATE_BUS": (0, 0x1A, 1, (1,)),
    "CAP_PM": (0x01, 0, 0, None),
    "CAP_VPD": (0x03, 0, 0, None),
    "CAP_MSI": (0x05, 0, 0, None),
    "CAP_EXP": (pci.EXPRESS, 0, 0, None),
    "CAP_MSIX": (0x11, 0, 0, None),
    "ECAP_AER": (0x10001, 0, 0, None),
    "ECAP_DSN": (0x10003, 0, 0, None),
    "ECAP_ACS": (pci.ACS, 0, 0, None),
    "ECAP_ARI": (0x1000E, 0, 0, None),
    "ECAP_ATS": (0x1000F, 0, 0, None),
    "ECAP_SRIOV": (0x10010, 0, 0, None),
}


@dataclasses.dataclass(frozen=True)
class Operation:
    """One register; `values` are (value, mask), none is a reading."""

    name: str
    capability: int
    offset: int
    width: int
    headers: Optional[tuple[int, ...]]
    values: tuple[tuple[int, int], ...]


def _refuse(sentence: str) -> NoReturn:
    raise ToolError(f"setpci: {sentence}.\nTry `setpci --help' for more information.", 1, "stderr")


def setpci(call: Call) -> int:
    """`[-v] [-f] [-D] (-s SLOT|-d ID)... REGISTER[=VALUE[:MASK],...]...`."""
    letters, rest = _setpci_options(call.argv)
    groups = _groups(rest)
    writes = any(operation.values for _chosen, operations in groups for operation in operations)
    if writes and "D" not in letters:
        call.wants_write()
    with call.state() as state:
        for number, (chosen, operations) in enumerate(groups, 1):
            found = [device for device in pci.devices(state) if chosen.matches(device)]
            found = found if operations else []
            if not found and "f" not in letters:
                _warn(f"setpci: Warning: No devices selected for operation group {number}.")
            for device in found:
                access = Access(state, device, letters, writes=writes)
                for operation in operations:
                    access.run(operation)
    return 0


def _warn(line: str) -> None:
    sys.stderr.write(line + "\n")


def _setpci_options(argv: list[str]) -> tuple[str, list[str]]:
    letters, rest = "", list(argv)
    while rest and re.match(r"^-[vfDr]+$", rest[0]):
        letters += rest.pop(0)[1:]
    return letters, rest


def _groups(words: list[str]) -> list[tuple[Filter, list[Operation]]]:
    """Filters that follow each other are one; operations after them are theirs."""
    groups: list[tuple[Filter, list[Operation]]] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.startswith("-"):
            if not groups or groups[-1][1]:
                groups.append((Filter(), []))
            groups[-1] = (_filter(word, rest, groups[-1][0]), [])
        elif not groups:
            _refuse("Filter specification expected")
        else:
            groups[-1][1].append(operation_of(word))
    if not groups:
        _refuse("No operation specified")
    return groups


def _filter(word: str, rest: list[str], base: Filter) -> Filter:
    letter = word[1:2]
    if letter not in READERS or not letter:
        _refuse(f"Invalid option -{letter}")
    value = word[2:].lstrip("=")
    if not value and not rest:
        _refuse(f"Option -{letter} requires an argument")
    try:
        return READERS[letter](value or rest.pop(0), base)
    except BadFilter as complaint:
        _refuse(f"Unable to parse filter -{letter} {complaint}")


def _hex(text: str) -> Optional[int]:
    """As strtoul reads base 16: a leading 0x is allowed."""
    digits = text[2:] if text[:2].lower() == "0x" else text
    return int(digits, 16) if HEX.match(digits) else None


def operation_of(word: str) -> Operation:
    """`<base>[+<offset>][.(B|W|L)][=<value>[:<mask>],...]`."""
    head, equals, text = word.partition("=")
    head, _dot, letter = head.partition(".")
    base, plus, offset = head.partition("+")
    if equals and not text:
        _refuse("Missing value")
    if letter and letter.upper() not in WIDTHS:
        _refuse(f'Invalid width "{letter}"')
    capability, address, width, headers = _register(base)
    width = WIDTHS.get(letter.upper(), width)
    if not width:
        _refuse("Missing width")
    added = _hex(offset) if plus else 0
    if added is None or added >= pci.SIZE:
        _refuse(f'Invalid offset "{offset}"')
    address += added
    if address + width > pci.SIZE:
        _refuse(f"Register number {address:02x} out of range")
    if address % width:
        _refuse(f"Unaligned register address {address:02x}")
    values = tuple(_value(part, width) for part in text.split(",")) if equals else ()
    return Operation(base.upper(), capability, address, width, headers, values)


def _register(base: str) -> tuple[int, int, int, Optional[tuple[int, ...]]]:
    number = _hex(base)
    if number is not None:
        return 0, number, 0, None
    if base.upper() in REGISTERS:
        return REGISTERS[base.upper()]
    for prefix, extended, limit in (("ECAP", 0x10000, 0x1000), ("CAP", 0, 0x100)):
        found = _hex(base[len(prefix) :]) if base.upper().startswith(prefix) else None
        if found is not None and found < limit:
            return extended | found, 0, 0, None
    _refuse(f'Unknown register "{base}"')


def _value(text: str, width: int) -> tuple[int, int]:
    whole = (1 << 8 * width) - 1
    first, colon, second = text.partition(":")
    value, mask = _hex(first), _hex(second) if colon else whole
    if value is None:
        _refuse(f'Invalid value "{text}"')
    if mask is None:
        _refuse(f'Invalid mask "{second}"')
    if value > whole:
        _refuse(f'Value "{text}" is out of range')
    if mask > whole:
        _refuse(f'Mask "{second}" is out of range')
    return value & mask, mask


class Access:
    """One device's `config` file as setpci uses it: who may not write cannot even open it."""

    def __init__(self, state: State, device: Device, letters: str, *, writes: bool) -> None:
        self.state, self.device = state, device
        self.verbose, self.dry = "v" in letters, "D" in letters
        self.closed = writes and not self.dry and pci.hidden(state)

    def run(self, operation: Operation) -> None:
        """Read or write one register."""
        self._trace(f"{self.device.address} ")
        at = self._place(operation)
        self._trace(f"@{at:02x}")
        if operation.headers is not None and int(self.device.bridge) not in operation.headers:
            self._die(f"Does not have register {operation.name}.")
        if not operation.values:
            self._trace(" = ")
            say(f"{self._read(at, operation.width):0{2 * operation.width}x}")
            return
        for value, mask in operation.values:
            self._write(at, operation.width, value=value, mask=mask)
            at += operation.width
        self._trace("\n")

    def _trace(self, text: str) -> None:
        if self.verbose:
            say(text, end="")

    def _place(self, operation: Operation) -> int:
        """Place of the register."""
        wanted = operation.capability
        if not wanted:
            return operation.offset
        extended, number = bool(wanted & 0x10000), wanted & 0xFFFF
        known = pci.capabilities(self._image())
        if self.closed:
            self._complain(4)
        if wanted not in known:
            kind = "Extended capability" if extended else "Capability"
            self._die(
                f"Instance #0 of {kind} {number:04x} not found - there are no capabilities with "
                "that id."
            )
        at = known[wanted]
        self._trace(
            f"(ecap {number:04x} @{at:03x}) " if extended else f"(cap {number:02x} @{at:02x}) "
        )
        return at + operation.offset

    def _image(self) -> bytes:
        return bytes(64) if self.closed else pci.readable(self.state, self.device)

    def _complain(self, times: int) -> None:
        for _time in range(times):
            _warn(f"pcilib: Cannot open /sys/bus/pci/devices/{self.device.address}/config")

    def _die(self, sentence: str) -> NoReturn:
        raise ToolError(f"setpci: {self.device.address}: {sentence}", 1, "stderr")

    def _read(self, at: int, width: int) -> int:
        """All ones where nothing can be read."""
        if self.closed:
            self._complain(1)
        raw = b"" if self.closed else self._image()[at : at + width]
        return int.from_bytes(raw, "little") if len(raw) == width else (1 << 8 * width) - 1

    def _write(self, at: int, width: int, *, value: int, mask: int) -> None:
        """A file that cannot be opened is a warning and no error to setpci."""
        digits = 2 * width
        if mask == (1 << 8 * width) - 1:
            self._trace(f" {value:0{digits}x}")
        else:
            before, asked = self._read(at, width), value
            value = (before & ~mask) | asked
            parts = (f"{number:0{digits}x}" for number in (before, asked, mask, value))
            self._trace(" {}->({}:{})->{}".format(*parts))
        if self.closed:
            self._complain(1)
        elif not self.dry:
            pci.write(self.device, at, value.to_bytes(width, "little"))
