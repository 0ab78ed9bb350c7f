# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import records

PAIR = records.Pair("worker-su01-rack01-h01", "worker-su01-rack01-h02", 0, 0, "leaf")


def test_what_is_asked_of_a_pair_is_told_apart_by_level_step_kind_and_port() -> None:
    asked = [
        records.asked("pairs", PAIR),
        records.asked("pairs", PAIR, kind=records.LATENCY),
        records.asked("pairs", PAIR._replace(rail=1)),
        records.asked("pairs", PAIR._replace(plane=1)),
        records.asked("pairs", PAIR._replace(first=PAIR.second, second=PAIR.first)),
        records.asked("rails", PAIR),
        records.asked("pairs", PAIR, step="confirm-1"),
    ]
    assert asked[0]["id"] == ("pairs/bandwidth/r1p1/worker-su01-rack01-h01>worker-su01-rack01-h02")
    assert len({one["id"] for one in asked}) == len(asked)


def test_a_collective_names_its_operation_its_nodes_and_their_order() -> None:
    group = records.Group("su01", ("worker-su01-rack01-h01", "worker-su01-rack01-h02"), "worst")
    asked = records.asked_of("collectives", group, operation="alltoall", split="MOD 8")
    assert asked["id"] == "collectives/alltoall/MOD8/su01/worst"
    assert (asked["first"], asked["second"]) == ("worker-su01-rack01-h01", "")
    assert asked["nodes"] == list(group.nodes)


def test_each_kind_has_a_unit() -> None:
    assert set(records.UNITS) == set(records.KINDS)
