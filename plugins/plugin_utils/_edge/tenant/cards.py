# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the cards of a node whose wipe is confirmed, and keeps the verdict: evidence, or why there is none.

The task is delegated to the node, so that the node is the one that it asks, under whatever name. Nothing fails here:
the end of the step stops each node that lacks the evidence.
"""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleConnectionFailure

from ..._fabric.description.errors import FabricError
from ..._fabric.render.host import cards
from ..._fabric.tenants.registry import Registry
from ..host_look import Looker
from ..project import fabric
from ..run_store import store
from ..wrappers import in_form
from . import evidence

if t.TYPE_CHECKING:
    from ..action import Action, Plain


def run(task: Action, args: Plain, stated: Plain) -> Plain:
    """Keep the verdict on the cards of the node that the task asks."""
    name = str(task._task.delegate_to or stated["inventory_hostname"])
    if name not in evidence.of(evidence.WIPED):
        return {"skipped": True, "msg": f"{name}: nothing confirms a wipe of it in this step."}
    said = _verdict(task, args, stated, name)
    if said:
        store.put("failures", {**store.get("failures"), name: [said]})
    else:
        evidence.add(evidence.CARDS, by="read", node=name)
    return {"changed": False, "sentence": said}


def _verdict(task: Action, args: Plain, stated: Plain, name: str) -> str:
    plan = fabric(args["description"], stated)
    registry = Registry.load(plan, args["tenants"])
    try:
        seen = Looker(task, stated, plan, registry, name).look()
        if seen.get("failed") or seen.get("unreachable") or seen.get("skipped"):
            return cards.unread(name, str(seen.get("msg") or "its module failed"))
        with in_form(name, "host"):
            return cards.verdict(seen["wanted"], seen["nics"])
    except AnsibleConnectionFailure as exc:
        return cards.unread(name, str(exc))
    except FabricError as exc:
        return cards.unread(name, str(exc))
