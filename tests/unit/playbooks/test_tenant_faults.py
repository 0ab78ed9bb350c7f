# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults in the middle of a tenant's playbook: they end in a named, safe state, and the next run finishes. Real
ansible-playbook processes over doubles of the lab's leaves."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.steps import STEPS

from .leaves import ACME, GLOBEX, LEAF, NODE, nothing_done

pytestmark = pytest.mark.slow

BOTH = "tenants:\n" + ACME + GLOBEX
OLD, NEW = "t21-acme", "t22-globex"
ON_THE_WAY = {OLD, "t1-quarantine", "t2-rest", NEW}
GOAL = {"spx_tenant": "globex", "spx_nodes": NODE, "spx_registry_write": "true"}
MOVE = {**GOAL, "spx_wait": 5}
KILLS = [
    "drain recorded",
    "shut half",
    "quarantine half",
    "withdraw recorded",
    "open half",
    "wipe recorded",
    "rest half",
    "accept recorded",
    "join half",
    "verify recorded",
    "release recorded",
]


def ports(lab):
    """leaf -> (VRF, up) of the node's port, as each double has it now."""
    return {leaf: place(double.applied, port) for leaf, port, double in ends(lab)}


def ends(lab):
    fabric = Fabric.load(str(lab.folder / "model" / "fabric.yml"))
    for row in fabric.slice(NODE)["ports"]:
        peer = row["peer"]
        yield peer["device"], peer["port"], lab.doubles[peer["device"]]


def place(document, port):
    entry = document["interface"][port]
    return entry.get("vrf"), "up" in entry.get("link", {}).get("state", {"up": {}})


def always_safe(lab):
    """Over all that the leaves ever ran: one VRF a port, of the way; up with one tenant or in rest."""
    where = {leaf: port for leaf, port, _double in ends(lab)}
    now = {}
    for leaf, document in lab.history:
        if leaf in where:
            now[leaf] = place(document, where[leaf])
            assert now[leaf][0] in ON_THE_WAY, now
            speaking = {vrf for vrf, up in now.values() if up} & {OLD, "t2-rest", NEW}
            assert len(speaking) <= 1, now


def step_of(lab):
    """The step by which the registry says that the node is moving."""
    fabric = Fabric.load(str(lab.folder / "model" / "fabric.yml"))
    record = Registry.load(fabric).moves.get(fabric.known(NODE))
    return record.step if record else None


@pytest.mark.parametrize("lab", [BOTH], indirect=True)
def test_the_controller_is_killed_at_every_step(lab):
    """One move, killed at each of its steps in turn: each run takes up where the last one died."""
    lab.committing()
    assert [at.split()[0] for at in KILLS] == list(STEPS)
    for at in KILLS:
        lab.run_killed(at, "tenant_move", **MOVE)
        always_safe(lab)
        assert step_of(lab) == at.split()[0]
        if at == "rest half":
            code, output = lab.run("rest_health")
            assert code == 0, output
            assert f"{NODE} from acme to globex, step rest" in output, output
    code, output = lab.run("tenant_move", **MOVE)
    assert code == 0, output
    always_safe(lab)
    assert step_of(lab) is None
    assert set(ports(lab).values()) == {(NEW, True)}
    nothing_done(lab, "tenant_move", **GOAL)
    told = json.loads((lab.folder / "report" / f"tenant_move-{NODE}.json").read_text())
    assert [row["step"] for row in told["steps"]] == ["release"], "the last run did no more"
    assert told["steps"][0]["proof"] == "no hook: storage_add, release"
    assert (told["fabric"], told["record"]["to"]) == ("lab", "globex")


