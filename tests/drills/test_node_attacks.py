# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill: a node attacks the run that moves it away from its tenant, who was root there.

Each hook has each kind of module run on the node, which answers with facts, records and results of its own making.
None of it confirms anything, edits the registry, writes a file of the project, or changes the end of the run.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from drills.forging import MARK, asking, files, possess
from drills.running import Run
from unit.playbooks.leaves import ACME, GLOBEX, NODE, Lab, confirm

BOTH = "tenants:\n" + ACME + GLOBEX
RESTING = "rest: [{nodes: ['su01/h01', 'su01/h02'], acceptance: burn-in}]\n"
MOVE = {"spx_tenant": "globex", "spx_nodes": NODE, "spx_registry_write": "true", "spx_wait": 5}
HOOKS = ("drain", "storage_remove", "firmware", "storage_add", "release")
CONFIRMED = {"wipe": ("wiped", "bmc"), "acceptance": ("accepted", "hand")}
COMMIT = {"registry_commit": ("committed", "git")}
SHOWN = {
    "ANSIBLE_STDOUT_CALLBACK": "spectrum_x.fabric.summary",
    "ANSIBLE_CALLBACKS_ENABLED": "spectrum_x.fabric.exit_code",
    "SPX_SUMMARY_INTERVAL": "1000",
}
INJECTED = pytest.mark.parametrize("injected", ["true", "false"])


def hooked(lab: Lab, *, hostile: bool = True, unconfirmed: str = "") -> None:
    """Every hook of the site asks the node, and those that confirm do so but for one."""
    for name in (*HOOKS, *CONFIRMED, *COMMIT):
        tasks = asking(lab.folder) if hostile else []
        for task in tasks if name in COMMIT else ():
            task["delegate_to"] = NODE
        what = (CONFIRMED | COMMIT).get(name)
        tasks += [confirm(*what)] if what and name != unconfirmed else []
        lab.hook(name, yaml.safe_dump(tasks or [{"ansible.builtin.debug": {"msg": name}}]))


def move(lab: Lab, injected: str = "false") -> tuple[int, str]:
    environment = {**SHOWN, "ANSIBLE_INJECT_FACT_VARS": injected}
    return lab.run("tenant_move", environment=environment, **MOVE)


def end(output: str) -> str:
    """The table of a run's summary, and its headline without the time and the number of warnings."""
    text = output[output.rindex("SUMMARY lab") :].partition("warnings:\n")[0]
    return re.sub(r" in .*?:|; \d+ warnings?", ":", text)


@pytest.mark.parametrize("leaves", [BOTH], indirect=True)
@INJECTED
def test_a_move_ends_as_if_the_node_had_said_nothing(leaves: Lab, injected: str) -> None:
    """It is wiped since its BMC did so, and the run, its reports and its summary are those of an honest node."""
    hooked(leaves, hostile=False)
    code, output = move(leaves, injected)
    assert code == 0, output
    honest, registry = end(output), leaves.registry.read_text()
    back = {**MOVE, "spx_tenant": "acme"}
    code, output = leaves.run("tenant_move", **back)
    assert code == 0, output
    possess(leaves)
    hooked(leaves)
    before = files(leaves.folder)
    code, output = move(leaves, injected)
    assert code == 0, output
    assert end(output) == honest
    assert not [
        line
        for line in output.splitlines()
        if line.lstrip().startswith(("leaf", MARK)) and MARK in line
    ]
    assert leaves.vrf_of(NODE) == {"t22-globex"}
    now = files(leaves.folder)
    changed = {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)}
    assert changed == {"model/tenants.yml"}
    assert undated(leaves.registry.read_text()) == undated(registry)
    told = (leaves.folder / "report" / f"tenant_move-{NODE}.json").read_text()
    assert MARK not in told
    assert [(row["what"], row["by"]) for row in json.loads(told)["evidence"]] == [
        ("wiped", "bmc"),
        ("accepted", "hand"),
    ]


def undated(text: str) -> str:
    """A registry without the names of runs."""
    return re.sub(r"run: \S+", "run", text)


@pytest.mark.parametrize("leaves", [BOTH], indirect=True)
@INJECTED
def test_no_answer_of_the_node_confirms_anything(leaves: Lab, injected: str) -> None:
    """Of each hook that has to confirm, in turn, the confirmation is left out; the node's answers are all there is."""
    possess(leaves)
    for name, where in (("wipe", {"t1-quarantine"}), ("acceptance", {"t1-quarantine"})):
        hooked(leaves, unconfirmed=name)
        before = files(leaves.folder)
        code, output = move(leaves, injected)
        assert code == 2, output
        assert f"{NODE}: the hook {name} ended without a confirmation" in said(output), output
        assert leaves.vrf_of(NODE) == where
        now = files(leaves.folder)
        assert {key for key in now if now[key] != before.get(key)} == {"model/tenants.yml"}
        held = yaml.safe_load(leaves.registry.read_text())
        assert MARK not in str(held)
        assert not {"clean", "acceptance"} & held["moving"][NODE].keys(), held
    hooked(leaves, unconfirmed="registry_commit")
    code, output = move(leaves, injected)
    assert code == 2, output
    assert "NOT COMMITTED" in output, output


def said(output: str) -> str:
    return " ".join(output.split())


PLAYBOOKS = {
    "validate": ({}, (2, 6)),
    "dpus": ({"spx_allow_reboot": "true"}, (2,)),
    "performance": ({"spx_level": "rails"}, (2, 6)),
}
"""Playbooks that ask nodes which nobody rents, with their variables and how they may end."""


@pytest.mark.parametrize("leaves", [RESTING], indirect=True)
@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_no_playbook_believes_the_node(leaves: Lab, playbook: str) -> None:
    """Check that nonsense or a failure of the node changes nothing of the controller."""
    given, codes = PLAYBOOKS[playbook]
    for node in (NODE, "worker-su01-rack01-h02"):
        possess(leaves, node)
    before, writes = files(leaves.folder), leaves.writes()
    report: Path = leaves.folder / "report"
    words = ("--limit", f"localhost,{NODE}") if playbook != "performance" else ()
    run = Run(leaves.folder, playbook, *words, environment=SHOWN, spx_report=report, **given)
    code, output = run.end()
    assert code in codes, output
    assert "Traceback" not in output, output
    assert NODE in output, output
    assert files(leaves.folder) == before
    assert leaves.writes() == writes
    outside = {path for path in leaves.folder.rglob("*") if MARK in path.name}
    assert not outside, outside
