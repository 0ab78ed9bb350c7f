# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of the cards of a host."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import nics_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.nvconfig import apply_nvconfig

PCI = "0000:1a:00.0"
WANTED = {"SRIOV_EN": 1, "NUM_OF_VFS": 1, "LINK_TYPE_P2": 2, "INTERNAL_CPU_OFFLOAD_ENGINE": 1}


def nics(**parts):
    return nics_from([{"pci": PCI, "device": "a2dc", "nvconfig": WANTED, **parts}])


def test_wrong_addresses_and_models_are_named(world):
    with pytest.raises(NicError, match=r"no NIC at this address; found: 0000:1a:00\.0"):
        apply_nvconfig(world.host(), nics_from([{"pci": "3b:00.0", "nvconfig": {"SRIOV_EN": 1}}]))
    with pytest.raises(NicError, match="it is device a2dc \\(BlueField-3\\), the plan says 1023"):
        apply_nvconfig(world.host(), nics(device="1023"))
