# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard that every playbook begins with, as Ansible runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

PLAYBOOK = Path(sys.executable).with_name("ansible-playbook")
FOREIGN = "addressing:\n  pools: {switch_oob: 11.0.0.0/13}\n"


@pytest.fixture
def site(tmp_path):
    def made(name, **lines):
        folder = shutil.copytree(INVENTORIES / "lab", tmp_path / name)
        description = folder / "model" / "fabric.yml"
        text = description.read_text(encoding="utf-8")
        for old, new in lines.items():
            assert f"{old}:\n" in text
            text = text.replace(f"{old}:\n", new)
        description.write_text(text, encoding="utf-8")
        return folder

    return made


def begin(folder, *sources, **variables):
    """Nothing in it connects to anything: the play runs on the controller alone."""
    book = folder / "begin.yml"
    book.write_text(
        "- hosts: localhost\n  gather_facts: false\n  tasks:\n    - spectrum_x.fabric.guard:\n",
        encoding="utf-8",
    )
    inventory = [part for source in sources for part in ("-i", str(source / "hosts.fabric.yml"))]
    extra = [part for name, value in variables.items() for part in ("-e", f"{name}={value}")]
    done = subprocess.run(
        [PLAYBOOK, *inventory, book, *extra],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "ANSIBLE_NOCOLOR": "1"},
    )
    return done.returncode, done.stdout + done.stderr


def test_an_inventory_of_its_own_passes(site):
    own = site("own")
    code, output = begin(own, own, spx_registry_write="true", spx_report="")
    assert code == 0, output


def test_the_inventory_of_another_fabric_of_the_same_size_is_refused(site):
    """Its hosts would be dialled at addresses that this description does not give them."""
    own, other = site("own", addressing=FOREIGN), site("other")
    for sources in ([other], [other, own]):
        code, output = begin(own, *sources)
        assert code == 2
        assert (
            "host leaf-p1-su001-r1 has management 10.198.0.1/18 there and 11.6.0.1/18 in" in output
        )


def test_what_opens_a_guard_is_not_taken_from_the_inventory(site):
    own = site("own")
    (own / "group_vars").mkdir()
    (own / "group_vars" / "all.yml").write_text("spx_registry_write: true\n", encoding="utf-8")
    code, output = begin(own, own)
    assert code == 2
    assert "variable spx_registry_write: it counts only when given with -e" in output
