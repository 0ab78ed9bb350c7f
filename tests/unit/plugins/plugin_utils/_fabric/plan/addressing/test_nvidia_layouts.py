# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NVIDIA's published layouts, bit by bit, against octet arithmetic that shares nothing with ours."""

from __future__ import annotations

import ipaddress
import itertools

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    NicPort,
    Node,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    TWO_PLANES,
    build,
)

ROOMY = {"switches": {"host_speed": "200G", "fabric_speed": "200G"}}
"""Leaves of 128 host ports, for the 7-bit slot field."""


def two_tiers(plane, rail, pod, su, host, side):
    assert plane == pod == 0
    return f"172.{16 + 2 * rail}.{su}.{2 * host + side}"


def two_tiers_planes(plane, rail, pod, su, host, side):
    assert pod == 0
    return f"172.{16 + 4 * plane + rail // 4}.{64 * (rail % 4) + su}.{2 * host + side}"


def three_tiers(plane, rail, pod, su, host, side):
    assert plane == 0
    return f"10.{32 * rail + pod}.{su}.{2 * host + side}"


def three_tiers_planes(plane, rail, pod, su, host, side):
    return f"10.{64 * plane + 8 * rail + pod // 4}.{64 * (pod % 4) + su}.{2 * host + side}"


def version_six(plane, rail, pod, su, host, side):
    return f"fd02:00{plane:02x}:{rail:02x}{pod:02x}:{su:02x}{host:02x}::{1 + side}"


def fabric_of(profile, *, planes=1, tiers=2, pods=1, sus=1, slots=64):
    """A fabric with these counts, one rail a leaf, as few SUs per pod as asked."""
    several = {**TWO_PLANES, "count": planes} if planes > 1 else {}
    return build(
        nics={"model": "ConnectX-8"},
        planes=several,
        tiers=tiers,
        capacity={"pods": pods, "sus_per_pod": sus, "slots_per_su": slots},
        addressing={"profile": profile},
    )


CASES = [
    (two_tiers, {"profile": "nvidia-guide-v4-2tier", "sus": 16}),
    (two_tiers_planes, {"profile": "nvidia-guide-v4-2tier", "planes": 2, "sus": 16}),
    (two_tiers_planes, {"profile": "nvidia-guide-v4-2tier", "planes": 4, "sus": 4}),
    (three_tiers, {"profile": "nvidia-guide-v4-3tier", "sus": 16}),
    (three_tiers, {"profile": "nvidia-guide-v4-3tier", "tiers": 3, "pods": 32, "sus": 8}),
    (
        three_tiers_planes,
        {"profile": "nvidia-guide-v4-3tier", "tiers": 3, "planes": 4, "pods": 32, "sus": 8},
    ),
    (version_six, {"profile": "nvidia-guide-v6", "sus": 16}),
    (version_six, {"profile": "nvidia-guide-v6", "planes": 4, "sus": 16}),
    (version_six, {"profile": "nvidia-guide-v6", "tiers": 3, "planes": 2, "pods": 64, "sus": 4}),
]


@pytest.mark.parametrize("published, description", CASES)
def test_bit_exact(published, description):
    """Every plane, rail, pod and SU; the first, some and the last slots; both sides."""
    fabric = fabric_of(**description)
    c, addresses = fabric.clos, fabric.addresses
    slots = sorted({0, 1, 31, c.slots - 1})
    places = itertools.product(
        range(c.planes), range(c.rails), range(c.pods), range(c.sus), slots, (0, 1)
    )
    for plane, rail, pod, su, slot, side in places:
        number = addresses.link(Node(pod, su, slot), NicPort(rail, plane))[side]
        expected = ipaddress.ip_address(published(plane, rail, pod, su, slot, side))
        assert number == int(expected)
        (found,) = addresses.find(number, expected.version)
        assert (found.device, found.port) == (Node(pod, su, slot), NicPort(rail, plane))
        assert (found.kind, found.side) == ("host_link", side)


PUBLISHED = [
    # rail 3, SU 5, host 31 (pod 17, plane 1)
    ("172.22.5.62", {"profile": "nvidia-guide-v4-2tier", "sus": 8}, 0, 0),
    (
        "10.113.5.62",
        {"profile": "nvidia-guide-v4-3tier", "tiers": 3, "pods": 32, "sus": 8},
        0,
        17,
    ),
    (
        "10.92.69.62",
        {"profile": "nvidia-guide-v4-3tier", "tiers": 3, "planes": 2, "pods": 32, "sus": 8},
        1,
        17,
    ),
    (
        "fd02:0001:0311:051f::1",
        {"profile": "nvidia-guide-v6", "tiers": 3, "planes": 2, "pods": 32, "sus": 8},
        1,
        17,
    ),
]


@pytest.mark.parametrize("address, description, plane, pod", PUBLISHED)
def test_published_examples(address, description, plane, pod):
    fabric = fabric_of(**description)
    node, nic = Node(pod, 5, 31), NicPort(3, plane)
    host, _leaf = fabric.addresses.link(node, nic)
    assert host == int(ipaddress.ip_address(address))
    (place,) = fabric.locate(address)
    assert (place["pod"], place["su"], place["slot"], place["rail"], place["plane"]) == (
        pod,
        5,
        31,
        3,
        plane,
    )


@pytest.mark.parametrize(
    "profile, planes, length, leaf",
    [
        ("nvidia-guide-v4-2tier", 1, 31, "172.22.5.63"),
        ("nvidia-guide-v6", 1, 64, "fd02:0:300:51f::2"),
    ],
)
def test_prefix_length_and_gateway(profile, planes, length, leaf):
    fabric = fabric_of(profile, planes=planes, sus=8)
    port = fabric.slice(Node(0, 5, 31))["ports"][3]
    assert (port["length"], port["gateway"]) == (length, leaf)


