# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A converged fabric in this machine's kernel, or in a guest's: border, front-end and storage pairs, two spines.

The documents pass through the API of a double each, which checks them; what the doubles have applied is realised
in the kernel, and packets show what it does. They are those that the collection makes (ours.py), or with
``SPX_LAB_DOCUMENTS=written`` some that were written by hand (documents.py), to tell a fault of the lab from one of
the collection.
"""

from __future__ import annotations

import base64
import copy
import json
import os
import pathlib
import subprocess
import time
import urllib.request

import pytest
from kernel import spaces
from kernel.networks import documents
from lab import guest
from lab.state import labs_folder
from nvue_double.testing import running_doubles

ROOT = pathlib.Path(__file__).resolve().parents[3]
LOGS = labs_folder().parent / "kernel-networks"
MODULES = (
    *("vrf", "vxlan", "bridge", "veth", "8021q", "bonding", "macvlan"),
    *("nf_tables", "nft_ct", "nft_meta_bridge"),
)
PATIENCE = 400
"""Seconds for the story once its kernel is up; a busy machine takes four times as long as a quiet one."""
RELEASE = "5.16.1"
STEPS = ("tenant_onboard", "tenant_move", "tenant_offboard")
VNIS = ("4100022", "4200022", "4300022", "4400022")
PLANNER = ROOT / "plugins" / "plugin_utils" / "_fabric" / "model" / "networks.py"
CHOSEN = os.environ.get("SPX_LAB_DOCUMENTS", "ours" if PLANNER.exists() else "written")
"""A collection that does not plan these networks has no documents of its own."""


def asked(double, method, path, body=None):
    """A request to a double that must succeed."""
    words = base64.b64encode(f"{double.username}:{double.password}".encode()).decode()
    request = urllib.request.Request(
        f"{double.url}/nvue_v1{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Basic {words}"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read() or "null")


def applied(double, document):
    """What a switch runs once it has applied a document."""
    number = next(iter(asked(double, "POST", "/revision")))
    asked(double, "PATCH", f"/?rev={number}", document)
    order = {"state": "apply", "auto-prompt": {"ays": "ays_yes"}}
    asked(double, "PATCH", f"/revision/{number}", order)
    for _attempt in range(200):
        state = asked(double, "GET", f"/revision/{number}")
        if state["state"].startswith("applied"):
            return double.switch.running
        assert "issue" not in state["transition"] or not state["transition"]["issue"], state
        time.sleep(0.05)
    raise AssertionError(f"not applied: {state}")


def checked(names, source):
    """What switches run once they have applied their documents by the API."""
    with running_doubles([{"release": RELEASE} for name in names], encrypted=False) as doubles:
        pairs = zip(names, doubles)
        return {name: copy.deepcopy(applied(one, source(name))) for name, one in pairs}


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    """The three playbooks, one after the other, and what the switches had before and after each revision."""
    from kernel.networks import playbooks

    return playbooks.live(tmp_path_factory.mktemp("lab"))


@pytest.fixture(scope="module")
def order(request):
    """The documents as the switches took them, and all that is around them."""
    if CHOSEN == "written":
        return documents.site(checked(documents.SWITCHES, documents.document)).order()
    life = request.getfixturevalue("lived")
    spines = checked(life.plan.roles["spine"], life.first.__getitem__)
    return life.order({name: life.first[name] for name in life.plan.names} | spines)


def kernel_has_all():
    """Whether this machine's own kernel makes VRFs, bonds and VLANs."""
    script = (
        "ip link add v type vrf table 9 && ip link add o type bond && "
        "ip link add b type bridge vlan_filtering 1 && ip link add link b name b.9 type vlan id 9"
    )
    probe = ["unshare", "--net", "sh", "-c", script]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def told(path):
    """What the story says, in this kernel or in that of a guest."""
    places = f"PYTHONPATH={ROOT / 'tests'}:{ROOT / 'tests' / 'targets' / 'switch'}"
    words = ["/usr/bin/env", places, "PYTHONDONTWRITEBYTECODE=1"]
    words += ["/usr/bin/python3", "-m", "kernel.networks.story", str(path)]
    if not kernel_has_all():
        return guest.run(words, modules=MODULES, logs=LOGS, patience=PATIENCE).output
    return spaces.told(words, PATIENCE)


@pytest.fixture(scope="module")
def answer(order):
    """What the kernel showed; the stage ends as not available where no kernel with all of it runs."""
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / "order.json"
    path.write_text(json.dumps(order))
    try:
        said = told(path)
    except guest.NoGuest as exc:
        pytest.exit(
            f"not available: this kernel has no VRFs, bonds or VLANs, and {exc}", returncode=77
        )
    lines = [line for line in said.splitlines() if line.startswith("ANSWER ")]
    assert lines, f"no answer; the end of what was said:\n{said[-3000:]}"
    return json.loads(lines[-1].partition(" ")[2])


def vtep(order, name):
    """The address of a switch's tunnels."""
    return order["switches"][name]["nve"]["vxlan"]["source"]["address"]


MOVE = "tenant_move"
BEFORE, AFTER = {"s21-acme", "t21-acme"}, {"s22-globex", "t22-globex"}
ours_only = pytest.mark.skipif(CHOSEN == "written", reason="documents by hand have no playbooks")


def test_a_node_sees_one_lacp_partner_over_two_leaves(answer):
    found = {**answer.get("first", {}).get("lacp", {}), **answer["lacp"]}
    assert len(found) >= 2
    assert {row["ports"] for row in found.values()} == {2}
    for name, row in found.items():
        assert len(row["partners"]) == 1, name
        assert row["partners"][0].startswith("44:38:39:ff:"), name


