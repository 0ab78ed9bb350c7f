# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run ends with what failed, names the slow part, and leaves a record."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf import nccl
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
    results,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.measure import verdict

from .running import record_of

H01, H02, H03 = (f"worker-su01-rack0{rack}-h0{n}" for rack, n in ((1, 1), (1, 2), (2, 3)))
OTHER = "worker-su02-rack01-h01"


def test_a_healthy_fabric_passes_and_leaves_its_record(run, capsys):
    made = run.run("pairs", "rails")
    assert not made.get("failed"), made
    assert made["failed_checks"] == {}
    found = results.read(made["record"])
    assert found["summary"]["result"] == "pass"
    assert found["suspects"] == []
    stem = made["record"].removesuffix(".json")
    assert Path(f"{stem}.xml").read_text().startswith("<?xml")
    assert "<html" in Path(f"{stem}.html").read_text()
    assert not (run.folder / "report" / "performance" / "state.json").exists()
    assert "pairs: 74 pass" in capsys.readouterr().out
    assert "pairs/bandwidth/leaf/host" in (run.folder / "model" / "baselines.yml").read_text()


def test_a_slow_port_is_named_and_levels_that_build_on_it_are_not_run(run, capsys):
    run.slow = {(H02, "rail2p1"): 200.0}
    made = run.run("pairs", "rails")
    assert made["failed"]
    assert f"The record is {made['record']}." in made["msg"]
    assert made["failed_checks"][H02] > 0
    found = record_of(made)
    named = {(one["kind"], one["place"]) for one in found["suspects"]}
    assert any(H02 in place for _kind, place in named), named
    assert not any(H01 in place or H03 in place for kind, place in named if kind in ("node", "nic"))
    assert found["not_run"] == [
        {"level": "rails", "reason": "Level pairs, on which it builds, has failed."}
    ]
    assert f"may be slow: nic {H02}:rail2p1: " in capsys.readouterr().out


def test_what_the_rounds_of_a_level_do_not_tell_is_searched_for(run):
    run.slow = dict.fromkeys([(H02, "rail2p1"), (OTHER, "rail2p1")], 200.0)
    found = record_of(run.run("rails"))
    assert any(test["step"].startswith("search-") for test in found["tests"])
    assert {(one["kind"], one["place"]) for one in found["suspects"] if one["kind"] != "cable"} == {
        ("nic", f"{H02}:rail2p1"),
        ("nic", f"{OTHER}:rail2p1"),
    }


def test_counters_of_a_nic_tell_the_cable(run):
    run.slow = {(H02, "rail2p1"): 200.0}
    run.errors = {(H02, "rail2p1"): {"rx_symbol_err_phy": 4000}}
    found = record_of(run.run("pairs"))
    assert found["counters"][f"{H02}:rail2p1"]["rx_symbol_err_phy"] > 0
    assert {one["kind"] for one in found["suspects"]} == {"cable"}


@pytest.fixture
def no_gpu(run, tmp_path):
    """Hosts whose collectives are those of module measure, over a machine without any GPU."""
    honest, bare = run._module, Host(root=str(tmp_path / "bare"), sysfs=str(tmp_path / "bare/sys"))

    def module(host, options):
        jobs = options.get("collectives") or []
        made = honest(host, {**options, "collectives": []})
        if options["do"] == "collect":
            nodes = str(tmp_path / "nodes")
            made["measurements"] += [nccl.measure(bare, job, bool, hostfile=nodes) for job in jobs]
        return made

    run._module = module
    return run


def test_nodes_without_gpus_are_not_run_with_that_reason_and_what_passed_has_passed(no_gpu, capsys):
    made = no_gpu.run("rails", "collectives", launcher="mpirun")
    assert not made.get("failed"), made
    counts = record_of(made)["summary"]["levels"]
    assert counts["rails"]["pass"] == sum(counts["rails"].values())
    assert counts["collectives"]["not_run"] == sum(counts["collectives"].values()) > 0
    assert record_of(made)["summary"]["result"] == "incomplete"
    assert ": this host has no GPU." in capsys.readouterr().out


def test_without_anything_else_nodes_without_gpus_prove_nothing(no_gpu):
    assert "Nothing was measured" in no_gpu.run("collectives", launcher="mpirun")["msg"]


