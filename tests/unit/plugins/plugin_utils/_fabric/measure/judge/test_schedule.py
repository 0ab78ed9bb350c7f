# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Next measurements, which follow from the finished ones."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.records import nothing
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import (
    limits,
    schedule,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge.waivers import (
    NONE,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

LAB = example("lab")
NODES = [LAB.name(node) for node in LAB.nodes()]


def plan(*levels, **more):
    return schedule.Plan(levels, NODES, {}, **more)


def done(steps, rate=lambda one: 392.1):
    """Steps with what both sides measured."""
    return {
        step.key: schedule.StepResult(step.level, step.asked, _rows(step, rate)) for step in steps
    }


def _rows(step, rate):
    made = []
    for one in step.asked:
        both = 2 if one["kind"] == "bidirectional" else 1
        brief = one["kind"] == "latency"
        values = {
            "transport": "roce",
            "gbps": None if brief else rate(one) * both,
            "latency": {"typical": 2.5, "p99": 5.0} if brief else None,
        }
        made += [nothing(one["id"], side, "measured", "") | values for side in ("client", "server")]
    return made


def test_levels_follow_each_other_and_then_nothing_does():
    first = schedule.following(LAB, plan("pairs", "rails"), {})
    assert {step.level for step in first} == {"pairs"}
    assert len({step.key for step in first}) == len(first) == 30
    second = schedule.following(LAB, plan("pairs", "rails"), done(first))
    assert {step.level for step in second} == {"rails"}
    assert schedule.following(LAB, plan("pairs", "rails"), done([*first, *second])) == []


def test_what_is_missing_is_asked_for_and_nothing_else():
    first = schedule.following(LAB, plan("pairs"), {})
    assert schedule.following(LAB, plan("pairs"), done(first[:-2])) == first[-2:]


def slow(one):
    return 200.0 if NODES[1] in (one["first"], one["second"]) and one["rail"] == 1 else 392.1


def test_a_failure_is_searched_for_and_keeps_what_builds_on_it_from_running():
    every = schedule.following(LAB, plan("rails"), {})
    found = done(every, slow)
    more = schedule.following(LAB, plan("rails", "bisection"), found)
    assert more[0].key == "rails/search-1"
    assert all(one["step"] == "search-1" for one in more[0].asked)
    while more:
        found |= done(more, slow)
        more = schedule.following(LAB, plan("rails", "bisection"), found)
    assert not any(row.level == "bisection" for row in found.values())
    tests = schedule.tests(LAB, "rails", found, {}, waivers=NONE)
    assert schedule.blocked("bisection", tests) == "Level rails, on which it builds, has failed."


def test_searches_have_an_end(monkeypatch):
    monkeypatch.setattr(schedule, "MOST_SEARCHES", 0)
    every = schedule.following(LAB, plan("rails"), {})
    assert schedule.following(LAB, plan("rails"), done(every, slow)) == []


def test_of_a_node_that_is_accepted_only_its_own_pairs_are_measured():
    steps = schedule.following(LAB, plan("pairs", only=NODES[0]), {})
    assert steps
    assert all(NODES[0] in (o["first"], o["second"]) for step in steps for o in step.asked)
    assert all(len(step.asked) == 1 for step in steps)
    assert schedule.following(LAB, plan("pairs", only=NODES[0]), done(steps, slow)) == []


def test_collectives_are_measured_one_after_the_other():
    steps = schedule.steps(LAB, "collectives", NODES)
    assert all(len(step.asked) == 1 for step in steps[1:])
    assert steps[-1].key == "collectives/all_reduce/MOD2/all/best"


def test_each_collective_has_a_limit_and_each_limit_a_collective():
    asked = [one for step in schedule.steps(LAB, "collectives", NODES) for one in step.asked]
    measured = {("collectives", limits.figure_of(one)) for one in asked}
    assert {row for row in limits.figures() if row[0] == "collectives"} - measured == {
        ("collectives", "worst")  # which compares two of them
    }
    assert measured <= limits.figures()


def test_each_node_is_measured_alone_before_they_are_together():
    """One job within all nodes would print one figure, which has no median and names no node."""
    alone, *_together = schedule.steps(LAB, "collectives", NODES)
    assert [one["nodes"] for one in alone.asked] == [[node] for node in NODES]
    assert schedule.steps(LAB, "collectives", NODES, launcher=False) == [alone]


@pytest.mark.parametrize(
    "level, nodes, launcher, words",
    [
        ("pairs", NODES, False, ""),
        ("bisection", NODES[:2], False, "no pair that this level measures"),
        ("collectives", NODES, False, ""),
        ("failover", NODES, False, "need a launcher"),
        ("collectives", NODES, True, ""),
        ("noise", NODES, False, ""),
    ],
)
def test_a_level_that_cannot_run_says_why(level, nodes, launcher, words):
    found = schedule.impossible(LAB, level, nodes, launcher=launcher)
    assert words in found
    assert bool(found) is bool(words)


def test_without_a_launcher_each_node_is_measured_alone_and_that_is_said():
    (step,) = schedule.steps(LAB, "collectives", NODES, launcher=False)
    assert [one["nodes"] for one in step.asked] == [[name] for name in NODES]
    assert {one["operation"] for one in step.asked} == {"all_reduce"}
    said = schedule.left_out(LAB, "collectives", NODES, launcher=False)
    assert said.startswith("Each node is measured alone, which shows its NVLink")
    assert schedule.left_out(LAB, "collectives", NODES, launcher=True) == ""
    one_gpu = example("lab-2plane")
    nodes = [one_gpu.name(node) for node in one_gpu.nodes()]
    assert "need a launcher" in schedule.impossible(one_gpu, "collectives", nodes, launcher=False)
    assert not [x for x in schedule.steps(one_gpu, "collectives", nodes) if x.asked[0]["split"]]


def test_nodes_without_a_partner_are_said():
    near = NODES[:2]
    assert schedule.left_out(LAB, "rails", near, launcher=False) == ""
    assert schedule.left_out(LAB, "noise", near, launcher=False) == ""
    assert schedule.left_out(LAB, "pairs", near, launcher=False) == (
        f"{near[0]}, {near[1]} have no partner on another leaf in this run: choose more nodes, of several leaves."
    )
    alone = schedule.left_out(LAB, "rails", NODES[:1], launcher=False)
    assert alone == f"{NODES[0]} has no partner in this run: choose more nodes, of several leaves."


def test_rails_are_crossed_where_somebody_asks():
    plain = schedule.following(LAB, plan("pairs", "rails"), {})
    more = schedule.following(LAB, plan("pairs", "rails", cross=True), {})
    added = more[len(plain) :]
    assert more[: len(plain)] == plain
    assert {step.key.rpartition("/")[0] for step in added} == {
        f"pairs/crossed/{kind}" for kind in ("bandwidth", "bidirectional", "latency")
    }
    assert {(one["rail"], one["to_rail"]) for step in added for one in step.asked} == {
        (0, 1),
        (1, 0),
    }
    after = schedule.following(LAB, plan("pairs", "rails", cross=True), done(more))
    assert all(one["to_rail"] is None for step in after for one in step.asked)
