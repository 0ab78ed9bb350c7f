# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of hosts that a measurement reads: its own, and results of earlier tasks."""

from __future__ import annotations

from types import SimpleNamespace

from ansible_collections.spectrum_x.fabric.plugins.action import performance
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store


def test_results_of_hosts_are_handed_on_with_those_that_are_still_there():
    looped = {"results": [{"round": "a"}, {"round": "b"}]}
    stated = {
        "hostvars": {
            "h01": {"performance_served": {"round": "a"}},
            "h02": {"performance_started": looped},
        },
        "ansible_play_hosts_all": ["h01", "h02"],
        "ansible_play_hosts": ["h02"],
    }
    found = performance._answers(stated)
    assert [row["round"] for row in found.rows if row] == ["a", "a", "b"]
    assert found.there == ["h02"]


def test_the_answers_of_hosts_that_another_run_holds():
    held = {"held": "run A measures there"}
    stated = {
        "hostvars": {"h01": {performance.STOPPED: held}, "h02": {}},
        "ansible_play_hosts_all": ["h01", "h02"],
    }
    assert performance._stopped(stated) == {"h01": held, "h02": {}}


def test_the_variable_of_the_host_says_where_its_sysfs_is(begin, monkeypatch):
    asked = []
    monkeypatch.setattr(performance, "on_device", lambda *given: asked.append(given[2]) or {})
    begin()
    task = SimpleNamespace(_templar=SimpleNamespace(template=lambda value: value))
    run = SimpleNamespace(store=store, check=False)
    own = {"dpu_state_sysfs": "/run/sys"}
    stated = {"inventory_hostname": "localhost", "hostvars": {"h01": own}}
    performance.ActionModule._on_host(task, run, {"device": "h01", "do": "stop"}, stated)
    assert [options["sysfs_path"] for options in asked] == ["/run/sys"]
