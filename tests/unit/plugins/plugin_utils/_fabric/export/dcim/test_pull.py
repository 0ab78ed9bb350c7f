# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that a DCIM knows better than the project, as differences of its files."""

from __future__ import annotations

import subprocess

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    Ref,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.identity import (
    Evidence,
    judge,
)

from .pulling import Project
from .wishes import things

LEAF, NODE = "leaf-p1-su001-r1", "worker-su01-rack01-h01"


def test_after_a_push_there_is_nothing_to_pull(tmp_path):
    """The round trip gives the same plan."""
    rows = (
        f"place,serial,mac,management,rack,unit\n{LEAF},SN1,00-00-5E-00-53-01,192.0.2.7/26,N1,U40\n"
    )
    project = Project(
        tmp_path, rows=rows, tenants="tenants:\n  - {id: 21, slug: acme, nodes: [su01/h01]}\n"
    )
    for whole in (False, True):
        pulled = project.pull(whole=whole)
        assert (pulled.proposals, pulled.notes, pulled.diff()) == ([], [], "")


def test_all_of_it_at_once(tmp_path):
    """Serial, MAC, place, address, outage and tenancy; accepted, the DCIM and the project say the same."""
    project = Project(tmp_path, tenants="tenants:\n  - {id: 21, slug: acme, nodes: [su01/h01]}\n")
    project.says("device", LEAF, serial="SN1", rack="N1", unit=40)
    project.says("interface", f"{LEAF}/eth0", mac="00:00:5E:00:53:01")
    project.says("address", f"{LEAF}/eth0", address="192.0.2.7/26")
    project.says("device", NODE, status="failed")
    for leaf in (LEAF, "leaf-p1-su001-r2"):
        project.says("interface", f"{leaf}/swp1s1", vrf=Ref("vrf", "lab/t21-acme"))
    pulled = project.pull()
    assert pulled.notes == []
    assert [x.file for x in pulled.proposals] == ["devices.csv", "fabric.yml", "tenants.yml"]
    diff = pulled.diff()
    assert f"+{LEAF},SN1,00:00:5e:00:53:01,192.0.2.7/26,N1,40\n" in diff
    assert "+devices: devices.csv\n" in diff
    assert "status failed in the DCIM" in diff
    project.accept(pulled)
    leaf = project.fabric.slice(LEAF)
    assert (leaf["serial"], leaf["management"], leaf["site_rack"]) == ("SN1", "192.0.2.7/26", "N1")
    assert NODE in project.fabric.resting
    assert project.pull().proposals == []


def test_what_was_pulled_proves_a_host(tmp_path):
    """Identity reads one table: serial and MAC of the DCIM come into it by the pull."""
    project = Project(tmp_path)
    project.says("device", NODE, serial="SN7")
    project.says("interface", f"{NODE}/mgmt", mac="00:00:5E:00:53:07")
    project.accept(project.pull())
    for shown in ({"serials": ["sn7"]}, {"macs": ["00-00-5e-00-53-07"]}):
        states = [
            judge(project.fabric, node, Evidence(**shown), at="192.0.2.7", outside=True).state
            for node in map(project.fabric.known, (NODE, NODE.replace("h01", "h02")))
        ]
        assert states == ["proven", "other"]


@pytest.mark.parametrize("kind", ["device", "interface"])
def test_what_another_fabric_has_is_passed_over(tmp_path, kind):
    project = Project(tmp_path)
    project.there = {
        key: one._replace(key=one.key.replace("lab/", "other/"), values={**one.values, "serial": "X"})
        for key, one in project.there.items() if key[0] == kind
    }  # fmt: skip
    assert project.pull().proposals == []


def test_a_registry_that_would_break_stays_as_it_is(tmp_path):
    """The rules of the registry are those of every edit; what they refuse is a sentence."""
    text = "tenants:\n  - {id: 21, slug: acme, nodes: [su01/h01], quotas: {nodes: 1}}\n"
    project = Project(tmp_path, tenants=text)
    for leaf in (LEAF, "leaf-p1-su001-r2"):
        project.says("interface", f"{leaf}/swp1s1", vrf="t21-acme")
    pulled = project.pull()
    assert pulled.proposals == []
    (note,) = pulled.notes
    assert note.startswith("tenants.yml stays as it is: ")
    assert things(project.fabric)


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("rows", ["", f"place,serial\n{NODE},SN9"])
def test_git_applies_the_diffs_whatever_the_files_end_with(tmp_path, rows, end):
    project = Project(tmp_path, rows=f"{rows}{end}" if rows else "")
    project.description.write_text(project.description.read_text().rstrip("\n") + end)
    project.says("device", LEAF, serial="SN1", status="failed")
    pulled = project.pull()
    assert [one.file for one in pulled.proposals] == ["devices.csv", "fabric.yml"]
    subprocess.run(["git", "apply"], input=pulled.diff().encode(), cwd=tmp_path, check=True)
    for one in pulled.proposals:
        assert (tmp_path / one.file).read_text() == one.after
