# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The identity of a device: who and where it is."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.places import (
    coordinates,
    identity,
    pod_of,
    rails_of,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged_cabling import (
    plane_of,
)

from ..fabrics import BY_RAIL, build, example


def test_a_node_knows_its_rack():
    fabric = example("lab")
    found = identity(fabric, fabric.device("worker-su02-rack02-h03"))
    assert (found["fabric"], found["role"], found["su"], found["slot"]) == ("lab", "node", 1, 2)
    assert found["rack"] == 1
    assert "asn" not in found


def test_a_leaf_knows_its_su_and_rails():
    fabric = example("lab")
    found = identity(fabric, fabric.device("leaf-p1-su002-r2"))
    assert (found["plane"], found["su"], found["rails"]) == (0, 1, [1])
    assert found["asn"]
    assert "/" in found["management"]
    assert "/" not in found["loopback"]


def test_a_super_spine_stands_in_a_group():
    fabric = example("lab-3tier")
    top = next(switch for switch in fabric.switches() if switch.role == "super_spine")
    assert coordinates(fabric, top).keys() == {"role", "plane", "group", "index"}


def test_the_rails_of_a_leaf_follow_from_the_wiring():
    assert rails_of(build(planes=BY_RAIL), 3, 0) == [3]
    assert rails_of(
        build(wiring={"mode": "top-of-rack"}, capacity={"slots_per_su": 8}), 0, 1
    ) == list(range(8))
    assert rails_of(build(wiring={"rails_per_leaf": 2}, capacity={"slots_per_su": 32}), 0, 1) == [
        2,
        3,
    ]


def test_the_sites_own_values_come_along():
    fabric = example("brownfield-256")
    found = identity(fabric, fabric.device("tor-a1"))
    assert (found["serial"], found["site_rack"], found["site_unit"]) == ("MT2417XT1001", "N1", "40")
    assert (found["asn"], found["loopback"]) == (65101, "10.41.2.11")
    assert found["management"] == "10.41.1.11/24"


def test_a_device_without_a_pod_or_a_plane_has_no_such_coordinate():
    for name in ("lab-3tier", "lab-converged"):
        fabric = example(name)
        for device in fabric.devices():
            place = coordinates(fabric, device)
            assert place.get("pod") == pod_of(device)
            assert place["role"] == "node" or place.get("plane") == plane_of(device)
