# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pipelines of a project: the lines of both files, run in clones as GitLab and GitHub run them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.designs import (
    chosen,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.request import (
    Request,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.starter import (
    files,
    pipelines,
)

GITLAB, GITHUB = yaml.safe_load(pipelines.GITLAB), yaml.safe_load(pipelines.GITHUB)
TOOLS = Path(sys.executable).parent
AUTHOR = ("-c", "user.name=a", "-c", "user.email=a@localhost")
GPUS = 16


def gitlab(job):
    return [*GITLAB["default"]["before_script"], *GITLAB[job]["script"]]


def github(job):
    return [step["run"] for step in GITHUB["jobs"][job]["steps"] if "run" in step]


READ = {"gitlab": gitlab, "github": github}
WRITES = "ansible-playbook spectrum_x.fabric.switches -e spx_approved=report/changes.json"


@pytest.mark.parametrize("system", READ)
def test_one_job_writes_and_only_what_was_approved(system):
    """Everything else that meets switches is a check; the proof follows the writing."""
    for job in ("plan", "check", "changes", "apply", "drift"):
        for line in READ[system](job):
            if "fabric.switches" in line:
                assert line.startswith(WRITES) if job == "apply" else "--check" in line
    assert READ[system]("apply")[-2:] == list(pipelines.APPLY)
    assert READ[system]("drift")[-2:] == list(pipelines.DRIFT)
    assert READ[system]("plan")[: len(pipelines.INSTALL)] == list(pipelines.INSTALL)


def test_the_supported_core_is_that_of_the_readme():
    root = Path(__file__).parents[6]
    assert f"'{pipelines.CORE}'" in (root / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", pipelines.MERGE + pipelines.GUARD)
def test_no_failure_is_hidden_from_the_shell(line):
    """A shell with -e goes on after a failure to the left of these."""
    assert not {"&&", "||", "|", ";"} & set(line.split())


def test_the_writing_starts_by_hand_alone():
    (rule,) = GITLAB["apply"]["rules"]
    assert rule["when"] == "manual"
    assert GITLAB["apply"]["needs"] == ["changes"]
    jobs = GITHUB["jobs"]
    assert "github.event_name == 'workflow_dispatch'" in jobs["apply"]["if"]
    assert GITLAB["apply"]["environment"] == jobs["apply"]["environment"] == "fabric"
    assert GITHUB[True]["workflow_dispatch"]["inputs"]["approved"]["required"]


def test_nobody_outside_reaches_an_account():
    """Forks have no switches, and an action of somebody else never runs where the password is."""
    for name, job in GITHUB["jobs"].items():
        foreign = [
            step for step in job["steps"] if not step.get("uses", "actions/").startswith("actions/")
        ]
        assert not (foreign and "SPX_NVUE_PASSWORD" in job.get("env", {})), name
    assert "head.repo.full_name == github.repository" in GITHUB["jobs"]["check"]["if"]


def test_results_are_shown():
    for job in ("apply", "drift"):
        assert GITLAB[job]["artifacts"]["reports"] == {"junit": "report/junit.xml"}
        assert job in GITHUB["jobs"]["results"]["needs"]
    assert GITHUB["jobs"]["results"]["steps"][-1]["with"] == {"report_paths": "report/junit.xml"}


def git(folder, *words):
    return subprocess.run(
        ["git", "-C", folder, *AUTHOR, *words], check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A bare repository with the project on main, a branch that renumbers it, and one that does not."""
    folder = tmp_path_factory.mktemp("repository")
    work = folder / "work"
    for name, text in files.files(chosen(Request(gpus=GPUS, name="mine"), 1)).items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text, encoding="utf-8")
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", "bare")
    git(work, "init", "--quiet", "--initial-branch=main")
    git(work, "remote", "add", "origin", str(folder / "bare"))
    commit(work, "main", "README.md", "", "")
    commit(
        work, "renumbers", "model/fabric.yml", "profile: nvidia-guide-v4-2tier", "profile: octet-v4"
    )
    commit(work, "harmless", "model/fabric.yml", "# Decide later", "# Decide one day")
    git(work, "switch", "--quiet", "main")
    # main goes on meanwhile, so that both branches are behind it
    commit(work, "main", "model/tenants.yml", "tenants: []", "tenants: []  # none yet")
    return folder / "bare"


def commit(work, branch, name, before, after):
    """One edit of a file on a branch, which begins where main is now, and is pushed."""
    if branch != "main":
        git(work, "switch", "--quiet", "--create", branch, "main")
    text = (work / name).read_text(encoding="utf-8")
    assert before in text
    (work / name).write_text(text.replace(before, after), encoding="utf-8")
    git(work, "add", "--all")
    git(work, "commit", "--quiet", "--message", branch)
    git(work, "push", "--quiet", "origin", branch)


TARGET = {
    "gitlab": GITLAB["plan"]["variables"]["TARGET"],
    "github": GITHUB["jobs"]["plan"]["env"]["TARGET"],
}
SYSTEMS = {"$CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "${{ github.base_ref }}": "main"}
"""Values that the two systems give."""


def run(system, repository, branch, folder):
    """The lines of job plan in a fresh clone, up to the one that fails, as `sh -e` runs them."""
    git(folder, "clone", "--quiet", str(repository), "clone")
    git(folder / "clone", "switch", "--quiet", "--detach", f"origin/{branch}")
    lines = [line for line in READ[system]("plan") if line not in pipelines.INSTALL]
    keep = {key: value for key, value in os.environ.items() if not key.startswith("SPX_")}
    own = {
        "PATH": f"{TOOLS}:{os.environ['PATH']}",
        "TARGET": SYSTEMS[TARGET[system]],
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "ANSIBLE_CONFIG": "ansible.cfg",
        "ANSIBLE_NOCOLOR": "1",
    }
    return subprocess.run(
        ["bash", "-e", "-c", "\n".join(lines)],
        cwd=folder / "clone",
        env=keep | own,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("system", READ)
def test_an_edit_that_renumbers_is_red_in_a_fresh_clone(system, repository, tmp_path):
    done = run(system, repository, "renumbers", tmp_path)
    assert done.returncode, done.stdout + done.stderr
    assert "of existing equipment would change, first address of" in done.stdout + done.stderr
    comment = (tmp_path / "clone" / "report" / "plan.md").read_text(encoding="utf-8")
    assert "values of existing equipment would change.**" in comment
    assert not (tmp_path / "clone" / "plan").exists()


def test_an_edit_that_moves_nothing_is_green_and_leaves_nothing_to_commit(repository, tmp_path):
    done = run("github", repository, "harmless", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing of existing equipment changes" in (tmp_path / "summary.md").read_text("utf-8")
    clone = tmp_path / "clone"
    assert "none yet" in (clone / "model" / "tenants.yml").read_text(encoding="utf-8")
    # the zones alone are there to be added by those who serve them
    assert git(clone, "status", "--porcelain", "--untracked-files=all").splitlines() == [
        f"?? plan/dns/{path.name}" for path in sorted((clone / "plan" / "dns").iterdir())
    ]
