# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outcome of a switch for the person, also where the report cannot be written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch import (
    outcome as outcomes,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import plan as planning
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.converge import Outcome
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import (
    Release,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import NvueError

WISH = planning.Wish({"system": {"hostname": "leaf-01"}})


@pytest.fixture
def outcome() -> Outcome:
    return Outcome(planning.make({}, WISH, Release(5, 16)), changed=True, revision="7")


def test_a_report_is_written(tmp_path: Path, outcome: Outcome) -> None:
    made = outcomes.reported(str(tmp_path), "leaf-01", outcome, done=True)
    assert made == {"report": [f"{tmp_path}/{file}" for file in FILES]}
    assert json.loads((tmp_path / FILES[0]).read_text())["device"] == "leaf-01"


FILES = ("changes/leaf-01.json", "diffs/leaf-01.diff")


def test_a_change_that_is_not_in_the_report_is_said(tmp_path: Path, outcome: Outcome) -> None:
    (tmp_path / "changes").write_text("in the way")
    made = outcomes.reported(str(tmp_path), "leaf-01", outcome, done=True)
    assert made["failed"]
    said = "leaf-01 was changed (revision 7), but it is not in the report. report: "
    assert made["msg"].startswith(said + str(tmp_path / FILES[0]))
    with pytest.raises(NvueError, match=r"^report: .* cannot be written"):
        outcomes.reported(str(tmp_path), "leaf-01", outcome, done=False)
