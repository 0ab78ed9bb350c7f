# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Output of ib_write_bw and ib_write_lat: as Debian's program has it over Soft-RoCE, and as newer ones do."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from nicsim.tools._perftest_options import DEBIAN, RULE, Options

BANNER = f"\n{'*' * 36}\n* Waiting for client to connect... *\n{'*' * 36}\n"
MIB = 8 * 2**20 / 1e9
"""Gb/s of one MiB/s."""
SMALL = 0.1
"""Bandwidths below this are printed with six digits."""
LATENCY_NAMES = "t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
PERCENTILES = "99% percentile[usec]   99.9% percentile[usec] "


class Keys(NamedTuple):
    """Keys of one queue pair for its peer."""

    qpn: int
    psn: int
    rkey: int
    vaddr: int
    gid: str


class Bandwidth(NamedTuple):
    """A line of results; Gb/s, and messages a second in millions."""

    size: int
    iterations: int
    peak: float
    average: float
    rate: float


class Latency(NamedTuple):
    """A line of results of iterations: microseconds."""

    size: int
    iterations: int
    least: float
    most: float
    typical: float
    average: float
    deviation: float
    p99: float
    p999: float


class Mean(NamedTuple):
    """A line of results of a latency test for a time: microseconds, transactions a second."""

    size: int
    iterations: int
    average: float
    transactions: float


def facts(options: Options, *, device: str, mtu: int, gid: int) -> Iterator[tuple[str, str, Any]]:
    """(title, key in JSON, value) of what is said of a test before it runs."""
    relaxed = "OFF" if options.latency else "ON"
    way = "rdma_cm" if options.cm else "Ethernet"
    yield "Dual-port", "Dual_port", "OFF"
    yield "Device", "Device", device
    yield "Number of qps", "Number_of_qps", options.qps
    yield "Transport type", "Transport_type", "IB"
    yield "Connection type", "Connection_type", "RC"
    yield "Using SRQ", "Using_SRQ", "OFF"
    yield "PCIe relax order", "PCIe_relax_order", relaxed
    yield "ibv_wr* API", "ibv_wr_API", "ON"
    if options.host or options.bidirectional:
        yield "TX depth", "TX_depth", options.outstanding
    if not options.latency:
        moderation = 1 if options.size > 8192 else min(100, options.outstanding)
        yield "CQ Moderation", "CQ_Moderation", moderation
    yield "Mtu", "Mtu", mtu
    yield "Link type", "Link_type", "Ethernet"
    yield "GID index", "GID_index", gid
    yield "Max inline data", "Max_inline_data", 220 if options.latency else 0
    yield "rdma_cm QPs", "rdma_cm_QPs", "ON" if options.cm else "OFF"
    yield "Data ex. method", "Data_ex_method", way


BESIDE = {"Device", "Transport type", "Using SRQ"}
"""Facts that stand on the line of the one before them."""
NEWER = {
    "PCIe relax order": "Lock-free      : OFF",
    "ibv_wr* API": "Using Enhanced Reorder      : OFF",
}
"""Additions of newer programs beside a fact."""
WAITS = (
    " Waiting for client rdma_cm QP to connect\n"
    " Please run the same command with the IB/RoCE interface IP"
)
POLLS = " CQE Poll Batch  : 16"


def head(options: Options, rows: Sequence[tuple[str, str, Any]]) -> str:
    """The block between the first two rules, with both."""
    lines = [f"{'':20}{_title(options)}"]
    for title, _key, value in rows:
        text = f"{value}[B]" if title in ("Mtu", "Max inline data") else f"{value}"
        if title in BESIDE:
            lines[-1] += f"\t\t{title:<15}: {text}"
            continue
        lines.append(f" {title}\t : {text}" if title == "rdma_cm QPs" else f" {title:<16}: {text}")
        if options.version != DEBIAN and title in NEWER:
            lines[-1] += f"\t\t{NEWER[title]}"
        if options.version != DEBIAN and title == "CQ Moderation":
            lines.append(POLLS)
    if options.cm and options.tos >= 0:
        lines[-1] += f" \tTOS    : {options.tos}"
    said = [] if options.host or not options.cm else [WAITS, RULE]
    return "\n".join([RULE, *lines, RULE, *said]) + "\n"


def _title(options: Options) -> str:
    if options.latency:
        return "RDMA_Write Latency Test"
    return f"RDMA_Write {'Bidirectional ' if options.bidirectional else ''}BW Test"


def addresses(options: Options, side: str, keys: Sequence[Keys]) -> str:
    """The lines of one side's queue pairs; `side` is local or remote."""
    return "".join(
        f" {side} address: LID 0000 QPN {key.qpn:#06x} PSN {key.psn:#08x}{_memory(options, key)}\n"
        f" GID: {_gid(key.gid)}\n"
        for key in keys
    )


