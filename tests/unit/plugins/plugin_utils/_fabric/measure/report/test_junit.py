# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run as JUnit XML, by the writer that results of checks use too."""

from __future__ import annotations

from xml.etree import ElementTree

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import junit

from ...fabrics import example
from .. import runs


def test_a_suite_for_each_level() -> None:
    record = runs.of(example("lab"), slow={("worker-su02-rack01-h02", 1): 0.48})
    root = ElementTree.fromstring(junit.junit(record).split("\n", 1)[1])
    suites = [
        (one.get("name"), one.get("tests"), one.get("failures"), one.get("skipped")) for one in root
    ]
    assert suites == [
        ("pairs", "48", "4", "0"),
        ("rails", "24", "4", "0"),
        ("collectives", "1", "0", "1"),
    ]
    assert [one.get("message") for one in root.iter("skipped")] == ["not_run: No node has a GPU."]
    failed = next(root.iter("failure"))
    assert "Gb/s is below the limit of 380.0." in str(failed.get("message"))


def test_suspects_are_named() -> None:
    record = runs.of(example("lab"))
    row = {"kind": "cable", "place": "a <-> b", "certain": True, "score": 1.0, "reasons": ["Why."]}
    record["suspects"] = [row, {**row, "kind": "nic", "place": "a:rail1p1", "certain": False}]
    root = ElementTree.fromstring(junit.junit(record).split("\n", 1)[1])
    (suite,) = [one for one in root if one.get("name") == "suspects"]
    assert [(case.get("name"), case[0].tag, case[0].get("message")) for case in suite] == [
        ("cable a <-> b", "failure", "Why."),
        ("nic a:rail1p1", "skipped", "may be slow: Why."),
    ]
