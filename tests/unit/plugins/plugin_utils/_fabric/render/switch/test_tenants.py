# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants' part of a switch's document."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.paths import Globs
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import (
    get,
    leaves,
)

ALL = (
    "tenants:\n"
    "  - {id: 21, slug: acme, nodes: [su01/h01]}\n"
    "rest: [{nodes: [su01/h02, su02/h02], acceptance: burn-in}]\n"
)


def document(fabric, text=ALL, name="leaf-p1-su001-r1"):
    """Return the tenants' part of a switch."""
    registry = Registry.parse(fabric, text)
    return compose.document(fabric, name, ["tenants"], tenants=registry)


def test_a_customer_port(load):
    """VRF, address, up; and no access list."""
    assert document(load())["interface"]["swp1s0"] == {
        "vrf": "t21-acme",
        "link": {"state": {"up": {}}},
        "ipv4": {"address": {"172.16.0.1/31": {}}},
    }


def test_a_customer_vrf(load):
    """L3VNI, RD, explicit route targets, type 5 from connected routes, aspath-ignore."""
    vrf = document(load())["vrf"]["t21-acme"]
    assert vrf["evpn"] == {"state": "enabled", "vni": {"4000021": {}}}
    bgp = vrf["router"]["bgp"]
    assert bgp["rd"].endswith(":21")
    assert bgp["path-selection"] == {"multipath": {"aspath-ignore": "enabled"}}
    assert bgp["route-export"] == {"to-evpn": {"route-target": {"64512:4000021": {}}}}
    assert bgp["route-import"] == {"from-evpn": {"route-target": {"64512:4000021": {}}}}
    unicast = bgp["address-family"]["ipv4-unicast"]
    assert unicast["redistribute"] == {"connected": {"state": "enabled"}}
    assert unicast["route-export"] == {"to-evpn": {"state": "enabled"}}


def test_quarantine_exports_nothing(load):
    """Its VRF has neither EVPN nor BGP, and its hosts reach only the leaf's own address."""
    made = document(load(), "tenants: []")
    assert made["vrf"] == {"t1-quarantine": {"table": "auto"}}
    port = made["interface"]["swp1s0"]
    assert port["acl"] == {"spx-tenant-swp1s0": {"inbound": {}}}
    rules = made["acl"]["spx-tenant-swp1s0"]["rule"]
    assert [get(rule, ("match", "ip", "dest-ip")) for rule in rules.values()] == [
        "172.16.0.1/32",
        "ANY",
    ]
    assert [list(rule["action"]) for rule in rules.values()] == [["permit"], ["deny"]]


def test_rest_reaches_its_acceptance_group(load):
    """The group's links on every rail, and no others."""
    made = document(load())
    assert list(made["interface"]["swp1s1"]["acl"]) == ["spx-tenant-rest-burn-in"]
    rules = made["acl"]["spx-tenant-rest-burn-in"]["rule"]
    assert [get(rule, ("match", "ip", "dest-ip")) for rule in rules.values()] == [
        "172.16.0.2/31",
        "172.16.1.2/31",
        "172.18.0.2/31",
        "172.18.1.2/31",
        "ANY",
    ]


def test_rest_without_a_group_reaches_itself(load):
    """A moving node in rest of no group is alone."""
    text = "moving: {su01/h01: {from: quarantine, to: rest, step: rest}}"
    rules = document(load(), text)["acl"]["spx-tenant-swp1s0"]["rule"]
    assert [get(rule, ("match", "ip", "dest-ip")) for rule in rules.values()] == [
        "172.16.0.0/31",
        "172.18.0.0/31",
        "ANY",
    ]


def test_the_absent_node(load):
    """A port without a node is down, in no tenant's VRF, and has no address."""
    assert document(load())["interface"]["swp2s1"] == {
        "vrf": "t1-quarantine",
        "link": {"state": {"down": {}}},
    }


