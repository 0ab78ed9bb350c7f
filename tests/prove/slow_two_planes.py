# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NICs with a port in each of two planes: both are measured, and a job lives without one of them by the plugin alone.

It takes minutes, so that ``make drill DRILL=planes`` runs it, and ``make prove`` does not.
"""

from __future__ import annotations

import time

import yaml
from lab.state import TARGETS

from . import people

FACTORY = TARGETS / "switch" / "nvue_double" / "data" / "factory.yml"
EXAMPLE = "lab-2plane"
BRIEF = {"before": 40, "shut": 15, "back": 15, "after": 10}
"""Seconds of the parts of a job, as in slow_failover.py."""
KINDS = ("link", "spine", "leaf", "plane", "host link")
ALONE = "the job lives with the Spectrum-X NCCL plugin. Name that plugin with spx_nccl_plugin, as NCCL prints it."


def test_switches_and_hosts_are_in_service(world):
    people.into_service(world)


def test_a_leaf_from_the_factory_is_recognised_beside_hosts_that_send_mac_addresses(world):
    """It has two uplinks, so that two of the four neighbours it is known by are hosts."""
    leaf, factory = "leaf-p2-su001-r1", yaml.safe_load(FACTORY.read_text())["modern"]
    world.control(leaf, "foreign", document=factory, replace=True)
    world.control(leaf, "realise_again")
    people.hears(world, leaf, "worker-su01-rack01-h01", "mac")
    done = world.play("spectrum_x.fabric.switches", "--limit", leaf, "-e", "spx_factory=true")
    assert people.changed(done.stdout) == 1
    people.settle(world, people.flows_of(world, people.registry(world)), seconds=60)


def test_pairs_pass_in_both_planes(world, saw):
    begun = time.monotonic()
    record = people.performs(world, "healthy", level="pairs", nodes="su01,su02")
    assert record["summary"]["result"] == "pass"
    planes = {test["plane"] for test in record["tests"] if test["second"]}
    assert planes == {0, 1}
    saw(
        "level pairs of four nodes with a port in each of two planes",
        f"{record['summary']['counts']['pass']} tests pass, {time.monotonic() - begun:.1f} s",
    )


def test_without_the_plugin_a_plane_is_not_shut(world, saw):
    """An uplink alone is: the leaf has another one, which carries three quarters of what its nodes send up."""
    record = people.fails_over(world, **BRIEF)
    levels = record["summary"]["levels"]["failover"]
    assert (levels["pass"], levels["fail"]) == (2, 0), record["tests"]
    reasons = {test["sentence"] for test in record["tests"] if test["state"] == "not_run"}
    assert len(reasons) == 4
    assert all(reason.endswith(ALONE) for reason in reasons), reasons
    assert 70 < people.kept(record, "link") < 80
    saw(
        "level failover without the NCCL plugin, in two planes",
        f"a link: {people.kept(record, 'link'):.1f} % of the rate; the others are not run, with the reason",
    )


def test_with_the_plugin_a_job_lives_without_a_plane(world, saw):
    begun = time.monotonic()
    record = people.fails_over(world, plugin="SPCX", **BRIEF)
    levels = record["summary"]["levels"]["failover"]
    assert (levels["pass"], levels["fail"], levels["not_run"]) == (10, 0, 0), record["tests"]
    found = {kind: people.kept(record, kind) for kind in KINDS}
    assert 80 < found.pop("link") < 95
    assert all(45 <= share < 55 for share in found.values()), found
    saw(
        "level failover with the NCCL plugin, in two planes: spine, leaf, plane and NIC port",
        f"{min(found.values()):.1f} % of the rate, {time.monotonic() - begun:.1f} s",
    )


def test_all_is_given_back(world):
    for device in world.fabric.switches():
        people.sessions_up(world, world.fabric.name(device))
    assert people.changed(world.play("spectrum_x.fabric.switches").stdout) == 0
