# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nic_roce names what the card does not offer."""

from __future__ import annotations

from .cards import PCI


def test_roce_names_what_the_card_does_not_offer(card):
    card.answer("mlxreg", "adaptive_routing_forced_en_field_select  | 0x00000000\n")
    wanted = [{"pci": PCI, "roce": {"accl": {"adaptive_routing_forced_en": 1}}}]
    result = card.run("nic_roce", nics=wanted, sections=["accl"])
    assert result["failed"]
    assert "adaptive_routing_forced_en is not active or not supported" in result["msg"]
