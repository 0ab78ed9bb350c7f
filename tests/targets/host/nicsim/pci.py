# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The PCI devices of the host, the bridges above each card, and their configuration space.

Every card stands below a root port and a switch (upstream port, downstream port), and a GPU where
there is one below the same switch. A device's 4096 bytes are made from a few registers of the
state; what is written goes back into the bits of them that the PCI Express specification makes
writable. Offsets of registers are those of linux/pci_regs.h.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Optional

from nicsim import faults, hardware
from nicsim.store import State

SIZE = 4096
ADDRESS = re.compile(r"^([0-9a-f]{4}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])$")

EXPRESS, ACS = 0x0010, 0x1000D
"""Capability numbers; an extended one has 0x10000 added."""
DEVICE_CONTROL, ACS_CONTROL = 8, 6
"""Place of the register in its capability."""

CARD_CONTROL = 0x2936
"""Device Control of a card that nobody tuned: MaxReadReq 512 bytes, MaxPayload 256 bytes."""
PORT_CONTROL = 0x0027
"""The same of a port: it makes no reads of its own, MaxPayload 256 bytes."""
BOOT_ACS = 0x001D
"""Bits that Linux turns on where an IOMMU is in use: SrcValid, ReqRedir, CmpltRedir, UpstreamFwd."""

ENDPOINT, ROOT, UPSTREAM, DOWNSTREAM = 0, 4, 5, 6
"""Device/Port Type of the PCI Express Capabilities register."""
KINDS = {"root": ROOT, "upstream": UPSTREAM, "downstream": DOWNSTREAM}

DEVICE_CAP = {
    ENDPOINT: 0x10008FE2 | 75 << 18,
    ROOT: 0x00008022,
    UPSTREAM: 0x00008022 | 75 << 18,
    DOWNSTREAM: 0x00008022,
}
"""Device Capabilities: MaxPayload 512 bytes; an endpoint has function level reset."""
ACS_CAP = {ROOT: 0x001F, DOWNSTREAM: 0x007F}
"""Capabilities of a port; an upstream port of a switch has no ACS."""

DEVICE_CONTROL_BITS = 0x7FFF
"""Bit 15 starts a reset of the function and reads as 0."""


class Device(NamedTuple):
    """One function on the bus; `registers` are the state's own, `buses` those of a bridge."""

    address: str
    kind: int
    parent: Optional[str]
    vendor: int
    device: int
    pci_class: int
    revision: int
    registers: dict[str, int]
    driver: Optional[str]
    numa: int = 0
    buses: Optional[tuple[int, int, int]] = None
    vpd: bytes = b""

    @property
    def bridge(self) -> bool:
        """Check whether there are other devices below it."""
        return self.buses is not None


# ------------------------------------------------------------------------------ which there are


def bus(address: str) -> int:
    """0000:18:00.0 -> 0x18."""
    return int(address.split(":")[1], 16)


def plan(slots: list[str]) -> list[dict[str, str]]:
    """For each card's slot (0000:18:00) the addresses of root, upstream, downstream, gpuport, gpu.

    A bus that no card uses, the nearest below the card's own, is given to each part of its switch.
    """
    used = {(slot.split(":")[0], bus(slot)) for slot in slots}
    found = []
    for number, slot in enumerate(slots):
        domain = slot.split(":")[0]
        below = [*range(bus(slot) - 1, 0, -1), *range(0xFF, bus(slot), -1)]
        free = [spare for spare in below if (domain, spare) not in used][:3]
        used |= {(domain, spare) for spare in free}
        inner, outer, gpu = free
        found.append(
            {
                "root": f"{domain}:00:{number + 1:02x}.0",
                "upstream": f"{domain}:{outer:02x}:00.0",
                "downstream": f"{domain}:{inner:02x}:00.0",
                "gpuport": f"{domain}:{inner:02x}:10.0",
                "gpu": f"{domain}:{gpu:02x}:00.0",
            }
        )
    return found


