# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A tenant's playbook touches the tenant it names, and no node goes from customer to customer unwiped.

Real ansible-playbook processes over doubles of the lab's leaves.
"""

from __future__ import annotations

import json
import re

import pytest

from .leaves import ACME, GLOBEX, NODE, ROOT, nothing_done

pytestmark = pytest.mark.slow

OTHER, IDLE = "worker-su01-rack01-h02", "worker-su01-rack02-h03"
MOVE = {"spx_tenant": "globex", "spx_nodes": NODE, "spx_registry_write": "true", "spx_wait": 5}


def documents(lab):
    """Return the applied configuration of each leaf, as text."""
    return {name: json.dumps(double.applied) for name, double in lab.doubles.items()}


@pytest.mark.parametrize(
    "lab", ["rest: [{nodes: [su02/h03], acceptance: burn-in}]\n"], indirect=True
)
def test_an_onboarding_names_who_waits_and_leaves_them(lab):
    """The registry has two new tenants and a new node in rest; one tenant is onboarded."""
    lab.registry.write_text(
        "tenants:\n" + ACME + GLOBEX + "rest: [{nodes: ['*/h03'], acceptance: burn-in}]\n"
    )
    code, output = lab.run("tenant_onboard", spx_tenant="acme", spx_wait=5)
    assert code == 0, output
    assert lab.vrf_of(NODE) == {"t21-acme"}
    assert lab.vrf_of(OTHER) == {"t1-quarantine"}
    assert lab.vrf_of(IDLE) == {"t1-quarantine"}
    assert not any("t22-globex" in text for text in documents(lab).values())
    assert f"waiting: {OTHER}" in output
    assert "run tenant_onboard -e spx_tenant=globex for them, or switches" in output
    assert f"waiting: {IDLE}" in output
    nothing_done(lab, "tenant_onboard", spx_tenant="acme")


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_no_node_goes_to_another_customer_without_a_wipe(lab):
    """Refused before a leaf or the registry is written, in one sentence."""
    lab.committing()
    (lab.folder / "hooks" / "wipe.yml").unlink()
    before, registry = documents(lab), lab.registry.read_text()
    code, output = lab.run("tenant_move", **MOVE)
    assert code == 2, output
    said = re.sub(r"\s+", " ", output)
    assert f"{NODE} (acme)" in said
    assert "hooks/wipe.yml" in said
    assert "Finalization of task args" not in output
    assert documents(lab) == before
    assert lab.registry.read_text() == registry


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_a_statement_stands_in_for_the_hook(lab):
    """The collection's own hook, copied, is none; the reason is in the plan, the report and the hand-over file."""
    lab.committing()
    own = ROOT / "playbooks" / "hooks" / "drain.yml"
    lab.hook("wipe", own.read_text())
    code, output = lab.run("tenant_move", **MOVE)
    assert code == 2, output
    assert "as the site has no hook wipe" in output
    model = lab.folder / "model" / "fabric.yml"
    model.write_text(model.read_text() + "  elsewhere: the image service erases disks\n")
    code, output = lab.run("tenant_move", spx_report="report", **MOVE)
    assert code == 0, output
    assert "wipe elsewhere: the image service erases disks" in output
    told = json.loads((lab.folder / "report" / f"tenant_move-{NODE}.json").read_text())
    cards = "its cards elsewhere: no host of the lab has a card of its own"
    shown = f"elsewhere: the image service erases disks, {cards}"
    assert (told["had"], told["wipe"]) == ("acme", shown)
    (proof,) = [row["proof"] for row in told["steps"] if row["step"] == "wipe"]
    assert proof == f"wipe {shown}; no hook: firmware"
    code, output = lab.run("tenant_onboard", spx_tenant="globex", spx_report="report", spx_wait=5)
    assert code == 0, output
    handed = json.loads((lab.folder / "report" / "handover-globex.json").read_text())
    assert handed["wipe"]["elsewhere"] == "the image service erases disks"


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_whose_a_node_was_outlives_its_tenant(lab):
    """Offboarding wipes nothing, and its nodes are not the next tenant's for the asking."""
    lab.committing()
    code, output = lab.run(
        "tenant_offboard", spx_tenant="acme", spx_registry_write="true", spx_wait=5
    )
    assert code == 0, output
    assert f"{NODE}: {{since:" in lab.registry.read_text()
    (lab.folder / "hooks" / "wipe.yml").unlink()
    before, registry = documents(lab), lab.registry.read_text()
    assert "had: acme" in registry
    for playbook in ("tenant_onboard", "tenant_move", "tenant_resize"):
        code, output = lab.run(playbook, **MOVE)
        assert code == 2, output
        assert f"{NODE} (acme)" in output
        assert "Finalization of task args" not in output
    assert (documents(lab), lab.registry.read_text()) == (before, registry)


