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


def planned(steps, hooks=(), done=(), registry=None, **more):
    """A task after which a job is planned, and the registry in that state."""
    job = {"job": "move", "tenant": "acme", "steps": steps, "site_hooks": list(hooks), "nodes": {}}
    job |= {"written": False, "wait": 0, **more}
    records = {
        "job": job,
        "steps": [{"step": step, "when": "", "proof": ""} for step in done],
        "registry": registry or {},
    }
    return {"keep": records}


def test_without_a_plan_no_step_is_taken(results):
    shut, end = results(step("shut"), step("end"))
    assert (shut["failed"], end["failed"]) == (True, True)
    assert shut["msg"] == (
        "step shut: no job is planned: run the whole playbook; tenants.yml shows the step of a move."
    )
    assert end["msg"].startswith("step end: no job is planned")


def test_a_step_that_the_plan_does_not_have_is_skipped(results):
    _plan, shut, enter = results(planned(["join"]), step("shut"), step("enter"))
    assert (shut["skipped"], enter["skipped"]) == (True, True)


def test_a_step_that_was_not_taken_is_named(results):
    _plan, left, _plan, whole = results(
        planned(["drain", "shut", "quarantine"], done=["drain"]),
        step("end"),
        planned(["drain", "shut"], done=["drain", "shut"]),
        step("end"),
    )
    assert left["failed"]
    assert left["msg"] == (
        "localhost left the play at step shut, as after end_host or end_play in a hook: this step does not count; "
        "remove that from the hook, and run again."
    )
    assert (whole.get("failed", False), whole["changed"]) == (False, False)


@pytest.mark.parametrize("written", [True, False])
def test_a_registry_that_is_not_committed_is_one_sentence(results, written):
    hooks, edited = ["registry_commit"], {"uncommitted": "-  a\n+  b\n", "committed": True}
    _plan, edited, _plan, silent, _plan, said, _plan, unasked = results(
        planned([], hooks, written=written, registry=edited),
        step("end"),
        planned([], hooks, written=written),
        step("end"),
        planned([], hooks, written=written, registry={"committed": True}),
        step("end"),
        planned([], written=written),
        step("end"),
    )
    how = (
        "Commit tenants.yml by hand, or correct the hook registry_commit, which every run calls again."
        if written
        else "Edit and commit tenants.yml by hand, or run again with -e spx_registry_write=true."
    )
    assert edited["msg"] == f"NOT COMMITTED: the run edited tenants.yml. {how}\n-  a\n+  b"
    unsaid = f"NOT COMMITTED: the hook registry_commit does not confirm that it is. {how}"
    assert silent.get("failed", False) == written, "without leave to write, no hook is asked"
    assert not written or silent["msg"] == unsaid
    assert not said.get("failed")
    assert not unasked.get("failed")


def test_a_fact_of_a_job_is_none(results):
    """Whoever sets it, be it a task that was delegated to a node: the plan of the run is no fact."""
    forged = {"spx_fact_job": {"steps": [], "site_hooks": [], "nodes": {}, "written": True}}
    _fact, end = results({"ansible.builtin.set_fact": {**forged, "cacheable": True}}, step("end"))
    assert end["msg"].startswith("step end: no job is planned")
