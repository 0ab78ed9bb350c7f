# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resets: the cheapest that works, only when asked, proven afterwards."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import nics_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.plan.reset import (
    PendingReset,
    reset_needed,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.reset import apply_reset
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result

PCI = "0000:1a:00.0"
LEVELS = (
    "Reset-levels:\n0: Driver, PCI link, network link will remain up   -Not Supported\n"
    "3: Driver restart and PCI reset   -Supported   (default)\n\nReset-types (..):\n"
)
NV, FW, DOWN, MODE = (
    PendingReset({"SRIOV_EN": "1"}),
    PendingReset(firmware="2"),
    PendingReset(firmware="1", downgrade=True),
    PendingReset(mode="nic"),
)


@pytest.mark.parametrize(
    "device, mode, pending, levels, minimum, needed",
    [
        ("1023", "adapter", PendingReset(), {3: True}, "none", "none"),
        ("1023", "adapter", NV, {0: True, 3: True}, "none", "mlxfwreset"),
        ("1023", "adapter", FW, {0: True, 3: True}, "none", "live_patch"),
        ("1023", "adapter", FW, {0: False, 3: True}, "none", "mlxfwreset"),
        ("1023", "adapter", NV, {3: False}, "none", "reboot"),
        ("1023", "adapter", DOWN, {3: True}, "none", "power_cycle"),
        ("1023", "adapter", NV, {3: True}, "power_cycle", "power_cycle"),
        ("1023", "adapter", PendingReset(), {}, "reboot", "reboot"),
        ("a2dc", "nic", NV, {3: True}, "none", "reboot"),
        ("a2dc", "nic", PendingReset({"A": "1"}, rebooted=True), {3: True}, "none", "power_cycle"),
        ("a2dc", "nic", FW, {3: True}, "none", "power_cycle"),
        ("a2dc", "dpu", NV, {3: True}, "none", "power_cycle"),
        ("a2dc", "dpu", MODE, {3: True}, "none", "power_cycle"),
    ],
)
def test_the_cheapest_reset(device, mode, pending, levels, minimum, needed):
    assert reset_needed(device, mode, pending, levels, minimum=minimum) == needed


@pytest.fixture
def adapter(world):
    """The same card as a ConnectX-8 with a staged setting."""
    world.put(f"/sys/bus/pci/devices/{PCI}/device", "0x1023\n")
    world.card.reset_levels = LEVELS
    world.card.settings = {"SRIOV_EN": ["False(0)", "False(0)", "True(1)"]}
    return world


def nics(device="1023", **parts):
    return nics_from([{"pci": PCI, "device": device, "nvconfig": {"SRIOV_EN": 1}, **parts}])


def test_asked_for_explicitly(adapter):
    result = apply_reset(adapter.host(), nics())
    assert (result["changed"], result["required"]) == (False, "mlxfwreset")
    assert result["nics"][0]["reasons"] == ["SRIOV_EN is staged"]
    assert adapter.card.writes == []


@pytest.mark.parametrize(
    "hints, required",
    [
        (["power_cycle", "reboot"], "power_cycle"),
        (["reboot", "none", "power_cycle", "reset"], "power_cycle"),
        (["reset", "reboot"], "reboot"),
        (["reset", "none"], "mlxfwreset"),
        ([], "mlxfwreset"),
    ],
)
def test_the_costliest_of_all_hints_counts(adapter, hints, required):
    """A new driver's reboot does not make a power cycle cheaper that settings take."""
    assert apply_reset(adapter.host(), nics(), minimum=hints)["required"] == required


def test_reset_then_nothing_left(adapter):
    result = apply_reset(adapter.host(), nics(), allow=True)
    assert adapter.card.writes == ["mlxfwreset -d 0000:1a:00.0 -y -l 3 r"]
    assert (result["changed"], result["required"]) == (True, "none")
    again = apply_reset(adapter.host(), nics(), allow=True)
    assert not again["changed"]


def test_only_what_waited_for_the_reset_is_asked_for_after_it(adapter):
    """Firmware is staged, SRIOV_EN is wanted and nobody's to stage."""
    adapter.card.settings = {"SRIOV_EN": ["False(0)"] * 3}
    adapter.card.burned = "40.48.1120"
    result = apply_reset(adapter.host(), nics(), allow=True)
    assert (result["changed"], result["required"]) == (True, "none")


@pytest.mark.parametrize(
    "noted, needed",
    [
        ('{"0000:1a:00.0": {"SRIOV_EN": "1"}}', "power_cycle"),
        ('{"0000:1a:00.0": {"SRIOV_EN": "0"}}', "reboot"),
        ('{"0000:2a:00.0": {"SRIOV_EN": "1"}}', "reboot"),
        ("{", "reboot"),
    ],
)
def test_what_a_reboot_left_staged_needs_the_power_to_go(world, noted, needed):
    world.card.settings["SRIOV_EN"][2] = "True(1)"
    world.put("/etc/spectrum-x/rebooted.json", noted)
    (card,) = apply_reset(world.host(), nics(device="a2dc", mode="nic"))["nics"]
    assert (card["needed"], card["waits"]) == (needed, {"SRIOV_EN": "1"})
    assert ("a reboot did not activate it" in card["reasons"]) is (needed == "power_cycle")


def test_check_mode_resets_nothing(adapter):
    assert apply_reset(adapter.host(check=True), nics(), allow=True)["changed"]
    assert adapter.card.writes == []


def test_a_bluefield_is_left_to_a_reboot_unless_insisted(world):
    world.card.settings["SRIOV_EN"][2] = "True(1)"
    wanted = nics(device="a2dc", mode="nic")
    assert apply_reset(world.host(), wanted, allow=True)["required"] == "reboot"
    assert world.card.writes == []
    result = apply_reset(world.host(), wanted, allow=True, level=3)
    assert result["nics"][0]["performed"] == "mlxfwreset level 3"


def test_a_lost_mode_is_an_error(world):
    world.card.settings["SRIOV_EN"][2] = "True(1)"
    real = world.card.do_mlxfwreset

    def loses(argv):
        result = real(argv)
        world.card.settings["INTERNAL_CPU_OFFLOAD_ENGINE"][1] = "ENABLED(0)"
        return result

    world.card.do_mlxfwreset = loses
    with pytest.raises(NicError, match="the reset lost the mode: it is dpu, expected nic"):
        apply_reset(world.host(), nics(device="a2dc"), allow=True, level=3)


@pytest.mark.parametrize(
    "said",
    [
        Result(1, "-E- Firmware reset failed, retry operation or reboot machine.\n", ""),
        Result(0, "-I- Sending Reset Command To Fw -Done\n", ""),
    ],
)
def test_a_failed_reset_says_to_reboot(adapter, said):
    adapter.card.broken["mlxfwreset -d 0000:1a:00.0 -y"] = said
    with pytest.raises(NicError, match=r"did not load the firmware: .*reboot the host"):
        apply_reset(adapter.host(), nics(), allow=True)


def test_a_card_that_stays_away(adapter):
    adapter.card.broken["mlxfwreset -d 0000:1a:00.0 -y"] = Result(
        0, "-I- FW was loaded successfully.\n", ""
    )
    host = adapter.host()
    run = host.run

    def gone(argv, timeout):
        if argv[0] == "mlxconfig" and any("-y -l 3" in call for call in adapter.card.calls):
            return Result(1, "-E- Failed to open the device\n", "")
        return run(argv, timeout)

    host.run = gone
    with pytest.raises(NicError, match="did not come back within 300 s"):
        apply_reset(host, nics(), allow=True)
