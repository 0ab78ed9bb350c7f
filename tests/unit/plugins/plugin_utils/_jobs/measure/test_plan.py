# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A measurement is planned and shown, or refused, before anything is touched."""

from __future__ import annotations

import pytest

from .running import record_of

H01, H02, H03 = (f"worker-su01-rack0{rack}-h0{n}" for rack, n in ((1, 1), (1, 2), (2, 3)))
RENTED = "tenants: [{id: 21, slug: acme, nodes: ['su01/h03']}]\n"
REST = "rest: [{nodes: ['*/[01-02]'], acceptance: burn-in}]\n"


def registry(run, text):
    (run.folder / "model" / "tenants.yml").write_text(text)


def test_the_whole_plan_is_shown(run):
    lines = run.plan("rails", "pairs", "collectives", "bisection")["lines"]
    assert lines[0] == "measure lab: 6 nodes of acceptance group burn-in of rest"
    assert [line.partition(":")[0] for line in lines if "round" in line] == [
        "pairs",
        "rails",
        "bisection",
        "collectives",
        "time",
    ]
    assert "not run: collectives: Each node is measured alone" in "\n".join(lines)
    facts = run.kept("performance")
    assert facts["levels"] == ["pairs", "rails", "bisection", "collectives"]
    assert facts["not_run"][0]["level"] == "collectives"


def test_with_a_launcher_collectives_are_planned(run):
    run.plan("collectives", launcher="mpirun")
    run.measure(most=0)
    assert "collectives/all_reduce/four/best" in run.kept("rounds")
    run.do("round", round="collectives/all_reduce/four/worst")
    ((host, parts),) = run.kept("round")["hosts"].items()
    (job,) = parts["collective"]
    assert (job["launcher"], job["nodes"][0], len(job["nodes"])) == ("mpirun", host, 4)
    assert job["environment"]["NCCL_IB_TC"] == "96"


def test_words_of_the_launcher_are_those_of_the_site(run):
    run.plan(
        "collectives", launcher="srun", launcher_options="--partition=burn-in --comment='two words'"
    )
    run.measure(most=0)
    run.do("round", round="collectives/all_reduce/four/worst")
    (parts,) = run.kept("round")["hosts"].values()
    assert parts["collective"][0]["options"] == ["--partition=burn-in", "--comment=two words"]


def test_words_without_a_launcher_are_refused(run):
    assert (
        "variable spx_launcher_options: they need a launcher: add spx_launcher"
        in run.plan("collectives", launcher_options="--partition=burn-in")["msg"]
    )


def test_spines_that_rented_nodes_share_need_a_window(run):
    registry(run, REST + RENTED)
    assert not run.plan("pairs", "rails").get("failed")
    run.variables["spx_report"] = str(run.folder / "second")
    assert "level bisection: 1 rented node of acme share the spines" in run.plan("bisection")["msg"]
    made = run.plan("bisection", window="2099-12-31 CHG-42")
    assert not made.get("failed"), made
    told = run.kept("performance")["disturbs"]
    assert told[-2] == "1 node of acme share the spines that bisection load."
    assert told[-1] == "A window is agreed until 2099-12-31: CHG-42."


def test_a_tenant_that_is_measured_is_no_stranger_to_its_own_spines(run):
    text = REST.replace("*/[01-02]", "su01/h02") + RENTED.replace("su01/h03", "*/h03")
    registry(
        run,
        text.replace("}]\n", ", host_access: managed}]\n").replace(
            "burn-in, host_access: managed", "burn-in"
        ),
    )
    made = run.plan("bisection", nodes=["*/h03"])
    assert not made.get("failed"), made


def test_a_level_without_a_pair_is_not_run(run):
    run.plan("bisection", nodes=[H01, H02])
    facts = run.kept("performance")
    assert facts["levels"] == []
    assert "choose nodes of several leaves" in facts["not_run"][0]["reason"]


def test_nodes_without_a_partner_reach_the_record(run):
    run.plan("pairs", nodes=[H01, H02])
    run.measure()
    made = run.do("sum")
    record = record_of(made)
    assert record["levels"] == ["pairs"]
    assert [row["level"] for row in record["not_run"]] == ["pairs"]
    assert f"{H01}, {H02} have no partner on another leaf" in record["not_run"][0]["reason"]
    assert record["summary"]["result"] != "pass"


def test_a_sliced_inventory_is_refused(run, monkeypatch):
    monkeypatch.setattr(type(run), "inventory", [H01])
    assert f"inventory: {H02}, {H03}" in run.plan("pairs", nodes=["su01"])["msg"]


def test_a_stopped_run_of_other_nodes_is_refused_in_one_sentence(run):
    run.plan("pairs", nodes=[H01, H02])
    said = run.plan("pairs", nodes=[H01, H03])["msg"]
    assert f"is of a stopped measurement of the nodes {H01}, {H02}" in said


def test_the_report_is_beside_the_model_by_default(run):
    run.do("plan", levels=["rails"])
    assert (run.folder / "report" / "performance" / "state.json").exists()


# A node that is accepted


