# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Non-volatile settings: who does not answer, and why."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import nics_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.nvconfig import apply_nvconfig
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result

PCI = "0000:1a:00.0"
WANTED = {"SRIOV_EN": 1, "NUM_OF_VFS": 1, "LINK_TYPE_P2": 2, "INTERNAL_CPU_OFFLOAD_ENGINE": 1}


def nics(**parts):
    return nics_from([{"pci": PCI, "device": "a2dc", "nvconfig": WANTED, **parts}])


def test_missing_tool_names_its_package(world):
    world.card.broken["mlxconfig"] = Result(127, "", "not found")
    world.card.broken["mstconfig"] = Result(127, "", "not found")
    with pytest.raises(NicError, match="mlxconfig is not installed; install DOCA-Host"):
        apply_nvconfig(world.host(), nics())


def test_open_source_tools_serve(world):
    world.card.broken["mlxconfig"] = Result(127, "", "not found")
    world.card.do_mstconfig = world.card.do_mlxconfig
    result = apply_nvconfig(world.host(), nics())
    assert result["changed"]
    assert world.card.settings["SRIOV_EN"][2] == "1"
