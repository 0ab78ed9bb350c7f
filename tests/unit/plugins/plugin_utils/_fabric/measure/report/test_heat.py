# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data of the heat map: each measurement counts at both ends, and what failed is never hidden."""

from __future__ import annotations

import copy
import json

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import heat

from ...fabrics import build, example
from .. import runs

NODE = "worker-su02-rack01-h02"
SPLIT = {"planes": {"count": 2, "mode": "split", "balancing": "swplb"}}


def test_cells() -> None:
    found = heat.data(runs.of(example("lab"), slow={(NODE, 1): 0.48}))
    assert found["sus"] == [("SU 1", 0, 3), ("SU 2", 3, 3)]
    assert found["columns"] == ["rail 1", "rail 2"]
    pairs = found["views"][0]
    assert (pairs["title"], pairs["limits"]) == ("pairs, bandwidth one way", [380.0])
    cell = found["nodes"].index(NODE) * 2 + 1
    assert pairs["failed"][cell] == [4, 4]
    partners = {number: counts for number, counts in pairs["failed"].items() if number != cell}
    assert all(failed < tests for failed, tests in partners.values())
    assert min(pairs["lowest"]) == pairs["lowest"][cell]
    assert pairs["lowest"][cell] in (187, 188, 189)
    assert len(found["failures"]) == 8
    assert all(row[3] == 1 for row in found["failures"])


def test_what_was_not_measured_is_not_known() -> None:
    record = copy.deepcopy(runs.of(example("lab"), levels=["pairs"]))
    for test in record["tests"]:
        if test["rail"] == 0:
            test.update({"value": None, "state": "not_run"})
    one = next(test for test in record["tests"] if test["rail"] == 1)
    one.update({"value": None, "state": "fail"})
    view = heat.data(record)["views"][0]
    assert set(view["lowest"][0::2]) == {heat.UNKNOWN}
    assert all(value > 380 for value in view["lowest"][1::2])
    assert sorted(view["failed"].values()) == [[1, 4], [1, 4]]


def test_planes_are_columns_where_a_rail_has_several() -> None:
    fabric = build(**SPLIT, rails=2, capacity={"sus_per_pod": 2, "slots_per_su": 2})
    found = heat.data(runs.of(fabric, levels=["rails"]))
    assert found["columns"] == [
        "rail 1 plane 1",
        "rail 1 plane 2",
        "rail 2 plane 1",
        "rail 2 plane 2",
    ]


def test_no_view_without_bandwidth() -> None:
    record = runs.of(example("lab"), levels=["pairs"])
    made = {**record, "tests": [one for one in record["tests"] if one["kind"] == "latency"]}
    assert heat.data(made)["views"] == []  # type: ignore[arg-type]


def test_pods_have_names() -> None:
    found = heat.data(runs.of(example("lab-3tier"), levels=["pairs"]))
    assert [title for title, _first, _nodes in found["sus"]][:2] == ["pod 1, SU 1", "pod 2, SU 1"]


def test_small_for_many_nodes() -> None:
    """2,048 NIC ports of 256 nodes take some 10 kB for each view."""
    text = json.dumps(heat.data(runs.of(example("h200-2048"))))
    assert len(text) < 40_000
