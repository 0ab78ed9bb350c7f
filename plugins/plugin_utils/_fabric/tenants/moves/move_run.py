# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries out the steps of planned moves, one step for all nodes that have it.

    mover = Mover(fabric, registry, leaves, book, rows, clock)
    mover.begin("shut")           the record of the registry, before anything is done
    mover.carry_out("shut")       the proof, as words; FabricError where the move stops

Each step ends on all leaves before the next begins. Within a step the ports of the converged fabric are shut before
those of the east-west fabric change, and opened after them: wherever a step fails, the node has no storage and no
way out that its east-west ports do not have. A step that fails leaves the nodes where they are; a node
that fails `accept` or `verify` goes back into quarantine, from where its move goes on with the wipe.

Routed links are in the lists of a tenant's sessions outside. The old tenant's lose them when the ports are in
quarantine; the new tenant's get them before the ports join.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...description.errors import FabricError
from ...plan.topology.cabling import EAST_WEST
from .. import schema, wipe
from ..observed_ports import seen
from ..steps import STEPS, slug_of
from . import gates, move
from .leaf import Job, LeafError
from .move_plan import changed
from .records import NodeMove, Note, Watch

if t.TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Node
    from ..observed_ports import ObservedPort
    from ..registry import Registry
    from ..steps import Step
    from .leaf import AppliedConfiguration, Clock, Leaf, Leaves, MoveRecords

Rows = t.Mapping[str, NodeMove]
"""The moves of nodes."""
Objections = dict[str, list[str]]
"""Sentences by node that may not go on."""


