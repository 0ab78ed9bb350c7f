# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a tenant's playbook: its steps, hooks, edits of the registry, and the lines that announce it.

plan(fabric, registry, leaves, Order("move", "globex", nodes=nodes))
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...description._third_party import yaml
from ...description.errors import FabricError
from ...description.words import count
from .. import schema, wipe
from ..attachments import leaves_of
from ..steps import STEPS
from . import entry, jobs, move_plan
from .move_plan import Conditions
from .records import Entry, HookCall, Job, RegistryEdit

if t.TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Node, Switch
    from ..registry import Registry
    from .leaf import AppliedConfiguration, Leaves
    from .records import NodeMove, Note

JOBS = ("onboard", "resize", "offboard", "move")
ROLE = "switch_tenants"
LEAVE = "leave"
"""The step in which a tenant that is offboarded leaves storage arrays and borders, after its nodes."""


@dataclasses.dataclass(frozen=True)
class Order(Conditions):
    """Order of a playbook; `approved`: only the changes of a file may be made, `check`: nothing may be changed."""

    job: str
    tenant: str
    nodes: Collection[Node] = ()
    approved: bool = False
    check: bool = False


def plan(fabric: Fabric, registry: Registry, leaves: Leaves, order: Order) -> Job:
    """Return the plan of a job; FabricError with all that forbids it."""
    _used(order)
    acts = ROLE in fabric.description.manage and not order.check
    planner = _Planner(fabric, registry, leaves, order, acts)
    made = _PLANS[order.job](planner)
    lines = [*made.lines, *_disturbed(made, order), *planner.needs]
    if ROLE not in fabric.description.manage and not order.check:
        lines.append(
            f"manage of the description does not list {ROLE}: no node is moved, and no registry edited."
        )
    return dataclasses.replace(made, hosts=_hosts(made.hooks), lines=lines)


def _hosts(hooks: Mapping[str, Sequence[HookCall]]) -> list[str]:
    """The nodes of hooks to which playbooks may log in."""
    calls = [call for of_step in hooks.values() for call in of_step]
    return sorted({call.node for call in calls if call.managed})


def _used(order: Order) -> None:
    """FabricError for what is asked of a job and would be passed over."""
    if order.acceptance and order.job != "move":
        raise FabricError.of(
            f"variable spx_acceptance: tenant_{order.job} brings no node to rest: leave it out, or run tenant_move."
        )
    if order.nodes and order.job == "offboard":
        raise FabricError.of(
            f"variable spx_nodes: tenant_offboard takes back all nodes of {order.tenant}: leave it out, or give these "
            "nodes back with tenant_move -e spx_tenant=quarantine."
        )


