# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a collective library has to know, as far as the plan says it."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host import nccl
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    BY_RAIL,
    TWO_PLANES,
    build,
)


def row(rail, plane=0, address="172.16.0.0"):
    name, leaf = f"rail{rail + 1}p{plane + 1}", f"leaf-p{plane + 1}-su001-r{rail + 1}"
    return {
        "rail": rail,
        "plane": plane,
        "name": name,
        "address": address,
        "peer": {"device": leaf},
    }


@pytest.mark.parametrize(
    ("planes", "mode", "crosses"),
    [({}, "none", True), (TWO_PLANES, "split", True), (BY_RAIL, "by-rail", False)],
)
def test_rails_that_do_not_meet_are_not_crossed(planes, mode, crosses):
    found = nccl.facts(build(planes=planes) if planes else build(), [row(0)])
    assert (found["plane_mode"], found["crosses_rails"]) == (mode, crosses)
    assert ("NCCL_CROSS_NIC" in found["env"]) is not crosses


def test_a_rail_is_an_address():
    """A function without one has no RDMA device: the hardware balances its plane."""
    rows = [row(0), row(0, 1, address=None), row(1)]
    found = nccl.facts(build(), rows)["rails"]
    assert [(rail["interface"], rail["leaf"]) for rail in found] == [
        ("rail1p1", "leaf-p1-su001-r1"),
        ("rail2p1", "leaf-p1-su001-r2"),
    ]
