# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests put together for people, and against an earlier run."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
    figures,
    results,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report.schema import (
    RunRecord,
)

from ...fabrics import example
from .. import runs

NODE = "worker-su02-rack01-h02"


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return runs.of(example("lab"), slow={(NODE, 1): 0.48})


def test_groups(record: RunRecord) -> None:
    found = figures.of(record)
    assert [(one.level, one.what, one.tests, one.failed) for one in found] == [
        ("pairs", "bandwidth one way, on one leaf", 12, 2),
        ("pairs", "latency, on one leaf", 12, 0),
        ("pairs", "bandwidth one way, between SUs", 12, 2),
        ("pairs", "latency, between SUs", 12, 0),
        ("rails", "bandwidth one way, on one leaf", 12, 2),
        ("rails", "bandwidth one way, between SUs", 12, 2),
    ]
    assert found[0].worst == found[0].values[0] < 200 < found[0].median  # type: ignore[operator]
    assert found[1].worst == found[1].values[-1]
    assert found[0].limits == ((380.0, runs.OURS),)


def test_repeats_are_one_step(record: RunRecord) -> None:
    made = copy.deepcopy(record)
    for number, test in enumerate(made["tests"]):
        test["step"] = f"alone-{number}"
    assert [one.step for one in figures.of(made)] == ["alone"] * 6


def test_what_was_not_measured_has_no_figure(record: RunRecord) -> None:
    made = copy.deepcopy(record)
    for test in made["tests"]:
        test.update({"value": None, "state": "not_run", "limit": None})
    found = figures.of(made)[0]
    assert (found.values, found.worst, found.median, found.limits, found.not_run) == (
        (),
        None,
        None,
        (),
        12,
    )


def test_of_collectives_the_operation_is_a_part(record: RunRecord) -> None:
    ids = [
        "collectives/all_reduce/su01/best",
        "collectives/all_reduce/MOD8/all/best",
        "failover/during-spine/alltoall/all/worst",
    ]
    steps = ["", "", "during-spine"]
    tests = [
        {
            **record["tests"][0],
            "id": name,
            "step": step,
            "kind": "busbw",
            "distance": "",
            "level": name.split("/")[0],
        }
        for name, step in zip(ids, steps, strict=True)
    ]
    found = figures.of({**record, "tests": tests})  # type: ignore[typeddict-item]
    assert [one.what for one in found] == [
        "bus bandwidth, all_reduce",
        "bus bandwidth, all_reduce MOD8",
        "bus bandwidth, alltoall during-spine",
    ]


LESS = [
    ("pairs", "latency", "", True),
    ("pairs", "bandwidth", "", False),
    ("pairs", "ratio", "spread", True),
    ("noise", "ratio", "p99", True),
    ("noise", "ratio", "together", False),
]  # fmt: skip


@pytest.mark.parametrize("level, kind, step, less", LESS)
def test_what_is_better(level: str, kind: str, step: str, less: bool) -> None:
    assert figures.less_is_better(level, kind, step) is less


WORDS = [
    (["pass"] * 2, [], "All 2 measurements passed."),
    (["pass", "waived"], [], "All 2 measurements passed, 1 waived."),
    (["pass", "fail"] * 1000, [], "1,000 of 2,000 measurements failed."),
    ([], ["noise"], "Nothing was measured."),
    (["waived"], [], "Nothing was measured."),
    (["pass"], ["noise"], "Nothing failed, but not everything ran: 1 level (noise)."),
    (["pass", "not_run"], ["noise", "failover"], "Nothing failed, but not everything ran: 1 of 2 "
     "measurements and 2 levels (noise, failover)."),
]  # fmt: skip


@pytest.mark.parametrize("states, left, words", WORDS)
def test_verdicts(record: RunRecord, states: list[str], left: list[str], words: str) -> None:
    tests = [{**record["tests"][0], "state": state} for state in states]
    not_run = [{"level": level, "reason": "No."} for level in left]
    made = {
        **record,
        "tests": tests,
        "not_run": not_run,
        "summary": results.summary(tests, not_run),
    }  # type: ignore[arg-type]
    assert figures.verdict(made) == words  # type: ignore[arg-type]


def test_against_an_earlier_run(record: RunRecord) -> None:
    before = runs.of(example("lab"), seed=7, levels=["pairs"])
    found = figures.changes(record, before)
    assert [one.now.level for one in found] == ["pairs"] * 4
    assert all(one.percent is not None and abs(one.percent) < 5 for one in found)
    worst = figures.drops(record, before)
    assert len(worst) == figures.MOST_DROPS
    assert all(
        NODE in (one["first"], one["second"]) and percent < -50 for one, _old, percent in worst[:4]
    )
    assert figures.drops(before, before) == []


def test_a_latency_that_rose_is_worse() -> None:
    now = runs.of(example("lab"), levels=["pairs"])
    before = copy.deepcopy(now)
    slow, fast = [one for one in before["tests"] if one["kind"] == "latency"][:2]
    slow["value"], fast["value"] = (slow["value"] or 0) / 2, (fast["value"] or 0) * 2
    assert [(one["id"], round(percent)) for one, _old, percent in figures.drops(now, before)] == [
        (slow["id"], 100)
    ]


NUMBERS = [(1234.5, "1,234"), (85.62, "85.6"), (2.104, "2.10"), (-0.5, "-0.50"), (None, "not measured")]  # fmt: skip


@pytest.mark.parametrize("value, text", NUMBERS)
def test_numbers(value: float | None, text: str) -> None:
    assert figures.number(value) == text


def test_units_and_times() -> None:
    assert (figures.unit("us"), figures.unit("Gb/s")) == ("µs", "Gb/s")
    assert figures.time("2026-11-25T03:10:59+00:00") == "2026-11-25 03:10 UTC"