@dataclasses.dataclass(frozen=True)
class _Planner:
    fabric: Fabric
    registry: Registry
    leaves: Leaves
    order: Order
    acts: bool
    read: dict[str, AppliedConfiguration] = dataclasses.field(default_factory=dict)
    needs: list[str] = dataclasses.field(default_factory=list)

    def documents(self, names: Iterable[str]) -> dict[str, AppliedConfiguration]:
        """Read the applied documents of some leaves; each is read once."""
        asked = list(names)
        new = [name for name in asked if name not in self.read]
        self.read.update(self.leaves.each(new, lambda leaf: leaf.applied()))
        return {name: self.read[name] for name in asked}

    def alone(self, nodes: Collection[Node], leaves: Iterable[str]) -> None:
        """FabricError where leaves have others than the tenant's nodes and `nodes` in its VRF."""
        found = [
            sentence
            for name, applied in self.documents(leaves).items()
            for sentence in entry.strangers(
                self.registry,
                self.order.tenant,
                t.cast("Switch", self.fabric.device(name)),
                nodes,
                applied.document,
            )
        ]
        if found:
            raise FabricError(found)

    def must_be_recorded(self, *, needed: bool, how: str = "") -> None:
        """FabricError where a move would have no memory; a check notes what the run needs."""
        manages = ROLE in self.fabric.description.manage
        if needed and manages and not self.order.written:
            said = (
                "variable spx_registry_write: a move needs its record in the registry: add -e "
                f"spx_registry_write=true{how}."
            )
            if not self.order.check:
                raise FabricError.of(said)
            self.needs.append(said)

    @property
    def job(self) -> Job:
        """A job without moves, entries and edits."""
        order = self.order
        return Job(order.job, order.tenant, acts=self.acts, site_hooks=list(order.hooks))

    def move(
        self, to: str, nodes: Collection[Node], from_: str | None = None
    ) -> tuple[Job, move_plan.MovePlan | None]:
        """Return the job that moves nodes, and the plan of the move; None without nodes."""
        order, fabric = self.order, self.fabric
        if not nodes:
            return self.job, None
        if order.approved:
            raise FabricError.of(
                "variable spx_approved: a move changes each leaf several times, and a file holds one change of each: "
                "leave it out."
            )
        documents = self.documents(leaves_of(fabric, nodes))
        run = {each.name: getattr(order, each.name) for each in dataclasses.fields(Conditions)}
        applied = {name: found.document for name, found in documents.items()}
        asked = move_plan.Order(to, applied, from_, **run)
        made = move_plan.plan(fabric, self.registry, nodes, asked)
        # Each leaf that a later step asks is in the inventory, with credentials.
        self.leaves.each(made["watched"], lambda _leaf: None)
        rows = made["nodes"]
        steps = made["steps"] if self.acts else []
        begin = RegistryEdit(
            moves={name: row["record"] for name, row in rows.items()},
            moves_at={name: row["found"] for name, row in rows.items()},
            moves_of=made["runs"],
        )
        job = dataclasses.replace(
            self.job,
            lines=made["lines"],
            planned=made["steps"],
            steps=steps,
            nodes=rows,
            hooks={step: _hooks(step, rows, order) for step in steps if STEPS[step].hooks},
            cards={"wipe": [name for name, row in rows.items() if row["cards"] == wipe.READ]},
            edits={"begin": begin} if steps else {},
            leaves=made["leaves"],
            watched=made["watched"],
            runs=made["runs"],
        )
        return job, made

    def enter(self, registry: Registry, job: jobs.Job) -> Entry | None:
        """Return who may enter; adds to the lines which other nodes wait."""
        if not (nodes := job.enter):
            return None
        found = self.documents([*job.enters, *job.others])
        documents = {name: applied.document for name, applied in found.items()}
        entry.may_enter(registry, self.order.tenant, nodes, documents)
        self.alone(nodes, found)
        entered = {name: documents[name] for name in job.enters}
        job.lines.extend(entry.waiting(registry, nodes, entered))
        ending = {
            name: entry.left(registry, t.cast("Switch", self.fabric.device(name)), nodes, document)
            for name, document in entered.items()
        }
        names = [self.fabric.name(node) for node in nodes]
        return Entry(names, ending, list(job.others))

    def left(self, names: Iterable[str]) -> dict[str, Note]:
        """Return the records of nodes that leave the tenant in this job."""
        row: Note = {"since": self.order.today, "had": self.order.tenant, "passed": []}
        return dict.fromkeys(names, row)


def _move(planner: _Planner) -> Job:
    order = planner.order
    move_plan.goal(planner.registry, order.tenant)
    job, made = planner.move(order.tenant, order.nodes)
    rows = job.nodes
    records = {name: row["record"] for name, row in rows.items()}
    planner.must_be_recorded(
        needed=bool(rows) and made is not None and not made["recorded"],
        how=f", or write and commit moving: {_flow(records)}",
    )
    if not job.steps or made is None:
        return job
    house = order.tenant in (schema.REST, schema.QUARANTINE)
    known = {name: {"since": order.today, **row["health"]} for name, row in rows.items()}
    end = RegistryEdit(
        slug=order.tenant,
        add_nodes=list(rows),
        take=True,
        health=known if house else _none(rows),
        acceptance=order.acceptance or None,
        **_ended(rows, made),
    )
    return dataclasses.replace(job, edits={**job.edits, "end": end})


def _onboard(planner: _Planner) -> Job:
    order = planner.order
    return _enter_and_leave(
        planner, jobs.onboarding(planner.registry, order.tenant, extra=order.nodes)
    )


def _resize(planner: _Planner) -> Job:
    job = jobs.resizing(planner.registry, planner.order.tenant, planner.order.nodes)
    planner.must_be_recorded(needed=bool(job.add or job.remove))
    return _enter_and_leave(planner, job)


