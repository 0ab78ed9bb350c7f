# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The host's tool as one file: same bytes, runs by itself, says which build it is."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.agent import (
    agent_version,
    skew,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata import zipapp


def test_same_sources_same_bytes():
    before = zipapp.zipapp_bytes()
    zipapp.zipapp_bytes.cache_clear()
    assert zipapp.zipapp_bytes() == before


def test_it_runs_alone_and_tells_its_version(tmp_path):
    path, version = tmp_path / "spx-nic.pyz", zipapp.zipapp_version()
    path.write_bytes(zipapp.zipapp_bytes())
    done = subprocess.run(
        [sys.executable, "-I", str(path), "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{version}\n"
    assert agent_version(Host(), str(path)) == version
    missing = subprocess.run(
        [sys.executable, "-I", str(path), "verify", "--desired", str(tmp_path / "no.json")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert missing.returncode == 3
    assert "Traceback" not in missing.stderr


@pytest.mark.parametrize(
    "installed, expected, words",
    [
        ("1+a", "1+a", ""),
        ("1+a", "", ""),
        ("1+a", "1+b", "the tool on the host is 1+a, 1+b is expected"),
        (None, "1+b", "the tool on the host is missing"),
    ],
)
def test_skew(installed, expected, words):
    assert skew(installed, expected).startswith(words)
    assert bool(skew(installed, expected)) is bool(words)


def test_a_damaged_tool_has_no_version(tmp_path):
    (tmp_path / "x.pyz").write_text("no zip")
    assert agent_version(Host(), str(tmp_path / "x.pyz")) is None


@pytest.mark.parametrize("path", sorted(zipapp.PACKAGE.rglob("*.py")), ids=lambda path: path.stem)
def test_the_package_is_of_python_3_9_and_small(path: Path):
    text = path.read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 9))
    assert text.count("\n") <= 400
    assert not any(
        line.startswith(("from ansible.", "import ansible")) for line in text.splitlines()
    )
