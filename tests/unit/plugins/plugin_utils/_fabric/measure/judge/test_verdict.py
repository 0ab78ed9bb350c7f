# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import (
    baselines,
    limits,
    verdict,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import (
    placement,
    records,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric import fabrics
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.measure.measured import (
    H01,
    H02,
    measured,
)

LAB = fabrics.example("lab")
H200 = fabrics.example("h200-2048")
PAIR = records.Pair(H01, H02, 0, 0, "leaf")
ASKED = records.asked("pairs", PAIR)


def judged(asked, rows, fabric=LAB, **known):
    return verdict.judge(fabric, asked, measurements=rows, baselines=known)


def single(asked, value, fabric=LAB, **changes):
    """The test of one measurement."""
    return judged([asked], measured(asked, value, **changes), fabric)[0]


@pytest.mark.parametrize(
    ("level", "kind", "value", "state", "limit"),
    [
        ("pairs", "bandwidth", 380.0, "pass", 380),
        ("pairs", "bandwidth", 379.9, "fail", 380),
        ("pairs", "bidirectional", 720.0, "pass", 720),
        ("pairs", "bidirectional", 719.0, "fail", 720),
        ("rails", "bandwidth", 372.0, "pass", 372),
        ("rails", "bandwidth", 371.0, "fail", 372),
        ("bisection", "bidirectional", 680.0, "pass", 680),
        ("bisection", "bidirectional", 679.0, "fail", 680),
    ],
)
def test_a_pair_is_held_against_the_rate_of_its_port(level, kind, value, state, limit):
    test = single(records.asked(level, PAIR, kind=kind), value)
    assert (test["state"], test["value"], test["limit"]) == (state, value, limit)
    assert test["limit_source"].startswith(("published: ", "ours: "))


def test_the_sentence_names_both_nodes_the_rail_and_the_figures():
    test = single(ASKED, 301.25)
    assert test["sentence"] == (f"{H01} to {H02}, rail 1: 301.25 Gb/s, less than 380 Gb/s.")
    assert test["limit_source"].startswith(
        "published: 98 % less a tolerance of 3 points, github.com/"
    )
    assert single(ASKED, 391.8)["sentence"] == (
        f"{H01} to {H02}, rail 1: 391.8 Gb/s, limit: at least 380 Gb/s."
    )


def test_the_sentence_has_the_remark_of_a_host():
    rows = measured(ASKED, 391.8, note="host memory: this host has no GPU")
    assert judged([ASKED], rows)[0]["sentence"] == (
        f"{H01} to {H02}, rail 1: 391.8 Gb/s (host memory: this host has no GPU), limit: at least 380 Gb/s."
    )


def test_a_limit_without_a_measurement_is_a_failure():
    (test,) = judged([ASKED], [])
    assert (test["state"], test["value"], test["limit"]) == ("fail", None, 380)
    assert test["sentence"] == (
        f"{H01} to {H02}, rail 1: {H01} returned no measurement, and one is needed."
    )


def test_what_was_not_asked_for_makes_no_test():
    other = records.asked("pairs", PAIR._replace(rail=1))
    assert judged([ASKED], measured(other, 391.8))[0]["state"] == "fail"


def test_lost_packets_fail_a_pair_of_full_rate():
    test = single(ASKED, 391.8, counters={"rx_prio3_discards": 2})
    assert test["state"] == "fail"
    assert test["sentence"] == (
        f"{H01} to {H02}, rail 1: 391.8 Gb/s, but rx_prio3_discards rose by 2 on {H01}, rx_prio3_discards rose by 2 on "
        f"{H02}."
    )
    assert test["counters"] == {"rx_prio3_discards": 4}


def test_what_could_not_run_is_not_run_with_its_reason():
    test = single(ASKED, None, state="not_run", sentence="ib_write_bw is not installed.")
    assert (test["state"], test["value"]) == ("not_run", None)
    assert test["sentence"] == f"{H01} to {H02}, rail 1: ib_write_bw is not installed."


def test_a_latency_is_held_against_those_of_the_same_distance():
    nodes = [LAB.name(node) for node in LAB.nodes()]
    asked = [
        records.asked("pairs", pair, kind=records.LATENCY)
        for one in placement.rounds(LAB, "pairs", nodes)
        for pair in one
    ]
    near = {"typical": 2.0, "p99": 3.0}
    far = {"typical": 4.0, "p99": 5.0}
    rows = [
        row
        for number, one in enumerate(asked)
        for row in measured(
            one,
            None,
            latency={"typical": 4.5, "p99": 9.0}
            if not number
            else (near if one["distance"] == "leaf" else far),
        )
    ]
    tests = judged(asked, rows)
    failed = [test for test in tests if test["state"] == "fail"]
    assert [test["id"] for test in failed] == [asked[0]["id"]]
    assert failed[0]["limit"] == 4.0
    assert {test["limit"] for test in tests} == {4.0, 8.0}
    assert "more than 4 us" in failed[0]["sentence"]


def test_without_others_to_compare_with_a_latency_is_not_run():
    latency = records.asked("pairs", PAIR, kind=records.LATENCY)
    test = single(latency, None, latency={"typical": 2.0, "p99": 3.0})
    assert (test["state"], test["value"], test["limit"]) == ("not_run", 2.0, None)
    assert test["sentence"].endswith("there is no median to compare it with: measure more nodes.")


def test_the_stricter_of_limit_and_baseline_counts():
    stated = {"unit": "GB/s", "date": "2026-11-22", "by": "ana", "run": "r1"}
    group = records.Group("four", tuple(H200.name(n) for n in list(H200.nodes())[:4]), "best")
    asked = records.asked_of("collectives", group, operation="all_reduce")
    figure = "collectives/all_reduce/4 nodes best/gpu"
    assert baselines.figure_of(asked, "gpu") == figure
    for best, limit, source in (
        (430.0, 395.6, "baseline of 2026-11-22 by ana"),
        (380.0, 360.0, "published: "),
    ):
        known = {figure: baselines.Baseline(figure=figure, value=best, **stated)}
        (test,) = judged([asked], measured(asked, 370.0), H200, **known)
        assert test["limit"] == limit
        assert test["limit_source"].startswith(source)
        assert test["state"] == ("pass" if limit < 370 else "fail")


@pytest.mark.parametrize(
    ("operation", "split", "limit"),
    [
        ("all_reduce", "", 360.0),
        ("all_gather", "", 360.0),
        ("reduce_scatter", "", 360.0),
        ("alltoall", "", 40.0),
        ("all_reduce", "MOD 8", 45.0),
    ],
)
def test_a_collective_of_four_nodes_is_held_against_their_nics(operation, split, limit):
    nodes = tuple(H200.name(node) for node in list(H200.nodes())[:4])
    for size, expected in ((4, limit), (3, None)):
        group = records.Group("all", nodes[:size], "best")
        asked = records.asked_of("collectives", group, operation=operation, split=split)
        test = single(asked, limit, H200)
        assert test["limit"] == expected
        assert test["state"] == ("pass" if expected else "not_run")
        assert test["nodes"] == list(nodes[:size])


def test_levels_that_compare_have_no_limits_for_single_measurements():
    kinds = {(row[0], row[1]) for row in limits.figures()}
    for level in verdict.COMPARED:
        assert not {(level, kind) for kind in records.KINDS} & kinds


def test_a_healthy_fabric_passes_every_level_of_pairs():
    nodes = [LAB.name(node) for node in LAB.nodes()]
    values = {"bandwidth": 391.0, "bidirectional": 760.0, "latency": None}
    for level, kinds in (
        ("pairs", tuple(values)),
        ("rails", ("bandwidth",)),
        ("bisection", ("bidirectional",)),
    ):
        asked = [
            records.asked(level, pair, kind=kind)
            for one in placement.rounds(LAB, level, nodes)
            for pair in one
            for kind in kinds
        ]
        rows = [
            row
            for one in asked
            for row in measured(one, values[one["kind"]], latency={"typical": 2.0, "p99": 3.0})
        ]
        tests = judged(asked, rows)
        assert len(tests) > len(asked), "and the spread, or the mean"
        assert {test["state"] for test in tests} == {"pass"}
        assert len({test["id"] for test in tests}) == len(tests)
        assert set(tests[0]) == set(typing.get_type_hints(records.Test))


def test_nodes_alone_are_held_against_each_other():
    nodes = [LAB.name(node) for node in LAB.nodes()]
    asked = [
        records.asked_of("collectives", group, operation="all_reduce")
        for group in placement.singles(LAB, nodes)
    ]
    values = [470.0, 471.0, 400.0, 469.0, 470.0, 472.0]
    rows = [
        row for one, value in zip(asked, values) for row in measured(one, value, transport="nvlink")
    ]
    tests = judged(asked, rows)
    assert [test["state"] for test in tests] == ["pass", "pass", "fail", "pass", "pass", "pass"]
    assert tests[2]["limit"] == 423.0
    assert baselines.figure_of(asked[0], "gpu") == "collectives/all_reduce alone/1 nodes/gpu"
