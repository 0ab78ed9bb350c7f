# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The switches' playbooks through ansible-playbook, against doubles of the lab's six switches."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from .fleet import LEAF, ROOT, SPINE, Lab, factory_lab, recap

OTHER = "spine-p1-s02"
QUICK = {"spx_retries": 1}
pytestmark = pytest.mark.slow


@pytest.fixture
def lab(tmp_path):
    with factory_lab(tmp_path) as made:
        yield made


@pytest.mark.large
def test_from_the_factory_to_a_proven_fabric(lab):
    more = {"spx_backup": "backups", "spx_backup_after": "true"}
    code, output = lab.run("switches", spx_factory="true", spx_report="report", **more)
    assert code == 0, output
    assert "nothing reads it" not in output
    assert {path.stem for path in (lab.folder / "backups").iterdir()} == set(lab.doubles)
    assert {host for host, row in recap(output).items() if row["changed"]} == set(lab.doubles)
    assert lab.doubles[LEAF].applied["system"]["hostname"] == LEAF
    changes = json.loads((lab.folder / "report" / "changes.json").read_text())
    assert {row["device"] for row in changes["devices"]} == set(lab.doubles)
    first = output.index("TASK [Bring the switch to the plan]")
    said = "batch 1 of 5: 1 spine of plane 1 (at most drainable: traffic moves to others); 1 leaf of plane 1"
    assert output.index(said) < first
    assert output.index("Check that the configuration is the planned one") > first

    lab.come_up()
    before = lab.writes()
    code, output = lab.run("switches")
    assert code == 0, output
    assert not any(row["changed"] for row in recap(output).values())
    assert lab.writes() == before

    code, output = lab.run("validate", "--limit", "spx_leaf:spx_spine", spx_report="report")
    assert "  6 switches and 0 hosts are read, and nothing is changed there" in output
    assert code == 0, output
    assert ", 0 failed," in output
    assert (lab.folder / "report" / "results" / f"{SPINE}.json").exists()
    assert (lab.folder / "report" / "junit.xml").exists()

    lab.hear(LEAF, "swp1s0", "worker-su01-rack01-h02", "rail1p1")
    lab.hear(LEAF, "swp1s1", "worker-su01-rack01-h01", "rail1p1")
    code, output = lab.run(
        "validate", "--limit", LEAF, spx_report="report", spx_checks="switch.lldp"
    )
    assert code == 2, output
    assert "rail 1: nodes 1 and 2 of SU 1 are exchanged at swp1s0 and swp1s1" in output


@pytest.mark.large
def test_what_the_batches_may_disturb_is_said_before_the_first_write(lab, monkeypatch):
    """Check mode says it too, and goes no further."""
    monkeypatch.setenv("ANSIBLE_STDOUT_CALLBACK", "spectrum_x.fabric.summary")
    said = "  batches 1 to 2 of 2: each 1 spine of plane 1 (at most drainable: traffic moves to others)"
    plays = ["PLAY Change the first switches: 1 host", "PLAY Change the other switches: 1 host"]
    code, output = lab.run("switches", "--check", "--limit", "spx_spine", spx_factory="true")
    assert code == 0, output
    assert said in output
    assert plays[0] not in output
    code, output = lab.run("switches", "--limit", "spx_spine", spx_factory="true")
    assert code == 0, output
    disturbs = "  spine-p1-s01, spine-p1-s02: The switch is not in service, so nobody"
    places = [output.index(text) for text in (said, disturbs, *plays)]
    assert places == sorted(places)
    assert output.count(disturbs) == 1, "it is not shown again at the end"


@pytest.mark.large
def test_a_run_after_a_failed_proof_proves_again(lab):
    """Check a switch that takes the change, reports that there is none, or was never asked."""
    lab.come_up()
    assert lab.run("switches", "--limit", LEAF, spx_factory="true")[0] == 0
    lab.doubles[LEAF].control.foreign({"system": {"lldp": {"tx-interval": 77}}})
    for dummy in range(2):
        lab.doubles[LEAF].control.fault("no_diff")
        code, output = lab.run("switches", "--limit", LEAF)
        assert code == 2, output
        words = " ".join(output.split())
        assert "does not have the planned configuration: system/lldp/tx-interval" in words
        assert "spx_fact_host_ports" not in output
    code, output = lab.run("switches", "--limit", LEAF)
    assert code == 0, output
    assert lab.doubles[LEAF].applied["system"]["lldp"]["tx-interval"] != 77


