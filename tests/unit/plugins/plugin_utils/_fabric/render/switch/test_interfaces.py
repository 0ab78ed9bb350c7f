# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cages and ports: breakout, MTU and state."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    compose,
    interfaces,
)

from .ports import ports_with


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


def addresses(fabric, name):
    return set(
        interfaces.loopback(compose.context(fabric, name))["interface"]["lo"]["ipv4"]["address"]
    )


def test_a_leaf_has_two_addresses_and_a_spine_one(load):
    fabric = load()
    leaf, spine = fabric.slice("leaf-p1-su001-r1"), fabric.slice("spine-p1-s01")
    assert addresses(fabric, "leaf-p1-su001-r1") == {f"{leaf['loopback']}/32", f"{leaf['vtep']}/32"}
    assert addresses(fabric, "spine-p1-s01") == {f"{spine['loopback']}/32"}
