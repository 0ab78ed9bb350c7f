# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements that are shut under a job, and the results of its rows before, meanwhile and afterwards."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.records import nothing
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import verdict
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import failover
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan.levels import (
    LEVELS,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

LAB = example("lab")
NODES = [LAB.name(node) for node in LAB.nodes()]
START = failover.seconds("2026-11-25 03:10:00")
SHUT = {"first": START + 90, "began": START + 90, "ended": START + 150, "last": START + 150}


def asked(kind="spine"):
    return dict(failover.steps(LAB, NODES))[f"failover/{kind}"]


def job(rate, last=300, first=0):
    """An alltoall that printed a row each second; `rate` is its GB/s by the second."""
    at = [f"2026-11-25 03:{10 + s // 60}:{s % 60:02}" for s in range(first, last)]
    cycles = [{"at": text, "size": 1 << 27, "busbw": rate(s)} for s, text in enumerate(at, first)]
    made = nothing(asked()[0]["id"], "client", "measured", "")
    return {**made, "transport": "roce", "best": 80.0, "cycles": cycles}


def judged(measured, kind="spine"):
    elements = failover.cuts(LAB, NODES).values()
    rows = verdict.judge(LAB, asked(kind), measurements=measured, baselines={}, elements=elements)
    return {test["step"]: test for test in rows}


def expected(fabric):
    found = failover.cuts(fabric, [fabric.name(node) for node in fabric.nodes()])
    return {kind: element.expected for kind, element in found.items()}


def test_a_job_lives_without_an_uplink_or_a_spine_and_not_without_a_leaf():
    assert expected(LAB) == {
        "link": "lives",
        "spine": "lives",
        "leaf": "never",
        "host_link": "never",
    }


def test_with_several_planes_a_plugin_may_keep_it_alive():
    found = expected(example("lab-2plane"))
    assert list(found) == ["link", "spine", "leaf", "plane", "host_link"]
    assert {kind for kind, word in found.items() if word == "plugin"} >= {
        "leaf",
        "plane",
        "host_link",
    }


def test_what_ends_the_job_is_not_shut_nor_what_needs_a_plugin_that_nobody_states():
    leaf = failover.cuts(LAB, NODES)["leaf"]
    assert failover.unshut(leaf, "spcx") == (
        "Without leaf-p1-su001-r1 a NIC has no way left, and the job ends: it is not shut."
    )
    two = example("lab-2plane")
    plane = failover.cuts(two, [two.name(node) for node in two.nodes()])["plane"]
    assert failover.unshut(plane, "spcx") == ""
    assert failover.unshut(plane, "") == (
        "plane 1 carries one of 2 ports of a NIC: the job lives with the Spectrum-X NCCL plugin. Name that plugin with "
        "spx_nccl_plugin, as NCCL prints it."
    )
    assert failover.unshut(failover.cuts(LAB, NODES)["spine"], "") == ""


def test_ports_of_several_switches_count_while_all_of_them_are_shut():
    found = failover.together("plane 1", [(10.0, 70.0), (14.0, 74.0)])
    assert found == {"first": 10.0, "began": 14.0, "ended": 70.0, "last": 74.0}
    apart = failover.together("plane 1", [(10.0, 70.0), (80.0, 140.0)])
    assert "plane 1 was not shut as a whole" in apart["sentence"]


@pytest.mark.parametrize(
    "used, state",
    [("spcx", "measured"), ("SPCX", "measured"), ("ncclnet", "not_run"), ("", "not_run")],
)
def test_a_job_with_another_plugin_than_the_stated_one_shows_nothing(used, state):
    made = {**job(lambda s: 80.0), "plugin": used}
    rows = failover.phases(asked("leaf"), made, SHUT, ahead=0, back=60, plugin="spcx")
    assert {row["state"] for row in rows} == {state}


@pytest.mark.parametrize("ahead", [0, 7200])
def test_a_job_that_loses_the_share_of_the_spine_and_comes_back_passes(ahead):
    during = job(lambda s: 40.0 if 90 <= s < 150 else 80.0)
    shut = {name: at - ahead for name, at in SHUT.items()}
    rows = failover.phases(asked(), during, shut, ahead=ahead, back=60)
    assert [row["best"] for row in rows] == [80.0, 40.0, 80.0]
    tests = judged(rows)
    assert {step: test["state"] for step, test in tests.items()} == {
        "during": "pass",
        "after": "pass",
    }


def test_a_job_that_loses_more_or_stays_slow_fails():
    rows = failover.phases(asked(), job(lambda s: 80.0 if s < 90 else 20.0), SHUT, ahead=0, back=60)
    assert {test["state"] for test in judged(rows).values()} == {"fail"}


def test_a_job_that_ends_meanwhile_fails_with_that_sentence():
    rows = failover.phases(asked(), job(lambda s: 80.0, last=91), SHUT, ahead=0, back=60)
    assert [row["state"] for row in rows] == ["measured", "failed", "failed"]
    assert "it stopped, or it has ended" in judged(rows)["during"]["sentence"]


@pytest.mark.parametrize(
    "measured, shut, words",
    [
        (nothing("x", "client", "not_run", "no GPU."), SHUT, "no GPU."),
        (job(lambda s: 80.0), {"sentence": "it was not shut."}, "it was not shut."),
        ({**job(lambda s: 80.0), "cycles": []}, SHUT, "printed no row with a time"),
    ],
)
def test_what_was_not_tested_is_not_run(measured, shut, words):
    rows = failover.phases(asked(), measured, shut, ahead=0, back=60)
    assert {row["state"] for row in rows} == {"not_run"}
    assert all(words in row["sentence"] for row in rows)
    assert {test["state"] for test in judged(rows).values()} == {"not_run"}


@pytest.mark.parametrize("back, state", [(60, "pass"), (5, "fail")])
def test_a_site_may_ask_that_a_job_is_back_earlier(back, state):
    late = job(lambda s: 80.0 if s < 90 or s >= 200 else 40.0, last=230)
    rows = failover.phases(asked(), late, SHUT, ahead=0, back=back)
    assert judged(rows)["after"]["state"] == state


def test_durations_of_a_site_count_for_the_level_that_shuts_something_alone():
    brief = failover.timed(LEVELS["failover"], {"before": 10, "shut": 15})
    assert failover.lasts(brief) == 10 + 15 + 60 + 60
    assert failover.lasts(LEVELS["failover"]) == 270
    assert "shuts a part for 15 s, after 10 s of the job" in failover.says(brief)
    assert failover.timed(LEVELS["pairs"], {"before": 10}) is LEVELS["pairs"]


def test_the_longest_durations_end_before_a_job_does():
    rows = [table("variables")[f"spx_failover_{name}"] for name in failover.DURATIONS]
    level = LEVELS["failover"]
    assert sum(row["most"] for row in rows) < level.seconds
    assert all(
        row["least"] <= level.parameters[name] <= row["most"]
        for name, row in zip(failover.DURATIONS, rows)
    )
    assert level.parameters["back"] == table("variables")["spx_failover_back"]["most"]


def test_without_an_answer_there_is_no_measurement():
    assert failover.phases(asked(), None, SHUT, ahead=0, back=60) == []