def test_the_run_stops_where_the_first_switches_fail(lab):
    lab.doubles[LEAF].control.fault("apply_fail", message="frr reload failed")
    code, output = lab.run("switches", spx_factory="true", spx_report="report")
    assert code == 2, output
    changes = json.loads((lab.folder / "report" / "changes.json").read_text())
    assert {row["device"] for row in changes["devices"]} == set(lab.doubles)
    assert "ended as apply_fail: frr reload failed." in output
    written = {name for name, double in lab.doubles.items() if double.log.writes}
    assert written <= {LEAF, SPINE}


def test_nothing_is_changed_while_a_switch_stays_silent(lab):
    silent = "spine-p1-s02"
    nowhere = lab.folder / "inventory" / "host_vars" / f"{silent}.yml"
    nowhere.write_text(nowhere.read_text().replace(str(lab.doubles[silent].port), "1"))
    for check in ((), ("--check",)):
        code, output = lab.run("switches", *check, spx_factory="true", spx_report="report")
        assert code in (2, 4, 6), output
        said = f"{silent} was not compared with the plan (the reason is above)"
        assert said in " ".join(output.split()), output
        assert f"no switch is changed, because of {silent}" in output
        changes = json.loads((lab.folder / "report" / "changes.json").read_text())
        assert {row["device"] for row in changes["devices"]} == set(lab.doubles) - {silent}
    assert lab.writes() == 0


def test_nothing_is_changed_while_a_switch_would_be_refused(lab):
    """A refusal that the comparison finds stops the run before its first write."""
    assert lab.run("switches", spx_factory="true")[0] == 0
    lab.come_up()
    lab.doubles["spine-p1-s02"].control.reports("left_out")
    lab.describe(management={"ntp": ["192.0.2.10"]})
    before = lab.writes()
    code, output = lab.run("switches", spx_report="report")
    assert code == 2, output
    assert re.search(r"the switch does not report the state of \d+ BGP sessions", output), output
    assert lab.writes() == before
    assert (lab.folder / "report" / "changes.json").exists()


@pytest.mark.large
def test_an_approval_changes_no_switch_while_another_cannot_be_compared(lab):
    """It is no refusal of the approval, so that it holds up all as it does without one."""
    assert lab.run("switches", "--check", spx_factory="true", spx_report="report")[0] == 0
    path = lab.folder / "inventory" / "host_vars" / f"{OTHER}.yml"
    before = path.read_text()
    approved = {"spx_factory": "true", "spx_approved": "report/changes.json"}
    for wrong in ("spx_nvue_ca: /nowhere/ca.pem", "switch_apply_timeout: 0"):
        path.write_text(f"{before}\n{wrong}\n")
        code, output = lab.run("switches", **approved)
        assert code == 2, output
        assert f"no switch is changed, because of {OTHER}" in output
        assert lab.writes() == 0


@pytest.mark.large
def test_a_drained_spine_is_changed_before_the_one_that_carries_its_traffic(lab):
    assert lab.run("switches", spx_factory="true")[0] == 0
    lab.come_up()
    lab.doubles[OTHER].control.foreign({"router": {"bgp": {"graceful-shutdown": "enabled"}}})
    lab.describe(management={"ntp": ["192.0.2.10"]})
    code, output = lab.run("switches", "--limit", "spx_spine")
    assert code == 0, output
    said = [
        "batch 1 of 2: 1 spine of plane 1 (at most drainable: traffic moves to others)",
        "batch 2 of 2: 1 spine of plane 1 (at most interrupting: no other switch in service does their work)",
    ]
    changed = [f"changed: [{name}]" for name in (OTHER, SPINE)]
    places = [output.index(text) for text in (*said, *changed)]
    assert places == sorted(places), output
    assert lab.doubles[OTHER].applied["router"]["bgp"]["graceful-shutdown"] == "enabled"


