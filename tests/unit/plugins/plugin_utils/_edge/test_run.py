# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The run of a task has what the task says, and nothing of Ansible."""

from __future__ import annotations

from types import SimpleNamespace

from ansible import context

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import run


def test_a_job_sees_the_task(monkeypatch, project):
    monkeypatch.setattr(context, "CLIARGS", {"forks": 7})
    monkeypatch.setattr(run, "leaves", lambda plan, task, stated: (plan, task, stated))
    task = SimpleNamespace(_task=SimpleNamespace(check_mode=True, diff=False))
    stated = {"inventory_hostname": "localhost"}
    found = run.of_task(task, {"description": str(project / "model" / "fabric.yml")}, stated)
    assert (found.check, found.diff, found.forks) == (True, False, 7)
    assert found.fabric().description.name == "lab"
    assert found.leaves("plan") == ("plan", task, stated)
