# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The published counts, one row each."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    BY_RAIL,
    TWO_PLANES,
    build,
    example,
)

TWO_TIERS = [
    # SUs, GPUs, leaves, spines, links of a leaf-spine pair
    (1, 512, 8, 4, 16),
    (2, 1024, 16, 8, 8),
    (4, 2048, 32, 16, 4),
    (8, 4096, 64, 32, 2),
    (16, 8192, 128, 64, 1),
]

THREE_TIERS = [
    # pods of 8 SUs, GPUs, leaves, spines, super-spines, links of a spine-super-spine pair
    (2, 8192, 128, 128, 64, 64),
    (4, 16384, 256, 256, 128, 32),
    (16, 65536, 1024, 1024, 512, 8),
    (32, 131072, 2048, 2048, 1024, 4),
    (64, 262144, 4096, 4096, 2048, 2),
    (128, 524288, 8192, 8192, 4096, 1),
]

# SUs of one pod: spines in two tiers, spines in three tiers (k = 128, 8 rails)
UNEVEN_SIZES = [(3, 16, 32), (5, 32, 64), (6, 32, 64), (7, 32, 64)]


def pods_of(number, sus=8):
    return {"pods": number, "sus_per_pod": sus}


@pytest.mark.parametrize("sus, gpus, leaves, spines, links", TWO_TIERS)
def test_two_tiers(sus, gpus, leaves, spines, links):
    clos = build(capacity={"sus_per_pod": sus}).clos
    assert clos.gpus == gpus
    assert clos.nodes == gpus // 8
    assert clos.switches() == {"leaf": leaves, "spine": spines, "super_spine": 0}
    assert clos.leaf_links == links


@pytest.mark.parametrize("pods, gpus, leaves, spines, tops, links", THREE_TIERS)
def test_three_tiers(pods, gpus, leaves, spines, tops, links):
    clos = build(tiers=3, capacity=pods_of(pods)).clos
    assert clos.gpus == gpus
    assert clos.switches() == {"leaf": leaves, "spine": spines, "super_spine": tops}
    assert (clos.leaf_links, clos.spine_links) == (1, links)
    assert clos.groups == 64


def test_the_largest_has_64_groups_of_64():
    clos = example("max-524288").clos
    assert (clos.groups, clos.members, sum(clos.switches().values())) == (64, 64, 20_480)


@pytest.mark.parametrize("sus, two, three", UNEVEN_SIZES)
def test_spines_are_the_smallest_divisor(sus, two, three):
    assert build(capacity={"sus_per_pod": sus}).clos.spines == two
    assert build(tiers=3, capacity=pods_of(2, sus)).clos.spines == three


@pytest.mark.parametrize("pods, members", [(1, 1), (3, 2), (5, 4), (7, 4), (33, 32), (127, 64)])
def test_odd_numbers_of_pods(pods, members):
    clos = build(tiers=3, capacity=pods_of(pods)).clos
    assert clos.members == members
    assert clos.super_down.count == pods * clos.spine_links <= 128


def test_a_2048_gpu_cluster_has_48_switches():
    assert sum(example("h200-2048").clos.switches().values()) == 48


def test_twin_planes_of_64_node_sus():
    """64 leaves and 32 spines in each of two planes for 4,096 GPUs."""
    clos = example("b300-4096").clos
    assert (clos.gpus, clos.slots, clos.planes) == (4096, 64, 2)
    assert clos.switches() == {"leaf": 2 * 64, "spine": 2 * 32, "super_spine": 0}


def test_eight_planes_by_rail_of_64_ports():
    clos = example("multiplane-16384").clos
    assert clos.gpus == 16_384
    assert clos.switches() == {"leaf": 8 * 64, "spine": 8 * 32, "super_spine": 0}
    assert sum(clos.switches().values()) == 768


def test_eight_planes_by_rail_of_128_ports():
    clos = build(planes=BY_RAIL, capacity={"sus_per_pod": 128}).clos
    assert clos.gpus == 65_536
    assert clos.switches() == {"leaf": 8 * 128, "spine": 8 * 64, "super_spine": 0}


def test_three_tiers_of_64_ports():
    """k = 64: 65,536 endpoints on 5,120 switches."""
    clos = build(
        tiers=3,
        switches={"usable_ports": 64},
        capacity={"pods": 64, "sus_per_pod": 4, "slots_per_su": 32},
    ).clos
    assert clos.gpus == 65_536
    assert sum(clos.switches().values()) == 5120