def test_what_only_counts_with_e_does_not_count_from_group_vars(lab):
    groups = lab.folder / "inventory" / "group_vars"
    groups.mkdir()
    (groups / "spx_spine.yml").write_text("spx_allow_disruptive: [switchd_reload]\n")
    code, output = lab.run("switches", spx_factory="true")
    assert code == 2, output
    assert "variable spx_allow_disruptive: it counts only when given with -e" in output
    assert lab.writes() == 0


def test_a_time_out_of_bounds_is_refused_before_anything_is_asked(lab):
    code, output = lab.run("switches", "--limit", SPINE, switch_apply_settle_time=10**9)
    assert code == 2, output
    assert "variable switch_apply_settle_time: 1000000000 is not allowed: use " in output
    assert not lab.doubles[SPINE].log.requests


def test_a_fabric_whose_roles_configure_no_switch(lab):
    lab.describe(manage=["dpu_qos"])
    code, output = lab.run("switches")
    assert code == 0, output
    assert lab.writes() == 0


def test_nothing_is_written_that_the_description_does_not_list(lab):
    lab.describe(manage=[])
    code, output = lab.run("switches", "--limit", SPINE, spx_factory="true")
    assert code == 0, output
    assert "Nothing will be written: manage in the description does not list" in output
    assert lab.writes() == 0
    assert recap(output)[SPINE]["changed"] == 0
    code, output = lab.run("switches", "--limit", SPINE, "--check", "--diff", spx_factory="true")
    assert code == 0, output
    assert recap(output)[SPINE]["changed"] == 1
    assert "+++ after: wished" in output

    lab.describe(manage=["switch_base"])
    code, output = lab.run("switches", "--limit", SPINE, spx_factory="true")
    assert code == 0, output
    assert set(lab.doubles[SPINE].applied["system"]) >= {"hostname", "lldp"}
    assert "qos" not in lab.doubles[SPINE].applied


def test_variables_of_groups_that_are_misspelt_are_named_once(lab):
    groups = lab.folder / "inventory" / "group_vars"
    groups.mkdir()
    misspelt = {
        "switch_rocee_pfc": [],
        "spx_allow_disruptiv": ["frr_restart"],
        "switch_site": "ours",
    }
    for group in ("spx_leaf", "spx_spine"):
        (groups / f"{group}.yml").write_text(yaml.safe_dump(misspelt))
    code, output = lab.run("switches", "--check", spx_factory="true")
    assert code == 0, output
    said = " ".join(output.split())
    assert said.count("switch_rocee_pfc: nothing reads it, did you mean 'switch_roce_pfc'") == 1
    assert (
        said.count("spx_allow_disruptiv: nothing reads it, did you mean 'spx_allow_disruptive'")
        == 1
    )
    assert "switch_site" not in said


def test_a_wrong_variable_is_named_with_its_role_before_anything_is_asked(lab):
    groups = lab.folder / "inventory" / "group_vars"
    groups.mkdir()
    (groups / "spx_spine.yml").write_text("switch_base_users: {ops: {role: '{{ nowhere }}'}}")
    code, output = lab.run("switches", "--limit", SPINE)
    assert code == 2, output
    said = "spx_spine.yml line 1): its template fails ('nowhere' is undefined): correct it, or define what it names"
    assert said in " ".join(output.split())
    assert not lab.doubles[SPINE].log.requests


def test_a_switch_out_of_service_is_not_dialled(lab):
    row = {"device": SPINE, "since": "2026-11-01", "reason": "fan"}
    lab.describe(out_of_service=[row])
    code, output = lab.run("switches", "--limit", "spx_spine", spx_factory="true")
    assert code == 0, output
    assert set(recap(output)) == {SPINE, "spine-p1-s02"}
    assert not lab.doubles[SPINE].log.requests


def test_an_unreachable_switch_ends_the_run_with_its_code(lab, monkeypatch):
    """And a breach beside it with another one."""
    nowhere = lab.folder / "inventory" / "host_vars" / f"{SPINE}.yml"
    nowhere.write_text(nowhere.read_text().replace(str(lab.doubles[SPINE].port), "1"))
    code, output = lab.run("validate", "--limit", "spx_spine", spx_checks="switch.reachable")
    assert code == 4, output
    assert "1 passed, 0 failed, 0 waived, 1 not run" in output
    monkeypatch.setenv("ANSIBLE_CALLBACKS_ENABLED", "spectrum_x.fabric.exit_code")
    code, output = lab.run(
        "validate", "--limit", "spx_spine", spx_checks="switch.bgp,switch.reachable"
    )
    assert code == 6, output


