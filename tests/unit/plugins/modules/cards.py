# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of the tools for one card."""

from __future__ import annotations

PCI = "0000:1a:00.0"
QUERY = (
    "Device #1:\n----------\nDevice:  0000:1a:00.0\nConfigurations:  Default  Current  Next Boot\n"
    "   SRIOV_EN    False(0)    {0}    {1}\n"
    "   INTERNAL_CPU_OFFLOAD_ENGINE    ENABLED(0)    DISABLED(1)    DISABLED(1)\n"
)
FLINT = "FW Version:   {0}\nFW Version(Running):   32.43.1014\nPSID:   MT_0000001069\n"
QOS = "DCBX mode: OS controlled\nPriority trust state: pcp\nPFC configuration:\n\tenabled  0 0 0 {0} 0 0 0 0\n"
WANTED = [{"pci": PCI, "nvconfig": {"SRIOV_EN": 1}, "firmware": {"version": "32.43.1014"}}]
