# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports: breakout, MTUs, which are shut; adaptive routing and the control list on them."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose


def ports_with(document, *path):
    found = set()
    for name, row in document["interface"].items():
        node = row
        for key in path:
            node = node.get(key) if isinstance(node, dict) else None
        if node is not None:
            found.add(name)
    return found


def test_mtus_leave_room_for_the_overlay(load):
    document = compose.document(load(), "leaf-p1-su001-r1")
    assert document["interface"]["swp1s0"]["link"]["mtu"] == 9216 - 50
    assert document["interface"]["swp3s0"]["link"]["mtu"] == 9216


def test_every_cage_is_broken_out_even_where_nobody_is_cabled_yet(load):
    document = compose.document(load(absent=["pod01/su02"]), "spine-p1-s01")
    assert ports_with(document, "link", "breakout") == {"swp1", "swp2", "swp3", "swp4"}


def test_a_port_without_a_built_peer_is_shut_and_has_no_session(load):
    document = compose.document(load(absent=["pod01/su02"]), "spine-p1-s01")
    shut = ports_with(document, "link", "state", "down")
    assert shut == {"swp3s0", "swp3s1", "swp4s0", "swp4s1"}
    assert set(document["vrf"]["default"]["router"]["bgp"]["neighbor"]) == {
        "swp1s0",
        "swp1s1",
        "swp2s0",
        "swp2s1",
    }


@pytest.mark.parametrize(
    "device, port", [("leaf-p1-su001-r1", "swp3s1"), ("spine-p1-s01", "swp1s1")]
)
def test_a_port_out_of_service_is_shut_at_both_ends_and_keeps_its_session(load, device, port):
    row = {"device": device, "port": port, "since": "2026-11-01", "reason": "optic"}
    fabric = load(out_of_service=[row])
    for name, own in (("leaf-p1-su001-r1", "swp3s1"), ("spine-p1-s01", "swp1s1")):
        document = compose.document(fabric, name)
        assert ports_with(document, "link", "state", "down") == {own}
        assert own in document["vrf"]["default"]["router"]["bgp"]["neighbor"]


def test_host_ports_belong_to_tenants(load):
    document = compose.document(load(), "leaf-p1-su001-r1")
    for port in ("swp1s0", "swp2s1"):
        row = document["interface"][port]
        assert not {"vrf", "ipv4", "ipv6"} & set(row)
        assert "state" not in row["link"]
        assert row["acl"]["spx-control"] == {"inbound": {"control-plane": {}}}


def test_the_control_list_lets_icmp_in_and_nothing_else(load):
    document = compose.document(load(), "leaf-p1-su001-r1")
    for name, icmp in (("spx-control", "icmp"), ("spx-control-v6", "icmpv6")):
        rules = document["acl"][name]["rule"]
        ordered = [rules[number] for number in sorted(rules, key=int)]
        assert [row["action"] for row in ordered] == [{"permit": {}}, {"deny": {}}]
        assert ordered[0]["match"] == {"ip": {"protocol": icmp}}
    assert "acl" not in compose.document(load(), "spine-p1-s01")


@pytest.mark.parametrize(
    "name, device, kinds",
    [
        ("lab", "leaf-p1-su001-r1", {"up"}),
        ("lab", "spine-p1-s01", {"down"}),
        ("lab-3tier", "leaf-p1-pod01-su001-r1", {"up"}),
        ("lab-3tier", "spine-p1-pod01-s01", {"up", "down"}),
        ("lab-3tier", "super-spine-p1-g01-s01", {"down"}),
    ],
)
def test_adaptive_routing_where_the_role_wants_it(load, name, device, kinds):
    fabric = load(name)
    document = compose.document(fabric, device)
    wanted = {row["port"] for row in fabric.slice(device)["ports"] if row["kind"] in kinds}
    assert ports_with(document, "router", "adaptive-routing") == wanted
    assert document["router"]["adaptive-routing"]["profile"] == "profile-custom"


def test_building_a_unit_later_changes_no_adaptive_routing(load):
    before = compose.document(
        load(absent=["pod01/su02"]), "spine-p1-s01", ["switch_adaptive_routing"]
    )
    assert before == compose.document(load(), "spine-p1-s01", ["switch_adaptive_routing"])


def test_adaptive_routing_off_leaves_nothing(load):
    fabric = load(routing={"adaptive_routing": False})
    assert compose.document(fabric, "leaf-p1-su001-r1", ["switch_adaptive_routing"]) == {}


def test_numbers_of_the_profile_can_be_set(load):
    made = compose.document(
        load(), "spine-p1-s01", ["adaptive_routing"], options={"ar_values": {"ar.srt": "20"}}
    )
    content = made["system"]["config"]["snippet"]["spx-ar-profile"]["content"]
    assert "ar.srt = 20\n" in content
    assert "ar.ctm = 800\n" in content
    assert content.count("ar.srt") == 1
