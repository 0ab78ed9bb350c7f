# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cards that get the DPU's operating system: those in DPU mode, now and after the next reset."""

from __future__ import annotations

import pytest
import yaml

from .role_variables import ROLES, rendered


def card(now: str, then: str) -> dict[str, str]:
    return {"pci": f"{now}-{then}", "mode": now, "mode_next": then}


@pytest.mark.parametrize(
    "cards, away",
    [
        ([card("dpu", "dpu")], []),
        ([card("nic", "dpu")], ["nic-dpu"]),
        ([card("dpu", "nic")], ["dpu-nic"]),
        ([card("dpu", "dpu"), card("unknown", "dpu")], ["unknown-dpu"]),
    ],
)
def test_a_card_that_is_not_in_dpu_mode_yet_waits(cards, away):
    """mode_next alone sent a BFB to cards in NIC mode, where an earlier run had staged DPU mode."""
    found = rendered("dpu_mode", "__dpu_mode_away", dpu_state_nics=cards)
    assert [row["pci"] for row in found] == away


def test_bf_cfg_is_written_to_memory_only():
    """It may hold a password, and a run that is killed does not remove it."""
    defaults = yaml.safe_load((ROLES / "dpu_mode/defaults/main.yml").read_text())
    assert defaults["dpu_mode_bf_cfg_path"].startswith("/run/")
