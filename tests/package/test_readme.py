# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of the README to an own fabric, to the letter, from a clone to a green check against doubles.

The first commands make an environment and fill it from a registry; the tests bring theirs. Everything after is run as
it is written.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"
TOOLS = Path(sys.executable).parent
OF_THE_REGISTRY = ("python3 -m venv", "pip install")


def blocks() -> list[str]:
    """The shell blocks of the section."""
    section = (
        README.read_text(encoding="utf-8").partition("## Your own fabric")[2].partition("\n## ")[0]
    )
    return re.findall(r"^```shell\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def bash(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script as somebody without settings of their own."""
    keep = {
        key: value for key, value in os.environ.items() if not key.startswith(("SPX_", "ANSIBLE_"))
    }
    env = keep | {
        "HOME": str(folder),
        "PATH": f"{TOOLS}:{os.environ['PATH']}",
        "ANSIBLE_NOCOLOR": "1",
    }
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder / "clone",
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def walked(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the clone, in which the first block was run, and its output."""
    folder = tmp_path_factory.mktemp("readme")
    shutil.copytree(sources, folder / "clone")
    lines = [line for line in blocks()[0].splitlines() if not line.startswith(OF_THE_REGISTRY)]
    done = bash("\n".join(lines), folder)
    (folder / "output.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_path_ends_green(walked: Path) -> None:
    output = (walked / "output.txt").read_text(encoding="utf-8")
    assert "mine: 256 GPUs, 32 nodes, 4 leaves, 2 spines" in output
    assert "SUMMARY mine: 6 devices" in output
    assert "ends with 0: nothing was written, and nothing would be refused" in output
    assert (walked / "mine" / "plan" / "links.csv").is_file()
    assert len(list((walked / "mine" / "report" / "diffs").iterdir())) == 6


def test_without_credentials_it_ends_as_the_readme_says(walked: Path) -> None:
    (command,) = [line for line in blocks()[1].splitlines() if "fabric.switches" in line]
    done = bash(f"cd ../mine\n{command}", walked)
    said = re.search(r"ends with (\d) and `([^`]+)`", README.read_text(encoding="utf-8"))
    assert said
    assert done.returncode == int(said[1])
    assert said[2] in done.stdout + done.stderr


def test_the_installed_collection_holds_what_a_project_takes_from_it(walked: Path) -> None:
    """CI installs the requirements from there, and a person takes the schema after an upgrade."""
    inside = walked / ".ansible/collections/ansible_collections/spectrum_x/fabric"
    gitlab = (walked / "mine" / ".gitlab-ci.yml").read_text(encoding="utf-8")
    assert "~/.ansible/collections/ansible_collections/spectrum_x/fabric/requirements.txt" in gitlab
    assert (inside / "requirements.txt").is_file()
    schema = (walked / "mine" / "model" / "fabric.schema.json").read_bytes()
    assert (inside / "docs" / "schema" / "fabric.schema.json").read_bytes() == schema


def test_the_environment_holds_what_the_path_needs() -> None:
    """Check that the first commands install the imports of the doubles and the collection."""
    (line,) = [line for line in blocks()[0].splitlines() if line.startswith("pip install")]
    assert "-r requirements.txt" in line
    assert "aiohttp" in line
