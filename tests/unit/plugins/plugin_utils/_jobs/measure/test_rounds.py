# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rounds of a run: who does what, what is kept of it, and what follows after a kill or without a host."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.measure import rounds
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.measure import state as kept

from .running import record_of

H01, H02, H03 = (f"worker-su01-rack0{rack}-h0{n}" for rack, n in ((1, 1), (1, 2), (2, 3)))
OTHER = "worker-su02-rack01-h01"
PAIR = {"nodes": [H01, H02]}


def state(run):
    return json.loads((run.folder / "report" / "performance" / "state.json").read_text())


def measured_in(run, key):
    file = run.folder / "report" / "performance" / "state.json"
    return kept.round_of(str(file), key)["measured"]


def words(run, word):
    return [(host, jobs) for host, done, jobs in run.asked if done == word]


def test_a_pair_is_measured_by_a_server_and_a_client_on_ports_of_their_own(run):
    run.plan("rails", **PAIR)
    assert run.measure() == 2  # a ring of two: there and back
    (server, first), (client, second), *_others = words(run, "serve")
    assert (server, client) == (H02, H01)
    assert [job["side"] for job in first] == ["server"] * 2
    assert [job["side"] for job in second] == ["client"] * 2
    assert [job["port"] for job in first] == [18515, 18516] == [job["port"] for job in second]
    assert [job["peer"] for job in second] == [job["address"] for job in first]
    assert {job["interface"] for job in second} == {"rail1p1", "rail2p1"}


def test_a_run_after_a_killed_one_measures_what_is_missing(run):
    run.plan("pairs", **PAIR)
    assert run.measure(most=5) == 5
    run.again()
    made = run.plan("pairs", **PAIR)
    assert made["lines"][-1].endswith("5 of its rounds are finished")
    assert run.measure() == 7
    assert run.do("sum")["counts"]["fail"] == 0
    assert "rounds are finished" not in run.plan("pairs", **PAIR)["lines"][-1]


def test_before_the_first_round_each_host_ends_what_was_left(run):
    run.plan("rails", **PAIR)
    run.measure(most=0)
    assert words(run, "stop") == [(H01, []), (H02, [])]
    assert words(run, "serve") == []


def test_levels_that_load_the_spines_begin_together(run):
    run.plan("bisection")
    run.measure(most=0)
    run.do("round", round=run.kept("rounds")[0])
    assert run.kept("round")["at"] > run.kept("round")["began"]
    run.variables["spx_report"] = str(run.folder / "other")
    run.plan("pairs")
    run.measure(most=0)
    run.do("round", round=run.kept("rounds")[0])
    assert run.kept("round")["at"] == 0


def test_a_host_that_does_not_answer_is_not_asked_again(run):
    run.plan("rails")
    run.dark = {H01}
    run.measure()
    gone = state(run)["gone"]
    assert gone == {H01: f"{H01} did not answer."}
    made = run.do("sum")
    assert not made.get("failed"), made
    record = record_of(made)
    absent = [test for test in record["tests"] if test["state"] == "not_run"]
    assert absent
    assert {H01} <= {test["first"] for test in absent} | {test["second"] for test in absent}
    assert all(f"{H01} did not answer." in test["sentence"] for test in absent if test["second"])
    assert record["disturbances"][-1] == f"{H01} did not answer."


def test_a_run_after_a_stopped_one_asks_a_host_again_that_did_not_answer(run):
    """With its rounds taken over the run would end with 0, and has not measured a node that answers."""
    run.plan("rails", nodes=["su01"])
    run.dark = {H01}
    run.measure(most=2)
    run.dark = set()
    run.again()
    made = run.plan("rails", nodes=["su01"])
    assert "1 of its rounds" in made["lines"][-1], "the one that has no part for it"
    run.measure()
    assert run.do("sum")["counts"]["not_run"] == 0


