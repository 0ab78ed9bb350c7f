# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters and state of a host for Prometheus, in one file of node_exporter's textfile collector.

node_exporter itself reads neither `hw_counters` nor what this collection wants of a host. The file is replaced as a
whole at each look of the watchdog, and only where the folder of the collector is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional

from .. import _exposition, _files
from .errors import NicError
from .parse.qos import parse_statistics
from .records import PortRecord
from .state import load, save
from .tools import Host

FILE = "/var/lib/prometheus/node-exporter/spectrum-x.prom"
"""Place of Debian's package prometheus-node-exporter."""
NOTE = "heal"
# Sources: Linux kernel, mlx5 counters documentation, and commits 0ad17a8f7fa0 and d7fab916374c (hw_counters).
OF_PORT = (
    *(
        f"{way}_prio3_{what}"
        for way in ("rx", "tx")
        for what in ("pause", "pause_duration", "bytes")
    ),
    *("rx_prio3_discards", "rx_discards_phy", "rx_out_of_buffer"),
    *("tx_pause_storm_warning_events", "tx_pause_storm_error_events"),
    *("link_down_events_phy", "rx_symbol_err_phy", "rx_pcs_symbol_err_phy", "rx_crc_errors_phy"),
    *("outbound_pci_stalled_wr_events", "outbound_pci_stalled_rd_events"),
)
OF_DEVICE = (
    *("np_cnp_sent", "np_ecn_marked_roce_packets", "rp_cnp_handled", "out_of_sequence"),
    *("packet_seq_err", "local_ack_timeout_err", "roce_adp_retrans", "roce_adp_retrans_to"),
    *("roce_slow_restart", "out_of_buffer"),
)
_HARDWARE = "/sys/class/infiniband/{rdma}/ports/1/hw_counters/{name}"
_ALGORITHM = ("congestion_control", "cc_")
"""Beginnings of the settings that are of the algorithm."""
_TIME = "spx_host_time_seconds"
_HEADS = (
    (_TIME, "gauge", "Time of the last look of the watchdog."),
    ("spx_host_look_seconds", "gauge", "Duration of that look."),
    ("spx_host_heal_time_seconds", "gauge", "Time of the last repair."),
    ("spx_host_desired", "gauge", "1 where it is as the collection wants it."),
    ("spx_nic_counter_total", "counter", "A counter of ethtool -S or hw_counters."),
)


def read(host: Host, port: PortRecord) -> dict[str, int]:
    """Return the chosen counters of a port; what it does not have, or what is no number, is absent."""
    every = parse_statistics(host.ask("ethtool", "-S", port["netdev"]).out)
    found = {name: every[name] for name in OF_PORT if name in every}
    for name in OF_DEVICE:
        value = (
            host.number(_HARDWARE.format(rdma=port["rdma"], name=name)) if port["rdma"] else None
        )
        if value is not None:
            found[name] = value
    return {name: value for name, value in found.items() if value >= 0}


def age(host: Host, now: float) -> Optional[int]:
    """Return the seconds since the last look that the file has; -1 without such a file, None without a collector."""
    if not host.exists(os.path.dirname(FILE)):
        return None
    for line in (host.text(FILE) or "").splitlines():
        name, _blank, value = line.partition(" ")
        if name == _TIME and value.isdigit():
            return abs(int(now) - int(value))
    return -1


def write(
    host: Host,
    ports: Iterable[PortRecord],
    wrong: Iterable[str],
    *,
    repaired: bool,
    now: float,
    seconds: float,
) -> None:
    """Replace the file; `wrong` are the settings that differ. Nothing happens where nobody would read it."""
    if host.check_mode or not host.exists(os.path.dirname(FILE)):
        return
    if repaired:
        save(host, NOTE, {"time": int(now)})
    counters = {port["netdev"]: read(host, port) for port in ports if port["netdev"]}
    healed = load(host, NOTE).get("time")
    text = "".join(_lines(counters, set(wrong), healed=healed, now=now, seconds=seconds))
    try:
        _files.put(host.path(FILE), text.encode(), 0o644)
    except OSError as exc:
        raise NicError(f"{FILE}: it cannot be written: {exc.strerror}.") from exc


def _lines(
    counters: Mapping[str, Mapping[str, int]],
    wrong: set[str],
    *,
    healed: Any,
    now: float,
    seconds: float,
) -> Iterator[str]:
    for name, kind, text in _HEADS:
        yield _exposition.head(name, kind, text)
    yield _exposition.line(_TIME, {}, int(now))
    yield _exposition.line("spx_host_look_seconds", {}, round(seconds, 2))
    if isinstance(healed, int):
        yield _exposition.line("spx_host_heal_time_seconds", {}, healed)
    off = {name for name in wrong if name.startswith(_ALGORITHM)}
    for what, differs in (("algorithm", off), ("settings", wrong - off)):
        yield _exposition.line("spx_host_desired", {"what": what}, int(not differs))
    for netdev, values in counters.items():
        for name, value in values.items():
            labels = {"interface": netdev, "counter": name}
            yield _exposition.line("spx_nic_counter_total", labels, value)
