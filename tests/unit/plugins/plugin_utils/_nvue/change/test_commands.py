# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of changes: what a person would type, in the order in which people count."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import commands
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.ranges import expand
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import Change


@pytest.mark.parametrize(
    "names, expected",
    [
        (["swp1"], ["swp1"]),
        (["swp10", "swp2", "swp1", "swp3"], ["swp1-3", "swp10"]),
        ([f"swp{n}s{m}" for n in (9, 10, 11) for m in (0, 1)], ["swp9-11s0-1"]),
        (["swp1s0", "swp1s1", "swp2s0"], ["swp1s0-1", "swp2s0"]),
        (["swp1", "swp1s0", "swp2s0", "swp2"], ["swp1-2", "swp1-2s0"]),
        (["lo", "eth0", "eth1", "vlan10", "vlan11"], ["eth0", "eth1", "lo", "vlan10", "vlan11"]),
        (["swp01", "swp02"], ["swp01", "swp02"]),
        (["swp", "7"], ["7", "swp"]),
    ],
)
def test_ports_are_joined_as_nvue_writes_ranges(names, expected):
    assert commands.folded(names) == expected


@pytest.mark.parametrize("cages, lanes", [(64, 2), (5, 4), (1, 8)])
def test_a_range_stands_for_exactly_its_ports(cages, lanes):
    """The reader of ranges is the one for what a switch answers."""
    ports = {f"swp{n}s{m}" for n in range(1, cages + 1) for m in range(lanes)} - {"swp3s1"}
    (line,) = commands.lines([{"path": f"interface/{port}/type", "set": "swp"} for port in ports])
    names = line.place.split("/")[1].split(",")
    assert len(names) < 5
    read = expand({"interface": {name: {"type": "swp"} for name in names}})["interface"]
    assert set(read) == ports


@pytest.mark.parametrize(
    "path, value, expected",
    [
        ("system/hostname", "leaf-01", "nv set system hostname leaf-01"),
        ("system/hostname", None, "nv unset system hostname"),
        (
            "interface/lo/ipv4/address/10.0.0.1%2F32",
            {},
            "nv set interface lo ipv4 address 10.0.0.1/32",
        ),
        ("interface/swp1/description", "to a; b", "nv set interface swp1 description 'to a; b'"),
        ("interface/swp1/link/mtu", 9216, "nv set interface swp1 link mtu 9216"),
        ("system/x", "a\nb", '# by nv config patch: system x = "a\\nb"'),
        ("system/x", ["a"], '# by nv config patch: system x = ["a"]'),
    ],
)
def test_a_command(path, value, expected):
    (line,) = commands.lines([{"path": path, "set": value}])
    assert line == (expected, path, "")


def test_people_count_10_20_100_and_what_goes_is_first():
    found = [{"path": f"router/policy/route-map/A/rule/{n}/x", "set": 1} for n in (100, 20, 10)]
    found.append({"path": "router/policy/route-map/Z", "set": None, "before": {}})
    assert [line.command.split()[-2] for line in commands.lines(found)][1:] == ["x"] * 3
    assert [line.place for line in commands.lines(found)] == [
        "router/policy/route-map/Z",
        *(f"router/policy/route-map/A/rule/{n}/x" for n in (10, 20, 100)),
    ]


def test_ports_with_another_value_before_stay_apart():
    rows = [{"path": f"interface/swp{n}/link/mtu", "set": 9216, "before": 1500} for n in (1, 2)]
    rows.append({"path": "interface/swp3/link/mtu", "set": 9216})
    assert [(line.place, line.was) for line in commands.lines(rows)] == [
        ("interface/swp1-2/link/mtu", "1500"),
        ("interface/swp3/link/mtu", ""),
    ]


@pytest.mark.parametrize(
    "path, title",
    [
        ("interface/swp1/link/mtu", "Links and breakouts"),
        ("interface/swp1/ip/address/10.0.0.1%2F31", "Addresses"),
        ("interface/swp1/type", "Interfaces"),
        ("interface/swp1", "Interfaces"),
        ("vrf/t21-acme/router/bgp/rd", "BGP"),
        ("vrf/router/evpn/vni/5001", "VRFs"),
        ("router/policy/route-map/A", "Route policies"),
        ("system/aaa/user/a", "Accounts"),
        ("maintenance/unit/x", "maintenance"),
    ],
)
def test_each_feature_has_a_heading(path, title):
    assert list(commands.by_feature([{"path": path, "set": None}])) == [title]


def test_headings_without_a_row_come_last():
    titles = ["zebra", *(title for _glob, title in commands.FEATURES), "maintenance"]
    assert sorted(titles, key=commands.order)[-2:] == ["maintenance", "zebra"]
    assert sorted(titles, key=commands.order)[0] == "Accounts"


def test_secrets_are_in_no_row():
    path = ("system", "aaa", "user", "ops", "hashed-password")
    sets = {"system": {"aaa": {"user": {"ops": {"hashed-password": "$6$canary"}}}}}
    community = {"system": {"snmp-server": {"readonly-community": {"canary": None}}}}
    made = commands.rows(community, sets, [Change(path, "$6$canary-old", "$6$canary")])
    assert "canary" not in str(made) + str(commands.lines(made))
    assert [row["set"] for row in made] == [None, "********"]
