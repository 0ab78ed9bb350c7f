# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The proposal for the registry."""

from __future__ import annotations

from .pulling import Project

TEXT = "tenants:  # ours\n  - {id: 21, slug: acme, nodes: [su01/h01]}\n"
LEAVES = ("leaf-p1-su001-r1", "leaf-p1-su001-r2")


def test_a_node_whose_ports_are_all_in_the_vrf(tmp_path):
    project = Project(tmp_path, tenants=TEXT)
    for leaf in LEAVES:
        project.says("interface", f"{leaf}/swp1s1", vrf="t21-acme")
    (made,) = project.pull().proposals
    assert made.file == "tenants.yml"
    assert "# ours" in made.after
    project.accept(project.pull())
    assert len(project.registry.nodes_of("acme")) == 2


def test_one_port_of_several_is_no_proposal(tmp_path):
    project = Project(tmp_path, tenants=TEXT)
    project.says("interface", f"{LEAVES[0]}/swp1s1", vrf="t21-acme")
    pulled = project.pull()
    assert pulled.proposals == []
    (note,) = pulled.notes
    assert note == (
        "worker-su01-rack01-h02: its ports are in several VRFs, t1-quarantine, t21-acme: correct the DCIM."
    )


def test_a_port_that_was_not_read_decides_nothing(tmp_path):
    project = Project(tmp_path, tenants=TEXT)
    project.says("interface", f"{LEAVES[0]}/swp1s1", vrf="t21-acme")
    del project.there["interface", f"lab/{LEAVES[1]}/swp1s1"]
    pulled = project.pull()
    assert (pulled.proposals, pulled.notes) == ([], [])


def test_a_vrf_that_nobody_has(tmp_path):
    project = Project(tmp_path, tenants=TEXT)
    for leaf in LEAVES:
        project.says("interface", f"{leaf}/swp1s1", vrf="blue")
    pulled = project.pull()
    assert pulled.proposals == []
    assert "VRF blue is of no owner of the registry" in pulled.notes[0]


def test_a_node_that_moves_is_not_touched(tmp_path):
    moving = TEXT + "moving:\n  su01/h01: {from: acme, to: rest, step: drain}\n"
    project = Project(tmp_path, tenants=moving)
    for leaf in LEAVES:
        project.says("interface", f"{leaf}/swp1s0", vrf="t2-rest")
    assert project.pull().proposals == []
