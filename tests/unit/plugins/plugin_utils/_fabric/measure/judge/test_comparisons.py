# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import verdict
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import (
    placement,
    records,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric import fabrics
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.measure.measured import (
    H01,
    H02,
    H03,
    K01,
    K02,
    K03,
    measured,
)

LAB = fabrics.example("lab")
NODES = (H01, H02, H03, K01, K02, K03)
PAIR = records.Pair(H01, K01, 1, 0, "pod")


def compared(runs, elements=()):
    """The comparisons of {what was asked: value or changed fields}."""
    asked = [one for one, _value in runs]
    rows = [
        row
        for one, value in runs
        for row in (
            measured(one, None, **value) if isinstance(value, dict) else measured(one, value)
        )
    ]
    tests = verdict.judge(LAB, asked, measurements=rows, baselines={}, elements=elements)
    return [test for test in tests if test["kind"] == records.RATIO]


def rail(*values):
    """Runs of level pairs on rail 2, one value for each pair of the ring of the first leaf."""
    ring = [(H01, H02), (H02, H03), (H03, H01)]
    pairs = [records.Pair(a, b, 1, 0, "leaf") for a, b in ring]
    return [(records.asked("pairs", pair), value) for pair, value in zip(pairs, values)]


def test_the_spread_of_a_rail_names_its_slowest_and_its_fastest_pair():
    (test,) = compared(rail(392.0, 381.0, 394.0))
    assert (test["state"], test["value"], test["limit"], test["unit"]) == ("fail", 3.299, 3, "%")
    assert (test["first"], test["second"], test["rail"], test["step"]) == (H02, H03, 1, "spread")
    assert test["sentence"] == (
        f"{H02} to {H03}, rail 2: 381 Gb/s, and {H03} to {H01} 394 Gb/s: 3.3 % less, limit: at most 3 %."
    )
    assert compared(rail(392.0, 385.0, 394.0))[0]["state"] == "pass"


def test_a_rail_with_one_value_has_no_spread_and_rails_are_not_mixed():
    assert compared(rail(392.0, None, None)) == []
    other = records.asked("pairs", records.Pair(H01, H02, 0, 0, "leaf"))
    assert [t["state"] for t in compared([*rail(392.0, 391.0), (other, 200.0)])] == ["pass"]
    confirmed = records.asked("pairs", PAIR, step="confirm-1")
    assert [t["state"] for t in compared([*rail(392.0, 391.0), (confirmed, 200.0)])] == ["pass"]


def bisection(*values):
    pairs = [records.Pair(a, b, 0, 0, "pod") for a, b in zip(NODES[:3], NODES[3:])]
    return [
        (records.asked("bisection", pair, kind=records.BIDIRECTIONAL), value)
        for pair, value in zip(pairs, values)
    ]


def test_a_bisection_has_a_mean_beside_its_worst_pair():
    (test,) = compared(bisection(760.0, 690.0, 700.0))
    assert (test["state"], test["value"], test["limit"]) == ("fail", 89.583, 90)
    assert test["first"] == H02
    assert compared(bisection(760.0, 690.0, 720.0))[0]["state"] == "pass"


@pytest.mark.parametrize(
    ("missing", "state"),
    [({"state": "not_run", "sentence": "no tool."}, "not_run"), (None, "fail")],
)
def test_a_mean_of_less_than_all_pairs_is_none(missing, state):
    (test,) = compared(bisection(760.0, 760.0, missing))
    assert (test["state"], test["value"]) == (state, None)
    assert test["first"] == H03


def test_the_worst_placement_keeps_most_of_the_best():
    runs = []
    for placed, value in (("best", 380.0), ("worst", 350.0)):
        group = records.Group("all", NODES, placed)
        runs.append((records.asked_of("collectives", group, operation="all_reduce"), value))
    (test,) = compared(runs)
    assert (test["state"], test["value"], test["limit"]) == ("fail", 92.105, 95)
    assert test["nodes"] == list(NODES)
    assert "350 GB/s, 92.1 % of 380 GB/s in the best placement" in test["sentence"]
    (test,) = compared(
        [runs[0], (runs[1][0], {"best": None, "state": "failed", "sentence": "dead."})]
    )
    assert (test["state"], test["value"]) == ("fail", None)
    assert compared(runs[:1]) == []


def noise(alone, together, again, *, kind=records.BIDIRECTIONAL, repeats=5, pair=PAIR):
    values = {"alone": alone, "together": together, "again": again}
    return [
        (records.asked("noise", pair, kind=kind, step=f"{name}-{number}"), value)
        for name, value in values.items()
        for number in range(1, repeats + 1)
    ]


def test_a_victim_keeps_its_bandwidth():
    kept, back = compared(noise(740.0, 720.0, 739.0))
    assert (kept["state"], kept["value"], kept["limit"], kept["step"]) == (
        "pass",
        97.297,
        95,
        "together",
    )
    assert (back["state"], back["step"]) == ("pass", "again")
    kept, back = compared(noise(740.0, 600.0, 740.0))
    assert (kept["state"], back["state"]) == ("fail", "pass")
    assert kept["sentence"] == (
        f"{H01} to {K01}, rail 2: 600 Gb/s beside aggressors, 81.1 % of 740 Gb/s alone, limit: at least 95 %."
    )
    _kept, back = compared(noise(740.0, 690.0, 690.0))
    assert back["state"] == "fail", "the victim changed by itself"


def test_a_victim_keeps_its_latency_at_the_99th_percentile():
    def latency(p99):
        return {"latency": {"typical": 2.0, "p99": p99}}

    for p99, state in ((5.9, "pass"), (6.1, "fail")):
        (test,) = compared(noise(latency(3.0), latency(p99), latency(3.0), kind=records.LATENCY))
        assert (test["state"], test["step"], test["limit"]) == (state, "p99", 200)
    assert "99 % of its messages take 6.1 us beside aggressors" in test["sentence"]


def test_packets_that_a_victim_loses_fail_it():
    lossy = {"gbps": 740.0, "counters": {"packet_seq_err": 1}}
    kept, _back = compared(noise(740.0, lossy, 740.0))
    assert kept["state"] == "fail"
    assert f"but packet_seq_err rose by 1 on {H01}" in kept["sentence"]


def test_the_counters_of_a_comparison_are_those_of_its_phase():
    paused = {"gbps": 600.0, "counters": {"rx_prio3_pause": 7}}
    kept, back = compared(noise(740.0, paused, 740.0))
    assert kept["counters"]["rx_prio3_pause"] in (5 * 7, 5 * 2 * 7), "five repeats, of both sides"
    assert "rx_prio3_pause" not in back["counters"]


def test_noise_needs_every_repeat_of_every_phase():
    (test,) = compared(noise(740.0, 740.0, 740.0, repeats=4))
    assert (test["state"], test["value"]) == ("not_run", None)
    assert "4 of 5 repeats were measured." in test["sentence"]
    missing = [run for run in noise(740.0, 740.0, 740.0) if not run[0]["step"].startswith("again")]
    assert "0 of 5 repeats" in compared(missing)[0]["sentence"]
    broken = noise(740.0, 740.0, 740.0)
    broken[7] = (broken[7][0], None)
    (test,) = compared(broken)
    assert (test["state"], test["value"]) == ("fail", None)
    assert "together-3: it returned no value." in test["sentence"]


def job(before, during, after, *, kind):
    group = records.Group("all", NODES, "best")
    steps = {"before": before, "during": during, "after": after}
    return [
        (records.asked_of("failover", group, operation="alltoall", step=f"{name}-{kind}"), value)
        for name, value in steps.items()
    ]


def test_a_job_loses_no_more_than_what_is_shut_and_is_back_afterwards():
    link = next(placement.elements(LAB, NODES)["link"])
    assert link.share == 0.25
    for value, state in ((57.0, "pass"), (55.0, "fail")):
        during, after = compared(job(80.0, value, 79.0, kind="link"), [link])
        assert (during["state"], during["limit"]) == (state, 70)
        assert (after["state"], after["limit"]) == ("pass", 95)
    assert "55 GB/s while a link was shut, 68.8 % of 80 GB/s before" in during["sentence"]
    _during, after = compared(job(80.0, 60.0, 70.0, kind="link"), [link])
    assert after["state"] == "fail"


def test_without_its_element_nothing_may_be_lost():
    during, _after = compared(job(80.0, 60.0, 80.0, kind="spine"))
    assert (during["state"], during["limit"]) == ("fail", 95)


def test_a_job_that_ended_failed():
    dead = {"best": None, "state": "failed", "sentence": "alltoall failed."}
    during, after = compared(job(80.0, dead, 80.0, kind="spine"))
    assert (during["state"], during["value"], after["state"]) == ("fail", None, "pass")
    assert f"during-spine: {H01}: alltoall failed." in during["sentence"]
    link = next(placement.elements(LAB, NODES)["link"])
    during, after = compared(job(80.0, dead, 80.0, kind="link"), [link])
    assert (during["limit"], after["limit"]) == (70, 95)
    during, after = compared(job(80.0, 79.0, 80.0, kind="spine")[:2])
    assert after["state"] == "fail"
    assert "after: nothing was measured." in after["sentence"]


def test_ids_are_unique():
    runs = [*noise(740.0, 740.0, 740.0), *noise(740.0, 740.0, 740.0, pair=PAIR._replace(rail=0))]
    tests = compared(
        [*runs, *job(80.0, 79.0, 80.0, kind="link"), *job(80.0, 79.0, 80.0, kind="spine")]
    )
    assert len(tests) == 8
    assert len({test["id"] for test in tests}) == 8
