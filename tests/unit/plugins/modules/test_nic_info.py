# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nic_info: options in, one plain result out."""

from __future__ import annotations

from .cards import PCI, WANTED


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