@pytest.mark.large
@pytest.mark.parametrize(
    ("word", "what"),
    [
        ({"addressing": {"inter_switch": "numbered-31"}}, "default"),
        ({"routing": {"evpn": "loopbacks"}}, "EVPN in default"),
    ],
)
def test_a_word_of_the_description_does_not_end_every_session(lab, word, what):
    """The new sessions come up only when the neighbours have them too, and no switch knows."""
    assert lab.run("switches", spx_factory="true")[0] == 0
    lab.come_up()
    writes = lab.writes()
    content = yaml.safe_load((lab.folder / "model" / "fabric.yml").read_text())
    lab.describe(**{key: {**content.get(key, {}), **values} for key, values in word.items()})
    for arguments in (["--check"], []):
        code, output = lab.run("switches", *arguments)
        assert (code, lab.writes()) == (2, writes), output
        assert f"renumber: every BGP session of {what} is replaced by others" in output
        assert "-e spx_allow_disruptive=renumber" in output


@pytest.mark.large
def test_a_run_that_wrote_nothing_does_not_say_that_all_is_done(lab, monkeypatch):
    monkeypatch.setenv("ANSIBLE_STDOUT_CALLBACK", "spectrum_x.fabric.summary")
    lab.describe(manage=[])
    code, output = lab.run("switches", spx_factory="true")
    last = output.strip().splitlines()[-1]
    assert code == 0, output
    assert last.startswith(
        "ends with 0, but there are open points: 6 hosts only planned: manage of"
    ), last
    code, output = lab.run("switches", "--check", spx_factory="true")
    assert "ends with 0: nothing was written, and nothing would be refused" in output
    code, output = lab.run("switches", "--limit", "worker-su01-rack01-h01")
    last = output.strip().splitlines()[-1]
    assert (code, "no host matched: check the limit and the inventory" in last) == (0, True), output


def test_into_maintenance_and_back(lab, monkeypatch):
    """And each revision says where it came from."""
    monkeypatch.setenv("JOB_ID", "4711")
    told = lab.doubles[SPINE].switch.revisions
    lab.describe(unmanaged=["system/lldp"])
    head = lab.commit()
    spines = "spx_spine"
    code, output = lab.run("switches", "--limit", spines, spx_factory="true", spx_message="CHG-1")
    assert code == 0, output
    assert "foreign, left alone: 4 (switches: 2)" in output
    assert told.current.message == f"CHG-1: spectrum_x.fabric.switches, git {head}, job 4711"
    lab.come_up()
    ports = ["swp1s0", "swp1s1", "swp2s0", "swp2s1", "swp3s0", "swp3s1", "swp4s0", "swp4s1"]
    for port in ports:
        lab.doubles[SPINE].control.operational(
            ["interface", port, "link", "stats"], {"in-pkts": 5, "out-pkts": 7}
        )
    code, output = lab.run("maintenance", spx_device=SPINE, spx_state="enter")
    assert code == 0, output
    assert f"  enter {SPINE}: ask the neighbours to prefer any other path; wait until" in output
    assert "  without it: 1 spine of plane 1 (at most drainable: traffic moves to others)" in output
    assert lab.doubles[SPINE].applied["router"]["bgp"]["graceful-shutdown"] == "enabled"
    origin = f"spectrum_x.fabric.maintenance, git {head}, job 4711"
    assert told.current.message == f"maintenance enter: {origin}"
    code, output = lab.run("switches", "--limit", SPINE)
    assert code == 0, output
    assert lab.doubles[SPINE].applied["router"]["bgp"]["graceful-shutdown"] == "enabled"
    lab.doubles[SPINE].control.sessions("idle")
    code, output = lab.run("validate", "--limit", SPINE)
    assert code == 0, output
    assert f"{SPINE} is in maintenance (router/bgp/graceful-shutdown)" in output
    assert "is idle: check the cable and" in output
    assert "Waived: the switch is in maintenance." in output
    assert "foreign, left alone: 2 (switches: 1)" in output
    lab.doubles[SPINE].control.sessions("established")
    code, output = lab.run("maintenance", spx_device=SPINE, spx_state="leave")
    assert code == 0, output
    assert "graceful-shutdown" not in lab.doubles[SPINE].applied["router"]["bgp"]


