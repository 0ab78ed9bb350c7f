# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed of a collective: from the rates of the rails to time, algorithm and bus bandwidth.

Factors between algorithm and bus bandwidth: NVIDIA/nccl-tests, doc/PERFORMANCE.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

NVLINK = 480.0
"""GB/s of bus bandwidth inside a node of eight GPUs (NVIDIA/nccl-tests issue 212)."""
SOCKET = 2.3
"""GB/s of bus bandwidth over TCP (a capture of NET/Socket with NCCL 2.29) [inferred for other machines]."""
PARTS = {
    "all_reduce_perf": 0.940,
    "all_gather_perf": 0.914,
    "reduce_scatter_perf": 0.914,
    "alltoall_perf": 0.856,
    "sendrecv_perf": 0.97,
}
"""Bus bandwidth by the rate of the NICs: 376 and 366 of 400 GB/s, 85.6 of 100 a GPU (NVIDIA/cluster-readiness-engine,
certification reports, GB300 with RoCE); 48.5 of 50 (NVIDIA/nccl-tests issue 267); reduce_scatter as all_gather
[inferred]."""
START = 30e-6
"""Seconds until the first byte arrives [inferred]."""


class Speed(NamedTuple):
    """GB/s of a group's NICs in one node, and of one of its GPUs; inside a node that of NVLink."""

    node: float
    gpu: float
    inside: bool
    socket: bool
    nodes: int


def inside(ranks: int) -> Speed:
    """A group in one node."""
    return Speed(NVLINK, NVLINK / max(1, ranks - 1), True, False, 1)


def across(rates: Sequence[float], *, per_node: int, nodes: int, socket: bool) -> Speed:
    """A group over several nodes, from Gb/s of each way over all planes: the slowest decides, as all carry the same."""
    slowest = min(rates, default=0.0) / 8
    return Speed(slowest * per_node, slowest, False, socket, nodes)


def timed(program: str, size: int, speed: Speed, *, ranks: int) -> tuple[float, float, float]:
    """(microseconds, algorithm bandwidth, bus bandwidth) of one size, GB/s."""
    factor = _factor(program, ranks)
    best = _best(program, speed)
    if size == 0 or ranks < 2 or best <= 0:
        return 4.0, 0.0, 0.0
    seconds = START + size * factor / (best * 1e9)
    return seconds * 1e6, size / seconds / 1e9, size * factor / seconds / 1e9


def _factor(program: str, ranks: int) -> float:
    if program == "all_reduce_perf":
        return 2 * (ranks - 1) / ranks
    return 1.0 if program == "sendrecv_perf" else (ranks - 1) / ranks


def _best(program: str, speed: Speed) -> float:
    """Bus bandwidth of the largest messages. Exchanges between all cannot add up the NICs of a node."""
    if speed.socket:
        return SOCKET
    if speed.inside:
        return speed.node * PARTS[program]
    one = program in ("alltoall_perf", "sendrecv_perf")
    return (speed.gpu if one else speed.node) * PARTS[program]
