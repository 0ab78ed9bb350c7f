# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results: waivers, files, the verdict, and what machines read."""

from __future__ import annotations

import datetime

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import results
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)

from .findings import LEAF, rows

TODAY = datetime.date(2026, 11, 21)


def waivers(tmp_path, text):
    path = tmp_path / "waivers.yml"
    path.write_text(text)
    return results.waivers(str(path))


@pytest.mark.parametrize(
    "row, state, ending",
    [
        ("{check: switch.bgp.session, until: 2026-11-21, reason: known}", "waived", "known."),
        (
            "{check: switch.bgp.*, device: leaf-*, port: swp3*, until: 2026-12-01, reason: x}",
            "waived",
            "x.",
        ),
        (
            "{check: switch.bgp.session, port: swp4s0, until: 2026-12-01, reason: x}",
            "fail",
            "down.",
        ),
        (
            "{check: switch.bgp.session, device: spine-*, until: 2026-12-01, reason: x}",
            "fail",
            "down.",
        ),
        ("{check: switch.bgp.session, until: 2026-11-20, reason: x}", "fail", "has expired."),
    ],
)
def test_waivers(tmp_path, row, state, ending):
    made = results.waive(rows(), waivers(tmp_path, f"waivers:\n  - {row}\n"), TODAY)
    assert made[0]["state"] == state
    assert made[0]["sentence"].endswith(ending)
    assert [row["state"] for row in made[1:]] == ["pass", "not_realised", "not_run"]


@pytest.mark.parametrize(
    "text, words",
    [
        ("waivers: 3", "waivers is not a list"),
        ("waivers:\n  - {check: x}", "waivers[0]: check, until and reason are needed"),
        ("waivers:\n  - {check: x, until: soon, reason: y}", "'soon' is not a day"),
        ("waivers:\n  - {check: x, until: 2026-01-01, reason: y, who: z}", "write the keys check"),
    ],
)
def test_wrong_waivers(tmp_path, text, words):
    with pytest.raises(FabricError) as caught:
        waivers(tmp_path, text)
    assert words in str(caught.value)


def test_no_waivers_without_a_file(tmp_path):
    assert results.waivers(str(tmp_path / "waivers.yml")) == []


def test_files_come_back_in_order_and_go(tmp_path):
    report = str(tmp_path / "report")
    results.write(report, "leaf-p1-su001-r1", rows()[2::-1])
    results.write(report, "spine-p1-s01", rows()[3:])
    assert results.read(report) == rows()
    assert results.empty(report) == 2
    assert results.read(report) == []


def test_a_file_of_another_schema_is_refused(tmp_path):
    report = str(tmp_path)
    results.write(report, "x", [{**rows()[0], "schema": 2}])
    with pytest.raises(FabricError, match="does not know"):
        results.read(report)


def test_a_file_that_nests_too_deep_is_named(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "a.json").write_text("[" * 100_000)
    with pytest.raises(
        FabricError, match=r"results/a.json is not a file of results \(it has more than 64 levels"
    ):
        results.read(str(tmp_path))


def test_a_check_passes_only_where_nothing_is_wrong():
    """Beside what was not run a pass stands for the rest, beside what is wrong or waived it does not."""
    good, wrong = results.passed(), results.failed("It is wrong.", "swp1")
    unknown, allowed = results.not_run("Unread."), results.Finding("Known.", state="waived")
    for found, states in (
        ([good], ["pass"]),
        ([wrong, good], ["fail"]),
        ([allowed, good], ["waived"]),
        ([unknown, good], ["not_run", "pass"]),
        ([], []),
    ):
        assert [row["state"] for row in LEAF.results("switch.drift", found)] == states
    (row,) = LEAF.results("switch.drift", [good])
    assert row["sentence"] == "The applied configuration is what its roles render."


def test_long_lists_name_five():
    assert results.some(["a", "b"]) == "a, b"
    assert results.some(list("abcdefg")) == "a, b, c, d, e and 2 more"


def test_a_failure_without_a_sentence_does_not_say_what_a_pass_says():
    assert LEAF.result("switch.drift", results.failed())["sentence"] == ""