def fresh(path: dict[str, str]) -> dict[str, dict[str, int]]:
    """Registers of all that stands above or beside a card, as a boot leaves them."""
    return {
        path[part]: {"devctl": CARD_CONTROL if part == "gpu" else PORT_CONTROL, "acsctl": 0}
        for part in path
    }


def boot(state: State) -> None:
    """The registers of bridges and GPUs are as after a boot of the host."""
    for nic in state["nics"]:
        nic["above"] = fresh(nic["path"])
        if faults.active(state, "acs-on", nic):
            raise_acs(nic)


def raise_acs(nic: dict[str, Any]) -> None:
    """Set the bits that the kernel turns on at a boot where an IOMMU is in use."""
    _set_acs(nic, BOOT_ACS)


def lower_acs(nic: dict[str, Any]) -> None:
    """ACS is off in every port above the card."""
    _set_acs(nic, 0)


def _set_acs(nic: dict[str, Any], bits: int) -> None:
    for part in ("root", "downstream", "gpuport"):
        nic["above"][nic["path"][part]]["acsctl"] = bits


def devices(state: State) -> list[Device]:
    """All of them in the order of their addresses."""
    found = [device for nic in state["nics"] for device in _around(state, nic)]
    return sorted(found, key=lambda device: device.address)


def way(parents: Mapping[str, Optional[str]], address: str) -> list[str]:
    """The addresses from the root port down to the device itself."""
    steps: list[str] = []
    place: Optional[str] = address
    while place is not None:
        steps.insert(0, place)
        place = parents[place]
    return steps


def _around(state: State, nic: dict[str, Any]) -> Iterator[Device]:
    """A card's functions, the bridges above, and the GPU beside."""
    path, above = nic["path"], nic["above"]
    top, inner = bus(path["upstream"]), bus(path["downstream"])
    below = [bus(nic["slot"])]
    if state["host"]["gpu"]:
        below.append(bus(path["gpu"]))
    last = max(top, inner, *below)

    def port(part: str, kind: str, over: Optional[str], buses: tuple[int, int, int]) -> Device:
        vendor, number, revision = (
            (0x8086, 0x352A, 0x11) if kind == "root" else (0x1000, 0xC030, 0xB0)
        )
        return Device(
            path[part], KINDS[kind], over, vendor, number, 0x060400, revision, above[path[part]],
            "pcieport", buses=buses,
        )  # fmt: skip

    yield port("root", "root", None, (0, top, last))
    yield port("upstream", "upstream", path["root"], (top, inner, last))
    yield port("downstream", "downstream", path["upstream"], (inner, below[0], below[0]))
    if state["host"]["gpu"]:
        yield port("gpuport", "downstream", path["upstream"], (inner, below[1], below[1]))
        yield Device(
            path["gpu"], ENDPOINT, path["gpuport"], 0x10DE, 0x2330, 0x030200, 0xA1,
            above[path["gpu"]], "nvidia",
        )  # fmt: skip
    for function in hardware.visible(nic):
        yield Device(
            function["pci"], ENDPOINT, path["downstream"], 0x15B3, int(nic["device_id"], 16),
            0x020000, 1, function["runtime"], None if function.get("unbound") else "mlx5_core",
            function["numa"], vpd=_vital(nic),
        )  # fmt: skip


# ------------------------------------------------------------------------- configuration space


def readable(state: State, device: Device) -> bytes:
    """Return the bytes for a reader of the `config` file: 64 where he is not root."""
    return bytes(space(device))[: 64 if hidden(state) else SIZE]


def hidden(state: State) -> bool:
    """Check whether the caller has no right to more than the standard header."""
    return "config-short" in faults.names(state)


def space(device: Device) -> bytearray:
    """The 4096 bytes."""
    image = bytearray(SIZE)
    _put(image, 0x00, device.vendor, 2)
    _put(image, 0x02, device.device, 2)
    _put(image, 0x04, 0x0546 if not device.bridge else 0x0547, 2)
    _put(image, 0x06, 0x0010, 2)
    _put(image, 0x08, device.revision | device.pci_class << 8, 4)
    _put(image, 0x0E, 1 if device.bridge else 0, 1)
    if device.buses:
        for offset, number in enumerate(device.buses):
            _put(image, 0x18 + offset, number, 1)
        _bridge_windows(image)
    else:
        _put(image, 0x2C, device.vendor | 0x0009 << 16, 4)
    _put(image, 0x34, 0x60, 1)
    _express(image, device)
    if device.vpd:
        _put(image, 0x48, 0x03, 1)
    _extended(image, device)
    return image


