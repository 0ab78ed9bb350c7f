# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Planned changes, in a form that can be approved."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import report
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.report import Approval
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import Change
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    NvueError,
    RefusedError,
)

ENTRY = {"device": "leaf-01", "base": "b", "diff": "d"}
SECRET = Change(("system", "aaa", "user", "ops", "hashed-password"), "$6$old", "$6$canary")
CHANGES = [
    Change(("system", "hostname"), "old", "new"),
    Change(("interface", "swp1", "link", "mtu"), None, 9216),
    Change(("interface", "swp2"), {"type": "swp"}, None),
]


def test_changes_are_lines():
    assert report.lines(CHANGES).splitlines() == [
        '~ system/hostname: "old" -> "new"',
        "+ interface/swp1/link/mtu: 9216",
        '- interface/swp2: {"type": "swp"}',
    ]


def test_hashes_follow_from_the_content_alone():
    one, two = {"a": 1, "b": {"c": 2}}, {"b": {"c": 2}, "a": 1}
    assert report.hashes(one, CHANGES) == report.hashes(two, CHANGES)
    assert report.hashes(one, []).base != report.hashes({**one, "a": 2}, []).base
    assert report.hashes(one, CHANGES).diff != report.hashes(one, CHANGES[:2]).diff


def test_secrets_appear_nowhere():
    shown = report.lines([SECRET]) + str(report.as_list([SECRET]))
    doc = {"system": {"aaa": {"user": {"ops": {"hashed-password": "$6$canary"}}}}}
    assert "canary" not in shown + report.text(doc)
    assert "hashed-password" in report.text(doc)
    assert report.text({}) == ""


def test_a_report_is_two_files(tmp_path: pathlib.Path) -> None:
    written = report.write_report(str(tmp_path), "leaf-01/x", ENTRY, "+ a: 1\n")
    assert [pathlib.Path(name).name for name in written] == ["leaf-01_x.json", "leaf-01_x.diff"]
    assert json.loads((tmp_path / "changes" / "leaf-01_x.json").read_text()) == ENTRY
    assert (tmp_path / "diffs" / "leaf-01_x.diff").read_text() == "+ a: 1\n"


def test_a_report_that_cannot_be_written_is_one_sentence(tmp_path: pathlib.Path) -> None:
    (tmp_path / "changes").write_text("")
    with pytest.raises(
        NvueError, match=r"report: .*leaf-01.json cannot be written \(.*\): make room, or name"
    ):
        report.write_report(str(tmp_path), "leaf-01", ENTRY, "")


@pytest.mark.parametrize(
    "content, found",
    [
        (ENTRY, True),
        ({"base": "b", "diff": "d"}, True),
        ([{"device": "other", "base": "x", "diff": "y"}, ENTRY], True),
        ({"devices": [ENTRY]}, True),
        ({"devices": {"leaf-01": {"base": "b", "diff": "d"}}}, True),
        ({"leaf-01": {"base": "b", "diff": "d"}}, True),
        ({"schema": 1, "devices": [{**ENTRY, "device": "leaf-02"}]}, False),
        ([], False),
    ],
)
def test_approvals_in_every_form(tmp_path: pathlib.Path, content: Any, found: bool) -> None:
    file = tmp_path / "changes.json"
    file.write_text(json.dumps(content))
    wanted = Approval("b", "d") if found else None
    assert report.read_approval(content, "leaf-01") == wanted
    assert report.read_approval(str(file), "leaf-01") == wanted


def test_an_approval_that_nests_too_deep_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "changes.json").write_text("[" * 100_000)
    with pytest.raises(RefusedError, match=r"changes\.json., which could not be read"):
        report.read_approval(str(tmp_path / "changes.json"), "leaf-01")


@pytest.mark.parametrize(
    "approved, sentence",
    [
        ("/nowhere/changes.json", "which could not be read"),
        ({"device": "leaf-01", "base": 1, "diff": "d"}, "approved holds no hashes for leaf-01"),
    ],
)
def test_bad_approvals_are_refused(approved: Any, sentence: str) -> None:
    with pytest.raises(RefusedError, match=sentence):
        report.read_approval(approved, "leaf-01")
