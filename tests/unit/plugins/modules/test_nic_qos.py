# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nic_qos: options in, one plain result or one sentence out."""

from __future__ import annotations

from .cards import PCI


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
