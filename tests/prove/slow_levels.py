# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of performance as the guide runs them, all nodes and all repeats: pairs between rails, bisection,
collectives, also over TCP, and noise.

It takes half an hour, so that ``make drill DRILL=levels`` runs it.
"""

from __future__ import annotations

import time

from . import people

EXAMPLE = "lab"


def test_switches_and_hosts_are_in_service(world):
    people.into_service(world)


def test_pairs_between_rails_pass(world, saw):
    """Each NIC port sends to one of the other rail, over the spines, after the pairs of its own rail.

    All nodes, as latencies are held against the median of three or more of one distance.
    """
    begun = time.monotonic()
    record = people.performs(
        world, "healthy", "spx_cross_rails=true", level="pairs", nodes="", into="pairs"
    )
    assert record["summary"]["result"] == "pass", record["summary"]
    crossed = [test for test in record["tests"] if test["to_rail"] is not None]
    assert {(test["rail"], test["to_rail"]) for test in crossed} == {(0, 1), (1, 0)}
    assert {test["kind"] for test in crossed} == {"bandwidth", "bidirectional", "latency"}
    senders = {(test["first"], test["rail"]) for test in crossed}
    assert len(senders) == 12
    assert {test["distance"] for test in crossed} == {"su", "pod"}
    saw(
        "level pairs between rails, six nodes",
        f"{len(crossed)} tests between rails pass, {time.monotonic() - begun:.1f} s",
    )


def test_bisection_passes(world, saw):
    begun = time.monotonic()
    record = people.performs(world, "healthy", level="bisection", nodes="", into="bisection")
    assert record["summary"]["result"] == "pass", record["summary"]
    assert {test["state"] for test in record["tests"]} == {"pass"}
    saw(
        "level bisection, six nodes over all spines",
        f"{record['summary']['counts']['pass']} tests pass, {time.monotonic() - begun:.1f} s",
    )


def test_collectives_pass(world, saw):
    """By stand-ins of mpirun and nccl-tests: every operation, whole, by rail and by node, near and far."""
    begun = time.monotonic()
    record = people.collects(world, "healthy", nodes="", brief=False)
    assert record["summary"]["result"] == "pass", record["summary"]
    counts = record["summary"]["counts"]
    saw(
        "level collectives, six nodes",
        f"{counts['pass']} tests pass, {time.monotonic() - begun:.1f} s",
    )


def test_a_collective_over_tcp_fails(world, saw):
    """Launcher and nccl-tests are stand-ins; NCCL of one node finds no RDMA device. Each node alone uses NVLink."""
    begun = time.monotonic()
    nodes = [f"worker-su0{su}-rack01-h0{slot}" for su in (1, 2) for slot in (1, 2)]
    record = people.collects(world, "tcp_fallback", nodes=",".join(nodes), code=2)
    failed = [test for test in record["tests"] if test["state"] == "fail"]
    assert {len(test["nodes"]) for test in failed} == {4}
    said = "ran over TCP (NCCL: network Socket), not over RoCE"
    assert all(said in test["sentence"] for test in failed)
    passed = [test for test in record["tests"] if test["state"] == "pass"]
    assert sorted(test["nodes"] for test in passed) == [[node] for node in nodes]
    saw(
        "level collectives fails where NCCL of one of four nodes uses TCP",
        f"{failed[0]['sentence']} {time.monotonic() - begun:.1f} s",
    )


def test_a_healthy_fabric_passes_noise(world, saw):
    begun = time.monotonic()
    record = people.performs(world, "good_neighbour", level="noise", nodes="")
    assert record["summary"]["result"] == "pass"
    assert record["suspects"] == []
    assert people.scratch(world) == set()
    saw(
        "level noise passes six healthy nodes, five repeats",
        f"{record['summary']['counts']['pass']} tests pass, {time.monotonic() - begun:.1f} s",
    )


def test_a_noisy_neighbour_is_named(world, saw):
    begun = time.monotonic()
    record = people.performs(world, "noisy_neighbour", level="noise", nodes="", code=2)
    assert people.scratch(world) == set()
    assert [(row["kind"], row["place"], row["certain"]) for row in record["suspects"]] == [
        ("tenant", f"noisy on leaf-p1-su002-r{rail}", True) for rail in (1, 2)
    ]
    lost = min(test["value"] for test in record["tests"] if test["step"] == "together")
    saw(
        "level noise names who disturbs whom, five repeats",
        f"{lost:.1f} % of the rate alone, {time.monotonic() - begun:.1f} s",
    )


def test_a_noisy_neighbour_is_named_after_a_run_that_was_killed_beside_it(world, saw):
    """The next run ends what still sends, brings all nodes back, and measures what is missing.

    The stand-ins of perftest have a model of links; they meet over the real EVPN, in two tenants of the test.
    """
    begun = time.monotonic()
    people.noise_killed(world, "noisy_neighbour")
    assert people.scratch(world) == {"t65535-quiet", "t65534-noisy"}
    record = people.makes_noise(world, "noisy_neighbour", code=2)
    assert people.scratch(world) == set()
    assert not people.sending(world)
    assert [(row["kind"], row["place"], row["certain"]) for row in record["suspects"]] == [
        ("tenant", f"noisy on leaf-p1-su002-r{rail}", True) for rail in (1, 2)
    ]
    lost = next(test for test in record["tests"] if test["state"] == "fail")
    saw(
        "level noise, killed (-9) beside aggressors; the next run removes both tenants and names who disturbs",
        f"{record['suspects'][0]['place']}: {lost['value']:.1f} % of the rate alone, {time.monotonic() - begun:.1f} s",
    )
