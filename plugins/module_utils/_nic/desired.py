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

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .check import each, fields_of, flag, mapping, numbers, text, whole
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
    """What is expected of a port, for the watchdog: name, MTU, speed in Mb/s."""

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
class Desired:
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


def from_json(data: object) -> Desired:
    """The typed state; NicError with one sentence for anything that does not fit."""
    keys = ("schema", *Desired.__dataclass_fields__)
    known = fields_of(data, "desired state", keys)
    if known.get("schema") != SCHEMA:
        raise NicError(
            f"desired state: schema {known.get('schema')} is not {SCHEMA}; "
            "write the file again with the collection that this tool came with."
        )
    watch = fields_of(known.get("watch") or {}, "watch", ("action",))
    action = text(watch.get("action", "report"), "watch.action", ("report", "repair"))
    return Desired(
        nics=nics_from(known.get("nics")),
        agent=str(known.get("agent", "")),
        ra=str(known.get("ra", "")),
        watch=action,
        tolerate_conflicts=flag(known.get("tolerate_conflicts", False), "tolerate_conflicts"),
        cc_timeout=whole(known.get("cc_timeout", CC_TIMEOUT), "cc_timeout", 1, 3600),
    )


def nics_from(data: object) -> tuple[Nic, ...]:
    """The list `nics` alone, as the modules get it."""
    if not isinstance(data, (list, tuple)):
        raise NicError("nics: it is a list of NICs, each with its PCI address 'pci'.")
    nics = tuple(_nic(entry, f"nics[{n}]") for n, entry in enumerate(data))
    for n, nic in enumerate(nics):
        if any(other.pci.rsplit(".", 1)[0] == nic.pci.rsplit(".", 1)[0] for other in nics[:n]):
            raise NicError(f"nics[{n}]: {nic.pci} is a card that is listed before; list it once.")
    return nics


def _nic(data: object, where: str) -> Nic:
    keys = tuple(Nic.__dataclass_fields__)
    known = fields_of(data, where, keys)
    pci = str(known.get("pci", ""))
    if not is_address(pci):
        raise NicError(f"{where}.pci: '{pci}' is not a PCI address such as 0000:1a:00.0.")
    where = full_address(pci)
    mode = text(known.get("mode") or "", f"{where}: mode", ("", *MODES))
    nvconfig = _nvconfig(known.get("nvconfig") or {}, f"{where}: nvconfig")
    _same_mode(where, mode, nvconfig)
    return Nic(
        pci=where,
        device=str(known.get("device", "")).lower(),
        mode=mode,
        psid=str(known.get("psid") or ""),
        multiplane=str(known.get("multiplane", "none")),
        planes=whole(known.get("planes", 1), f"{where}: planes", 1, 8),
        firmware=_firmware(known.get("firmware"), f"{where}: firmware"),
        nvconfig=nvconfig,
        required=tuple(str(n) for n in each(known.get("required"))),
        qos=_qos(known.get("qos"), f"{where}: qos"),
        roce=_roce(known.get("roce"), f"{where}: roce"),
        ports=tuple(_port(p, f"{where}: ports") for p in each(known.get("ports"))),
    )


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
    known = fields_of(data, where, tuple(Firmware.__dataclass_fields__))
    if not known.get("version"):
        raise NicError(f"{where}.version: it is missing; give a version such as 32.48.1000.")
    sources = [name for name in ("image", "images", "bundle") if known.get(name)]
    if len(sources) > 1:
        raise NicError(f"{where}: {' and '.join(sources)} exclude each other; give one of them.")
    words = {k: str(v or "") for k, v in known.items() if k != "force"}
    return Firmware(**words, force=flag(known.get("force", False), f"{where}.force"))


def _nvconfig(data: object, where: str) -> dict[str, object]:
    settings = mapping(data, where)
    for name, value in settings.items():
        if not str(name).replace("_", "").isalnum() or str(name) != str(name).upper():
            raise NicError(f"{where}: '{name}' is not a name of mlxconfig such as SRIOV_EN.")
        if isinstance(value, Mapping) or value is None:
            raise NicError(f"{where}.{name}: it needs a number, a name or a list of numbers.")
    return {str(name): value for name, value in settings.items()}


