# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module measure: what each word does, and what its options may be."""

from __future__ import annotations

import os

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf import serve
from ansible_collections.spectrum_x.fabric.plugins.modules.measure import work

JOB = {
    "id": "pairs/r1/a>b",
    "tool": "ib_write_bw",
    "side": "client",
    "interface": "rail1p1",
    "address": "172.16.0.0",
    "peer": "172.16.0.2",
    "port": 18515,
}
COLLECTIVE = {"id": "c", "operation": "alltoall", "nodes": ["a"], "gpus_per_node": 8}
DEFAULTS = {
    "size": 65536,
    "qps": 4,
    "seconds": 10,
    "dscp": 24,
    "priority": 3,
    "bidirectional": False,
}
FULL = {**JOB, **DEFAULTS, "gpu": "none", "tool": "command", "command": ["any"]}


def params(do, *jobs, **values):
    return {
        "do": do,
        "jobs": list(jobs),
        "collectives": [],
        "rails": [],
        "patience": None,
        "at": 0,
        "run": "",
        **values,
    }


@pytest.fixture
def host(tmp_path, monkeypatch):
    """A host without any port: a measurement fails at once, in a process of its own."""
    (tmp_path / "proc").symlink_to("/proc")
    tool = tmp_path / "bin" / "ethtool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    made = Host(root=str(tmp_path), sysfs=str(tmp_path / "sys"))
    yield made
    serve.end(made)


@pytest.mark.parametrize("do", ["measure", "serve"])
def test_in_check_mode_nothing_runs(target, do):
    found = target.run("measure", check=True, do=do, jobs=[JOB], collectives=[COLLECTIVE])
    if do == "serve":
        assert found["changed"] is True
        assert [row["sentence"] for row in found["started"]] == ["", ""]
    else:
        assert found["changed"] is False
        said = [(row["id"], row["state"], row["sentence"]) for row in found["measurements"]]
        assert said == [
            (name, "not_run", "nothing runs in check mode.") for name in ("pairs/r1/a>b", "c")
        ]
    assert target.calls == []


@pytest.mark.parametrize(
    ("job", "words"),
    [
        ({**JOB, "port": 70000}, "pairs/r1/a>b: port is 70000; it has to be from 1 to 65535."),
        (
            {**JOB, "peer": "--x"},
            "pairs/r1/a>b: peer is '--x'; it has to be an address without length.",
        ),
        ({**JOB, "tool": "sh"}, "value of tool must be one of"),
        ({key: JOB[key] for key in JOB if key != "peer"}, "missing required arguments: peer"),
    ],
)
def test_a_wrong_option_is_one_sentence(target, job, words):
    found = target.run("measure", check=True, do="measure", jobs=[job])
    assert found["failed"] is True
    assert words in found["msg"]


def test_a_measurement_is_made_and_returned(host):
    found = work(host, params("measure", FULL))
    (made,) = found["measurements"]
    assert found["changed"] is False
    assert (made["id"], made["side"], made["state"]) == ("pairs/r1/a>b", "client", "failed")
    assert made["sentence"].startswith("rail1p1: this host has no such interface")


def test_what_was_started_is_collected_and_forgotten(host):
    server = {**FULL, "side": "server"}
    started = work(host, params("serve", server))
    (row,) = started["started"]
    assert started["changed"] is True
    assert row["sentence"]
    (made,) = work(host, params("collect", server))["measurements"]
    assert made["sentence"] == row["sentence"]
    assert work(host, params("stop")) == {"changed": False, "stopped": [], "held": ""}
    (made,) = work(host, params("collect", server, patience=0))["measurements"]
    assert made["sentence"] == "it was not started on this host."


def test_stop_says_what_it_ended(host, monkeypatch):
    monkeypatch.setattr(serve, "end", lambda _host, tasks=None: [f"{tasks and len(tasks)}"])
    assert work(host, params("stop")) == {"changed": True, "stopped": ["None"], "held": ""}
    assert work(host, params("stop", FULL))["stopped"] == ["1"]


def test_two_tasks_of_one_name_are_refused(host):
    with pytest.raises(NicError, match="two tasks of this host have this id"):
        work(host, params("serve", FULL, FULL))


def test_a_run_keeps_others_from_its_host_until_it_lets_go(host):
    server = {**FULL, "side": "server"}
    work(host, params("serve", server, run="A"))
    with pytest.raises(NicError, match="run A measures there"):
        work(host, params("serve", server, run="B"))
    for do in ("stop", "release"):
        assert "run A measures there" in work(host, params(do, run="B"))["held"]
    assert work(host, params("stop", run="A"))["held"] == ""
    assert work(host, params("stop", run="B"))["held"]
    assert work(host, params("release", run="A"))["held"] == ""
    assert work(host, params("stop", run="B"))["held"] == ""
