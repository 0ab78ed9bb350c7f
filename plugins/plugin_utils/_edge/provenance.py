# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Origin of a change, as a switch keeps it with the revision. Private.

    CHG-42: spectrum_x.fabric.switches, git 1a2b3c4d5e6f-dirty, job 4711

What is not known is left out: a project that is no git tree, a run that no controller started.
"""

from __future__ import annotations

import os
import subprocess
import typing as t

from ansible import context

from .._jobs import kinds
from .._jobs.git import environment
from .project import description_path
from .run_store import store

# AWX and the controller made of it set these variables, and JOB_ID; GitLab sets the other one.
_JOB_VARIABLES = ("awx_job_id", "tower_job_id")
_JOB_ENVIRONMENT = ("JOB_ID", "CI_JOB_ID")
_GIT_VARIABLES = ("awx_project_revision", "tower_project_revision")
_GIT = ("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")


def message(text: str, variables: t.Mapping[str, object]) -> str:
    """The text of a person, if any, and where the change comes from; one line."""
    # The guard found the commit when the run began: it is the same for all switches of a run.
    git = kinds.git(store)  # empty where there is none
    if git is None:
        git = git_revision(description_path(None, variables), variables)
    facts = (
        ("", playbook()),
        ("git ", git),
        ("job ", _first(_JOB_VARIABLES, variables) or _first(_JOB_ENVIRONMENT, os.environ)),
    )
    origin = ", ".join(label + found for label, found in facts if found)
    return _line(": ".join(filter(None, (text, origin))))


def playbook() -> str:
    """The playbooks of the command line, as they were typed; empty under another command."""
    stated = context.CLIARGS.get("args") or ()
    return " ".join(stated) if "start_at_task" in context.CLIARGS else ""


def git_revision(description: str, variables: t.Mapping[str, object]) -> str:
    """The commit of a description's project, `-dirty` when files differ from it; empty if unknown.

    A checkout without git still has the commit that AWX says it is of.
    """
    folder = os.path.dirname(os.path.dirname(description))
    stated = _first(_GIT_VARIABLES, variables)[:12]
    try:
        done = subprocess.run(
            ["git", "-C", folder, *_GIT],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
            env=environment(GIT_OPTIONAL_LOCKS="0"),
        )
    except (OSError, subprocess.TimeoutExpired):
        return stated
    return done.stdout.strip() or stated


def _first(names: t.Sequence[str], found: t.Mapping[str, object]) -> str:
    return next((_line(str(found[name])) for name in names if found.get(name)), "")


def _line(text: str) -> str:
    return " ".join(text.split())