def _qos(data: object, where: str) -> Qos | None:
    if not data:
        return None
    known = fields_of(data, where, tuple(QOS))
    given: dict[str, Any] = {
        key: read(known[key], f"{where}.{key}")
        for key, read in QOS.items()
        if known.get(key) is not None
    }
    qos = Qos(**given)
    _one_traffic_class(qos, where)
    return qos


def _up_to(high: int) -> Callable[[object, str], int]:
    return lambda value, where: whole(value, where, 0, high)


def _map(data: object, where: str) -> dict[int, int]:
    """A full map: the driver's own (dscp >> 3) with the given entries laid over it."""
    given = mapping(data, where)
    entries = {
        whole(dscp, where, 0, 63): whole(prio, f"{where}[{dscp}]", 0, 7)
        for dscp, prio in given.items()
    }
    return {**DEFAULT_MAP, **entries}


def _timeout(value: object, where: str) -> int:
    if value == "auto":
        return AUTO_TIMEOUT
    number = whole(value, where, 0, AUTO_TIMEOUT)
    if number not in (0, AUTO_TIMEOUT) and not 100 <= number <= 8000:
        raise NicError(
            f"{where}: {number} ms is not allowed; use 100 to 8000, 'auto', or 0 for off."
        )
    return number


QOS: dict[str, Callable[[object, str], object]] = {
    "trust": lambda value, where: text(value, where, ("dscp", "pcp")),
    "pfc": lambda value, where: numbers(value, where, 8, 1),
    "dscp2prio": _map,
    "cnp_dscp": _up_to(63),
    "tos": _up_to(255),
    "traffic_class": _up_to(255),
    "dcbx": lambda value, where: text(value, where, ("os", "fw")),
    "cable_length": _up_to(1000),
    "buffer_size": lambda value, where: numbers(value, where, 8, 1 << 24),
    "prio2buffer": lambda value, where: numbers(value, where, 8, 7),
    "pfc_prevention_timeout": _timeout,
}
"""Field of `Qos` -> how it is read."""


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


def _number(known: Mapping[str, object], key: str, where: str, high: int) -> int | None:
    value = known.get(key)
    return None if value is None else whole(value, f"{where}.{key}", 0, high)


def _roce(data: object, where: str) -> Roce | None:
    if not data:
        return None
    known = fields_of(data, where, tuple(Roce.__dataclass_fields__))
    accl = mapping(known.get("accl") or {}, f"{where}.accl")
    dcqcn = fields_of(known.get("dcqcn") or {}, f"{where}.dcqcn", ("rp", "np", "first_port_only"))
    return Roce(
        accl={str(k): whole(v, f"{where}.accl.{k}", 0, 0xFFFFF) for k, v in accl.items()},
        dcqcn={k: flag(v, f"{where}.dcqcn.{k}") for k, v in dcqcn.items()},
        cc=_cc(known.get("cc"), f"{where}.cc"),
        max_read_request=_read_request(known.get("max_read_request"), f"{where}.max_read_request"),
        inter_packet_gap=_number(known, "inter_packet_gap", where, 255),
    )


def _read_request(value: object, where: str) -> int | None:
    if value is None:
        return None
    sizes = [str(size) for size in READ_REQUESTS]
    return int(text(str(value), where, sizes))


def _cc(data: object, where: str) -> Cc | None:
    if not data:
        return None
    known = fields_of(data, where, tuple(Cc.__dataclass_fields__))
    slots = mapping(known.get("slots") or {}, f"{where}.slots")
    params = mapping(known.get("params") or {}, f"{where}.params")
    return Cc(
        slots={
            whole(slot, where, 0, 15): {
                k: flag(v, where)
                for k, v in fields_of(e, f"{where}.slots", ("enabled", "counters")).items()
            }
            for slot, e in slots.items()
        },
        params={
            whole(slot, where, 0, 15): {
                whole(p, where, 0, 255): whole(v, where, 0, 0xFFFFFFFF)
                for p, v in mapping(e, f"{where}.params").items()
            }
            for slot, e in params.items()
        },
        run=flag(known.get("run", True), f"{where}.run"),
        unit=str(known.get("unit") or ""),
    )


def _port(data: object, where: str) -> Port:
    known = fields_of(data, where, tuple(Port.__dataclass_fields__))
    return Port(
        netdev=str(known.get("netdev", "")),
        pci=full_address(str(known["pci"])) if known.get("pci") else "",
        mtu=_number(known, "mtu", where, 65535),
        speed=_number(known, "speed", where, 10_000_000),
    )