def test_levels_without_a_launcher_are_not_run_with_that_reason(run):
    found = record_of(run.run("rails", "failover"))
    assert found["not_run"] == [
        {
            "level": "failover",
            "reason": "Collectives on several nodes need a launcher: add -e spx_launcher=mpirun or srun.",
        }
    ]
    assert found["summary"]["result"] == "incomplete"


def test_with_strict_what_was_not_measured_is_a_breach(run):
    run.plan("rails")
    run.dark = {H01}
    run.measure()
    assert "tests were not run." in run.do("sum", strict=True)["msg"]


def test_a_second_run_is_held_against_the_best(run):
    run.run("rails")
    kept = (run.folder / "model" / "baselines.yml").read_text()
    run.slow = dict.fromkeys(run.ports.values(), 386.0)
    run.run("rails")
    assert (run.folder / "model" / "baselines.yml").read_text() == kept


WAIVED = "waivers: [{check: '*', device: %s, port: rail2p1, until: '%s', reason: optic ordered}]\n"


def test_a_failure_that_is_waived_ends_well_and_keeps_no_level_from_running(run):
    (run.folder / "model" / "waivers.yml").write_text(WAIVED % (H02, "2999-12-31"))
    run.slow = {(H02, "rail2p1"): 200.0}
    made = run.run("pairs", "rails")
    assert not made.get("failed"), made
    assert made["counts"]["waived"] > 0
    found = record_of(made)
    assert found["not_run"] == found["suspects"] == []
    slow = [test for test in found["tests"] if test["state"] == "waived"]
    assert {test["level"] for test in slow} == {"pairs", "rails"}
    assert slow[0]["sentence"].endswith("Waived until 2999-12-31: optic ordered.")


def test_a_waiver_that_has_expired_fails(run):
    (run.folder / "model" / "waivers.yml").write_text(WAIVED % (H02, "2020-01-01"))
    run.slow = {(H02, "rail2p1"): 200.0}
    made = run.run("pairs")
    assert made["failed"]
    sentences = [test["sentence"] for test in record_of(made)["tests"] if test["state"] == "fail"]
    assert all(text.endswith("The waiver of 2020-01-01 has expired.") for text in sentences)


def test_a_wrong_waiver_is_said_before_anything_is_measured(run):
    (run.folder / "model" / "waivers.yml").write_text("waivers: [{check: pairs}]\n")
    assert "waivers[0]: check, until and reason are needed" in run.plan("pairs")["msg"]


@pytest.mark.parametrize("name", ["x" * 100, "a\nb", "\x1b[31m", " "])
def test_whoever_measures_is_one_line_of_the_baselines(run, monkeypatch, name):
    monkeypatch.setenv("SUDO_USER", name)
    made = run.run("rails", nodes=[H01, H02])
    assert not made.get("failed"), made
    by = record_of(made)["by"]
    assert by == by.strip()
    assert 0 < len(by) <= 64
    assert by.isprintable()


def test_a_user_without_a_name_has_a_number(run, monkeypatch):
    def unknown():
        raise KeyError("getpwuid(): uid not found: 12345")

    monkeypatch.delenv("SUDO_USER", raising=False)
    monkeypatch.setattr(verdict.getpass, "getuser", unknown)
    assert record_of(run.run("rails", nodes=[H01, H02]))["by"].startswith("user ")


def test_a_report_that_cannot_be_written_costs_no_measurement(run):
    """The disk is full at the end: with room again the same command measures nothing again, and writes it."""
    run.plan("rails", nodes=["su01"])
    number = run.measure()
    page = run.folder / "report" / "performance" / f"{run.kept('performance')['run']}.html"
    page.mkdir()
    said = run.do("sum")["msg"]
    assert said.startswith(f"report: {page} cannot be written (")
    assert said.endswith("make room, or name another folder.")
    page.rmdir()
    run.again()
    assert f"{number} of its rounds are finished" in run.plan("rails", nodes=["su01"])["lines"][-1]
    assert run.measure() == 0
    made = run.do("sum")
    assert made["counts"]["fail"] == 0
    assert page.is_file()