def _enter_and_leave(planner: _Planner, asked: jobs.Job) -> Job:
    order, then = planner.order, planner.registry
    if asked.add or asked.remove:
        then = then.with_nodes(schema.QUARANTINE, asked.remove).with_nodes(order.tenant, asked.add)
    add, remove = ([planner.fabric.name(n) for n in nodes] for nodes in (asked.add, asked.remove))
    enter = planner.enter(then, asked)
    job, made = planner.move(schema.QUARANTINE, asked.remove, from_=order.tenant)
    edits = dict(job.edits)
    if (add or remove) and (planner.acts or order.check):
        edits["nodes"] = RegistryEdit(
            slug=order.tenant,
            add_nodes=add,
            remove_nodes=remove,
            health={**_none(add), **planner.left(remove)},
            **(_ended(remove, made) if planner.acts else _ended([], None)),
        )
    return dataclasses.replace(
        job,
        edits=edits,
        lines=[*asked.lines, *job.lines],
        steps=[*job.steps, *(["enter"] if enter else [])],
        enter=enter,
        extra=add,
        gone=remove,
        leaves=asked.leaves,
    )


def _offboard(planner: _Planner) -> Job:
    slug = planner.order.tenant
    asked = jobs.offboarding(planner.registry, slug)
    if asked is None:
        return dataclasses.replace(planner.job, lines=[f"{slug} has left already"])
    planner.must_be_recorded(needed=True)
    job, made = planner.move(schema.QUARANTINE, asked.remove, from_=slug)
    planner.alone(asked.remove, asked.leaves)
    steps, edits = job.steps, dict(job.edits)
    if asked.others and planner.acts:
        steps = [*steps, LEAVE]
    if planner.acts:
        names = [planner.fabric.name(node) for node in asked.remove]
        edits["end"] = RegistryEdit(
            slug=slug,
            state="absent",
            remove_nodes=names,
            health=planner.left(names),
            **_ended(names, made),
        )
    lines = [*asked.lines, *job.lines]
    others, leaves = list(asked.others), asked.leaves
    return dataclasses.replace(
        job, steps=steps, edits=edits, lines=lines, leaves=leaves, others=others
    )


def _flow(records: Mapping[str, Note]) -> str:
    """Records as one line of YAML."""
    made = yaml.safe_dump(records, default_flow_style=True, sort_keys=False, width=float("inf"))
    return str(made).strip()


def _none(names: Iterable[str]) -> dict[str, Note]:
    """No record by name: what an edit removes."""
    return {name: {} for name in names}


class _EndedJob(t.TypedDict):
    moves: dict[str, Note]
    moves_at: dict[str, str]
    moves_of: dict[str, str]


def _ended(names: Iterable[str], made: move_plan.MovePlan | None) -> _EndedJob:
    """The part of an edit that removes the records of moves which are over."""
    at, of = (made["ended"], made["runs"]) if made else ({}, {})
    return {"moves": _none(names), "moves_at": at, "moves_of": of}


_PLANS: dict[str, Callable[[_Planner], Job]] = {
    "onboard": _onboard,
    "resize": _resize,
    "offboard": _offboard,
    "move": _move,
}


def _hooks(step: str, rows: Mapping[str, NodeMove], order: Order) -> list[HookCall]:
    """The hooks of a step that the site has, in order, for each of its nodes."""
    old = step in ("drain", "wipe")
    return [
        HookCall(
            name=hook,
            node=node,
            from_=str(row["record"]["from"]),
            to=str(row["record"]["to"]),
            prefixes=row["old_prefixes"] if old else row["new_prefixes"],
            managed=row["managed"],
            bmc=row["bmc"],
            serial=row["serial"],
            macs=row["macs"],
        )
        for hook in STEPS[step].hooks
        if hook in order.hooks
        for node, row in rows.items()
        if step in row["steps"]
    ]


def hook_lines(needed: Sequence[str], known: Collection[str]) -> list[str]:
    """List the required hooks that the site has, and those that it lacks."""
    has = [hook for hook in needed if hook in known]
    lacks = [hook for hook in needed if hook not in known]
    made = [f"hooks of the site: {', '.join(has)}"] if has else []
    if lacks:
        made.append(f"missing hooks (skipped): {', '.join(lacks)}")
    return made


def _disturbed(made: Job, order: Order) -> list[str]:
    """The hooks of the steps, and what the job disturbs."""
    if not (planned := made.planned):
        return []
    leaves = count(made.leaves, "leaf", "leaves")
    hooks = [hook for step in planned for hook in STEPS[step].hooks]
    return [
        *(f"  {line}" for line in hook_lines(hooks, order.hooks)),
        f"  disturbed: the ports of {count(made.nodes, 'node')} on {leaves}, and no others",
    ]
