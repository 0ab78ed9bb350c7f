# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two SUs, two rails, two spines: two tenants of two nodes, and two nodes in quarantine."""

from __future__ import annotations

import json
import time

import people

EXAMPLE = "lab"


def test_switches_reach_the_plan_from_the_factory(world, saw):
    begun = time.monotonic()
    done = world.play("spectrum_x.fabric.switches", "-e", "spx_factory=true")
    assert people.changed(done.stdout) == 6
    saw("six switches from the factory to the plan", f"{time.monotonic() - begun:.1f} s")
    world.address_hosts()


def test_a_second_run_changes_and_writes_nothing(world, saw):
    for device in world.fabric.switches():
        world.control(world.fabric.name(device), "clear_log")
    done = world.play("spectrum_x.fabric.switches")
    assert people.changed(done.stdout) == 0
    assert set(world.writes().values()) == {0}
    saw("second run", "changed=0, 0 write requests")


def test_members_reach_each_other_on_every_rail_and_nobody_else(world, saw):
    probes = people.flows(world)
    seconds = people.settle(world, probes)
    reached = sum(probe["expect"] == "reached" for probe in probes)
    saw(
        "pairs in one tenant reach each other; all other pairs are silent",
        f"{reached} + {len(probes) - reached} flows, after {seconds:.1f} s",
    )


def test_the_path_carries_its_mtu_and_not_one_byte_more(world, saw):
    fits = people.PATH_MTU - people.HEADERS
    members = [p for p in people.flows(world, size=fits, df=True) if p["expect"] == "reached"]
    assert not people.wrong(world.ping(members))
    for probe in members:
        probe |= {"size": fits + 1, "expect": "silent"}
    assert not people.wrong(world.ping(members, tries=1))
    saw("don't-fragment payload passes / does not pass", f"{fits} / {fits + 1} bytes")


def test_hosts_reach_no_loopback_and_no_management_address(world):
    targets = []
    for device in world.fabric.switches():
        place = world.fabric.slice(device)
        targets += [place["loopback"], place.get("vtep", place["loopback"])]
        targets.append(world.lab_folder and json.loads((world.lab_folder / "management.json").read_text())[place["name"]])
    probes = []
    for node in world.fabric.nodes():
        port = world.ports(node)[0]
        name = world.fabric.name(node)
        world.node(name, "ip", "route", "replace", "default", "via", port["gateway"], "dev", port["port"])
        probes += [
            {"from": name, "source": port["address"], "to": target, "expect": "silent"} for target in set(targets)
        ]
    try:
        assert not people.wrong(world.ping(probes, tries=1))
    finally:
        for node in world.fabric.nodes():
            world.node(world.fabric.name(node), "ip", "route", "del", "default")


def test_a_leaf_sees_the_remote_leaf_as_next_hop(world):
    leaves = {
        world.fabric.slice(device)["vtep"]: world.fabric.name(device)
        for device in world.fabric.switches()
        if device.role == "leaf"
    }
    for name in leaves.values():
        text = world.node(name, "vtysh", "-c", "show bgp l2vpn evpn route type prefix json")
        hops = set(_hops(json.loads(text)))
        assert hops, f"{name} has no type-5 route"
        assert hops <= set(leaves), f"{name} has next hops {hops - set(leaves)}"


def _hops(value):
    if isinstance(value, dict):
        if "nexthops" in value:
            yield from (hop["ip"] for hop in value["nexthops"] if hop.get("ip"))
        for inner in value.values():
            yield from _hops(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _hops(inner)


def test_a_spine_dies_and_returns(world, saw):
    members = [p for p in people.flows(world) if p["expect"] == "reached"]
    spine = "spine-p1-s01"
    world.lab_command("kill", world.name, spine)
    seconds = people.settle(world, members)
    saw("a spine is dead, members reach each other again", f"{seconds:.1f} s")
    world.lab_command("start", world.name, spine)
    people.settle(world, people.flows(world), seconds=60)


def test_a_link_is_cut(world, saw):
    members = [p for p in people.flows(world) if p["expect"] == "reached"]
    world.lab_command("cable", world.name, "leaf-p1-su001-r1:swp3s0", "down")
    saw("a link is down, members reach each other again", f"{people.settle(world, members):.1f} s")
    world.lab_command("cable", world.name, "leaf-p1-su001-r1:swp3s0", "up")
    people.settle(world, members)


def test_a_leaf_restarts(world, saw):
    begun = time.monotonic()
    world.lab_command("reboot", world.name, "leaf-p1-su001-r1")
    people.settle(world, people.flows(world), seconds=90)
    saw("a leaf restarted, everything is as before", f"{time.monotonic() - begun:.1f} s")
