# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One step of a planned job, on all of its leaves at once."""

from __future__ import annotations

import json
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean

from ..._fabric.model.errors import FabricError
from ..._fabric.tenancy import entering, files, handover, jobs, schema
from ..._fabric.tenancy.move_run import Mover, where
from ..._fabric.tenancy.procedure import LEAVE
from ..._fabric.tenancy.registry import FILE, Registry
from ..._fabric.tenancy.steps import REPORTS, STEPS
from .. import runs, summary
from ..leaves import CLOCK, Leaves
from ..project import fabric
from . import edit, reports
from .plan import COMMIT

if t.TYPE_CHECKING:
    from ..._fabric.fabric import Fabric
    from ..action import Action, Plain


class Book:
    """Writes the records of moves, where the registry may be written."""

    def __init__(self, plan: Fabric, job: Plain, path: str | None) -> None:
        self._plan, self._of = plan, job.get("runs") or {}
        self._path = path or plan.beside(FILE)
        self._written = bool(job["written"])

    def note(self, records: t.Mapping[str, Plain], at: t.Mapping[str, str]) -> None:
        """Write records by node; FabricError where the file has a node at another step than `at` says."""
        if self._written:
            of = {node: self._of.get(node, "") for node in records}
            made = edit.moved(
                {node: dict(row) for node, row in records.items()}, at, of, edit.this_run()
            )
            files.change_file(self._plan, self._path, made)


def run(task: Action, args: Plain, stated: Plain) -> Plain:
    """Take the step; what became of each leaf is in `devices`."""
    step, check = args["step"], task._task.check_mode
    facts = json.loads(json.dumps(stated["ansible_facts"]))
    if not (job := facts.get("spx_fact_job")):
        raise FabricError.of(
            f"step {step}: no job is planned: run the whole playbook, and clear no facts in a hook; tenants.yml says "
            "at which step a move is."
        )
    if (run := job.get("run", runs.this())) != runs.this():
        raise FabricError.of(
            f"step {step}: the run {run} planned its job, as a cache of facts remembers: run the whole playbook."
        )
    if step in (*STEPS, "enter", LEAVE) and step not in job["steps"]:
        return {"skipped": True, "msg": f"the plan has no step {step}."}
    plan, done = fabric(args["description"], stated), facts.get("spx_fact_done", [])
    turn = _Turn(plan, job, args, stated, Leaves(plan, task, stated))
    if args["part"] == "stopped":
        return _stopped(job, args, stated, facts.get("spx_fact_failed", {}))
    if args["part"] == "ran":
        return _ran(args["hook"], stated, facts.get("spx_fact_confirmed", []))
    if step == "end":
        _end(job, stated, [one["step"] for one in done], check=check)
        return {"changed": False}
    try:
        proof = turn.take(check=check)
    except FabricError as exc:
        said = FabricError([*exc.sentences, *_uncommitted(job, step, stated)])
        return {**turn.leaves.result(), "failed": True, "msg": str(said)}
    made = turn.leaves.result()
    if args["part"] == "begin":
        return {**made, "ansible_facts": {"spx_fact_failed": {}, "spx_fact_confirmed": []}}
    if proof is None:
        return made
    done = [*done, {"step": step, "when": reports.now(), "proof": proof}]
    turn.report(done)
    return {**made, "proof": proof, "ansible_facts": {"spx_fact_done": done}}


def _ran(hook: Plain, stated: Plain, confirmed: list[str]) -> Plain:
    """Keep the node of a hook that reported its work; a fact that a plain set_fact in a hook does not change."""
    if not _truth(stated, REPORTS.get(hook["name"], "")):
        return {"changed": False}
    return {"changed": False, "ansible_facts": {"spx_fact_confirmed": [*confirmed, hook["node"]]}}


def _stopped(job: Plain, args: Plain, stated: Plain, failed: Plain) -> Plain:
    """Fail as a hook has failed, and say where its node is; who fails a test is kept for the end of the step."""
    step, hook = args["step"], args["hook"]
    why = summary.reason(args["failure"]).rstrip(".")
    if step == "end":
        raise FabricError.of(f"NOT COMMITTED: the hook {COMMIT} failed: {why}. {_how(job)}")
    if step == "accept":
        said = {hook["node"]: [f"{hook['node']} did not pass the hook {hook['name']}: {why}."]}
        return {"ansible_facts": {"spx_fact_failed": {**failed, **said}}}
    node = hook["node"]
    raise FabricError(
        [
            f"hook {hook['name']} of {node}: {why}. {where(step, node, job['nodes'][node]['record'])} "
            "Correct the hook, and run this playbook again; it goes on at this step.",
            *_uncommitted(job, step, stated),
        ]
    )


def _uncommitted(job: Plain, step: str, stated: Plain) -> list[str]:
    """That the registry is edited, where a step fails; only its state before the first step may be committed."""
    if step in STEPS and job["written"]:
        if _truth(stated, "registry_committed") and step == job["steps"][0]:
            return []
        return [
            "NOT COMMITTED: tenants.yml has the record of the move: run this playbook again, or commit the file by "
            "hand."
        ]
    edited = stated.get("spx_fact_uncommitted")
    return [f"NOT COMMITTED: {edited} {_how(job)}"] if edited else []


