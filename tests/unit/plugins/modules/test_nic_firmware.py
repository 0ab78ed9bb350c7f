# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nic_firmware: options in, one plain result or one sentence out."""

from __future__ import annotations

from .cards import PCI, WANTED


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
