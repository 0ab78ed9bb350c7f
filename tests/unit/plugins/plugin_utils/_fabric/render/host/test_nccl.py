# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of a node for NCCL, which follow from the plan."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.nccl import (
    facts,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    BY_RAIL,
    TWO_PLANES,
    build,
)

SUS = {"sus_per_pod": 2}
STACK = {"ra": "2.1.2", "nccl": ["2.29.2"], "hpcx": []}


@pytest.mark.parametrize(
    "planes, crosses, described",
    [
        ({}, True, (1, "none")),
        (TWO_PLANES, True, (2, "split")),
        (BY_RAIL, False, (8, "by-rail")),
    ],
)
def test_rails_that_are_planes_are_not_crossed(planes, crosses, described):
    found = facts(build(planes=planes, capacity=SUS), STACK)
    assert (found["planes"], found["plane_mode"]) == described
    assert found["crosses_rails"] is crosses
    assert found["env"].get("NCCL_CROSS_NIC") == (None if crosses else "0")
    assert found["env"]["NCCL_IB_TC"] == "96"
    assert found["versions"] == STACK


def test_the_balancing_is_that_of_the_description():
    for balancing in ("swplb", "hwplb"):
        nics = {"model": "ConnectX-8"}
        planes = {**TWO_PLANES, "balancing": balancing}
        found = facts(build(nics=nics, planes=planes, capacity=SUS), STACK)
        assert found["balancing"] == balancing
