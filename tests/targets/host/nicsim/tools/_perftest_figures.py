# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a test: from the model of links to a line of results, and to what counters count."""

from __future__ import annotations

import zlib
from typing import NamedTuple

from nicsim.links import Links, Port
from nicsim.tools._perftest_options import Options
from nicsim.tools._perftest_text import Bandwidth, Latency, Mean

OVERHEAD = 82
"""Bytes of a packet beside its payload: preamble and gap 20, Ethernet 18, IPv4 20, UDP 8, BTH 12, ICRC 4."""
MESSAGES = 2.64e6
"""Messages a second of one queue pair at most (linux-rdma/perftest issue 132: 2.64 Mpps with 2 bytes)."""
ONE_QP = ((16384, 0.969), (524288, 1.0), (1 << 62, 0.725))
"""Largest size, and what one queue pair gets of the link: 380.0, 392.1, 284.4 of 400 (NVIDIA/nccl issue 2409)."""
BOTH_WAYS = 0.985
"""Share of its rate that each direction keeps when both are used [inferred]."""
NICS, HOP = 1.6, 0.65
"""Microseconds of half a round trip between two cards, and of each switch in between [inferred]."""


def wish(options: Options, size: int, *, line: float, mtu: int) -> float:
    """Rate of a test on an empty link, in Gb/s of payload."""
    alone = next(part for most, part in ONE_QP if size <= most) if options.qps == 1 else 1.0
    both = BOTH_WAYS if options.bidirectional else 1.0
    return min(
        line * mtu / (mtu + OVERHEAD) * alone * both, size * 8 * MESSAGES * options.qps / 1e9
    )


def shaken(value: float, *about: str, part: float = 0.003) -> float:
    """A figure a little below what it could be, the same each time for the same places."""
    return value * (1 - part * (zlib.crc32(" ".join(about).encode()) % 1000) / 1000)


def bandwidth(options: Options, size: int, gbps: float) -> Bandwidth:
    """The line of results of a rate. A test for a time reports no peak."""
    rate = gbps / 8 / size * 1e3
    peak = 0.0 if options.seconds or options.no_peak else gbps * 1.0006
    count = options.iters * options.qps
    if options.seconds:
        count = max(1, round(rate * 1e6 * options.sampled))
    return Bandwidth(size, count, peak, gbps, rate)


def switches(links: Links, one: Port, other: Port) -> int:
    """Count the switches that a packet passes."""
    return 0 if not links.known else 1 if one.leaf == other.leaf else 3


def typical(links: Links, one: Port, other: Port, *, share: float) -> float:
    """Half a round trip in microseconds; `share` is what the link has left for others, from 0 to 1."""
    base = NICS + HOP * switches(links, one, other)
    return base * (1 + 2 * (1 - max(0.0, min(1.0, share))))


def latency(options: Options, size: int, usec: float, *, crowded: bool) -> Latency:
    """The line of results of iterations around a typical time; a crowded way has a long tail."""
    usec += size * 8 / 400e3
    tail = 9.0 if crowded else 1.12
    spread = usec * (0.9 if crowded else 0.02)
    return Latency(
        size,
        options.iters,
        usec * 0.96,
        usec * tail * 1.6,
        usec,
        usec * (1.2 if crowded else 1.01),
        spread,
        usec * tail,
        usec * tail * 1.3,
    )


def mean(options: Options, size: int, usec: float, *, crowded: bool) -> Mean:
    """The line of results of a test for a time."""
    average = latency(options, size, usec, crowded=crowded).average
    return Mean(size, round(options.sampled * 1e6 / (2 * average)), average, 1e6 / (2 * average))


def seconds(options: Options, size: int, gbps: float) -> float:
    """Duration of a test."""
    return float(options.seconds) or options.iters * options.qps * size * 8 / (gbps * 1e9)


def exchanged(options: Options, size: int, took: float) -> float:
    """Rate of each side of a latency test, in Gb/s of payload."""
    return options.iters * size * 8 / took / 1e9


class Traffic(NamedTuple):
    """Traffic of a run: seconds, bytes of a packet's payload, the packets' priority, and whether the sender was held
    back."""

    took: float
    mtu: int
    priority: int
    held: bool


def marks(links: Links, port: Port, run: Traffic, *, gbps: float, sends: bool) -> dict[str, int]:
    """Return the rise of one side's counters after traffic in one direction."""
    payload = gbps * 1e9 / 8 * run.took
    packets = round(payload / run.mtu)
    octets = round(payload + packets * (OVERHEAD - 20))
    way = "tx" if sends else "rx"
    counted = {
        f"{way}_prio{run.priority}_bytes": octets,
        f"{way}_prio{run.priority}_packets": packets,
        f"{way}_bytes_phy": octets,
        f"{way}_packets_phy": packets,
        f"{way}_vport_rdma_unicast_bytes": round(payload),
        f"{way}_vport_rdma_unicast_packets": packets,
    }
    for fault in links.about("bad-optic", port):
        counted.update(_dirt(fault, packets=packets, took=run.took, sends=sends))
    return {**counted, **(_held(links, port, run.took, sends=sends) if run.held else {})}


def _held(links: Links, port: Port, took: float, *, sends: bool) -> dict[str, int]:
    """Return the counters of a sender that is held back: notifications of congestion, or without them pauses."""
    if links.about("no-congestion-control", port):
        paused = {
            "rx_prio3_pause": round(took * 5000),
            "rx_prio3_pause_duration": round(took * 200000),
        }
        return paused if sends else {}
    notified = round(took * 2000)
    if sends:
        return {"rp_cnp_handled": notified}
    return {"np_cnp_sent": notified, "np_ecn_marked_roce_packets": 3 * notified}


def _dirt(fault: dict, *, packets: int, took: float, sends: bool) -> dict[str, int]:
    """A bad optic: symbol errors where the light arrives, lost packets, and what brings them again."""
    lost = round(packets * fault.get("loss", 1e-5))
    errors = round(took * fault.get("symbol_errors_per_second", 1000))
    found = {
        "rx_symbol_err_phy": errors,
        "rx_pcs_symbol_err_phy": errors,
        "rx_crc_errors_phy": lost,
    }
    more = (
        {"packet_seq_err": lost, "roce_adp_retrans": lost} if sends else {"out_of_sequence": lost}
    )
    return {**found, **more}
