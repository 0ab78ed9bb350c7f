# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Effects of a larger capacity: the next larger description, compared as `plan` compares.

The first and the last device of each kind are compared for all: cables and addresses follow from coordinates by one
formula, so what changes anywhere changes at one of them.
"""

from __future__ import annotations

import collections
import itertools
import typing as t

from ..description.errors import Breach
from ..description.yaml_source import Source
from ..plan.addressing import suggest
from ..plan.fabric import Fabric
from ..plan.topology import rules
from ..plan.topology.cabling import UP, Cabling, Port
from ..plan.topology.clos import count
from ..report import earlier_plan, plan_difference
from ..report.report import pools

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plan.topology.cabling import Device, Node, Switch
    from ..plan.topology.clos import Clos

KINDS = {"link": "cables", "address": "addresses", "asn": "ASNs", "name": "names"}
"""Words for the kinds of a comparison."""


class Growth(t.NamedTuple):
    """A larger capacity: what it adds, what of the built equipment changes, and why it is not possible."""

    step: str
    moves: list[str]
    refused: str


def raised(fabric: Fabric) -> Growth:
    """Return the changes to built equipment by one SU more (in three tiers: one pod more)."""
    d = fabric.description
    key, step = ("pods", "one pod") if d.tiers == 3 else ("sus_per_pod", "one SU")
    size = {key: getattr(d.capacity, key) + 1}
    more = d.model_copy(update={"capacity": d.capacity.model_copy(update=size)})
    clos = count(more)
    breach = clos if isinstance(clos, Breach) else next(rules.after_counting(more, clos), None)
    if breach or isinstance(clos, Breach):
        return Growth(step, [], breach.sentence if breach else "")
    reasons = suggest.suggest(more, clos)[d.addressing.profile]
    if reasons:
        return Growth(step, [], reasons[0])
    new = Fabric(more, Source("fabric.yml", {}, {}))
    return Growth(step, _moves(fabric, new), "")


class FirstDay(t.NamedTuple):
    """A capacity of the first day alone: its spines in a plane and pod, and cables of theirs that would move later."""

    spines: int
    moved: int
    cables: int


def smaller(fabric: Fabric, nodes: int) -> FirstDay | None:
    """Return what a start with the capacity of the first nodes would mean; None where it has as many spines."""
    d, clos = fabric.description, fabric.clos
    sus = -(-nodes // clos.slots)
    size = {"pods": -(-sus // clos.sus)} if d.tiers == 3 else {"sus_per_pod": sus}
    capacity = d.capacity.model_copy(update=size)
    less = d.model_copy(update={"capacity": capacity, "absent": []})
    small = count(less)
    if isinstance(small, Breach) or any(rules.after_counting(less, small)):
        return None
    if _top(small) == _top(clos):
        return None
    was, now = Cabling(small), Cabling(clos)
    ends = [
        (switch, Port(UP, index))
        for switch in was.switches()
        if UP in was.blocks(switch)
        for index in range(was.blocks(switch)[UP].count)
    ]
    moved = sum(_cable(was, *end) != _cable(now, *end) for end in ends)
    return FirstDay(_top(small), moved, len(ends))


def _top(clos: Clos) -> int:
    return clos.members * clos.groups if clos.tiers == 3 else clos.spines


def _cable(cabling: Cabling, switch: Switch, port: Port) -> object:
    """Both ends of a cable by their interfaces; None where there is none."""
    block = cabling.blocks(switch)[UP]
    if port.index >= block.count:
        return None
    far, at = t.cast("tuple[Switch, Port]", cabling.peer(switch, port))
    return block.name(port.index), far, cabling.blocks(far)[at.kind].name(at.index)


def _moves(old: Fabric, new: Fabric) -> list[str]:
    """List the changes at the sample, in words."""
    was = earlier_plan.EarlierPlan(
        lambda: (earlier_plan.of_fabric(old, device) for device in _sample(old)),
        old.device,
        pools(old),
    )
    rows = itertools.takewhile(lambda row: not _comes(row), plan_difference.against(was, new))
    found = {row["what"] for row in rows if plan_difference.renumbers(row)}
    return [words for what, words in KINDS.items() if what in found]


def _comes(row: plan_difference.Row) -> bool:
    """Check whether a row is a device that the old plan lacks: those come last."""
    return row["what"] == "device" and row["before"] is None


def _sample(fabric: Fabric) -> list[Device]:
    """The first and the last built device of each kind, and all leaves of the SUs of those nodes."""
    nodes = list(fabric.nodes(pods=[0], sus=[0]))
    last = _last(fabric.nodes())
    made: list[Device] = [nodes[0], nodes[-1], last]
    for pod, su in ((0, 0), (last.pod, last.su)):
        made += fabric.switches(pods=[pod], sus=[su])
    for role in ("spine", "super_spine"):
        found = [switch for switch in fabric.switches() if switch.role == role]
        made += [found[0], found[-1]] if found else []
    return list(dict.fromkeys(made))


def _last(nodes: Iterator[Node]) -> Node:
    return collections.deque(nodes, maxlen=1)[0]
