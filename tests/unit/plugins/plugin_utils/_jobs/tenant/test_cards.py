# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cards of a wiped node are read on that node, and nothing but a verdict of as wanted is evidence."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleConnectionFailure

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.evidence import (
    HookAtWork,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.tenant import evidence
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.tenant.kinds import FAILURES
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._edge.hosts import (
    AS_PLANNED,
    H01,
    H03,
    NO_TOOL,
    Host,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.audit import (
    hosts,
)


@pytest.fixture
def host(project, monkeypatch, begin):
    begin()
    evidence.add(store, "wiped", by="bmc", node=H03)
    made = Host(project / "model", monkeypatch)
    _fabric, _registry, wanted = hosts.parts()
    made.answer = {
        **AS_PLANNED,
        "nics": {**AS_PLANNED["nics"], "nics": [hosts.record(n) for n in wanted["nics"]]},
    }
    return made


def test_cards_as_wanted_are_evidence_of_their_node(host):
    found = host.do("cards")
    assert (found["sentence"], store.get(FAILURES)) == ("", {})
    assert [row.by for row in evidence.of(store, "cards").values()] == ["read"]
    assert list(evidence.of(store, "cards")) == [H03]


def test_a_node_is_the_one_that_the_task_asks(host):
    """A task that localhost delegates reads with the variables of the node; no other name counts."""
    host.delegated = H03
    own = {H03: {"inventory_hostname": H03, "dpu_state_agent_path": "/opt/tool.pyz"}}
    host.do("cards", name="localhost", hostvars=own)
    assert host.asked[0]["asked"]["agent_path"] == "/opt/tool.pyz"
    assert list(evidence.of(store, "cards")) == [H03]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (NO_TOOL, "its cards were not read after the wipe (no tool answers)"),
        (AnsibleConnectionFailure("no route"), "its cards were not read after the wipe (no route)"),
        (
            {"unreachable": True, "msg": "no route"},
            "its cards were not read after the wipe (no route)",
        ),
        (
            {"failed": True, "msg": "no python."},
            "its cards were not read after the wipe (no python)",
        ),
        ({**AS_PLANNED, "nics": 7}, "its answer does not have the form of module host"),
        (AS_PLANNED, "its answer does not have the form of module host (KeyError"),
    ],
)
def test_what_is_no_verdict_is_no_evidence(host, answer, words):
    host.answer = answer
    found = host.do("cards")
    assert not found.get("failed"), found
    assert words in found["sentence"]
    assert store.get(FAILURES) == {H03: [found["sentence"]]}
    assert evidence.of(store, "cards") == {}


def test_a_node_without_a_confirmed_wipe_is_not_asked(host):
    """Nor does a verdict from before the wipe count."""
    assert host.do("cards", name=H01)["skipped"]
    assert host.asked == []
    host.do("cards")
    evidence.begin(store, HookAtWork("wipe", H03, "wipe"))
    assert evidence.every(store) == []
