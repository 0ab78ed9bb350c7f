# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two pods joined by super-spines: tenants span pods, and stay apart."""

from __future__ import annotations

import pytest

from . import people

EXAMPLE = "lab-3tier"

pytestmark = pytest.mark.large


def test_ten_switches_reach_the_plan(world):
    done = world.play("spectrum_x.fabric.switches", "-e", "spx_factory=true")
    assert people.changed(done.stdout) == 10
    world.address_hosts()


def test_tenants_reach_across_pods_at_path_mtu_and_nobody_else(world, saw):
    probes = people.flows(world, size=people.PATH_MTU - people.HEADERS, df=True)
    seconds = people.settle(world, probes)
    assert not people.beside_path_mtu(world)
    assert not people.overheard(world, probes)
    reached = sum(probe["expect"] == "reached" for probe in probes)
    saw(
        "across pods: members reach each other at path MTU, others are silent",
        f"{reached} + {len(probes) - reached} flows, after {seconds:.1f} s",
    )


def test_a_super_spine_dies(world, saw):
    members = [p for p in people.flows(world) if p["expect"] == "reached"]
    world.lab_command("kill", world.name, "super-spine-p1-g01-s01")
    saw(
        "a super-spine is dead, members reach each other again",
        f"{people.settle(world, members):.1f} s",
    )


def test_a_second_run_finds_the_living_unchanged(world):
    alive = "spx_leaf:spx_spine:super-spine-p1-g02-s01"
    done = world.play("spectrum_x.fabric.switches", "--limit", f"{alive}:localhost")
    assert people.changed(done.stdout) == 0
