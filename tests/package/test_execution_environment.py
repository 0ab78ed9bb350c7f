# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-builder accepts the definition, and the collection states what it needs inside."""

from __future__ import annotations

import filecmp
import shutil
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

if TYPE_CHECKING:
    from .conftest import Shell

ROOT = Path(__file__).resolve().parents[2]
TARBALL = "build/dist/spectrum_x-fabric.tar.gz"
"""Place at which execution-environment.yml expects the collection."""


@pytest.fixture
def context(shell: Shell, tarball: Path) -> Path:
    """The build context that ansible-builder writes."""
    definition = shell.cwd / "execution-environment.yml"
    shutil.copy2(ROOT / definition.name, definition)
    (shell.cwd / TARBALL).parent.mkdir(parents=True)
    shutil.copy2(tarball, shell.cwd / TARBALL)
    context = shell.cwd / "context"
    shell.run("ansible-builder", "create", "--file", definition, "--context", context)
    return context


def test_the_context_installs_this_very_collection(context: Path, tarball: Path) -> None:
    wanted = yaml.safe_load((context / "_build/requirements.yml").read_text(encoding="utf-8"))
    (entry,) = wanted["collections"]
    assert entry["type"] == "file"
    assert filecmp.cmp(context / "_build" / entry["name"], tarball, shallow=False)


def test_the_context_brings_a_core_that_is_supported(context: Path) -> None:
    containerfile = (context / "Containerfile").read_text(encoding="utf-8")
    assert "ansible-core>=2.19,<2.22" in containerfile
    assert "ansible-galaxy collection install" in containerfile


def test_the_collection_names_its_python_requirements(tarball: Path) -> None:
    with tarfile.open(tarball) as archive:
        names = archive.getnames()
        stated = yaml.safe_load(archive.extractfile("meta/execution-environment.yml") or "")
    assert stated["dependencies"]["python"] in names
