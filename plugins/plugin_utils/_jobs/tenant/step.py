# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One step of a planned job, on all of its leaves at once."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._fabric.description.errors import FabricError
from ..._fabric.tenants import files, handover, schema, wipe
from ..._fabric.tenants.evidence import HookAtWork, StepDone
from ..._fabric.tenants.hooks import CONFIRMS
from ..._fabric.tenants.moves import entry as tenant_entry
from ..._fabric.tenants.moves import jobs
from ..._fabric.tenants.moves.move_run import Mover, where
from ..._fabric.tenants.moves.procedure import LEAVE
from ..._fabric.tenants.moves.records import Job
from ..._fabric.tenants.registry import FILE, Registry
from ..._fabric.tenants.steps import STEPS
from .. import clock, records, summary
from ..switch.leaves import CLOCK
from . import edit, evidence, kinds, reports
from .edit import COMMIT
from .kinds import FAILURES, JOB, REGISTRY

if t.TYPE_CHECKING:
    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.tenants.moves.records import Note
    from ..run import Result, Run
    from ..run_store import RunStore
    from ..switch.leaves import Leaves


class RecordWriter:
    """Writes the records of moves, where the registry may be written."""

    def __init__(self, plan: Fabric, job: Job) -> None:
        self._plan, self._of = plan, job.runs
        self._path = plan.beside(FILE)
        self._written = bool(job.written)

    def note(self, records: t.Mapping[str, Note], at: t.Mapping[str, str]) -> None:
        """Write records by node; FabricError where the file has a node at another step than `at` says."""
        if self._written:
            of = {node: self._of.get(node, "") for node in records}
            made = edit.moved(
                {node: dict(row) for node, row in records.items()}, at, of, edit.this_run()
            )
            files.change_file(self._plan, self._path, made)


@dataclasses.dataclass(frozen=True)
class DueStep:
    """A step of the job, or a part of one: its begin, a hook that begins, ran or stopped, its end.

    `hook` is {name, node}, `failure` the result with which it stopped.
    """

    step: str
    part: str = "whole"
    hook: t.Mapping[str, t.Any] = dataclasses.field(default_factory=dict)
    failure: t.Mapping[str, t.Any] = dataclasses.field(default_factory=dict)


def take(run: Run, due: DueStep) -> Result:
    """Take the step; what became of each leaf is in `devices`."""
    step, part, store = due.step, due.part, run.store
    if not (job := store.get(JOB)):
        raise FabricError.of(
            f"step {step}: no job is planned: run the whole playbook; tenants.yml shows the step of a move."
        )
    if step in (*STEPS, "enter", LEAVE) and step not in job.steps:
        return {"skipped": True, "msg": f"the plan has no step {step}."}
    if part == "hook":
        names = [field.name for field in dataclasses.fields(HookAtWork)]
        hook = {name: due.hook[name] for name in names if due.hook.get(name) is not None}
        evidence.begin(store, records.typed(HookAtWork, {**hook, "step": step}, kinds.HOOK.name))
        return {"changed": False}
    if part == "ran":
        evidence.end(store)
        return {"changed": False}
    if part == "stopped":
        evidence.end(store)
        return _stopped(store, job, due)
    done = store.get(kinds.STEPS)
    if step == "end":
        _end(store, job, [one.step for one in done], check=run.check)
        return {"changed": False}
    plan = run.fabric()
    turn = _Turn(run, plan, job, due, run.leaves(plan))
    try:
        proof = turn.take()
    except FabricError as exc:
        said = FabricError([*exc.sentences, *_uncommitted(store, job, step)])
        return {**turn.leaves.result(), "failed": True, "msg": str(said)}
    made = turn.leaves.result()
    if part == "begin":
        store.put(FAILURES, {})
    if proof is None:
        return made
    if any(hook in CONFIRMS for hook in (STEPS[step].hooks if step in STEPS else ())):
        attested = wipe.attested(records.plain(job), evidence.every(store))
        store.put(JOB, records.typed(Job, attested, JOB.name))
    done = [*done, StepDone(step, clock.stamp(), proof)]
    store.put(kinds.STEPS, done)
    turn.report(done)
    return {**made, "proof": proof}


