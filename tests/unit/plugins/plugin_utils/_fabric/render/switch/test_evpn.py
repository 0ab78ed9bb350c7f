# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EVPN: which links carry it."""

from __future__ import annotations

import collections

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose

from . import converged_fabric as made


def default_vrf(document):
    return document["vrf"]["default"]["router"]["bgp"]


def all_documents(fabric):
    return {
        fabric.name(s): compose.document(fabric, s, ["switch_underlay"]) for s in fabric.switches()
    }


def sessions(fabric, documents, *, family):
    """Every session by (device, port it leaves by): whether it carries the family."""
    found = {}
    for name, document in documents.items():
        ports = fabric.slice(name)["ports"]
        by_key = {row["port"]: row for row in ports} | {
            row["peer_address"]: row for row in ports if "peer_address" in row
        }
        for key, row in default_vrf(document)["neighbor"].items():
            if key in by_key:
                on = row.get("address-family", {}).get(family, {}).get("state") == "enabled"
                found[name, by_key[key]["port"]] = on
    return found


@pytest.mark.parametrize("name", ["lab", "lab-3tier", "h200-2048"])
def test_evpn_stands_at_both_ends_of_one_link_of_few_pairs(load, name):
    fabric = load(name)
    found = sessions(fabric, all_documents(fabric), family="l2vpn-evpn")
    pairs = collections.Counter()
    for (own, port), on in found.items():
        device, other = fabric.peer(fabric.device(own), port)
        assert found[fabric.name(device), other] == on
        if on:
            pairs[own, fabric.name(device)] += 1
    assert set(pairs.values()) == {1}
    for switch in fabric.switches():
        partners = {fabric.device(b) for a, b in pairs if a == fabric.name(switch)}
        if switch.role == "leaf":
            assert {p.index for p in partners} == set(range(min(4, fabric.clos.spines)))
        for partner in partners:
            if partner.role == "super_spine":
                assert partner.index < 2


def test_evpn_link_is_the_same_at_both_ends_after_a_swap(load):
    swaps = [{"device": "leaf-p1-su001-r1", "ports": ["swp3s0", "swp3s1"]}]
    fabric = load(swapped_ports=swaps)
    found = sessions(fabric, all_documents(fabric), family="l2vpn-evpn")
    assert found["leaf-p1-su001-r1", "swp3s0"]
    assert found["spine-p1-s01", "swp1s1"]
    assert not found["spine-p1-s01", "swp1s0"]


def test_evpn_between_loopbacks_never_uses_the_vxlan_source(load):
    fabric = load(routing={"evpn": "loopbacks"})
    leaf = compose.document(fabric, "leaf-p1-su001-r1")
    group = default_vrf(leaf)["peer-group"]["spx-overlay"]
    assert group["update-source"] == leaf["router"]["bgp"]["router-id"]
    assert group["update-source"] != leaf["nve"]["vxlan"]["source"]["address"]
    assert group["address-family"]["ipv4-unicast"] == {"state": "disabled"}
    overlay = {
        k for k, row in default_vrf(leaf)["neighbor"].items() if row["peer-group"] == "spx-overlay"
    }
    spines = {
        compose.document(fabric, f"spine-p1-s0{n}")["router"]["bgp"]["router-id"] for n in (1, 2)
    }
    assert overlay == spines
    assert "address-family" not in default_vrf(leaf)["neighbor"]["swp3s0"]


@pytest.mark.parametrize("switch", made.ALL, ids=lambda switch: switch.role)
def test_every_vtep_of_the_converged_fabric_has_multihoming(load, switch):
    document = compose.render(made.context(load, switch), ["evpn"])
    if switch == made.SPINE:
        assert document == {"evpn": {"state": "enabled"}}
        return
    assert document["evpn"] == {"state": "enabled", "multihoming": {"state": "enabled"}}
    assert document["nve"]["vxlan"]["arp-nd-suppress"] == "enabled"
    assert document["nve"]["vxlan"]["source"]["address"].startswith("10.202.")


@pytest.mark.parametrize("evpn", ["links", "loopbacks"])
def test_on_the_converged_fabric_evpn_rides_on_the_links(load, evpn):
    """On one for each neighbour, whatever the east-west side does."""
    document = compose.render(made.context(load, made.FRONT, routing={"evpn": evpn}), ["bgp"])
    bgp = document["vrf"]["default"]["router"]["bgp"]
    assert set(bgp["peer-group"]) == {"spx-up"}
    for neighbor in bgp["neighbor"].values():
        assert neighbor["address-family"] == {"l2vpn-evpn": {"state": "enabled"}}


def test_parallel_links_to_a_spine_have_one_session_with_evpn(load):
    def doubled(slice_):
        more = [dict(row) for row in slice_["ports"] if row["kind"] == "up"]
        for row in more:
            row |= {"port": row["port"].replace("swp31", "swp32"), "cage": 32}
            row["peer"] = {**row["peer"], "port": row["peer"]["port"].replace("s0", "s1")}
        slice_["ports"] += more

    document = compose.render(made.context(load, made.FRONT, change=doubled), ["bgp"])
    neighbors = document["vrf"]["default"]["router"]["bgp"]["neighbor"]
    carried = {name for name, row in neighbors.items() if "address-family" in row}
    assert (len(neighbors), carried) == (4, {"swp31s0", "swp31s1"})
