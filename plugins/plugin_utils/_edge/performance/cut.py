# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports are shut under a job of level failover, and given back by the switch. Private."""

from __future__ import annotations

import time
import typing as t

from ..._fabric.description.errors import FabricError
from ..._fabric.measure.plan import failover
from ..output import show
from ..project import fabric
from ..switch import leaves as nvue_leaves
from . import host, state
from .plan import level_of
from .rounds import planned

if t.TYPE_CHECKING:
    from ..action import Action, Plain


def run(task: Action, args: Plain, stated: Plain) -> Plain:
    """Shut what the round at hand is about, and note when; why it was not shut is what its tests say then."""
    facts, current = planned(), host.of_round()
    what = current.get("shut")
    if not facts["acts"] or not what or not current["hosts"]:
        return {"changed": False}
    plan = fabric(args["description"], stated)
    leaves = nvue_leaves(plan, task, stated)
    told = level_of(facts, failover.LEVEL).parameters
    time.sleep(told["before"])
    show([f"  {what['name']} is shut for {told['shut']} s"])
    ports, down = what["ports"], told["shut"]
    shut: failover.Shut
    try:
        spans = leaves.each(ports, lambda switch: switch.shut(ports[switch.name], seconds=down))
    except FabricError as exc:
        shut = {"sentence": f"{what['name']} was not shut: {exc}"}
    else:
        shut = failover.together(what["name"], spans.values())
        time.sleep(told["back"] + told["after"])
    row = state.round_of(facts["file"], current["key"])
    state.keep(facts["file"], current["key"], {**row, "shut": shut})
    return {"changed": "sentence" not in shut}
