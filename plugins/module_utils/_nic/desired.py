# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wanted state of a host's NICs, typed; its JSON form is the file the host keeps.

    {"schema": 1, "agent": "1.0.0+4f...", "ra": "2.1.2", "watch": {"action": "repair"},
     "nics": [{"pci": "0000:1a:00.0", "device": "a2dc", "mode": "nic", "multiplane": "none",
               "planes": 1, "nvconfig": {"NUM_OF_VFS": 1}, "qos": {"trust": "dscp"},
               "roce": {"accl": {"roce_tx_window_en": 1}, "inter_packet_gap": 33}}]}

A section that is absent is not managed.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

from .check import Reader, each, fields_of, flag, mapping, numbers, record, text, whole
from .discover import full_address, is_address
from .errors import NicError

SCHEMA = 1
DEFAULT_MAP = {dscp: dscp >> 3 for dscp in range(64)}
SPECTRUM_X_TOS = 96
CLASSIC_TOS = 106
AUTO_TIMEOUT = 65535  # PFC storm prevention: the driver's own short watermark, 100 ms in mlx5
CC_TIMEOUT = 60  # seconds
READ_REQUESTS = tuple(128 << code for code in range(6))
"""Bytes that PCI Express allows a read request, by their code in bits 14:12 of Device Control."""
MODES = ("nic", "dpu", "adapter")


@dataclass(frozen=True)
class Firmware:
    """A version and where it comes from: `image` (flint), `images` (mlxfwmanager) or `bundle`."""

    version: str
    image: str = ""
    images: str = ""
    bundle: str = ""
    config: str = ""
    rshim: str = ""
    force: bool = False


@dataclass(frozen=True)
class Qos:
    """Runtime QoS of every port; None leaves a setting alone. Lists begin with priority 0."""

    trust: str | None = None
    pfc: tuple[int, ...] | None = None
    dscp2prio: dict[int, int] | None = None
    cnp_dscp: int | None = None
    tos: int | None = None
    traffic_class: int | None = None
    dcbx: str | None = None
    cable_length: int | None = None
    buffer_size: tuple[int, ...] | None = None
    prio2buffer: tuple[int, ...] | None = None
    pfc_prevention_timeout: int | None = None


@dataclass(frozen=True)
class Cc:
    """Programmable congestion control: slots and parameters, `unit` starts the algorithm."""

    slots: dict[int, dict[str, bool]] = field(default_factory=dict)
    params: dict[int, dict[int, int]] = field(default_factory=dict)
    run: bool = True
    unit: str = ""


@dataclass(frozen=True)
class Roce:
    """Runtime RoCE of every port; `inter_packet_gap` in the register's own unit, `max_read_request` in bytes."""

    accl: dict[str, int] = field(default_factory=dict)
    dcqcn: dict[str, bool] = field(default_factory=dict)
    cc: Cc | None = None
    max_read_request: int | None = None
    inter_packet_gap: int | None = None


@dataclass(frozen=True)
class Port:
    """Expected state of a port, for the watchdog: name, MTU, speed in Mb/s."""

    netdev: str
    pci: str = ""
    mtu: int | None = None
    speed: int | None = None


@dataclass(frozen=True)
class Nic:
    """One card, named by the PCI address of its first function."""

    pci: str
    device: str = ""
    mode: str = ""
    psid: str = ""
    multiplane: str = "none"
    planes: int = 1
    firmware: Firmware | None = None
    nvconfig: dict[str, object] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    qos: Qos | None = None
    roce: Roce | None = None
    ports: tuple[Port, ...] = ()


@dataclass(frozen=True)
class DesiredState:
    """The whole file. `agent` is the version of the tool that wrote it.

    `watch`: what the watchdog does about a drift, `repair` or `report`;
    `tolerate_conflicts`: a running lldpad is reported instead of refused; `cc_timeout`: seconds until
    the algorithm must be active.
    """

    nics: tuple[Nic, ...]
    agent: str = ""
    ra: str = ""
    watch: str = "report"
    tolerate_conflicts: bool = False
    cc_timeout: int = CC_TIMEOUT