def _stopped(store: RunStore, job: Job, due: DueStep) -> Result:
    """Fail as a hook has failed, and say where its node is; who fails a test is kept for the end of the step."""
    step, hook = due.step, due.hook
    why = summary.reason(due.failure).rstrip(".")
    if step == "end":
        raise FabricError.of(f"NOT COMMITTED: the hook {COMMIT} failed: {why}. {_how(job)}")
    node = hook["node"]
    if step == "accept":
        said = {node: [f"{node} did not pass the hook {hook['name']}: {why}."]}
        failures = store.get(FAILURES)
        store.put(FAILURES, failures | said)
        return {"changed": False}
    raise FabricError.whole(
        [
            f"hook {hook['name']} of {node}: {why}. {where(step, node, job.nodes[node]['record'])} "
            "Correct the hook, and run this playbook again; it continues at this step.",
            *_uncommitted(store, job, step),
        ]
    )


def _uncommitted(store: RunStore, job: Job, step: str) -> list[str]:
    """Warn that the registry is edited where a step fails; only its state before the first step may be committed."""
    registry = store.get(REGISTRY)
    if step in STEPS and job.written:
        if registry.committed and step == job.steps[0]:
            return []
        return [
            "NOT COMMITTED: tenants.yml has the record of the move: run this playbook again, or commit the file by "
            "hand."
        ]
    return _edited(job, registry.uncommitted) if registry.uncommitted else []


def _edited(job: Job, difference: str) -> list[str]:
    """Say that the run edited the registry, what to do, and what it edited, a line each."""
    return [f"NOT COMMITTED: the run edited tenants.yml. {_how(job)}", *difference.splitlines()]


def _end(store: RunStore, job: Job, done: t.Collection[str], *, check: bool) -> None:
    """FabricError where a step of the plan was not taken, or where the registry is not committed."""
    missing = [step for step in job.steps if step not in done]
    if missing:
        step = missing[0]
        left = (
            f"localhost left the play at step {step}, as after end_host or end_play in a hook: this step "
            "does not count; remove that from the hook, and run again."
        )
        at = {n: row["record"] for n, row in job.nodes.items() if step in row["steps"]}
        held = [where(step, n, record) for n, record in at.items() if STEPS[step].hooks]
        raise FabricError.whole([left, *held, *_uncommitted(store, job, step)])
    by_hook = job.written and not check and COMMIT in job.site_hooks
    registry = store.get(REGISTRY)
    if registry.uncommitted:
        raise FabricError.whole(_edited(job, registry.uncommitted))
    if by_hook and not registry.committed:
        raise FabricError.of(
            f"NOT COMMITTED: the hook {COMMIT} does not confirm that it is. {_how(job)}"
        )


def _how(job: Job) -> str:
    """Describe the way to commit the registry."""
    if job.written:
        return f"Commit tenants.yml by hand, or correct the hook {COMMIT}, which every run calls again."
    return "Edit and commit tenants.yml by hand, or run again with -e spx_registry_write=true."


