# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two or three designs for what is asked: each is a whole description that loads, with a reason to choose it.

    designs(Ask(gpus=2048))[0].fabric.clos.switches()  ->  {"leaf": 32, "spine": 16, "super_spine": 0}

The first has the fewest switches. The second has one rail on a leaf, where the first has more. The others have room for
two and four times the nodes: what is not built yet is listed in `absent`.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..description.errors import FabricError
from ..description.yaml_source import Source
from ..plan.fabric import Fabric
from . import request as asking
from . import search

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..description.description import Description
    from .request import Request

MOST = 3
"""Designs side by side."""
GROWTH = {2: "twice", 4: "four times"}
"""Room of the designs for growth, in words."""
MOST_GPUS = 10_000_000
"""Far above what any fabric holds: where the search for the nearest size begins."""


@dataclasses.dataclass(frozen=True)
class Design:
    """A proposal: the fabric on its first day, and why to choose it."""

    reason: str
    nodes: int
    gpus_per_node: int
    fabric: Fabric


def designs(ask: Request) -> list[Design]:
    """At most three designs, different from each other; FabricError with the nearest size where none fits."""
    ask = asking.checked(ask)
    base = asking.base(ask)
    made: dict[str, Design] = {}
    for reason, d in _chosen(ask, base):
        made.setdefault(_size(d), _design(ask, d, reason))
    if not made:
        raise FabricError.of(_too_many(ask, base))
    return list(made.values())[:MOST]


def chosen(ask: Request, number: int) -> Design:
    """The design of a number, from 1; FabricError where there are fewer."""
    made = designs(ask)
    if not 1 <= number <= len(made):
        raise FabricError.of(
            f"variable spx_design: {number} is not allowed: use 1 to {len(made)}, as playbook size numbers them."
        )
    return made[number - 1]


def _chosen(ask: Request, base: Description) -> Iterator[tuple[str, Description]]:
    """(reason, description) of each proposal, the same size several times."""
    first = search.best(base, ask.final, built=ask.nodes, order=search.fewest)
    if first is None:
        return
    shared = first.wiring.rails_per_leaf
    yield _fewest(shared), first
    alone = search.best(
        base, ask.final, built=ask.nodes, order=search.fewest, wanted=lambda form: _rails(form) == 1
    )
    if alone:
        yield "one rail on a leaf: a leaf that fails takes one NIC from a node", alone
    for times, words in GROWTH.items():
        room = search.best(
            base,
            times * ask.final,
            built=ask.nodes,
            order=search.first_day,
            wanted=lambda form: _rails(form) <= shared,
        )
        if room:
            yield f"room for {words} the nodes, which come without moving a cable", room


def _rails(form: search.Form) -> int:
    return form.clos.rails_per_leaf


def _fewest(shared: int) -> str:
    if shared == 1:
        return "the fewest switches"
    return f"the fewest switches: {shared} rails share a leaf, so a leaf that fails takes {shared} NICs from a node"


def _size(d: Description) -> str:
    return f"{d.tiers} {d.capacity!r} {d.wiring!r}"


def _design(ask: Request, d: Description, reason: str) -> Design:
    source = Source("fabric.yml", {}, {})
    whole = Fabric(d, source)
    places = search.absent(whole.clos, ask.nodes)
    fabric = Fabric(d.model_copy(update={"absent": places}), source) if places else whole
    return Design(reason, ask.nodes, ask.per_node, fabric)


def _too_many(ask: Request, base: Description) -> str:
    """Describe that nothing holds so many, with the nearest number that fits."""

    def fits(nodes: int) -> bool:
        found = search.best(base, nodes, built=nodes, order=search.fewest)
        return found is not None

    most = search.largest(fits, MOST_GPUS // ask.per_node) * ask.per_node
    name, asked = ("spx_final_gpus", ask.final_gpus) if ask.final_gpus else ("spx_gpus", ask.gpus)
    return f"variable {name}: {asked} GPUs do not fit three tiers of the {base.switches.model}: use {most} or fewer."
