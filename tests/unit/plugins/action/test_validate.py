# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All results of a report, and what they come to."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.action import validate
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.results import (
    FAIL,
    PASS,
    Finding,
    Subject,
    write,
)

LEAF = "leaf-p1-su001-r1"


def put(project, state):
    about = Subject("lab", "su01", LEAF)
    row = about.result("switch.release", Finding(f"{LEAF}: so.", state=state))
    write(str(project / "report"), LEAF, [row])


def test_a_breach_fails_and_a_pass_does_not(project, results):
    task = {"spectrum_x.fabric.validate": {"of": "summary", "report": str(project / "report")}}
    put(project, PASS)
    (good,) = results(task)
    put(project, FAIL)
    (bad,) = results(task)
    assert not good.get("failed")
    assert good["counts"]
    assert bad["failed"]
    assert (project / "report" / "junit.xml").is_file()


def test_an_empty_report_is_refused_and_can_be_made(project, results):
    put(project, PASS)
    task = {"of": "summary", "report": str(project / "report")}
    emptied, refused = results(
        {"spectrum_x.fabric.validate": {**task, "state": "empty"}},
        {"spectrum_x.fabric.validate": task},
    )
    assert emptied["changed"]
    assert "holds no results: run playbook validate" in refused["msg"]


def test_a_choice_of_no_device_is_refused_before_the_report_is_emptied(project, results):
    put(project, PASS)
    task = {"of": "summary", "report": str(project / "report"), "state": "empty"}
    (refused,) = results({"spectrum_x.fabric.validate": {**task, "where": ["rest"]}})
    assert refused["msg"].startswith("spx_where: 'rest' means no device of this run: name a place")
    assert [*(project / "report").glob("**/*.json*")]


def test_a_leaf_that_was_not_read_has_no_document():
    hosts = {
        "a": {"checked": {"document": {"vrf": {}}}},
        "b": {"checked": {"skipped": True}},
        "c": {},
    }
    args = {"leaves": ["a", "b", "c"], "checked": "checked"}
    assert validate._documents(args, {"hostvars": hosts}) == {"a": {"vrf": {}}}
    assert validate._documents({**args, "leaves": None}, {}) == {}