class _Turn:
    """One step of one run."""

    def __init__(self, run: Run, plan: Fabric, job: Job, due: DueStep, leaves: Leaves) -> None:
        self.run, self.plan, self.job, self.due, self.leaves = run, plan, job, due, leaves
        self.registry = Registry.load(plan)
        self.wait = float(job.wait)

    def take(self) -> str | None:
        """Return the proof of the step; None where it proves nothing yet."""
        step, part, check = self.due.step, self.due.part, self.run.check
        if step == "enter":
            return self._enter(check=check)
        if step == LEAVE:
            return self._leave()
        if step == "report":
            if self.job.acts and not check:
                self._report(self.job.leaves, {})
            return None
        book = RecordWriter(self.plan, self.job)
        rows = self.job.nodes
        mover = Mover(*(self.plan, self.registry, self.leaves, book, rows, CLOCK), wait=self.wait)
        if part != "end":
            mover.begin(step)
        if part == "begin":
            return None
        if not STEPS[step].hooks:
            return mover.carry_out(step)
        what = next((CONFIRMS[hook] for hook in STEPS[step].hooks if hook in CONFIRMS), "")
        store = self.run.store
        failures, read = store.get(FAILURES), evidence.of(store, evidence.CARDS)
        return mover.end(step, failures, self.job.site_hooks, evidence.of(store, what), read)

    def report(self, done: list[StepDone]) -> None:
        """The report of each node that moves, as far as it came."""
        made: dict[str, Result] = {}
        last = done[-1].step
        for node, row in self.job.nodes.items():
            if last in row["steps"]:
                made[f"tenant_move-{node}"] = {
                    "what": self.job.lines,
                    "node": node,
                    "record": row["records"][last],
                    "had": row["had"],
                    "wipe": row["wipe"],
                    "networks": row["networks"],
                    "steps": [records.plain(one) for one in done if one.step in row["steps"]],
                    "asked": self.job.watched,
                    "evidence": [
                        records.plain(one)
                        for one in evidence.every(self.run.store)
                        if one.node == node
                    ],
                }
        reports.write(self.run, self.plan, made)

    def _enter(self, *, check: bool) -> str:
        """Prove that the nodes have entered; or report that nothing was awaited where nothing may be written."""
        tenant, entry = self.job.tenant, self.job.enter
        if entry is None:
            raise FabricError.of(f"step enter: no node enters {tenant}: run the whole playbook.")
        nodes = jobs.expand(self.plan, entry.nodes)
        if self.job.acts:
            jobs.unchanged(self.registry, tenant, nodes, listed=self.job.written)
        registry = self._then()
        tenant_entry.enter(
            *(registry, self.leaves, nodes, entry.ending),
            others=entry.others,
            tenants=[tenant],
        )
        if check or not self.job.acts:
            return "nothing was written, so no route is awaited"
        tenant_entry.await_routes(
            *(registry, self.leaves, tenant, entry.ending, CLOCK), wait=self.wait
        )
        tenant_entry.await_sessions(
            *(registry, self.leaves, tenant, entry.others, CLOCK), wait=self.wait
        )
        changes = self.leaves.changes()
        made: dict[str, Result] = {
            f"handover-{tenant}": handover.handover(self.plan, registry, tenant)
        }
        written = {leaf: changes[leaf] for leaf in self.job.leaves if leaf in changes}
        self._report(written, made)
        outside = " and its sessions outside are Established" if self._has_sessions(tenant) else ""
        return f"its leaves have its routes{outside}"

    def _has_sessions(self, tenant: str) -> bool:
        entry = self.job.enter
        peers = self.registry.tenant(tenant).external_peers
        return bool(peers and entry and entry.others)

    def _leave(self) -> str:
        """Prove that a tenant has left storage arrays and borders."""
        tenant, names = self.job.tenant, self.job.others
        tenant_entry.leave(self.registry, self.leaves, tenant, names)
        return "its storage and its sessions outside are off the leaves of the converged fabric"

    def _then(self) -> Registry:
        """The registry as it is when the job's edits are in it."""
        made, job = self.registry, self.job
        if job.gone:
            made = made.with_nodes(schema.QUARANTINE, jobs.expand(self.plan, job.gone))
        extra = jobs.expand(self.plan, job.extra)
        return made.with_nodes(job.tenant, extra) if extra else made

    def _report(self, leaves: object, more: dict[str, Result]) -> None:
        """The report of the job, and `more` files of it."""
        job = self.job
        report = {"what": job.lines, "leaves": leaves}
        name = f"tenant_{job.job}-{job.tenant}"
        reports.write(self.run, self.plan, {**more, name: report})
