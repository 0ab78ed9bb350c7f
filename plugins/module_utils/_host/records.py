# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State of a host as it was read, as plain data that goes through JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, TypedDict

from .._nic.records import Card, PlainFinding

if TYPE_CHECKING:
    from typing import NotRequired


class AddressRow(TypedDict, total=False):
    """An address of an interface, as iproute2 prints it."""

    local: str
    prefixlen: int
    scope: str


class LinkInfo(TypedDict, total=False):
    """Kind of a virtual interface, or of the interface that it is a part of, as iproute2 prints it with details."""

    info_kind: str
    info_data: dict[str, Any]
    info_slave_kind: str
    info_slave_data: dict[str, Any]


class LinkRow(TypedDict, total=False):
    """An interface, as iproute2 prints it."""

    ifname: str
    address: str
    permaddr: str
    flags: list[str]
    mtu: int
    operstate: str
    addr_info: list[AddressRow]
    master: str
    link: str
    altnames: list[str]
    linkinfo: LinkInfo


class RouteRow(TypedDict, total=False):
    """A route, or one of its hops, as iproute2 prints it."""

    dst: str
    dev: str
    type: str
    gateway: str
    table: str
    metric: int
    protocol: str
    nexthops: list[RouteRow]


class RuleRow(TypedDict, total=False):
    """A rule, as iproute2 prints it; other selectors are keys too."""

    priority: int
    src: str
    srclen: int
    dst: str
    dstlen: int
    oif: str
    table: str
    action: str


class Rail(TypedDict):
    """An interface of the plan as it is on the host."""

    name: str
    pci: str
    rdma: str
    gid_index: int | None


class Definition(TypedDict):
    """Addresses of a rail beside the planned one: `key` of `file` gives them after a reload, without `file` it has
    them now."""

    name: str
    planned: str
    file: str
    key: str
    addresses: list[str]


class Writer(TypedDict):
    """A sentence on somebody else who sets what a role sets."""

    role: str
    sentence: str


class File(TypedDict, total=False):
    """A file that is kept on a host."""

    path: str
    content: str
    base64: str
    sha256: str
    mode: str
    state: str


class FileResult(TypedDict, total=False):
    """Files and units: what was or would be done, and in sentences why.

    Where nothing could be read there is only `error`; `due` says that there is something to do.
    """

    error: str
    due: bool
    changed: bool
    files: list[str]
    commands: list[str]
    diff: list[dict[str, str]]
    wrong_files: list[str]
    wrong_units: list[str]
    left: list[str]


class Network(FileResult, total=False):
    """The interfaces of a host; `absent` and `renames_in_use` name ports, `addresses` are not of the plan.

    `taken` are definitions of others that are moved aside, `obstacles` sentences on routes and rules in the way of the
    fabric, `writers` on who else sets the ports of a running host.

    `networks` are the ports, bonds and VLANs of its other networks as they are, `default_by` the interface of the
    IPv4 default route that wins; `attempt` names a change that the
    host takes back unless it is confirmed.
    """

    backend: str
    drift: list[str]
    absent: list[str]
    renames_in_use: list[str]
    interfaces: list[Rail]
    addresses: list[Definition]
    taken: list[Definition]
    obstacles: list[str]
    writers: list[Writer]
    attempt: str
    networks: dict[str, LinkRow]
    default_by: str


class Driver(TypedDict):
    """Sentences on the driver that runs and the next boot, those that forbid a new one, and the modules upon it.

    `rebuilt` are sentences on modules that do not run any more since a new driver was installed.
    """

    wrong: list[str]
    hinders: list[str]
    rebuilt: list[str]
    upon: dict[str, str]
    running: list[str]
    locked: str


class System(TypedDict):
    """Facts that an installation depends on: the distribution, the running kernel, the installed packages."""

    distribution: str
    distribution_version: str
    distribution_major_version: str
    kernel: str
    architecture: str
    headers: bool
    pkg_mgr: str
    keyrings: bool
    drained: bool
    driver_waits: bool
    system_waits: bool
    uninstaller: str
    old: list[str]
    hpcx: list[str]
    driver: Driver
    uptime: int | None
    power_cycle: NotRequired[bool]


class Packages(TypedDict):
    """The packages of a host."""

    packages: dict[str, str]
    held: list[str]
    system: System


class Facts(FileResult, total=False):
    """The files for NCCL and schedulers."""

    wanted: list[File]


class Nics(TypedDict, total=False):
    """The cards of a host, and how far they are from what is wanted; only `error` where unread.

    `storage` are the cards that carry storage, of which only QoS is read.
    """

    error: str
    nics: list[Card]
    storage: list[Card]
    verdict: dict[str, str]
    warnings: list[str]
    algorithm: bool
    skew: str
    unmet: list[str]


class Traces(TypedDict, total=False):
    """Traces that distinguish a host; only `error` where unread.

    `addresses` are those of ports on PCI alone, `ports`
    are (name, MAC address) of these, `heard` are (system, port) of neighbours by LLDP.
    """

    error: str
    serials: list[str]
    macs: list[str]
    addresses: list[str]
    heard: list[tuple[str, str]]
    ports: list[tuple[str, str]]


class Look(Packages):
    """Everything that is read of a host in one go."""

    identity: Traces
    nics: Nics
    network: Network
    agent: FileResult
    facts: Facts


class Ping(TypedDict):
    """A packet to send."""

    kind: str
    interface: str
    source: str
    to: str
    size: int


class PingResult(Ping):
    """Result of a ping."""

    ok: bool
    reason: str


class Acs(TypedDict):
    """ACS of a bridge above a card: its control register, 0 for off, and why it is `unknown`, else ""."""

    pci: str
    bridge: str
    control: int
    unknown: str


class GpuDirect(TypedDict):
    """The GPUs of a host, by what NICs reach their memory, ACS on the way, and the IOMMU domain of each card."""

    gpus: list[str]
    memory: str
    acs: list[Acs]
    iommu: dict[str, str]


class ProbeResult(TypedDict, total=False):
    """Results of the attempts, and changes of the counters meanwhile; only `error` where nothing was tried.

    `textfile` is the age of the file for node_exporter, -1 without it, None without node_exporter.
    """

    error: str
    pings: list[PingResult]
    findings: list[PlainFinding]
    attempts: list[AttemptResult]
    gpudirect: GpuDirect
    textfile: Optional[int]


class Attempt(TypedDict):
    """Something that should meet silence."""

    kind: str
    interface: str
    source: str
    to: str
    port: int
    vni: int
    whom: str


class AttemptResult(Attempt):
    """Answer to an attempt, "" for silence."""

    answer: str


class Attempts(TypedDict):
    """Attempts of a host for `validate`; the counters of its NICs are read before and after."""

    pings: list[Ping]
    attempts: list[Attempt]
    nics: list[object]
