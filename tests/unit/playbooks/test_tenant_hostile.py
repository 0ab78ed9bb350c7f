# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A hostile operator of the tenants' playbooks: command lines, hooks and files that nobody meant.

Real ansible-playbook processes over doubles of the lab's leaves.
"""

from __future__ import annotations

import json
import time

import pytest
import yaml
from playing import begin

from .leaves import ACME, GLOBEX, LEAF, NODE, confirm, nothing_done
from .test_tenants import by_hand

pytestmark = pytest.mark.slow

BOTH = "tenants:\n" + ACME + GLOBEX
MOVE = {"spx_tenant": "globex", "spx_nodes": NODE, "spx_registry_write": "true", "spx_wait": 5}
WIPED, ACCEPTED = confirm("wiped", "bmc"), confirm("accepted", "hand")
COMMITTED = confirm("committed", "git")
STOPPED = f"The move of {NODE} from acme to globex stopped"
UNREACHABLE = {"ansible.builtin.command": "reinstall", "delegate_to": NODE}
both = pytest.mark.parametrize("lab", [BOTH], indirect=True)


def said(output):
    """The output as one line of words."""
    return " ".join(output.split())


def stops(lab, sentence, *arguments, playbook="tenant_move", **given):
    """A run fails and says why."""
    code, output = lab.run(playbook, *arguments, **{**MOVE, **given})
    assert code == 2, output
    assert sentence in said(output), output
    return output


@both
def test_a_wipe_that_did_not_happen_is_none(lab):
    """Skipped by a condition or a tag, gone since the plan, or of another node."""
    lab.committing()
    skipped = {
        "condition": {**WIPED, "when": "hook_managed"},
        "tag": {**WIPED, "tags": ["never"]},
        "nothing": {"ansible.builtin.debug": {"msg": "erased"}},
    }
    unsaid = f"{NODE}: the hook wipe ended without a confirmation"
    committed = lab.folder / "committed.yml"
    commit = {"ansible.builtin.copy": {"src": "{{ hook_path }}", "dest": str(committed)}}
    lab.hook("registry_commit", yaml.safe_dump([commit, COMMITTED]))
    for number, task in enumerate(skipped.values()):
        lab.hook("wipe", yaml.safe_dump([task]))
        output = stops(lab, unsaid)
        assert f"{STOPPED} at step wipe: its ports are in quarantine and up." in said(output)
        uncommitted = "NOT COMMITTED: tenants.yml has the record of the move: run" in said(output)
        assert uncommitted == (committed.read_text() != lab.registry.read_text()) == (not number)
        assert lab.vrf_of(NODE) == {"t1-quarantine"}
        assert "clean" not in lab.registry.read_text()
    lab.hook("wipe", yaml.safe_dump([WIPED]))
    gone = {"ansible.builtin.file": {"path": f"{lab.folder}/hooks/wipe.yml", "state": "absent"}}
    lab.hook("firmware", yaml.safe_dump([{"ansible.builtin.fail": {"msg": "no firmware"}}]))
    stops(lab, "no firmware")
    (lab.folder / "hooks" / "firmware.yml").unlink()
    before = lab.registry.read_text()
    lab.hook("registry_commit", yaml.safe_dump([gone]))
    code, output = lab.run("tenant_move", **MOVE)
    assert code == 2, output
    assert "hooks/wipe.yml" in output, output
    assert lab.vrf_of(NODE) == {"t1-quarantine"}
    assert "step: wipe" in before
    assert "clean" not in lab.registry.read_text()
    lab.committing()
    code, output = lab.run("tenant_move", **MOVE)
    assert (code, lab.vrf_of(NODE)) == (0, {"t22-globex"}), output


@both
def test_of_two_nodes_each_is_wiped(lab):
    """Check that a hook's report of one node shows nothing of the other."""
    lab.committing()
    lab.hook("wipe", yaml.safe_dump([{**WIPED, "when": f"hook_node == '{NODE}'"}]))
    other = "worker-su02-rack01-h01"
    output = stops(lab, f"{other}: the hook wipe ended", spx_nodes=f"{NODE},{other}")
    assert f"{NODE}: the hook wipe ended" not in output


@both
def test_a_hook_that_fails_says_where_the_node_is(lab):
    lab.committing()
    lab.hook("wipe", "- name: Wipe\n  ansible.builtin.command: 'false'\n")
    code, output = lab.run("tenant_move", **MOVE)
    assert code == 2, output
    assert (
        f"hook wipe of {NODE}: non-zero return code. The move of {NODE} from acme to globex stopped at step wipe: its "
        "ports are in quarantine and up. Correct the hook, and run this playbook again; it continues at this step."
    ) in output


