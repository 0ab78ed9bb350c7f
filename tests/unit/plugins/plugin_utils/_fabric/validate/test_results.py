# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results: waivers, files, the verdict, and what machines read."""

from __future__ import annotations

import datetime
import json
import tempfile
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _reports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import atlas_results
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import (
    results,
    summary,
)

TODAY = datetime.date(2026, 11, 21)
LEAF = results.Subject("lab", "leaf-p1-su001-r1", "leaf-p1-su001-r1")
SPINE = results.Subject("lab", "spine-p1-s01", "spine-p1-s01")


def rows():
    return [
        LEAF.result("switch.bgp.session", "fail", "It is down.", port="swp3s0"),
        LEAF.result("switch.drift", "pass", "It is as planned."),
        LEAF.result("switch.link.ber", "not_realised", "It reports none."),
        SPINE.result("switch.drift", "not_run", "Nobody manages it."),
    ]


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
        ("waivers: 3", "waivers is no list"),
        ("waivers:\n  - {check: x}", "waivers[0]: check, until and reason are needed"),
        ("waivers:\n  - {check: x, until: soon, reason: y}", "'soon' is no day"),
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


@pytest.mark.parametrize(
    "states, strict, breached",
    [
        ([], False, False),
        (["pass"], False, False),
        (["waived", "not_run", "not_realised"], False, False),
        (["not_run"], True, True),
        (["not_realised"], True, True),
        (["waived"], True, False),
        (["pass", "fail"], False, True),
    ],
)
def test_what_is_a_breach(states, strict, breached):
    counted = summary.counts([{"state": state} for state in states])
    assert summary.breached(counted, strict=strict) is breached


def test_the_table_shows_what_did_not_pass_worst_first():
    lines = summary.table(rows()).splitlines()
    assert [line.split("  ")[0].strip() for line in lines] == [
        "FAIL",
        "NOT RUN",
        "NOT REALISED",
        "1 passed, 1 failed, 0 waived, 1 not run, 1 not realised",
    ]
    assert lines[0].endswith("It is down.")
    assert "swp3s0" in lines[0]


def test_the_table_counts_what_is_foreign():
    passed = {**rows()[0], "id": summary.FOREIGN, "state": "pass"}
    foreign = [{**passed, "found": found} for found in (3, 4)]
    lines = summary.table(foreign).splitlines()
    assert lines[0] == "foreign, left alone: 7 (switches: 2)"
    assert lines[1].startswith("2 passed")


def test_the_table_of_nothing_is_its_verdict():
    assert summary.table([]) == "0 passed, 0 failed, 0 waived, 0 not run, 0 not realised"


def test_junit():
    root = ElementTree.fromstring(summary.junit(rows()).split("\n", 1)[1])
    suites = {suite.get("name"): suite for suite in root}
    leaf = suites["leaf-p1-su001-r1"]
    assert (leaf.get("tests"), leaf.get("failures"), leaf.get("skipped")) == ("3", "1", "1")
    failed = [case.get("name") for case in leaf if case.find("failure") is not None]
    assert failed == ["switch.bgp.session swp3s0"]
    assert suites["spine-p1-s01"][0].find("skipped").get("message").startswith("not_run: ")


HOSTILE = '\x1b[2J\u202e\x00\udc80\u2028\uffff]]>&"<\x85\r\n=1+1'
SHOWN = r"\x1b[2J\u202e\x00\udc80\u2028\uffff]]>&" + '"<' + r"\x85"


def test_what_a_device_says_reaches_no_report_unescaped(tmp_path):
    """A neighbour with a hostile name; then a file of results that somebody else has written."""
    row = LEAF.result(
        "switch.lldp.neighbour",
        "fail",
        f"It is {HOSTILE}.",
        port=HOSTILE,
        found={HOSTILE: [HOSTILE]},
    )
    assert row["sentence"] == f"It is {SHOWN} =1+1."
    assert row["found"] == {f"{SHOWN}\n=1+1": [f"{SHOWN}\n=1+1"]}
    (tmp_path / "results").mkdir()
    foreign = {**row, "device": HOSTILE, "sentence": HOSTILE, "port": HOSTILE}
    (tmp_path / "results" / "x.json").write_text(json.dumps([foreign]))
    read = results.read(str(tmp_path))
    path = _reports.put(str(tmp_path / "junit.xml"), summary.junit(read), FabricError.of)
    case = ElementTree.parse(path).getroot().find("testsuite/testcase")
    assert case.find("failure").get("message") == f"{SHOWN}\n=1+1"
    assert all(line.isprintable() for line in summary.table(read).split("\n"))
    page = atlas_results.read(str(tmp_path), "lab")
    assert page[f"{SHOWN}\n=1+1"].rows == [[1, row["id"], f"{SHOWN}\n=1+1", f"{SHOWN}\n=1+1"]]


@given(st.text(st.characters()), st.sampled_from(results.STATES))
def test_junit_is_well_formed_whatever_is_said(text, state):
    row = {
        **LEAF.result("x", state, ""),
        "sentence": text,
        "port": text,
        "device": text,
        "id": text,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = _reports.put(f"{folder}/junit.xml", summary.junit([row]), FabricError.of)
        assert ElementTree.parse(path).getroot().find("testsuite/testcase") is not None
