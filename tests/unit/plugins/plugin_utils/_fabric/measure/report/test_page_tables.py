# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of the page of a run."""

from __future__ import annotations

import copy
import re

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
    page_tables,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report.schema import (
    RunRecord,
)

from ...fabrics import example
from .. import runs

NODE = "worker-su02-rack01-h02"


def rows(text: str) -> list[list[str]]:
    """The cells of all rows."""
    found = re.findall(r"<tr>(<td.*?)</tr>", text, re.DOTALL)
    return [
        [re.sub("<[^>]+>", "", cell) for cell in re.findall("<td.*?>(.*?)</td>", row)]
        for row in found
    ]


def slow() -> RunRecord:
    return copy.deepcopy(runs.of(example("lab"), slow={(NODE, 1): 0.48}))


def test_each_reason_is_there_once() -> None:
    record = slow()
    for test in record["tests"][:20]:
        said = f"{test['first']} to {test['second']}, rail 1: {test['first']} has no ib_write_bw."
        test.update({"state": "not_run", "sentence": said})
    found = rows(page_tables.left_out(record))
    assert found == [
        ["collectives", "all", "No node has a GPU."],
        ["pairs", "20", f"such as: {record['tests'][0]['first']} has no ib_write_bw."],
    ]
    record.update({"not_run": [], "tests": [], "disturbances": []})
    assert page_tables.left_out(record) == ""


def test_figures_have_their_limits_and_sources() -> None:
    first = rows(page_tables.measured(slow()))[0]
    assert first[:3] == ["pairs", "bandwidth one way, on one leaf", "✕ 2 of 12 failed"]
    assert first[5:] == ["380", "Gb/s", runs.OURS]


def test_failures_begin_with_the_worst() -> None:
    record = slow()
    record["tests"][7].update({"state": "fail", "value": None, "sentence": "It ran over TCP."})
    found = rows(page_tables.failures(record))
    assert len(found) == 9
    assert (found[0][4], found[0][-1]) == ("not measured", "It ran over TCP.")
    values = [int(row[4]) for row in found[1:] if row[0] == "pairs"]
    assert values == sorted(values)
    assert page_tables.failures(runs.of(example("lab"))) == ""


def test_a_failed_latency_has_its_place_among_the_failures() -> None:
    record = slow()
    late = next(test for test in record["tests"] if test["kind"] == "latency")
    late.update({"state": "fail", "value": 80.0, "sentence": "Late."})
    assert rows(page_tables.failures(record))[0][-1] == "Late."


def test_changes_against_an_earlier_run() -> None:
    record = slow()
    found = rows(page_tables.comparison(record, runs.of(example("lab"), seed=3)))
    assert found[0][0:2] == ["pairs", "bandwidth one way, on one leaf"]
    assert re.fullmatch(r"[+-][0-9.]+ %", found[0][4])
    assert "-0.0 %" not in str(found)
    assert len(found) == 6 + 10
    other = {**record, "tests": []}
    assert "measured nothing that this run did" in page_tables.comparison(record, other)  # type: ignore[arg-type]


def test_counters_are_summed_by_name() -> None:
    record = slow()
    record["counters"] = {
        "a:rail1p1": {"rx_symbol_err_phy": 3, "still": 0},
        "b:swp1": {"rx_symbol_err_phy": 9},
    }
    found = rows(page_tables.counters(record))
    assert [row[0] for row in found] == ["out_of_sequence", "rx_symbol_err_phy"]
    assert found[1] == [
        "rx_symbol_err_phy",
        "packets dropped for symbol errors",
        "the cable, its modules, or the port at its other end",
        "12",
        "2",
        "b:swp1: 9; a:rail1p1: 3",
    ]
    assert found[0][2] == "normal under load"
    record.update({"counters": {}, "tests": []})
    assert page_tables.counters(record) == ""