def from_json(data: object) -> DesiredState:
    """The typed state; NicError with one sentence for anything that does not fit."""
    known = fields_of(data, "desired state", ("schema", "nics", *DESIRED))
    if known.get("schema") != SCHEMA:
        raise NicError(
            f"desired state: schema {known.get('schema')} is not {SCHEMA}; "
            "write the file again with the collection that this tool came with."
        )
    make = functools.partial(DesiredState, nics_from(known.get("nics")))
    return record(make, {key: known.get(key) for key in DESIRED}, "", DESIRED, mark="")


def _watch(data: object, where: str) -> str:
    action = fields_of(data or {}, where, ("action",)).get("action", "report")
    return text(action, f"{where}.action", ("report", "repair"))


def nics_from(data: object) -> tuple[Nic, ...]:
    """The list `nics` alone, as the modules get it."""
    if not isinstance(data, (list, tuple)):
        raise NicError("nics: write a list of NICs, each with its PCI address 'pci'.")
    nics = tuple(_nic(entry, f"nics[{n}]") for n, entry in enumerate(data))
    for n, nic in enumerate(nics):
        if any(other.pci.rsplit(".", 1)[0] == nic.pci.rsplit(".", 1)[0] for other in nics[:n]):
            raise NicError(f"nics[{n}]: {nic.pci} is a card that is listed before; list it once.")
    return nics


def _nic(data: object, where: str) -> Nic:
    pci = str(fields_of(data, where, tuple(NIC)).get("pci", ""))
    if not is_address(pci):
        raise NicError(f"{where}.pci: '{pci}' is not a PCI address such as 0000:1a:00.0.")
    nic = record(Nic, data, full_address(pci), NIC, mark=": ")
    _same_mode(nic.pci, nic.mode, nic.nvconfig)
    return nic


def _same_mode(where: str, mode: str, nvconfig: Mapping[str, object]) -> None:
    """A BlueField has its mode in two places, which must not contradict each other."""
    engine = {"nic": 1, "dpu": 0}.get(mode)
    given = nvconfig.get("INTERNAL_CPU_OFFLOAD_ENGINE")
    if engine is not None and given is not None and str(given) != str(engine):
        raise NicError(
            f"{where}: mode {mode} and nvconfig.INTERNAL_CPU_OFFLOAD_ENGINE {given} contradict "
            f"each other; {mode} mode needs {engine}."
        )


def _firmware(data: object, where: str) -> Firmware | None:
    if not data:
        return None
    known = fields_of(data, where, tuple(FIRMWARE))
    firmware = record(Firmware, {**known, "version": known.get("version") or ""}, where, FIRMWARE)
    if not firmware.version:
        raise NicError(f"{where}.version: it is missing; give a version such as 32.48.1000.")
    sources = [name for name in ("image", "images", "bundle") if getattr(firmware, name)]
    if len(sources) > 1:
        raise NicError(f"{where}: {' and '.join(sources)} exclude each other; give one of them.")
    return firmware


def _nvconfig(data: object, where: str) -> dict[str, object]:
    settings = mapping(data, where)
    for name, value in settings.items():
        if not str(name).replace("_", "").isalnum() or str(name) != str(name).upper():
            raise NicError(f"{where}: '{name}' is not a name of mlxconfig such as SRIOV_EN.")
        if isinstance(value, Mapping) or value is None:
            raise NicError(f"{where}.{name}: it needs a number, a name or a list of numbers.")
    return {str(name): value for name, value in settings.items()}


def _qos(data: object, where: str) -> Qos | None:
    qos = record(Qos, data, where, QOS) if data else None
    if qos:
        _one_traffic_class(qos, where)
    return qos


def _one_traffic_class(qos: Qos, where: str) -> None:
    """Switches may count DSCP 24 and 26 apart: both numbers are equal and Spectrum-X's own."""
    pair = {qos.tos, qos.traffic_class} - {None}
    if len(pair) > 1:
        raise NicError(
            f"{where}: tos {qos.tos} and traffic_class {qos.traffic_class} differ; RDMA_CM and "
            f"all other queue pairs need the same number, {SPECTRUM_X_TOS} for Spectrum-X."
        )
    if CLASSIC_TOS in pair:
        raise NicError(
            f"{where}: {CLASSIC_TOS} is the traffic class of classic RoCE (DSCP 26), Spectrum-X "
            f"uses {SPECTRUM_X_TOS} (DSCP 24); set {SPECTRUM_X_TOS} on all hosts, never a mix."
        )