@dataclasses.dataclass
class Mover:
    """The moves of some nodes while they are carried out. `wait` is how long a gate is waited for, in seconds."""

    fabric: Fabric
    registry: Registry
    leaves: Leaves
    book: MoveRecords
    rows: Rows
    clock: Clock
    wait: float = 120.0

    def begin(self, name: str) -> None:
        """Record the step in the registry, and see that nobody else has moved the nodes on meanwhile."""
        rows = self.of(name)
        self.book.note(
            {node: row["records"][name] for node, row in rows.items()},
            {node: row["after"][name] for node, row in rows.items()},
        )
        if STEPS[name].writes or STEPS[name].hooks:
            self._stop_where_taken_on(name, rows)

    def carry_out(self, name: str) -> str:
        """Do what a step without hooks does; its proof, as words."""
        step, rows = STEPS[name], self.of(name)
        if step.writes:
            self._write(step, rows)
            return step.proof
        return {"withdraw": self._withdraw, "verify": self._verify}[name](rows)

    def end(
        self,
        name: str,
        failed: Mapping[str, Sequence[str]],
        site_hooks: Collection[str],
        confirmed: Collection[str] = (),
        read: Collection[str] = (),
    ) -> str:
        """End a step with hooks; its proof. Nodes that the test found unfit (`failed`) go back into quarantine.

        `confirmed` are the nodes of which the hook wipe or acceptance gave evidence, `read` those whose cards are as
        wanted, `failed` says why others are not; no other node goes on.
        """
        hooks, rows = STEPS[name].hooks, self.of(name)
        ran = [hook for hook in hooks if hook in site_hooks]
        silent = [node for node in rows if node not in confirmed]
        if "acceptance" in ran:
            self.back(name, {node: [_untested(node)] for node in silent} | dict(failed))
        if "wipe" in ran:
            _stop([f"{wipe.unconfirmed(n)} {where(name, n, rows[n]['record'])}" for n in silent])
            unfit = [n for n, row in rows.items() if row["cards"] == wipe.READ and n not in read]
            _stop(
                [
                    f"{' '.join(failed.get(n) or [wipe.unread(n)])} {where(name, n, rows[n]['record'])}"
                    for n in unfit
                ]
            )
        absent = [hook for hook in hooks if hook not in ran and hook != "wipe"]
        otherwise = rows.values() if "wipe" in hooks and "wipe" not in ran else ()
        shown = [text for text in dict.fromkeys(row["wipe"] for row in otherwise) if text]
        cards = dict.fromkeys(row["cards"] for row in rows.values()) if "wipe" in ran else ()
        return "; ".join(
            [
                *([f"hooks passed: {', '.join(ran)}"] if ran else []),
                *(wipe.cards(how) for how in cards),
                *([", ".join(map(wipe.phrase, shown))] if shown else []),
                *([f"no hook: {', '.join(absent)}"] if absent else []),
            ]
        )

    def of(self, name: str) -> Rows:
        """The nodes that have a step."""
        return {node: row for node, row in self.rows.items() if name in row["steps"]}

    # Steps that write

    def _write(self, step: Step, rows: Rows) -> None:
        records = {node: row["records"][step.name] for node, row in rows.items()}
        leaves, others = _leaves_of(rows), _others(rows)
        if not step.through:
            order = (leaves, others) if step.place[1] else (others, leaves)
            for group in order:
                self._bring(group, rows, records, step.out_of)
            if step.place == (schema.QUARANTINE, False):
                self._bring_outside("from", rows, records)
            return
        # Two runs of one node have no other place to meet: who has the first leaf, by name, has the node.
        passing = {node: {**record, "step": step.through} for node, record in records.items()}
        for group in (others, leaves):
            self._bring(group, rows, passing, (schema.REST, *step.out_of))
        self._bring_outside("to", rows, records)
        first = {min(at.leaf for at in changed(row, EAST_WEST)) for row in rows.values()}
        for group in (sorted(first), [leaf for leaf in leaves if leaf not in first], others):
            self._bring(group, rows, records, step.out_of)

    def _bring(
        self,
        leaves: Sequence[str],
        rows: Rows,
        records: Mapping[str, Note],
        out_of: Iterable[str],
    ) -> None:
        """One transaction on each leaf, and the proof that the ports are where the step puts them."""
        if not leaves:
            return
        moves = {
            self._node(n): schema.MovingRecord.model_validate(dict(r)) for n, r in records.items()
        }
        registry = self.registry.with_moves(moves)
        job = Job(
            nodes=list(moves),
            leaving=list(moves),
            ending=sorted({row["old_vrf"] for row in rows.values()}),
            only={node: self._only(record, out_of) for node, record in moves.items()},
        )

        def work(leaf: Leaf) -> list[str]:
            leaf.bring(registry, job)
            applied, made = leaf.applied(), list[str]()
            for node, record in moves.items():
                found = _seen(registry, rows[self.fabric.name(node)], leaf.name, applied)
                made += move.misplaced(registry, node, record, found)
            return made

        self._stop_where(leaves, work)

    def _bring_outside(self, whose: str, rows: Rows, records: Mapping[str, Note]) -> None:
        """Bring the sessions outside of the tenants that the nodes leave (`from`) or join (`to`) to their links."""
        moves = {
            self._node(n): schema.MovingRecord.model_validate(dict(r)) for n, r in records.items()
        }
        registry, tenants = self.registry.with_moves(moves), dict[str, set[str]]()
        for row in rows.values():
            slug = str(row["record"][whose])
            for leaf in row["outside"].get(slug, ()):
                tenants.setdefault(leaf, set()).add(slug)

        def work(leaf: Leaf) -> None:
            leaf.bring(registry, Job(nodes=(), tenants=sorted(tenants[leaf.name])))

        if tenants:
            self.leaves.each(sorted(tenants), work)

    def _only(self, record: schema.MovingRecord, out_of: Iterable[str]) -> list[str]:
        """The VRFs out of which a step takes a port; quarantine gathers whatever there is of a node."""
        if record.to == schema.QUARANTINE:
            return []
        whose = tuple(out_of) or ("from", "to", schema.QUARANTINE, schema.REST)
        return sorted({self.registry.owner(slug_of(slug, record)).vrf for slug in whose})

    def _stop_where_taken_on(self, step: str, rows: Rows) -> None:
        def work(leaf: Leaf) -> list[str]:
            applied, made = leaf.applied(), list[str]()
            for name, row in rows.items():
                record = schema.MovingRecord.model_validate(dict(row["records"][step]))
                found = _seen(self.registry, row, leaf.name, applied)
                made += move.taken_on(
                    *(self.registry, self._node(name), record, found),
                    step=step,
                    way=row["steps"],
                    before=row["seen"],
                )
            return made

        self._stop_where({at.leaf for row in rows.values() for at in changed(row)}, work)

    def _stop_where(self, leaves: Iterable[str], work: Callable[[Leaf], list[str]]) -> None:
        """FabricError with all that `work` finds on leaves."""
        found = self.leaves.each(sorted(leaves), work).values()
        _stop([text for said in found for text in said])

    # Steps that wait and prove

    def _withdraw(self, rows: Rows) -> str:
        said, notes = self._gate("old_watched", rows, gates.WithdrawalGate)
        _stop([text for texts in said.values() for text in texts])
        return STEPS["withdraw"].proof + _not_asked(notes)

    def _in_place(self, name: str, rows: Rows) -> None:
        """FabricError where a port of the converged fabric is not where a step has its node."""

        def work(leaf: Leaf) -> list[str]:
            applied, made = leaf.applied(), list[str]()
            for node, row in rows.items():
                record = schema.MovingRecord.model_validate(dict(row["records"][name]))
                found = _seen(self.registry, row, leaf.name, applied)
                made += move.misplaced(self.registry, self._node(node), record, found)
            return made

        self._stop_where(_others(rows), work)

    def _verify(self, rows: Rows) -> str:
        self._in_place("verify", rows)
        notes = list[gates.Note]()
        proofs: dict[Watch, type[gates.Gate]] = {
            "new_watched": gates.ArrivalGate,
            "old_watched": gates.WithdrawalGate,
            "met": gates.NeighbourGate,
        }
        for which, gate in proofs.items():
            said, more = self._gate(which, rows, gate)
            notes += more
            self.back("verify", said)
        return gates.verified(rows, notes) + _not_asked(notes)

    def _gate(
        self, which: Watch, rows: Rows, gate: type[gates.Gate]
    ) -> tuple[Objections, list[gates.Note]]:
        """Wait until leaves have no objections, or `wait` is over; a leaf that does not answer objects to all nodes."""
        leaves = sorted({leaf for row in rows.values() for leaf in row[which]})

        def work(leaf: Leaf) -> tuple[Objections, gates.Note]:
            asked: gates.Gate | None = None

            def look() -> Objections:
                nonlocal asked
                try:
                    asked = asked or gate(self.fabric, self.registry, rows, leaf)
                    return asked.objections()
                except LeafError as exc:
                    return {node: [str(exc)] for node in rows}

            said = self.clock.wait(self.wait, look)
            return said, asked.note if asked else gates.Note()

        made: Objections = {}
        answers = self.leaves.each(leaves, work).values()
        for said, _note in answers:
            for node, texts in said.items():
                made.setdefault(node, []).extend(texts)
        return made, [note for _said, note in answers]

    def back(self, name: str, said: Mapping[str, Sequence[str]]) -> None:
        """Put the nodes that failed a proof back into quarantine, and stop; without any, nothing."""
        failed = {node: row for node, row in self.of(name).items() if said.get(node)}
        if not failed:
            return
        records = {node: row["back"] for node, row in failed.items()}
        rows: dict[str, NodeMove] = {
            node: {**row, "old_vrf": row["new_vrf"]} for node, row in failed.items()
        }
        texts = list(dict.fromkeys(text for node in failed for text in said[node]))
        self.book.note(records, dict.fromkeys(failed, name))
        try:
            for group in (_others(rows), _leaves_of(rows)):
                self._bring(group, rows, records, ())
            self._bring_outside("to", rows, records)
        except FabricError as exc:
            held = f"{', '.join(failed)} is not back in quarantine on each leaf: run tenant_move again."
            raise FabricError([*texts, *exc.sentences, held]) from exc
        back = f"{', '.join(failed)} went back into quarantine: correct that, and run tenant_move again."
        raise FabricError([*texts, back])

    def _node(self, name: str) -> Node:
        return t.cast("Node", self.fabric.device(name))