@pytest.mark.parametrize(
    "lab", ["tenants:\n" + ACME.replace("}", ", host_access: managed}") + GLOBEX], indirect=True
)
def test_a_wiped_node_whose_cards_nobody_read_stays_in_quarantine(lab):
    """A tenant with root can leave a changed card; who has seen it otherwise says so in the description."""
    model = lab.folder / "model" / "fabric.yml"
    stated = model.read_text()
    model.write_text(stated.partition("# Hosts of the lab")[0])
    lab.committing()
    lab.hook("acceptance", yaml.safe_dump([ACCEPTED]))
    rest = {**MOVE, "spx_tenant": "rest", "spx_factory": "true"}
    output = stops(lab, f"{NODE}: its cards were not read after the wipe", **rest)
    assert f"run playbook dpus -l {NODE}" in said(output)
    assert "stopped at step wipe: its ports are in quarantine and up." in said(output)
    assert lab.vrf_of(NODE) == {"t1-quarantine"}
    assert "clean" not in lab.registry.read_text()
    model.write_text(stated)
    code, output = lab.run("tenant_move", **rest)
    assert code == 0, output
    (known,) = yaml.safe_load(lab.registry.read_text())["health"].values()
    assert (known["clean"]["by"], known["clean"]["nic"]) == ("bmc", "elsewhere")
    assert (known["accepted"]["by"], known["accepted"]["run"]) == ("hand", known["clean"]["run"])


@both
def test_a_node_that_a_hook_cannot_reach_ends_the_run(lab):
    """Nothing that follows in the hook counts, whatever the task says of errors."""
    lab.committing()
    tolerant = {**UNREACHABLE, "ignore_errors": True}
    rescued = {"block": [UNREACHABLE], "rescue": [WIPED]}
    for hook in ([UNREACHABLE, WIPED], [tolerant, WIPED], [rescued]):
        lab.hook("wipe", yaml.safe_dump(hook))
        code, output = lab.run("tenant_move", **MOVE)
        assert code == 4, output
        assert lab.vrf_of(NODE) == {"t1-quarantine"}
        assert "step: wipe" in lab.registry.read_text()
        assert "clean" not in lab.registry.read_text()
    lab.hook("wipe", yaml.safe_dump([WIPED]))
    lab.hook("acceptance", yaml.safe_dump([tolerant, ACCEPTED]))
    code, output = lab.run("tenant_move", **MOVE)
    assert (code, lab.vrf_of(NODE)) == (4, {"t2-rest"}), output
    lab.hook("acceptance", yaml.safe_dump([{**tolerant, "ignore_unreachable": True}, ACCEPTED]))
    code, output = lab.run("tenant_move", **MOVE)
    assert (code, lab.vrf_of(NODE)) == (0, {"t22-globex"}), output


@both
def test_facts_of_a_hook_do_not_change_what_is_committed(lab):
    """Check that facts of a hook stay for the hooks after it; registry_commit gets its own path and difference."""
    lab.committing()
    facts = {"hook": {"name": "none"}, "hook_path": "/tmp/elsewhere.yml", "hook_diff": ""}
    lab.hook("drain", yaml.safe_dump([{"ansible.builtin.set_fact": facts}]))
    seen = lab.folder / "seen.txt"
    line = "{{ hook_path }} {{ hook_diff | length > 0 }}"
    note = {"ansible.builtin.lineinfile": {"path": str(seen), "create": True, "line": line}}
    lab.hook("registry_commit", yaml.safe_dump([note, COMMITTED]))
    code, output = lab.run("tenant_move", **MOVE)
    assert code == 0, output
    assert seen.read_text() == f"{lab.registry} True\n"


@both
def test_a_node_that_the_leaves_have_elsewhere_is_not_its_tenants_already(lab):
    """Somebody put its ports into the VRF of another tenant by hand; the way out that the refusal names works."""
    lab.committing()
    for name in ("leaf-p1-su001-r1", "leaf-p1-su001-r2"):
        lab.doubles[name].control.foreign({"interface": {"swp1s0": {"vrf": "t22-globex"}}})
        lab.documents[name] = lab.doubles[name].applied
    assert lab.vrf_of(NODE) == {"t22-globex"}
    before, writes = lab.registry.read_text(), lab.writes()
    output = stops(
        lab, f"the leaves have {NODE} in t22-globex, and the registry lists it under acme"
    )
    assert f"run tenant_move -e spx_tenant=acme -e spx_nodes={NODE} first" in said(output)
    stops(lab, "tenant_move -e spx_tenant=globex", playbook="tenant_onboard")
    wiped = lab.folder / f"wiped-{NODE}"
    assert (lab.registry.read_text(), lab.writes(), wiped.exists()) == (before, writes, False)
    for slug, vrf, had in (("acme", "t21-acme", "globex"), ("globex", "t22-globex", "acme")):
        code, output = lab.run("tenant_move", **{**MOVE, "spx_tenant": slug})
        assert (code, lab.vrf_of(NODE)) == (0, {vrf}), output
        assert wiped.read_text() == f"{had}\n"


