# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host in every layout of addresses and planes: its routes, its PCI functions, its one address."""

from __future__ import annotations

import functools
import ipaddress
import itertools

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.interfaces import (
    LiveState,
    by_hop,
    interfaces_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.network import differences
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.description import (
    Description,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.load import (
    typed,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.yaml_source import (
    Source,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import (
    profiles,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.desired import (
    desired,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.interfaces import (
    rows,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    BY_RAIL,
    INVENTORIES,
    TWO_PLANES,
    build,
)

PCI = [f"0000:{bus:02x}:00.0" for bus in range(0x18, 0x20)]
FIRST = Node(0, 0, 0)
HWPLB = {**TWO_PLANES, "balancing": "hwplb"}
PLANES = {
    "one": {},
    "two": TWO_PLANES,
    "four": {**TWO_PLANES, "count": 4},
    "eight": {**TWO_PLANES, "count": 8},
    "hardware": HWPLB,
    "by-rail": BY_RAIL,
    "four by rail": {**BY_RAIL, "count": 4},
}
COMPUTED = [name for name in profiles.names() if name not in ("custom", "table")]
CUSTOM = {
    "base": "10.64.0.0/12",
    "link_length": 31,
    "fields": [
        {"name": name, "width": width}
        for name, width in (("su", 8), ("rail", 3), ("slot", 8), ("side", 1))
    ],
}


TOO_MANY = [
    ("nvidia-guide-v4-2tier", "eight"),
    ("nvidia-guide-v4-3tier", "eight"),
    ("nvidia-guide-v4-3tier", "by-rail"),
]
"""Planes for what the profile, or the infrastructure blocks beside it, can number."""


@functools.cache
def fabric_of(profile, mode):
    """A two-tier fabric of two SUs in a profile and a plane mode; of a table the example."""
    if profile == "table":
        return of_table()
    rails = 4 if mode == "four by rail" else 8
    return build(
        nics={"model": "ConnectX-9" if mode == "eight" else "ConnectX-8", "pci": PCI[:rails]},
        rails=rails,
        planes=PLANES[mode],
        capacity={"sus_per_pod": 2},
        addressing={"profile": profile},
        site_profiles=["ours.yml"] if mode == "eight" else [],
    )


def of_table():
    path = INVENTORIES / "brownfield-256" / "model" / "fabric.yml"
    described = yaml.safe_load(path.read_text())
    described["nics"]["pci"] = PCI[: described["rails"]]
    source = Source(str(path), described, {})
    return Fabric(typed(Description, source), source)


LAYOUTS = [
    (profile, mode)
    for profile, mode in itertools.product(COMPUTED, PLANES)
    if (profile, mode) not in TOO_MANY
] + [("table", "one")]
"""Every shipped profile in every plane mode that it carries."""


def ends(fabric):
    """The first and the last node of the capacity."""
    c = fabric.clos
    return Node(0, 0, 0), Node(c.pods - 1, c.sus - 1, c.slots - 1)


def rows_of(fabric, node=FIRST):
    return rows(fabric, fabric.slice(node), table_base=1000)


def bearing(fabric, node=FIRST):
    """The ports that bear an address."""
    return [row for row in rows_of(fabric, node) if row.get("address")]


@pytest.mark.parametrize("profile, mode", LAYOUTS)
def test_no_two_routes_of_a_node_collide(profile, mode):
    """The kernel has one route for a destination, table and metric; IPv6 merges a second into it."""
    fabric = fabric_of(profile, mode)
    for node in ends(fabric):
        found = [
            key
            for row in bearing(fabric, node)
            for route in row["routes"]
            for key in ((route["to"], "main", route["metric"]), (route["to"], row["table"], None))
        ]
        assert found
        assert len(set(found)) == len(found)


@pytest.mark.parametrize("profile, mode", LAYOUTS)
def test_no_route_leaves_its_plane_and_the_first_none_its_rail(profile, mode):
    """Planes are disjoint, so are rails where they are planes; else a wider route joins the rails."""
    fabric = fabric_of(profile, mode)
    nodes = [bearing(fabric, node) for node in ends(fabric)]
    disjoint = fabric.clos.by_rail
    for row in itertools.chain(*nodes):
        prefixes = [ipaddress.ip_network(route["to"]) for route in row["routes"]]
        for other in itertools.chain(*nodes):
            covered = [ipaddress.ip_address(other["address"]) in prefix for prefix in prefixes]
            if other["plane"] != row["plane"] or (disjoint and other["rail"] != row["rail"]):
                assert not any(covered), (row, other)
            elif other["rail"] != row["rail"]:
                assert not covered[0], (row, other)
            else:
                assert any(covered), (row, other)


@pytest.mark.parametrize("profile, mode", LAYOUTS[:-1])  # a table has prefixes of rails alone
def test_the_rail_wins_over_the_plane(profile, mode):
    fabric = fabric_of(profile, mode)
    for row in bearing(fabric):
        lengths = [ipaddress.ip_network(route["to"]).prefixlen for route in row["routes"]]
        assert lengths == sorted(lengths, reverse=True)
        assert len(lengths) == (1 if fabric.clos.by_rail else 2)


def test_routes_of_a_layout_without_a_leading_rail_differ_by_their_metric():
    fabric = build(
        nics={"model": "ConnectX-8", "pci": PCI}, addressing={"profile": "custom", "custom": CUSTOM}
    )
    found = [route for row in bearing(fabric) for route in row["routes"]]
    assert {route["to"] for route in found} == {"10.64.0.0/12"}
    assert len({route["metric"] for route in found}) == 8


def kernel(wanted):
    """Live state after the files are applied, as iproute2 tells it: equal routes are one of many hops."""
    laid = {}
    for one in wanted:
        for route in one.routes:
            for table, metric in (("main", route.metric), (str(one.table), 1024)):
                key = (route.to, table, metric)
                laid.setdefault(key, []).append({"gateway": one.gateway, "dev": one.name})
    routes = [
        {"dst": to, "table": table, "metric": metric, **(hops[0] if len(hops) == 1 else {"nexthops": hops})}
        for (to, table, metric), hops in laid.items()
    ]  # fmt: skip
    links = {
        one.name: {
            "flags": ["UP"],
            "mtu": one.mtu,
            "addr_info": [{"local": one.address, "prefixlen": one.length, "scope": "global"}]
            if one.address
            else [{"local": "fe80::1", "prefixlen": 64, "scope": "link"}],
        }
        for one in wanted
    }
    rules = tuple({"src": one.address, "table": str(one.table)} for one in wanted if one.address)
    return LiveState(links, by_hop(routes), rules, {one.pci: one.name for one in wanted})


@pytest.mark.parametrize("profile, mode", LAYOUTS)
def test_a_host_converges(profile, mode):
    """Check that the kernel's state by the files is the wanted one, so that a second run changes nothing."""
    wanted = interfaces_from(rows_of(fabric_of(profile, mode)))
    assert differences(kernel(wanted), wanted) == {}


# PCI functions


@pytest.mark.parametrize(
    "mode, functions",
    [("one", "0"), ("two", "01"), ("four", "0123"), ("hardware", "01"), ("by-rail", "0")],
)
def test_a_function_is_the_number_of_the_port_on_its_nic(mode, functions):
    found = rows_of(fabric_of("octet-v4", mode))
    expected = [f"{pci[:-1]}{number}" for pci in PCI for number in functions]
    assert [row["pci"] for row in found] == expected


# One address for all planes of a NIC


def test_one_address_stands_on_the_first_port_alone():
    fabric = fabric_of("nvidia-guide-v4-2tier", "hardware")
    found = rows_of(fabric)
    assert [row["name"] for row in found if row.get("address")] == [
        f"rail{n}p1" for n in range(1, 9)
    ]
    assert set(found[1]) == {"name", "card", "pci", "rail", "plane", "mtu", "peer"}
    assert found[1]["peer"]["device"] == "leaf-p2-su001-r1"
    (one, two) = interfaces_from(found[:2])
    assert (one.address, two.address, two.mtu) == ("172.16.0.0", "", 9166)


def test_the_whole_desired_state_of_hardware_planes():
    fabric = fabric_of("nvidia-guide-v4-2tier", "hardware")
    found = desired(fabric, fabric.name(FIRST), registry=Registry.empty(fabric))
    assert [port["netdev"] for port in found["nics"][0]["ports"]] == ["rail1p1", "rail1p2"]
    assert {port["mtu"] for port in found["nics"][0]["ports"]} == {9166}
    assert found["fabric_prefixes"] == ["172.16.0.0/14"]


@pytest.mark.parametrize(
    ("planes", "names"),
    [
        ({}, ["roce_r0", "roce_r1"]),
        (BY_RAIL, ["roce_r0", "roce_r1"]),
        (TWO_PLANES, ["roce_r0_p0", "roce_r0_p1", "roce_r1_p0"]),
        (HWPLB, ["roce_r0", None, "roce_r1"]),
    ],
)
def test_rdma_devices_have_nvidia_s_names_where_that_is_wanted(planes, names):
    """The names of k8s-launch-kit: eth_rR_pP has roce_rR, or roce_rR_pP with an RDMA device for each plane."""
    parts = {"planes": planes} if planes else {}
    nics = {"model": "ConnectX-8", "pci": PCI}
    fabric = build(nics={**nics, "rdma_names": "nvidia"}, **parts)
    found = rows(fabric, fabric.slice(FIRST), table_base=1000)
    assert [row.get("rdma") for row in found][: len(names)] == names
    named = [row["rdma"] for row in found if "rdma" in row]
    assert len({*named}) == len(named)
    assert interfaces_from(found)[0].rdma == names[0]
    kept = build(nics=nics, **parts)
    assert not any("rdma" in row for row in rows(kept, kept.slice(FIRST), table_base=1000))
