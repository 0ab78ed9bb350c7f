# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of made-up runs: a ring of pairs on every rail, near and far, with figures of a seed and seeded faults.

runs.of(fabric)                                            a healthy run
runs.of(fabric, slow={("worker-su01-rack01-h01", 2): 0.48})  one NIC port at 48 % of its rate
"""

from __future__ import annotations

import random
import typing as t
from collections.abc import Iterator, Mapping, Sequence

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import records
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan.records import (
    Pair,
    Suspect,
    Test,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
    results,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report.schema import (
    RunRecord,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)

Slow = Mapping[tuple[str, int], float]
RUN = "20261125T031000Z"
RATE = 392.1
"""Gb/s; see the public figure of perftest on a 400G port in NVIDIA/nccl #2409."""
LIMITS = {"pairs": 380.0, "rails": 372.0, "bisection": 340.0}
OURS = "ours: 95 % of a port of 400G"


def of(
    fabric: Fabric,
    *,
    slow: Slow | None = None,
    suspects: Sequence[Suspect] = (),
    seed: int = 1,
    levels: Sequence[str] = ("pairs", "rails"),
    **changes: t.Any,
) -> RunRecord:
    """A complete record; `slow` has shares of the rate by (node, zero-based rail)."""
    pick, slow = random.Random(seed), slow or {}
    tests = [one for level in levels for one in _tests(fabric, level, slow=slow, pick=pick)]
    made = {
        "run": RUN,
        "levels": [*levels, "collectives"],
        "began": "2026-11-25T03:10:00+00:00",
        "ended": "2026-11-25T03:52:10+00:00",
        "by": "jane@controller",
        "nodes": [fabric.name(node) for node in fabric.nodes()],
        "tests": tests,
        "suspects": list(suspects),
        "not_run": [{"level": "collectives", "reason": "No node has a GPU."}],
        **changes,
    }
    return results.complete(fabric, made)


def _tests(fabric: Fabric, level: str, *, slow: Slow, pick: random.Random) -> Iterator[Test]:
    for pair in _ring(fabric):
        share = min(slow.get((end, pair.rail), 1.0) for end in (pair.first, pair.second))
        value = round(RATE * share + pick.gauss(0, 0.8), 1)
        yield _test(level, pair, kind=records.BANDWIDTH, value=value, limit=LIMITS[level])
        if level == "pairs":
            typical = round(
                (2.1 if pair.distance == records.LEAF else 4.4) + pick.gauss(0, 0.05), 2
            )
            yield _test(level, pair, kind=records.LATENCY, value=typical, limit=8.0)


def _ring(fabric: Fabric) -> Iterator[Pair]:
    """Each node sends to the next of its SU, and to the node at its place of the next SU."""
    nodes = list(fabric.nodes())
    sus: dict[tuple[int, int], list[Node]] = {}
    for node in nodes:
        sus.setdefault((node.pod, node.su), []).append(node)
    groups = list(sus.values())
    for number, group in enumerate(groups):
        far = groups[(number + 1) % len(groups)]
        for at, node in enumerate(group):
            for nic in fabric.cabling.nic_ports():
                for other, distance in (
                    (group[(at + 1) % len(group)], "leaf"),
                    (far[at % len(far)], "pod"),
                ):
                    if other != node:
                        yield Pair(
                            fabric.name(node), fabric.name(other), nic.rail, nic.plane, distance
                        )


def _test(level: str, pair: Pair, *, kind: str, value: float, limit: float) -> Test:
    asked = records.asked(level, pair, kind=kind)
    failed = value > limit if kind == records.LATENCY else value < limit
    words = "above" if kind == records.LATENCY else "below"
    said = f"{value} {records.UNITS[kind]} is {words} the limit of {limit}." if failed else ""
    keys = (
        "id",
        "level",
        "step",
        "kind",
        "first",
        "second",
        "rail",
        "to_rail",
        "plane",
        "distance",
        "nodes",
    )
    return t.cast(
        "Test",
        {
            **{key: asked[key] for key in keys},  # type: ignore[literal-required]
            "value": value,
            "unit": records.UNITS[kind],
            "limit": limit,
            "limit_source": OURS,
            "state": records.FAIL if failed else records.PASS,
            "sentence": said,
            "counters": {"out_of_sequence": 1200} if failed else {},
        },
    )


def cable(node: str, leaf: str) -> Suspect:
    """A cable that is suspected."""
    return {
        "kind": "cable",
        "place": f"{node} rail2p1 <-> {leaf} swp1s1",
        "certain": True,
        "score": 4.0,
        "reasons": [f"All measurements through {node} rail2p1 failed, with 3 partners."],
    }
