# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cheapest reset that activates what is pending."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.plan.reset import (
    ANY,
    PendingReset,
    costliest,
    pending_settings,
    reset_needed,
)

BLUEFIELD, CONNECTX = "a2dc", "1023"
SET = {"SRIOV_EN": "1"}


@pytest.mark.parametrize(
    "device, mode, pending, levels, word",
    [
        (CONNECTX, "adapter", PendingReset(), {}, "none"),
        (CONNECTX, "adapter", PendingReset(SET), {3: True}, "mlxfwreset"),
        (CONNECTX, "adapter", PendingReset(SET), {3: False}, "reboot"),
        (CONNECTX, "adapter", PendingReset(firmware="40.1"), {0: True, 3: True}, "live_patch"),
        (CONNECTX, "adapter", PendingReset(SET, firmware="40.1"), {0: True, 3: True}, "mlxfwreset"),
        (
            CONNECTX,
            "adapter",
            PendingReset(firmware="40.1", downgrade=True),
            {3: True},
            "power_cycle",
        ),
        (CONNECTX, "adapter", PendingReset(SET, rebooted=True), {3: True}, "power_cycle"),
        (BLUEFIELD, "nic", PendingReset(SET), {3: True}, "reboot"),
        (BLUEFIELD, "nic", PendingReset(firmware="32.1"), {3: True}, "power_cycle"),
        (BLUEFIELD, "dpu", PendingReset(SET), {3: True}, "power_cycle"),
        (BLUEFIELD, "dpu", PendingReset(mode="nic"), {}, "power_cycle"),
    ],
)
def test_the_reset_follows_from_what_is_pending(device, mode, pending, levels, word):
    assert reset_needed(device, mode, pending, levels) == word


def test_a_minimum_is_kept():
    assert reset_needed(CONNECTX, "adapter", PendingReset(), {}, minimum="reboot") == "reboot"
    assert costliest(["mlxfwreset", ANY, "reboot"]) == "reboot"
    assert costliest([ANY]) == "none"


def test_what_is_pending_is_said_and_noted():
    pending = PendingReset(SET, firmware="32.1", downgrade=True, mode="nic", rebooted=True)
    assert pending.reasons() == [
        "SRIOV_EN is staged",
        "mode nic is staged",
        "downgrade 32.1 is staged",
        "a reboot did not activate it",
    ]
    assert pending.waits() == {"SRIOV_EN": "1", "firmware": "32.1"}
    assert PendingReset(rebooted=True).reasons() == []


def test_settings_whose_next_value_differs_are_pending():
    rows = {
        "A": {"current": "False(0)", "next": "True(1)"},
        "B": {"current": "ETH(2)", "next": "ETH(2)"},
        "C": {"current": "", "next": "1"},
    }
    assert pending_settings(rows) == {"A": "1"}
