# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tarball, installed into an empty path and stripped, still holds all that is promised."""

from __future__ import annotations

import json
import re
import shutil
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

if TYPE_CHECKING:
    from .conftest import Shell

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTED = {
    "module": "modules",
    "filter": "filter",
    "lookup": "lookup",
    "inventory": "inventory",
}


def playbooks() -> set[str]:
    """Return the full names of the public playbooks of the checkout."""
    files = (ROOT / "playbooks").glob("*.yml")
    return {f"spectrum_x.fabric.{file.stem}" for file in files if not file.stem.startswith("_")}


def documented(kind: str) -> set[str]:
    """Return the full names of the plugins of a kind that the checkout documents.

    A plugin is documented in its own file or in a YAML file beside it, which names one filter of a
    file that may hold several.
    """
    files = (ROOT / "plugins" / DOCUMENTED[kind]).glob("[!_]*.*")
    return {
        f"spectrum_x.fabric.{file.stem}"
        for file in files
        if file.suffix in (".yml", ".yaml")
        or (file.suffix == ".py" and "\nDOCUMENTATION = " in file.read_text(encoding="utf-8"))
    }


def roles() -> set[str]:
    """Return the full names of the roles that document their arguments."""
    return {
        f"spectrum_x.fabric.{specs.parents[1].name}"
        for specs in (ROOT / "roles").glob("*/meta/argument_specs.yml")
    }


def test_nothing_of_the_workshop_is_packed(tarball: Path) -> None:
    with tarfile.open(tarball) as archive:
        packed = set(archive.getnames())
    assert "LICENSE" in packed
    assert "meta/runtime.yml" in packed
    assert "plugins" in packed
    strays = [name for name in packed if name.split("/")[0].startswith((".", "build"))]
    assert [name for name in strays if name not in (".ansible-lint", ".yamllint")] == []
    assert not [name for name in packed if name.split("/")[0] == "venv" or name.endswith(".whl")]


@pytest.mark.parametrize("kind", sorted(DOCUMENTED))
def test_every_plugin_is_documented_where_it_is_installed(shell: Shell, kind: str) -> None:
    listed = shell.run("ansible-doc", "--json", "-l", "-t", kind, "spectrum_x.fabric")
    assert set(json.loads(listed)) == documented(kind)


def test_every_role_is_documented_where_it_is_installed(shell: Shell) -> None:
    listed = shell.run("ansible-doc", "--json", "-l", "-t", "role", "spectrum_x.fabric")
    found = {name for name in json.loads(listed or "{}") if name.startswith("spectrum_x.fabric.")}
    assert found == roles()


def test_playbooks_are_found_by_name_from_an_empty_folder(shell: Shell, installed: Path) -> None:
    named = sorted(playbooks())
    read = shell.run("ansible-playbook", "--syntax-check", "-i", "localhost,", *named)
    files = [f"{installed}/playbooks/{name.rpartition('.')[2]}.yml" for name in named]
    assert re.findall("^playbook: (.*)$", read, re.MULTILINE) == files


def test_a_fabric_is_planned_from_an_empty_folder(shell: Shell, tmp_path: Path) -> None:
    """Check that all without devices runs as installed: every table, template and picture is in the package."""
    lab = shutil.copytree(ROOT / "inventories" / "lab", tmp_path / "lab")
    asked = {
        "plan": ["-e", f"spx_dest={tmp_path}/plan"],
        "locate": ["-e", "spx_address=172.18.1.2"],
        "atlas": ["-e", f"spx_dest={tmp_path}/atlas"],
        "rest_health": ["-i", str(lab / "hosts.fabric.yml")],
    }
    for name, arguments in asked.items():
        stated = ["-e", f"spx_description={lab}/model/fabric.yml", *arguments]
        output = shell.run("ansible-playbook", f"spectrum_x.fabric.{name}", *stated)
        assert "failed=0" in output, output
    assert (tmp_path / "plan" / "links.csv").is_file()
    assert (tmp_path / "atlas" / "atlas.html").is_file()


def test_action_groups_name_modules_that_exist() -> None:
    runtime = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"))
    grouped = {f"spectrum_x.fabric.{name}" for name in runtime["action_groups"]["nvue"]}
    assert grouped <= documented("module")
