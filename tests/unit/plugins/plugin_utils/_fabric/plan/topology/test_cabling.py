# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every cable has two ends, growth moves none, and the laboratory's cage map."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
    Switch,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    BY_RAIL,
    EXAMPLES,
    TWO_PLANES,
    build,
    descriptions,
    example,
)


def ends(fabric, devices=None):
    """Every (device, port) end of the fabric, or of some devices."""
    cabling = fabric.cabling
    for device in devices or [*cabling.switches(), *cabling.nodes()]:
        node = isinstance(device, Node)
        for port in cabling.nic_ports() if node else cabling.ports(device):
            yield device, port


def check_ends(fabric, devices=None):
    """Peer of peer is the start, by coordinates and by names; no end is shared."""
    peers = set()
    for end in ends(fabric, devices):
        other = fabric.cabling.peer(*end)
        assert other is not None, end
        assert fabric.cabling.peer(*other) == end
        assert other not in peers
        peers.add(other)
        assert other[0] != end[0]


def sample(fabric):
    """Devices at both ends and in the middle of each role and pod range."""
    c = fabric.clos
    pods = {0, c.pods // 2, c.pods - 1}
    for plane in sorted({0, c.planes - 1}):
        for pod in pods:
            for index in sorted({0, c.leaves_per_pod // 3, c.leaves_per_pod - 1}):
                yield Switch("leaf", plane, pod, index)
            for index in sorted({0, c.spines - 1}):
                yield Switch("spine", plane, pod, index)
        if c.tiers == 3:
            for group in sorted({0, c.groups - 1}):
                for member in sorted({0, c.members - 1}):
                    yield Switch("super_spine", plane, group, member)
    for pod in pods:
        for su in sorted({0, c.sus - 1}):
            for slot in sorted({0, c.slots // 2, c.slots - 1}):
                yield Node(pod, su, slot)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "max-524288"])
def test_peer_is_an_involution_over_all_ports(name):
    check_ends(example(name))


def test_peer_is_an_involution_on_a_sample_of_the_largest():
    fabric = example("max-524288")
    check_ends(fabric, [*sample(fabric)])


@pytest.mark.parametrize("name", EXAMPLES)
def test_names_of_ports_are_an_involution(name):
    fabric = example(name)
    for device in sample(fabric):
        for _device, port in ends(fabric, [device]):
            text = fabric.port_name(device, port)
            assert fabric.port(device, text) == port
            other, other_port = fabric.peer(device, text)
            assert fabric.peer(other, other_port) == (device, text)


SHAPES = {
    "top-of-rack": {"wiring": {"mode": "top-of-rack"}, "capacity": {"slots_per_su": 20}},
    "two rails a leaf": {"wiring": {"rails_per_leaf": 2}, "capacity": {"slots_per_su": 32}},
    "two planes": {"planes": TWO_PLANES, "capacity": {"sus_per_pod": 2}},
    "by rail": {"planes": BY_RAIL, "capacity": {"sus_per_pod": 3}},
    "by rail, three tiers": {
        "planes": BY_RAIL,
        "tiers": 3,
        "capacity": {"pods": 2, "sus_per_pod": 3},
    },
    "hosts at half speed": {
        "switches": {"host_speed": "200G"},
        "capacity": {"sus_per_pod": 2, "slots_per_su": 127},
    },
    "800G between switches": {
        "switches": {"fabric_speed": "800G"},
        "routing": {"adaptive_routing": False},
        "capacity": {"sus_per_pod": 3, "slots_per_su": 61},
    },
    "three pods": {"tiers": 3, "capacity": {"pods": 3, "sus_per_pod": 2}},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_other_shapes(shape):
    check_ends(build(**SHAPES[shape]))


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(descriptions())
def test_any_fabric_that_loads_is_whole(description):
    try:
        fabric = build(**description)
    except FabricError:
        assume(False)
    check_ends(fabric)
    check_one_to_one(fabric)


def speed(fabric, key):
    return int(getattr(fabric.description.switches, key)[:-1])


def check_one_to_one(fabric):
    """As much bandwidth leaves a switch upwards as enters it from below, and cages suffice."""
    c = fabric.clos
    host, inner = speed(fabric, "host_speed"), speed(fabric, "fabric_speed")
    assert c.leaf_host.count * host <= c.leaf_up.count * inner
    assert c.leaf_up.count == c.spines * c.leaf_links
    assert c.spine_down.count == c.leaves_per_pod * c.leaf_links
    if c.tiers == 3:
        assert c.spine_up.count == c.spine_down.count == c.members * c.spine_links
        assert c.super_down.count == c.pods * c.spine_links
    cages = -(-fabric.description.switches.usable_ports // (800 // host))
    for blocks in (
        [c.leaf_host, c.leaf_up],
        [c.spine_down, c.spine_up],
        [c.super_down],
    ):
        assert sum(block.cages for block in blocks if block.count) <= cages


def test_cage_map_of_the_laboratory():
    fabric = example("lab")
    leaf = Switch("leaf", 0, 0, 0)
    names = {"host": [], "up": []}
    for port in fabric.cabling.ports(leaf):
        names[port.kind].append(fabric.port_name(leaf, port))
    assert names == {
        "host": ["swp1s0", "swp1s1", "swp2s0", "swp2s1"],
        "up": ["swp3s0", "swp3s1", "swp4s0", "swp4s1"],
    }


@pytest.mark.parametrize(
    "device, port, peer, peer_port",
    [
        ("leaf-p1-su001-r1", "swp1s0", "worker-su01-rack01-h01", "rail1p1"),
        ("leaf-p1-su002-r2", "swp2s0", "worker-su02-rack02-h03", "rail2p1"),
        ("leaf-p1-su001-r1", "swp3s0", "spine-p1-s01", "swp1s0"),
        ("leaf-p1-su001-r1", "swp3s1", "spine-p1-s01", "swp1s1"),
        ("leaf-p1-su001-r1", "swp4s0", "spine-p1-s02", "swp1s0"),
        ("leaf-p1-su001-r2", "swp3s0", "spine-p1-s01", "swp2s0"),
        ("leaf-p1-su002-r1", "swp4s1", "spine-p1-s02", "swp3s1"),
    ],
)
def test_cables_of_the_laboratory(device, port, peer, peer_port):
    fabric = example("lab")
    found, found_port = fabric.peer(fabric.device(device), port)
    assert (fabric.name(found), found_port) == (peer, peer_port)


def test_reference_cage_map():
    """Host h at swp(1 + h div 2)s(h mod 2), uplink u at swp(33 + u div 2)s(u mod 2) to spine u/L."""
    fabric = example("h200-2048")
    leaf = Switch("leaf", 0, 0, 8 * 2 + 3)
    for host in range(64):
        port = fabric.port(leaf, f"swp{1 + host // 2}s{host % 2}")
        assert fabric.cabling.peer(leaf, port) == (Node(0, 2, host), (3, 0))
    for up in range(64):
        spine, port = fabric.peer(leaf, f"swp{33 + up // 2}s{up % 2}")
        down = leaf.index * 4 + up % 4
        assert spine == Switch("spine", 0, 0, up // 4)
        assert port == f"swp{1 + down // 2}s{down % 2}"


def test_top_of_rack_host_port():
    """Host port = (node mod n) × rails + rail, all rails of a node on one leaf."""
    fabric = build(wiring={"mode": "top-of-rack"}, capacity={"slots_per_su": 20})
    for slot in range(20):
        for nic in fabric.cabling.nic_ports():
            leaf, index = fabric.cabling.leaf_of(Node(0, 1, slot), nic)
            assert leaf == Switch("leaf", 0, 0, 3 + slot // 8)
            assert index == slot % 8 * 8 + nic.rail


def test_spare_ports_of_the_last_rack():
    fabric = build(wiring={"mode": "top-of-rack"}, capacity={"slots_per_su": 20})
    last = Switch("leaf", 0, 0, 2)
    kinds = [port.kind for port in fabric.cabling.ports(last)]
    assert (kinds.count("host"), kinds.count("up")) == (32, 64)
    assert fabric.peer(last, "swp17s0") is None


def plan_of(fabric):
    """Every cable, name, ASN and address between devices that are built."""
    addresses, made = fabric.addresses, {}
    for device in fabric.devices():
        name = fabric.name(device)
        made[name, "management"] = addresses.management(device)
        if isinstance(device, Switch):
            made[name, "router"] = (
                addresses.asn(device),
                addresses.loopback(device),
                addresses.vtep(device),
            )
        for _device, port in ends(fabric, [device]):
            other = fabric.cabling.peer(device, port)
            if fabric.present(other[0]):
                made[name, fabric.port_name(device, port)] = (
                    fabric.name(other[0]),
                    fabric.port_name(*other),
                )
            if isinstance(device, Node):
                made[name, port] = (
                    addresses.link(device, port),
                    tuple(addresses.routes(device, port)),
                )
    return made


TWO_TIER_STEPS = [
    ["su02", "su03", "su04", "su01/[03-08]"],
    ["su02", "su03", "su04"],
    ["su03", "su04", "su02/h05"],
    ["su04"],
    [],
]
THREE_TIER_STEPS = [
    ["pod02", "pod03", "pod01/su02", "pod01/su01/h04"],
    ["pod02", "pod03", "pod01/su02"],
    ["pod03", "pod02/su01/h[02-04]"],
    ["pod03"],
    ["pod03/su02"],
    [],
]
GROWTH = {
    "two tiers": ({"capacity": {"sus_per_pod": 4, "slots_per_su": 8}}, TWO_TIER_STEPS),
    "two tiers, two planes": (
        {"capacity": {"sus_per_pod": 4, "slots_per_su": 8}, "planes": TWO_PLANES},
        TWO_TIER_STEPS,
    ),
    "three tiers": (
        {"capacity": {"pods": 3, "sus_per_pod": 2, "slots_per_su": 4}, "tiers": 3},
        THREE_TIER_STEPS,
    ),
    "three tiers, NVIDIA's layout, numbered": (
        {
            "capacity": {"pods": 3, "sus_per_pod": 2, "slots_per_su": 4},
            "tiers": 3,
            "addressing": {"profile": "nvidia-guide-v4-3tier", "inter_switch": "numbered-31"},
        },
        THREE_TIER_STEPS,
    ),
}


@pytest.mark.parametrize("case", GROWTH)
def test_growth_moves_nothing(case):
    """Step by step: everything that stood before stands unchanged after."""
    description, steps = GROWTH[case]
    ports = {"usable_ports": 32}
    before = {}
    for absent in steps:
        after = plan_of(build(**description, switches=ports, absent=absent))
        assert before.items() <= after.items()
        assert len(after) > len(before), "the step added nothing"
        before = after


def test_growth_inside_the_capacity_adds_no_spine():
    """The first SU alone has the spines and links of the final fabric."""
    first = build(capacity={"sus_per_pod": 4}, absent=["su02", "su03", "su04"])
    assert first.clos == build(capacity={"sus_per_pod": 4}).clos
    assert sum(1 for switch in first.switches() if switch.role == "spine") == 16


def test_raising_the_capacity_moves_uplinks():
    """Check that a larger capacity moves uplinks: the same leaf meets other spines, so the capacity is stated."""
    small, large = build(capacity={"sus_per_pod": 2}), build(capacity={"sus_per_pod": 4})
    leaf = Switch("leaf", 0, 0, 1)
    moved = [
        port
        for port in small.cabling.ports(leaf)
        if small.cabling.peer(leaf, port) != large.cabling.peer(leaf, port)
    ]
    assert len(moved) > 32


def test_selections():
    fabric = example("lab-3tier")
    assert {s.role for s in fabric.switches(pods=[1])} == {"leaf", "spine"}
    assert {s.role for s in fabric.switches(sus=[0])} == {"leaf"}
    assert {n.pod for n in fabric.nodes(pods=[1])} == {1}
    assert len(list(example("b300-4096").switches(planes=[1]))) == 96


def test_absent_places_take_their_leaves_along():
    fabric = build(capacity={"sus_per_pod": 3}, absent=["su03", "su01/h01"])
    assert not fabric.present(Switch("leaf", 0, 0, 16))
    assert not fabric.present(Node(0, 2, 5))
    assert not fabric.present(Node(0, 0, 0))
    assert fabric.present(Switch("leaf", 0, 0, 0))
    assert sum(1 for dummy in fabric.nodes()) == 2 * 64 - 1


def test_swapped_ports():
    fabric = build(
        swapped_ports=[{"device": "leaf-p1-su001-r1", "ports": ["swp1s0", "swp33s1"]}],
    )
    leaf = Switch("leaf", 0, 0, 0)
    assert fabric.peer(leaf, "swp33s1") == (Node(0, 0, 0), "rail1p1")
    assert fabric.peer(Node(0, 0, 0), "rail1p1") == (leaf, "swp33s1")
    spine, port = fabric.peer(leaf, "swp1s0")
    assert fabric.peer(spine, port) == (leaf, "swp1s0")
    names = [row["port"] for row in fabric.slice(leaf)["ports"]]
    assert len(set(names)) == 128
