# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Seeded trouble. A fault is {"name", "nic" (PCI address of function 0 or null), "value"}."""

from __future__ import annotations

from typing import Any, Optional

from nicsim.store import State

#: name -> what it does; the README carries the same list.
KNOWN: dict[str, str] = {
    "burn-fails": "flint, mlxfwmanager and the firmware part of bfb-install fail while burning",
    "burn-hangs": "flint and mlxfwmanager never return",
    "staged-only": "new firmware is loaded only by a power cycle",
    "never-loaded": "no reset, reboot or power cycle starts new firmware",
    "bfb-hangs": "bfb-install never ends and nothing is installed",
    "bfb-hangs-after-success": "bfb-install installs everything and then never ends",
    "bfb-critical": "bfb-install logs CRITICAL ERROR, changes nothing and exits 0",
    "rshim-bmc": "the BMC owns rshim",
    "restricted": "the host is RESTRICTED (zero trust)",
    "wrong-psid": "the card answers with another PSID (value, else MT_0000000999)",
    "nv-set-fails": "mlxconfig set fails while applying",
    "nv-not-applied": "no reset or reboot makes the NV settings current",
    "nv-needs-power-cycle": "NV settings become current only by a power cycle",
    "fwreset-fails": "mlxfwreset reset fails",
    "fwreset-unsupported": "mlxfwreset reports every level as not supported",
    "reset-loses-mode": "a BlueField-3 comes back from mlxfwreset in DPU mode",
    "ar-unsupported": "adaptive_routing_forced_en_field_select reads 0",
    "mlxreg-fails": "mlxreg cannot send a register",
    "cc-never-active": "doca_spcx_cc stays in Standby",
    "cc-crashes": "doca_spcx_cc ends with status 1 before it is active",
    "cc-slow": "doca_spcx_cc needs value seconds (10) to become active",
    "link-down": "the port has no link",
    "lldpad": "lldpad runs on the host",
    "dcbx-firmware": "DCBX is firmware controlled and the peer clears PFC",
    "trust-file": "trust is a file of the driver, and mlnx_qos neither flushes nor deletes entries",
    "nv-since": "firmware before a version lacks an NV name (value NAME=32.46.1006)",
    "trust-fails": "mlnx_qos cannot set the trust state",
    "pfc-silent": "mlnx_qos prints success and leaves PFC as it was",
    "pause-storm": "tx_pause_storm_error_events rises with every reading",
    "stuck-queue": "rx_prio3_discards and rx_prio3_pause_duration rise, rx_prio3_packets stands",
    "acs-on": "the kernel turns ACS on at every boot, in the root port and both switch ports",
    "config-short": "configuration space ends after 64 bytes and cannot be written, as without root",
    "peermem-refused": "the kernel refuses nvidia_peermem, which was built without OFED's symbols",
    "missing-tool": "the tool named by value is gone from the host",
    "no-headers": "the headers of the running kernel are missing",
    "held-packages": "the old OFED packages are on hold",
    "bad-key": "the repository is signed by an unknown key",
}


def active(state: State, name: str, nic: Optional[dict[str, Any]] = None) -> bool:
    """Check whether a fault is set for all NICs or for this one."""
    return find(state, name, nic) is not None


def find(state: State, name: str, nic: Optional[dict[str, Any]] = None) -> Optional[dict[str, Any]]:
    """The fault itself, or None."""
    for fault in state["faults"]:
        if fault["name"] != name:
            continue
        if fault["nic"] is None or (nic is not None and fault["nic"] == nic["functions"][0]["pci"]):
            return fault
    return None


def names(state: State) -> list[str]:
    """The names of all faults that are set."""
    return sorted({fault["name"] for fault in state["faults"]})


def psid(state: State, nic: dict[str, Any]) -> str:
    """The PSID the card answers with."""
    fault = find(state, "wrong-psid", nic)
    return str(fault["value"] or "MT_0000000999") if fault else nic["psid"]


def restricted(state: State, nic: dict[str, Any]) -> bool:
    """Check whether the host may not configure the card."""
    return nic["privilege"] == "RESTRICTED" or active(state, "restricted", nic)