@pytest.mark.large
def test_the_last_spine_in_service_is_not_drained(lab):
    """The other one is drained, or lost its sessions, or does not answer; a leaf has no other plane."""
    enter = {"spx_state": "enter", "spx_report": "report"}
    code, output = lab.run("switches", spx_factory="true")
    assert code == 0, output
    lab.come_up()
    other, before = lab.doubles[OTHER], lab.writes()
    leaves = "leaf-p1-su001-r1, leaf-p1-su001-r2, leaf-p1-su002-r1 and 1 more"
    alone = f"{SPINE}: no switch in service takes over its traffic to {leaves} ({OTHER}"

    def refused(reason, device=SPINE, *arguments):
        code, output = lab.run("maintenance", *arguments, spx_device=device, **enter)
        assert code == 2, output
        assert reason in " ".join(output.split()), output
        assert lab.writes() == before

    other.applied["router"]["bgp"]["graceful-shutdown"] = "enabled"
    refused(f"{alone} is drained by router/bgp/graceful-shutdown)")
    refused(f"{alone} is drained", SPINE, "--check")
    del other.applied["router"]["bgp"]["graceful-shutdown"]
    other.control.sessions("idle")
    refused(f"{alone} has no BGP session that is Established)")
    other.control.sessions("established")
    other.switch.faults.order("drop_connection", None)
    refused(f"{alone}: 127.0.0.1")
    refused(f"{LEAF}: no other plane reaches the rails of its nodes", LEAF)
    refused("--limit spine-p1-s02: it leaves out spine-p1-s01", SPINE, "--limit", OTHER)
    group = lab.folder / "inventory" / "group_vars"
    group.mkdir(exist_ok=True)
    (group / "spx_spine.yml").write_text("spx_window: 2999-12-31 CHG-42\n")
    refused(f"{alone}: 127.0.0.1")
    ask = "Ask the neighbours to avoid this switch, or to use it again"
    refused(f"--start-at-task '{ask}': it skips the first checks", SPINE, "--start-at-task", ask)
    code, output = lab.run(
        "maintenance", "--check", spx_device=LEAF, spx_window='"2999-12-31 CHG-42"', **enter
    )
    assert code == 0, output


@pytest.mark.large
def test_maintenance_that_drains_nothing_fails(lab):
    """Nobody may write it, or the place is somebody else's; what a person drained is not given back."""
    assert lab.run("switches", spx_factory="true")[0] == 0
    lab.come_up()
    manage = yaml.safe_load((lab.folder / "model" / "fabric.yml").read_text())["manage"]
    lab.describe(manage=[role for role in manage if role != "switch_underlay"])
    code, output = lab.run("maintenance", spx_device=SPINE, spx_state="enter")
    assert code == 2, output
    assert "manage of the description does not list switch_underlay" in output
    lab.describe(manage=manage, unmanaged=["router/bgp"])
    code, output = lab.run("maintenance", spx_device=SPINE, spx_state="enter", **QUICK)
    assert code == 2, output
    assert f"{SPINE}: it is not drained, as router/bgp/graceful-shutdown is not applied" in output
    unit = {"maintenance": {"unit": {"all-protocols": {"mode": "enabled"}}}}
    lab.doubles[SPINE].control.foreign(unit)
    code, output = lab.run("maintenance", spx_device=SPINE, spx_state="leave", **QUICK)
    assert code == 2, output
    assert f"{SPINE}: it is still drained by maintenance/unit/all-protocols" in output


def test_a_new_switch_takes_the_place_of_a_broken_one(lab):
    """With what the plan does not own, from the backup of the old one."""
    lab.come_up()
    route = {"192.0.2.0/24": {"via": {"198.51.100.1": {"type": "ipv4-address"}}}}
    place = {"vrf": {"default": {"router": {"static": route}}}}
    lab.doubles[LEAF].control.foreign(place)
    code, output = lab.run("backup", "--limit", LEAF, spx_backup="backups")
    assert code == 0, output
    assert lab.writes() == 0
    lab.doubles[LEAF].control.foreign({"vrf": {"default": {"router": {"static": None}}}})
    old = {"spx_device": LEAF, "spx_serial": "SN0", "spx_backup": "backups"}
    code, output = lab.run("switch_replace", **old)
    assert code == 0, output
    assert lab.doubles[LEAF].applied["vrf"]["default"]["router"]["static"] == route
    assert "  without it: 1 leaf of plane 1 (at most interrupting" in output
    assert f"NOT RECORDED: write serial SN0 for {LEAF} into devices.csv." in output
    assert lab.doubles[LEAF].applied["system"]["hostname"] == LEAF


