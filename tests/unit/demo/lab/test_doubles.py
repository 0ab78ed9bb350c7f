# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A command runs in a project whose switches are doubles, and nothing but loopback is dialled."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lab import doubles

ROOT = Path(__file__).resolve().parents[4]
TOOLS = Path(sys.executable).parent


@pytest.fixture
def project(tmp_path):
    return shutil.copytree(ROOT / "inventories" / "lab", tmp_path / "lab")


def run(project, *command):
    env = os.environ | {"PATH": f"{TOOLS}:{os.environ['PATH']}", "ANSIBLE_NOCOLOR": "1"}
    return subprocess.run(
        [ROOT / "demo" / "doubles.sh", *command],
        cwd=project,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@pytest.mark.large
def test_every_host_is_on_loopback_and_the_exit_code_is_the_commands(project):
    done = run(project, "sh", "-c", "ansible-inventory --list; exit 7")
    assert done.returncode == 7
    text = done.stdout.partition("\n")[2]
    hosts = json.loads(text)["_meta"]["hostvars"]
    assert {row["ansible_host"] for row in hosts.values()} == {"127.0.0.1"}
    assert len({row["spx_nvue_port"] for row in hosts.values() if "spx_nvue_port" in row}) == 6


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (["-i", "hosts.fabric.yml", "play"], ["play"]),
        (["-ihosts.fabric.yml", "play", "--check"], ["play", "--check"]),
        (["play", "--inventory=./hosts.fabric.yml"], ["play"]),
        (["play", "-e", "spx_report=report"], ["play", "-e", "spx_report=report"]),
    ],
)
def test_the_inventory_of_the_project_means_the_doubles(words, left):
    """The guides name it in every command."""
    assert doubles.on_doubles(words) == left


@pytest.mark.parametrize("words", [["-i", "site.yml"], ["-isite.yml"], ["--inventory=x"], ["-i"]])
def test_another_inventory_is_refused(words):
    with pytest.raises(SystemExit, match=f"doubles: {words[0]}: this inventory would replace"):
        doubles.on_doubles([*words, "spectrum_x.fabric.switches"])


def test_a_shell_of_a_rehearsal_dials_no_planned_address(project):
    done = run(project, "sh", "-c", "ansible-inventory -i hosts.fabric.yml --list")
    hosts = json.loads(done.stdout.partition("\n")[2])["_meta"]["hostvars"]
    assert {row["ansible_host"] for row in hosts.values()} == {"127.0.0.1"}
    done = run(project, "sh", "-c", "ansible-playbook -i elsewhere spectrum_x.fabric.switches")
    assert (done.returncode, "doubles: -i: this inventory" in done.stderr) == (1, True)


def test_a_folder_without_a_project_and_no_command_are_sentences(tmp_path):
    assert "doubles: this folder has no hosts.fabric.yml" in run(tmp_path, "true").stderr
    assert "doubles: name a command" in run(tmp_path).stderr


def test_a_double_has_the_serial_that_the_site_states(project):
    """Ansible marks a cell of devices.csv as unsafe, and lists the mark."""
    (project / "model" / "devices.csv").write_text(
        "place,serial\nleaf-p1-su001-r1,MT1\n", encoding="utf-8"
    )
    with (project / "model" / "fabric.yml").open("a", encoding="utf-8") as file:
        file.write("devices: devices.csv\n")
    listed = doubles.inventory(project)
    assert doubles.options(listed, "leaf-p1-su001-r1", "5.16.1")["serial"] == "MT1"
    assert doubles.options(listed, "spine-p1-s01", "5.16.1")["serial"] == "SN-spine-p1-s01"


def test_a_double_of_the_out_of_band_network_has_its_model():
    hosts = {"oob-leaf-001": {"spx": {"role": "oob_leaf"}}, "s": {"spx": {"role": "oob_spine"}}}
    listed, oob = {"_meta": {"hostvars": hosts}}, {"spine_model": "SN4600C"}
    assert doubles.options(listed, "oob-leaf-001", "5.16.1", oob)["model"] == "SN2201"
    assert doubles.options(listed, "s", "5.16.1", oob)["model"] == "SN4600C"