REFUSED = [
    ("tenant_onboard", {"spx_tenant": "acm"}, "'acm' is not a tenant of tenants.yml"),
    ("tenant_offboard", {"spx_tenant": "storage"}, "'storage' is not a tenant"),
    ("tenant_resize", {"spx_tenant": "acme", "spx_nodes": "su09"}, "spx_nodes: "),
    ("tenant_move", {"spx_tenant": "storage", "spx_nodes": NODE}, "'storage' is a service"),
    ("tenant_move", {"spx_tenant": "globex", "spx_nodes": "nobody"}, "spx_nodes: "),
]


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_what_is_refused_is_one_sentence(lab):
    """Of no task's arguments, lookup or template."""
    for playbook, options, part in REFUSED:
        code, output = lab.run(playbook, **options)
        assert code == 2, output
        assert part in output, output
        for words in ("Finalization of task args", "lookup plugin", "templating"):
            assert words not in output, (playbook, output)
    assert lab.writes() == 0


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_a_hook_that_ends_the_host_has_not_wiped(lab):
    """Neither in the registry nor for the next run, which wipes."""
    lab.committing()
    lab.hook("wipe", "- name: End\n  ansible.builtin.meta: end_host\n")
    code, output = lab.run("tenant_move", **MOVE)
    assert code == 2, output
    said = re.sub(r"\s+", " ", output)
    assert "left the play at step wipe" in said
    assert "stopped at step wipe: its ports are in quarantine and up." in said
    assert "NOT COMMITTED: tenants.yml has the record of the move" in said
    assert "clean" not in lab.registry.read_text()
    lab.hook("wipe", "- name: Fail\n  ansible.builtin.fail: {msg: asked to wipe again}\n")
    code, output = lab.run("tenant_move", **MOVE)
    assert code == 2, output
    assert "asked to wipe again" in output


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_a_check_needs_no_leave_to_write_and_says_that_the_run_does(lab):
    """The other way is a record that can be pasted into the registry."""
    lab.committing()
    stated = {key: value for key, value in MOVE.items() if key != "spx_registry_write"}
    needs = "a move needs its record in the registry: add -e spx_registry_write=true"
    for arguments, expected in ((("--check",), 0), ((), 2)):
        code, output = lab.run("tenant_move", *arguments, **stated)
        assert code == expected, output
        assert needs in re.sub(r"\s+", " ", output)
        assert f"move {NODE} from acme to globex on 2 leaves: drain, shut" in output or expected
    assert lab.writes() == 0
    found = re.search(r"write and commit (moving: .*}})\.", output)
    lab.registry.write_text(f"{lab.registry.read_text()}{found[1]}\n")
    code, output = lab.run("tenant_move", "--check", **stated)
    assert (code, needs in output) == (0, False), output


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_a_hook_that_is_delegated_to_the_node_runs_there(lab):
    """Over the node's own connection, which is closed here, and never on the controller."""
    lab.committing()
    here = lab.folder / "wiped-on-the-controller"
    raw = (
        f"- name: Wipe\n  ansible.builtin.raw: touch {here}\n  delegate_to: '{{{{ hook_node }}}}'\n"
    )
    lab.hook("wipe", raw)
    code, output = lab.run("tenant_move", **MOVE)
    assert code in (2, 4), output
    assert "UNREACHABLE" in output, output
    assert not here.exists()
    assert "step: wipe" in lab.registry.read_text()
