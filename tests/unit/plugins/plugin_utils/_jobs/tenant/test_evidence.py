# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence is given by the hook at work, of its own node, by somebody who may."""

from __future__ import annotations

import dataclasses

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.evidence import (
    HookAtWork,
    RegistryState,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.records import (
    HookCall,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.tenant import evidence
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.tenant.kinds import (
    HOOK,
    REGISTRY,
)

WIPE = HookAtWork("wipe", "h01", "wipe", managed=True)


@pytest.fixture(autouse=True)
def _begun(begin):
    begin()


def confirm(what="wiped", by="bmc", note="", machine=""):
    return evidence.confirm(store, what, by=by, note=note, machine=machine)


def test_the_node_is_that_of_the_hook():
    evidence.begin(store, WIPE)
    assert confirm(note="job 4711")["node"] == "h01"
    (row,) = evidence.of(store, "wiped").values()
    assert (row.node, row.by, row.note) == ("h01", "bmc", "job 4711")
    assert evidence.of(store, "accepted") == {}


def test_a_note_that_quotes_a_service_is_one_line():
    evidence.begin(store, WIPE)
    assert confirm(note="job\r\nTASK [Wipe] ***\x1b[2J")["note"] == r"job TASK [Wipe] ***\x1b[2J"


@pytest.mark.parametrize(
    "hook, what, by, words",
    [
        (None, "wiped", "bmc", "only the hook wipe confirms 'wiped'"),
        (
            dataclasses.replace(WIPE, name="drain"),
            "wiped",
            "bmc",
            "only the hook wipe confirms 'wiped'",
        ),
        (WIPE, "accepted", "hand", "only the hook acceptance confirms 'accepted'"),
        (WIPE, "committed", "git", "put this task into hooks/registry_commit.yml"),
        (
            WIPE,
            "wiped",
            "measured",
            "by: 'measured' is not allowed with wiped: use bmc, provisioner, hand",
        ),
        (WIPE, "wiped", "git", "'git' is not allowed with wiped"),
    ],
)
def test_another_confirmation_is_refused(hook, what, by, words):
    if hook:
        evidence.begin(store, hook)
    with pytest.raises(FabricError, match=words):
        confirm(what, by)
    assert evidence.of(store, what) == {}


def test_a_hook_that_has_ended_confirms_nothing():
    evidence.begin(store, WIPE)
    evidence.end(store)
    with pytest.raises(FabricError, match="only the hook wipe"):
        confirm()


def test_what_was_confirmed_before_the_hook_began_again_does_not_count():
    evidence.begin(store, WIPE)
    confirm()
    evidence.begin(store, dataclasses.replace(WIPE, node="h02"))
    confirm(by="hand")
    evidence.begin(store, WIPE)
    assert list(evidence.of(store, "wiped")) == ["h02"]


def test_a_new_playbook_begins_without_evidence(begin):
    evidence.begin(store, WIPE)
    confirm()
    begin()
    assert evidence.of(store, "wiped") == {}
    assert store.get(HOOK) == HookAtWork()


def test_a_committed_registry_is_no_longer_uncommitted():
    store.put(REGISTRY, RegistryState(uncommitted="acme: add h03."))
    evidence.begin(store, HookAtWork("registry_commit", "tenants.yml", "end"))
    confirm("committed", "git")
    assert store.get(REGISTRY) == RegistryState(committed=True)


OLD = "- ansible.builtin.set_fact: {node_wiped: true}\n"


@pytest.mark.parametrize(
    "tasks",
    [
        "- ansible.builtin.include_tasks: erase/all.yml\n",
        "- block: [{import_tasks: {file: erase/all.yml}}]\n",
        "- block: []\n  rescue:\n    - include_tasks: file=erase/all.yml\n",
        "- include_tasks: more.yml\n",
    ],
)
def test_an_old_fact_in_a_file_that_a_hook_includes_is_refused(tmp_path, tasks):
    (tmp_path / "erase").mkdir()
    (tmp_path / "wipe.yml").write_text(tasks)
    (tmp_path / "more.yml").write_text(
        "- import_tasks: erase/more.yml\n- include_tasks: wipe.yml\n"
    )
    (tmp_path / "erase" / "more.yml").write_text("- include_tasks: all.yml\n")
    (tmp_path / "erase" / "all.yml").write_text(OLD)
    with pytest.raises(FabricError) as caught:
        evidence.must_confirm({"wipe": str(tmp_path / "wipe.yml")})
    (said,) = caught.value.sentences
    assert said.startswith(
        f"{tmp_path}/erase/all.yml: node_wiped: a fact is not evidence: write spectrum_x"
    )


def test_what_a_hook_does_not_include_by_its_name_is_not_read(tmp_path):
    """A template, a file beyond the folder of hooks, one that is not there, and a hook that includes itself."""
    (tmp_path / "hooks").mkdir()
    (tmp_path / "old.yml").write_text(OLD)
    hook = tmp_path / "hooks" / "wipe.yml"
    names = ("{{ hook_node }}.yml", "../old.yml", "absent.yml", "wipe.yml", "")
    hook.write_text("".join(f"- include_tasks: '{name}'\n" for name in names))
    evidence.must_confirm({"wipe": str(hook)})


RENTED = HookAtWork("wipe", "h01", "wipe", serial="SN1", macs=["02:00:00:00:00:0a"])


@pytest.mark.parametrize("machine", ["SN1", " sn1 ", "02-00-00-00-00-0A\r\n"])
def test_the_machine_is_what_devices_csv_has_of_the_node(machine):
    evidence.begin(store, RENTED)
    assert confirm(machine=machine)["node"] == "h01"


@pytest.mark.parametrize(
    ("hook", "machine", "words"),
    [
        (RENTED, "", r"it does not say what devices.csv has of h01 \(02:00:00:00:00:0a or sn1\)"),
        (RENTED, "SN2", "machine: 'SN2' is not what devices.csv has of h01"),
        (dataclasses.replace(RENTED, managed=True), "SN2", "'SN2' is not what"),
        (dataclasses.replace(RENTED, serial="", macs=[]), "", "it does not say what"),
    ],
)
def test_another_machine_or_none_is_refused(hook, machine, words):
    evidence.begin(store, hook)
    with pytest.raises(FabricError, match=words):
        confirm(machine=machine)
    assert evidence.of(store, "wiped") == {}


def test_our_own_action_says_the_machine_where_leaves_prove_it():
    """It counts for the hook at work alone: the next one proves its host again."""
    evidence.begin(store, RENTED)
    evidence.add(store, evidence.IDENTITY, by="leaves", node="h01")
    assert confirm()["node"] == "h01"
    evidence.begin(store, RENTED)
    with pytest.raises(FabricError, match="it does not say"):
        confirm()


def test_runs_that_log_in_prove_the_machine_themselves():
    evidence.begin(store, dataclasses.replace(RENTED, managed=True))
    assert confirm()["node"] == "h01"


PLANNED = HookCall(
    *("wipe", "h01", "acme", "rest", []),
    managed=False,
    bmc="",
    serial=RENTED.serial,
    macs=RENTED.macs,
)
NAMED = "machine: runs do not log in to h01: confirm with machine, the answer of the BMC or the image service: "
GIVES = "- spectrum_x.fabric.tenant: {do: confirm, what: wiped, by: bmc, machine: '%s'}\n"
ASKS = "- command: {argv: [bmc, '{{ hook_serial }}']}\n  register: bmc\n"
ANSWER = GIVES % "{{ bmc.stdout }}"
NONE = {"serial": "", "macs": []}
PROVES = "- spectrum_x.fabric.host: {do: identify, device: h01, outside: true}\n"
BARE = "- spectrum_x.fabric.tenant: {do: confirm, what: wiped, by: hand}\n"


@pytest.mark.parametrize(
    ("text", "hook", "words"),
    [
        (PROVES + BARE, NONE, ""),
        (BARE, {"managed": True}, ""),
        (BARE, {"name": "release"}, ""),
        (ASKS + ANSWER, {}, ""),
        (BARE, {}, "it is not stated"),
        (ASKS + ANSWER, NONE, "neither serial nor MAC"),
    ],
)
def test_a_hook_that_cannot_prove_its_machine_is_refused_when_the_run_is_planned(
    tmp_path, text, hook, words
):
    file = tmp_path / "wipe.yml"
    file.write_text(text)
    call = dataclasses.replace(PLANNED, **hook)
    if not words:
        evidence.must_name([call], {"wipe": str(file), "release": str(file)})
        return
    with pytest.raises(FabricError) as caught:
        evidence.must_name([call], {"wipe": str(file)})
    (said,) = caught.value.sentences
    assert words in said
    assert words == "neither serial nor MAC" or said.startswith(f"{file}: {NAMED}")
