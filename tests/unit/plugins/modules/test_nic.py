# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module nic: options in, one plain result or one sentence out."""

from __future__ import annotations

import pytest

from .cards import PCI, QUERY, WANTED

PARTS = ("config", "firmware", "qos", "reset", "roce")


@pytest.mark.parametrize("part", PARTS)
def test_bad_options_are_one_sentence(card, part):
    result = card.run("nic", nics=[{"pci": "card one"}], **{part: {}})
    assert result["failed"]
    assert result["msg"] == "nics[0].pci: 'card one' is not a PCI address such as 0000:1a:00.0."
    assert card.calls == []


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({}, "one of the following is required: config, firmware, qos, reset, roce"),
        ({"qos": {}, "roce": {}}, "parameters are mutually exclusive: config|firmware|qos|"),
        ({"qos": {"deep": True}}, "Unsupported parameters for (basic.py) module: qos.deep."),
        ({"reset": {"level": 4}}, "value of level must be one of: 0, 1, 3, got: 4"),
    ],
)
def test_a_task_sets_one_part_with_options_of_that_part(card, parts, said):
    result = card.run("nic", nics=WANTED, **parts)
    assert result["failed"]
    assert said in result["msg"]
    assert card.calls == []


def test_config_in_check_mode(card):
    result = card.run("nic", config={}, nics=WANTED, check=True)
    assert result["changed"] is True
    assert result["commands"] == ["mlxconfig -y -d 0000:1a:00.0 set SRIOV_EN=1"]
    assert result["diff"]["after"] == {PCI: {"nvconfig": {"SRIOV_EN": "1"}}}
    assert not any(" set " in call for call in card.calls)


def test_config_that_fails_is_one_sentence(card):
    card.answer("mlxconfig -y", "Applying... Failed!\n-E- Failed to set configuration: busy\n", 3)
    result = card.run("nic", config={}, nics=WANTED)
    assert result["failed"]
    assert result["msg"] == (
        "0000:1a:00.0: setting nvconfig failed: Failed to set configuration: busy."
    )
    assert result["done"] == []


def test_firmware_matches(card):
    result = card.run("nic", firmware={}, nics=WANTED)
    assert (result["changed"], result["nics"][0]["state"]) == (False, "matches")


def test_firmware_that_fails_keeps_its_states(card):
    image = card.folder / "fw.bin"
    image.write_text("x")
    card.answer(f"flint -i {image} q", "FW Version:   32.48.1000\nPSID:   MT_0000001069\n")
    wanted = [{"pci": PCI, "firmware": {"version": "32.48.1000", "image": str(image)}}]
    result = card.run("nic", firmware={}, nics=wanted)
    assert result["failed"]
    assert "firmware is 32.43.1014 (was 32.43.1014) instead of 32.48.1000" in result["msg"]
    assert result["nics"][0]["state"] == "failed"


def test_qos_that_does_not_take_is_an_error(card):
    result = card.run("nic", qos={}, nics=[{"pci": PCI, "qos": {"pfc": "00010000"}}])
    assert result["failed"]
    assert result["msg"].startswith("rail1p1: pfc was not accepted: it is [0, 0, 0, 0, 0, 0, 0, 0]")
    assert result["changed"] is True
    assert result["done"] == ["mlnx_qos -i rail1p1 --pfc=0,0,0,1,0,0,0,0"]


def test_qos_in_check_mode(card):
    result = card.run("nic", qos={}, nics=[{"pci": PCI, "qos": {"pfc": "00010000"}}], check=True)
    assert result["changed"] is True
    assert result["diff"]["after"] == {"rail1p1": {"pfc": [0, 0, 0, 1, 0, 0, 0, 0]}}
    assert card.calls == ["mlnx_qos -i rail1p1"]


def test_reset_reports_only(card):
    card.answer("mlxconfig", QUERY.format("False(0)", "True(1)"))
    result = card.run("nic", reset={}, nics=WANTED)
    assert (result["changed"], result["required"]) == (False, "reboot")


def test_roce_names_what_the_card_does_not_offer(card):
    card.answer("mlxreg", "adaptive_routing_forced_en_field_select  | 0x00000000\n")
    wanted = [{"pci": PCI, "roce": {"accl": {"adaptive_routing_forced_en": 1}}}]
    result = card.run("nic", nics=wanted, roce={"sections": ["accl"]})
    assert result["failed"]
    assert "adaptive_routing_forced_en is not active or not supported" in result["msg"]
