# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JUnit XML of results: the counts of a suite, and what a pipeline reads of each case."""

from __future__ import annotations

from xml.etree import ElementTree

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.junit import (
    Case,
    junit,
)


def test_states_of_cases() -> None:
    states = ("pass", "fail", "waived", "not_run", "not_realised")
    text = junit(Case("a", f"case {state}", state, "Why <so>.") for state in states)
    (suite,) = ElementTree.fromstring(text.split("\n", 1)[1])
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5",
        "failures": "1",
        "errors": "0",
        "skipped": "3",
    }
    found = [(case.get("name"), [(one.tag, one.get("message")) for one in case]) for case in suite]
    assert found[:3] == [
        ("case pass", []),
        ("case fail", [("failure", "Why <so>.")]),
        ("case waived", [("skipped", "waived: Why <so>.")]),
    ]


def test_neighbours_of_one_suite_are_together() -> None:
    text = junit(Case(suite, "x", "pass", "") for suite in ("a", "a", "b"))
    suites = ElementTree.fromstring(text.split("\n", 1)[1])
    assert [(suite.get("name"), len(suite)) for suite in suites] == [("a", 2), ("b", 1)]
