# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two planes: each carries its own, they never meet, and one may be lost."""

from __future__ import annotations

import json
import time

import pytest

from . import people

EXAMPLE = "lab-2plane"

pytestmark = pytest.mark.large


def test_both_planes_reach_the_plan(world):
    done = world.play("spectrum_x.fabric.switches", "-e", "spx_factory=true")
    assert people.changed(done.stdout) == 6
    world.address_hosts()


def test_members_reach_each_other_in_each_plane(world, saw):
    seconds = people.settle(world, people.flows(world))
    assert not people.beside_path_mtu(world)
    assert not people.overheard(world, people.flows(world))
    saw(
        "in each plane members reach each other, at path MTU, others are silent",
        f"after {seconds:.1f} s",
    )


def test_planes_are_disjoint(world, saw):
    """From a port in plane 1 no address of plane 2 answers, not even the tenant's own."""
    nodes = list(world.fabric.nodes())
    probes = []
    for one in nodes:
        name, first = world.fabric.name(one), world.ports(one)[0]
        for two in nodes:
            second = world.ports(two)[1]
            if one != two:
                world.node(
                    name, "ip", "route", "replace", f"{second['address']}/32", "via", first["gateway"], "dev",
                    first["port"], "table", "77",
                )  # fmt: skip
                probes.append(
                    {
                        "from": name,
                        "source": first["address"],
                        "to": second["address"],
                        "expect": "silent",
                    }
                )
        world.node(
            name, "ip", "rule", "add", "from", first["address"], "lookup", "77", "priority", "77"
        )
    assert not people.wrong(world.ping(probes, tries=1))
    for one in nodes:
        world.node(world.fabric.name(one), "ip", "rule", "del", "priority", "77")
    saw("no packet passes from one plane to the other", f"{len(probes)} flows")


def test_a_lost_plane_leaves_the_other(world, saw):
    world.lab_command("kill", world.name, "spine-p1-s01")
    time.sleep(2)
    for probe in people.flows(world):
        second = probe["source"] in {
            world.ports(node)[1]["address"] for node in world.fabric.nodes()
        }
        if probe["expect"] == "reached" and second:
            assert not people.wrong(world.ping([probe]))
    world.lab_command("start", world.name, "spine-p1-s01")
    people.settle(world, people.flows(world), seconds=60)
    saw("plane 1 without its spine: plane 2 carries its flows; then all are back", "yes")


def test_a_cable_swapped_between_planes_brings_no_session_up(world, saw):
    """Explicit remote ASNs: a wrong cable fails closed."""
    first, second = "leaf-p1-su001-r1:swp2s0", "leaf-p2-su001-r1:swp2s0"
    world.lab_command("swap", world.name, first, second)
    try:
        time.sleep(12)
        for name in ("leaf-p1-su001-r1", "leaf-p2-su001-r1"):
            states = json.loads(
                world.node(name, "vtysh", "-c", "show bgp ipv4 unicast summary json")
            )["peers"]
            wrong = states.get("swp2s0", {}).get("state")
            assert wrong != "Established", f"{name}: {states}"
        asked = ["-e", "spx_report=report", "-e", "spx_checks=switch"]
        done = world.play("spectrum_x.fabric.validate", *asked, check=False)
        assert done.returncode == 2
        assert "swp2s0" in done.stdout
    finally:
        world.lab_command("swap", world.name, first, second)
    people.settle(world, people.flows(world), seconds=60)
    saw("a cable swapped between planes", "no session comes up, validate names it")