@both
def test_quarantine_takes_a_node_from_where_the_leaves_have_it(lab):
    """Somebody put its ports into the VRF of a tenant that does not list it: no other playbook has to come first."""
    lab.committing()
    for name in ("leaf-p1-su001-r1", "leaf-p1-su001-r2"):
        by_hand(lab, name, "swp1s0", "t22-globex")
    code, output = lab.run("tenant_move", **{**MOVE, "spx_tenant": "quarantine"})
    assert (code, lab.vrf_of(NODE)) == (0, {"t1-quarantine"}), output
    held = yaml.safe_load(lab.registry.read_text())
    assert "moving" not in held, held
    assert "globex" in str(held["health"][NODE]), held
    assert not (lab.folder / f"wiped-{NODE}").exists()


@both
def test_a_hook_that_may_miss_its_node_goes_by_its_report(lab):
    """Its own task says so with ignore_unreachable: without a confirmation the node stays."""
    lab.committing()
    lab.hook("wipe", yaml.safe_dump([{**UNREACHABLE, "ignore_unreachable": True}]))
    stops(lab, f"{NODE}: the hook wipe ended without a confirmation")
    assert lab.vrf_of(NODE) == {"t1-quarantine"}


@both
def test_an_acceptance_that_tested_nothing_was_not_run(lab):
    """Its tasks were skipped, or another hook reported what it does not do."""
    lab.committing()
    test = {"ansible.builtin.command": "true", "when": "hook_managed"}
    lab.hook("acceptance", yaml.safe_dump([test]))
    lab.hook("firmware", yaml.safe_dump([ACCEPTED]))
    stops(
        lab, "only the hook acceptance confirms 'accepted': put this task into hooks/acceptance.yml"
    )
    (lab.folder / "hooks" / "firmware.yml").unlink()
    output = stops(lab, f"{NODE}: the hook acceptance ended without a confirmation")
    assert f"{NODE} went back into quarantine" in said(output)
    assert lab.vrf_of(NODE) == {"t1-quarantine"}
    assert "acceptance" not in lab.registry.read_text()
    lab.hook("acceptance", yaml.safe_dump([test, ACCEPTED]))
    code, output = lab.run("tenant_move", **MOVE)
    assert (code, lab.vrf_of(NODE)) == (0, {"t22-globex"}), output
    told = json.loads((lab.folder / "report" / f"tenant_move-{NODE}.json").read_text())
    assert told["steps"][-4]["proof"] == "hooks passed: acceptance"


@both
def test_a_step_that_fails_says_that_the_registry_is_not_committed(lab):
    """The hook has committed the first record, and no later one."""
    lab.committing()
    lab.stuck = {"leaf-p1-su002-r1": {"t21-acme": {"172.16.0.0/31"}}}
    output = stops(lab, "still holds 172.16.0.0/31", spx_wait=0)
    assert "NOT COMMITTED: tenants.yml has the record of the move: run" in said(output)
    lab.hook("registry_commit", "- ansible.builtin.fail: {msg: no git}\n")
    stops(lab, "NOT COMMITTED: the hook registry_commit failed: no git.")


@both
def test_a_hook_that_ends_the_play_hides_nothing(lab):
    """The hook that commits, too: nothing was moved, and the registry is not committed."""
    lab.committing()
    lab.hook("registry_commit", "- ansible.builtin.meta: end_play\n")
    stops(lab, "localhost left the play at step drain")
    assert lab.vrf_of(NODE) == {"t21-acme"}
    lab.committing()
    lab.hook(
        "registry_commit", yaml.safe_dump([{**COMMITTED, "when": "'step: drain' in hook_diff"}])
    )
    stops(lab, "NOT COMMITTED: ")
    assert lab.vrf_of(NODE) == {"t22-globex"}
    lab.committing()
    nothing_done(lab, "tenant_move", **{k: v for k, v in MOVE.items() if k != "spx_wait"})


@both
def test_a_hook_that_forgets_what_was_asked_changes_nothing(lab):
    """Check that the plan settled the writes of a run."""
    lab.committing()
    forgets = {"ansible.builtin.set_fact": {"tenant_edit": {}, "spx_registry_write": False}}
    lab.hook("drain", yaml.safe_dump([forgets]))
    code, output = lab.run("tenant_move", **MOVE)
    assert (code, lab.vrf_of(NODE)) == (0, {"t22-globex"}), output
    assert "moving" not in lab.registry.read_text()