def test_both_leaves_of_a_pair_have_the_segments_and_each_other(order, answer):
    first, second = order["roles"]["front"]
    segments = answer["segments"]
    assert set(segments[first]) == set(segments[second])
    assert len(segments[first]) == len([row for row in order["cables"] if row[1] == "front1"])
    for name, other in ((first, second), (second, first)):
        for row in segments[name].values():
            assert list(row["remote-vtep"]) == [vtep(order, other)]
            assert {"local", "remote", "oper-up", "ready-for-bgp"} <= set(row["flags"])
            assert row["vni-count"] >= 1
            assert row["local-interface"].startswith("bond")


def test_tenants_reach_their_storage_and_the_outside_and_nobody_else(answer):
    own = answer["apart"]["own"]
    assert len(own) == 6
    assert len([row for row in own if row[0] == "provider"]) == 2
    assert answer["apart"]["wrong"] == []


@ours_only
def test_playbooks_onboard_move_and_offboard_and_nothing_is_left_on_the_switches(lived):
    assert [name for name in lived.steps if name.startswith("tenant_")] == list(STEPS)
    text = json.dumps(lived.last)
    assert "acme" in text
    assert [word for word in ("globex", *VNIS, "10.208.16.", "10.216.16.") if word in text] == []


@ours_only
def test_validate_names_a_session_that_is_down_and_a_default_that_leaked(lived):
    assert " passed, 0 failed," in lived.steps["validate"].output
    code, output = lived.faults
    assert code == 2, output
    for words in (
        "network.session t22-globex: the session 'isp-a' with 100.64.0.5 (AS 64999) on swp1s0.3022 is idle",
        "network.default s21-acme of storage-leaf-001-1 has a default route, and no peer of it may give one",
    ):
        assert words in " ".join(output.split())
    assert " passed, 3 failed," in output


@ours_only
@pytest.mark.parametrize("rails", [True, False])
def test_at_no_revision_is_the_node_with_two_tenants(lived, rails):
    found = lived.stations(rails=rails)
    both = [{"t21-acme"}, {"t22-globex"}] if rails else [BEFORE, AFTER]
    assert [found[0], found[-1]] == both
    assert set() in found
    for vrfs in found:
        assert not vrfs & BEFORE or not vrfs & AFTER


@ours_only
def test_a_node_moves_with_everything_and_never_reaches_two_storages(order, answer):
    found, rows = answer["node_moves"], order["steps"][MOVE]
    assert found["before"] is not None
    assert found["after"] is not None
    assert found["wrong"] == []
    old, new = found["answered"]["acme"], found["answered"]["globex"]
    assert len(old) >= 5
    assert len(new) >= 5
    left = next(n for n, row in enumerate(rows) if "s21-acme" not in row["vrfs"])
    joined = next(n for n, row in enumerate(rows) if "s22-globex" in row["vrfs"])
    assert (
        max(old)
        < found["revisions"][left]["whole"]
        < found["revisions"][joined]["begun"]
        < min(new)
    )


@ours_only
def test_nothing_is_left_of_a_tenant_that_has_left(answer):
    assert all(answer["node_moves"]["traces"].values()), (
        "the words are those that its switches have"
    )
    assert set(answer["leaves"]["traces"].values()) == {0}


@ours_only
def test_quarantine_reaches_the_provisioning_server_and_nobody_else(answer):
    found = answer["leaves"]
    assert [name for name, _address in found["served"]] == ["node-globex", "node-moves"]
    assert found["wrong"] == []


@ours_only
def test_no_tenant_reaches_the_out_of_band_network_which_leaves_do(order, answer):
    assert [name for name, _address in answer["leaves"]["managed"]] == list(order["managed"])
    assert not [to for _name, to in answer["leaves"]["wrong"] if to in order["managed"].values()]


@ours_only
def test_a_session_by_ip6_brings_a_default(answer):
    assert answer["leaves"]["ip6"]["pinged"]
    assert "::/0" in answer["leaves"]["ip6"]["routes"]


def test_a_storage_address_moves_with_its_mac_address(order, answer):
    moving = answer["moving"]
    target = vtep(order, order["roles"]["store"][1])
    assert moving["before"]["remoteVtep"] != target
    assert moving["after"]["remoteVtep"] == target
    assert moving["after"]["remoteSequence"] > 0
    assert moving["back"] is not None


def test_a_provider_that_leaks_is_refused_and_limited(order, answer):
    leaking = answer["leaking"]
    assert leaking["refused"]
    assert order["leaks"]["acme"]["stolen"] not in leaking["accepted"]
    assert "0.0.0.0/0" in leaking["accepted"]
    assert {row["state"] for row in leaking["limited"].values()} == {"Idle"}
    assert {row["code"] for row in leaking["limited"].values()} == {"0601"}
    assert (leaking["acme outside"], leaking["globex outside"]) == (False, True)
    assert leaking["outside again"] is not None


@pytest.mark.parametrize("dead", ["uplinks", "border", "store"])
def test_the_others_carry_on_when_one_dies(answer, dead):
    assert answer["dying"][dead]["back"] is not None, answer["dying"][dead]


def test_a_leaf_without_uplinks_takes_the_bonds_of_its_nodes_down(answer):
    assert answer["dying"]["uplinks"]["alone"] is not None


def test_without_a_provider_storage_is_still_there_and_the_outside_is_not(order, answer):
    dying = answer["dying"]["provider"]
    assert dying["back"] is not None
    for lost in dying["lost"].values():
        assert lost[order["outside"]][-1:] == [10]
        assert [row for address, row in lost.items() if address != order["outside"]] == [[]]
