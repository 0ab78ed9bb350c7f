# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures: the collection built from what git tracks, and installed from its tarball."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN_TIME = {"MANIFEST.json", "FILES.json", "meta", "plugins", "roles", "playbooks"}
"""All that a published collection is promised to need at run time."""


@dataclass(frozen=True)
class Shell:
    """Runs commands in a folder that sees one collections path and nothing of this checkout."""

    cwd: Path
    collections: Path

    def run(self, *command: str | Path) -> str:
        """Return what the command prints; fail the test with all of it when it fails."""
        env = os.environ | {
            "ANSIBLE_COLLECTIONS_PATH": str(self.collections),
            "ANSIBLE_COLLECTIONS_SCAN_SYS_PATH": "false",
            "ANSIBLE_GALAXY_SERVER_LIST": "",
            "ANSIBLE_NOCOLOR": "true",
        }
        done = subprocess.run(
            [str(part) for part in command],
            cwd=self.cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command} failed:\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the files that git tracks or would track, and the environment of who follows the README."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard", "--deduplicate"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    target = tmp_path_factory.mktemp("sources")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    own = target / "venv" / "bin" / "python"  # as the README makes it before the tarball
    own.parent.mkdir(parents=True)
    own.touch()
    return target


@pytest.fixture(scope="session")
def tarball(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built collection."""
    target = tmp_path_factory.mktemp("dist")
    shell = Shell(sources, target)
    shell.run("ansible-galaxy", "collection", "build", "--output-path", target)
    (built,) = target.glob("*.tar.gz")
    return built


@pytest.fixture(scope="session")
def installed(tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection installed into an empty path and stripped to what it needs at run time."""
    target = tmp_path_factory.mktemp("installed")
    shell = Shell(target, target)
    shell.run("ansible-galaxy", "collection", "install", "--offline", tarball, "-p", target)
    collection = target / "ansible_collections" / "spectrum_x" / "fabric"
    for entry in collection.iterdir():
        if entry.name not in RUN_TIME:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    return collection


@pytest.fixture
def shell(installed: Path, tmp_path: Path) -> Shell:
    """A shell in an empty folder that sees the installed collection only."""
    return Shell(tmp_path, installed.parents[2])
