# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import files
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    NvueError,
    RefusedError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.report import Approval

ENTRY = {"device": "leaf-01", "base": "b", "diff": "d"}


def test_a_report_is_two_files(tmp_path: pathlib.Path) -> None:
    written = files.write_report(str(tmp_path), "leaf-01/x", ENTRY, "+ a: 1\n")
    assert [pathlib.Path(name).name for name in written] == ["leaf-01_x.json", "leaf-01_x.diff"]
    assert json.loads((tmp_path / "changes" / "leaf-01_x.json").read_text()) == ENTRY
    assert (tmp_path / "diffs" / "leaf-01_x.diff").read_text() == "+ a: 1\n"


def test_a_report_that_cannot_be_written_is_one_sentence(tmp_path: pathlib.Path) -> None:
    (tmp_path / "changes").write_text("")
    with pytest.raises(
        NvueError, match=r"report: .*leaf-01.json cannot be written \(.*\): make room, or name"
    ):
        files.write_report(str(tmp_path), "leaf-01", ENTRY, "")


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
    assert files.read_approval(content, "leaf-01") == wanted
    assert files.read_approval(str(file), "leaf-01") == wanted


@pytest.mark.parametrize(
    "approved, sentence",
    [
        ("/nowhere/changes.json", "which could not be read"),
        ({"device": "leaf-01", "base": 1, "diff": "d"}, "approved holds no hashes for leaf-01"),
    ],
)
def test_bad_approvals_are_refused(approved: Any, sentence: str) -> None:
    with pytest.raises(RefusedError, match=sentence):
        files.read_approval(approved, "leaf-01")
