# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A round becomes tasks of module measure, as that module takes them."""

from __future__ import annotations

import itertools

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.task import tasks_from
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import (
    jobs,
    placement,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan.levels import (
    LEVELS,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan.records import (
    BIDIRECTIONAL,
    LATENCY,
    Group,
    Pair,
    asked,
    asked_of,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    TWO_PLANES,
    build,
    example,
)

H01, H02 = "worker-su01-rack01-h01", "worker-su01-rack01-h02"
PAIRS, COLLECTIVES = LEVELS["pairs"], LEVELS["collectives"]


SITE = {"launcher": "mpirun", "launcher_options": [], "command": [], "gpus_per_node": 0}


def parts(rows, level=PAIRS, fabric=None, **site):
    return jobs.of_round(fabric or example("lab"), rows, level, {**SITE, **site})


def test_a_collective_names_the_rails_of_its_first_node_and_of_all():
    row = asked_of("collectives", Group("four", (H01, H02), "best"), operation="all_reduce")
    (made,) = parts([row], COLLECTIVES)[H01]["collective"]
    assert [one["interface"] for one in made["rails"]] == ["rail1p1", "rail2p1"]
    assert [one["address"] for one in made["rails"]] == made["addresses"][:2]
    assert len(set(made["addresses"])) == 4
    planes = {**TWO_PLANES, "balancing": "hwplb"}
    shared = build(planes=planes, addressing={"profile": "nvidia-guide-v4-2tier"})
    nodes = tuple(shared.name(node) for node in itertools.islice(shared.nodes(), 2))
    row = asked_of("collectives", Group("two", nodes, "best"), operation="all_reduce")
    (made,) = parts([row], COLLECTIVES, shared)[nodes[0]]["collective"]
    assert [one["interface"] for one in made["rails"]] == [f"rail{n}p1" for n in range(1, 9)]
    assert len(set(made["addresses"])) == 16


def test_both_sides_of_a_pair_meet():
    made = parts([asked("pairs", Pair(H01, H02, 1, 0, "leaf"))])
    (client,), (server,) = made[H01]["client"], made[H02]["server"]
    assert (client["peer"], server["peer"]) == (server["address"], client["address"])
    differing = {"side", "address", "peer"}
    assert {key for key in client if client[key] != server[key]} == differing
    assert client["interface"] == "rail2p1"
    assert (client["dscp"], client["priority"], client["port"]) == (24, 3, 18515)
    assert (client["size"], client["qps"], client["seconds"]) == (65536, 8, 10)


@pytest.mark.parametrize(
    "kind, values",
    [(LATENCY, ("ib_write_lat", 2, 2, False)), (BIDIRECTIONAL, ("ib_write_bw", 65536, 10, True))],
)
def test_the_kind_decides_tool_size_and_time(kind, values):
    row = asked("pairs", Pair(H01, H02, 0, 0, "leaf"), kind=kind)
    (job,) = parts([row])[H01]["client"]
    assert (job["tool"], job["size"], job["seconds"], job["bidirectional"]) == values
    assert jobs.seconds(PAIRS, [row]) == values[2]


def test_a_command_of_the_site_is_run_in_place_of_perftest():
    row = asked("pairs", Pair(H01, H02, 0, 0, "leaf"))
    made = parts([row], launcher="", command=["measure", "{peer}"])
    (job,) = made[H02]["server"]
    assert (job["tool"], job["command"]) == ("command", ["measure", "{peer}"])


@pytest.mark.parametrize("level", ["pairs", "rails", "bisection"])
def test_no_host_has_a_port_twice_and_the_module_takes_every_job(level):
    fabric = example("lab")
    nodes = [fabric.name(node) for node in fabric.nodes()]
    for pairs in placement.rounds(fabric, level, nodes):
        rows = [asked(level, pair) for pair in pairs]
        for found in parts(rows, LEVELS[level]).values():
            every = [*found.get("client", ()), *found.get("server", ())]
            assert len({job["port"] for job in every}) == len(every)
            assert len(tasks_from(every, [])) == len(every)


def test_planes_have_ports_of_their_own_unless_the_nic_balances_them():
    fabric = build(planes=TWO_PLANES)
    name = fabric.name(next(fabric.nodes()))
    assert [jobs.nic(fabric, name, 3, plane)["port"] for plane in (0, 1)] == ["rail4p1", "rail4p2"]
    shared = build(planes={**TWO_PLANES, "balancing": "hwplb"})
    assert jobs.nic(shared, name, 3, 1)["port"] == "rail4p1"


@pytest.mark.parametrize("nodes, launcher", [((H01, H02), "mpirun"), ((H01,), "")])
def test_a_collective_is_started_on_its_first_node(nodes, launcher):
    row = asked_of("collectives", Group("all", nodes, "best"), operation="alltoall", split="MOD 2")
    made = parts([row], COLLECTIVES)
    assert list(made) == [H01]
    (job,) = made[H01]["collective"]
    assert (job["operation"], job["split"]) == ("alltoall", "MOD 2")
    assert (job["launcher"], job["nodes"]) == (launcher, list(nodes))
    assert job["environment"]["NCCL_IB_TC"] == "96"
    assert tasks_from([], [job])


def test_between_rails_each_side_has_the_port_of_its_own():
    made = parts([asked("pairs", Pair(H01, H02, 0, 0, "su", 1))])
    (client,), (server,) = made[H01]["client"], made[H02]["server"]
    assert (client["interface"], server["interface"]) == ("rail1p1", "rail2p1")
    assert (client["peer"], server["peer"]) == (server["address"], client["address"])