@pytest.mark.parametrize("lab", [BOTH], indirect=True)
def test_an_offboarding_and_a_resizing_that_were_killed_finish(lab):
    """The nodes that are on their way out are still the job's; a limit would halve it and is refused."""
    lab.committing()
    acme = {"spx_tenant": "acme", "spx_registry_write": "true"}
    shrunk = {**acme, "spx_nodes": "su02/h01"}
    lab.run_killed("open half", "tenant_resize", spx_wait=5, **shrunk)
    assert step_of(lab) == "open"
    code, output = lab.run("tenant_resize", spx_wait=5, **shrunk)
    assert (code, step_of(lab)) == (0, None), output
    assert set(ports(lab).values()) == {("t1-quarantine", True)}
    lab.run_killed("withdraw recorded", "tenant_offboard", spx_wait=5, **acme)
    half = f"localhost,{LEAF}"
    code, output = lab.run("tenant_offboard", "--limit", half, spx_wait=5, **acme)
    assert code == 2, output
    assert f"--limit {half}: this playbook needs all of its hosts" in output, output
    code, output = lab.run("tenant_offboard", spx_wait=5, **acme)
    assert code == 0, output
    assert lab.vrf_of("worker-su02-rack01-h01") == {"t1-quarantine"}
    nothing_done(lab, "tenant_offboard", **acme)


@pytest.mark.parametrize("lab", [BOTH.replace("*/h01", "su01/h01")], indirect=True)
def test_a_resizing_that_was_stopped_before_nodes_entered_finishes(lab):
    """The registry lists them by then, so that no comparison with it tells that they are outside."""
    grown = {"spx_tenant": "acme", "spx_nodes": "su01/h01,su02/h01", "spx_registry_write": "true"}
    lab.hook("registry_commit", "- name: Commit\n  ansible.builtin.fail: {msg: remote is down}\n")
    code, output = lab.run("tenant_resize", spx_wait=5, **grown)
    assert (code, lab.vrf_of("worker-su02-rack01-h01")) == (2, {"t1-quarantine"}), output
    lab.committing()
    code, output = lab.run("tenant_resize", spx_wait=5, **grown)
    assert (code, lab.vrf_of("worker-su02-rack01-h01")) == (0, {OLD}), output
    nothing_done(lab, "tenant_resize", **grown)


@pytest.mark.parametrize("lab", [BOTH], indirect=True)
def test_nothing_is_moved_without_leave(lab):
    """Neither without a registry that may be written, nor by a role that the description does not list."""
    lab.wiping()
    model = lab.folder / "model" / "fabric.yml"
    code, output = lab.run("tenant_offboard", spx_tenant="acme")
    assert code == 2
    assert "a move needs its record in the registry: add -e spx_registry_write=true." in output, (
        output
    )
    model.write_text(model.read_text().replace("  - switch_tenants\n", ""))
    before = lab.registry.read_text()
    code, output = lab.run("tenant_move", **MOVE)
    assert code == 0, output
    assert "manage of the description does not list switch_tenants: no node is moved" in output
    assert (lab.registry.read_text(), lab.writes()) == (before, 0)


@pytest.mark.parametrize("lab", [BOTH], indirect=True)
def test_whatever_else_goes_wrong_in_a_move(lab):
    """One move again, stopped by one fault after the other; each run takes up where the last ended."""
    lab.committing()
    the_storage_of_the_old_tenant_fails(lab)
    a_switch_dies_between_two_leaves_changes(lab)
    the_controller_dies_in_the_middle_of_a_transaction(lab)
    a_leaf_still_forwards_to_the_node(lab)
    a_leaf_of_the_old_tenant_tells_no_bgp(lab)
    a_second_operator_comes_while_a_hook_works(lab)
    the_node_fails_its_burn_in(lab)
    the_node_is_on_fire(lab)
    the_node_is_idle(lab)
    code, output = lab.run("tenant_move", **MOVE)
    assert code == 0, output
    always_safe(lab)
    assert step_of(lab) is None
    assert set(ports(lab).values()) == {(NEW, True)}