@both
def test_a_leaf_that_does_not_answer_the_plan_is_in_the_exit_code(lab):
    """As one that does not answer a step: 2 for the task that failed, 4 for the device."""
    lab.committing()
    counted = {"ANSIBLE_CALLBACKS_ENABLED": "spectrum_x.fabric.exit_code"}
    lab.doubles[LEAF].switch.faults.order("drop_connection", None)
    for playbook in ("tenant_move", "tenant_offboard"):
        given = (
            MOVE if playbook == "tenant_move" else {**MOVE, "spx_tenant": "acme", "spx_nodes": ""}
        )
        code, output = lab.run(playbook, environment=counted, **given)
        assert code == 6, output
        assert f"{LEAF}: 127.0.0.1" in output


@both
def test_what_a_hook_sets_is_no_evidence(lab):
    """Facts, under whatever name, and also those that a task delegated to the node answers with."""
    lab.committing()
    fakes = {"ansible.builtin.set_fact": {"wiped": True, "evidence": [{"node": NODE}]}}
    lab.hook("wipe", yaml.safe_dump([fakes]))
    stops(lab, f"{NODE}: the hook wipe ended without a confirmation", **MOVE)
    told = {"ansible.builtin.set_fact": {"node_wiped": True}}
    lab.hook("wipe", yaml.safe_dump([told]))
    stops(lab, "hooks/wipe.yml: node_wiped: a fact is not evidence", **MOVE)


@both
def test_two_playbooks_of_one_run_share_no_evidence(lab):
    """A site's playbook imports tenant_move twice; the second wipe is skipped."""
    lab.committing()
    lab.hook("wipe", yaml.safe_dump([{**WIPED, "when": "hook_from == 'acme'"}]))
    moves = [{"spx_tenant": slug, "spx_nodes": NODE} for slug in ("globex", "acme")]
    plays = [
        {"ansible.builtin.import_playbook": "spectrum_x.fabric.tenant_move", "vars": given}
        for given in moves
    ]
    (lab.folder / "site.yml").write_text(yaml.safe_dump(plays))
    words = ("-i", "inventory", "site.yml", "-e", "spx_registry_write=true", "-e", "spx_wait=5")
    process = begin(lab.folder, *words)
    output, _nothing = process.communicate(timeout=280)
    assert process.returncode == 2, output
    assert f"{NODE}: the hook wipe ended without a confirmation" in said(output)
    assert lab.vrf_of(NODE) == {"t1-quarantine"}


WORDS = {
    "addresses": (
        {"addressing": {"profile": "octet-v4"}},
        "hosts and neighbours use the old value (by interface/swp",
    ),
    "targets": (
        {"routing": {"rt_asn": 65001}},
        "leaves with the old value exchange no routes of the VRF with it (by vrf/t",
    ),
}


@both
@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_the_description_does_not_cut_the_fabric_apart(lab, word):
    """Hosts would lose their gateways, or leaves their routes; the check says so before the run does."""
    changes, sentence = WORDS[word]
    path = lab.folder / "model" / "fabric.yml"
    description = yaml.safe_load(path.read_text())
    for key, values in changes.items():
        description[key] = {**description.get(key, {}), **values}
    path.write_text(yaml.safe_dump(description))
    for arguments in (["--check"], []):
        code, output = lab.run("switches", "--limit", "spx_leaf", *arguments)
        assert code == 2, output
        assert f"renumber: {sentence}" in said(output)
        assert "-e spx_allow_disruptive=renumber" in output
    assert lab.writes() == 0


@both
def test_no_wait_is_no_wait(lab):
    """A number that is 0 was given."""
    lab.committing()
    lab.stuck = {"leaf-p1-su002-r1": {"t21-acme": {"172.16.0.0/31"}}}
    begun = time.monotonic()
    stops(lab, "still holds 172.16.0.0/31", spx_wait=0)
    assert time.monotonic() - begun < 90, "two minutes is what nobody asked for"


@both
def test_a_registry_that_changed_since_the_plan_is_not_what_was_planned(lab):
    """Between plan and step somebody's pull gives the node to another tenant: it enters no VRF of the first."""
    lab.committing()
    name, spare = "worker-su01-rack02-h03", "su01/h03"
    given = {"playbook": "tenant_onboard", "spx_tenant": "acme", "spx_nodes": spare}
    taken = "tenants:\n" + ACME + GLOBEX.replace("['*/h02']", f"['*/h02', {spare}]")
    for text, sentence in (
        (BOTH, f"{name} is not among the nodes of acme any more: the registry was changed since"),
        (taken, f"{name} is globex's"),
    ):
        pull = {"ansible.builtin.copy": {"dest": str(lab.registry), "content": text}}
        lab.hook("registry_commit", yaml.safe_dump([pull, COMMITTED]))
        stops(lab, sentence, **given)
        assert lab.vrf_of(name) == {"t1-quarantine"}
        assert not (lab.folder / "report" / "handover-acme.json").exists()
