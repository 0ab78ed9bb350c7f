# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a project are read by what reads them, and never replace others."""

from __future__ import annotations

import configparser
import json
import re
from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.designs import (
    chosen,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.request import (
    Request,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.starter import files
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

ROOT = Path(__file__).parents[6]
MADE = files.files(chosen(Request(gpus=256), 1))


def test_description_and_registry_load(tmp_path):
    for name, text in MADE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    fabric = Fabric.load(str(tmp_path / "model" / "fabric.yml"))
    assert not Registry.load(fabric).file.tenants
    example = re.sub(r"^# ", "", MADE["model/tenants.yml"].partition("tenant:\n#\n")[2], flags=re.M)
    assert (
        Registry.parse(fabric, example.replace("tenants: []\n", "")).file.tenants[0].slug == "acme"
    )


def test_the_schema_beside_the_description_is_that_of_the_docs():
    shipped = (ROOT / "docs" / "schema" / "fabric.schema.json").read_text(encoding="utf-8")
    assert MADE["model/fabric.schema.json"] == shipped
    assert json.loads(shipped)["title"]


def test_settings_are_those_of_the_guide():
    settings = configparser.ConfigParser()
    settings.read_string(MADE["ansible.cfg"])
    guide = (ROOT / "docs" / "docsite" / "rst" / "change.rst").read_text(encoding="utf-8")
    for key in ("stdout_callback", "callbacks_enabled"):
        assert f"{key} = {settings['defaults'][key]}" in guide
    assert settings["defaults"]["inventory"] in MADE


def commands():
    """Each ansible-playbook of README and CI, by its file."""
    named = {"README.md", ".gitlab-ci.yml", ".github/workflows/fabric.yml"}
    return [
        (name, line)
        for name in sorted(named)
        for line in re.findall(r"ansible-playbook .*", MADE[name])
    ]


@pytest.mark.parametrize("name, command", commands())
def test_commands_exist_with_their_variables(name, command):
    playbook = re.search(r"spectrum_x\.fabric\.(\w+)", command)[1]
    assert (ROOT / "playbooks" / f"{playbook}.yml").is_file()
    assert set(re.findall(r"-e (\w+)=", command)) <= set(table("variables"))


def test_git_keeps_of_the_plan_the_zones_alone():
    """Everything else is computed again; a zone's serial counts on from its file."""
    assert {"/plan/*", "!/plan/dns/", "/report/", "/target/"} <= set(MADE[".gitignore"].split())


def test_what_is_there_is_named(tmp_path):
    files.refuse_existing(str(tmp_path), MADE)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "fabric.yml").touch()
    (tmp_path / "README.md").symlink_to("nowhere")
    with pytest.raises(FabricError) as caught:
        files.refuse_existing(str(tmp_path), MADE)
    assert "has model/fabric.yml, README.md already, so nothing was written" in str(caught.value)


def written(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(MADE[name], encoding="utf-8")


def test_a_run_that_was_ended_is_completed_by_the_next(tmp_path):
    """Of other variables it is incomplete, and which files it lacks is said."""
    names = list(MADE)
    written(tmp_path, *names[:3])
    files.refuse_existing(str(tmp_path), MADE)
    (tmp_path / "model" / "fabric.yml").write_text("name: other\n", encoding="utf-8")
    with pytest.raises(FabricError) as caught:
        files.refuse_existing(str(tmp_path), MADE)
    said = str(caught.value)
    assert f"has model/fabric.yml already and lacks {', '.join(names[3:])}, so nothing" in said
    assert "complete it with the variables of the run that began it, name another folder" in said


@pytest.mark.parametrize("name", ["model", ".github", "hooks"])
def test_no_link_is_followed_out_of_the_folder(name, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).symlink_to(tmp_path)
    with pytest.raises(FabricError, match=rf"mine/{re.escape(name)} is a symbolic link"):
        files.refuse_existing(str(tmp_path / "mine"), MADE)


def test_lines_name_the_next_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    design = chosen(Request(gpus=256), 1)
    assert files.lines(design, str(tmp_path / "mine"), check=False)[1].endswith(
        "Next: cd mine && ansible-playbook spectrum_x.fabric.plan"
    )
    here = files.lines(design, str(tmp_path), check=True)[1]
    assert here.endswith("Next: ansible-playbook spectrum_x.fabric.plan")
    assert "would be in" in here


def test_an_execution_environment_gets_the_credentials_of_switches():
    """ansible-navigator passes on no variable of the environment that it is not told of."""
    made = yaml.safe_load(MADE["ansible-navigator.yml"])["ansible-navigator"]
    passed = made["execution-environment"]["environment-variables"]["pass"]
    documented = (ROOT / "plugins" / "doc_fragments" / "nvue.py").read_text(encoding="utf-8")
    assert set(re.findall(r"SPX_NVUE_[A-Z]+", documented)) <= set(passed)
