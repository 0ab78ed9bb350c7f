# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Non-volatile settings that differ, and the resets that activate them."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import nics_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.nvconfig import apply_nvconfig

PCI = "0000:1a:00.0"
WANTED = {"SRIOV_EN": 1, "NUM_OF_VFS": 1, "LINK_TYPE_P2": 2, "INTERNAL_CPU_OFFLOAD_ENGINE": 1}


def nics(**parts):
    return nics_from([{"pci": PCI, "device": "a2dc", "nvconfig": WANTED, **parts}])


def test_a_read_only_setting_is_told_and_never_named(world):
    world.card.read_only = {"NUM_OF_VFS", "INTERNAL_CPU_OFFLOAD_ENGINE"}
    result = apply_nvconfig(world.host(), nics(nvconfig={**WANTED, "NUM_OF_VFS": 8}))
    assert world.card.writes == ["mlxconfig -y -d 0000:1a:00.0 set SRIOV_EN=1"]
    (card,) = result["nics"]
    said = "it is read-only for this host and stays 0 instead of 8"
    assert card["skipped"]["NUM_OF_VFS"] == said
    assert result["warnings"] == [f"{PCI}: NUM_OF_VFS: {said}."]
    assert card["settings"]["INTERNAL_CPU_OFFLOAD_ENGINE"]["state"] == "current"
    again = nics(nvconfig={"NUM_OF_VFS": 8}, required=["NUM_OF_VFS"])
    with pytest.raises(NicError, match="NUM_OF_VFS is required and cannot be set"):
        apply_nvconfig(world.host(), again)


def test_required_names_are_not_skipped(world):
    del world.card.settings["USER_PROGRAMMABLE_CC"]
    wanted = nics(nvconfig={"USER_PROGRAMMABLE_CC": 1}, required=["USER_PROGRAMMABLE_CC"])
    with pytest.raises(NicError, match=r"USER_PROGRAMMABLE_CC is required .*LEGACY_DCQCN"):
        apply_nvconfig(world.host(), wanted)


def test_arrays_are_compared_by_element(world):
    world.card.settings["MODULE_SPLIT_M0"] = ["Array[0..1]"] * 3
    world.card.settings["MODULE_SPLIT_M0[0]"] = ["1", "1", "1"]
    world.card.settings["MODULE_SPLIT_M0[1]"] = ["255", "0xff", "0xff"]
    result = apply_nvconfig(world.host(), nics(nvconfig={"MODULE_SPLIT_M0": [2, 255]}))
    assert result["commands"] == ["mlxconfig -y -d 0000:1a:00.0 set MODULE_SPLIT_M0[0]=2"]
    assert "mlxconfig -d 0000:1a:00.0 -e q MODULE_SPLIT_M0[0..1]" in world.card.calls
