# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a host keeps, the plan of a run, the gate of a rack, and the module's own work."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.action import host as action
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import hooks
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.kinds import (
    HOST_BATCHES,
    HostBatches,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import zipapp_digest
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._edge.hosts import (
    H01,
    H02,
    H03,
    Host,
)

ROOT = Path(__file__).parents[4]
NOTED = "dpu_congestion_control_failed"
WANTED = {
    "manage": [],
    "nics": [],
    "storage_nics": [],
    "ra": "2.1.2",
    "agent": "1",
    "agent_sha256": "a" * 64,
}
TOOL = "/srv/spx-nic.pyz"


@pytest.fixture
def host(project, monkeypatch):
    return Host(project / "model", monkeypatch)


@pytest.mark.parametrize("skew", ["", "another"])
def test_the_tool_is_brought_only_where_another_is_there(host, skew):
    looked = {"wanted": WANTED, "nics": {"skew": skew}}
    own = {"dpu_agent_interval": 0, "dpu_agent_algorithm": "true", "dpu_state_agent_path": TOOL}
    host.do("keep", dpu_state_look=looked, **own)
    (options,) = host.asked
    tool, desired, *_units = options["files"]
    assert (tool["path"], desired["path"]) == (TOOL, "/etc/spectrum-x/desired.json")
    assert options["units"]["spectrum-x-watch.timer"] == {"enabled": False, "running": False}
    if skew:
        assert hashlib.sha256(base64.b64decode(tool["base64"])).hexdigest() == zipapp_digest()
    else:
        assert tool["sha256"] == "a" * 64
        assert "base64" not in tool


def look(name, group="rolling", rack=0, steps=(), sentence=""):
    plan = {"name": name, "rack": [0, 0, rack], "group": group}
    return {"dpu_state_look": {"plan": {**plan, "steps": list(steps), "sentence": sentence}}}


@pytest.mark.parametrize(
    "most, made",
    [(1, [[H01], [H02], [H03]]), (2, [[H01, H02], [H03]]), (3, [[H01, H02, H03]])],
)
def test_hosts_of_a_rack_share_a_batch_where_they_fit(host, most, made):
    looks = {H03: look(H03, rack=1), H01: look(H01), H02: look(H02)}
    stated = {"hostvars": looks, "ansible_play_hosts": list(looks)}
    assert host.do("plan", args={"most": most}, **stated)["batches"] == made
    failed = host.do("plan", args={"most": 0}, **stated)
    assert failed["failed"]
    assert "spx_max_unavailable: 0 is not allowed" in failed["msg"]


def test_the_whole_plan_and_its_hooks_are_shown_once(host, tmp_path, capsys, begin):
    begin(fabric={"hooks": [str(tmp_path)]})
    (tmp_path / "drain.yml").write_text("- name: Drain\n  ansible.builtin.command: scontrol\n")
    waiting = "h06: settings wait: it takes a reboot."
    looks = {
        H01: look(H01),
        H02: look(H02, rack=1),
        H03: look(H03, "steady", steps=["dpu_qos", "dpu_agent", "return"]),
        "h05": look("h05", "steady", steps=["dpu_qos"], sentence=waiting),
        "h06": look("h06", "steady", sentence=waiting),
        "h07": look("h07", "done"),
        "rented": {"dpu_state_look": {"skipped": True}},
    }
    made = host.do("plan", hostvars=looks, ansible_play_hosts=list(looks))
    assert made["batches"] == [[H01], [H02]]
    assert store.get(HOST_BATCHES) == HostBatches([H01, H02], [1, 1])
    assert capsys.readouterr().out.splitlines() == [
        "  1 host as planned",
        "  2 hosts set while in service: dpu_agent, dpu_qos",
        "  2 hosts skipped without the required reset or link toggle: the end of the run reports how to allow it",
        "  2 hosts drained in 2 batches, rack by rack",
        "  hooks of the site: drain",
        "  missing hooks (skipped): resume",
    ]


def test_a_host_that_an_earlier_run_drained_needs_the_hook_that_gives_it_back(host, capsys):
    looks = {H01: look(H01, "steady", steps=["dpu_reset", "return"])}
    host.do("plan", hostvars=looks, ansible_play_hosts=[H01])
    assert capsys.readouterr().out.splitlines()[1:] == ["  missing hooks (skipped): resume"]


@pytest.mark.parametrize(
    ("word", "option", "takes"),
    [
        ("wait", {"most": 1}, "done"),
        ("files", {"interfaces": []}, "files, units"),
        ("keep", {"units": {}}, "none"),
    ],
)
def test_an_option_of_another_word_is_refused(host, word, option, takes):
    said = f"host: {next(iter(option))} is not an option of do: {word}, which accepts {takes}."
    refused = host.do(word, args=option)
    assert (refused["failed"], refused["msg"]) == (True, said)
    assert host.asked == []


def test_roles_and_playbooks_give_options_that_their_word_accepts():
    """A task that no test runs with the option would fail on every host."""
    places = [*(ROOT / "roles").rglob("tasks/*.yml"), *(ROOT / "playbooks").rglob("*.yml")]
    given = [
        (path.name, dict(value))
        for path in places
        for key, value in hooks.settings(yaml.safe_load(path.read_text("utf-8")))
        if key == "spectrum_x.fabric.host"
    ]
    assert len(given) >= 8
    for name, options in given:
        accepted = {*action.GENERAL, *action.TAKES[options.get("do", "look")]}
        assert sorted(options.keys() - accepted) == [], name


def test_files_and_networks_are_the_module_s_own_work(host):
    rails = [{"name": "rail1p1"}]
    host.do("files", args={"files": [{"path": "/etc/a", "state": "absent"}]})
    host.do("network", args={"interfaces": rails, "arp": True})
    files, network = host.asked
    assert (files["do"], files["units"]) == ("files", {})
    assert files["files"][0] == {
        "path": "/etc/a",
        "state": "absent",
        "mode": "0644",
        "content": None,
        "base64": None,
        "sha256": None,
    }
    assert (network["do"], network["interfaces"], network["arp"]) == ("network", rails, True)
    lacking = host.do("network")
    assert lacking["failed"]
    assert "missing: interfaces" in lacking["msg"]


@pytest.mark.parametrize(
    ("noted", "there", "failed"),
    [
        ({NOTED: "no CC"}, True, True),
        ({NOTED: ""}, False, True),
        ({NOTED: ""}, True, False),
        ({}, False, False),  # lost before anybody began
    ],
)
def test_who_did_not_begin(host, noted, there, failed):
    stated = {
        "hostvars": {H03: {"dpu_state_look": {}, **noted}},
        "ansible_play_hosts": [H03] if there else [],
    }
    (host.model / "tenants.yml").write_text("tenants: []\n")
    assert bool(host.do("gate", **stated)["back"]) is failed
