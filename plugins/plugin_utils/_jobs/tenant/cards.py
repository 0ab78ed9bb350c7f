# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the cards of a node whose wipe is confirmed, and keeps the verdict: evidence, or why there is none.

The node is the one that is asked, under whatever name. Nothing fails here: the end of the step stops each node that
lacks the evidence.
"""

from __future__ import annotations

import typing as t

from ..._fabric.description.errors import FabricError
from ..._fabric.render.host import cards
from ..host.form import in_form
from . import evidence
from .kinds import FAILURES

if t.TYPE_CHECKING:
    from collections.abc import Callable

    from ....module_utils._host.records import Nics
    from ..._fabric.render.host.desired import DesiredNode
    from ..run import Result
    from ..run_store import RunStore


def judge(store: RunStore, name: str, look: Callable[[], Result]) -> Result:
    """Keep the verdict on the cards of a node; `look` is a look at the host, which may be unreachable."""
    if name not in evidence.of(store, evidence.WIPED):
        return {"skipped": True, "msg": f"{name}: nothing confirms a wipe of it in this step."}
    said = _verdict(name, look)
    if said:
        failures = store.get(FAILURES)
        store.put(FAILURES, failures | {name: [said]})
    else:
        evidence.add(store, evidence.CARDS, by="read", node=name)
    return {"changed": False, "sentence": said}


def _verdict(name: str, look: Callable[[], Result]) -> str:
    try:
        seen = look()
        if seen.get("failed") or seen.get("unreachable") or seen.get("skipped"):
            return cards.unread(name, str(seen.get("msg") or "its module failed"))
        with in_form(name, "host"):
            return cards.verdict(
                t.cast("DesiredNode", seen["wanted"]), t.cast("Nics", seen["nics"])
            )
    except FabricError as exc:
        return cards.unread(name, str(exc))