def _timeout(value: object, where: str) -> int:
    if value == "auto":
        return AUTO_TIMEOUT
    number = whole(value, where, 0, AUTO_TIMEOUT)
    if number not in (0, AUTO_TIMEOUT) and not 100 <= number <= 8000:
        raise NicError(
            f"{where}: {number} ms is not allowed; use 100 to 8000, 'auto', or 0 for off."
        )
    return number


# How each field is read. A field without a value keeps its default.


def _word(value: object, _where: str) -> str:
    return str(value)


def _one_of(*words: str) -> Reader:
    return lambda value, where: text(value, where, words)


def _up_to(high: int, low: int = 0) -> Reader:
    return lambda value, where: whole(value, where, low, high)


def _list(count: int, high: int) -> Reader:
    return lambda value, where: numbers(value, where, count, high)


def _flags(*names: str) -> Reader:
    return lambda data, where: {
        key: flag(value, f"{where}.{key}") for key, value in fields_of(data, where, names).items()
    }


def _table(key: Reader, value: Reader) -> Reader:
    return lambda data, where: {
        key(k, where): value(v, f"{where}.{k}") for k, v in mapping(data, where).items()
    }


_entries = _table(_up_to(63), _up_to(7))
QOS: dict[str, Reader] = {
    "trust": _one_of("dscp", "pcp"),
    "pfc": _list(8, 1),
    # The driver's own map (dscp >> 3) with the given entries laid over it.
    "dscp2prio": lambda data, where: {**DEFAULT_MAP, **_entries(data, where)},
    "cnp_dscp": _up_to(63),
    "tos": _up_to(255),
    "traffic_class": _up_to(255),
    "dcbx": _one_of("os", "fw"),
    "cable_length": _up_to(1000),
    "buffer_size": _list(8, 1 << 24),
    "prio2buffer": _list(8, 7),
    "pfc_prevention_timeout": _timeout,
}
CC: dict[str, Reader] = {
    "slots": _table(_up_to(15), _flags("enabled", "counters")),
    "params": _table(_up_to(15), _table(_up_to(255), _up_to(0xFFFFFFFF))),
    "run": flag,
    "unit": _word,
}
ROCE: dict[str, Reader] = {
    "accl": _table(_word, _up_to(0xFFFFF)),
    "dcqcn": _flags("rp", "np", "first_port_only"),
    "cc": lambda data, where: record(Cc, data, where, CC) if data else None,
    "max_read_request": lambda v, where: int(_one_of(*map(str, READ_REQUESTS))(str(v), where)),
    "inter_packet_gap": _up_to(255),
}
FIRMWARE: dict[str, Reader] = {
    **dict.fromkeys(("version", "image", "images", "bundle", "config", "rshim"), _word),
    "force": flag,
}
PORT: dict[str, Reader] = {
    "netdev": _word,
    "pci": lambda value, _where: full_address(str(value)) if value else "",
    "mtu": _up_to(65535),
    "speed": _up_to(10_000_000),
}
NIC: dict[str, Reader] = {
    "pci": lambda value, _where: full_address(str(value)),
    "device": lambda value, _where: str(value).lower(),
    "mode": _one_of("", *MODES),
    "psid": _word,
    "multiplane": _word,
    "planes": _up_to(8, 1),
    "firmware": _firmware,
    "nvconfig": _nvconfig,
    "required": lambda value, _where: tuple(str(name) for name in each(value)),
    "qos": _qos,
    "roce": lambda data, where: record(Roce, data, where, ROCE) if data else None,
    "ports": lambda value, where: tuple(record(Port, row, where, PORT) for row in each(value)),
}
DESIRED: dict[str, Reader] = {
    "agent": _word,
    "ra": _word,
    "watch": _watch,
    "tolerate_conflicts": flag,
    "cc_timeout": _up_to(3600, 1),
}
