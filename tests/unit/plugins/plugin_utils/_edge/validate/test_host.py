# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of a host, and what becomes of one that is not asked or does not answer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from ansible.errors import AnsibleConnectionFailure
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.spectrum_x.fabric.plugins.action import validate
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import host_look
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.validate import host
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._edge.hosts import (
    AS_PLANNED,
    H01,
)

LOOK, PROBE = host_look.MODULE, host.PROBE
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
PROBED = {"pings": [], "attempts": [], "findings": []}
TENANTS = "tenants: [{{id: 21, slug: acme, nodes: [{}], host_access: {}}}]\n"


class Node:
    """A node of the lab whose modules answer as given; an exception is raised."""

    def __init__(self, project):
        self.model, self.asked = project / "model", []
        self.answers = {LOOK: SEEN, PROBE: PROBED}
        self.tenants("managed")

    def tenants(self, access):
        (self.model / "tenants.yml").write_text(TENANTS.format(H01, access))

    def validate(self, **args):
        stated = {"inventory_hostname": H01}
        loader = DataLoader()
        given = {"of": "host", "description": str(self.model / "fabric.yml"), **args}
        task = SimpleNamespace(args=given, action="validate", async_val=0, check_mode=False)
        connection = SimpleNamespace(_shell=SimpleNamespace(tmpdir="/nowhere"))
        templar = Templar(loader=loader, variables=stated)
        action = validate.ActionModule(task, connection, None, loader, templar, None)
        action._execute_module = self._execute
        return action.run(task_vars=stated)

    def _execute(self, name, options, task_vars):
        self.asked.append((name, options))
        answer = self.answers[name]
        if isinstance(answer, Exception):
            raise answer
        return dict(answer)


@pytest.fixture
def node(project):
    return Node(project)


def test_a_host_is_read_tries_and_is_judged_by_what_it_shows(node):
    result = node.validate()
    assert "no tool answers." in " ".join(result["failures"])
    (_look, _asked), (_probe, options) = node.asked
    assert (_look, _probe) == (LOOK, PROBE)
    assert options["nics"]
    assert {row["kind"] for row in options["pings"]} == {"gateway"}
    assert options["attempts"]


def test_no_nic_is_read_where_only_what_the_host_tries_is_asked_for(node):
    node.validate(checks=["host.isolation"])
    ((name, options),) = node.asked
    assert name == PROBE
    assert options["nics"] == []
    assert options["attempts"]


@pytest.mark.parametrize(
    "answer", [AnsibleConnectionFailure("no route"), {"unreachable": True, "msg": "no route"}]
)
@pytest.mark.parametrize("module", [LOOK, PROBE])
def test_a_host_that_does_not_answer_is_unreachable_and_has_its_results(node, module, answer):
    node.answers[module] = answer
    result = node.validate()
    assert (result["unreachable"], result["msg"]) == (True, "no route")
    assert result["counts"]["pass"] == 0
    assert result["counts"]["not_run"] > 1


def test_a_host_that_cannot_be_read_fails_and_a_probe_that_fails_is_no_answer(node):
    node.answers[LOOK] = {"failed": True, "msg": "the host has neither dpkg nor rpm."}
    assert node.validate()["msg"] == "the host has neither dpkg nor rpm."
    node.answers = {LOOK: SEEN, PROBE: {"failed": True, "msg": "no ping"}}
    result = node.validate(checks=["host.path"])
    assert result["counts"]["pass"] == 0


@pytest.mark.parametrize(
    "access, where, said",
    [("none", "", "not_run"), ("managed", "su02", "is not in su02."), ("managed", "acme", "")],
)
def test_who_is_contacted(node, access, where, said):
    node.tenants(access)
    result = node.validate(where=where)
    assert bool(node.asked) is (access == "managed" and where != "su02")
    if where == "su02":
        assert result["skipped"]
        assert said in result["msg"]
    else:
        assert result["counts"]
