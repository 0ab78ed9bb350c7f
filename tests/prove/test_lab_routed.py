# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All networks of two tenants without bonds and VLANs: /31 links, and a port per tenant to providers and to an array.

The providers and the array are plain FRR, configured by hand (inventories/lab-routed/outside). A tenant's life, and
what happens when they leak or die, is in slow_outside.py.
"""

from __future__ import annotations

import itertools
import time

from . import beyond, people

EXAMPLE = "lab-routed"


def test_switches_of_both_fabrics_reach_the_plan(world, saw):
    begun = time.monotonic()
    done = world.play("spectrum_x.fabric.switches", "-e", "spx_factory=true")
    assert people.changed(done.stdout) == 10
    world.address_hosts()
    saw("ten switches of two fabrics from the factory", f"{time.monotonic() - begun:.1f} s")


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
