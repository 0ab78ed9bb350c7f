# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs and measurements of a host, as plain data that goes through JSON.

A host that measured nothing says why in one `sentence`. No value of it counts then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from .. import _text

if TYPE_CHECKING:
    from typing import NotRequired

SERVER, CLIENT = "server", "client"
MEASURED, FAILED, NOT_RUN = "measured", "failed", "not_run"
ROCE, TCP, NVLINK, SHM = "roce", "tcp", "nvlink", "shm"


class Job(TypedDict):
    """One side of one measurement on one host; both sides have the same `id`, unique in a run.

    `tool` is `ib_write_bw`, `ib_write_lat` or `command`; `side` is `server` or `client`.
    `interface` is the network interface of the rail's port, `address` its address without length;
    the GID index is computed from it on the host. `peer` is the address of the other side.
    `port` is the TCP port of the job, `size` counts bytes of a message.
    The traffic class is `dscp` << 2; the byte counters of `priority` prove the class.
    `gpu` is `none`, or `auto` for the GPU nearest to the card, else host memory, which `note` says.
    `command` belongs to the tool `command` alone: words of the site, with `{peer}` and others in them.
    Such a command with `priority` -1 has no class to prove: what it says of its transport counts.
    """

    id: str
    tool: str
    side: str
    interface: str
    address: str
    peer: str
    port: int
    size: int
    qps: int
    seconds: int
    dscp: int
    priority: int
    bidirectional: bool
    gpu: str
    command: list[str]


class Port(TypedDict):
    """A port of a rail: its interface, and its address without length."""

    interface: str
    address: str


class Collective(TypedDict):
    """One run of nccl-tests over several nodes, started on one host by the launcher of the site.

    `operation` is `all_reduce`, `all_gather`, `reduce_scatter`, `alltoall`, `sendrecv` or others of
    nccl-tests. `nodes` are names or addresses that the launcher reaches, the first is this host.
    `launcher` is `mpirun` of Open MPI or `srun`, or a path of one; empty for a single node.
    `split` is empty or such as `MOD 8` (NCCL_TESTS_SPLIT). `smallest` and `largest` are message sizes
    as nccl-tests takes them (`8`, `16G`). It is ended after `seconds`. `gpus_per_node` 0 is as many as this host has.
    `cycles` repeats the whole run; 0 repeats it until it is ended. `folder` has the programs of
    nccl-tests, where PATH does not; `options` go to the launcher; `priority` is the class of RoCE, 3.
    `rails` are the ports of this host that it has to use, `addresses` those of the rails of all nodes that say theirs.
    """

    id: str
    operation: str
    nodes: list[str]
    gpus_per_node: int
    launcher: str
    split: str
    smallest: str
    largest: str
    iterations: int
    warmup: int
    seconds: int
    environment: dict[str, str]
    cycles: NotRequired[int]
    folder: NotRequired[str]
    options: NotRequired[list[str]]
    rails: NotRequired[list[Port]]
    addresses: NotRequired[list[str]]
    priority: NotRequired[int]


class Latency(TypedDict):
    """Microseconds, one way, as ib_write_lat prints them."""

    typical: float
    p99: float


class Cycle(TypedDict):
    """A row of nccl-tests: `at` is its time stamp of the host, empty where this version prints none."""

    at: str
    size: int
    busbw: float


class Measurement(TypedDict):
    """Measurement of one side.

    `state` is `measured`, `failed` (also where the wrong transport was used) or `not_run`; `sentence`
    says why, and is empty where it is measured. `gbps` is the average of the run in Gb/s.
    `transport` is `roce`, `tcp`, `nvlink`, `shm` (memory of the host) or empty where nothing proves it.
    `memory` is `host` or `gpu`. `counters` are differences over the run, by the names of
    `ethtool -S` and of `hw_counters`. A counter that was not read is absent. `seconds` is how long the tool ran.
    `note` is what a reader has to know of a measurement that counts, such as host memory in place of a GPU's.
    Of nccl-tests, `busbw` has GB/s (out of place) by message size in bytes, and `best` the highest of them. `plugin` is
    the network plugin that NCCL named, `ranks` their number, `cycles` the last rows in order with their time stamp.
    """

    id: str
    side: str
    state: str
    sentence: str
    gbps: float | None
    latency: Latency | None
    transport: str
    memory: str
    counters: dict[str, int]
    seconds: float
    note: str
    busbw: NotRequired[dict[str, float]]
    best: NotRequired[float | None]
    plugin: NotRequired[str]
    ranks: NotRequired[int]
    cycles: NotRequired[list[Cycle]]


def nothing(name: str, side: str, state: str, sentence: str) -> Measurement:
    """A measurement without any value, and the sentence that says why."""
    return {
        "id": name,
        "side": side,
        "state": state,
        "sentence": _text.line(sentence),
        "gbps": None,
        "latency": None,
        "transport": "",
        "memory": "host",
        "counters": {},
        "seconds": 0.0,
        "note": "",
    }
