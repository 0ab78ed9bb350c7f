# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a tenant's playbook: its steps, hooks, edits of the registry, and the lines that announce it.

    plan(fabric, registry, leaves, Order("move", "globex", nodes=nodes))

A plan is plain data, which the steps of the playbook read:

    job, tenant   what was asked
    lines         what is said before anything is touched
    acts          whether devices and registry may be changed: not in check mode, not without the role in `manage`
    planned       the steps of the move, also where none is taken
    steps         the steps to take, in order: those of a move, `enter` and `leave`
    nodes         the rows of nodes that move (see `move_plan.py`)
    enter         {nodes, ending, others}: who enters the tenant, by leaf which VRFs may be empty behind them, and the
                  leaves of the converged fabric
    others        the leaves of the other networks that a tenant leaves which is offboarded
    extra, gone   nodes that the tenant has, or has no more, beside the registry's file
    hooks         those that the site has, by step: [{name, node, from, to, prefixes, managed, bmc, serial, macs}]
    hosts         the nodes of hooks to which playbooks may log in: each is proven to be that node before the first hook
    cards         the nodes whose cards are read, by step
    site_hooks    the hooks that the site has of its own
    edits         edits of the registry, by name: options of the module `tenant`
    leaves        the leaves that the job touches
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...description._third_party import yaml
from ...description.errors import FabricError
from ...description.words import count
from .. import schema, wiping
from ..attachments import leaves_of
from ..steps import STEPS
from . import entering, jobs, move_plan
from .move_plan import Conditions

if t.TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Node, Switch
    from ..registry import Registry
    from .leaf import Applied, Leaves

Data = dict[str, t.Any]
JOBS = ("onboard", "resize", "offboard", "move")
ROLE = "switch_tenants"
LEAVE = "leave"
"""The step in which a tenant that is offboarded leaves storage arrays and borders, after its nodes."""


@dataclasses.dataclass(frozen=True)
class Order(Conditions):
    """What a playbook is to do; `approved`: only the changes of a file may be made, `check`: nothing may be changed."""

    job: str
    tenant: str
    nodes: Collection[Node] = ()
    approved: bool = False
    check: bool = False


def plan(fabric: Fabric, registry: Registry, leaves: Leaves, order: Order) -> Data:
    """The plan of a job, with all that forbids it as FabricError."""
    _used(order)
    acts = ROLE in fabric.description.manage and not order.check
    base: Data = {
        "job": order.job,
        "tenant": order.tenant,
        "acts": acts,
        "site_hooks": list(order.hooks),
        **_nothing(),
    }
    planner = _Planner(fabric, registry, leaves, order, acts)
    made = _PLANS[order.job](planner)
    lines = [*made.pop("lines"), *_disturbed(made, order), *planner.needs]
    if ROLE not in fabric.description.manage and not order.check:
        lines.append(
            f"manage of the description does not list {ROLE}: no node is moved, and no registry edited."
        )
    return {**base, **made, "hosts": _hosts(made.get("hooks", {})), "lines": lines}


def _hosts(hooks: Mapping[str, Sequence[Data]]) -> list[str]:
    """The nodes of hooks to which playbooks may log in."""
    rows = [row for of_step in hooks.values() for row in of_step]
    return sorted({str(row["node"]) for row in rows if row["managed"]})


