# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""QoS of a port: from found to wanted.

Traps of the tool that shape the steps: a trust state and a DSCP map never go into one call; asking
for DSCP trust fills the map with dscp >> 3 only when it was not trusted before, so that a broken
map is repaired entry by entry, or by `flush` (which falls back to pcp) and trust again, where `flush` has effect.
Where trust is a file, the driver fills no map for certain: what it holds is not known before, so all entries follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..desired import AUTO_TIMEOUT, DEFAULT_MAP, Qos
from ..read.qos import CNP, TRAFFIC_CLASS
from ..records import PortQos, PortRecord
from ..tools import Step
from .base import Plan

ENTRIES_AT_ONCE = 8
LLDPAD = (
    "lldpad runs on this host and rewrites PFC through DCBX: "
    "stop and disable it (systemctl disable --now lldpad); lldpd may stay."
)
ROCE_V2 = 2  # of connections by RDMA CM, whose DSCP the ToS says: v1 has no IP header
AUTO_MILLISECONDS = 100  # what mlx5 reads back after `auto`


def plan_qos(port: PortRecord, found: PortQos, wanted: Qos) -> Plan:
    """The steps for one port; `found` is of `read_qos`, its map keys may be texts (JSON)."""
    netdev = port["netdev"]
    steps = [
        *_owner(netdev, found, wanted),
        *_trust(netdev, found, wanted),
        *_lists(netdev, found, wanted),
        *_numbers_of(port, found, wanted),
    ]
    skipped: tuple[str, ...] = ()
    if wanted.pfc_prevention_timeout is not None and found.get("pfc_prevention_timeout") is None:
        skipped = (f"{netdev}: pfc_prevention_timeout: the driver does not offer it",)
    return Plan(tuple(steps), skipped=skipped, missing=tuple(_missing(port, found, wanted)))


def _qos(netdev: str, setting: str, before: object, after: object, *arguments: str) -> Step:
    return Step(netdev, setting, before, after, argv=("mlnx_qos", "-i", netdev, *arguments))


def _owner(netdev: str, found: PortQos, wanted: Qos) -> Iterator[Step]:
    if wanted.dcbx and found.get("dcbx") and found["dcbx"] != wanted.dcbx:
        yield _qos(netdev, "dcbx", found["dcbx"], wanted.dcbx, "--dcbx", wanted.dcbx)


def _trust(netdev: str, found: PortQos, wanted: Qos) -> Iterator[Step]:
    trust = found.get("trust")
    if wanted.trust and trust != wanted.trust:
        yield _qos(netdev, "trust", trust, wanted.trust, f"--trust={wanted.trust}")
        if wanted.trust == "dscp":
            filled = {} if found.get("trust_file") else DEFAULT_MAP
            yield from _entries(netdev, filled, _map(wanted))
    elif wanted.trust == "dscp":
        repair = _entries if found.get("trust_file") else _repair  # flush does nothing there
        yield from repair(netdev, _numbers(found.get("dscp2prio") or {}), _map(wanted))


def _map(wanted: Qos) -> dict[int, int]:
    return wanted.dscp2prio or DEFAULT_MAP


def _numbers(mapping: Mapping[int, int]) -> dict[int, int]:
    return {int(dscp): int(priority) for dscp, priority in mapping.items()}


def _repair(netdev: str, found: dict[int, int], wanted: dict[int, int]) -> Iterator[Step]:
    wrong = [dscp for dscp in wanted if found.get(dscp) != wanted[dscp]]
    if len(wrong) <= ENTRIES_AT_ONCE:
        yield from _entries(netdev, found, wanted)
        return
    before, flushed = {dscp: found.get(dscp) for dscp in DEFAULT_MAP}, dict.fromkeys(DEFAULT_MAP)
    yield _qos(netdev, "dscp2prio", before, flushed, "--dscp2prio=flush")
    yield _qos(netdev, "dscp2prio", flushed, dict(DEFAULT_MAP), "--trust=dscp")
    yield from _entries(netdev, DEFAULT_MAP, wanted)


