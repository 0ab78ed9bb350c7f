# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The NIC modules at their edge: options in, one plain result or one sentence out."""

from __future__ import annotations

import pytest

PCI = "0000:1a:00.0"
QUERY = (
    "Device #1:\n----------\nDevice:  0000:1a:00.0\nConfigurations:  Default  Current  Next Boot\n"
    "   SRIOV_EN    False(0)    {0}    {1}\n"
    "   INTERNAL_CPU_OFFLOAD_ENGINE    ENABLED(0)    DISABLED(1)    DISABLED(1)\n"
)
FLINT = "FW Version:   {0}\nFW Version(Running):   32.43.1014\nPSID:   MT_0000001069\n"
QOS = "DCBX mode: OS controlled\nPriority trust state: pcp\nPFC configuration:\n\tenabled  0 0 0 {0} 0 0 0 0\n"
WANTED = [{"pci": PCI, "nvconfig": {"SRIOV_EN": 1}, "firmware": {"version": "32.43.1014"}}]


@pytest.fixture
def card(target):
    target.answer("mlxconfig", QUERY.format("False(0)", "False(0)"))
    target.answer("flint", FLINT.format("32.43.1014"))
    target.answer("mlxprivhost", "level : PRIVILEGED\n")
    target.answer("mlnx_qos", QOS.format(0))
    return target


def test_info(card):
    result = card.run("nic_info", gather=["firmware", "nvconfig"])
    assert result["changed"] is False
    (nic,) = result["nics"]
    assert (nic["pci"], nic["model"], nic["mode"]) == (PCI, "BlueField-3", "nic")
    assert nic["firmware"]["running"] == "32.43.1014"
    assert nic["nvconfig"]["SRIOV_EN"]["next"] == "False(0)"
    assert nic["ports"][0]["rdma"] == "mlx5_0"
    assert "verdict" not in result


def test_info_with_a_plan_says_what_differs(card):
    result = card.run("nic_info", nics=WANTED, gather=["firmware", "nvconfig"])
    assert result["verdict"]["nvconfig"] == "differs"
    assert result["verdict"]["firmware"] == "current"


def test_config_in_check_mode(card):
    result = card.run("nic_config", nics=WANTED, check=True)
    assert result["changed"] is True
    assert result["commands"] == ["mlxconfig -y -d 0000:1a:00.0 set SRIOV_EN=1"]
    assert result["diff"]["after"] == {PCI: {"nvconfig": {"SRIOV_EN": "1"}}}
    assert not any(" set " in call for call in card.calls)


def test_config_that_fails_is_one_sentence(card):
    card.answer("mlxconfig -y", "Applying... Failed!\n-E- Failed to set configuration: busy\n", 3)
    result = card.run("nic_config", nics=WANTED)
    assert result["failed"]
    assert result["msg"] == (
        "0000:1a:00.0: setting nvconfig failed: Failed to set configuration: busy."
    )
    assert result["done"] == []


def test_firmware_matches(card):
    result = card.run("nic_firmware", nics=WANTED)
    assert (result["changed"], result["nics"][0]["state"]) == (False, "matches")


def test_firmware_that_fails_keeps_its_states(card):
    image = card.folder / "fw.bin"
    image.write_text("x")
    card.answer(f"flint -i {image} q", "FW Version:   32.48.1000\nPSID:   MT_0000001069\n")
    wanted = [{"pci": PCI, "firmware": {"version": "32.48.1000", "image": str(image)}}]
    result = card.run("nic_firmware", nics=wanted)
    assert result["failed"]
    assert "firmware is 32.43.1014 (was 32.43.1014) instead of 32.48.1000" in result["msg"]
    assert result["nics"][0]["state"] == "failed"


def test_reset_reports_only(card):
    card.answer("mlxconfig", QUERY.format("False(0)", "True(1)"))
    result = card.run("nic_reset", nics=WANTED)
    assert (result["changed"], result["required"]) == (False, "reboot")


def test_qos_that_does_not_take_is_an_error(card):
    result = card.run("nic_qos", nics=[{"pci": PCI, "qos": {"pfc": "00010000"}}])
    assert result["failed"]
    assert result["msg"].startswith("rail1p1: pfc did not take: it is [0, 0, 0, 0, 0, 0, 0, 0]")
    assert result["changed"] is True
    assert result["done"] == ["mlnx_qos -i rail1p1 --pfc=0,0,0,1,0,0,0,0"]


def test_qos_in_check_mode(card):
    result = card.run("nic_qos", nics=[{"pci": PCI, "qos": {"pfc": "00010000"}}], check=True)
    assert result["changed"] is True
    assert result["diff"]["after"] == {"rail1p1": {"pfc": [0, 0, 0, 1, 0, 0, 0, 0]}}
    assert card.calls == ["mlnx_qos -i rail1p1"]


def test_roce_names_what_the_card_does_not_offer(card):
    card.answer("mlxreg", "adaptive_routing_forced_en_field_select  | 0x00000000\n")
    wanted = [{"pci": PCI, "roce": {"accl": {"adaptive_routing_forced_en": 1}}}]
    result = card.run("nic_roce", nics=wanted, sections=["accl"])
    assert result["failed"]
    assert "adaptive_routing_forced_en is not active or not supported" in result["msg"]


@pytest.mark.parametrize(
    "module", ["nic_config", "nic_firmware", "nic_reset", "nic_qos", "nic_roce"]
)
def test_bad_options_are_one_sentence(card, module):
    result = card.run(module, nics=[{"pci": "card one"}])
    assert result["failed"]
    assert result["msg"] == "nics[0].pci: 'card one' is not a PCI address such as 0000:1a:00.0."
    assert card.calls == []