def _nothing() -> Data:
    """What a plan has of moves, entries and edits where there are none."""
    rows: Data = {"steps": [], "nodes": {}, "enter": {}, "extra": [], "gone": [], "others": []}
    return {**rows, "hooks": {}, "cards": {}, "edits": {}}


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
    read: dict[str, Applied] = dataclasses.field(default_factory=dict)
    needs: list[str] = dataclasses.field(default_factory=list)

    def documents(self, names: Iterable[str]) -> dict[str, Applied]:
        """What some leaves have applied; each is read once."""
        asked = list(names)
        new = [name for name in asked if name not in self.read]
        self.read.update(self.leaves.each(new, lambda leaf: leaf.applied()))
        return {name: self.read[name] for name in asked}

    def alone(self, nodes: Collection[Node], leaves: Iterable[str]) -> None:
        """FabricError where leaves have others than the tenant's nodes and `nodes` in its VRF."""
        found = [
            sentence
            for name, applied in self.documents(leaves).items()
            for sentence in entering.strangers(
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

    def move(self, to: str, nodes: Collection[Node], from_: str | None = None) -> Data:
        """The plan of moving nodes: {steps, nodes, hooks, edits: {begin}, ...}; empty without nodes."""
        order, fabric = self.order, self.fabric
        if not nodes:
            return {**_nothing(), "lines": [], "ended": {}}
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
        begin = {
            "moves": {name: row["record"] for name, row in rows.items()},
            "moves_at": {name: row["found"] for name, row in rows.items()},
            "moves_of": made["runs"],
        }
        return {
            **made,
            "planned": made["steps"],
            "steps": steps,
            "hooks": {step: _hooks(step, rows, order) for step in steps if STEPS[step].hooks},
            "cards": {"wipe": [name for name, row in rows.items() if row["cards"] == wiping.READ]},
            "edits": {"begin": begin} if steps else {},
        }

    def enter(self, registry: Registry, job: jobs.Job) -> Data:
        """{nodes, ending} of nodes that may enter; adds to the lines which other nodes wait."""
        if not (nodes := job.enter):
            return {}
        found = self.documents([*job.enters, *job.others])
        documents = {name: applied.document for name, applied in found.items()}
        entering.may_enter(registry, self.order.tenant, nodes, documents)
        self.alone(nodes, found)
        ending = {}
        for name in job.enters:
            leaf, document = t.cast("Switch", self.fabric.device(name)), documents[name]
            job.lines.extend(entering.waiting(registry, leaf, nodes, document))
            ending[name] = entering.left(registry, leaf, nodes, document)
        names = [self.fabric.name(node) for node in nodes]
        return {"nodes": names, "ending": ending, "others": list(job.others)}

    def left(self, names: Iterable[str]) -> Data:
        """What is known of nodes that leave the tenant in this job."""
        row = {"since": self.order.today, "had": self.order.tenant, "passed": []}
        return dict.fromkeys(names, row)


def _move(planner: _Planner) -> Data:
    order = planner.order
    move_plan.goal(planner.registry, order.tenant)
    made = planner.move(order.tenant, order.nodes)
    rows = made["nodes"]
    records = {name: row["record"] for name, row in rows.items()}
    planner.must_be_recorded(
        needed=bool(rows) and not made["recorded"],
        how=f", or write and commit moving: {_flow(records)}",
    )
    if made["steps"]:
        house = order.tenant in (schema.REST, schema.QUARANTINE)
        known = {name: {"since": order.today, **row["health"]} for name, row in rows.items()}
        made["edits"]["end"] = {
            "slug": order.tenant,
            "add_nodes": list(rows),
            "take": True,
            "health": known if house else _none(rows),
            **_ended(rows, made),
        } | ({"acceptance": order.acceptance} if order.acceptance else {})
    return made


def _onboard(planner: _Planner) -> Data:
    order = planner.order
    return _enter_and_leave(
        planner, jobs.onboarding(planner.registry, order.tenant, extra=order.nodes)
    )


def _resize(planner: _Planner) -> Data:
    job = jobs.resizing(planner.registry, planner.order.tenant, planner.order.nodes)
    planner.must_be_recorded(needed=bool(job.add or job.remove))
    return _enter_and_leave(planner, job)


def _enter_and_leave(planner: _Planner, job: jobs.Job) -> Data:
    order, then = planner.order, planner.registry
    if job.add or job.remove:
        then = then.with_nodes(schema.QUARANTINE, job.remove).with_nodes(order.tenant, job.add)
    add, remove = ([planner.fabric.name(n) for n in nodes] for nodes in (job.add, job.remove))
    enter = planner.enter(then, job)
    made = planner.move(schema.QUARANTINE, job.remove, from_=order.tenant)
    if (add or remove) and (planner.acts or order.check):
        made["edits"]["nodes"] = {
            "slug": order.tenant,
            "add_nodes": add,
            "remove_nodes": remove,
            "health": {**_none(add), **planner.left(remove)},
            **(_ended(remove, made) if planner.acts and remove else {}),
        }
    return {
        **made,
        "lines": [*job.lines, *made["lines"]],
        "steps": [*made["steps"], *(["enter"] if enter else [])],
        "enter": enter,
        "extra": add,
        "gone": remove,
        "leaves": job.leaves,
    }


def _offboard(planner: _Planner) -> Data:
    slug = planner.order.tenant
    job = jobs.offboarding(planner.registry, slug)
    if job is None:
        return {"lines": [f"{slug} has left already"], "leaves": []}
    planner.must_be_recorded(needed=True)
    made = planner.move(schema.QUARANTINE, job.remove, from_=slug)
    planner.alone(job.remove, job.leaves)
    if job.others and planner.acts:
        made["steps"] = [*made["steps"], LEAVE]
    if planner.acts:
        names = [planner.fabric.name(node) for node in job.remove]
        made["edits"]["end"] = {
            "slug": slug,
            "state": "absent",
            "remove_nodes": names,
            "health": planner.left(names),
            **_ended(names, made),
        }
    lines = [*job.lines, *made["lines"]]
    return {**made, "lines": lines, "leaves": job.leaves, "others": list(job.others)}


def _flow(records: Data) -> str:
    """Records as one line of YAML."""
    made = yaml.safe_dump(records, default_flow_style=True, sort_keys=False, width=float("inf"))
    return str(made).strip()


def _none(names: Iterable[str]) -> Data:
    """No record by name: what an edit removes."""
    return {name: {} for name in names}


def _ended(names: Iterable[str], made: Mapping[str, t.Any]) -> Data:
    """The edit that removes the records of moves which are over."""
    return {"moves": _none(names), "moves_at": made["ended"], "moves_of": made.get("runs", {})}


_PLANS: dict[str, Callable[[_Planner], Data]] = {
    "onboard": _onboard,
    "resize": _resize,
    "offboard": _offboard,
    "move": _move,
}


def _hooks(step: str, rows: Mapping[str, t.Any], order: Order) -> list[Data]:
    """The hooks of a step that the site has, in order, for each of its nodes."""
    which = "old_prefixes" if step in ("drain", "wipe") else "new_prefixes"
    return [
        {
            "name": hook,
            "node": node,
            "from": row["record"]["from"],
            "to": row["record"]["to"],
            "prefixes": row[which],
            "managed": row["managed"],
            "bmc": row["bmc"],
            "serial": row["serial"],
            "macs": row["macs"],
        }
        for hook in STEPS[step].hooks
        if hook in order.hooks
        for node, row in rows.items()
        if step in row["steps"]
    ]


def hook_lines(needed: Sequence[str], known: Collection[str]) -> list[str]:
    """Which of the needed hooks the site has, and which it lacks."""
    has = [hook for hook in needed if hook in known]
    lacks = [hook for hook in needed if hook not in known]
    made = [f"hooks of the site: {', '.join(has)}"] if has else []
    if lacks:
        made.append(f"hooks that the site lacks: {', '.join(lacks)}; nothing is done there")
    return made


def _disturbed(made: Mapping[str, t.Any], order: Order) -> list[str]:
    """The hooks of the steps, and what the job disturbs."""
    if not (planned := made.get("planned")):
        return []
    leaves = count(made["leaves"], "leaf", "leaves")
    hooks = [hook for step in planned for hook in STEPS[step].hooks]
    return [
        *(f"  {line}" for line in hook_lines(hooks, order.hooks)),
        f"  disturbed: the ports of {count(made['nodes'], 'node')} on {leaves}, and nobody else",
    ]