def accepting(run):
    described = run.folder / "model" / "fabric.yml"
    described.write_text(described.read_text() + "acceptance_level: pairs\n")
    run.do("plan", accept=H03, report=str(run.folder / "report"))
    run.hosts = run.kept("performance")["nodes"]
    run.measure()
    return run.do("sum")


def test_a_node_is_accepted_where_it_is_well_with_one_partner(run):
    run.slow = {(H01, port): 100.0 for port in ("rail1p1", "rail2p1")}
    made = accepting(run)
    assert not made.get("failed"), made
    assert made["record"].startswith(f"{run.folder}/report/accepted/{H03}/performance/")
    pairs = [test for test in record_of(made)["tests"] if test["second"]]
    assert pairs
    assert all(H03 in (test["first"], test["second"]) for test in pairs)
    assert not (run.folder / "model" / "baselines.yml").exists()


def test_a_node_that_is_slow_with_each_partner_is_not_accepted(run):
    run.slow = {(H03, "rail2p1"): 300.0}
    made = accepting(run)
    assert made["failed"]
    assert "300 Gb/s, less than 380 Gb/s" in made["msg"]


# A command of the site


def test_a_command_of_the_site_measures_one_way_in_two_levels(run):
    made = run.plan("pairs", "bisection", command="my_test --to {peer} 'two words'")
    assert [line for line in made["lines"] if line.startswith("not run: ")] == [
        "not run: bisection: A command of the site is measured in levels pairs and rails: leave spx_command out."
    ]
    run.measure(most=0)
    assert {key.split("/")[1] for key in run.kept("rounds")} == {"bandwidth"}
    run.do("round", round=run.kept("rounds")[0])
    jobs = [j for part in run.kept("round")["hosts"].values() for j in part.get("client", ())]
    assert {job["tool"] for job in jobs} == {"command"}
    assert jobs[0]["command"] == ["my_test", "--to", "{peer}", "two words"]


def test_a_command_with_an_open_quote_is_refused(run):
    assert (
        "variable spx_command: my_test ' cannot be split"
        in run.plan("pairs", command="my_test '")["msg"]
    )


# What is refused before anything is measured


@pytest.mark.parametrize("option", ["nodes", "levels"])
def test_an_empty_list_is_no_wish_for_all(run, option):
    made = run.do("plan", **{option: []})
    assert "the list is empty: name " in made["msg"]


def test_broken_files_that_the_end_reads_are_said_at_once(run):
    (run.folder / "model" / "baselines.yml").write_text("baselines: 5\n")
    assert "baselines.yml line 1, baselines: 5" in run.plan("pairs")["msg"]
    (run.folder / "model" / "baselines.yml").unlink()
    folder = run.folder / "report" / "performance"
    folder.mkdir(parents=True)
    (folder / "20260101T000000Z.json").write_text("{")
    assert "20260101T000000Z.json is not the record of a run" in run.plan("pairs")["msg"]


def test_what_another_description_or_command_measured_is_not_gone_on_with(run):
    run.plan("pairs")
    assert "other variables" in run.plan("pairs", command="my_test {peer}")["msg"]
    described = run.folder / "model" / "fabric.yml"
    described.write_text(described.read_text() + "# nothing else\n")
    assert not run.plan("pairs").get("failed")
    described.write_text(described.read_text() + "acceptance_level: rails\n")
    assert "of another state of the description: run that again" in run.plan("pairs")["msg"]


@pytest.mark.parametrize("word", ["next", "sum"])
def test_a_description_that_changes_while_it_is_measured_ends_the_run(run, word):
    run.plan("rails", nodes=[H01, H02])
    run.measure(most=1)
    described = run.folder / "model" / "fabric.yml"
    described.write_text(described.read_text() + "acceptance_level: rails\n")
    assert "of another state of the description" in run.do(word)["msg"]


# Between rails


def test_rails_are_crossed_where_the_site_asks(run):
    run.slow = {(H02, "rail2p1"): 100.0}
    made = run.run("pairs", cross_rails=True, nodes=["su01"])
    record = record_of(made)
    between = [test for test in record["tests"] if test["step"] == "crossed"]
    assert {(test["rail"], test["to_rail"]) for test in between} == {(0, 1), (1, 0)}
    assert {test["limit_source"] for test in between if test["kind"] == "bandwidth"} == {
        "ours: 95 % of the port's rate"
    }
    failed = next(test for test in between if test["state"] == "fail" and test["second"] == H02)
    assert failed["sentence"].startswith(f"{failed['first']} to {H02}, rail 1 to rail 2: 100 Gb/s")
    assert [(row["kind"], row["place"].split(" <-> ")[0]) for row in record["suspects"]] == [
        ("cable", f"{H02} port rail2p1"),
        ("nic", f"{H02}:rail2p1"),
    ]


def test_what_crosses_no_rails_is_refused_in_one_sentence(run):
    asked = "variable spx_cross_rails: pairs between rails are those of level pairs, which spx_level does not name"
    assert run.plan("rails", cross_rails=True)["msg"] == f"{asked}: leave the variable out."


def test_a_stopped_run_that_crossed_rails_is_not_gone_on_with_by_another(run):
    run.plan("pairs", cross_rails=True)
    assert "other variables (spx_cross_rails true)" in run.plan("pairs")["msg"]
