# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A job on real hosts lives while an uplink and then a spine of the lab are shut, and both are given back.

It takes minutes, so that ``make drill DRILL=failover`` runs it, and ``make prove`` does not.
"""

from __future__ import annotations

import time

from . import people

EXAMPLE = "lab"
BRIEF = {"before": 40, "shut": 15, "back": 15, "after": 10}
"""Seconds of the parts of a job: shorter than those of the level, and long enough for a busy machine."""


def test_switches_and_hosts_are_in_service(world):
    people.rest_of_all(world)
    world.play("spectrum_x.fabric.switches", "-e", "spx_factory=true")
    world.address_hosts()
    people.settle(world, people.flows_of(world, people.registry(world)), seconds=60)


def test_the_job_lives_without_an_uplink_and_without_a_spine(world, saw):
    for device in world.fabric.switches():
        world.control(world.fabric.name(device), "clear_log")
    begun = time.monotonic()
    record = people.fails_over(world, **BRIEF)
    assert record["summary"]["levels"]["failover"] == {
        "pass": 4,
        "fail": 0,
        "waived": 0,
        "not_run": 4,
    }, record["tests"]
    passed = {test["sentence"].split(" GB/s ")[1] for test in record["tests"] if test["value"]}
    assert {text.split(",")[0] for text in passed} == {
        f"{when} a {kind} was shut" for when in ("while", "after") for kind in ("link", "spine")
    }
    written = {name for name, count in world.writes().items() if count}
    assert {name.split("-")[0] for name in written} == {"leaf", "spine"}
    assert len(written) == 2
    saw(
        "level failover: a job lives while an uplink and then a spine are shut",
        f"{min(test['value'] for test in record['tests'] if test['value']):.1f} % of its rate, "
        f"{time.monotonic() - begun:.1f} s",
    )


def test_all_is_given_back(world):
    """The revisions were never confirmed: the switches opened their ports by their timers."""
    for device in world.fabric.switches():
        people.sessions_up(world, world.fabric.name(device))
    assert people.changed(world.play("spectrum_x.fabric.switches").stdout) == 0
