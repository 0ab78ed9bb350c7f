# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host keeps, the batches of a play, and the gate of a rack."""

from __future__ import annotations

import base64
import hashlib

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import zipapp_digest
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._edge.hosts import (
    H01,
    H02,
    H03,
    Host,
)

NOTED = "dpu_congestion_control_failed"
WANTED = {"manage": [], "nics": [], "ra": "2.1.2", "agent": "1", "agent_sha256": "a" * 64}
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


@pytest.mark.parametrize(
    "most, made",
    [(1, [[H01], [H02], [H03]]), (2, [[H01, H02], [H03]]), (3, [[H01, H02, H03]])],
)
def test_hosts_of_a_rack_share_a_batch_where_they_fit(host, most, made):
    racks = {H03: [0, 0, 1], H01: [0, 0, 0], H02: [0, 0, 0]}
    looks = {
        name: {"dpu_state_look": {"plan": {"name": name, "rack": rack}}}
        for name, rack in racks.items()
    }
    stated = {"hostvars": looks, "ansible_play_hosts": list(racks)}
    assert host.do("batches", args={"most": most}, **stated)["batches"] == made
    assert host.do("batches", args={"hosts": [H01]}, **stated)["batches"] == [[H01]]
    failed = host.do("batches", args={"most": 0}, **stated)
    assert (failed["failed"], "spx_max_unavailable: 0 is not allowed" in failed["msg"]) == (
        True,
        True,
    )


def test_the_batches_and_the_hooks_are_named_once(host, tmp_path, capsys):
    (tmp_path / "drain.yml").write_text("- name: Drain\n  ansible.builtin.command: scontrol\n")
    looks = {
        name: {"dpu_state_look": {"plan": {"name": name, "rack": [0, 0, n]}}}
        for n, name in enumerate((H01, H02))
    }
    looks["localhost"] = {"spx_fabric": {"hooks": [str(tmp_path)]}}
    host.do("batches", args={"hosts": [H01, H02]}, hostvars=looks)
    assert capsys.readouterr().out.splitlines() == [
        "  2 hosts out of work in 2 batches, rack by rack",
        "  hooks of the site: drain",
        "  hooks that the site lacks: resume; nothing is done there",
    ]


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
