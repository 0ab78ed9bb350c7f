# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The routes of a leaf's VRFs: by rail, collapsed by leaf, by plane, and leaked."""

from __future__ import annotations

import ipaddress

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)

from .test_vrfs import TWO, of


@pytest.mark.parametrize(
    "routes, imports, exports, rails",
    [
        ("exact", ["64512:4000021"], ["64512:4000021"], {0, 1}),
        ("rail", ["64512:14000021"], ["64512:14000021", "64512:4000021"], {0}),
    ],
)
def test_routes_scoped_by_rail(lab, registry, routes, imports, exports, rails):
    """Scoped by rail, a leaf takes the routes of its own rails only."""
    text = f"tenants: [{{id: 21, slug: acme, nodes: ['*/h01'], routes: {routes}}}]"
    row = of(lab, registry(text), "leaf-p1-su001-r1")["acme"]
    assert (row["imports"], row["exports"]) == (imports, exports)
    found = {lab.locate(route.split("/")[0])[0]["rail"] for route in row["routes"]}
    assert found == rails


def test_collapsed_routes_hold_nobody_else(load, registry):
    """Collapsed by leaf, the routes of others cover exactly the tenant's links."""
    fabric = load("h200-2048")
    text = "tenants: [{id: 21, slug: acme, nodes: ['su01/[01-13]', su02/h01], routes: leaf}]"
    row = of(fabric, registry(text, fabric), "leaf-p1-su002-r1")["acme"]
    row["routes"] = [route for route in row["routes"] if not _is_of_su(fabric, route, 2)]
    mine = [ipaddress.ip_network(route) for route in row["routes"]]
    assert sum(network.num_addresses for network in mine) == 13 * 8 * 2
    assert len(row["routes"]) == 8 * 3  # 8 + 4 + 1 nodes
    other, _leaf = fabric.addresses.link(Node(0, 0, 13), next(fabric.cabling.nic_ports()))
    assert not any(ipaddress.ip_address(other) in network for network in mine)


def _is_of_su(fabric, route, number):
    return fabric.locate(route.split("/")[0])[0]["node"].startswith(f"worker-su{number:02}")


def test_collapsed_routes_stand_beside_the_leafs_own_links(load, registry):
    """A leaf announces the fewest prefixes and has its own links besides, each once."""
    fabric = load("h200-2048")
    text = "tenants: [{id: 21, slug: acme, nodes: ['su01/[01-04]', 'su02/[01-04]'], routes: leaf}]"
    routes = of(fabric, registry(text, fabric), "leaf-p1-su001-r1")["acme"]["routes"]
    own = {f"172.16.0.{2 * number}/31" for number in range(4)}
    assert own < set(routes)
    assert len(set(routes)) == len(routes) == 2 * 8 + 4
    lone = registry("tenants: [{id: 21, slug: acme, nodes: [su01/h01], routes: leaf}]", fabric)
    assert len(of(fabric, lone, "leaf-p1-su001-r1")["acme"]["routes"]) == 8


def test_split_planes_are_disjoint(load, registry):
    """A leaf of one plane holds routes of its plane only; each plane holds every rail."""
    fabric = load("b300-4096")
    found = registry("tenants: [{id: 21, slug: acme, nodes: [su01/h01]}]", fabric)
    one = of(fabric, found, "leaf-p1-su001-r1")["acme"]["routes"]
    two = of(fabric, found, "leaf-p2-su001-r1")["acme"]["routes"]
    assert len(one) == len(two) == fabric.clos.rails
    assert not set(one) & set(two)


def test_planes_by_rail(load, registry):
    """By rail, a leaf reaches its own rail only."""
    fabric = load("multiplane-16384")
    found = registry("tenants: [{id: 21, slug: acme, nodes: [su01/h01, su02/h01]}]", fabric)
    assert len(of(fabric, found, "leaf-p1-su001-r1")["acme"]["routes"]) == 2


def test_a_shut_node_causes_no_route(lab, registry):
    """A node whose ports are shut is in no route table."""
    text = TWO + "moving: {su01/h01: {from: acme, to: globex, step: shut}}"
    row = of(lab, registry(text), "leaf-p1-su002-r1")["acme"]
    assert sorted(row["routes"]) == ["172.16.1.0/31", "172.18.1.0/31"]


def test_leaking_goes_both_ways(lab, registry):
    """Check that reachable VRFs import those that may reach them; without leaking nothing is imported."""
    text = TWO.replace("slug: acme,", "slug: acme, shared: [globex],")
    quiet = of(lab, registry(text), "leaf-p1-su002-r1")
    assert quiet["globex"]["imports"] == ["64512:4000022"]
    loud = of(lab, registry("leaking: true\n" + text), "leaf-p1-su002-r1")
    assert loud["acme"]["imports"] == ["64512:4000021", "64512:4000022"]
    assert loud["globex"]["imports"] == ["64512:4000021", "64512:4000022"]
    assert "172.16.1.2/31" in loud["acme"]["routes"]
