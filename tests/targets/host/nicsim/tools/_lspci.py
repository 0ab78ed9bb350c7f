# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Output of lspci 3.9.0 for a device of the simulation, byte for byte.

What a host can change is read from configuration space. The lines of registers that nothing in the
simulation changes were printed by the real lspci from the same bytes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from nicsim import pci
from nicsim.pci import DOWNSTREAM, ENDPOINT, ROOT, UPSTREAM, Device

CLASSES = {0x0200: "Ethernet controller", 0x0302: "3D controller", 0x0604: "PCI bridge"}
NAMES = {
    0x15B3: ("Mellanox Technologies", {
        0xA2DC: "MT43244 BlueField-3 integrated ConnectX-7 network controller",
        0x1023: "CX8 Family [ConnectX-8]",
        0x1021: "MT2910 Family [ConnectX-7]",
    }),
    0x1000: ("Broadcom / LSI", {0xC030: "PEX890xx PCIe Gen 5 Switch"}),
    0x8086: ("Intel Corporation", {}),
    0x10DE: ("NVIDIA Corporation", {0x2330: "GH100[H100 SXM5 80GB]"}),
}  # fmt: skip
KINDS = {
    ENDPOINT: "Endpoint",
    ROOT: "Root Port (Slot-)",
    UPSTREAM: "Upstream Port",
    DOWNSTREAM: "Downstream Port (Slot-)",
}
ACS_FLAGS = (
    *("SrcValid", "TransBlk", "ReqRedir", "CmpltRedir"),
    *("UpstreamFwd", "EgressCtrl", "DirectTrans"),
)
ACTIVE_CONTROL = (
    "\tControl: I/O{} Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr+ Stepping- SERR+ "
    "FastB2B- DisINTx+"
)
STATUS = (
    "\tStatus: Cap+ 66MHz- UDF- FastB2B- ParErr- DEVSEL=fast >TAbort- <TAbort- <MAbort- >SERR- "
    "<PERR- INTx-"
)
BRIDGE_STATUS = (
    "\tSecondary status: 66MHz- FastB2B- ParErr- DEVSEL=fast >TAbort- <TAbort- <MAbort- <SERR- "
    "<PERR-",
    "\tBridgeCtl: Parity- SERR- NoISA- VGA- VGA16- MAbort- >Reset- FastB2B-",
    "\t\tPriDiscTmr- SecDiscTmr- DiscTmrStat- DiscTmrSERREn-",
)
WINDOWS = (
    ("I/O", "0000f000-00000fff", "32"),
    ("Memory", "fff00000-000fffff", "32"),
    ("Prefetchable memory", "00000000fff00000-00000000000fffff", "64"),
)
ROOT_LINES = (
    "\t\tRootCap: CRSVisible-",
    "\t\tRootCtl: ErrCorrectable- ErrNon-Fatal- ErrFatal- PMEIntEna- CRSVisible-",
    "\t\tRootSta: PME ReqID 0000, PMEStatus- PMEPending-",
)
LINK = (
    "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported",
    "\t\t\tClockPM- Surprise- LLActRep- BwNot- ASPMOptComp-",
    "\t\tLnkCtl:\tASPM Disabled;{} Disabled- CommClk-",
    "\t\t\tExtSynch- ClockPM- AutWidDis- BWInt- AutBWInt-",
    "\t\tLnkSta:\tSpeed 32GT/s, Width x16",
    "\t\t\tTrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-",
)
SECOND = (
    "\t\tDevCap2: Completion Timeout: Not Supported, TimeoutDis- NROPrPrP- LTR-",
    "\t\t\t 10BitTagComp- 10BitTagReq- OBFF Not Supported, ExtFmt- EETLPPrefix-",
    "\t\t\t EmergencyPowerReduction Not Supported, EmergencyPowerReductionInit-",
)
TIMEOUT = (
    "\t\tDevCtl2: Completion Timeout: 50us to 50ms, TimeoutDis- LTR- 10BitTagReq- OBFF Disabled,"
)
SECOND_BY_KIND = {
    ENDPOINT: ("\t\t\t FRS- TPHComp- ExtTPHComp-", TIMEOUT, "\t\t\t AtomicOpsCtl: ReqEn-"),
    ROOT: (
        "\t\t\t FRS- LN System CLS Not Supported, TPHComp- ExtTPHComp- ARIFwd-",
        "\t\t\t AtomicOpsCap: Routing- 32bit- 64bit- 128bitCAS-",
        TIMEOUT + " ARIFwd-",
        "\t\t\t AtomicOpsCtl: ReqEn- EgressBlck-",
    ),
    UPSTREAM: (
        "\t\t\t FRS-",
        "\t\t\t AtomicOpsCap: Routing-",
        TIMEOUT,
        "\t\t\t AtomicOpsCtl: EgressBlck-",
    ),
    DOWNSTREAM: (
        "\t\t\t FRS- ARIFwd-",
        "\t\t\t AtomicOpsCap: Routing-",
        TIMEOUT + " ARIFwd-",
        "\t\t\t AtomicOpsCtl: EgressBlck-",
    ),
}
LINK_2_SPEED = (
    "\t\tLnkCap2: Supported Link Speeds: 2.5-32GT/s, Crosslink- Retimer- 2Retimers- DRS-",
    "\t\tLnkCtl2: Target Link Speed: 32GT/s, EnterCompliance- SpeedDis-{}",
    "\t\t\t Transmit Margin: Normal Operating Range, EnterModifiedCompliance- ComplianceSOS-",
    "\t\t\t Compliance Preset/De-emphasis: -6dB de-emphasis, 0dB preshoot",
)
LINK_2_STATUS = (
    "\t\tLnkSta2: Current De-emphasis Level: -6dB, EqualizationComplete- EqualizationPhase1-",
    "\t\t\t EqualizationPhase2- EqualizationPhase3- LinkEqualizationRequest-",
    "\t\t\t Retimer- 2Retimers- CrosslinkRes: unsupported",
)


