# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.tenant_step``; documented in the module of that name."""

from __future__ import annotations

import json
import typing as t
from functools import cache

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import runs, tenant_reports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.leaves import CLOCK, Leaves
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.project import fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import sentences
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import (
    edit,
    entering,
    files,
    handover,
    jobs,
    schema,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.mover import Mover
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    FILE,
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.steps import STEPS

if t.TYPE_CHECKING:
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric

Plain = dict[str, t.Any]
_ARGUMENTS: Plain = {
    "step": {"type": "str", "choices": [*STEPS, "enter", "report", "end"], "required": True},
    "part": {"type": "str", "choices": ["begin", "end", "whole"], "default": "whole"},
    "failed": {"type": "dict", "default": {}},
    "uncommitted": {"type": "str", "default": ""},
    "committed": {"type": "bool", "default": False},
    "wiped": {"type": "list", "elements": "str", "default": []},
    "description": {"type": "path"},
    "registry": {"type": "path"},
}


class Book:
    """Writes the records of moves, where the registry may be written."""

    def __init__(self, plan: Fabric, job: Plain, path: str | None) -> None:
        self._plan, self._of = plan, job.get("runs") or {}
        self._path = path or plan.beside(FILE)
        self._written = bool(job["written"])

    def note(self, records: t.Mapping[str, Plain], at: t.Mapping[str, str]) -> None:
        """Write records by node; FabricError where the file has a node at another step than `at` says."""
        if not self._written:
            return
        run = edit.Run(runs.this(), cache(runs.at_work))
        files.change_file(
            self._plan,
            self._path,
            [
                edit.Move(node, dict(record), at=at.get(node), of=self._of.get(node) or "", run=run)
                for node, record in records.items()
            ],
        )


class ActionModule(ActionBase):
    """Carries out one step of a planned job, on all of its leaves at once."""

    _supports_check_mode = True
    _supports_diff = True
    _requires_connection = False

    @sentences()
    def run(self, tmp: str | None = None, task_vars: Plain | None = None) -> Plain:
        """Take the step; what became of each leaf is in `devices`."""
        result: Plain = super().run(tmp, task_vars)
        _validation, given = self.validate_argument_spec(_ARGUMENTS)
        asked, stated = json.loads(json.dumps(given)), task_vars or {}
        facts = json.loads(json.dumps(stated["ansible_facts"]))
        if not (job := facts.get("spx_fact_job")):
            raise FabricError.of(
                f"step {asked['step']}: no job is planned: run the whole playbook, and clear no facts in a hook."
            )
        if (run := job.get("run", runs.this())) != runs.this():
            raise FabricError.of(
                f"step {asked['step']}: the run {run} planned its job, as a cache of facts remembers: run the whole "
                "playbook."
            )
        plan = fabric(asked["description"], stated)
        turn = _Turn(plan, job, asked, stated, Leaves(plan, self, stated))
        if asked["step"] == "end":
            turn.end(
                [one["step"] for one in facts.get("spx_fact_done", ())], check=self._task.check_mode
            )
            return {**result, "changed": False}
        try:
            done = turn.take(check=self._task.check_mode)
        except FabricError as exc:
            failed = {"failed": True, "msg": str(exc)}
            return {**result, **turn.leaves.result(), **failed}
        made = {**result, **turn.leaves.result()}
        if done is None:
            return made
        every = [*facts.get("spx_fact_done", ()), done]
        turn.report(every)
        return {**made, "proof": done["proof"], "ansible_facts": {"spx_fact_done": every}}


class _Turn:
    """One step of one run."""

    def __init__(
        self, plan: Fabric, job: Plain, asked: Plain, stated: Plain, leaves: Leaves
    ) -> None:
        self.plan, self.job, self.asked, self.stated, self.leaves = plan, job, asked, stated, leaves
        self.registry = Registry.load(plan, asked["registry"])
        self.wait = float(job["wait"])

    def take(self, *, check: bool) -> Plain | None:
        """What is proven by the step: {step, when, proof}; None where it proves nothing yet."""
        step = self.asked["step"]
        if step == "enter":
            proof = self._enter(check=check)
            return {"step": step, "when": tenant_reports.now(), "proof": proof}
        if step == "report":
            return self._report(self.job["leaves"], check=check)
        book = Book(self.plan, self.job, self.asked["registry"])
        rows = self.job["nodes"]
        mover = Mover(*(self.plan, self.registry, self.leaves, book, rows, CLOCK), wait=self.wait)
        part = self.asked["part"]
        if part != "end":
            mover.begin(step)
        if part == "begin":
            return None
        if STEPS[step].hooks:
            proof = mover.end(
                step, self.asked["failed"], self.job["site_hooks"], wiped=self.asked["wiped"]
            )
        else:
            proof = mover.carry_out(step)
        return {"step": step, "when": tenant_reports.now(), "proof": proof}

    def end(self, done: t.Collection[str], *, check: bool) -> None:
        """FabricError where a step of the plan was not taken, or where the registry is not committed."""
        missing = [step for step in self.job["steps"] if step not in done]
        if missing:
            raise FabricError.of(
                f"localhost left the play at step {missing[0]}, as after end_host or end_play in a hook: this step "
                "does not count; take that out of the hook, and run again."
            )
        asked, written = self.asked, self.job["written"]
        by_hook = written and not check and "registry_commit" in self.job["site_hooks"]
        if not asked["uncommitted"] and (asked["committed"] or not by_hook):
            return
        what = asked["uncommitted"] or "the hook registry_commit does not say that it is."
        how = (
            "Commit tenants.yml by hand, or correct the hook registry_commit, which every run asks again."
            if written
            else "Edit and commit tenants.yml by hand, or run again with -e spx_registry_write=true."
        )
        raise FabricError.of(f"NOT COMMITTED: {what} {how}")

    def report(self, done: list[Plain]) -> None:
        """The report of each node that moves, as far as it came."""
        made = {}
        last = done[-1]["step"]
        for node, row in self.job["nodes"].items():
            if last in row["steps"]:
                made[f"tenant_move-{node}"] = {
                    "what": self.job["lines"],
                    "node": node,
                    "record": row["records"][last],
                    "had": row["had"],
                    "wipe": row["wipe"],
                    "steps": [one for one in done if one["step"] in row["steps"]],
                    "asked": self.job["watched"],
                }
        tenant_reports.write(self.plan, self.stated, made)

    def _enter(self, *, check: bool) -> str:
        """What shows that the nodes have entered; that nothing was awaited where nothing may be written."""
        tenant, entry = self.job["tenant"], self.job["enter"]
        nodes = [self.plan.known(name) for name in entry["nodes"]]
        if self.job["acts"]:
            jobs.unchanged(self.registry, tenant, nodes, listed=self.job["written"])
        registry = self._then()
        entering.enter(registry, self.leaves, nodes, entry["ending"])
        if check or not self.job["acts"]:
            return "nothing was written, so that no route is awaited"
        entering.await_routes(
            *(registry, self.leaves, tenant, entry["ending"], CLOCK), wait=self.wait
        )
        changes = self.leaves.changes()
        made = {f"handover-{tenant}": handover.handover(self.plan, registry, tenant)}
        self._report(
            {leaf: changes[leaf] for leaf in self.job["leaves"] if leaf in changes}, **made
        )
        return "its leaves have its routes"

    def _then(self) -> Registry:
        """The registry as it is when the job's edits are in it."""
        made, job = self.registry, self.job
        if job["gone"]:
            made = made.with_nodes(schema.QUARANTINE, jobs.expand(self.plan, job["gone"]))
        extra = jobs.expand(self.plan, job["extra"])
        return made.with_nodes(job["tenant"], extra) if extra else made

    def _report(self, leaves: t.Any, *, check: bool = False, **more: Plain) -> None:
        """The report of the job, and `more` files of it."""
        job = self.job
        if not check and job["acts"]:
            report = {"what": job["lines"], "leaves": leaves}
            name = f"tenant_{job['job']}-{job['tenant']}"
            tenant_reports.write(self.plan, self.stated, {**more, name: report})
