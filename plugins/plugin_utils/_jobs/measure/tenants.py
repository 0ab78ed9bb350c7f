# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two tenants of level noise on the leaves: nodes enter before its rounds, and come back after them. Private.

Who is in them is written to the state's file before a leaf is changed, so that the run after a killed one brings them
back. It asks the leaves too, as that file may be gone.
"""

from __future__ import annotations

import typing as t

from ..._fabric.description.errors import FabricError
from ..._fabric.measure.judge import schedule
from ..._fabric.measure.plan import noise_tenants
from ..._fabric.plan.topology.cabling import EAST_WEST
from ..._fabric.tenants.attachments import leaves_of
from ..._fabric.tenants.registry import Registry
from ..switch.leaves import CLOCK
from . import state
from .records import PLAN, ROUNDS

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.plan.topology.cabling import Node
    from ..run import Result, Run
    from ..switch.leaves import Leaves
    from .records import Measurement


def enter(run: Run, tenants: str | None) -> Result:
    """Bring nodes into the tenants where the next rounds are those of level noise, and back where they are not."""
    facts = run.store.get(PLAN)
    if not facts.acts:
        return {"changed": False}
    plan = run.fabric()
    found = state.kept(facts.file)
    coming = {found["rounds"][key]["level"] for key in run.store.get(ROUNDS)}
    if schedule.NOISE not in coming:
        return leave(run, tenants) if found["scratch"] else {"changed": False}
    if found["scratch"]:
        return {"changed": False}
    leaves = run.leaves(plan)
    found["scratch"] = schedule.tenants(plan, facts.nodes)
    state.write(facts.file, found)
    wait, registry = facts.wait, Registry.load(plan, tenants)
    return _done(
        leaves, lambda: noise_tenants.enter(registry, leaves, found["scratch"], CLOCK, wait)
    )


def leave(run: Run, tenants: str | None) -> Result:
    """Bring back every node that is in such a tenant.

    Where the state's file has none, leaves that do not answer are passed over.
    """
    facts = run.store.get(PLAN)
    if not facts.acts:
        return {"changed": False}
    plan = run.fabric()
    found = state.kept(facts.file)
    leaves, registry = run.leaves(plan), Registry.load(plan, tenants)
    try:
        left = noise_tenants.stranded(registry, leaves, _asked(plan, facts, found))
    except FabricError:
        if found["scratch"]:
            raise
        return {"changed": False}
    made = _done(leaves, lambda: noise_tenants.leave(registry, leaves, left)) if left else {}
    if not made.get("failed"):
        found["scratch"] = {}
        state.write(facts.file, found)
    return {"changed": False, **made}


def _asked(plan: Fabric, facts: Measurement, found: state.State) -> list[str]:
    """The leaves of the nodes of this run, and of those that an earlier one left in such tenants."""
    before = [name for names in found["scratch"].values() for name in names]
    nodes: Iterable[Node] = [t.cast("Node", plan.known(n)) for n in {*facts.nodes, *before}]
    return leaves_of(plan, nodes, (EAST_WEST,))


def _done(leaves: Leaves, work: t.Callable[[], None]) -> Result:
    """Return the result of the leaves; the task fails with the refusal of one of them."""
    try:
        work()
    except FabricError as exc:
        return {**leaves.result(), "failed": True, "msg": str(exc)}
    return leaves.result()
