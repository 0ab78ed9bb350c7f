# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to a host, checked before anything is started."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.task import (
    is_server,
    limit,
    run,
    slug,
    tasks_from,
)

COLLECTIVE = {
    "id": "c",
    "operation": "all_reduce",
    "nodes": ["a", "b"],
    "gpus_per_node": 8,
    "launcher": "mpirun",
    "split": "",
    "smallest": "8",
    "largest": "16G",
    "iterations": 20,
    "warmup": 5,
    "seconds": 600,
    "environment": {"X": 1},
}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"interface": "-x"}, "interface is '-x', which is not allowed there"),
        ({"interface": "a" * 16}, "interface is"),
        (
            {"address": "172.16.0.0/31"},
            "address is '172.16.0.0/31'; it has to be an address without length",
        ),
        ({"peer": "--help"}, "peer is '--help'"),
        ({"port": 0}, "port is 0; it has to be from 1 to 65535"),
        ({"qps": 0}, "qps is 0; it has to be from 1 to 16384"),
        ({"dscp": 64}, "dscp is 64; it has to be from 0 to 63"),
        ({"seconds": 100_000}, "seconds is 100000"),
    ],
)
def test_a_job_with_a_wrong_value_is_refused(a_job, values, words):
    with pytest.raises(NicError, match=words):
        tasks_from([a_job(**values)], [])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"operation": "../x"}, "operation is '../x'"),
        ({"launcher": "bash -c"}, "launcher is 'bash -c'"),
        ({"nodes": ["a", "-oProxyCommand=x"]}, "nodes has '-oProxyCommand=x'"),
        ({"nodes": ["a:8,b"]}, "nodes has 'a:8,b'"),
        ({"environment": {"A B": "1"}}, "environment has 'A B'"),
        ({"largest": "-1"}, "largest is '-1'"),
        ({"folder": "opt"}, "folder is 'opt'"),
        ({"gpus_per_node": -1}, "gpus_per_node is -1"),
    ],
)
def test_a_collective_with_a_wrong_value_is_refused(values, words):
    with pytest.raises(NicError, match=words):
        tasks_from([], [{**COLLECTIVE, **values}])


def test_variables_become_text():
    (found,) = tasks_from([], [COLLECTIVE])
    assert found["environment"] == {"X": "1"}


def test_both_sides_may_be_on_one_host_but_none_twice(a_job):
    assert len(tasks_from([a_job(), a_job(side="server")], [])) == 2
    with pytest.raises(NicError, match="two tasks of this host have this id and the same side"):
        tasks_from([a_job(), a_job()], [])


def test_names_of_files_differ_by_task_and_side(a_job):
    names = [slug(task) for task in (a_job(), a_job(side="server"), a_job(id="x"))]
    assert len({*names}) == 3
    assert all(name.isalnum() for name in names)


def test_every_task_has_an_end(a_job):
    tasks = [a_job(side="server"), a_job(tool="command", command=["x"]), COLLECTIVE]
    assert [limit(task, 60) for task in tasks] == [100, 40, 630]
    assert [is_server(task) for task in tasks] == [True, False, False]


@pytest.mark.parametrize(
    ("values", "program"),
    [
        ({}, "ib_write_bw"),
        ({"tool": "ib_write_lat"}, "ib_write_lat"),
        ({"tool": "command", "command": ["x"]}, "x"),
    ],
)
def test_a_job_runs_its_tool(machine, a_job, values, program):
    machine.says = {program: Result(0, "usage", ""), "run": Result(1, "", "no")}
    (machine.folder / "run").mkdir()
    found = run(machine.host(), a_job(**values), report="/run/x", patience=0, ended=lambda: False)
    assert f"rail1p1: {program} failed: no." == found["sentence"]


def test_a_collective_runs_nccl_tests(machine):
    found = run(machine.host(), COLLECTIVE, report="/run/x", patience=0, ended=lambda: False)
    assert found["sentence"] == "all_reduce: this host has no GPU."
