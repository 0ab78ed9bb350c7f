# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Non-volatile settings: states, what is written, and the mode that must never be lost."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import nics_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.nvconfig import apply_nvconfig
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result

PCI = "0000:1a:00.0"
WANTED = {"SRIOV_EN": 1, "NUM_OF_VFS": 1, "LINK_TYPE_P2": 2, "INTERNAL_CPU_OFFLOAD_ENGINE": 1}


def nics(**parts):
    return nics_from([{"pci": PCI, "device": "a2dc", "nvconfig": WANTED, **parts}])


def test_one_set_of_what_differs_then_nothing(world):
    first = apply_nvconfig(world.host(), nics())
    assert world.card.writes == ["mlxconfig -y -d 0000:1a:00.0 set SRIOV_EN=1 NUM_OF_VFS=1"]
    (card,) = first["nics"]
    assert first["changed"]
    assert first["diff"]["before"] == {PCI: {"nvconfig": {"SRIOV_EN": "0", "NUM_OF_VFS": "0"}}}
    assert {n: r["state"] for n, r in card["settings"].items()} == {
        "SRIOV_EN": "staged",
        "NUM_OF_VFS": "staged",
        "INTERNAL_CPU_OFFLOAD_ENGINE": "current",
    }
    assert card["skipped"] == {"LINK_TYPE_P2": "absent on Ethernet-only and on one-port boards"}
    assert card["reset_needed"] == "reset"
    world.card.calls.clear()
    again = apply_nvconfig(world.host(), nics())
    assert not again["changed"]
    assert world.card.writes == []


def test_check_mode_predicts_exactly(world):
    predicted = apply_nvconfig(world.host(check=True), nics())
    assert world.card.writes == []
    done = apply_nvconfig(world.host(), nics())
    assert predicted["diff"] == done["diff"]
    assert predicted["commands"] == done["commands"]
    assert predicted["nics"][0]["settings"].keys() == done["nics"][0]["settings"].keys()


def test_defaults_always_come_with_the_mode(world):
    wanted = nics(nvconfig={"SRIOV_EN": 1})
    result = apply_nvconfig(world.host(), wanted, reset_first=True)
    assert world.card.writes == [
        "mlxconfig -y -d 0000:1a:00.0 reset",
        "mlxconfig -y -d 0000:1a:00.0 set SRIOV_EN=1 INTERNAL_CPU_OFFLOAD_ENGINE=1",
    ]
    assert result["nics"][0]["mode_next"] == "nic"


def test_what_the_defaults_alter_beside_the_wanted_is_shown(world):
    world.card.settings["NUM_OF_VFS"][1:] = ["16", "16"]
    done = apply_nvconfig(world.host(), nics(nvconfig={"SRIOV_EN": 1}), reset_first=True)
    assert done["diff"] == {
        "before": {PCI: {"nvconfig": {"NUM_OF_VFS": "16", "SRIOV_EN": "0"}}},
        "after": {PCI: {"nvconfig": {"NUM_OF_VFS": "0", "SRIOV_EN": "1"}}},
    }


def test_a_failed_set_after_defaults_saves_the_mode(world):
    host = world.host()
    run = world.card.run
    failing = Result(1, "Applying... Failed!\n-E- Failed to set configuration: bad\n", "")
    host.run = lambda argv, t: failing if "SRIOV_EN=1" in argv else run(argv, t)
    with pytest.raises(NicError, match="Failed to set configuration"):
        apply_nvconfig(host, nics(nvconfig={"SRIOV_EN": 1}), reset_first=True)
    assert world.card.settings["INTERNAL_CPU_OFFLOAD_ENGINE"][2] == "1"
    assert host.done == [
        "mlxconfig -y -d 0000:1a:00.0 reset",
        "mlxconfig -y -d 0000:1a:00.0 set INTERNAL_CPU_OFFLOAD_ENGINE=1",
    ]


def test_a_card_that_does_not_answer_after_its_defaults_gets_its_mode_back(world):
    host = world.host()
    run = world.card.run

    def mute(argv, timeout):
        away = "q" in argv and any(call.endswith(" reset") for call in world.card.calls)
        return Result(1, "-E- bus error\n", "") if away else run(argv, timeout)

    host.run = mute
    with pytest.raises(NicError, match="bus error"):
        apply_nvconfig(host, nics(nvconfig={"SRIOV_EN": 1}), reset_first=True)
    assert world.card.settings["INTERNAL_CPU_OFFLOAD_ENGINE"][2] == "1"


def test_after_defaults_only_what_differs_is_set(world):
    world.card.read_only = {"INTERNAL_CPU_MODEL"}
    wanted = nics(nvconfig={"SRIOV_EN": 1, "NUM_OF_VFS": 0, "INTERNAL_CPU_MODEL": 1})
    orders = [
        "mlxconfig -y -d 0000:1a:00.0 reset",
        "mlxconfig -y -d 0000:1a:00.0 set SRIOV_EN=1 INTERNAL_CPU_OFFLOAD_ENGINE=1",
    ]
    looked = apply_nvconfig(world.host(check=True), wanted, reset_first=True)
    done = apply_nvconfig(world.host(), wanted, reset_first=True)
    assert looked["commands"] == done["commands"] == orders
    assert looked["nics"][0]["settings"] == done["nics"][0]["settings"]


def test_a_lost_mode_is_shouted(world):
    world.card.broken["mlxconfig -y -d 0000:1a:00.0 set"] = Result(1, "-E- bus error\n", "")
    with pytest.raises(NicError, match="comes up in DPU mode: do NOT reboot"):
        apply_nvconfig(world.host(), nics(nvconfig={"SRIOV_EN": 1}), reset_first=True)


def test_a_set_that_does_not_take_is_an_error(world):
    world.card.broken["mlxconfig -y -d 0000:1a:00.0 set"] = Result(0, "Applying... Done!\n", "")
    with pytest.raises(NicError, match="SRIOV_EN was not accepted"):
        apply_nvconfig(world.host(), nics())


def test_restricted_hosts_write_nothing(world):
    world.card.privilege = "RESTRICTED"
    with pytest.raises(NicError, match="restricted \\(zero-trust\\)"):
        apply_nvconfig(world.host(), nics())
    assert world.card.writes == []


def test_staged_after_a_reset_is_an_error(world):
    apply_nvconfig(world.host(), nics())
    with pytest.raises(NicError, match="SRIOV_EN is 0 instead of 1 after the reset"):
        apply_nvconfig(world.host(), nics(), after_reset=True)


@pytest.mark.parametrize(
    "engine, left, needed",
    [
        ("ENABLED(0)", "reboot", "power_cycle"),
        ("DISABLED(1)", "reboot", "reset"),
        ("DISABLED(1)", "power cycle", "power_cycle"),
    ],
)
def test_what_activates_the_settings(world, engine, left, needed):
    world.card.settings["INTERNAL_CPU_OFFLOAD_ENGINE"][1:] = [engine, engine]
    run = world.card.run

    def said(argv, timeout):
        result = run(argv, timeout)
        return result._replace(out=result.out.replace("reboot", left))

    host = world.host()
    host.run = said
    assert apply_nvconfig(host, nics())["nics"][0]["reset_needed"] == needed
