# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module host: a look has one answer of all parts; files and networks become as planned."""

from __future__ import annotations

import json

import pytest
from ansible.module_utils.testing import patch_module_args

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.modules import host as module

from .cards import PCI, WANTED

PLAN = {
    "nics": WANTED,
    "interfaces": [],
    "networks": [],
    "storage_nics": [],
    "fabric_prefixes": [],
    "nccl": {"rails": [], "env": {}},
    "agent": "1",
    "agent_sha256": "a" * 64,
}


@pytest.fixture
def asked(card):
    card.answer("dpkg-query", "install installed doca-all 3.3.0-088000\n")
    card.answer("rpm", "install installed doca-all 3.3.0-088000\n")
    card.answer("ip", "[]")
    return {
        "files": [{"path": str(card.folder / "kept"), "content": "x"}],
        "idle": "x",
        "units": {},
        "agent_path": str(card.folder / "spx-nic.pyz"),
        "sysfs": str(card.folder / "sys"),
        "backend": "networkd",
        "arp": False,
        "lldp": False,
        "facts": "",
        "nccl": {},
        "power_cycle": str(card.folder / "bin/flint"),
    }


def test_one_answer_has_every_part(card, asked):
    found = card.run("host", wanted=PLAN, asked=asked)
    assert found["packages"] == {"doca-all": "3.3.0-088000"}
    assert found["system"]["power_cycle"] is True
    assert [nic["pci"] for nic in found["nics"]["nics"]] == [PCI]
    assert found["nics"]["verdict"]["nvconfig"] == "differs"
    assert found["network"]["error"] == ""
    assert found["agent"]["files"] == [str(card.folder / "kept")]


def test_nothing_is_written_outside_check_mode_either(card, asked):
    found = card.run("host", wanted=PLAN, asked=asked)
    assert found["changed"] is False
    assert found["agent"]["due"] is True
    assert not (card.folder / "kept").exists()
    assert not [call for call in card.calls if call.startswith("mlxconfig") and " set " in call]


def test_what_cannot_be_read_is_no_failure(card, asked):
    nics = [{"pci": "0000:ff:00.0", "nvconfig": {"SRIOV_EN": 1}}]
    found = card.run("host", wanted={**PLAN, "nics": nics}, asked=asked)
    assert "0000:ff:00.0" in found["nics"]["error"]
    assert found["network"]["error"] == ""


@pytest.fixture
def answer(monkeypatch, capsys):
    """Runs the module over a look that is given, or refuses: its result, and its warnings."""

    def run(found):
        def look(host, _wanted, _asked):
            assert host.check_mode
            if isinstance(found, NicError):
                raise found
            return found

        said = []
        monkeypatch.setattr(module, "look", look)
        monkeypatch.setattr(module.AnsibleModule, "warn", lambda _self, text: said.append(text))
        given = {"wanted": {"name": "h01"}, "asked": {"sysfs": "/sys"}}
        with patch_module_args(given), pytest.raises(SystemExit):
            module.main()
        return json.loads(capsys.readouterr().out), said

    return run


def test_a_host_without_a_package_manager_fails(answer):
    result, _said = answer(NicError("the host has neither dpkg nor rpm."))
    assert (result["failed"], result["msg"]) == (True, "the host has neither dpkg nor rpm.")


@pytest.mark.parametrize(
    "nics, network, warned",
    [
        (
            {"warnings": ["a driver is lost."]},
            {"left": ["a file is left."]},
            ["a driver is lost.", "a file is left."],
        ),
        ({"error": "no tool."}, {"error": "no ip."}, []),
    ],
)
def test_what_is_left_is_a_warning(answer, nics, network, warned):
    result, said = answer({"nics": nics, "network": network})
    assert (result["changed"], result["nics"], said) == (False, nics, warned)


ROW = {"kind": "rail", "interface": "rail1p1", "source": "10.0.0.0", "to": "10.0.0.1", "size": 9138}


def probed(target, nics=()):
    tries = {"pings": [ROW], "attempts": [], "nics": list(nics)}
    return target.run("host", asked={"sysfs": str(target.folder / "sys")}, probe=tries)


def test_a_probe_alone_reads_nothing_and_answers_come_back_with_their_rows(target):
    target.answer("ping", "1 received\n")
    target.answer("ethtool", "NIC statistics:\n     rx_prio3_pause: 0\n")
    result = probed(target)
    assert result["changed"] is False
    assert result["probe"]["pings"] == [{**ROW, "ok": True, "reason": ""}]
    assert (result["probe"]["attempts"], result["probe"]["findings"]) == ([], [])
    assert len(target.calls) == 1
    assert "nics" not in result


def test_a_probe_of_a_wrong_card_is_one_sentence(target):
    said = probed(target, nics=[{"pci": "0000:7a:00.0"}])["probe"]["error"]
    assert said.startswith("0000:7a:00.0: there is no NIC at this address; found: ")


SHOWN = "Id=a.service\nLoadState=loaded\nUnitFileState=enabled\nActiveState=active\n"


def test_a_file_is_written_once(target):
    path = target.folder / "kept.conf"
    wanted = {"files": [{"path": str(path), "content": "one\n", "mode": "0600"}]}
    assert target.run("host", do="files", check=True, **wanted)["changed"] is True
    assert not path.exists()
    result = target.run("host", do="files", **wanted)
    assert result["changed"] is True
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("one\n", 0o600)
    assert target.run("host", do="files", **wanted)["changed"] is False


def test_a_unit_is_ordered_only_where_it_differs(target):
    target.answer("systemctl", SHOWN)
    result = target.run("host", do="files", units={"a.service": {"enabled": True, "running": True}})
    assert result["changed"] is False
    result = target.run("host", do="files", units={"a.service": {"running": False}}, check=True)
    assert result["changed"] is True
    assert not any(" stop " in call for call in target.calls)


def test_wrong_options_are_one_sentence(target):
    result = target.run("host", do="files", units={"a.service": {"speed": 1}})
    assert result["failed"]
    assert result["msg"].startswith("units.a.service: 'speed' is not known; allowed are ")


RAIL = {
    "name": "rail1p1",
    "pci": "0000:1a:00.0",
    "address": "172.16.0.0",
    "length": 31,
    "gateway": "172.16.0.1",
    "mtu": 9166,
    "table": 1001,
}


@pytest.mark.parametrize(
    "change, words",
    [
        ({"pci": "card"}, "interfaces[0].pci: 'card' is not a PCI address such as 0000:1a:00.0."),
        ({"mtu": 100}, "interfaces[0].mtu: 100 is not between 1280 and 65535."),
        ({"speed": 1}, "interfaces[0]: 'speed' is not known; allowed are "),
    ],
)
def test_a_wrong_interface_is_one_sentence(target, change, words):
    result = target.run("host", do="network", interfaces=[{**RAIL, **change}])
    assert result["failed"]
    assert result["msg"].startswith(words)
    assert target.calls == []


def test_a_host_without_iproute2_is_one_sentence(target):
    target.answer("ip", "RTNETLINK answers: no\n", 2)
    result = target.run("host", do="network", interfaces=[RAIL], backend="networkd", check=True)
    assert result["failed"]
    assert result["msg"].startswith("ip ")
    assert "it failed: RTNETLINK answers: no" in result["msg"]
