# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The repository of a folder, whatever the environment of the playbook says."""

from __future__ import annotations

import os
import subprocess

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import git


def test_git_finds_the_repository_of_the_folder_under_a_hook_of_another_one(tmp_path, monkeypatch):
    for name in ("site", "server"):
        subprocess.run(["git", "init", "--quiet", tmp_path / name], check=True)
    for name in git.ELSEWHERE:
        monkeypatch.setenv(name, str(tmp_path / "server" / ".git"))
    done = subprocess.run(
        ["git", "-C", tmp_path / "site", "rev-parse", "--show-toplevel"],
        check=True,
        capture_output=True,
        text=True,
        env=git.environment(GIT_OPTIONAL_LOCKS="0"),
    )
    assert done.stdout.strip() == os.path.realpath(tmp_path / "site")


@pytest.mark.parametrize("name", ["PATH", "GIT_SSH_COMMAND", "GIT_AUTHOR_NAME"])
def test_what_does_not_lead_elsewhere_stays(name, monkeypatch):
    monkeypatch.setenv(name, "kept")
    assert git.environment(GIT_OPTIONAL_LOCKS="0")[name] == "kept"
    assert git.environment(GIT_OPTIONAL_LOCKS="0")["GIT_OPTIONAL_LOCKS"] == "0"