def _end(job: Plain, stated: Plain, done: t.Collection[str], *, check: bool) -> None:
    """FabricError where a step of the plan was not taken, or where the registry is not committed."""
    missing = [step for step in job["steps"] if step not in done]
    if missing:
        step = missing[0]
        left = (
            f"localhost left the play at step {step}, as after end_host or end_play in a hook: this step "
            "does not count; take that out of the hook, and run again."
        )
        at = {n: row["record"] for n, row in job["nodes"].items() if step in row["steps"]}
        held = [where(step, n, record) for n, record in at.items() if STEPS[step].hooks]
        raise FabricError([left, *held, *_uncommitted(job, step, stated)])
    by_hook = job["written"] and not check and COMMIT in job["site_hooks"]
    edited = stated.get("spx_fact_uncommitted")
    if edited or (by_hook and not _truth(stated, "registry_committed")):
        what = edited or f"the hook {COMMIT} does not say that it is."
        raise FabricError.of(f"NOT COMMITTED: {what} {_how(job)}")


def _truth(stated: Plain, fact: str) -> bool:
    """A fact of a hook, which may be text."""
    return bool(boolean(stated.get(fact, False), strict=False))


def _how(job: Plain) -> str:
    """How the registry comes to be committed."""
    if job["written"]:
        return (
            f"Commit tenants.yml by hand, or correct the hook {COMMIT}, which every run asks again."
        )
    return "Edit and commit tenants.yml by hand, or run again with -e spx_registry_write=true."


class _Turn:
    """One step of one run."""

    def __init__(
        self, plan: Fabric, job: Plain, asked: Plain, stated: Plain, leaves: Leaves
    ) -> None:
        self.plan, self.job, self.asked, self.stated, self.leaves = plan, job, asked, stated, leaves
        self.failed = stated["ansible_facts"].get("spx_fact_failed") or {}
        self.registry = Registry.load(plan, asked["path"])
        self.wait = float(job["wait"])

    def take(self, *, check: bool) -> str | None:
        """What proves the step; None where it proves nothing yet."""
        step, part = self.asked["step"], self.asked["part"]
        if step == "enter":
            return self._enter(check=check)
        if step == LEAVE:
            return self._leave()
        if step == "report":
            if self.job["acts"] and not check:
                self._report(self.job["leaves"], {})
            return None
        book = Book(self.plan, self.job, self.asked["path"])
        rows = self.job["nodes"]
        mover = Mover(*(self.plan, self.registry, self.leaves, book, rows, CLOCK), wait=self.wait)
        if part != "end":
            mover.begin(step)
        if part == "begin":
            return None
        if not STEPS[step].hooks:
            return mover.carry_out(step)
        confirmed = self.stated["ansible_facts"].get("spx_fact_confirmed") or ()
        return mover.end(step, self.failed, self.job["site_hooks"], confirmed)

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
                    "networks": row["networks"],
                    "steps": [one for one in done if one["step"] in row["steps"]],
                    "asked": self.job["watched"],
                }
        reports.write(self.plan, self.stated, made)

    def _enter(self, *, check: bool) -> str:
        """What shows that the nodes have entered; that nothing was awaited where nothing may be written."""
        tenant, entry = self.job["tenant"], self.job["enter"]
        nodes = jobs.expand(self.plan, entry["nodes"])
        if self.job["acts"]:
            jobs.unchanged(self.registry, tenant, nodes, listed=self.job["written"])
        registry = self._then()
        entering.enter(
            *(registry, self.leaves, nodes, entry["ending"]),
            beside=entry["beside"],
            tenants=[tenant],
        )
        if check or not self.job["acts"]:
            return "nothing was written, so that no route is awaited"
        entering.await_routes(
            *(registry, self.leaves, tenant, entry["ending"], CLOCK), wait=self.wait
        )
        entering.await_sessions(
            *(registry, self.leaves, tenant, entry["beside"], CLOCK), wait=self.wait
        )
        changes = self.leaves.changes()
        made = {f"handover-{tenant}": handover.handover(self.plan, registry, tenant)}
        written = {leaf: changes[leaf] for leaf in self.job["leaves"] if leaf in changes}
        self._report(written, made)
        outside = " and its sessions outside are Established" if self._has_sessions(tenant) else ""
        return f"its leaves have its routes{outside}"

    def _has_sessions(self, tenant: str) -> bool:
        return bool(self.registry.tenant(tenant).external_peers) and bool(
            self.job["enter"]["beside"]
        )

    def _leave(self) -> str:
        """What shows that a tenant has left storage arrays and borders."""
        tenant, names = self.job["tenant"], self.job["beside"]
        entering.leave(self.registry, self.leaves, tenant, names)
        return "its storage and its sessions outside are off the leaves of the converged fabric"

    def _then(self) -> Registry:
        """The registry as it is when the job's edits are in it."""
        made, job = self.registry, self.job
        if job["gone"]:
            made = made.with_nodes(schema.QUARANTINE, jobs.expand(self.plan, job["gone"]))
        extra = jobs.expand(self.plan, job["extra"])
        return made.with_nodes(job["tenant"], extra) if extra else made

    def _report(self, leaves: t.Any, more: Plain) -> None:
        """The report of the job, and `more` files of it."""
        job = self.job
        report = {"what": job["lines"], "leaves": leaves}
        name = f"tenant_{job['job']}-{job['tenant']}"
        reports.write(self.plan, self.stated, {**more, name: report})
