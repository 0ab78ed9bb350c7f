# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves of a larger capacity, equal to a comparison of the two whole plans."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report import (
    earlier_plan,
    plan_difference,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing import growth
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
)

SMALL = {"switches": {"usable_ports": 16}}
CASES = [
    {"capacity": {"sus_per_pod": 1, "slots_per_su": 4}},
    {"capacity": {"sus_per_pod": 2, "slots_per_su": 4}},
    {"capacity": {"sus_per_pod": 3, "slots_per_su": 2}},
    {"capacity": {"sus_per_pod": 2, "slots_per_su": 4}, "addressing": {"profile": "dense-v4"}},
    {"tiers": 3, "capacity": {"pods": 2, "sus_per_pod": 1, "slots_per_su": 2}},
    {"tiers": 3, "capacity": {"pods": 4, "sus_per_pod": 2, "slots_per_su": 1}, "rails": 2},
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_sample_finds_what_the_whole_comparison_finds(case):
    fabric = build(**{"rails": 4, **SMALL, **case})
    raised = growth.raised(fabric)
    key = "pods" if fabric.clos.tiers == 3 else "sus_per_pod"
    size = {**case["capacity"], key: getattr(fabric.description.capacity, key) + 1}
    assert raised.refused == ""
    new = build(**{"rails": 4, **SMALL, **case, "capacity": size})
    rows = plan_difference.against(earlier_plan.computed(fabric), new)
    found = {row["what"] for row in rows if plan_difference.renumbers(row)}
    assert raised.moves == [words for what, words in growth.KINDS.items() if what in found]


def test_what_is_full_says_why():
    fabric = build(capacity={"sus_per_pod": 16, "slots_per_su": 64})
    raised = growth.raised(fabric)
    assert raised.step == "one SU"
    assert "more than the 128 ports of a spine" in raised.refused
    assert raised.moves == []


def test_a_pod_more_moves_no_cable_where_the_super_spines_have_the_ports():
    fabric = build(tiers=3, capacity={"pods": 5, "sus_per_pod": 8, "slots_per_su": 64})
    raised = growth.raised(fabric)
    assert (raised.step, raised.refused) == ("one pod", "")
    assert "cables" not in raised.moves


@pytest.mark.parametrize(
    "tiers, first, final",
    [
        (2, {"sus_per_pod": 1}, {"sus_per_pod": 4}),
        (2, {"sus_per_pod": 2}, {"sus_per_pod": 4}),
        (3, {"pods": 1}, {"pods": 4}),
    ],
)
def test_a_start_with_less_moves_what_a_comparison_of_both_plans_finds(tiers, first, final):
    common = {"rails": 4, "tiers": tiers, **SMALL}
    size = {"sus_per_pod": 1, "slots_per_su": 2}
    small, large = (build(**common, capacity={**size, **one}) for one in (first, final))
    found = growth.smaller(large, small.clos.nodes)
    rows = plan_difference.against(earlier_plan.computed(small), large)
    lower = [row for row in rows if row["what"] == "link" and not row["place"].startswith("worker")]
    moved = [row for row in lower if row["before"] and row["before"] != row["after"]]
    assert (found.moved, found.spines) == (len(moved), growth._top(small.clos))
    assert found.cables == sum(
        1
        for switch in small.switches()
        for port in small.cabling.ports(switch)
        if port.kind == "up"
    )


def test_a_start_with_as_many_spines_is_no_advice():
    fabric = build(capacity={"sus_per_pod": 2, "slots_per_su": 4})
    assert growth.smaller(fabric, fabric.clos.nodes) is None
