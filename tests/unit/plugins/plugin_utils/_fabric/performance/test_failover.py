# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shut under a job, and what its rows show before, meanwhile and afterwards."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.records import nothing
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.performance import (
    failover,
    verdict,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

LAB = example("lab")
NODES = [LAB.name(node) for node in LAB.nodes()]
START = failover.seconds("2026-11-25 03:10:00")
SHUT = {"began": START + 90, "ended": START + 150}


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


def test_only_what_a_job_survives_is_shut():
    found = failover.cuts(LAB, NODES)
    assert list(found) == ["link", "spine"]
    assert {element.expected for element in found.values()} == {"lives"}
    alone = build(capacity={"sus_per_pod": 1, "slots_per_su": 4, "nodes_per_rack": 2})
    assert set(failover.cuts(alone, [alone.name(n) for n in alone.nodes()])) <= {"link", "spine"}


@pytest.mark.parametrize("ahead", [0, 7200])
def test_a_job_that_loses_the_share_of_the_spine_and_comes_back_passes(ahead):
    during = job(lambda s: 40.0 if 90 <= s < 150 else 80.0)
    shut = {name: at - ahead for name, at in SHUT.items()}
    rows = failover.phases(asked(), during, shut, ahead=ahead)
    assert [row["best"] for row in rows] == [80.0, 40.0, 80.0]
    tests = judged(rows)
    assert {step: test["state"] for step, test in tests.items()} == {
        "during": "pass",
        "after": "pass",
    }


def test_a_job_that_loses_more_or_stays_slow_fails():
    rows = failover.phases(asked(), job(lambda s: 80.0 if s < 90 else 20.0), SHUT, ahead=0)
    assert {test["state"] for test in judged(rows).values()} == {"fail"}


def test_a_job_that_ends_meanwhile_fails_with_that_sentence():
    rows = failover.phases(asked(), job(lambda s: 80.0, last=91), SHUT, ahead=0)
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
    rows = failover.phases(asked(), measured, shut, ahead=0)
    assert {row["state"] for row in rows} == {"not_run"}
    assert all(words in row["sentence"] for row in rows)
    assert {test["state"] for test in judged(rows).values()} == {"not_run"}


def test_without_an_answer_there_is_no_measurement():
    assert failover.phases(asked(), None, SHUT, ahead=0) == []
