# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State of cards and their ports, as plain data that goes through JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from typing import NotRequired

Answer = dict[str, object]
"""Answer of a module: plain data for Ansible."""


class Flash(TypedDict):
    """A card's firmware: what runs, what is burned, and what devlink calls stored."""

    psid: str
    running: str
    burned: str
    source: str
    stored: NotRequired[str]


class Setting(TypedDict):
    """A non-volatile setting, as mlxconfig prints it."""

    default: str
    current: str
    next: str
    read_only: bool


Settings = dict[str, Setting]


class Row(TypedDict):
    """A wanted setting beside what the card has."""

    wanted: str
    current: str
    next: str
    state: str


class NvPart(TypedDict):
    """The settings of a card, and its mode now and after the next reset."""

    nvconfig: Settings
    mode: str
    mode_next: str


class PortQos(TypedDict, total=False):
    """QoS of a port; a key is absent where the tool prints nothing of it."""

    trust: str
    trust_file: bool
    dscp2prio: dict[int, int]
    pfc: list[int]
    dcbx: str
    cable_length: int | None
    buffer_size: list[int]
    prio2buffer: list[int]
    cnp_dscp: int | None
    tos: int | None
    roce_mode: int | None
    traffic_class: int | None
    pfc_prevention_timeout: int | None
    lldpad: bool


class PortRoce(TypedDict, total=False):
    """The parts of RoCE that were read of a port: registers with their fields, points by priority, bytes."""

    accl: dict[str, int]
    dcqcn: dict[str, list[int | None]]
    max_read_request: int
    inter_packet_gap: dict[str, int]


class Process(TypedDict, total=False):
    """The algorithm that serves an RDMA device; empty where none runs."""

    pid: int
    started: int
    unit: str
    state: str
    instances: int


class Slot(TypedDict, total=False):
    """A slot of the algorithm; None where the card does not show it."""

    enabled: bool | None
    counters: bool | None


class Ppcc(TypedDict, total=False):
    """Settings of the algorithm by slot; `source` is read or recorded."""

    slots: dict[str, Slot]
    params: dict[str, dict[str, int | None]]
    source: str


class PortRecord(TypedDict):
    """A port of a card; the parts that were gathered, and `errors` by part for those that failed."""

    pci: str
    netdev: str
    rdma: str
    link: str | None
    speed: int | None
    mtu: int | None
    qos: NotRequired[PortQos]
    roce: NotRequired[PortRoce]
    cc: NotRequired[Process]
    ppcc: NotRequired[Ppcc]
    errors: NotRequired[dict[str, str]]


class Card(TypedDict):
    """A card as PCI shows it, and the parts that were gathered."""

    pci: str
    device: str
    model: str
    ports: list[PortRecord]
    mode: NotRequired[str]
    mode_next: NotRequired[str]
    psid: NotRequired[str]
    firmware: NotRequired[Flash]
    nvconfig: NotRequired[Settings]


class PlainFinding(TypedDict):
    """One thing that is not as wanted, as a sentence too."""

    check: str
    target: str
    expected: object
    found: object
    sentence: str