ROUTES = [
    # rail 3, plane 1 where there are planes; the narrowest first
    ({"profile": "nvidia-guide-v4-2tier"}, ["172.22.0.0/15", "172.16.0.0/12"]),
    ({"profile": "nvidia-guide-v4-2tier", "planes": 2}, ["172.20.192.0/18", "172.20.0.0/14"]),
    ({"profile": "nvidia-guide-v4-3tier"}, ["10.96.0.0/11", "10.0.0.0/8"]),
    ({"profile": "nvidia-guide-v4-3tier", "planes": 2}, ["10.88.0.0/13", "10.64.0.0/10"]),
    # NVIDIA installs fd02::/32, with planes fd02::/24, in the VRF of each rail; a host without VRFs
    # needs its rail's, and nothing of other planes.
    ({"profile": "nvidia-guide-v6"}, ["fd02:0:300::/40", "fd02::/32"]),
    ({"profile": "nvidia-guide-v6", "planes": 2}, ["fd02:1:300::/40", "fd02:1::/32"]),
]


@pytest.mark.parametrize("description, routes", ROUTES)
def test_host_routes(description, routes):
    fabric = fabric_of(**description)
    plane = fabric.clos.planes - 1
    assert fabric.addresses.routes(Node(0, 0, 0), NicPort(3, plane)) == routes


def test_by_rail_hosts_get_the_route_of_their_rail_only():
    fabric = build(
        planes={"count": 8, "mode": "by-rail"}, addressing={"profile": "nvidia-guide-v4-2tier"}
    )
    assert fabric.addresses.routes(Node(0, 0, 0), NicPort(3, 3)) == ["172.22.0.0/15"]


def test_first_octet():
    fabric = build(addressing={"profile": "nvidia-guide-v4-2tier", "first_octet": 11})
    assert fabric.slice(Node(0, 0, 0))["ports"][3]["address"] == "11.22.0.0"


@pytest.mark.parametrize(
    "address",
    [
        "172.17.1.2",  # docker's default bridge: the pad bit is set
        "172.16.64.0",  # SU 64: the field is 8 bits wide but its maximum is 63
        "172.16.4.0",  # SU 4 of a fabric of four
        "172.16.0.128",  # slot 64 of 64
    ],
)
def test_addresses_that_do_not_decode(address):
    fabric = fabric_of("nvidia-guide-v4-2tier", sus=4)
    with pytest.raises(NotInFabric, match=r"172\.16\.0\.0/12"):
        fabric.locate(address)


def test_the_pad_is_checked_in_the_plane_layout_too():
    fabric = fabric_of("nvidia-guide-v4-2tier", planes=4, sus=4)
    with pytest.raises(NotInFabric):
        fabric.locate("172.18.0.0")


def test_hwplb_uses_the_plane_layout_with_plane_zero():
    fabric = build(
        nics={"model": "ConnectX-8"},
        planes={"count": 4, "mode": "split", "balancing": "hwplb"},
        addressing={"profile": "nvidia-guide-v4-2tier"},
    )
    for plane in range(4):
        host, _leaf = fabric.addresses.link(Node(0, 2, 7), NicPort(5, plane))
        assert host == int(ipaddress.ip_address(two_tiers_planes(0, 5, 0, 2, 7, 0)))


def test_two_tiers_may_use_the_three_tier_layout():
    """So that a later third tier renumbers nothing."""
    two = fabric_of("nvidia-guide-v4-3tier", sus=8)
    three = fabric_of("nvidia-guide-v4-3tier", tiers=3, pods=4, sus=8)
    for su in range(8):
        node, nic = Node(0, su, 9), NicPort(2, 0)
        assert two.addresses.link(node, nic) == three.addresses.link(node, nic)


MAXIMA = [
    (
        {"profile": "nvidia-guide-v4-3tier", "tiers": 3, "pods": 33, "sus": 2},
        "pod 32 does not fit the 5-bit pod field of nvidia-guide-v4-3tier (max 31): "
        "use octet-v4 or nvidia-guide-v6",
    ),
    ({"profile": "nvidia-guide-v4-2tier", "tiers": 3, "pods": 2}, "is for 2 tiers, and tiers is 3"),
]


@pytest.mark.parametrize("description, text", MAXIMA)
def test_what_does_not_fit_is_refused(description, text):
    with pytest.raises(FabricError) as caught:
        fabric_of(**description)
    assert text in str(caught.value)


def test_sus_beyond_63_are_refused_in_two_tiers():
    """In every mode, although the single-plane field is eight bits wide."""
    with pytest.raises(FabricError, match=r"su 64 does not fit .* \(max 63\)"):
        build(
            rails=1,
            capacity={"sus_per_pod": 65},
            addressing={"profile": "nvidia-guide-v4-2tier"},
        )


def test_hosts_beyond_127_are_refused():
    with pytest.raises(FabricError, match="slot 128 does not fit the 7-bit slot field"):
        build(
            switches={"host_speed": "200G", "usable_ports": None},
            wiring={"mode": "top-of-rack"},
            capacity={"slots_per_su": 129},
            addressing={"profile": "nvidia-guide-v4-2tier"},
        )


def test_128_slots_fit():
    fabric = build(**ROOMY, capacity={"slots_per_su": 128, "sus_per_pod": 2})
    host, _leaf = fabric.addresses.link(Node(0, 1, 127), NicPort(0, 0))
    assert fabric.addresses.find(host, 4)[0].device == Node(0, 1, 127)