def _put(image: bytearray, offset: int, value: int, width: int) -> None:
    image[offset : offset + width] = value.to_bytes(width, "little")


def _bridge_windows(image: bytearray) -> None:
    """Every window closed: base above limit."""
    _put(image, 0x1C, 0x01F1, 2)
    _put(image, 0x20, 0x0000FFF0, 4)
    _put(image, 0x24, 0x0001FFF1, 4)


def _express(image: bytearray, device: Device) -> None:
    """PCI Express at 0x60, a Gen5 x16 link that works at full speed."""
    _put(image, 0x60, EXPRESS | (0x48 << 8 if device.vpd else 0), 2)
    _put(image, 0x62, 2 | device.kind << 4, 2)
    _put(image, 0x64, DEVICE_CAP[device.kind], 4)
    _put(image, 0x60 + DEVICE_CONTROL, device.registers["devctl"], 2)
    _put(image, 0x6C, 0x00000105, 4)
    _put(image, 0x72, 0x1105, 2)
    _put(image, 0x8C, 0x3E, 4)
    _put(image, 0x90, 0x0005, 2)


def _extended(image: bytearray, device: Device) -> None:
    """A port has a serial number at 0x100, then ACS where it can have it; a card has neither."""
    acs = ACS_CAP.get(device.kind)
    if not device.bridge:
        return
    place = 0xF24 if device.kind == DOWNSTREAM else 0x220
    _put(image, 0x100, 0x00010003 | (place << 20 if acs else 0), 4)
    if acs is None:
        return
    _put(image, place, 0x0001000D, 4)
    _put(image, place + 4, acs, 2)
    _put(image, place + ACS_CONTROL, device.registers["acsctl"], 2)


def capabilities(image: bytes) -> dict[int, int]:
    """Capability number -> offset, extended ones with 0x10000 added; what cannot be read is none."""
    found: dict[int, int] = {}
    place = image[0x34] & ~3
    while place and place + 2 <= len(image):
        found.setdefault(image[place], place)
        place = image[place + 1] & ~3
    place = 0x100 if EXPRESS in found else 0
    while place and place + 4 <= len(image):
        header = int.from_bytes(image[place : place + 4], "little")
        if not header:
            break
        found.setdefault(0x10000 | header & 0xFFFF, place)
        place = header >> 20
    return found


def write(device: Device, offset: int, value: bytes) -> None:
    """Take over what reaches a register that a host may write; the rest is read-only."""
    image = space(device)
    found = capabilities(bytes(image))
    image[offset : offset + len(value)] = value
    for number, place, name in (
        (EXPRESS, DEVICE_CONTROL, "devctl"),
        (ACS, ACS_CONTROL, "acsctl"),
    ):
        if number in found:
            at = found[number] + place
            device.registers[name] = _accepted(device, name, bytes(image[at : at + 2]))


def _accepted(device: Device, name: str, raw: bytes) -> int:
    mask = ACS_CAP[device.kind] if name == "acsctl" else DEVICE_CONTROL_BITS
    return int.from_bytes(raw, "little") & mask


# ----------------------------------------------------------------------------------- VPD


def _vital(nic: dict[str, Any]) -> bytes:
    """Vital Product Data: name, then PN and SN, then a checksum."""
    name = nic["description"].encode()
    fields = b"".join(
        key + bytes([len(text)]) + text
        for key, text in (
            (b"PN", nic["part_number"].split("_")[0].encode()),
            (b"SN", nic["serial"].encode()),
        )
    )
    head = b"\x82" + len(name).to_bytes(2, "little") + name
    head += b"\x90" + (len(fields) + 4).to_bytes(2, "little") + fields + b"RV\x01"
    return head + bytes([-sum(head) & 0xFF]) + b"\x78"
