# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One host's part in a round."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.measure import host
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.measure.records import (
    ROUND,
    CurrentRound,
    ShutPorts,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

PARTS = {"client": [{"id": "c"}], "server": [{"id": "s"}]}


def run(word, name="h01", parts=None, check=False, answer=None, **current):
    """(options of the module, result) of a word on a host."""
    asked = []

    def measure(options):
        asked.append(options)
        return answer or {"measurements": [{"id": "c"}]}

    hosts = {name: PARTS if parts is None else parts}
    store.put(ROUND, CurrentRound(**{"key": "k", "hosts": hosts, "seconds": 10, **current}))
    means = SimpleNamespace(store=store, check=check, fabric=lambda: example("lab"))
    made = host.take_part(means, name, word, measure)
    return (asked[0] if asked else None), made


@pytest.fixture(autouse=True)
def _begun(begin):
    begin()


@pytest.mark.parametrize(
    "word, does, ids",
    [("serve", "serve", ["s"]), ("start", "serve", ["c"]), ("collect", "collect", ["c", "s"])],
)
def test_servers_begin_before_clients_and_both_are_collected(word, does, ids):
    options, made = run(word)
    assert (options["do"], [job["id"] for job in options["jobs"]]) == (does, ids)
    assert (made["device"], made["round"], made["sentence"]) == ("h01", "k", "")


def test_clients_that_begin_together_are_waited_for():
    at = time.time() + 100
    assert run("start", at=at)[0]["at"] == at
    assert 155 < run("serve", at=at)[0]["patience"] <= 160
    assert 165 < run("collect", at=at)[0]["patience"] <= 170
    assert run("collect")[0]["patience"] == 70
    assert run("collect", shut=ShutPorts("spine-1", {}, "", ""))[0]["patience"] == 1


def test_a_host_without_a_part_is_skipped():
    for word in ("serve", "start", "collect", "stop"):
        options, made = run(word, parts={})
        assert options is None
        assert made["skipped"]
    assert run("serve", parts={"client": [{"id": "c"}]})[0] is None
    assert run("start", check=True)[0] is None


def test_before_the_first_round_every_host_ends_what_was_left():
    assert run("stop", parts={}, key="")[0] == {"do": "stop", "run": ""}


def test_a_failure_of_the_module_is_a_sentence_and_silence_is_unreachable():
    made = run("collect", answer={"failed": True, "msg": "no ethtool."})[1]
    assert made["sentence"] == "no ethtool."
    assert not made.get("failed")
    assert run("collect", answer={"unreachable": True, "msg": "dark"})[1]["unreachable"]


def test_a_host_is_let_go_whatever_its_last_part_was():
    assert run("release", parts={})[0] == {"do": "release", "run": ""}


def test_a_run_is_refused_where_another_measures():
    other = "run A measures there"
    held = {"h01": {"held": other}, "h02": {}, "h03": {"held": ""}, "h04": {"held": f"{other} too"}}
    assert host.refuse(held)["held"] == (
        "h01, h04: run A measures there: wait for its end, or choose other nodes with spx_nodes."
    )
    assert host.refuse({"h02": {}}) == {"changed": False, "held": ""}


def test_a_run_has_one_name_for_hosts_which_its_report_is_part_of():
    one = host.owner(SimpleNamespace(run="R", report="report"))
    assert one == host.owner(SimpleNamespace(run="R", report=os.path.abspath("report")))
    assert one != host.owner(SimpleNamespace(run="R", report="other"))


def test_a_node_of_a_collective_that_another_one_starts_is_held():
    """It keeps for its ranks which RDMA devices its rails have."""
    name = "worker-su01-rack01-h01"
    rails = [
        {"interface": "rail1p1", "address": "172.16.0.0"},
        {"interface": "rail2p1", "address": "172.18.0.0"},
    ]
    held = {"do": "serve", "patience": 60, "run": "", "rails": rails}
    assert run("serve", name, parts={}, nodes=[name, "h02"])[0] == held
    assert run("start", name, parts={}, nodes=[name, "h02"])[0] is None