def test_a_host_whose_module_fails_fails_what_it_has_a_part_in(run, capsys):
    """Check a host whose module fails: a missing tool would be reported by the module; this is something else."""
    run.plan("rails", nodes=["su01"])
    run.broken = {H02: "python3 is too old."}
    run.measure()
    made = run.do("sum")
    assert made["failed"]
    assert f"{H01} to {H02}, rail 1: {H02}: python3 is too old." in capsys.readouterr().out
    states = {}
    for test in record_of(made)["tests"]:
        if test["second"] and test["kind"] == "bandwidth":
            states.setdefault(H02 in (test["first"], test["second"]), set()).add(test["state"])
    assert states == {True: {"fail"}, False: {"pass"}}


def test_a_pair_of_which_neither_end_returns_anything_has_failed(run):
    """Both answer, and say nothing: others passed, so that the run would have ended with 0."""
    run.plan("rails", nodes=["su01"])
    honest = run._module

    def module(host, options):
        made = honest(host, options)
        if options["do"] == "collect":
            rows = made["measurements"]
            made["measurements"] = [row for row in rows if f"{H01}>{H02}" not in row["id"]]
        return made

    run._module = module
    run.measure()
    made = run.do("sum")
    assert made["failed"], made
    silent = [t for t in record_of(made)["tests"] if (t["first"], t["second"]) == (H01, H02)]
    lacks = [test for test in silent if test["kind"] == "bandwidth" and not test["step"]]
    assert {test["state"] for test in lacks} == {"fail"}
    assert all(f"{H01}: it returned no measurement." in test["sentence"] for test in lacks)


def test_no_round_begins_after_the_time_of_the_run(run, monkeypatch):
    run.plan("rails", **PAIR)
    run.measure(most=1)
    later = state(run)["until"] + 1
    monkeypatch.setattr(rounds.time, "time", lambda: later)
    run.do("round", round=run.kept("rounds")[1])
    run.do("judge")
    assert measured_in(run, "rails/bandwidth/2")[0]["sentence"] == ("The time of the run was over.")
    run.do("next")
    assert run.kept("rounds") == []
    made = run.do("sum")
    assert record_of(made)["summary"]["counts"] == {"pass": 2, "fail": 0, "waived": 0, "not_run": 2}
    assert made["msg"].startswith("The time of the run was over before everything was measured: ")


def test_a_level_that_its_time_left_out_is_not_passed_over(run, monkeypatch):
    run.plan("rails", "bisection", nodes=["*/[01-02]"])
    run.measure(most=2)
    later = state(run)["until"] + 1
    monkeypatch.setattr(rounds.time, "time", lambda: later)
    run.do("next")
    made = run.do("sum")
    assert record_of(made)["not_run"][-1]["reason"] == rounds.OVER
    assert made["msg"].startswith("The time of the run was over before everything was measured: ")


def test_results_of_an_earlier_round_do_not_count(run):
    run.plan("rails", **PAIR)
    run.measure(most=1)
    run.do("round", round=run.kept("rounds")[1])
    run.do("judge")
    measured = measured_in(run, "rails/bandwidth/2")
    assert {row["state"] for row in measured} == {"failed"}
    assert measured[0]["sentence"] == "it returned no measurement."


def test_a_line_says_how_far_a_run_is(run, capsys):
    run.plan("rails", **PAIR)
    run.slow = {(H02, "rail1p1"): 100.0}
    capsys.readouterr()
    run.measure(most=1)
    (line,) = [text for text in capsys.readouterr().out.splitlines() if "round" in text]
    said, _comma, most = line.strip().rpartition(", at most ")
    assert said.startswith("rails round 1 of 2: 2 measurements, 1 failed; about ")
    assert most


def test_a_line_calls_no_latency_not_run_that_only_waits_for_the_others(run, capsys):
    run.plan("pairs", **PAIR)
    capsys.readouterr()
    run.measure(most=3)
    lines = [text for text in capsys.readouterr().out.splitlines() if "round" in text]
    assert len(lines) == 2
    assert not [text for text in lines if "not run" in text]


