# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants' playbooks through ansible-playbook, over doubles of the lab's leaves."""

from __future__ import annotations

import json

import pytest
import yaml

from .leaves import ACME, GLOBEX, LEAF, NODE, changed, confirm, nothing_done

pytestmark = pytest.mark.slow

OTHER_RAIL, NEIGHBOUR = "leaf-p1-su001-r2", "worker-su01-rack01-h02"
OLDER = "leaf-p1-su002-r1"
"""A leaf that is watched and not written to while the node moves."""


def fib_asked(lab):
    """Count the reads of each leaf's forwarding table in the VRF of acme."""
    path = "/vrf/t21-acme/router/fib.*"
    return {name: len(double.log.matching("GET", path)) for name, double in lab.doubles.items()}


@pytest.mark.large
def test_onboard_move_offboard_each_twice(lab):
    """A tenant comes, a node moves to another, that one leaves; second runs change nothing."""
    lab.committing()
    lab.registry.write_text("tenants:  # ours\n" + ACME + GLOBEX)
    code, output = lab.run("tenant_onboard", spx_tenant="acme", spx_report="report", spx_wait=5)
    assert code == 0, output
    nothing_done(lab, "tenant_onboard", spx_tenant="acme")
    assert lab.vrf_of(NODE) == {"t21-acme"}
    handed = json.loads((lab.folder / "report" / "handover-acme.json").read_text())
    assert [node["name"] for node in handed["nodes"]] == [NODE, "worker-su02-rack01-h01"]
    assert handed["nccl"]["path_mtu"] == 9166

    move = {"spx_tenant": "globex", "spx_nodes": NODE, "spx_registry_write": "true"}
    lab.history.clear()
    asked = fib_asked(lab)
    lab.doubles[OLDER].control.options(release="5.15.3")
    code, output = lab.run("tenant_move", spx_report="report", spx_wait=5, **move)
    assert code == 0, output
    assert "nothing reads it" not in output
    lab.doubles[OLDER].control.options(release="5.16.1")
    told = json.loads((lab.folder / "report" / f"tenant_move-{NODE}.json").read_text())
    proofs = {row["step"]: row["proof"] for row in told["steps"]}
    assert "not reported by leaf-p1-su001-r1, leaf-p1-su001-r2" in proofs["verify"]
    proof = proofs["withdraw"]
    assert "forwarding table not read, as" in proof
    assert proof.endswith(f"do not report it: {OLDER} (Cumulus Linux 5.15.3)")
    assert fib_asked(lab)[OLDER] == asked[OLDER]
    assert fib_asked(lab)[LEAF] > asked[LEAF]
    assert lab.vrf_of(NODE) == {"t22-globex"}
    text = lab.registry.read_text()
    assert "# ours" in text
    assert "moving" not in text
    for name, document in lab.history:
        if name.startswith("leaf-p1-su001"):
            port = document["interface"]["swp1s0"]
            assert port["vrf"] != "t21-acme" or "down" in port["link"]["state"], name
    nothing_done(lab, "tenant_move", **move)

    away = {"spx_tenant": "globex", "spx_registry_write": "true"}
    code, output = lab.run("tenant_offboard", spx_wait=5, **away)
    assert code == 0, output
    assert lab.vrf_of(NODE) == {"t1-quarantine"}
    assert not any("t22-globex" in double.applied["vrf"] for double in lab.doubles.values())
    assert "retired" in lab.registry.read_text()
    nothing_done(lab, "tenant_offboard", **away)


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME], indirect=True)
def test_hooks_and_drift(lab):
    """A failing hook leaves the node in quarantine; a later run finishes; fleet runs never evict."""
    lab.committing()
    lab.hook("wipe", "- name: Wipe\n  ansible.builtin.fail:\n    msg: no disk answers\n")
    move = {"spx_tenant": "rest", "spx_nodes": NODE, "spx_registry_write": "true", "spx_wait": 5}
    code, output = lab.run("tenant_move", **move)
    assert code != 0
    assert "no disk answers" in output
    assert lab.vrf_of(NODE) == {"t1-quarantine"}
    assert "step: wipe" in lab.registry.read_text()

    lab.hook("wipe", yaml.safe_dump([confirm("wiped", "bmc")]))
    code, output = lab.run("tenant_move", spx_report="report", **move)
    assert code == 0, output
    assert lab.vrf_of(NODE) == {"t2-rest"}
    told = json.loads((lab.folder / "report" / f"tenant_move-{NODE}.json").read_text())
    proofs = {row["step"]: row["proof"] for row in told["steps"]}
    assert proofs["wipe"] == "hooks passed: wipe; cards judged elsewhere; no hook: firmware"
    assert proofs["accept"] == "no hook: acceptance"
    code, output = lab.run("rest_health")
    assert code == 0, output
    assert "(had acme) since" in output
    assert "by the hook wipe of the run" in output
    assert "passed nothing yet, no hook firmware, acceptance" in output

    lab.registry.write_text("tenants: []\n")
    code, output = lab.run("switches", "--limit", "spx_leaf")
    assert code == 2, output
    assert (
        "tenant drift: port swp1s0 of leaf-p1-su002-r1 (worker-su02-rack01-h01) is in t21-acme"
        in output
    )
    assert lab.vrf_of("worker-su02-rack01-h01") == {"t21-acme"}


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_without_leave_to_write_the_registry(lab):
    """A move needs a memory; an edit that is not committed is shown and is no success."""
    before = lab.writes()
    lab.wiping()
    code, output = lab.run("tenant_move", spx_tenant="globex", spx_nodes=NODE)
    assert code == 2
    assert "a move needs its record in the registry" in output
    assert lab.writes() == before

    code, output = lab.run("tenant_onboard", spx_tenant="acme", spx_nodes="su01/h03", spx_wait=5)
    assert code == 2
    assert "NOT COMMITTED" in output
    assert "su01/h03" not in lab.registry.read_text()
    assert lab.vrf_of("worker-su01-rack02-h03") == {"t21-acme"}


