# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was done is kept beside the model, with who and when."""

from __future__ import annotations

import json


def test_a_report_has_its_head_and_its_folder(project, results):
    task = {"spectrum_x.fabric.tenant_report": {"reports": {"../move": {"node": "h01"}}}}
    (found,) = results(task)
    path = project / "report" / "move.json"
    assert (found["files"], found["changed"]) == ([str(path)], False)
    kept = json.loads(path.read_text())
    assert (kept["node"], kept["schema"], kept["fabric"]) == ("h01", 1, "lab")
    assert kept["when"].endswith("Z")
    assert kept["who"]


def test_check_mode_keeps_none(project, results):
    task = {"spectrum_x.fabric.tenant_report": {"reports": {"move": {}}}}
    (found,) = results(task, arguments=["--check"])
    assert found["skipped"]
    assert not (project / "report").exists()
