# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks of test_lab_routed.py with IPv6: /127 links of nodes, sessions and routers outside.

``make drill DRILL=ipv6`` runs it.
"""

from __future__ import annotations

import json
import time

import pytest

from . import beyond, people

EXAMPLE = "lab-routed"
MOVER = "worker-su01-rack01-h03"
changed = beyond.with_ipv6


@pytest.fixture(scope="module")
def kept(world):
    """The registry with both tenants."""
    return (world.project / "model" / "tenants.yml").read_text()


def test_switches_and_hosts_come_to_the_plan_while_nobody_has_a_node(world, kept):
    for tenant in beyond.TENANTS:
        people.forget_tenant(world, tenant)
    done = world.play("spectrum_x.fabric.switches", "-e", "spx_factory=true")
    assert people.changed(done.stdout) == 10
    hosts = ["spectrum_x.fabric.dpus", "-e", "spx_allow_reboot=true", "-e", "spx_max_unavailable=4"]
    assert people.changed(world.play(*hosts, "-e", "spx_factory=true").stdout) > 0
    assert people.changed(world.play(*hosts).stdout) == 0


def test_both_tenants_come(world, kept):
    (world.project / "model" / "tenants.yml").write_text(kept)
    for tenant in beyond.TENANTS:
        world.play("spectrum_x.fabric.tenant_onboard", "-e", f"spx_tenant={tenant}")
    assert people.changed(world.play("spectrum_x.fabric.switches").stdout) == 0


def test_each_reaches_its_outside_and_its_storage_and_nobody_elses(world, saw):
    probes = beyond.flows(world)
    assert all(":" in probe["to"] for probe in probes)
    seconds = people.settle(world, probes, seconds=60)
    assert not beyond.overheard(world, probes)
    assert_heard(world)
    reached = sum(probe["expect"] == "reached" for probe in probes)
    saw(
        "IPv6: nodes, providers and array: a tenant's own answer, others' neither answer nor hear",
        f"{reached} + {len(probes) - reached} flows, after {seconds:.1f} s",
    )


def test_validate_finds_nothing(world):
    assert not beyond.validate(world, "healthy", checks="switch,tenant,network")


def test_the_other_port_has_the_default_route_when_a_leaf_dies(world, saw):
    """The kernel passes over a route whose port has no carrier, as with IPv4."""
    goal = beyond.at(world, beyond.OUTSIDE["acme"])

    def way():
        (row,) = json.loads(world.node(MOVER, "ip", "-j", "-6", "route", "get", goal))
        return row["dev"]

    assert way() == "front1"
    begun = time.monotonic()
    world.lab_command("kill", world.name, "front-end-leaf-001-1")
    while way() != "front2":
        assert time.monotonic() - begun < 30
        time.sleep(0.2)
    second = [probe for probe in beyond.members(world, ["acme"]) if " front2 " in probe["id"]]
    seconds = people.settle(world, second)
    saw(
        "IPv6: a front-end leaf dies; the other port of its nodes answers after", f"{seconds:.1f} s"
    )
    world.lab_command("start", world.name, "front-end-leaf-001-1")
    people.settle(world, beyond.flows(world), seconds=90)
    assert way() == "front1"


def test_a_node_moves_with_all_its_networks(world, saw):
    """Its addresses stay, and routers hear them from the new tenant alone."""
    people.give_hook(world, "wipe")
    node = world.fabric.device(MOVER)
    people.move(world, MOVER, "globex")
    assert people.owner_of(world)[node] == "globex"
    probes = beyond.flows(world)
    seconds = people.settle(world, probes, seconds=60)
    assert not beyond.overheard(world, probes)
    assert_heard(world)
    saw("IPv6: a node moves with all its networks", f"flows after {seconds:.1f} s")


def assert_heard(world):
    """Each router has the links of a tenant's nodes, and no other prefix."""
    for router in beyond.BEGINS:
        network = "storage" if router == beyond.ARRAY else "front-end"
        for slug in beyond.TENANTS:
            names = [world.fabric.name(node) for node in people.tenants(world)[slug]]
            own = {link for name in names for link in beyond.links(world, name, network)}
            assert beyond.heard(world, router, slug) == own