@pytest.mark.large
@pytest.mark.parametrize("lab", ["tenants:\n" + ACME], indirect=True)
def test_resize(lab):
    """A tenant gives one node back and gets another, in one run; the second changes nothing."""
    lab.committing()
    size = {"spx_tenant": "acme", "spx_nodes": "su02/h01,su01/h03", "spx_registry_write": "true"}
    code, output = lab.run("tenant_resize", spx_wait=5, **size)
    assert code == 0, output
    assert lab.vrf_of(NODE) == {"t1-quarantine"}
    assert lab.vrf_of("worker-su01-rack02-h03") == {"t21-acme"}
    nothing_done(lab, "tenant_resize", **size)


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_validate_names_a_broken_leaf(lab):
    """The isolation audit fails on a wrong route target, and on that alone."""
    bgp = lab.doubles[LEAF].applied["vrf"]["t21-acme"]["router"]["bgp"]
    bgp["route-import"]["from-evpn"]["route-target"]["64512:4000022"] = {}
    lab.documents[LEAF] = lab.doubles[LEAF].applied
    code, output = lab.run(
        "validate", "--limit", "localhost:spx_leaf", spx_report="report", spx_checks="tenant"
    )
    assert code == 2, output
    assert "t21-acme of leaf-p1-su001-r1 imports routes of t22-globex" in output
    rows = json.loads((lab.folder / "report" / "results" / "tenants.json").read_text())
    failed = [row["device"] for row in rows if row["state"] == "fail"]
    assert failed == [LEAF]


REFUSED = "- name: Push\n  ansible.builtin.fail:\n    msg: the push was refused\n"