@pytest.mark.large
def test_a_switch_that_served_elsewhere_takes_the_place_of_a_broken_one(lab):
    """It has the addresses of its old place, and its sessions come up as soon as it is cabled."""
    assert lab.run("switches", "--limit", LEAF, spx_factory="true")[0] == 0
    own = next(iter(lab.doubles[LEAF].applied["interface"]["lo"]["ipv4"]["address"]))
    lab.doubles[LEAF].control.foreign(
        {"interface": {"lo": {"ipv4": {"address": {own: None, "10.99.9.9/32": {}}}}}}
    )
    lab.come_up()
    code, output = lab.run("switch_replace", spx_device=LEAF, spx_serial="SN0")
    assert code == 0, output
    assert "10.99.9.9/32" not in lab.doubles[LEAF].applied["interface"]["lo"]["ipv4"]["address"]


def test_a_new_switch_is_waited_for(lab):
    nowhere = lab.folder / "inventory" / "host_vars" / f"{LEAF}.yml"
    nowhere.write_text(nowhere.read_text().replace(str(lab.doubles[LEAF].port), "1"))
    soon = {"spx_retries": 2, "spx_delay": 0}
    code, output = lab.run("switch_replace", spx_device=LEAF, spx_serial="SN0", **soon)
    assert code == 2, output
    assert output.count("FAILED - RETRYING") == 2
    assert "no connection" in output


def test_a_new_switch_for_one_that_is_out_of_service(lab):
    """As one does it: the broken switch is listed first."""
    lab.describe(out_of_service=[{"device": LEAF, "since": "2026-11-01", "reason": "dead"}])
    code, output = lab.run("switch_replace", spx_device=LEAF, spx_serial="SN0")
    assert code == 0, output
    assert lab.doubles[LEAF].applied["system"]["hostname"] == LEAF


def test_the_broken_switch_is_not_taken_for_its_new_one(lab):
    """Neither from the factory, nor with the configuration of its place, where nothing would be written."""
    for made in (None, "switches"):
        assert not made or lab.run(made, "--limit", LEAF, spx_factory="true")[0] == 0
        writes = lab.writes()
        code, output = lab.run("switch_replace", spx_device=LEAF, spx_serial="SN5")
        assert code == 2, output
        assert "expected serial SN5, found serial SN0; nothing was written" in output
        assert lab.writes() == writes


def alone(lab: Lab, role: str) -> dict:
    """Run the play that the README of a role shows, on one switch; returns what is applied then."""
    text = (ROOT / "roles" / role / "README.md").read_text()
    (play,) = yaml.safe_load(text.partition("```yaml\n")[2].partition("```")[0])
    play |= {"hosts": SPINE, "vars": {**play.get("vars", {}), "switch_apply_factory": True}}
    path = lab.folder / "alone.yml"
    path.write_text(yaml.safe_dump([play]))
    code, output = lab.play(path)
    assert code == 0, output
    return lab.doubles[SPINE].applied


def test_a_role_alone_applies_its_own_part_and_touches_no_others(lab):
    after_underlay = alone(lab, "switch_underlay")
    assert "bgp" in after_underlay["router"]
    assert "qos" not in after_underlay
    assert after_underlay["system"]["hostname"] == "cumulus"
    after_roce = alone(lab, "switch_roce")
    assert after_roce["qos"]["roce"]["state"] == "enabled"
    assert after_roce["router"] == after_underlay["router"]
    assert after_roce["vrf"] == after_underlay["vrf"]
    writes = lab.writes()
    lab.describe(manage=["switch_underlay", "switch_roce"])
    assert alone(lab, "switch_apply") == after_roce
    assert lab.writes() == writes
