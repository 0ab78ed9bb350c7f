# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill: the disk of the controller is full, from the beginning or in the middle of a run.

The registry is never cut, the run says which file it could not write and what it did to the devices.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from drills.disks import small_disk
from drills.running import OTHER, Run, Site, sentence
from unit.playbooks.fleet import SPINE
from unit.playbooks.leaves import ACME, GLOBEX, NODE, Lab

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

BOTH = "tenants:\n" + ACME + GLOBEX
MOVE = {"spx_tenant": "globex", "spx_nodes": NODE, "spx_registry_write": "true", "spx_wait": 5}
FULL = "No space left on device"


def said(output: str) -> str:
    return re.sub(r"\s+", " ", output)


def test_no_room_for_the_report_of_switches(site: Site) -> None:
    """Nothing is changed by a run that could not say so."""
    site.plan(OTHER)
    writes = len(site.doubles[SPINE].log.writes)
    with small_disk(site.folder / "report") as disk:
        disk.fill()
        code, output = site.run("switches", "--limit", SPINE, spx_report=disk.folder)
        assert code == 2, output
        sentence(output)
        assert f"{disk.folder}" in said(output)
        assert FULL in said(output)
        assert not any(disk.files().values())
    assert len(site.doubles[SPINE].log.writes) == writes
    code, output = site.run("switches", "--limit", SPINE)
    assert code == 0, output


def test_the_report_of_switches_fills_up(site: Site) -> None:
    """The switch has the change by then: the run says so, and the report still reads."""
    site.plan(OTHER)
    double = site.doubles[SPINE]
    double.log.clear()
    with small_disk(site.folder / "report") as disk:
        run = site.start("switches", "--limit", SPINE, spx_report=disk.folder)
        run.wait_for(lambda: bool(double.log.matching("PATCH", "/revision/.*")))
        disk.fill()
        code, output = run.end()
        assert code == 2, output
        sentence(output)
        assert re.search(rf"{disk.folder}/changes/{SPINE}.json cannot be written", said(output))
        assert f"{SPINE} was changed" in said(output), output
        for name, text in disk.files().items():
            if name.endswith(".json"):
                json.loads(text)
    site.settled([SPINE], OTHER)
    code, output = site.run("switches", "--limit", SPINE)
    assert code == 0, output


@pytest.mark.parametrize("leaves", [BOTH], indirect=True)
def test_no_room_for_the_registry(leaves: Lab) -> None:
    """No leaf is touched, and the registry is as it was, byte for byte."""
    leaves.committing()
    with small_disk(leaves.folder / "model") as disk:
        disk.fill()
        before = disk.files()
        for playbook, options in (
            ("tenant_move", MOVE),
            ("tenant_offboard", {"spx_tenant": "acme", "spx_registry_write": "true"}),
        ):
            code, output = leaves.run(playbook, **options)
            assert code == 2, output
            sentence(output)
            assert f"tenants.yml cannot be edited ({FULL})" in said(output), output
        assert disk.files() == before
        assert leaves.history == []
        disk.empty()
        code, output = leaves.run("tenant_move", **MOVE)
        assert code == 0, output
    assert leaves.vrf_of(NODE) == {"t22-globex"}


@pytest.mark.parametrize("leaves", [BOTH], indirect=True)
@pytest.mark.parametrize("folder", ["model", "report"])
def test_a_disk_fills_up_in_a_move(leaves: Lab, folder: str) -> None:
    """The first leaf has changed by then; the registry still says where the move is."""
    leaves.committing()
    with small_disk(leaves.folder / folder) as disk:
        leaves.after_apply = lambda _name: disk.fill()
        code, output = leaves.run("tenant_move", **MOVE)
        assert code == 2, output
        sentence(output)
        file = "tenants.yml" if folder == "model" else f"tenant_move-{NODE}.json"
        assert file in said(output), output
        assert FULL in said(output), output
        step = step_of(leaves)
        assert step in ("shut", "quarantine"), step
        assert leaves.vrf_of(NODE) <= {"t21-acme", "t1-quarantine"}
        leaves.after_apply = lambda _name: None
        disk.empty()
        code, output = leaves.run("tenant_move", **MOVE)
        assert code == 0, output
        assert step_of(leaves) is None
        assert leaves.vrf_of(NODE) == {"t22-globex"}


def step_of(lab: Lab) -> str | None:
    """The step by which the registry says that the node is moving."""
    fabric = Fabric.load(str(lab.folder / "model" / "fabric.yml"))
    record = Registry.load(fabric).moves.get(fabric.known(NODE))
    return record.step if record else None


@pytest.mark.parametrize(
    "playbook, variable", [("validate", "spx_report"), ("plan", "spx_dest"), ("atlas", "spx_dest")]
)
def test_no_room_for_what_a_playbook_writes(site: Site, playbook: str, variable: str) -> None:
    """No file of it is cut: a person or a program takes what is there for the whole."""
    whole: Path = site.folder / "whole"
    words = ("--limit", f"localhost,{SPINE}") if playbook == "validate" else ()
    site.run(playbook, *words, **{variable: whole})
    complete = {str(p.relative_to(whole)): p.read_bytes() for p in whole.rglob("*") if p.is_file()}
    with small_disk(site.folder / "short", size="40k") as disk:
        code, output = Run(site.folder, playbook, *words, **{variable: disk.folder}).end()
        if playbook == "validate":
            disk.fill()
            code, output = Run(site.folder, playbook, *words, **{variable: disk.folder}).end()
        assert code not in (0, 4), output
        sentence(output)
        assert FULL in said(output), output
        lengths = {name: len(text) for name, text in complete.items()}
        cut = {
            name: len(text)
            for name, text in disk.files().items()
            if name in lengths and len(text) < 0.9 * lengths[name]
        }
        assert cut == {}
