# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches that take over the traffic of a drained one."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan import redundancy
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
)


@pytest.mark.parametrize(
    ("example", "name", "others"),
    [
        ("lab", "spine-p1-s01", ["spine-p1-s02"]),
        ("lab", "leaf-p1-su001-r1", []),
        ("b300-4096", "leaf-p2-su001-r3", ["leaf-p1-su001-r3"]),
    ],
)
def test_by_role(load, example, name, others):
    fabric = load(example)
    found = list(redundancy.of_switch(fabric, fabric.known(name)))
    assert [fabric.name(switch) for switch in found] == others


def test_each_is_of_the_same_tier_and_relays_as_it_does(load):
    """The last spine that relays EVPN routes is replaced by no other: tenants would lose their routes."""
    fabric = load("max-524288")
    relays, tiers = fabric.cabling.relays_evpn, {}
    for switch in fabric.cabling.switches(planes=[0]):
        if switch.pod < 2 and switch.role != "leaf":
            tiers.setdefault((switch.role, relays(switch)), switch)
    assert len(tiers) == 4
    for (role, relaying), switch in tiers.items():
        found = list(redundancy.of_switch(fabric, switch))
        assert found
        assert switch not in found
        assert {(other.role, other.plane) for other in found} == {(role, switch.plane)}
        assert all(relays(other) for other in found) or not relaying
        assert len({other.pod for other in found}) == 1 or role == "super_spine"


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("front-end-leaf-001-1", ["front-end-leaf-001-2"]),
        ("converged-spine-s02", ["converged-spine-s01"]),
    ],
)
def test_on_the_converged_fabric_it_is_the_pair_and_the_other_spines(load, name, others):
    fabric = load("lab-converged")
    assert [fabric.name(one) for one in redundancy.of_switch(fabric, fabric.known(name))] == others


def test_a_leaf_of_nodes_with_one_port_has_no_stand_in():
    front = {"host_speed": "200G", "ports_per_node": 1}
    fabric = build(networks={"front_end": front})
    assert not list(redundancy.of_switch(fabric, fabric.known("front-end-leaf-001-1")))
