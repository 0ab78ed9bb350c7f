# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Look of module host at a host as planned."""

from __future__ import annotations

import copy

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.host_state import (
    HostCase,
)

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
        "driver": {
            "wrong": [],
            "hinders": [],
            "rebuilt": [],
            "upon": {},
            "running": [],
            "locked": "",
        },
        "architecture": "x86_64",
        "driver_waits": False,
        "system_waits": False,
        "drained": False,
        "power_cycle": True,
    },
    "identity": {"error": "", "serials": [], "macs": [], "addresses": [], "heard": []},
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


GIVEN = {
    "doca": {"repository": "x", "version": "", "os": "", "arch": "", "packages": [], "old": []},
    "files": {},
    "bfb": "",
    "force": False,
    "tolerate": False,
    "lldp": True,
    "power_cycle": "ipmitool",
    "algorithm": None,
    "foreign": [],
    "optional": True,
    "allow_reset": False,
    "allow_reboot": False,
    "allow_versions": False,
}


def case(wanted, verdict=None, *, driver=None, nics=(), renames=(), packages=(), hpcx=(), **given):
    """A host; `driver` is why its driver is to be replaced, by default what role dpu_doca says."""
    look = copy.deepcopy(LOOK)
    look["nics"] |= {"verdict": verdict or {}, "nics": [*nics]}
    look["network"]["renames_in_use"] = renames
    look["packages"] = dict(packages)
    look["system"]["hpcx"] = [*hpcx]
    made = HostCase(wanted, look, {**GIVEN, **given})
    if driver is not None:
        vars(made)["doca"] = {"reason": driver}
    return made
