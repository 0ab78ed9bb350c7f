# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All networks of two tenants without bonds and VLANs: /31 links, and a port per tenant to providers and to an array.

The providers and the array are plain FRR, configured by hand (inventories/lab-routed/outside). What happens when they
leak or die is told in slow_outside.py.
"""

from __future__ import annotations

import itertools
import time

from . import beyond, people

EXAMPLE = "lab-routed"
MOVER = "worker-su01-rack01-h03"


def test_switches_of_both_fabrics_reach_the_plan(world, saw):
    people.forget_tenant(world, "globex")
    begun = time.monotonic()
    done = world.play("spectrum_x.fabric.switches", "-e", "spx_factory=true")
    assert people.changed(done.stdout) == 10
    world.address_hosts()
    probes = beyond.flows(world, ["acme"])
    people.settle(world, probes)
    assert not beyond.overheard(world, probes)
    saw(
        "ten switches of two fabrics from the factory; a tenant reaches its outside and its storage",
        f"{time.monotonic() - begun:.1f} s",
    )


def test_a_tenant_is_onboarded_with_its_storage_and_its_outside(world, saw):
    """The other tenant's packets to its outside and its storage are all answered meanwhile."""
    others = beyond.members(world, ["acme"])
    people.remember_tenants(world, EXAMPLE)
    begun = time.monotonic()
    with people.watched(world, others) as timeline:
        done = world.play("spectrum_x.fabric.tenant_onboard", "-e", "spx_tenant=globex")
    seconds = time.monotonic() - begun
    assert people.changed(done.stdout) == 1
    assert people.leaves_changed(world, "globex") == 7
    lost = [gap for flow in timeline["flows"] for gap in flow["gaps"] if flow["lost"]]
    assert not lost
    saw(
        "a tenant is onboarded with all networks by one command, others lose no packet",
        f"{seconds:.1f} s",
    )


def test_each_reaches_its_outside_and_its_storage_and_nobody_elses(world, saw):
    probes = beyond.flows(world)
    seconds = people.settle(world, probes)
    assert not beyond.overheard(world, probes)
    for router, slug in itertools.product(beyond.BEGINS, beyond.TENANTS):
        network = "storage" if router == beyond.ARRAY else "front-end"
        own = {
            link
            for node in people.tenants(world)[slug]
            for link in beyond.links(world, world.fabric.name(node), network)
        }
        assert beyond.heard(world, router, slug) == own
    reached = sum(probe["expect"] == "reached" for probe in probes)
    saw(
        "nodes, providers and array: a tenant's own answer, others' neither answer nor hear",
        f"{reached} + {len(probes) - reached} flows, after {seconds:.1f} s",
    )


def test_validate_agrees(world, saw):
    assert not beyond.validate(world, "healthy", checks="switch,tenant,network")
    saw("validate of switches, tenants and networks", "0 failed")


def test_a_node_moves_with_all_its_networks(world, saw, draw):
    """Its addresses stay; both tenants never answer it at once, on whichever network."""
    people.give_hook(world, "wipe")
    node = world.fabric.device(MOVER)
    probes = [
        {
            "id": f"{row['port']} to {slug}",
            "from": MOVER,
            "source": row["address"],
            "to": beyond.GOALS[row["network"]][slug],
        }
        for row in beyond.ports(world, node)
        for slug in beyond.TENANTS
    ]
    begun = time.monotonic()
    with people.watched(world, probes) as timeline, people.steps_noted(world, MOVER) as steps:
        people.move(world, MOVER, "globex")
        seconds = time.monotonic() - begun
        time.sleep(1)
    draw("move", "A node moves from acme to globex, with front end and storage", timeline, steps)
    old, new = timeline["flows"][::2], timeline["flows"][1::2]
    assert all(flow["received"] for flow in timeline["flows"])
    quiet = min(map(people.first_answer, new)) - max(map(people.last_answer, old))
    assert quiet > 0
    people.settle(world, beyond.flows(world))
    assert not beyond.overheard(world, beyond.flows(world))
    for provider in beyond.PROVIDERS:
        links = set(beyond.links(world, MOVER, "front-end"))
        assert links <= beyond.heard(world, provider, "globex")
        assert not links & beyond.heard(world, provider, "acme")
    saw(
        "a node moves with all its networks by one command; between its tenants it is silent for",
        f"{quiet:.1f} s of {seconds:.1f} s",
    )


def test_offboarding_leaves_nothing(world, saw):
    people.offboard(world, "globex")
    people.settle(world, beyond.flows(world, ["acme"]))
    assert not beyond.traces(world, "globex")
    for router in beyond.BEGINS:
        assert not beyond.heard(world, router, "globex")
    assert beyond.traces(world, "acme")
    saw("a tenant is offboarded", "no trace of it on any switch, no route of it outside")