@pytest.mark.parametrize("lab", [BOTH], indirect=True)
def test_what_no_leaf_has_done_is_not_noted(lab):
    """No leaf answers: nothing is edited, and no report is written."""
    lab.committing()
    before = lab.registry.read_text()
    for double in lab.doubles.values():
        double.switch.faults.order("drop_connection", None)
    for playbook, options in (
        ("tenant_onboard", {}),
        ("tenant_resize", {"spx_nodes": "su02/h01"}),
        ("tenant_offboard", {}),
        ("tenant_move", {"spx_tenant": "globex", "spx_nodes": "worker-su02-rack01-h01"}),
    ):
        given = {"spx_tenant": "acme", "spx_registry_write": "true", **options}
        code, output = lab.run(playbook, **given)
        assert code in (2, 4), output
        assert "leaf-p1-su002-r1: 127.0.0.1" in output, output
        assert "the connection was closed" in output, output
        assert lab.registry.read_text() == before
        assert not (lab.folder / "report").exists(), playbook


def stops(lab, step, sentence, **options):
    """The move fails at a step, and says why."""
    code, output = lab.run("tenant_move", **options, **MOVE)
    assert code in (2, 4), output
    assert sentence in output, output
    assert step_of(lab) == step
    always_safe(lab)


def the_storage_of_the_old_tenant_fails(lab):
    """Nothing has happened to the node."""
    with failing_hook(lab, "storage_remove"):
        stops(lab, "drain", "no export answers for 172.16.0.0/31 172.18.0.0/31")
    assert set(ports(lab).values()) == {(OLD, True)}


def a_switch_dies_between_two_leaves_changes(lab):
    """One leaf has shut the node's port, the other is gone."""
    leaves = [leaf for leaf, _port, _double in ends(lab)]

    def kill_the_other(name):
        for leaf in leaves:
            if leaf != name:
                lab.doubles[leaf].switch.faults.order("drop_connection", None)
        lab.after_apply = lambda _name: None

    lab.after_apply = kill_the_other
    stops(lab, "shut", "the connection was closed", environment={"ANSIBLE_FORKS": "1"})
    assert sorted(ports(lab).values()) == [(OLD, False), (OLD, True)]
    for leaf in leaves:
        lab.doubles[leaf].control.clear_faults()


def the_controller_dies_in_the_middle_of_a_transaction(lab):
    """A switch has begun to apply, and nobody is left to confirm."""
    moving = lab.start("tenant_move", **MOVE)
    lab.after_apply = lambda _name: os.killpg(moving.pid, signal.SIGKILL)
    output, _nothing = moving.communicate(timeout=120)
    lab.after_apply = lambda _name: None
    assert moving.returncode == -signal.SIGKILL, output
    assert step_of(lab) == "shut"
    always_safe(lab)


FAR = "leaf-p1-su002-r1"
"""A leaf of the old tenant on which the node has no port."""


def a_leaf_still_forwards_to_the_node(lab):
    """No daemon has the route, but what forwards has it: the tenant could still send to the node."""
    lab.stuck = {FAR: {OLD: {"172.16.0.0/31"}}}
    stops(lab, "withdraw", f"{FAR} still holds 172.16.0.0/31 in the forwarding table of {OLD}")
    assert set(ports(lab).values()) == {("t1-quarantine", False)}
    lab.stuck = {}


def a_leaf_of_the_old_tenant_tells_no_bgp(lab):
    """It has the VRF, and BGP in it: its silence shows nothing."""
    lab.silent = {FAR}
    stops(lab, "withdraw", f"{FAR} has {OLD} and reports no BGP table of it")
    lab.silent = set()


