# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads of a host, and the result of one that is not read or does not answer."""

from __future__ import annotations

import datetime
from types import SimpleNamespace

import pytest
import yaml
from ansible.errors import AnsibleConnectionFailure
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from playing import ended

from ansible_collections.spectrum_x.fabric.plugins.action import validate
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import results
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.validate import host
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._edge.hosts import (
    AS_PLANNED,
    H01,
    in_other_forms,
)

SEEN = {
    **AS_PLANNED,
    "nics": {"error": "no tool answers."},
    "network": {
        **AS_PLANNED["network"],
        "drift": ["it drifts."],
        "changed": True,
        "wrong_files": [],
    },
    "agent": {"error": "", "due": False, "files": [], "commands": [], "left": []},
}
PROBED = {"probe": {"pings": [], "attempts": [], "findings": []}}
TENANTS = "tenants: [{{id: 21, slug: acme, nodes: [{}], host_access: {}}}]\n"


class Node:
    """A node of the lab whose modules answer as given; an exception is raised."""

    def __init__(self, project):
        self.model, self.asked = project / "model", []
        self.answer = {**SEEN, **PROBED}
        self.tenants("managed")

    def tenants(self, access):
        (self.model / "tenants.yml").write_text(TENANTS.format(H01, access))

    def validate(self, **args):
        stated = {"inventory_hostname": H01}
        loader = DataLoader()
        given = {"of": "host", "description": str(self.model / "fabric.yml"), **args}
        task = SimpleNamespace(
            args=given, action="validate", async_val=0, check_mode=False, diff=False
        )
        connection = SimpleNamespace(_shell=SimpleNamespace(tmpdir="/nowhere"))
        templar = Templar(loader=loader, variables=stated)
        action = validate.ActionModule(task, connection, None, loader, templar, None)
        action._execute_module = self._execute
        return ended(action.run, task_vars=stated)

    def _execute(self, module_name, module_args, task_vars):
        assert module_name == "spectrum_x.fabric.host"
        self.asked.append(module_args)
        if isinstance(self.answer, Exception):
            raise self.answer
        return dict(self.answer)


@pytest.fixture
def node(project):
    return Node(project)


def test_a_host_is_read_tries_and_is_judged_by_what_it_shows(node):
    result = node.validate()
    assert "no tool answers." in " ".join(result["failures"])
    (options,) = node.asked
    assert options["wanted"]["name"] == H01
    assert options["probe"]["nics"] == options["wanted"]["nics"]
    assert {row["kind"] for row in options["probe"]["pings"]} == {"gateway"}
    assert options["probe"]["attempts"]


def test_no_nic_is_read_where_only_what_the_host_tries_is_asked_for(node):
    node.answer = PROBED
    result = node.validate(checks=["host.isolation"])
    (options,) = node.asked
    assert "wanted" not in options
    assert options["probe"]["nics"] == []
    assert options["probe"]["attempts"]
    assert result["counts"]["pass"] == 0  # what has no answer is no proof


@pytest.mark.parametrize(
    "answer", [AnsibleConnectionFailure("no route"), {"unreachable": True, "msg": "no route"}]
)
def test_a_host_that_does_not_answer_is_unreachable_and_has_its_results(node, answer):
    node.answer = answer
    result = node.validate()
    assert (result["unreachable"], result["msg"]) == (True, "no route")
    assert result["counts"]["pass"] == 0
    assert result["counts"]["not_run"] > 1


def test_a_host_that_cannot_be_read_fails(node):
    node.answer = {"failed": True, "msg": "the host has neither dpkg nor rpm."}
    result = node.validate()
    assert (result["failed"], result["msg"]) == (True, "the host has neither dpkg nor rpm.")


@pytest.mark.parametrize("answer", [{**SEEN, "probe": {"error": "no ping"}}, SEEN])
def test_a_probe_that_fails_is_no_answer(node, monkeypatch, answer):
    views = []
    monkeypatch.setattr(host.host, "check", lambda view, _checks: views.append(view) or [])
    node.answer = answer
    node.validate()
    assert views[0].probe is None


def test_a_switch_is_no_host(project):
    node = Node(project)
    assert "is a switch: name a node" in node.validate(device="leaf-p1-su001-r1")["msg"]


@pytest.mark.parametrize(
    "access, where, said",
    [("none", [], "not_run"), ("managed", ["su02"], "is not in su02."), ("managed", ["acme"], "")],
)
def test_who_is_contacted(node, access, where, said):
    node.tenants(access)
    result = node.validate(where=where)
    assert bool(node.asked) is (access == "managed" and where != ["su02"])
    if where == ["su02"]:
        assert result["skipped"]
        assert said in result["msg"]
    else:
        assert result["counts"]


def test_a_host_that_could_not_be_checked_is_in_the_report(node, tmp_path):
    """A module that fails, and a plan that lacks what the checks need, such as PCI addresses."""
    node.answer = {"failed": True, "msg": "Python is too old."}
    result = node.validate(report=str(tmp_path))
    assert (result["failed"], result["msg"]) == (True, "Python is too old.")
    assert result["counts"]["not_run"] == 1
    node.answer = {**SEEN, **PROBED}
    description = yaml.safe_load(node.model.joinpath("fabric.yml").read_text())
    description["nics"].pop("pci")
    node.model.joinpath("fabric.yml").write_text(yaml.safe_dump(description))
    result = node.validate(report=str(tmp_path))
    assert result["failed"]
    assert "pci" in result["msg"]
    rows = results.read(str(tmp_path))
    assert [(row["device"], row["state"]) for row in rows] == [(H01, "not_run")]
    assert result["msg"] in rows[0]["sentence"]
    age = datetime.datetime.now(tz=datetime.UTC) - datetime.datetime.fromisoformat(rows[0]["at"])
    assert datetime.timedelta(0) <= age < datetime.timedelta(minutes=5)


@pytest.mark.parametrize(
    "nonsense",
    [{"nics": [[]]}, {"network": {"error": "", "drift": 7}}, {"probe": 7}],
)
def test_nonsense_of_a_host_is_a_host_that_was_not_checked(node, nonsense):
    node.answer = {**SEEN, **PROBED, **nonsense}
    result = node.validate()
    assert result["failed"]
    assert result["msg"].startswith(f"{H01}: its answer does not have the form of module host (")
    assert result["counts"]["pass"] == 0


@pytest.mark.large
def test_no_value_of_another_kind_is_a_traceback(node):
    for place, answer in in_other_forms({**SEEN, **PROBED}):
        node.answer = answer
        result = node.validate()
        assert not result.get("failed") or "\n" not in result["msg"], place
        assert (
            not result.get("failed") or result["msg"].startswith(f"{H01}: ") or result["counts"]
        ), place


def test_a_host_does_not_say_what_it_is_to_be(node):
    """The plan does, also where only what the host tries was asked for."""
    node.answer = {**PROBED, "wanted": {"name": "x", "manage": [], "interfaces": []}}
    result = node.validate(checks=["host.isolation"])
    assert not result.get("failed"), result
    assert "was not checked" not in str(result)
