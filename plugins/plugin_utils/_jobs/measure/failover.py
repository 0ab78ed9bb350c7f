# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports are shut under a job of level failover, and given back by the switch. Private."""

from __future__ import annotations

import time
import typing as t

from ..._fabric.description.errors import FabricError
from ..._fabric.measure.plan import failover
from . import state
from .plan import level_of
from .records import PLAN, ROUND

if t.TYPE_CHECKING:
    from ..run import Result, Run


def shut(run: Run) -> Result:
    """Shut what the round at hand is about, and note when; why it was not shut is what its tests say then."""
    facts, current = run.store.get(PLAN), run.store.get(ROUND)
    what = current.shut
    if not facts.acts or not what or not current.hosts:
        return {"changed": False}
    plan = run.fabric()
    leaves = run.leaves(plan)
    told = level_of(facts, failover.LEVEL).parameters
    time.sleep(told["before"])
    run.show([f"  {what.name} is shut for {told['shut']} s"])
    ports, down = what.ports, told["shut"]
    record: failover.ShutTimes
    try:
        spans = leaves.each(ports, lambda switch: switch.shut(ports[switch.name], seconds=down))
    except FabricError as exc:
        record = {"sentence": f"{what.name} was not shut: {exc}"}
    else:
        record = failover.together(what.name, spans.values())
        time.sleep(told["back"] + told["after"])
    row = state.round_of(facts.file, current.key)
    state.keep(facts.file, current.key, {**row, "shut": record})
    return {"changed": "sentence" not in record}
