# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill: the project of the controller is on a disk that is read-only, from the beginning or from a change on.

A run that could not note what it does changes no device. One that cannot go on says which file, and the next finishes.
"""

from __future__ import annotations

import time

import pytest
from drills.disks import lockable
from drills.running import OTHER, Site, sentence
from drills.test_full_disk import BOTH, MOVE, said, step_of
from unit.playbooks.fleet import SPINE
from unit.playbooks.leaves import NODE, Lab

REFUSED = "Read-only file system"


def test_switches_are_not_changed_without_their_report(site: Site) -> None:
    site.plan(OTHER)
    writes = len(site.doubles[SPINE].log.writes)
    with lockable(site.folder) as project:
        project.lock()
        code, output = site.run("switches", "--limit", SPINE, spx_report=site.folder / "report")
        project.unlock()
    assert code == 2, output
    sentence(output)
    assert f"{site.folder}/report" in said(output), output
    assert REFUSED in said(output), output
    assert len(site.doubles[SPINE].log.writes) == writes
    code, output = site.run("switches", "--limit", SPINE)
    assert code == 0, output
    site.settled([SPINE], OTHER)


@pytest.mark.parametrize(
    "playbook, variable", [("plan", "spx_dest"), ("atlas", "spx_dest"), ("validate", "spx_report")]
)
def test_what_is_only_written_is_said_to_be_missing(
    site: Site, playbook: str, variable: str
) -> None:
    words = ("--limit", f"localhost,{SPINE}") if playbook == "validate" else ()
    with lockable(site.folder) as project:
        project.lock()
        code, output = site.run(playbook, *words, **{variable: site.folder / "written"})
        project.unlock()
    assert code not in (0, 4), output
    sentence(output)
    assert REFUSED in said(output), output
    assert not (site.folder / "written").exists()


@pytest.mark.parametrize("leaves", [BOTH], indirect=True)
def test_nothing_moves_without_the_registry(leaves: Lab) -> None:
    leaves.committing()
    before = leaves.registry.read_bytes()
    with lockable(leaves.folder) as project:
        project.lock()
        for playbook, options in (
            ("tenant_move", MOVE),
            ("tenant_offboard", {"spx_tenant": "acme", "spx_registry_write": "true"}),
            (
                "tenant_resize",
                {"spx_tenant": "acme", "spx_nodes": "su02/h01", "spx_registry_write": "true"},
            ),
        ):
            code, output = leaves.run(playbook, **options)
            assert code == 2, output
            sentence(output)
            assert f"tenants.yml cannot be edited ({REFUSED})" in said(output), output
        project.unlock()
    assert leaves.registry.read_bytes() == before
    assert leaves.history == []


@pytest.mark.parametrize("leaves", [BOTH], indirect=True)
def test_a_move_whose_disk_is_locked_stops_and_goes_on(leaves: Lab) -> None:
    """The first leaf has changed by then: the node is with nobody, and is not wiped."""
    leaves.committing()
    with lockable(leaves.folder) as project:
        moving = leaves.start("tenant_move", **MOVE)
        until = time.monotonic() + 120
        while not leaves.history and moving.poll() is None and time.monotonic() < until:
            time.sleep(0.002)
        project.lock()
        output, _nothing = moving.communicate(timeout=280)
        assert moving.returncode == 2, output
        sentence(output)
        assert REFUSED in said(output), output
        project.unlock()
        assert step_of(leaves) in ("shut", "quarantine"), step_of(leaves)
        assert leaves.vrf_of(NODE) <= {"t21-acme", "t1-quarantine"}
        assert not (leaves.folder / f"wiped-{NODE}").exists()
        code, output = leaves.run("tenant_move", **MOVE)
        assert code == 0, output
    assert (step_of(leaves), leaves.vrf_of(NODE)) == (None, {"t22-globex"})