@dataclasses.dataclass(frozen=True)
class Look:
    """Options of a call: the numbers of -n, -v and -x, and whether -D and -k."""

    numbers: int
    verbose: int
    domains: bool
    drivers: bool
    dump: int


def text(device: Device, image: bytes, look: Look) -> str:
    """Everything that is printed of one device."""
    lines = [_first(device, look)]
    if look.verbose or look.drivers:
        lines += _subsystem(device, look)
    if look.verbose:
        lines += _details(device, image, look.verbose)
    if (look.verbose or look.drivers) and device.driver:
        lines.append(f"\tKernel driver in use: {device.driver}")
    if look.dump:
        lines += _dump(image, look.dump)
    if look.verbose or look.dump:
        lines.append("")
    return "\n".join(lines) + "\n"


def _first(device: Device, look: Look) -> str:
    address = device.address if look.domains or device.address[:4] != "0000" else device.address[5:]
    number = device.pci_class >> 8
    pair = f"{device.vendor:04x}:{device.device:04x}"
    tail = f" (rev {device.revision:02x})"
    if look.verbose and device.bridge:
        tail += " (prog-if 00 [Normal decode])"
    if look.numbers == 1:
        return f"{address} {number:04x}: {pair}{tail}"
    shown = f" [{number:04x}]" if look.numbers else ""
    vendor, names = NAMES[device.vendor]
    name = names.get(device.device)
    if look.numbers:
        called = f"{vendor} {name or 'Device'} [{pair}]"
    else:
        called = f"{vendor} {name or f'Device {device.device:04x}'}"
    return f"{address} {CLASSES[number]}{shown}: {called}{tail}"


def _subsystem(device: Device, look: Look) -> list[str]:
    """Only an endpoint has one."""
    if device.bridge:
        return []
    vendor = NAMES[device.vendor][0]
    numbers = f"{device.vendor:04x}:0009"
    called = {0: f"{vendor} Device 0009", 1: numbers}.get(
        look.numbers, f"{vendor} Device [{numbers}]"
    )
    return [f"\tSubsystem: {called}"]


def _details(device: Device, image: bytes, level: int) -> Iterator[str]:
    if level >= 2:
        yield ACTIVE_CONTROL.format("+" if device.bridge else "-")
        yield STATUS
        yield "\tLatency: 0"
        yield f"\tNUMA node: {device.numa}"
    else:
        yield f"\tFlags: bus master, fast devsel, latency 0, NUMA node {device.numa}"
    if device.buses:
        yield from _bridge(device.buses, level)
    if len(image) <= 64:
        yield "\tCapabilities: <access denied>"
        return
    for number, place in pci.capabilities(image).items():
        version = " v1" if level >= 2 and number >= 0x10000 else ""
        yield from _capability(device, image, number=number, place=place, level=level, mark=version)


def _bridge(buses: tuple[int, int, int], level: int) -> Iterator[str]:
    yield "\tBus: primary={:02x}, secondary={:02x}, subordinate={:02x}, sec-latency=0".format(
        *buses
    )
    for name, closed, bits in WINDOWS:
        bounds = f"{closed} " if level >= 3 else ""
        yield f"\t{name} behind bridge: {bounds}[disabled] [{bits}-bit]"
    if level >= 2:
        yield from BRIDGE_STATUS


