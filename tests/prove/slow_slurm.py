# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs under a real Slurm: `srun` of Debian places processes on the hosts of the lab, in the order that the plan asks.

The programs of nccl-tests are stand-ins, whose processes find each other by what Slurm says to each of them. It takes
minutes and needs packages of its own, so that ``make drill DRILL=slurm`` runs it, and ``make prove`` does not.
"""

from __future__ import annotations

import time

from . import people, slurm

EXAMPLE = "lab"
BRIEF = {"before": 40, "shut": 15, "back": 15, "after": 10}
"""Seconds of the parts of a job, as in slow_failover.py."""


def test_switches_and_hosts_are_in_service(world):
    people.into_service(world)


def test_all_hosts_are_nodes_of_slurm(world):
    slurm.up(world)


def test_collectives_pass_under_slurm(world, saw):
    """Every operation, each node alone, whole, by rail, near and far, as the plan places them."""
    begun = time.monotonic()
    record = people.collects(world, "healthy", nodes="", brief=False, launcher=slurm.LAUNCHER)
    assert record["summary"]["result"] == "pass", record["summary"]
    assert slurm.jobs(world) == []
    saw(
        "level collectives under Slurm, six nodes",
        f"{record['summary']['counts']['pass']} tests pass, {time.monotonic() - begun:.1f} s",
    )


def test_a_node_that_slurm_has_drained_is_no_pass(world):
    """Its jobs fail after a minute, by the words of Slurm; those without it pass, and no node is blamed."""
    first, *_others, last = people.names(world)
    world.node(first, "scontrol", "update", f"nodename={last}", "state=drain", "reason=test")
    told = {"launcher": slurm.LAUNCHER, "into": "drained"}
    record = people.collects(world, "healthy", nodes="", code=2, **told)
    world.node(first, "scontrol", "update", f"nodename={last}", "state=resume")
    failed = [test["sentence"] for test in record["tests"] if test["state"] == "fail"]
    assert failed
    assert all("Required node not available" in text for text in failed), failed
    assert record["summary"]["counts"]["pass"] > len(people.names(world))
    assert record["suspects"] == []
    assert slurm.jobs(world) == []


def test_the_same_run_ends_the_job_of_a_killed_one(world):
    """Its job waits for a drained node, and would begin as soon as the node is back."""
    told = {"launcher": slurm.LAUNCHER, "into": "killed"}
    first, *_others, last = people.names(world)
    world.node(first, "scontrol", "update", f"nodename={last}", "state=drain", "reason=test")
    people.collects_killed(world, "healthy", **told)
    assert len(slurm.jobs(world)) == 1
    world.node(first, "scontrol", "update", f"nodename={last}", "state=resume")
    record = people.collects(world, "healthy", nodes="", **told)
    assert record["summary"]["result"] == "pass", record["summary"]
    assert slurm.jobs(world) == []


def test_a_job_lives_and_ends_under_slurm(world, saw):
    """Level failover: an endless job is ended by us on all its nodes, and nothing of it is left."""
    begun = time.monotonic()
    record = people.fails_over(world, launcher=slurm.LAUNCHER, **BRIEF)
    levels = record["summary"]["levels"]["failover"]
    assert (levels["pass"], levels["fail"]) == (4, 0), record["tests"]
    assert slurm.jobs(world) == []
    assert slurm.tasks(world, "alltoall_perf") == 0
    saw("level failover under Slurm, six nodes", f"{time.monotonic() - begun:.1f} s")
