# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Level noise: two tenants for its rounds alone, victims beside aggressors, and what a killed run leaves."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import run as edge_run
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.measure import (
    rounds,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.measure.records import ROUNDS
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.tenants import (
    memory,
)

from .running import record_of


class Leaves(memory.Leaves):
    """Leaves in memory, which say what became of them."""

    def __init__(self, world):
        super().__init__(world)
        self.silent = False

    def __call__(self, _plan, _task, _stated):
        return self

    def each(self, names, work):
        if self.silent:
            raise FabricError.of("leaf-p1-su001-r1: no connection.")
        return super().each(names, work)

    def result(self):
        return {"changed": True, "devices": {}}


@pytest.fixture
def leaves(run, monkeypatch):
    """The leaves of the run, in memory."""
    fabric = Fabric.load(str(run.folder / "model" / "fabric.yml"))
    registry = Registry.load(fabric)
    names = [fabric.name(switch) for switch in fabric.switches() if switch.role == "leaf"]
    documents = {name: compose.document(fabric, name, tenants=registry) for name in names}
    made = Leaves(memory.Memory(fabric, documents))
    monkeypatch.setattr(edge_run, "leaves", made)
    return made


def vrfs(leaves):
    """The VRFs that host ports of built nodes are in."""
    found = set()
    for document in leaves.world.documents.values():
        found |= {body.get("vrf") for body in document["interface"].values()}
    return found - {None, "mgmt", "t1-quarantine"}


def noise(run, **options):
    """The rounds of level noise in the order of the playbook; its last task."""
    made = run.plan("noise", **options)
    assert not made.get("failed"), made
    run.do("leave")
    run.measure()
    run.do("leave")
    return run.do("sum")


def test_victims_that_keep_their_bandwidth_pass_and_everybody_is_back(run, leaves, capsys):
    before = dict(leaves.world.documents)
    made = noise(run)
    assert not made.get("failed"), made
    assert leaves.world.documents == before
    found = record_of(made)
    assert found["summary"]["levels"]["noise"]["fail"] == 0
    assert {test["step"] for test in found["tests"]} == {"together", "again", "p99"}
    assert "noise round 30 of 30: 2 measurements" in capsys.readouterr().out


def test_nodes_are_in_two_tenants_while_they_are_measured(run, leaves):
    run.plan("noise")
    run.measure(most=3)
    assert vrfs(leaves) == {"t65535-quiet", "t65534-noisy"}
    state = json.loads((run.folder / "report" / "performance" / "state.json").read_text())
    held = state["scratch"]
    assert len(held["quiet"]) + len(held["noisy"]) == 6


def test_a_noisy_neighbour_is_a_breach_and_is_named(run, leaves, capsys):
    run.disturbed = 300.0
    made = noise(run)
    found = record_of(made)["suspects"]
    assert [(row["kind"], row["place"], row["certain"]) for row in found] == [
        ("tenant", f"noisy on leaf-p1-su002-r{rail}", True) for rail in (1, 2)
    ]
    said = capsys.readouterr().out
    assert "  disturbs: tenant noisy on leaf-p1-su002-r1: It disturbs tenant quiet here" in said
    assert "600 Gb/s beside aggressors, 76.5 % of 784.2 Gb/s alone" in said
    assert made["failed"]
    together = [test for test in record_of(made)["tests"] if test["step"] == "together"]
    assert together
    assert all("Gb/s beside aggressors" in test["sentence"] for test in together)
    assert {test["state"] for test in together} == {"fail"}
    assert {test["state"] for test in record_of(made)["tests"] if test["step"] == "again"} == {
        "pass"
    }


def test_aggressors_that_do_not_send_prove_nothing(run, leaves):
    run.plan("noise")
    run.measure(most=0)
    run.broken = {run.kept("performance")["nodes"][0]: "no python."}
    run.do("leave")
    store.put(ROUNDS, [])
    run.measure()
    run.do("leave")
    made = run.do("sum")
    found = [test for test in record_of(made)["tests"] if test["step"] == "together"]
    assert {test["state"] for test in found} == {"not_run"}


def test_what_a_killed_run_left_is_brought_back_by_the_next(run, leaves):
    before = dict(leaves.world.documents)
    run.plan("noise")
    run.measure(most=2)
    assert leaves.world.documents != before
    (run.folder / "report" / "performance" / "state.json").unlink()
    run.again()
    run.plan("pairs")
    run.do("leave")
    assert leaves.world.documents == before


def test_leaves_that_do_not_answer_matter_only_where_somebody_is_left(run, leaves):
    leaves.silent = True
    run.plan("pairs")
    assert not run.do("leave").get("failed")
    run.variables["spx_report"] = str(run.folder / "other")
    leaves.silent = False
    run.plan("noise")
    run.measure(most=1)
    leaves.silent = True
    assert "no connection" in run.do("leave")["msg"]


def test_nodes_of_a_tenant_are_not_moved(run, leaves):
    text = "tenants: [{id: 21, slug: acme, nodes: ['su01','su02'], host_access: managed}]\n"
    (run.folder / "model" / "tenants.yml").write_text(text)
    assert (
        "this level moves its nodes to tenants of its own"
        in run.plan("noise", nodes=["su01"])["msg"]
    )


def test_aggressors_that_end_early_prove_nothing(run, leaves):
    run.brief = 1.5
    made = noise(run)
    assert made["failed"]
    rows = [test for test in record_of(made)["tests"] if test["step"] == "together"]
    assert {row["state"] for row in rows} == {"not_run"}
    assert all("for 16 s ended after 1.5 s" in row["sentence"] for row in rows)


def test_a_round_in_which_hosts_did_not_meet_is_measured_again(run, leaves, monkeypatch, capsys):
    """Ansible is slow once; the next rounds wait as long for each other as that took, and half of it again."""
    monkeypatch.setattr(rounds, "_late", _once(rounds._late, "worker began 4.0 s too late."))
    made = noise(run)
    assert not made.get("failed"), made
    assert record_of(made)["summary"]["levels"]["noise"]["pass"] == 6
    said = capsys.readouterr().out
    assert said.count("noise/alone-1/bidirectional is measured again: worker began 4.0 s") == 1


def _once(late, sentence):
    said = [sentence]
    return lambda *args: said.pop() if said else late(*args)


def test_rounds_wait_as_long_as_ansible_took_and_half_of_it_again():
    assert rounds._lead(6, 0.0, 1) == 2 * rounds.TURN * 6, "six hosts, one after the other"
    assert rounds._lead(6, 100.0, 1) == 150.0
    assert rounds._lead(6, 4000.0, 1) == rounds.LONGEST


def test_hosts_that_begin_too_late_to_meet_prove_nothing(run, leaves, monkeypatch):
    monkeypatch.setattr(rounds, "_lead", lambda *_known: -20.0)
    made = noise(run)
    rows = [test for test in record_of(made)["tests"] if test["step"] == "together"]
    assert {row["state"] for row in rows} == {"not_run"}
    assert all("too late, so that aggressors and victims" in row["sentence"] for row in rows)


def test_too_few_nodes_are_said(run, leaves):
    run.plan("noise", nodes=["su01"])
    (row,) = run.kept("performance")["not_run"]
    assert "choose five nodes or more" in row["reason"]