def _memory(options: Options, key: Keys) -> str:
    """With rdma_cm the memory's keys are not said."""
    return "" if options.cm else f" RKey {key.rkey:#08x} VAddr {key.vaddr:#016x}"


def _gid(text: str) -> str:
    return ":".join(f"{byte:02d}" for byte in ipaddress.IPv6Address(text).packed)


def heading(options: Options) -> str:
    """The line above the results."""
    if options.latency and options.seconds:
        return " #bytes        #iterations       t_avg[usec]    tps average\n"
    if options.latency:
        return f" #bytes #iterations    {LATENCY_NAMES}   {PERCENTILES}\n"
    unit = "Gb" if options.gbits else "MB" if options.version == DEBIAN else "MiB"
    return f" #bytes     #iterations    BW peak[{unit}/sec]    BW average[{unit}/sec]   MsgRate[Mpps]\n"


def in_units(options: Options, gbps: float) -> float:
    """A bandwidth as the options want it."""
    return gbps if options.gbits else gbps / MIB


def line(options: Options, row: Any) -> str:
    """One line of results."""
    if isinstance(row, Bandwidth):
        peak, average = in_units(options, row.peak), in_units(options, row.average)
        if 0 < average < SMALL:
            figures = f"{peak:<7.6f}            {average:<7.6f}            {row.rate:<7.6f}"
            return f" {row.size:<7}    {row.iterations}           {figures}\n"
        figures = f"{peak:<7.2f}            {average:<7.2f}\t\t   {row.rate:<7.6f}"
        return f" {row.size:<7}    {row.iterations:<10}       {figures}\n"
    if isinstance(row, Mean):
        return f" {row.size:<7}       {row.iterations}            {row.average:<7.2f}        {row.transactions:<7.2f}\n"
    first = f" {row.size:<7} {row.iterations}          {row.least:<7.2f}        {row.most:<7.2f}"
    middle = f"      {row.typical:<7.2f}  \t       {row.average:<7.2f}     \t{row.deviation:<7.2f}"
    return f"{first}{middle}\t\t{row.p99:<7.2f} \t\t{row.p999:<7.2f}\n"


def output(options: Options, row: Any) -> str:
    """The one figure that --output prints."""
    if isinstance(row, Bandwidth):
        return f"{row.rate if options.output == 'message_rate' else in_units(options, row.average):.6f}\n"
    return f"{row.average:.6f}\n"


def document(options: Options, rows: Sequence[tuple[str, str, Any]], result: Any) -> str:
    """The file of --out_json. Debian's program quotes nothing but the device, and leaves commas before braces."""
    info = [
        ("test", _title(options).replace(" ", "_")),
        *((key, value) for _title_, key, value in rows),
    ]
    if options.version == DEBIAN:
        blocks = [
            ("test_info", [_loose(*pair) for pair in info]),
            ("results", [_loose(*pair) for pair in _results(options, result)]),
        ]
        return (
            "{\n" + "".join(f"{name}: {{\n{''.join(lines)}}},\n" for name, lines in blocks) + "}\n"
        )
    info.insert(-1, ("Use_ROCm_memory", "OFF"))
    parts = [
        ("test_info", [_strict(*pair) for pair in info]),
        ("results", [_strict(*pair) for pair in _results(options, result)]),
    ]
    joined = [f'"{name}": {{\n' + ",\n".join(lines) + "\n}" for name, lines in parts]
    return "{\n" + ",\n".join(joined) + "\n}\n"


def _loose(key: str, value: Any) -> str:
    text = f'"{value}"' if key == "Device" else f"{value}"
    return f"{key}{' ' if key == 'TX_depth' else ''}: {text},\n"


def _strict(key: str, value: Any) -> str:
    quoted = isinstance(value, str) and not value.replace(".", "").isdigit()
    return f'"{key}": "{value}"' if quoted else f'"{key}": {value}'


def _results(options: Options, row: Any) -> Iterator[tuple[str, Any]]:
    yield "MsgSize", row.size
    yield "n_iterations", row.iterations
    if isinstance(row, Bandwidth):
        digits = 6 if in_units(options, row.average) < SMALL else 2
        yield "BW_peak", f"{in_units(options, row.peak):.{digits}f}"
        yield "BW_average", f"{in_units(options, row.average):.{digits}f}"
        yield "MsgRate", f"{row.rate:.6f}"
    elif isinstance(row, Mean):
        yield "t_avg", f"{row.average:.2f}"
        yield "tps_average", f"{row.transactions:.2f}"
    else:
        names = (
            "t_min",
            "t_max",
            "t_typical",
            "t_avg",
            "t_stdev",
            "percentile_99",
            "percentile_99.9",
        )
        yield from zip(names, (f"{value:.2f}" for value in row[2:]))
