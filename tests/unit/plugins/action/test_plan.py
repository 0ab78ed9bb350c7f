# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan playbook as people run it: exports, and what a changed description would change of them."""

from __future__ import annotations

import csv
import re
import shutil

import pytest
from playing import extra_vars, play

from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)


def plan(folder, *words, **variables):
    """Nothing in it connects to anything: the play runs on the controller alone."""
    arguments = ["spectrum_x.fabric.plan", *words, *extra_vars(variables)]
    code, output = play(folder, *arguments, ANSIBLE_CALLBACK_RESULT_FORMAT="yaml")
    return code, re.sub(r"\s+", " ", output)


def content(folder):
    return {
        path.relative_to(folder): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the laboratory with its plan, and the output of the run that wrote it."""
    folder = shutil.copytree(INVENTORIES / "lab", tmp_path_factory.mktemp("plan") / "lab")
    code, output = plan(folder, spx_dest="plan")
    assert code == 0, output
    return folder


def test_a_second_run_changes_nothing(project):
    before = content(project / "plan")
    code, output = plan(project, spx_dest="plan")
    assert code == 0
    assert "changed=0" in output
    assert content(project / "plan") == before


def test_a_registry_with_mistakes_is_refused_without_an_inventory_too(tmp_path):
    folder = shutil.copytree(INVENTORIES / "lab", tmp_path / "lab")
    registry = folder / "model" / "tenants.yml"
    registry.write_text(
        registry.read_text().replace("networks:", "netwerks:", 1) + "\nnobody: []\n"
    )
    code, output = plan(folder)
    assert code == 2
    assert "nobody" in output


def test_what_devices_will_need_is_said_before_they_are_met(project, tmp_path):
    """Once, with the plan: not by the first run that wants to log in."""
    said = "not stated yet: the hook wipe (no node goes from one customer to another without it)"
    assert said in plan(project)[1]
    bare = shutil.copytree(INVENTORIES / "lab", tmp_path / "bare")
    source = bare / "model" / "fabric.yml"
    source.write_text(re.sub(r"\n  pci: .*", "", source.read_text()))
    (bare / "hooks").mkdir(exist_ok=True)
    (bare / "hooks" / "wipe.yml").write_text("- ansible.builtin.command: wipe-it\n")
    output = plan(bare)[1]
    assert "not stated yet: nics.pci (playbook dpus, and validate of hosts)" in output
    assert "hook wipe" not in output


def test_a_good_run_fits_a_screen(project):
    """No task is skipped, nothing is said twice, and Ansible has no reason to warn."""
    code, output = play(project, "-i", "localhost,", "spectrum_x.fabric.plan", "-espx_dest=plan")
    assert code == 0
    assert len(output.strip().splitlines()) <= 24, output
    assert "skipping: " not in output
    assert "[WARNING]" not in output


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"spx_dest": ""}, "variable spx_dest: an empty path is not allowed with -e: name one"),
        (
            {"spx_approved": ""},
            "variable spx_approved: an empty path is not allowed with -e: name one",
        ),
        ({"spx_dest": "model/fabric.yml"}, "cannot be written (Not a directory): move what has"),
        ({"spx_report": "model/fabric.yml"}, "cannot be written (Not a directory): move what has"),
        (
            {"spx_exports": "handover"},
            "variable spx_exports: no folder is given for the files: add -e spx_dest=FOLDER",
        ),
        ({"spx_against": "nowhere"}, "nowhere does not exist: name a folder that playbook plan"),
        (
            {"spx_dest": "plan", "spx_nodes": "su01/h01"},
            "nodes: export slices is of the whole fabric",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_in_check_mode_too(project, variables, sentence):
    before = content(project)
    code, output = plan(project, "--check", **variables)
    assert (code, sentence in output) == (2, True), output
    assert output.count(sentence) == 1
    assert content(project) == before


def test_profiles_are_named_before_one_is_chosen(project, tmp_path):
    folder = shutil.copytree(project, tmp_path / "new")
    path = folder / "model" / "fabric.yml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("  profile: nvidia-guide-v4-2tier\n", ""), encoding="utf-8")
    code, output = plan(folder)
    assert code == 2
    assert "addressing: an empty value is not allowed" in output
    code, output = plan(folder, spx_suggest="true")
    assert code == 0
    assert "profile octet-v4: fits, 79% of private IPv4: 10.0.0.0/9" in output


def test_against_its_own_exports_nothing_differs(project):
    code, output = plan(project, spx_against="plan")
    assert code == 0
    assert "0 values of existing equipment would change, 0 differences in all" in output


@pytest.fixture
def renumbered(project):
    path = project / "model" / "fabric.yml"
    old = path.read_text(encoding="utf-8")
    assert "profile: nvidia-guide-v4-2tier" in old
    path.write_text(old.replace("profile: nvidia-guide-v4-2tier", "profile: octet-v4"), "utf-8")
    yield project
    path.write_text(old, encoding="utf-8")


def test_what_renumbers_is_told_and_refused(renumbered):
    """Before anything is written; the whole list goes into the report all the same."""
    before = content(renumbered / "plan")
    # What the folder holds is compared although nobody names it.
    code, output = plan(renumbered, spx_dest="plan", spx_report="report")
    assert code == 2
    assert "values of existing equipment would change, first address of" in output
    assert (
        "keep the stated capacity and profile, remove that folder where nothing was built from it, or allow it with "
        "-e spx_allow_disruptive=renumber" in output
    )
    assert "address of worker-su01-rack01-h01:rail1p1: 172.16.0.0/31 -> 10.0.0.0/31" in output
    assert "Traceback" not in output
    assert content(renumbered / "plan") == before
    with (renumbered / "report" / "plan-changes.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    # Six nodes with two rails, both ends of each.
    assert [row["what"] for row in rows] == ["address"] * 24


def test_what_renumbers_is_written_when_asked_for(renumbered):
    shutil.copytree(renumbered / "plan", renumbered / "moved")
    code, output = plan(renumbered, spx_dest="moved", spx_allow_disruptive="renumber")
    assert code == 0
    assert "24 values of existing equipment would change, 24 differences in all" in output
    assert "10.0.0.0," in (renumbered / "moved" / "addresses.csv").read_text(encoding="utf-8")


def test_an_export_that_cannot_be_compared_is_said(renumbered):
    """Somebody removed the tables by which the plan knows what it would renumber."""
    folder = shutil.copytree(renumbered / "plan", renumbered / "partial")
    shutil.rmtree(folder / "slices")
    (folder / "links.csv").unlink()
    code, output = plan(renumbered, spx_dest="partial")
    assert code == 0
    assert f"nothing was compared: {folder} holds files, and neither slices nor links.csv" in output
    code, output = plan(renumbered, spx_dest="new")
    assert (code, "nothing was compared" in output) == (0, False)


def without_slices(folder):
    for path in sorted((folder / "slices").rglob("*.json"))[1:]:
        path.unlink()


def without_rows(folder):
    shutil.rmtree(folder / "slices")
    for name in ("links.csv", "addresses.csv"):
        header = (folder / name).read_text(encoding="utf-8").partition("\n")[0]
        (folder / name).write_text(f"{header}\n", encoding="utf-8")


@pytest.mark.parametrize("shorten, devices", [(without_slices, 1), (without_rows, 0)])
def test_what_a_short_export_lacks_is_said(renumbered, shorten, devices):
    """Its other devices pass for new ones, of which nothing can be renumbered."""
    folder = shutil.copytree(renumbered / "plan", renumbered / f"short-{devices}")
    shorten(folder)
    named = plan(renumbered, spx_against=folder.name)
    said = f"compared: {devices} of 12 devices; the earlier plan does not have the others"
    if devices:
        assert (named[0], said in named[1]) == (0, True), named
    else:
        assert named[0] == 2
        assert f"earlier plan {folder}: it has no device of fabric lab" in named[1]
    code, output = plan(renumbered, spx_dest=folder.name)
    assert (code, said in output) == (0, True), output


def test_of_a_whole_export_nothing_else_is_said(project):
    code, output = plan(project, spx_against="plan")
    assert (code, "compared: " in output) == (0, False), output


def test_another_name_is_refused_as_such_and_a_shared_unit_is_said(tmp_path):
    """Neither the capacity nor the profile has anything to do with a name of devices.csv."""
    old, new = (
        shutil.copytree(INVENTORIES / "brownfield-256", tmp_path / n) for n in ("old", "new")
    )
    devices = new / "model" / "devices.csv"
    text = devices.read_text(encoding="utf-8")
    devices.write_text(text.replace("tor-b1", "tor-b9").replace("N1,38,", "N1,40,"), "utf-8")
    earlier = {"spx_against": str(old / "model" / "fabric.yml")}
    code, output = plan(new, **earlier)
    assert code == 2
    assert "1 value of existing equipment would change, first name of tor-b1 from tor-b1" in output
    assert "keep the names (naming, and the column name of devices.csv), or allow it" in output
    code, output = plan(new, **earlier, spx_allow_disruptive="renumber")
    assert code == 0, output
    assert (
        "1 place cannot be as stated, first: in rack N1, tor-b9 and tor-a1 are both in unit 40"
        in output
    )


def test_a_plant_of_tables_is_held_against_a_computed_one(tmp_path):
    """Only where a report is asked for."""
    folder = shutil.copytree(INVENTORIES / "brownfield-256", tmp_path / "plant")
    said = "the plant differs from a computed one (profile "
    assert said not in plan(folder)[1]
    code, output = plan(folder, spx_report="report")
    assert (code, said in output) == (0, True), output
    with (folder / "report" / "plant.csv").open(encoding="utf-8", newline="") as handle:
        kinds = {row["what"] for row in csv.DictReader(handle)}
    assert kinds == {
        "name",
        "management",
        "asn",
        "loopback",
        "vtep",
        "host_address",
        "leaf_address",
    }


def test_a_computed_fabric_has_no_report_of_a_plant(project, tmp_path):
    code, output = plan(project, spx_report=str(tmp_path / "report"))
    assert (code, "the plant" in output) == (0, False)
    assert not (tmp_path / "report" / "plant.csv").exists()