@pytest.mark.large
@pytest.mark.parametrize("lab", ["tenants:\n" + ACME], indirect=True)
def test_what_is_not_committed_is_asked_for_again(lab):
    """Only the hook can tell: a run that has no edit of its own to make ends as the hook does."""
    grow = {
        "spx_tenant": "acme",
        "spx_nodes": "su01/h03",
        "spx_registry_write": "true",
        "spx_wait": 5,
    }
    lab.hook("registry_commit", REFUSED)
    for _run in ("with the edit", "without one"):
        code, output = lab.run("tenant_onboard", **grow)
        assert code == 2, output
        assert "the push was refused" in output
    assert "su01/h03" in lab.registry.read_text()
    lab.hook("registry_commit", "- name: Look\n  ansible.builtin.debug:\n    msg: not now\n")
    code, output = lab.run("tenant_onboard", **grow)
    assert code == 2, output
    assert "NOT COMMITTED: the hook registry_commit does not confirm that it is." in output
    lab.committing()
    code, output = lab.run("tenant_onboard", **grow)
    assert code == 0, output
    (lab.folder / "hooks" / "registry_commit.yml").unlink()
    code, output = lab.run("tenant_onboard", **grow)
    assert code == 0, output


def by_hand(lab, leaf, port, vrf):
    """Somebody, or a start from an old configuration, puts a port elsewhere."""
    lab.doubles[leaf].applied["interface"][port]["vrf"] = vrf
    lab.documents[leaf] = lab.doubles[leaf].applied


def tried(lab, node):
    """{state: leaf} of what leaves tried for a rented node."""
    rows = json.loads((lab.folder / "report" / "results" / f"{node}.json").read_text())
    said = {row["state"]: row["sentence"] for row in rows if row["id"] == "tenant.strangers"}
    leaves = (LEAF, OTHER_RAIL)
    return {state: name for state, text in said.items() for name in leaves if name in text}


@pytest.mark.large
@pytest.mark.parametrize("lab", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_a_leaf_comes_back_with_a_port_in_the_vrf_of_the_tenant_before(lab):
    """The audit names it, no playbook wipes the node for it, and the remedy that is named works."""
    by_hand(lab, LEAF, "swp1s0", "t22-globex")
    before = lab.writes()
    leaf = ("--limit", f"localhost,{LEAF}")
    rented = ("--limit", f"localhost,{LEAF},{OTHER_RAIL},{NODE},{NEIGHBOUR}")
    code, output = lab.run("validate", *rented, spx_report="report", spx_checks="tenant")
    assert code == 2, output
    assert f"Port swp1s0 of {LEAF} ({NODE}) is in t22-globex" in output
    assert f"({NODE} of acme) answers a ping from t22-globex, the VRF of globex" in output
    assert tried(lab, NEIGHBOUR) == {"fail": LEAF}
    assert tried(lab, NODE) == {"pass": OTHER_RAIL}
    code, output = lab.run("switches", *leaf)
    assert code == 2, output
    assert (
        f"tenant drift: port swp1s0 of {LEAF} (worker-su01-rack01-h01) is in t22-globex" in output
    )
    code, output = lab.run(
        "tenant_move", spx_tenant="acme", spx_nodes=NODE, spx_registry_write="true"
    )
    assert code == 2, output
    assert f"port swp1s0 of {LEAF} is still in t22-globex: a move would shut and wipe" in output
    assert lab.writes() == before
    by_hand(lab, LEAF, "swp1s0", "t1-quarantine")
    code, output = lab.run("tenant_onboard", spx_tenant="acme", spx_wait=5)
    assert code == 0, output
    assert lab.vrf_of(NODE) == {"t21-acme"}


def test_rest_health_reports_what_was_looked_up_and_nothing_in_check_mode(lab):
    """A report is of a run, with who, when and where from."""
    file = lab.folder / "report" / "rest_health.json"
    code, output = lab.run("rest_health", "--check", spx_report="report")
    assert code == 0, output
    assert not file.exists()
    code, output = lab.run("rest_health", spx_report="report")
    assert code == 0, output
    assert "quarantine: 6 nodes" in output
    found = json.loads(file.read_text())
    assert (found["schema"], found["fabric"]) == (1, "lab")
    assert found["origin"].startswith("spectrum_x.fabric.rest_health")
    assert changed(output) == 0
