# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nic_reset reports what a reset is needed for."""

from __future__ import annotations

from .cards import QUERY, WANTED


def test_reset_reports_only(card):
    card.answer("mlxconfig", QUERY.format("False(0)", "True(1)"))
    result = card.run("nic_reset", nics=WANTED)
    assert (result["changed"], result["required"]) == (False, "reboot")
