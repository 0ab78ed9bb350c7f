# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Advice on other counts that would serve as many nodes with fewer switches, where many cages stay empty."""

from __future__ import annotations

import typing as t

from ..description.description import MOST_SLOTS
from ..description.errors import Breach
from ..plan.addressing import suggest
from ..plan.topology import rules
from ..plan.topology.clos import count, usable_cages

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..description.description import Description
    from ..plan.fabric import Fabric

EMPTY = 1 / 3
"""The share of empty cages from which other counts are tried."""


def advice(fabric: Fabric) -> str:
    """One sentence with other counts and what they save; empty where few cages stay empty, or nothing is saved.

    SUs are put together, in twos, threes and so on, or rails share leaves: the same nodes, and fewer leaves that are
    fuller.
    """
    d = fabric.description
    now = sum(fabric.clos.switches().values())
    empty = _empty(fabric)
    if d.absent or d.addressing.profile in ("custom", "table") or empty < EMPTY:
        return ""
    found = [(_switches(made), words) for words, made in others(d)]
    least, best = min(found, key=lambda one: one[0], default=(now, ""))
    if least >= now:
        return ""
    saved = f"{best} saves {now - least} of {now} switches, for as many nodes"
    return f"{empty:.0%} of the cages stay empty: {saved}, as long as nothing is built: it renumbers what is there"


def others(d: Description) -> Iterator[tuple[str, Description]]:
    """Other counts for the same nodes, each with the keys that say so; some break a rule."""
    yield from _larger(d)
    yield from _shared(d)


def _empty(fabric: Fabric) -> float:
    """The share of cages that no planned port takes, over all switches."""
    counts = {role: number for role, number in fabric.clos.switches().items() if number}
    taken = sum(
        number * sum(block.cages for block in fabric.cabling.of_role(role).values())
        for role, number in counts.items()
    )
    cages, _gbps = usable_cages(fabric.description)
    return 1 - taken / (sum(counts.values()) * cages)


def _larger(d: Description) -> Iterator[tuple[str, Description]]:
    """Fewer, larger SUs."""
    now = d.capacity
    for times in range(2, now.sus_per_pod + 1):
        slots, sus = now.slots_per_su * times, now.sus_per_pod // times
        if now.sus_per_pod % times == 0 and slots <= MOST_SLOTS:
            size = {"slots_per_su": slots, "sus_per_pod": sus}
            made = d.model_copy(update={"capacity": now.model_copy(update=size)})
            yield f"capacity.slots_per_su {slots} with sus_per_pod {sus}", made


def _shared(d: Description) -> Iterator[tuple[str, Description]]:
    """More rails on a leaf."""
    if d.planes.mode == "by-rail" or d.wiring.mode == "top-of-rack":
        return
    for rails in range(d.wiring.rails_per_leaf + 1, d.rails + 1):
        if d.rails % rails == 0:
            wiring = d.wiring.model_copy(update={"rails_per_leaf": rails})
            yield f"wiring.rails_per_leaf {rails}", d.model_copy(update={"wiring": wiring})


def _switches(d: Description) -> float:
    """The switches of a description; infinity where it breaks a rule or its address profile."""
    clos = count(d)
    if isinstance(clos, Breach) or any(rules.after_counting(d, clos)):
        return float("inf")
    if suggest.suggest(d, clos)[d.addressing.profile]:
        return float("inf")
    return sum(clos.switches().values())
