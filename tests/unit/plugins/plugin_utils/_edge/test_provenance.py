# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Origin of a change, as a switch keeps it."""

from __future__ import annotations

import os
import subprocess

import pytest
from ansible import context

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import provenance

AUTHOR = ("-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false")


@pytest.fixture(autouse=True)
def run(tmp_path, monkeypatch):
    """A run of a playbook from an empty project that no controller started."""
    for name in ("JOB_ID", "CI_JOB_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPX_PROJECT", str(tmp_path))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    arguments = {"args": ("spectrum_x.fabric.switches",), "start_at_task": None}
    monkeypatch.setattr(context, "CLIARGS", arguments)
    return tmp_path


def git(folder, *arguments):
    command = ["git", "-C", str(folder), *AUTHOR, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def commit(folder):
    git(folder, "init", "--quiet")
    (folder / "file").write_text("1")
    git(folder, "add", "file")
    git(folder, "commit", "--quiet", "--message", "first")
    git(folder, "tag", "v1")
    return git(folder, "rev-parse", "HEAD")[:12]


def test_without_git_and_controller_the_playbook_is_left():
    assert provenance.message("", {}) == "spectrum_x.fabric.switches"
    assert provenance.message("CHG-42", {}) == "CHG-42: spectrum_x.fabric.switches"


def test_everything_that_is_known(run, monkeypatch):
    head = commit(run)
    monkeypatch.setenv("JOB_ID", "7")
    said = provenance.message("CHG\n42", {"awx_job_id": 4711})
    assert said == f"CHG 42: spectrum_x.fabric.switches, git {head}, job 4711"
    assert provenance.message("", {}).endswith(", job 7")
    (run / "file").write_text("2")
    assert f"git {head}-dirty, job 7" in provenance.message("", {})


def test_the_commit_is_the_one_at_the_beginning_of_the_run(run, begin):
    commit(run)
    begin(fabric={"git": "0123456789ab"})
    assert provenance.message("", {}) == "spectrum_x.fabric.switches, git 0123456789ab"


def test_the_commit_is_that_of_the_project_under_a_hook_of_another_repository(run, monkeypatch):
    head = commit(run)
    monkeypatch.setenv("GIT_DIR", str(run / "another" / ".git"))
    assert f"git {head}" in provenance.message("", {})


def test_what_was_no_git_tree_when_the_run_began_is_not_looked_up_again(run, begin):
    """Each switch of each step would start git once more."""
    commit(run)
    begin(fabric={"git": ""})
    assert provenance.message("", {}) == "spectrum_x.fabric.switches"


def test_a_checkout_without_git_is_known_to_awx(run, monkeypatch):
    variables = {"awx_project_revision": "f" * 40}
    assert provenance.message("", variables).endswith("git ffffffffffff")
    monkeypatch.setenv("PATH", os.devnull)
    assert provenance.message("", variables).endswith("git ffffffffffff")


def test_other_commands_have_no_playbook(monkeypatch):
    monkeypatch.setattr(context, "CLIARGS", {"args": "spx_leaf"})
    assert provenance.message("", {}) == ""
