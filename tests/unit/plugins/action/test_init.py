# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The init playbook as somebody runs it in an empty folder, and what works there without an edit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from playing import extra_vars, play

TOOLS = Path(sys.executable).parent
ASKED = {"spx_gpus": 256, "spx_name": "mine"}


def init(folder, *words, **variables):
    """Nothing in it connects to anything."""
    asked = extra_vars({**ASKED, **variables})
    code, output = play(folder, "-i", "localhost,", "spectrum_x.fabric.init", *words, *asked)
    assert "Traceback" not in output
    return code, output


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project of 256 GPUs, as init wrote it."""
    folder = tmp_path_factory.mktemp("init")
    code, output = init(folder, spx_dest="mine")
    assert code == 0, output
    assert "Next: cd mine && ansible-playbook spectrum_x.fabric.plan" in output
    return folder / "mine"


def test_plan_works_there_without_an_edit_and_names_once_what_is_missing(project):
    code, output = play(project, "spectrum_x.fabric.plan", "--check", SPX_PROJECT=str(project))
    assert code == 0, output
    assert "mine: 256 GPUs on 32 nodes at capacity" in output
    for what in ("nics.pci (", "the hook wipe (", "credentials of the switches ("):
        assert output.count(what) == 1
    assert "[WARNING]" not in output


def test_credentials_that_are_there_are_not_missed(project):
    known = {"SPX_NVUE_USER": "automation", "SPX_NVUE_PASSWORD": "x"}
    _code, output = play(project, "spectrum_x.fabric.plan", SPX_PROJECT=str(project), **known)
    assert "not stated yet: nics.pci" in output
    assert "credentials" not in output


def test_the_inventory_has_the_switches(project):
    done = subprocess.run(
        [TOOLS / "ansible-inventory", "--graph", "spx_leaf"],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.count("leaf-p1-") == 4


def test_switches_without_credentials_are_refused_in_one_sentence(project):
    """The line of the README at which devices are needed, and what it says without them."""
    words = ["spectrum_x.fabric.switches", "--check", "--diff", "-e", "spx_report=report"]
    code, output = play(project, *words, SPX_PROJECT=str(project))
    assert code == 2
    assert output.count("No credentials: set user and password, or token") == 1


def test_nothing_is_overwritten(project):
    before = content(project)
    code, output = init(project, spx_dest=".", spx_gpus=2048)
    assert code == 2
    assert "has model/fabric.yml," in output
    assert "already, so nothing was written" in output
    assert content(project) == before


def test_a_check_writes_nothing_and_another_design_may_be_chosen(tmp_path):
    code, output = init(tmp_path, "--check", spx_dest="mine", spx_design=3)
    assert code == 0, output
    assert "mine: 512 GPUs, 64 nodes (32 built)" in output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "variables, sentence",
    [
        ({"spx_design": 9}, "variable spx_design: 9 is not allowed: use 1 to 3"),
        ({"spx_name": "My_Fabric"}, "variable spx_name: 'My_Fabric' is not allowed"),
    ],
)
def test_wrong_answers_write_nothing(tmp_path, variables, sentence):
    code, output = init(tmp_path, **{"spx_dest": "mine", **variables})
    assert code == 2
    assert sentence in output
    assert list(tmp_path.iterdir()) == []
