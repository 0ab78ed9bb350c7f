# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches of an upgrade: permission to begin one, its nodes to drain, and the batches that are left. Private."""

from __future__ import annotations

import typing as t

from ..._fabric.catalog import upgrades
from ..._fabric.description.errors import FabricError
from ..._fabric.plan.upgrade_order import INTERRUPTING
from ..._fabric.tenants.registry import Registry
from ..hooks import site_hooks
from ..kinds import hook_folders
from ..records import plain
from ..switch.maintenance import RemainingSwitches
from ..switch.windows import Windows
from .plan import DRAIN, Judge
from .records import PLAN, STATE

if t.TYPE_CHECKING:
    from ..._fabric.plan.upgrade_order import UpgradeBatch
    from ..run import Result, Run
    from ..run_store import RunStore

_AGAIN = "Nothing of this batch was touched; run again when it is"


def of_switch(store: RunStore, name: str) -> UpgradeBatch:
    """Return the batch of a switch; FabricError where the run has planned none."""
    for batch in store.get(PLAN).batches:
        if name in batch.switches:
            return batch
    raise FabricError.of(f"upgrade: {name} is in no batch of this run: run the whole playbook.")


def ready(run: Run, first: str, hosts: t.Container[str], window: str | None) -> Result:
    """See once more that a batch may begin, and return the nodes to drain for it.

    Interrupting switches need a window, or that nobody rents; others need switches that take over.
    """
    plan, batch = run.fabric(), of_switch(run.store, first)
    registry = Registry.load(plan)
    states = {name: run.store.get(STATE, of=name) for name in batch.switches}
    drains = bool(site_hooks(hook_folders(run.store), [DRAIN]))
    agreed = Windows(plan, registry, window, seconds=upgrades.seconds("gap"))
    judge = Judge(plan, registry, states, agreed, drains=drains)
    if why := judge.lacking(batch):
        raise FabricError.of(f"upgrade: {', '.join(batch.switches)}: {why}.")
    fresh = [name for name in batch.switches if not states[name].begun]
    if batch.klass != INTERRUPTING and fresh:
        others = RemainingSwitches(plan, run.leaves(plan), hosts, batch.switches, forks=run.forks)
        others.must_take_over(lambda name: _AGAIN if name in fresh else "")
    return {"switches": batch.switches, "nodes": [plain(one) for one in judge.to_drain(batch)]}


def left(store: RunStore) -> None:
    """FabricError with the batches that could not begin in this run."""
    if deferred := store.get(PLAN).deferred:
        raise FabricError(deferred)
