# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One device's slice of the plan."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cabling import (
    Switch,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    SMALL,
    build,
    example,
)


@pytest.mark.parametrize("name", SMALL)
def test_slices_are_plain_data(name):
    fabric = example(name)
    for device in fabric.devices():
        made = fabric.slice(device)
        assert json.loads(json.dumps(made)) == made
        assert made["schema"] == 1


@pytest.mark.parametrize("name", [*SMALL, "brownfield-256"])
def test_both_ends_of_a_cable_tell_the_same(name):
    """Addresses, ASNs and names that one slice says of its peer are those of the peer's slice."""
    fabric = example(name)
    slices = {fabric.name(device): fabric.slice(device) for device in fabric.devices()}
    for own, made in slices.items():
        for port in made["ports"]:
            if not port.get("present", True):
                continue
            other = slices[port["peer"]["device"]]
            (back,) = [p for p in other["ports"] if p["port"] == port["peer"]["port"]]
            assert back["peer"]["device"] == own
            assert back["peer"]["port"] == port["port"]
            if made["role"] != "node" and other["role"] != "node":
                assert port["peer"]["asn"] == other["asn"]
                assert port["peer"]["loopback"] == other["loopback"]
                assert made["asn"] != other["asn"]
            if made["role"] == "node":
                assert (back["address"], back["peer_address"]) == (port["gateway"], port["address"])
                assert back["length"] == port["length"]
                assert back["rail"] == port["rail"]


@pytest.mark.parametrize("name", ["h200-2048", "b300-4096"])
def test_no_two_neighbours_of_a_switch_are_mixed_up(name):
    """Every ASN that a session expects is that of the planned peer, of its plane and pod alone."""
    fabric = example(name)
    seen = {}
    for switch in fabric.switches():
        seen.setdefault(fabric.addresses.asn(switch), set()).add(
            (switch.role, switch.plane, switch.pod)
        )
    assert all(len(places) == 1 for places in seen.values())


def test_ports_of_absent_neighbours_say_so():
    fabric = example("lab")
    made = {port["port"]: port["present"] for port in fabric.slice("leaf-p1-su001-r1")["ports"]}
    assert not made["swp2s1"]
    assert all(present for port, present in made.items() if port != "swp2s1")


def test_ports_tell_their_own_speed():
    """That of their kind: hosts may be slower than the links between switches."""
    speeds = {"host_speed": "200G", "fabric_speed": "400G"}
    fabric = build(switches=speeds, capacity={"sus_per_pod": 2})
    for switch, kinds in (
        (Switch("leaf", 0, 0, 0), {"host", "up"}),
        (Switch("spine", 0, 0, 0), {"down"}),
    ):
        rows = fabric.slice(switch)["ports"]
        assert {row["kind"] for row in rows} == kinds
        for row in rows:
            host = row["kind"] == "host"
            assert row["speed"] == speeds["host_speed" if host else "fabric_speed"]
            assert row["breakout"] == (4 if host else 2)


def test_ports_stand_in_the_order_of_the_cages():
    swap = {"device": "leaf-p1-su001-r1", "ports": ["swp1s0", "swp33s1"]}
    for swapped in ([], [swap]):
        fabric = build(swapped_ports=swapped)
        ports = [row["port"] for row in fabric.slice("leaf-p1-su001-r1")["ports"]]
        assert ports == [f"swp{cage}s{sub}" for cage in range(1, 65) for sub in (0, 1)]
