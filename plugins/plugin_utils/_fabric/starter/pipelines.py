# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pipelines of a new project, for GitLab and GitHub: the same commands in both.

merge request   merges the target branch into the checkout, plans against the target's description, and compares
                the switches with the result: an edit that renumbers what exists is red in a fresh checkout
default branch  compares the switches, and keeps the difference for the person who approves it
apply           by hand: writes exactly that difference, then proves the fabric
each night      drift
"""

from __future__ import annotations

CORE = "ansible-core>=2.19,<2.22"
"""The releases of ansible-core that the collection supports."""
INSTALL = (
    f"pip install '{CORE}'",
    'ansible-galaxy collection install "$SPX_COLLECTION"',
    "pip install -r ~/.ansible/collections/ansible_collections/spectrum_x/fabric/requirements.txt",
)
PLAN = "ansible-playbook spectrum_x.fabric.plan -e spx_dest=plan"
CHECK = "ansible-playbook spectrum_x.fabric.switches --check -e spx_report=report"
PROVE = "ansible-playbook spectrum_x.fabric.validate -e spx_report=report"
MERGE = (
    'git fetch --quiet origin "refs/heads/$TARGET"',
    "git -c user.name=pipeline -c user.email=pipeline@localhost merge --quiet --no-edit FETCH_HEAD",
)
"""Merge the target: what is planned and compared is what the target will be."""
GUARD = (
    "rm -rf target",
    "mkdir target",
    "git archive --output=target/target.tar FETCH_HEAD",
    "tar -xf target/target.tar -C target",
    f"{PLAN} -e spx_against=target -e spx_report=report",
    # zones in git whose serial nobody has counted on: other name servers would keep the old ones
    "git diff --exit-code --stat -- plan/dns",
)
"""Compare with the description of the target as it is, whatever plan the checkout has. One command a line: the shell
does not stop at a failure to the left of &&."""
APPLY = (
    "ansible-playbook spectrum_x.fabric.switches -e spx_approved=report/changes.json -e spx_report=report/applied",
    PROVE,
)
DRIFT = (CHECK, PROVE)


def _listed(commands: tuple[str, ...], head: str) -> str:
    """Commands as items of a YAML list, each after the same text."""
    return "\n".join(f"{head}{command}" for command in commands)


def _gitlab(*commands: str) -> str:
    return _listed(commands, "    - ")


def _github(*commands: str) -> str:
    return _listed(commands, "      - run: ")


GITLAB = f"""\
# Merge requests are planned against the target branch, changes are applied by hand, and drift is looked for each night.
# Variables of the project: SPX_COLLECTION (file or address of the collection's archive), SPX_NVUE_USER,
# SPX_NVUE_PASSWORD (masked), SPX_NVUE_CA (of type file). Give the account that may write to the environment fabric
# alone, and one that only reads to all others. What needs switches needs a runner that reaches them; apply and drift
# need the hosts too. The night is a pipeline schedule of the default branch.
# In the settings: pipelines must succeed, the default branch is protected, and another person approves this file.
image: python:3.12

variables:
  # GitLab's folders are writable for all, and Ansible ignores the settings of such a folder
  ANSIBLE_CONFIG: ansible.cfg
  # a merge needs the history
  GIT_DEPTH: "0"

workflow:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH

stages: [plan, check, apply]

default:
  before_script:
{_gitlab(*INSTALL)}

# Schema, rules and plan. Red where equipment that exists would get another address, ASN, name or cable.
plan:
  stage: plan
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    TARGET: $CI_MERGE_REQUEST_TARGET_BRANCH_NAME
  script:
{_gitlab(*MERGE, *GUARD)}
  artifacts:
    when: always
    expose_as: plan
    paths: [report, plan]

# What the merge request would change on the switches, and what that disturbs.
check:
  stage: check
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event" && $SPX_NVUE_USER
  variables:
    TARGET: $CI_MERGE_REQUEST_TARGET_BRANCH_NAME
  script:
{_gitlab(*MERGE, CHECK)}
  artifacts:
    when: always
    expose_as: changes
    paths: [report]

# The difference of the merged description, which apply writes.
changes:
  stage: check
  rules:
    - if: $CI_PIPELINE_SOURCE != "merge_request_event" && $CI_PIPELINE_SOURCE != "schedule" && $SPX_NVUE_USER
  script:
{_gitlab(CHECK)}
  artifacts:
    when: always
    paths: [report]

# The person who starts this has read report/ of the job changes. A switch that differs since then is refused.
apply:
  stage: apply
  rules:
    - if: $CI_PIPELINE_SOURCE != "merge_request_event" && $CI_PIPELINE_SOURCE != "schedule" && $SPX_NVUE_USER
      when: manual
      allow_failure: true
  needs: [changes]
  environment: fabric
  resource_group: fabric
  script:
{_gitlab(*APPLY)}
  artifacts:
    when: always
    paths: [report]
    reports:
      junit: report/junit.xml