def _entries(netdev: str, found: dict[int, int], wanted: dict[int, int]) -> Iterator[Step]:
    wrong = [dscp for dscp in sorted(wanted) if found.get(dscp) != wanted[dscp]]
    if wrong:
        before = {dscp: found.get(dscp) for dscp in wrong}
        after = {dscp: wanted[dscp] for dscp in wrong}
        orders = [f"--dscp2prio=set,{dscp},{wanted[dscp]}" for dscp in wrong]
        yield _qos(netdev, "dscp2prio", before, after, *orders)


def _lists(netdev: str, found: PortQos, wanted: Qos) -> Iterator[Step]:
    """One call per list: the tool applies only one of the two buffer options of a call."""
    for key, value, before in (
        ("pfc", wanted.pfc, found.get("pfc")),
        ("buffer_size", wanted.buffer_size, found.get("buffer_size")),
        ("prio2buffer", wanted.prio2buffer, found.get("prio2buffer")),
    ):
        if value is not None and list(before or []) != list(value):
            text = ",".join(str(n) for n in value)
            yield _qos(netdev, key, before, list(value), f"--{key}={text}")
    length = wanted.cable_length
    if length is not None and found.get("cable_length") != length:
        now = found.get("cable_length")
        yield _qos(netdev, "cable_length", now, length, f"--cable_len={length}")


def _numbers_of(port: PortRecord, found: PortQos, wanted: Qos) -> Iterator[Step]:
    """Settings of one number; what the driver does not offer is left out."""
    rdma, netdev = port.get("rdma"), port["netdev"]
    value, now = wanted.cnp_dscp, found.get("cnp_dscp")
    if value not in (None, now):
        path = CNP.format(netdev=netdev)
        yield Step(netdev, "cnp_dscp", now, value, path=path, text=str(value))
    if rdma and wanted.tos is not None:
        value, now = wanted.tos, found.get("tos")
        if now != value:
            argv = ("cma_roce_tos", "-d", rdma, "-t", str(value))
            yield Step(netdev, "tos", now, value, argv=argv)
        if found.get("roce_mode") != ROCE_V2:
            order = ("cma_roce_mode", "-d", rdma, "-p", "1", "-m", str(ROCE_V2))
            yield Step(netdev, "roce_mode", found.get("roce_mode"), ROCE_V2, argv=order)
    value, now = wanted.traffic_class, found.get("traffic_class")
    if rdma and now is not None and value not in (None, now):
        path = TRAFFIC_CLASS.format(rdma=rdma)
        yield Step(netdev, "traffic_class", now, value, path=path, text=str(value))
    value, now = wanted.pfc_prevention_timeout, found.get("pfc_prevention_timeout")
    accepted = (AUTO_TIMEOUT, AUTO_MILLISECONDS) if value == AUTO_TIMEOUT else (value,)
    if value is not None and now is not None and now not in accepted:
        tune = ("ethtool", "--set-tunable", netdev, "pfc-prevention-tout", str(value))
        yield Step(netdev, "pfc_prevention_timeout", now, value, argv=tune)


def _missing(port: PortRecord, found: PortQos, wanted: Qos) -> Iterator[str]:
    netdev = port["netdev"]
    if not port.get("rdma"):
        # The other functions of a card may share the RDMA device of the first (hwplb).
        first = str(port.get("pci") or ".0").endswith(".0")
        if first and (wanted.tos is not None or wanted.traffic_class is not None):
            yield f"{netdev}: tos and traffic_class cannot be set: the port has no RDMA device"
    elif wanted.traffic_class is not None and found.get("traffic_class") is None:
        yield (
            f"{netdev}: traffic_class cannot be set: this driver has no such file; it is the inbox "
            "driver, not that of DOCA"
        )
