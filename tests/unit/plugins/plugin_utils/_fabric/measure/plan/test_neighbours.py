# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The leaf on which aggressors disturb victims: from measurements through the judge to a suspect."""

from __future__ import annotations

import itertools

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import verdict
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import (
    neighbours,
    placement,
    records,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
    results,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric import fabrics
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.measure.measured import (
    measured,
)

BOTH, LATENCY = records.BIDIRECTIONAL, records.LATENCY
PAUSED = {"rx_prio3_pause": 10}


def nodes_of(fabric, *numbers):
    """So many nodes of each SU in turn."""
    return [
        fabric.name(node)
        for su, number in enumerate(numbers)
        for node in itertools.islice(fabric.nodes(sus=[su]), number)
    ]


def judged(fabric, nodes, beside, again=lambda _pair: 740.0, counters=None):
    """The tests of level noise, where a pair of victims has `beside(pair)` Gb/s beside aggressors."""
    asked, rows = [], []
    for pair in placement.noise(fabric, nodes).measured:
        values = {"alone": 740.0, "together": beside(pair), "again": again(pair)}
        for (phase, value), number, kind in itertools.product(
            values.items(), range(1, 6), (BOTH, LATENCY)
        ):
            one = records.asked("noise", pair, kind=kind, step=f"{phase}-{number}")
            late = 2.5 * 740.0 / value
            answer = {"gbps": value} if kind == BOTH else {"latency": {"typical": 2.0, "p99": late}}
            if phase == "together" and kind == BOTH and counters:
                answer["counters"] = counters
            asked.append(one)
            rows += measured(one, None, **answer)
    return verdict.judge(fabric, asked, measurements=rows, baselines={})


def found(fabric, nodes, beside, **options):
    return neighbours.find(fabric, judged(fabric, nodes, beside, **options), nodes)


def leaf_of(fabric, name, pair):
    node = fabric.known(name)
    return fabric.name(fabric.cabling.leaf_of(node, placement.NicPort(pair.rail, pair.plane))[0])


def congested(fabric, nodes):
    """The leaves with a receiver of the incast."""
    return {leaf_of(fabric, p.second, p) for p in placement.noise(fabric, nodes).incast}


def test_victims_that_keep_their_bandwidth_name_nobody():
    fabric = fabrics.example("lab")
    assert found(fabric, nodes_of(fabric, 3, 3), lambda _pair: 739.0) == []


def test_the_leaf_its_tenant_and_the_loss_are_named_on_the_rail_that_lost():
    fabric = fabrics.example("lab")
    nodes = nodes_of(fabric, 3, 3)
    rows = found(fabric, nodes, lambda pair: 300.0 if pair.rail == 1 else 740.0, counters=PAUSED)
    (row,) = rows
    (leaf,) = [name for name in congested(fabric, nodes) if name.endswith("r2")]
    assert (row["kind"], row["place"], row["certain"]) == (
        "tenant",
        f"noisy on {leaf}",
        True,
    )
    assert row["score"] == 1
    who, lost, latency, paused = row["reasons"]
    incast = [p for p in placement.noise(fabric, nodes).incast if p.rail == 1]
    senders = " and ".join(p.first for p in incast)
    assert who == f"It disturbs tenant quiet here: {senders} send to {incast[0].second}, rail 2."
    assert "300 Gb/s beside aggressors, 40.5 % of 740 Gb/s alone" in lost
    assert "us beside aggressors" in latency
    assert "The network sent these victims 100 pauses (rx_prio3_pause)" in paused
    assert senders in paused


def test_victims_that_are_slow_alone_again_show_nothing():
    fabric = fabrics.example("lab")
    nodes = nodes_of(fabric, 3, 3)
    assert found(fabric, nodes, lambda _pair: 300.0, again=lambda _pair: 310.0) == []


def test_of_many_leaves_the_one_that_does_not_hold_its_incast_back_is_named():
    """Of a rail one leaf slows all that goes to it; pairs elsewhere keep their bandwidth."""
    fabric = fabrics.example("h200-2048")
    nodes = nodes_of(fabric, 12, 12, 12, 12)
    every = sorted(congested(fabric, nodes))
    assert len(every) > 1
    for bad in every[:3]:
        rows = found(
            fabric,
            nodes,
            lambda pair, bad=bad: (
                250.0
                if bad in (leaf_of(fabric, pair.first, pair), leaf_of(fabric, pair.second, pair))
                else 740.0
            ),
        )
        assert rows[0]["place"] == f"noisy on {bad}"
        assert rows[0]["score"] == 1


def test_a_loss_without_an_incast_near_is_never_certain():
    """Four victims, and one receiver of an incast: of two pairs one shares no leaf with it."""
    fabric = fabrics.example("h200-2048")
    nodes = nodes_of(fabric, 2, 2, 2, 2)
    bad = congested(fabric, nodes)

    def beside(pair):
        here = {leaf_of(fabric, pair.first, pair), leaf_of(fabric, pair.second, pair)}
        return 740.0 if here & bad else 250.0

    rows = found(fabric, nodes, beside)
    assert rows
    assert not any(row["certain"] for row in rows)
    assert all(
        "no incast has its receiver on a leaf of these victims" in row["reasons"][0] for row in rows
    )


def test_the_record_has_the_leaf_of_a_neighbour():
    fabric = fabrics.example("lab")
    nodes = nodes_of(fabric, 3, 3)
    tests = judged(fabric, nodes, lambda _pair: 300.0)
    rows = neighbours.find(fabric, tests, nodes)
    made = results.complete(
        fabric,
        {
            "run": "20261125T031000Z",
            "levels": ["noise"],
            "began": "2026-11-25T03:10:00+00:00",
            "ended": "2026-11-25T03:20:00+00:00",
            "nodes": nodes,
            "tests": tests,
            "suspects": rows,
        },
    )
    results.check(made)
    assert {end["device"] for row in made["where"].values() for end in row["ends"]} == congested(
        fabric, nodes
    )