def test_out_of_service(load):
    """A port out of service keeps its VRF and is down."""
    resting = [
        {
            "device": "worker-su01-rack01-h01",
            "port": "rail1p1",
            "since": "2026-01-01",
            "reason": "dead",
        }
    ]
    made = document(load(out_of_service=resting))
    assert made["interface"]["swp1s0"]["link"] == {"state": {"down": {}}}
    assert made["interface"]["swp1s0"]["vrf"] == "t21-acme"


@pytest.mark.parametrize("step", ["shut", "quarantine", "withdraw"])
def test_shut_while_the_old_tenant_forgets(load, step):
    """The ports of a moving node are down until the old tenant's routes are gone."""
    text = ALL + f"moving: {{su01/h01: {{from: acme, to: rest, step: {step}}}}}"
    port = document(load(), text)["interface"]["swp1s0"]
    assert port["link"] == {"state": {"down": {}}}
    assert port["vrf"] == ("t21-acme" if step == "shut" else "t1-quarantine")


def test_collapsed_by_leaf(load):
    """Leaf prefixes are blackholes that are redistributed in place of the connected links."""
    fabric = load("h200-2048")
    text = "tenants: [{id: 21, slug: acme, nodes: ['su01/[01-04]'], routes: leaf}]"
    router = document(fabric, text)["vrf"]["t21-acme"]["router"]
    assert list(router["static"]) == ["172.16.0.0/29"]
    assert get(router["static"], ("172.16.0.0/29", "via", "blackhole", "type")) == "blackhole"
    unicast = router["bgp"]["address-family"]["ipv4-unicast"]
    assert unicast["redistribute"] == {"static": {"state": "enabled"}}


def test_ipv6(load):
    """IPv6 profiles: ipv6-unicast, no router advertisements, neighbour discovery still passes."""
    fabric = load(addressing={"profile": "nvidia-guide-v6"})
    made = document(fabric)
    port = made["interface"]["swp1s0"]
    assert "ipv4" not in port
    assert port["ipv6"]["neighbor-discovery"] == {"router-advertisement": {"state": "disabled"}}
    assert next(iter(port["ipv6"]["address"])).endswith("/64")
    assert "ipv6-unicast" in made["vrf"]["t21-acme"]["router"]["bgp"]["address-family"]
    acl = made["acl"]["spx-tenant-swp2s0"]
    assert acl["type"] == "ipv6"
    permitted = [get(rule, ("match", "ip", "dest-ip")) for rule in acl["rule"].values()]
    assert permitted[1:] == ["fe80::/10", "ff02::/16", "ANY"]


def test_nothing_on_spines(load):
    """A spine's document has nothing of tenants."""
    assert document(load(), name="spine-p1-s01") == {}


@pytest.mark.parametrize(
    "name", ["lab", "lab-3tier", "h200-2048", "b300-4096", "multiplane-16384", "max-524288"]
)
def test_the_examples_own_what_they_render(load, name):
    """Every leaf of the document lies inside what the role owns, for every example's registry."""
    fabric = load(name)
    registry = Registry.load(fabric, f"inventories/{name}/model/tenants.yml")
    ctx = compose.context(fabric, next(fabric.switches()), tenants=registry)
    owned = Globs(compose.owns(ctx, ["tenants"]))
    rendered = list(leaves(compose.render(ctx, ["tenants"])))
    assert rendered
    assert not [path for path, _value in rendered if not owned.covers(path)]


def test_a_taken_over_vrf_is_owned(load):
    """A VRF whose name does not tell is owned because the registry names it."""
    fabric = load()
    text = "tenants: [{id: 21, slug: acme, nodes: [su01/h01], vrf: RED}]"
    text += "\nretired: [{id: 30, slug: old, vrf: BLUE}]"
    registry = Registry.parse(fabric, text)
    ctx = compose.context(fabric, "leaf-p1-su001-r1", tenants=registry)
    assert {"vrf/RED", "vrf/BLUE"} <= set(compose.owns(ctx, ["tenants"]))
