# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hooks of tenants.rst: one commits the registry, in a repository of its own; the others are valid tasks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import yaml

from .blocks import Block, blocks
from .test_yaml_blocks import run

COMMITTED = "what: committed"


def hooks() -> list[Block]:
    """The task files that the guide shows."""
    return [b for b in blocks("yaml") if b.page == "tenants.rst" and b.kind == "by"]


def git(folder: Path, *arguments: str) -> str:
    """Run git and return its output."""
    author = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    command = ["git", *author, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_the_hook_commits_the_registry_alone(tmp_path: Path) -> None:
    (block,) = [hook for hook in hooks() if COMMITTED in hook.text]
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "config", "user.name", "Test")
    git(tmp_path, "config", "user.email", "test@example.com")
    registry = tmp_path / "tenants.yml"
    registry.write_text("tenants: []\n", encoding="utf-8")
    git(tmp_path, "add", "tenants.yml")
    git(tmp_path, "commit", "--quiet", "--message", "Before")
    registry.write_text("tenants: []  # changed\n", encoding="utf-8")
    *tasks, confirm = yaml.safe_load(block.text)
    assert confirm["spectrum_x.fabric.tenant"] == {
        "do": "confirm",
        "what": "committed",
        "by": "git",
    }
    play = [{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]
    (tmp_path / "site.yml").write_text(yaml.safe_dump(play, sort_keys=False), encoding="utf-8")
    for _asked in ("after an edit", "by a run that edited nothing"):
        run("ansible-playbook", "site.yml", "-e", f"hook_path={registry}", cwd=tmp_path)
    assert git(tmp_path, "log", "--format=%s").splitlines() == ["Tenants changed", "Before"]
    assert git(tmp_path, "show", "--stat", "--format=").split()[0] == "tenants.yml"


def test_hooks_are_valid_tasks(tmp_path: Path) -> None:
    for block in hooks():
        play = [{"hosts": "localhost", "gather_facts": False, "tasks": yaml.safe_load(block.text)}]
        (tmp_path / "site.yml").write_text(yaml.safe_dump(play, sort_keys=False), encoding="utf-8")
        run("ansible-playbook", "--syntax-check", "site.yml", cwd=tmp_path)
