# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The changes of all switches in one file, and what keeps a run from its end."""

from __future__ import annotations

import json

LEAF = "leaf-p1-su001-r1"


def put(folder, name, **row):
    path = folder / "report" / "changes" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"device": name, **row}))


def test_changes_are_joined(project, results):
    put(project, "leaf-b", paths=["system/hostname"])
    put(project, "leaf-a", paths=[])
    report = str(project / "report")
    (found,) = results({"spectrum_x.fabric.switch_changes": {"report": report}})
    assert (found["devices"], found["differing"]) == (2, ["leaf-b"])
    joined = json.loads((project / "report" / "changes.json").read_text())
    assert [row["device"] for row in joined["devices"]] == ["leaf-a", "leaf-b"]


def test_earlier_changes_go_but_not_what_is_approved(project, results):
    put(project, "leaf-a")
    report = str(project / "report")
    task = {"report": report, "state": "empty"}
    refused, _done = results(
        {"spectrum_x.fabric.switch_changes": {**task, "approved": f"{report}/changes.json"}},
        {"spectrum_x.fabric.switch_changes": task},
    )
    assert refused["msg"].startswith("spx_approved: ")
    assert not (project / "report" / "changes").exists()


def test_a_switch_that_was_not_compared_is_named(results):
    (found,) = results(
        {"spectrum_x.fabric.switch_changes": {"hosts": [LEAF]}},
        arguments=["-i", "hosts.fabric.yml"],
    )
    assert found["failed"]
    assert found["msg"].startswith(f"{LEAF} was not compared with the plan")