def _leaves_of(rows: Rows) -> list[str]:
    """The leaves of the nodes, and of their acceptance groups, whose lists let through who is in the group."""
    leaves = {at.leaf for row in rows.values() for at in changed(row, EAST_WEST)}
    return sorted(leaves.union(*(row["group_leaves"] for row in rows.values())))


def _others(rows: Rows) -> list[str]:
    """The leaves of the other networks that the nodes meet: shut first, and opened last."""
    return sorted({at.leaf for row in rows.values() for at in changed(row, *schema.OTHERS)})


def _seen(
    registry: Registry, row: NodeMove, leaf: str, applied: AppliedConfiguration
) -> list[ObservedPort]:
    here = [at for at in changed(row) if at.leaf == leaf]
    return seen(registry, {leaf: applied.document}, here)


def _not_asked(notes: Iterable[gates.Note]) -> str:
    leaves = sorted({note.no_fib for note in notes if note.no_fib})
    said = "; forwarding table not read, as their releases do not report it: "
    return said + ", ".join(leaves) if leaves else ""


def _untested(node: str) -> str:
    """Explain why a hook that ended without an error is no test: its tasks may have been skipped."""
    return (
        f"{node}: the hook acceptance ended without a confirmation (do: confirm, what: accepted), so it counts "
        "as not run: let the hook confirm where the node has passed its test."
    )


def where(step: str, node: str, record: Note) -> str:
    """Describe the place of a node's ports when its move stops at a hook."""
    vrf, up = STEPS[step].place
    return (
        f"The move of {node} from {record['from']} to {record['to']} stopped at step {step}: its ports are in "
        f"{record.get(vrf, vrf)} and {'up' if up else 'down'}."
    )


def _stop(sentences: Sequence[str]) -> None:
    if sentences:
        raise FabricError(list(sentences))
