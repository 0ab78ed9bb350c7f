# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table, the verdict, and what machines read."""

from __future__ import annotations

import json
import tempfile
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _reports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    results,
    summary,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import atlas_results

from .findings import LEAF, rows


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


def test_checks_that_could_not_be_made_are_counted_by_check():
    lost = {
        **rows()[0],
        "id": "host.same_leaf",
        "state": "not_run",
        "sentence": "It has no fellow.",
    }
    many = [{**lost, "device": f"h{n}"} for n in range(40)]
    other = [
        {**row, "id": "switch.link.ber", "sentence": f"{row['device']} has none."} for row in many
    ]
    lines = summary.table([*many, *other]).splitlines()
    assert [" ".join(line.split()) for line in lines[:-1]] == [
        "NOT RUN host.same_leaf 40 x It has no fellow.",
        "NOT RUN switch.link.ber 40 x such as: h0 has none.",
    ]
    assert len(summary.table([*many, *other], names=True).splitlines()) == 81


@pytest.mark.parametrize(("count", "lines", "named"), [(40, 41, 41), (41, 3, 42), (300, 3, 202)])
def test_failures_beyond_a_screen_are_counted_by_check(count, lines, named):
    """A fabric without cables has thousands; which checks fail is what a person needs first."""
    failed = next(row for row in rows() if row["state"] == "fail")
    many = [
        {**failed, "device": f"leaf-{n}", "sentence": f"leaf-{n} is idle."} for n in range(count)
    ]
    shown = summary.table(many).splitlines()
    assert len(shown) == lines
    assert len(summary.table(many, names=True).splitlines()) == named
    if lines == 3:
        assert " ".join(shown[0].split()) == (
            f"FAIL switch.bgp.session {count} x such as: leaf-0 is idle."
        )
        assert shown[1].startswith("Counted by check: -v shows each device")


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
    wrong = results.failed(f"It is {HOSTILE}.", HOSTILE, found={HOSTILE: [HOSTILE]})
    row = LEAF.result("switch.lldp.neighbour", wrong)
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
        **LEAF.result("x", results.Finding("said", state=state)),
        "sentence": text,
        "port": text,
        "device": text,
        "id": text,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = _reports.put(f"{folder}/junit.xml", summary.junit([row]), FabricError.of)
        assert ElementTree.parse(path).getroot().find("testsuite/testcase") is not None