def test_a_run_in_which_all_is_well_fits_on_a_screen(run, capsys):
    assert not run.run("pairs", "rails").get("failed")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].strip() == "measure lab: 6 nodes of acceptance group burn-in of rest"
    assert "no further round is planned" in "\n".join(lines)
    assert len(lines) <= 24


@pytest.mark.parametrize("word", ["next", "round", "judge", "sum", "counters"])
def test_nothing_goes_on_without_a_plan(run, word):
    made = run.do(word, round="x")
    assert "nothing is planned" in made["msg"]


def test_in_check_mode_nothing_is_measured(run):
    assert "lines" in run.do(
        "plan", check=True, levels=["pairs"], report=str(run.folder / "report")
    )
    assert run.kept("performance")["acts"] is False
    assert run.do("next", check=True)["rounds"] == []
    assert "check mode" in run.do("sum", check=True)["msg"]
    assert not (run.folder / "report").exists()


def without(key):
    return lambda row: {name: value for name, value in row.items() if name != key}


def with_(**changes):
    return lambda row: {**row, **changes}


LIES = {
    "text": lambda row: "fine",
    "no id": without("id"),
    "an id that is a list": with_(id=[]),
    "another id": with_(id="pairs/of/others"),
    "no side": without("side"),
    "the side of the other": lambda row: {
        **row,
        "side": {"client": "server"}.get(row["side"], "client"),
    },
    "no memory": without("memory"),
    "a memory of its own": with_(memory="\x1b[31m/a/b"),
    "a counter of letters": with_(counters={"rx_symbol_err_phy": "many"}),
    "a list of counters": with_(counters=[1]),
    "a counter without end": with_(counters={"rx_symbol_err_phy": 10**400}),
    "a rate without end": with_(gbps=10**400),
    "a rate in words": with_(gbps="392"),
    "no rate": with_(gbps=float("nan")),
    "less than nothing": with_(gbps=-392.1),
    "seconds in words": with_(seconds="ten"),
    "a time that never ends": with_(seconds=float("inf")),
    "a verdict": with_(state="pass"),
    "cycles of nothing": with_(cycles=[1]),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_host_that_lies_fails_and_spoils_nothing_else(run, lie):
    """Levels of three nodes: what the other two measured with each other still counts."""
    honest = run._module

    def module(host, options):
        made = honest(host, options)
        if host == H01 and options["do"] == "collect":
            made["measurements"] = [lie(row) for row in made["measurements"]]
        return made

    run._module = module
    made = run.run("rails", nodes=["su01"])
    states = {}
    for test in record_of(made)["tests"]:
        if test["second"] and test["kind"] == "bandwidth":
            states.setdefault(H01 in (test["first"], test["second"]), set()).add(test["state"])
    assert made["failed"], made
    assert states[False] == {"pass"}
    assert "fail" in states[True]


def test_a_host_speaks_for_no_other(run):
    """The third host answers in place of the second one."""
    run.plan("rails", nodes=["su01"])
    honest, run.broken = run._module, {H02: "python3 is too old."}

    def module(host, options):
        made = honest(host, options)
        if host == H03 and options["do"] == "collect":
            rows = made["measurements"]
            pair = next(row["id"] for row in rows).replace(H03, H02)
            made["measurements"] += [{**row, "id": pair, "side": "server"} for row in rows]
        return made

    run._module = module
    run.measure()
    tests = record_of(run.do("sum"))["tests"]
    assert {t["state"] for t in tests if H02 in (t["first"], t["second"])} <= {"not_run", "fail"}


def test_a_round_that_was_removed_or_edited_stops_the_run_with_a_sentence(run):
    run.plan("rails", **PAIR)
    run.measure(most=1)
    folder = run.folder / "report" / "performance" / "rounds"
    (done,) = [path for path in folder.iterdir() if "measured" in path.read_text()]
    done.write_text(done.read_text().replace("392.1", "399.9"))
    for word in ("next", "sum"):
        assert "it was not written by the playbook, or was edited" in run.do(word)["msg"]
    done.unlink()
    assert (
        f"{done} is not the state of a measurement (No such file or directory)"
        in run.do("next")["msg"]
    )
