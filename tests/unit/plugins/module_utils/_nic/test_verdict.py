# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One word of each section, from what was read."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import (
    nics_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.gather import gather
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.runtime import (
    apply_roce,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.verdict import verdict

from .one_card import QOS, ROCE, converged

PCI = "0000:1a:00.0"


def nics(**parts):
    return nics_from([{"pci": PCI, "device": "a2dc", **parts}])


def test_verdict_of_factory_and_of_converged(world):
    world.algorithm()
    wanted = nics(qos=QOS, roce=ROCE, nvconfig={"SRIOV_EN": 1}, firmware={"version": "32.48.1000"})
    found = gather(world.host(), wanted)
    assert verdict(found, wanted) == {
        "nvconfig": "differs",
        "firmware": "differs",
        "qos": "differs",
        "roce": "differs",
    }
    converged(world)
    apply_roce(world.host(), wanted)
    world.card.settings["SRIOV_EN"][2] = "True(1)"
    world.card.burned = "32.48.1000"
    assert verdict(gather(world.host(), wanted), wanted) == {
        "nvconfig": "staged",
        "firmware": "staged",
        "qos": "current",
        "roce": "staged",
    }


@pytest.mark.parametrize(
    "running, burned, force, word",
    [
        ("1.2.3", "1.2.3", False, "current"),
        ("1.2.3", "1.2.3", True, "differs"),
        ("1.0.0", "1.2.3", False, "staged"),
        ("1.0.0", "1.2.3", True, "differs"),
        ("1.0.0", "1.0.0", False, "differs"),
    ],
)
def test_firmware_that_is_forced_would_be_written(world, running, burned, force, word):
    world.card.running, world.card.burned = running, burned
    wanted = nics_from([{"pci": PCI, "firmware": {"version": "1.2.3", "force": force}}])
    assert verdict(gather(world.host(), wanted, ["firmware"]), wanted)["firmware"] == word
