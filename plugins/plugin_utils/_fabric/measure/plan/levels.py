# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The six levels of performance, in their order: each shows more, and disturbs more, than those it builds on.

Parameters are sizes in bytes as the tool reads them (`65536`, `16G`), counts, and seconds. Those of failover are how
long a job runs before something is shut, while it is, until it has to be at its rate again, and afterwards.
"""

from __future__ import annotations

import typing as t

from ...description.errors import FabricError, nearest, shown
from .records import BANDWIDTH, BIDIRECTIONAL, LATENCY, Level

if t.TYPE_CHECKING:
    from collections.abc import Iterable

ALONE, TOGETHER, AGAIN = PHASES = ("alone", "together", "again")
"""Steps of noise, with the number of the repeat: `alone-1`, `together-1`, `again-1`."""
CROSSED = "crossed"
"""Step of pairs whose ends are on different rails."""
BEFORE, DURING, AFTER = CUTS = ("before", "during", "after")
"""Steps of failover, with the kind of the element: `before-spine`, `during-spine`, `after-spine`."""

_PERFTEST = {"size": 65536, "qps": 8, "latency_size": 2, "latency_seconds": 2}
_FROM_PERFTEST = (
    "64 KiB: NVIDIA k8s-launch-kit, validation guide. 8 QPs: github.com/NVIDIA/nccl/issues/2409, where one QP does not "
    "reach the rate. 2 bytes: the smallest size of perftest. Seconds: ours."
)
_NCCL = {"smallest": "1K", "largest": "16G", "factor": 2, "iterations": 20, "warmup": 20}
_FROM_CLOUDAI = "github.com/NVIDIA/cloudai, conf/release/spcx, Spectrum-X release tests."


def _level(name: str, **values: t.Any) -> Level:
    plain: dict[str, t.Any] = {
        "after": (),
        "needs": ("perftest",),
        "shares_spines": True,
        "cuts": False,
        "tools": ("ib_write_bw", "ib_write_lat"),
        "repeats": 1,
    }
    return Level(name=name, **{**plain, **values})


_TABLE = (
    _level(
        "pairs",
        shows="Each cable of a node carries its rate, on its leaf and over the spines.",
        disturbs="Level pairs loads one NIC port of each measured node at a time.",
        shares_spines=False,
        seconds=10,
        parameters={**_PERFTEST, "kinds": (BANDWIDTH, BIDIRECTIONAL, LATENCY)},
        source=_FROM_PERFTEST,
    ),
    _level(
        "rails",
        after=("pairs",),
        shows="A node carries the rate of all its rails at the same time.",
        disturbs="Level rails loads all rails of the measured nodes at the same time, on their leaves.",
        shares_spines=False,
        tools=("ib_write_bw",),
        seconds=10,
        parameters={**_PERFTEST, "kinds": (BANDWIDTH,)},
        source=_FROM_PERFTEST,
    ),
    _level(
        "bisection",
        after=("pairs", "rails"),
        shows="The spines carry all nodes at their full rate in both directions.",
        disturbs="Level bisection loads the uplinks of all leaves and the spines of the measured nodes.",
        tools=("ib_write_bw",),
        seconds=30,
        parameters={**_PERFTEST, "kinds": (BIDIRECTIONAL,)},
        source=_FROM_PERFTEST,
    ),
    _level(
        "collectives",
        after=("pairs", "rails", "bisection"),
        needs=("nccl-tests", "gpu", "launcher"),
        shows="Collectives of NCCL reach their rate, whichever nodes of the fabric a job has.",
        disturbs="Level collectives loads the leaves, uplinks and spines of the measured nodes.",
        tools=("nccl-tests",),
        seconds=3600,
        parameters={
            **_NCCL,
            "operations": ("all_reduce", "all_gather", "reduce_scatter", "alltoall"),
        },
        source=f"{_FROM_CLOUDAI} 3600 s: NVIDIA cluster-readiness-engine. "
        "The choice of operations: ours.",
    ),
    _level(
        "noise",
        after=("pairs", "rails", "bisection"),
        needs=("perftest", "tenants"),
        shows="A tenant keeps its bandwidth and latency beside a tenant that congests its leaves.",
        disturbs="Level noise makes two tenants, and congests ports of the measured nodes' leaves on purpose.",
        seconds=10,
        repeats=5,
        parameters={**_PERFTEST, "kinds": (BIDIRECTIONAL, LATENCY)},
        source=f"{_FROM_PERFTEST} Five repeats: ours.",
    ),
    _level(
        "failover",
        after=("pairs", "rails", "bisection", "collectives"),
        needs=("nccl-tests", "gpu", "launcher"),
        shows="A running job survives the loss of a link or spine, and is back at its rate afterwards.",
        disturbs="Level failover shuts ports of switches under a running job, and opens them again.",
        cuts=True,
        tools=("nccl-tests",),
        seconds=1800,
        parameters={
            **_NCCL,
            "smallest": "128M",
            "largest": "128M",
            "factor": 1,
            "warmup": 40,
            "operations": ("alltoall",),
            "before": 90,
            "shut": 60,
            "back": 60,
            "after": 60,
        },
        source=f"{_FROM_CLOUDAI} Durations, and back at the rate within 60 s: ours.",
    ),
)

LEVELS: dict[str, Level] = {level.name: level for level in _TABLE}


def chosen(names: Iterable[str]) -> list[Level]:
    """The levels of some names, in their order; FabricError names each that is none."""
    stated = list(dict.fromkeys(names))
    wrong = [
        f"spx_level: {shown(name)} is not a level{nearest(name, LEVELS)}: use {', '.join(LEVELS)}."
        for name in stated
        if name not in LEVELS
    ]
    if wrong:
        raise FabricError(wrong)
    return [level for level in _TABLE if level.name in stated]