@pytest.mark.parametrize("k", [4, 8, 16, 32, 64, 128])
def test_ceilings(k):
    """k²/2 GPUs in two tiers and k³/4 in three, and not one SU more."""
    half = k // 2
    rails = min(8, half)
    common = {"rails": rails, "switches": {"usable_ports": k}}
    two = {"sus_per_pod": k // rails, "slots_per_su": half}
    three = {"pods": k, "sus_per_pod": half // rails, "slots_per_su": half}
    assert build(**common, capacity=two).clos.gpus == k * k // 2
    clos = build(**common, tiers=3, capacity=three).clos
    assert clos.gpus == k**3 // 4
    assert sum(clos.switches().values()) == 5 * k * k // 4
    for tiers, capacity in ((2, two), (3, three)):
        most = capacity["sus_per_pod"]
        with pytest.raises(FabricError, match=f"use {most} or fewer"):
            build(**common, tiers=tiers, capacity={**capacity, "sus_per_pod": most + 1})
    with pytest.raises(FabricError, match=f"use {half} or fewer"):
        build(**common, capacity={**two, "slots_per_su": half + 1})
    with pytest.raises(FabricError, match=f"use {k} or fewer"):
        build(**common, tiers=3, capacity={**three, "pods": k + 1})


# Host speed, fabric speed, breakouts, slots, uplinks, spines for 4 SUs
SPEEDS = [
    ("400G", "400G", (2, 2), 64, 64, 16),
    ("200G", "400G", (4, 2), 128, 64, 16),
    ("200G", "200G", (4, 4), 128, 128, 16),
    ("400G", "200G", (2, 4), 64, 128, 16),
    ("400G", "800G", (2, 1), 64, 32, 16),
    ("800G", "400G", (1, 2), 32, 64, 16),
    ("800G", "800G", (1, 1), 32, 32, 16),
    ("800G", "200G", (1, 4), 32, 128, 16),
]


@pytest.mark.parametrize("host, fabric, breakouts, slots, uplinks, spines", SPEEDS)
def test_mixed_speeds(host, fabric, breakouts, slots, uplinks, spines):
    clos = build(
        switches={"host_speed": host, "fabric_speed": fabric},
        routing={"adaptive_routing": fabric != "800G"},
        nics={"model": "ConnectX-8"},
        capacity={"slots_per_su": slots},
        addressing={"profile": "octet-v4"},
    ).clos
    assert (clos.leaf_host.breakout, clos.leaf_up.breakout) == breakouts
    assert (clos.leaf_host.count, clos.leaf_up.count) == (slots, uplinks)
    assert clos.spines == spines
    down = clos.leaf_host.count * int(host[:-1])
    assert down <= clos.leaf_up.count * int(fabric[:-1]), "the leaf is oversubscribed"


def test_an_odd_share_rounds_the_uplinks_up():
    clos = build(
        switches={"host_speed": "200G", "fabric_speed": "400G"}, capacity={"slots_per_su": 5}
    ).clos
    assert clos.leaf_up.count == 3
    assert clos.leaf_up.first == 1 + 2


@pytest.mark.parametrize("rails_per_leaf, leaves", [(1, 8), (2, 4), (4, 2), (8, 1)])
def test_rails_that_share_a_leaf(rails_per_leaf, leaves):
    clos = build(
        wiring={"rails_per_leaf": rails_per_leaf},
        capacity={"slots_per_su": 64 // rails_per_leaf},
    ).clos
    assert clos.leaves_per_su == leaves
    assert clos.leaf_host.count == 64


def test_top_of_rack():
    """A leaf takes as many whole nodes as its host ports hold."""
    clos = build(wiring={"mode": "top-of-rack"}, capacity={"slots_per_su": 20}).clos
    assert (clos.nodes_per_leaf, clos.leaves_per_su, clos.leaf_host.count) == (8, 3, 64)


def test_top_of_rack_with_few_nodes():
    """No ports, and no uplinks for them, beyond the nodes that there are."""
    clos = build(wiring={"mode": "top-of-rack"}, capacity={"slots_per_su": 5}).clos
    assert (clos.nodes_per_leaf, clos.leaves_per_su, clos.leaf_host.count) == (5, 1, 40)
    assert clos.leaf_up.count == 40


def test_nvl72_racks():
    """Four rails, SUs of three racks with 18 trays each."""
    clos = build(rails=4, capacity={"slots_per_su": 54, "nodes_per_rack": 18}).clos
    assert clos.leaves_per_su == 4
    assert clos.leaf_host.count == clos.leaf_up.count == 54


def test_planes_multiply_switches_only():
    one, two = build(), build(planes=TWO_PLANES)
    assert two.clos.gpus == one.clos.gpus
    assert two.clos.switches() == {role: 2 * n for role, n in one.clos.switches().items()}