def a_second_operator_comes_while_a_hook_works(lab):
    """The wipe is not run twice at once; when its run has died, the next one takes over."""
    begun = lab.folder / "wiping"
    wait = f"- name: Wipe\n  ansible.builtin.shell: echo $$ > {begun}.pid; echo once >> {begun}; exec sleep 100\n"
    lab.hook("wipe", wait + "  delegate_to: localhost\n")
    first = lab.start("tenant_move", **MOVE)
    for _try in range(600):
        if begun.exists() or first.poll() is not None:
            break
        time.sleep(0.1)
    stops(lab, "wipe", "still works on its move, perhaps in a hook: let it finish, or end it")
    assert begun.read_text() == "once\n"
    os.killpg(first.pid, signal.SIGKILL)
    stops(lab, "wipe", "still works on its move, perhaps in a hook: let it finish, or end it")
    pid = int(begun.with_suffix(".pid").read_text())
    os.kill(pid, signal.SIGKILL)
    first.communicate(timeout=60)
    lab.wiping()


def the_node_fails_its_burn_in(lab):
    """The acceptance hook says no: the node does not stay among the clean ones."""
    with failing_hook(lab, "acceptance"):
        stops(lab, "open", f"{NODE} did not pass the hook acceptance: no export answers")
    assert set(ports(lab).values()) == {("t1-quarantine", True)}


def the_node_is_on_fire(lab):
    """No gateway resolves it: the move ends at its proof, and the node is back in quarantine."""
    lab.burning = True
    stops(lab, "open", f"{NODE}: {LEAF} does not resolve 172.16.0.0 at swp1s0")
    lab.burning = False
    assert set(ports(lab).values()) == {("t1-quarantine", True)}


def the_node_is_idle(lab):
    """It says nothing unasked, so that its gateways ask; and it is not released, as its storage fails."""
    lab.idle = True
    lab.asked.clear()
    with failing_hook(lab, "storage_add"):
        stops(lab, "release", "no export answers")
    assert set(ports(lab).values()) == {(NEW, True)}
    ports_of = Fabric.load(str(lab.folder / "model" / "fabric.yml")).slice(NODE)["ports"]
    assert lab.asked == {(port["peer"]["device"], NEW, port["address"]) for port in ports_of}


@contextlib.contextmanager
def failing_hook(lab, name):
    """A hook of the site that fails."""
    prefixes = "{{ hook_prefixes | map(attribute='prefixes') | flatten | join(' ') }}"
    task = {"name": "Tell it", "ansible.builtin.fail": {"msg": f"no export answers for {prefixes}"}}
    lab.hook(name, yaml.safe_dump([task]))
    yield
    (lab.folder / "hooks" / f"{name}.yml").unlink()


@pytest.mark.parametrize("lab", ["tenants: []\n"], indirect=True)
def test_two_operators_onboard_at_once(lab):
    """Both tenants come to the same leaves in the same moment; who was in the way runs again."""
    lab.registry.write_text(BOTH)
    both = {
        slug: lab.start("tenant_onboard", spx_tenant=slug, spx_wait=5)
        for slug in ("acme", "globex")
    }
    for slug, process in both.items():
        output, _nothing = process.communicate(timeout=120)
        if process.returncode:
            code, output = lab.run("tenant_onboard", spx_tenant=slug, spx_wait=5)
            assert code == 0, output
    assert lab.vrf_of(NODE) == {OLD}
    assert lab.vrf_of("worker-su01-rack01-h02") == {NEW}
    for slug in both:
        nothing_done(lab, "tenant_onboard", spx_tenant=slug)


def test_a_registry_edited_into_nonsense_touches_nothing(lab):
    """All breaches at once, before any switch is asked."""
    lab.registry.write_text(
        "tenants:\n  - {id: 21, slug: acme, nodes: ['*/h01', 'su09/h01']}\n"
        "  - {id: 21, slug: globex, nodes: ['su01/h01']}\n"
    )
    asked = sum(len(double.log.matching("GET")) for double in lab.doubles.values())
    code, output = lab.run("tenant_onboard", spx_tenant="acme")
    assert code == 2
    assert "su09/h01" in output
    assert "id" in output
    assert sum(len(double.log.matching("GET")) for double in lab.doubles.values()) == asked
