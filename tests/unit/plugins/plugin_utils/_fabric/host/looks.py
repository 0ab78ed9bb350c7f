# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What module host finds on a host as planned."""

from __future__ import annotations

import copy

PCI = [f"0000:{number}:00.0" for number in range(10, 18)]
GOOD = {"error": "", "due": False}
LOOK = {
    "packages": {
        **dict.fromkeys(("doca-all", "doca-networking", "doca-spcx-cc"), "3.3.0-088000"),
        "lldpd": "1",
    },
    "system": {
        "distribution": "Ubuntu",
        "distribution_version": "24.04",
        "pkg_mgr": "apt",
        "uninstaller": "",
        "old": [],
        "hpcx": [],
        "architecture": "x86_64",
        "driver_waits": False,
        "system_waits": False,
        "drained": False,
        "power_cycle": True,
    },
    "nics": {
        "error": "",
        "nics": [{"mode": "nic", "ports": [{"pci": p, "netdev": "x"} for p in PCI]}],
        "verdict": dict.fromkeys(("nvconfig", "firmware", "qos", "roce"), "current"),
        "algorithm": True,
        "skew": "",
    },
    "network": {**GOOD, "absent": [], "renames_in_use": []},
    "agent": dict(GOOD),
    "facts": dict(GOOD),
}


def found(**parts):
    """The look at a healthy host, with some things otherwise: `nics={"skew": ...}`."""
    look = copy.deepcopy(LOOK)
    for name, changes in parts.items():
        look[name] |= changes
    return look
