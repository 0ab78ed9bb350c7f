# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of the module for a host, hosts that are not read at all, and the use of its answer."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import host_look
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import zipapp_digest
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._edge.hosts import (
    AS_PLANNED,
    H03,
    NO_TOOL,
    OWN,
    Host,
    in_other_forms,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.render.host.looks import (
    found,
)


@pytest.fixture
def host(project, monkeypatch):
    return Host(project / "model", monkeypatch)


def test_a_host_as_planned_is_read_once_and_has_no_steps(host):
    result = host.look()
    assert (result["plan"]["group"], result["plan"]["steps"]) == ("done", [])
    assert result["changed"] is False
    assert "invocation" not in result
    (options,) = host.asked
    assert options["wanted"]["name"] == H03
    assert options["wanted"]["agent_sha256"] == zipapp_digest()


@pytest.mark.parametrize(
    "registry, words",
    [
        (f"tenants: [{{id: 23, slug: initech, nodes: [{H03}]}}]\n", "is rented to initech"),
        ("tenants: []\n", "is out of service (spare)"),
    ],
)
def test_a_host_that_is_rented_or_resting_is_not_contacted(host, registry, words):
    (host.model / "tenants.yml").write_text(registry)
    if "initech" not in registry:
        with (host.model / "fabric.yml").open("a") as description:
            description.write(
                f"out_of_service: [{{device: {H03}, since: '2026-01-01', until: '2099-01-01', reason: spare}}]\n"
            )
    result = host.look()
    assert result["skipped"] is True
    assert words in result["msg"]
    assert host.said == [result["msg"]]
    assert host.asked == []


def test_another_node_is_refused_always_and_an_unknown_host_by_the_playbook(host):
    """A role alone cannot say that somebody vouches for a host from the factory."""
    host.answer = {**AS_PLANNED, **found(identity={"addresses": ["172.16.0.2"]})}
    for preflight in (False, True):
        result = host.look(args={"preflight": preflight}, ansible_host="192.0.2.7")
        assert f"192.0.2.7 (ansible_host of {H03}) is worker-su01-rack01-h02: " in result["msg"]
    host.answer = found()
    assert "failed" not in host.look()
    assert "nothing proves" in host.look(args={"preflight": True})["msg"]


@pytest.mark.parametrize("access", ["none", "unknown"])
def test_only_a_word_that_says_managed_is_leave(access):
    row = {"name": "h01", "tenant": "acme", "resting": "", "access": access}
    assert host_look._away(row) == "h01 is rented to acme: it is not touched."
    assert host_look._away({**row, "access": "managed"}) == ""


def test_what_was_found_is_taken_again_where_the_same_is_asked(host):
    known = {"known": True}
    before = host.look(dpu_interfaces_arp=False)
    again = host.look(args=known, dpu_interfaces_arp=False, dpu_state_look=before)
    assert (len(host.asked), again["nics"]) == (1, before["nics"])
    host.look(args=known, dpu_interfaces_arp=True, dpu_state_look=before)
    assert len(host.asked) == 2
    host.look(dpu_interfaces_arp=False, dpu_state_look=before)
    assert len(host.asked) == 3


def test_a_module_that_fails_leaves_no_plan(host):
    host.answer = {"failed": True, "msg": "the host has neither dpkg nor rpm."}
    result = host.look()
    assert (result["failed"], result["msg"]) == (True, "the host has neither dpkg nor rpm.")
    assert "plan" not in result


@pytest.mark.parametrize("preflight", [False, True])
def test_refusals_fail_where_it_is_asked_for(host, preflight):
    host.answer = NO_TOOL
    result = host.look(args={"preflight": preflight})
    assert result["plan"]["refusals"] == [f"{H03}: no tool answers."]
    assert result.get("failed", False) is preflight


def test_a_file_of_others_that_counts_for_a_rail_is_refused_and_an_address_is_taken_away(host):
    row = {
        "name": "rail1p1",
        "planned": "172.16.0.4/31",
        "file": "",
        "key": "",
        "addresses": ["172.16.0.2/31"],
    }
    file = {**row, "file": "/etc/systemd/network/05-x.network", "key": "Name=rail1p1"}
    host.answer = {**AS_PLANNED, "network": {**AS_PLANNED["network"], "addresses": [row, file]}}
    result = host.look(args={"preflight": True})
    assert result["failed"]
    assert result["msg"] == (
        "rail1p1: /etc/systemd/network/05-x.network, Name=rail1p1: it counts after a reload, gives it 172.16.0.2/31 "
        "(worker-su01-rack01-h02, globex), expected 172.16.0.4/31: take it out of that file, "
        "or let dpu_interfaces_take_over move it aside."
    )


LEAVES = ("spx_allow_reset", "spx_allow_reboot", "spx_allow_versions")


@pytest.mark.parametrize("name", LEAVES)
def test_leave_counts_with_e_alone(host, name):
    preflight = {"preflight": True}
    failed = host.look(args=preflight, **{name: True})
    assert (failed["failed"], f"{name}: it counts only when given with -e" in failed["msg"]) == (
        True,
        True,
    )
    host.extra = {name: True}
    assert host.look(args=preflight, **{name: True})["plan"]["refusals"] == []


@pytest.mark.parametrize(
    "parts, leaves",
    [
        ({"packages": {"doca-all": "3.2.0"}}, {"spx_allow_reboot"}),
        (
            {"network": {"renames_in_use": ["x to rail1p1"]}},
            {"spx_allow_reset", "spx_allow_reboot"},
        ),
    ],
)
@pytest.mark.parametrize("name", [None, *LEAVES])
def test_what_leave_allows_is_planned(host, name, parts, leaves):
    """A driver that is replaced takes a reboot, new names of ports in use a reset."""
    host.answer = {**AS_PLANNED, **found(**parts), "nics": AS_PLANNED["nics"]}
    plan = host.look(**({name: "true"} if name else {}))["plan"]
    assert (plan["group"] == "rolling") is (name in leaves)


@pytest.mark.parametrize("allowed", [False, True])
def test_versions_outside_the_set_are_refused_without_leave(host, allowed):
    host.answer = {**AS_PLANNED, "packages": {**AS_PLANNED["packages"], "libnccl2": "2.27.7-1"}}
    plan = host.look(spx_allow_versions=allowed)["plan"]
    assert bool(plan["refusals"]) is not allowed


def test_somebody_may_want_no_congestion_control(host):
    plan = host.look(dpu_congestion_control_algorithm="false")["plan"]
    assert plan["steps"] == ["dpu_congestion_control"]


@pytest.mark.parametrize("stated", [None, True, "false"])
def test_congestion_control_is_compared_as_somebody_wants_it(host, stated):
    """Without a word the module is asked for both, and compares with what the host does."""
    host.look(**({} if stated is None else {"dpu_agent_algorithm": stated}))
    asked = host.asked[0]["asked"]
    starts, idle = asked["files"][0]["content"], asked["idle"]
    assert (starts != idle) is (stated is None)
    assert ('"cc"' in starts) is (stated != "false")


@pytest.mark.parametrize("mode", [{}, {"ansible_check_mode": True}])
def test_what_waits_for_a_drained_host_is_said(host, mode):
    host.answer = found(packages={"doca-all": "3.2.0"}, identity=OWN)
    result = host.look(args={"preflight": True}, **mode)
    assert result["plan"]["waits_for"] == "the driver of DOCA-Host"
    assert len(host.said) == 1
    assert "congestion control wait for the driver of DOCA-Host" in host.said[0]


@pytest.mark.parametrize(
    "nonsense",
    [
        {"system": None},
        {"packages": [[]]},
        {"nics": "x"},
        {"nics": {**AS_PLANNED["nics"], "nics": [{"mode": "nic", "ports": 7}]}},
        {"nics": {**AS_PLANNED["nics"], "verdict": 7}},
        {"network": {**AS_PLANNED["network"], "renames_in_use": 7}},
    ],
)
def test_nonsense_of_a_host_is_one_sentence_that_names_it(host, nonsense):
    host.answer = {**AS_PLANNED, **nonsense}
    result = host.look()
    assert result["failed"]
    assert result["msg"].startswith(f"{H03}: its answer does not have the form of module host (")
    assert "\n" not in result["msg"]


@pytest.mark.large
def test_no_value_of_another_kind_is_a_traceback(host):
    for place, answer in in_other_forms(AS_PLANNED):
        host.answer = answer
        result = host.look()
        assert not result.get("failed") or result["msg"].startswith(f"{H03}: "), place
        assert "\n" not in str(result.get("msg")), place


@pytest.mark.parametrize("error", [TypeError("ErrorSummary.event must be Event"), RecursionError()])
def test_an_answer_that_ansible_cannot_read_is_one_sentence(host, error):
    """Ansible builds objects of what a module answers, and expects their form."""

    def execute(*_args, **_more):
        raise error

    host._execute = execute
    result = host.look()
    assert result["msg"].startswith(f"{H03}: its answer does not have the form of module host (")
