# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters of ports before and after a measurement: of switches over NVUE, of NICs as hosts returned them. Private.

They separate what tests between nodes cannot: a cable from its NIC, one uplink from the others. Without them there are
more suspects, so that a switch that does not answer ends no measurement.
"""

from __future__ import annotations

import collections
import itertools
import typing as t

from ..._fabric.description.errors import FabricError
from ..._fabric.description.words import some
from ..._fabric.measure.judge import counters
from ..._fabric.measure.plan import jobs
from ..._fabric.measure.plan.records import CLIENT, ends
from ..._fabric.tenants.moves.leaf import LeafError
from . import state
from .records import PLAN

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ....module_utils._json import Doc
    from ..._fabric.measure.judge.schedule import StepResult
    from ..._fabric.measure.plan.records import PlannedMeasurement
    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.plan.topology.cabling import Node, Switch
    from ..._nvue.wire import operational
    from ..run import Result, Run
    from ..switch.leaves import Leaves, NvueLeaf

MOST_SPINES = 128
"""Spines that are read beside the leaves; where there are more, uplinks are seen from below alone (ours)."""

Rows = dict[str, dict[str, int]]
"""Counters by `device:port`."""


def read(run: Run) -> Result:
    """Read the switches that the nodes meet; before the first round what is kept is `before`, later `after`."""
    facts = run.store.get(PLAN)
    if not facts.acts:
        return {"changed": False}
    plan = run.fabric()
    found = state.kept(facts.file)
    rows, silent = of_switches(plan, run.leaves(plan), switches(plan, facts.nodes))
    kept = found["counters"]
    kept["after" if "before" in kept else "before"] = rows
    state.write(facts.file, found)
    return {"changed": False} | ({"warnings": [_unread(silent)]} if silent else {})


def switches(plan: Fabric, nodes: Sequence[str]) -> list[str]:
    """The leaves of some nodes, and the spines above them, that are in service."""
    ports = plan.cabling.nic_ports()
    found = [t.cast("Node", plan.known(name)) for name in nodes]
    leaves = sorted({plan.cabling.leaf_of(node, nic)[0] for nic in ports for node in found})
    pods = {leaf.pod for leaf in leaves}
    spines = [switch for switch in plan.switches(pods=pods) if switch.role == "spine"]
    chosen: list[Switch] = [*leaves, *(spines if len(spines) <= MOST_SPINES else ())]
    return [name for name in map(plan.name, chosen) if name not in plan.resting]


def of_switches(
    plan: Fabric,
    leaves: Leaves,
    names: Iterable[str],
    asked: Sequence[operational.Include] = counters.PARTS,
) -> tuple[Rows, list[str]]:
    """The counters of parts of the interfaces, and a sentence for each switch that did not report them."""

    def work(leaf: NvueLeaf) -> Rows | str:
        try:
            parts = [leaf.interfaces(part) for part in asked]
        except LeafError as exc:
            return str(exc)
        rows: Rows = collections.defaultdict(dict)
        for port, made in itertools.chain.from_iterable(map(_of_ports, parts)):
            rows[f"{leaf.name}:{port}"].update(made)
        return dict(rows)

    try:
        answers = leaves.each(names, work)
    except FabricError as exc:
        return {}, exc.sentences
    rows = [answer for answer in answers.values() if not isinstance(answer, str)]
    silent = [answer for answer in answers.values() if isinstance(answer, str)]
    return {port: made for row in rows for port, made in row.items()}, silent


def _of_ports(found: Mapping[str, Doc]) -> Iterator[tuple[str, dict[str, int]]]:
    for port, body in found.items():
        if made := counters.of_switch_port(body):
            yield port, made


def _unread(silent: Sequence[str]) -> str:
    said = " ".join(some(list(silent), 3))
    return f"Counters of switches are not read, so the list of slow parts may be too long: {said}"


def risen(plan: Fabric, found: state.State, done: Mapping[str, StepResult]) -> Rows:
    """Differences of the counters of switches and NICs during the measurements."""
    kept = found["counters"]
    made = counters.differences(kept.get("before", {}), kept.get("after", {}))
    return made | of_nics(plan, done)


def of_nics(plan: Fabric, done: Mapping[str, StepResult]) -> Rows:
    """The counters of NIC ports, added up over the measurements of pairs that each was in."""
    made: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for row in done.values():
        known = {one["id"]: one for one in row.asked if one["second"]}
        for measured in row.measured:
            if (one := known.get(measured["id"])) and measured["counters"]:
                made[_port(plan, one, measured["side"])].update(measured["counters"])
    return {place: dict(rows) for place, rows in made.items()}


def _port(plan: Fabric, one: PlannedMeasurement, side: str) -> str:
    """`worker-su01-rack01-h01:rail1p1`, the port of one side."""
    name, rail, plane = ends(one)[side != CLIENT]
    return f"{name}:{jobs.nic(plan, name, rail, plane)['port']}"
