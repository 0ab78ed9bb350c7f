# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The algorithm of congestion control that runs for a card."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import (
    nics_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.runtime import (
    apply_roce,
)

from ..one_card import ROCE

PCI = "0000:1a:00.0"


def nics(**parts):
    return nics_from([{"pci": PCI, "device": "a2dc", **parts}])


@pytest.mark.parametrize(
    "state, words",
    [
        ("standby", "did not become active within 60 s, it is standby"),
        (None, "doca_spcx_cc does not run for this device"),
    ],
)
def test_congestion_control_must_be_active(world, state, words):
    if state:
        world.algorithm(state)
    with pytest.raises(NicError, match=words):
        apply_roce(world.host(), nics(roce=ROCE), sections=["cc"])
    assert world.card.writes == []


def test_two_instances_are_refused(world):
    world.algorithm(pid=1)
    world.algorithm(pid=2)
    with pytest.raises(NicError, match="2 instances of doca_spcx_cc serve this device"):
        apply_roce(world.host(), nics(roce=ROCE), sections=["cc"])
