# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Level failover: what is shut in a round, and that a job whose ports could not be shut proves nothing."""

from __future__ import annotations

import shutil
import time
from types import SimpleNamespace

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import run as edge_run
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.measure import failover
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.temporary_change import (
    Span,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

from .running import Run, record_of


class Switches:
    """Switches that shut ports at once; `refused` is why they do not."""

    def __init__(self):
        self.shut, self.refused, self.seconds = [], "", set()

    def __call__(self, _plan, _task, _stated):
        return self

    def each(self, names, work):
        if self.refused:
            raise FabricError.of(self.refused)
        return {name: work(SimpleNamespace(name=name, shut=self._shut(name))) for name in names}

    def _shut(self, name):
        def shut(ports, *, seconds):
            self.shut.append((name, ports))
            self.seconds.add(seconds)
            return Span(time.time(), time.time() + seconds)

        return shut


@pytest.fixture
def switches(monkeypatch):
    """Switches in memory, and a clock that does not wait."""
    made = Switches()
    monkeypatch.setattr(edge_run, "leaves", made)
    monkeypatch.setattr(failover.time, "sleep", lambda _seconds: None)
    return made


def measured(run, **options):
    made = run.plan("failover", launcher="mpirun", **options)
    assert not made.get("failed"), made
    assert run.measure() == 4
    return record_of(run.do("sum"))


def test_an_uplink_and_a_spine_are_shut_under_a_job_each(run, switches):
    found = measured(run)
    assert [(name, len(ports)) for name, ports in switches.shut] == [
        ("leaf-p1-su001-r1", 1),
        ("spine-p1-s01", 8),
    ]
    for kind, state in (
        ("link", "pass"),
        ("spine", "pass"),
        ("leaf", "not_run"),
        ("host_link", "not_run"),
    ):
        tests = {test["id"]: test for test in found["tests"] if f"-{kind}/" in test["id"]}
        assert {test["state"] for test in tests.values()} == {state}
        if state == "pass":
            assert set(tests) == {
                f"failover/{p}/{p}-{kind}/alltoall/all/worst" for p in ("during", "after")
            }
        else:
            assert all(
                "the job ends: it is not shut." in test["sentence"] for test in tests.values()
            )
    assert found["summary"]["result"] == "incomplete"


def test_durations_of_the_site_are_those_of_the_run_and_in_its_record(run, switches):
    chosen = {"before": 10, "shut": 20, "back": 5, "after": 10}
    found = measured(run, **{f"failover_{name}": value for name, value in chosen.items()})
    assert switches.seconds == {20}
    assert any("shuts a part for 20 s" in text for text in found["disturbances"])


def test_a_stopped_run_is_not_gone_on_with_by_other_durations(run, switches):
    run.plan("failover", launcher="mpirun", failover_shut=20)
    run.measure(most=1)
    assert (
        "other variables (spx_failover_shut 20, spx_launcher mpirun)"
        in (run.plan("failover", launcher="mpirun")["msg"])
    )


def test_the_job_goes_on_until_it_is_ended(run, switches):
    measured(run)
    jobs = [job for _host, _word, rows in run.collectives for job in rows]
    assert {job["cycles"] for job in jobs} == {0}
    assert {job["operation"] for job in jobs} == {"alltoall"}


def test_ports_that_could_not_be_shut_prove_nothing(run, switches):
    switches.refused = "spine-p1-s01: no connection."
    tests = measured(run)["tests"]
    assert {test["state"] for test in tests} == {"not_run"}
    cut = [test for test in tests if "-link/" in test["id"] or "-spine/" in test["id"]]
    assert all("no connection." in test["sentence"] for test in cut)


def test_a_customer_on_the_spines_needs_a_window_even_a_managed_one(run, switches):
    text = "rest: [{nodes: ['*/[01-02]'], acceptance: b}]\n"
    text += "tenants: [{id: 21, slug: acme, nodes: ['su01/h03'], host_access: managed}]\n"
    (run.folder / "model" / "tenants.yml").write_text(text)
    made = run.plan("failover", launcher="srun")
    assert "level failover: 1 rented node of acme share the spines" in made["msg"]
    assert not run.plan("failover", launcher="srun", window="2099-12-31 CHG-42").get("failed")


def test_ports_that_nobody_manages_are_not_shut(run, switches):
    described = run.folder / "model" / "fabric.yml"
    described.write_text(described.read_text().replace("  - switch_underlay\n", ""))
    assert (
        "manage of the description does not list switch_underlay"
        in (run.plan("failover", launcher="srun")["msg"])
    )


def test_a_round_of_another_level_shuts_nothing(run, switches):
    run.plan("rails", nodes=["su01"])
    run.measure(most=1)
    assert run.do("shut") == {"changed": False}
    assert switches.shut == []


class TwoPlanes(Run):
    """The example whose NICs have ports in two planes; NCCL has loaded a plugin."""

    loaded = "spcx"

    @property
    def inventory(self):
        return sorted({name for name, _port in self.ports.values()})

    def _module(self, host, options):
        made = super()._module(host, options)
        for row in made.get("measurements", ()):
            row["plugin"] = self.loaded
        return made


@pytest.fixture
def two_planes(tmp_path):
    project = shutil.copytree(INVENTORIES / "lab-2plane", tmp_path / "two")
    rows = "rest: [{nodes: ['su01/[01-02]', 'su02/[01-02]'], acceptance: burn-in}]\n"
    (project / "model" / "tenants.yml").write_text(rows)
    return TwoPlanes(project)


def states(found):
    """By kind of element."""
    made = {}
    for test in found["tests"]:
        made.setdefault(test["id"].split("/")[2].partition("-")[2], set()).add(test["state"])
    return made


def of_two_planes(run):
    made = run.plan("failover", launcher="mpirun", plugin="spcx")
    assert not made.get("failed"), made
    run.measure()
    return record_of(run.do("sum"))


def test_with_several_planes_and_a_stated_plugin_leaf_plane_and_port_are_shut(two_planes, switches):
    found = of_two_planes(two_planes)
    kinds = ("link", "spine", "leaf", "plane", "host_link")
    assert states(found) == {kind: {"pass"} for kind in kinds}
    assert [name for name, _ports in switches.shut[3:-1]] == [
        "leaf-p1-su001-r1",
        "leaf-p1-su002-r1",
    ]
    assert found["nccl_plugin"] == "spcx"


def test_a_job_without_the_stated_plugin_shows_nothing_of_planes(two_planes, switches):
    two_planes.loaded = ""
    found = states(of_two_planes(two_planes))
    assert found.pop("link") == {"pass"}
    assert set().union(*found.values()) == {"not_run"}
