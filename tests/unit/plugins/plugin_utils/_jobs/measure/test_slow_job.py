# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A slow job: two readings of its switches, or one question to Prometheus, and never a node."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.service import ServiceError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.measure import slow_job
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

from .test_counters import Switches

LEAF, NODE = "leaf-p1-su001-r1", "worker-su01-rack01-h01"
TENANTS = (
    "tenants: [{id: 21, slug: acme, nodes: [su01/h01, su02/h01], host_access: managed},"
    " {id: 22, slug: globex, nodes: [su01/h02]}]\n"
)
NOW = 1764500000
TIME = {"since": "2025-11-30T10:00:00Z", "before": "2025-11-30T10:30:00+00:00"}


@pytest.fixture
def project(tmp_path):
    described = yaml.safe_load((INVENTORIES / "lab" / "model" / "fabric.yml").read_text())
    (tmp_path / "tenants.yml").write_text(TENANTS)

    def made(**more):
        path = tmp_path / f"fabric-{len(more)}.yml"
        path.write_text(yaml.safe_dump({**described, **more}))
        return Fabric.load(str(path))

    return made


class Run:
    """What a job sees of a task."""

    def __init__(self, fabric, switches=None):
        self.fabric, self.check, self.lines = (lambda: fabric), False, []
        self.leaves = lambda _plan: switches

    def show(self, lines):
        self.lines += lines


@pytest.fixture(autouse=True)
def still(monkeypatch):
    """Nobody waits, and the time stands."""
    slept = []
    monkeypatch.setattr(slow_job.time, "sleep", slept.append)
    moment = slow_job.datetime.datetime.fromtimestamp(NOW, tz=slow_job.datetime.UTC)
    monkeypatch.setattr(slow_job.clock, "now", lambda: moment)
    return slept


def asked(**more):
    return {"nodes": [], "tenant": "acme", "seconds": 60, "report": None, **more}


class Rising(Switches):
    """A switch whose first port has five symbol errors more at the second reading."""

    reads = 0

    def each(self, names, work):
        self.errors += 5
        return super().each(names, work)


def test_two_readings_name_the_cable(project, still, tmp_path):
    run = Run(project(), Rising(0, silent=["spine-p1-s02"]))
    found = slow_job.answer(run, asked(report=str(tmp_path / "report")))
    assert still == [60]
    first = found["suspects"][0]
    assert (first["kind"], first["tenant"]) == ("path", "acme")
    assert first["counter"] == "in-errors"
    assert first["rose"] == 5
    assert "spine-p1-s02: no connection." in found["unknown"]
    assert run.lines[0].startswith(f"  path: {LEAF} port swp1s0")
    results, answer = (json.loads(Path(name).read_text()) for name in found["written"])
    row = results[0]
    assert (row["id"], row["state"], row["device"]) == ("job.path", "fail", LEAF)
    assert answer["nodes"] == [NODE, "worker-su02-rack01-h01"]


def test_check_mode_reads_once_and_writes_nothing(project, still, tmp_path):
    run = Run(project(), Rising(0))
    run.check = True
    found = slow_job.answer(run, asked(report=str(tmp_path / "report")))
    assert found["suspects"] == []
    assert still == []
    assert "With --check the counters are read once." in found["unknown"]
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"tenant": None}, "variable spx_nodes is missing"),
        ({"nodes": ["su01"]}, "the nodes are of acme, globex, quarantine: name nodes of one"),
        ({"nodes": [LEAF]}, "has no node: name nodes or a tenant."),
        ({"since": "yesterday"}, "spx_from: 'yesterday' is not a time"),
        ({"before": "2099-01-01T00:00:00Z"}, "is in the future: correct it, or the clock"),
        ({"since": TIME["before"], "before": TIME["since"]}, "-1800 s lie between them"),
        ({"since": "2025-11-01", "before": "2025-11-20"}, "use 30 s to 7 days."),
        (TIME, "the description states no monitoring.prometheus: state it"),
    ],
)
def test_what_cannot_be_answered_is_refused(project, more, words):
    with pytest.raises(FabricError) as refused:
        slow_job.answer(Run(project(), Switches(0)), asked(**more))
    assert words in str(refused.value)


class Prometheus:
    """Answers by metric, and keeps the queries."""

    def __init__(self, rows, broken=""):
        self.rows, self.broken, self.queries = rows, broken, []

    def __call__(self, _url, **_options):
        return self

    def form(self, _path, fields):
        self.queries.append(fields)
        metric = re.match(r"increase\((\w+)\{", fields["query"])[1]
        if self.broken and metric.startswith(self.broken):
            raise ServiceError("http://p: it answers with 302.")
        rows = [
            {"metric": labels, "value": [1, value]}
            for name, labels, value in self.rows
            if name == metric
        ]
        return {"status": "success", "data": {"resultType": "vector", "result": rows}}


SYMBOLS, NIC = "nvswitch_interface_phy_stats_phy_symbol_errors", "spx_nic_counter_total"
AT = {"device": LEAF, "interface": "swp1s0"}
OF_NIC = {"device": NODE, "interface": "rail1p1", "counter": "outbound_pci_stalled_wr_events"}


def test_prometheus_is_asked_about_a_time(project, monkeypatch):
    rows = [
        (SYMBOLS, AT, "7.4"),
        (SYMBOLS, {**AT, "interface": "swp1s1"}, "NaN"),
        (NIC, OF_NIC, "5"),
    ]
    served = Prometheus(rows)
    monkeypatch.setattr(slow_job, "of_site", served)
    run = Run(project(monitoring={"prometheus": "http://p"}))
    found = slow_job.answer(run, asked(**TIME))
    kinds = [(row["kind"], row["device"], row["rose"]) for row in found["suspects"]]
    assert kinds == [("cable", LEAF, 7), ("nic", NODE, 5)]
    first = served.queries[0]
    assert first["time"] == "1764498600"
    assert first["query"].endswith("[1800s])")
    assert f'device=~"{LEAF}|leaf-p1-su001-r2|' in first["query"]
    assert {'sp="3"'} <= set(re.findall(r'sp="\d"', " ".join(q["query"] for q in served.queries)))


def test_an_empty_answer_proves_nothing(project, monkeypatch):
    monkeypatch.setattr(slow_job, "of_site", Prometheus([]))
    found = slow_job.answer(Run(project(monitoring={"prometheus": "http://p"})), asked(**TIME))
    assert (found["suspects"], found["healthy"]) == ([], [])
    assert any(
        text.startswith(f"Errors, drops and pauses of {LEAF} swp1s0 and 3 more")
        for text in found["unknown"]
    )


def test_a_service_that_answers_with_something_else_is_refused(project, monkeypatch):
    monkeypatch.setattr(slow_job, "of_site", Prometheus([], broken="nvswitch"))
    with pytest.raises(FabricError, match="it answers with 302"):
        slow_job.answer(Run(project(monitoring={"prometheus": "http://p"})), asked(**TIME))


def test_live_readings_count_without_the_nics(project, monkeypatch):
    monkeypatch.setattr(slow_job, "of_site", Prometheus([], broken="spx_nic"))
    run = Run(project(monitoring={"prometheus": "http://p"}), Rising(0))
    found = slow_job.answer(run, asked())
    assert found["suspects"]
    assert "http://p: it answers with 302." in found["unknown"]


def test_names_are_plain_in_a_query():
    assert slow_job._quoted('a.b"\n(c)') == "a\\\\.b\\\\(c\\\\)"