drift:
  stage: check
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule" && $SPX_NVUE_USER
  script:
{_gitlab(*DRIFT)}
  artifacts:
    when: always
    paths: [report]
    reports:
      junit: report/junit.xml
"""
_ACCOUNT = """\
    env:
      SPX_NVUE_USER: ${{ secrets.SPX_NVUE_USER }}
      SPX_NVUE_PASSWORD: ${{ secrets.SPX_NVUE_PASSWORD }}
      SPX_NVUE_CA: ${{ vars.SPX_NVUE_CA }}"""
_REPORT = """\
      - uses: actions/upload-artifact@v4
        if: always()
        with: {name: report, path: report}"""
_ON_DEFAULT = "github.ref_name == github.event.repository.default_branch"
GITHUB = f"""\
# Pull requests are planned against the target branch, changes are applied by hand, and drift is looked for each night.
# Variable of the repository: SPX_COLLECTION (file or address of the collection's archive). Secrets: SPX_NVUE_USER and
# SPX_NVUE_PASSWORD. Give the account that may write to the environment fabric alone, with people who must agree, and
# one that only reads to the repository. What needs switches needs a runner that reaches them, with the CA in the file
# that the variable SPX_NVUE_CA names; apply and drift need the hosts too.
# In the settings: the check plan is required, the default branch is protected, and another person approves this file.
name: fabric
on:
  pull_request:
  push:
  schedule:
    - cron: "17 2 * * *"
  workflow_dispatch:
    inputs:
      approved:
        description: number in the address of the run whose report/changes.json you have read and approve
        required: true
permissions: {{contents: read, actions: read}}
env:
  SPX_COLLECTION: ${{{{ vars.SPX_COLLECTION }}}}

jobs:
  # Schema, rules and plan. Red where equipment that exists would get another address, ASN, name or cable.
  plan:
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-latest
    env:
      TARGET: ${{{{ github.base_ref }}}}
    steps:
      - uses: actions/checkout@v4
        with: {{fetch-depth: 0}}
{_github(*INSTALL, *MERGE, *GUARD)}
      - run: cat report/*.md >> "$GITHUB_STEP_SUMMARY"
        if: always()
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: plan
          path: |
            plan
            report

  # What the pull request would change on the switches, and what that disturbs. Not for forks: it has an account.
  check:
    needs: plan
    if: vars.SPX_NVUE_CA && github.event.pull_request.head.repo.full_name == github.repository
    runs-on: self-hosted
{_ACCOUNT}
      TARGET: ${{{{ github.base_ref }}}}
    steps:
      - uses: actions/checkout@v4
        with: {{fetch-depth: 0}}
{_github(*INSTALL, *MERGE, CHECK)}
      - run: cat report/*.md >> "$GITHUB_STEP_SUMMARY"
        if: always()
{_REPORT}

  # The difference of the merged description, which apply writes.
  changes:
    if: vars.SPX_NVUE_CA && github.event_name == 'push' && {_ON_DEFAULT}
    runs-on: self-hosted
{_ACCOUNT}
    steps:
      - uses: actions/checkout@v4
{_github(*INSTALL, CHECK)}
      - run: cat report/*.md >> "$GITHUB_STEP_SUMMARY"
        if: always()
{_REPORT}

  # The person who starts this has read the report of a job changes. A switch that differs since then is refused.
  apply:
    if: vars.SPX_NVUE_CA && github.event_name == 'workflow_dispatch' && {_ON_DEFAULT}
    runs-on: self-hosted
    environment: fabric
    concurrency: fabric
{_ACCOUNT}
    steps:
      - uses: actions/checkout@v4
{_github(*INSTALL)}
      - uses: actions/download-artifact@v4
        with:
          name: report
          path: report
          run-id: ${{{{ inputs.approved }}}}
          github-token: ${{{{ github.token }}}}
{_github(*APPLY)}
{_REPORT}

  drift:
    if: vars.SPX_NVUE_CA && github.event_name == 'schedule'
    runs-on: self-hosted
{_ACCOUNT}
    steps:
      - uses: actions/checkout@v4
{_github(*INSTALL, *DRIFT)}
{_REPORT}

  # Show junit.xml among the checks, apart from the jobs that have an account.
  results:
    needs: [apply, drift]
    if: always() && (needs.apply.result != 'skipped' || needs.drift.result != 'skipped')
    runs-on: ubuntu-latest
    permissions: {{checks: write}}
    steps:
      - uses: actions/download-artifact@v4
        with: {{name: report, path: report}}
      - uses: mikepenz/action-junit-report@v5
        with: {{report_paths: report/junit.xml}}
"""
