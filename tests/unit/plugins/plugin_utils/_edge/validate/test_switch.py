# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of a switch that is not read."""

from __future__ import annotations

import json

LEAF = "leaf-p1-su001-r1"


def test_a_switch_that_is_not_meant_or_gives_no_answer(project, results):
    task = {"of": "switch", "device": LEAF, "report": str(project / "report")}
    elsewhere, refused, silent = results(
        {"spectrum_x.fabric.validate": {**task, "where": "leaf-p1-su001-r2"}},
        {"spectrum_x.fabric.validate": {**task, "fail": True}},
        {
            "spectrum_x.fabric.validate": {**task, "host": "127.0.0.1", "port": 1, "timeout": 1},
            "vars": {"spx_nvue_user": "cumulus", "spx_nvue_password": "secret"},
        },
    )
    assert elsewhere["msg"] == f"{LEAF} is not in leaf-p1-su001-r2."
    assert elsewhere["skipped"]
    assert refused["failed"]
    assert "No credentials" in refused["msg"]
    assert refused["counts"]["fail"] == 1
    assert silent["unreachable"]
    (row,) = json.loads((project / "report" / "results" / f"{LEAF}.json").read_text())
    assert row["state"] == "not_run"
