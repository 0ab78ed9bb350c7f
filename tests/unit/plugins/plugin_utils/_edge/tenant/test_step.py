# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A step needs a planned job, and a run does not end well before its plan and its registry have."""

from __future__ import annotations

import pytest

STEP = "spectrum_x.fabric.tenant"


def step(name, **variables):
    """A task that takes a step."""
    return {STEP: {"do": "step", "step": name}, "vars": variables}


def fact(steps, hooks=(), done=(), **more):
    """A task that sets the facts of a planned job."""
    job = {"job": "move", "tenant": "acme", "steps": steps, "site_hooks": list(hooks), "nodes": {}}
    job |= {"written": False, "wait": 0, **more}
    made = {"spx_fact_job": job, "spx_fact_done": [{"step": step} for step in done]}
    return {"ansible.builtin.set_fact": {**made, "cacheable": True}}


def test_without_a_plan_no_step_is_taken(results):
    shut, end = results(step("shut"), step("end"))
    assert (shut["failed"], end["failed"]) == (True, True)
    assert shut["msg"] == (
        "step shut: no job is planned: run the whole playbook, and clear no facts in a hook; tenants.yml says at which "
        "step a move is."
    )
    assert end["msg"].startswith("step end: no job is planned")


def test_a_step_that_the_plan_does_not_have_is_skipped(results):
    _fact, shut, enter = results(fact(["join"]), step("shut"), step("enter"))
    assert (shut["skipped"], enter["skipped"]) == (True, True)


def test_a_step_that_was_not_taken_is_named(results):
    _fact, left, _fact, whole = results(
        fact(["drain", "shut", "quarantine"], done=["drain"]),
        step("end", registry_committed=True),
        fact(["drain", "shut"], done=["drain", "shut"]),
        step("end", registry_committed=True),
    )
    assert left["failed"]
    assert left["msg"] == (
        "localhost left the play at step shut, as after end_host or end_play in a hook: this step does not count; "
        "take that out of the hook, and run again."
    )
    assert (whole.get("failed", False), whole["changed"]) == (False, False)


@pytest.mark.parametrize("written", [True, False])
def test_a_registry_that_is_not_committed_is_one_sentence(results, written):
    _fact, edited, silent, said, _fact, unasked = results(
        fact([], hooks=["registry_commit"], written=written),
        step("end", spx_fact_uncommitted="acme: add h03.", registry_committed=True),
        step("end"),
        step("end", registry_committed=True),
        fact([], written=written),
        step("end"),
    )
    how = (
        "Commit tenants.yml by hand, or correct the hook registry_commit, which every run asks again."
        if written
        else "Edit and commit tenants.yml by hand, or run again with -e spx_registry_write=true."
    )
    assert edited["msg"] == f"NOT COMMITTED: acme: add h03. {how}"
    unsaid = f"NOT COMMITTED: the hook registry_commit does not say that it is. {how}"
    assert silent.get("failed", False) == written, "without leave to write, no hook is asked"
    assert not written or silent["msg"] == unsaid
    assert not said.get("failed")
    assert not unasked.get("failed")


def test_a_job_of_another_run_is_not_carried_on(results):
    """A cache of facts keeps it, and --start-at-task would begin in its middle."""
    _fact, found = results(fact(["join"], run="vm/1/0a1b"), step("join"))
    assert found["msg"] == (
        "step join: the run vm/1/0a1b planned its job, as a cache of facts remembers: run the whole playbook."
    )