def _capability(
    device: Device, image: bytes, *, number: int, place: int, level: int, mark: str
) -> Iterator[str]:
    head = f"\tCapabilities: [{place:02x}{mark}] "
    if number == pci.EXPRESS:
        yield f"{head}Express {'(v2) ' if level >= 2 else ''}{KINDS[device.kind]}, MSI 00"
        if level >= 2:
            yield from _express(device.kind, image, place)
    elif number == 0x03:
        yield f"{head}Vital Product Data"
        if level >= 2:
            yield from _vital(device.vpd)
    elif number == 0x10003:
        yield f"{head}Device Serial Number 00-00-00-00-00-00-00-00"
    elif number == pci.ACS:
        yield f"{head}Access Control Services"
        if level >= 2:
            yield f"\t\tACSCap:\t{_flags(_word(image, place + 4), ACS_FLAGS)}"
            yield f"\t\tACSCtl:\t{_flags(_word(image, place + pci.ACS_CONTROL), ACS_FLAGS)}"


def _word(image: bytes, place: int) -> int:
    return int.from_bytes(image[place : place + 2], "little")


def _flags(word: int, names: tuple[str, ...], first: int = 0) -> str:
    """`Name+` or `Name-` for each bit from `first` on."""
    return " ".join(
        f"{name}{'+' if word >> first + bit & 1 else '-'}" for bit, name in enumerate(names)
    )


def _express(kind: int, image: bytes, place: int) -> Iterator[str]:
    endpoint, limited = kind == ENDPOINT, kind in (ENDPOINT, UPSTREAM)
    latency = ", Latency L0s unlimited, L1 unlimited" if endpoint else ""
    yield f"\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0{latency}"
    buttons = " AttnBtn- AttnInd- PwrInd-" if limited else ""
    reset, power = " FLReset+" if endpoint else "", " SlotPowerLimit 75W" if limited else ""
    yield f"\t\t\tExtTag+{buttons} RBE+{reset}{power}"
    word = _word(image, place + pci.DEVICE_CONTROL)
    errors = ("CorrErr", "NonFatalErr", "FatalErr", "UnsupReq")
    yield f"\t\tDevCtl:\t{_flags(word, errors)}"
    more = ("ExtTag", "PhantFunc", "AuxPwr", "NoSnoop")
    last = f" {_flags(word, ('FLReset',), 15)}" if endpoint else ""
    yield f"\t\t\t{_flags(word, ('RlxdOrd',), 4)} {_flags(word, more, 8)}{last}"
    payload, reading = 128 << (word >> 5 & 7), 128 << (word >> 12 & 7)
    yield f"\t\t\tMaxPayload {payload} bytes, MaxReadReq {reading} bytes"
    yield f"\t\tDevSta:\t{_flags(0, (*errors, 'AuxPwr', 'TransPend'))}"
    yield from (line.format(" RCB 64 bytes," if kind in (ENDPOINT, ROOT) else "") for line in LINK)
    yield from ROOT_LINES if kind == ROOT else ()
    yield from (*SECOND, *SECOND_BY_KIND[kind])
    emphasis = ", Selectable De-emphasis: -6dB" if kind == DOWNSTREAM else ""
    yield from (line.format(emphasis) for line in LINK_2_SPEED)
    yield from LINK_2_STATUS


def _vital(raw: bytes) -> Iterator[str]:
    """The name and the read-only fields, as they stand in the bytes."""
    length = int.from_bytes(raw[1:3], "little")
    yield f"\t\tProduct Name: {raw[3 : 3 + length].decode()}"
    yield "\t\tRead-only fields:"
    place, titles = 6 + length, {b"PN": "Part number", b"SN": "Serial number"}
    while raw[place : place + 2] in titles:
        key, size = raw[place : place + 2], raw[place + 2]
        value = raw[place + 3 : place + 3 + size].decode()
        yield f"\t\t\t[{key.decode()}] {titles[key]}: {value}"
        place += 3 + size
    yield "\t\t\t[RV] Reserved: checksum good, 0 byte(s) reserved"
    yield "\t\tEnd"


def _dump(image: bytes, level: int) -> list[str]:
    """-x shows 64 bytes, -xxx 256 and -xxxx all, or what can be read."""
    end = min(len(image), {1: 64, 2: 64, 3: 256}.get(level, pci.SIZE))
    return [
        f"{at:02x}: " + " ".join(f"{byte:02x}" for byte in image[at : at + 16])
        for at in range(0, end, 16)
    ]
