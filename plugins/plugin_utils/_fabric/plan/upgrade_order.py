# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of an upgrade: batches of switches that boot together.

    order(fabric, names, vacant=..., proven=False)   [UpgradeBatch("interrupting", ["leaf-p1-su003-r1"], ...), ...]

A switch is interrupting where no other one in service does its work: the rails of its nodes stop. All interrupting
leaves of an SU are one batch, so that their nodes notice one window, and no batch has two SUs. The first batch is the
canary alone. Every other batch is one of `batches.of_switches`, or a part of one.
"""

from __future__ import annotations

import dataclasses
import itertools
import typing as t

from ..catalog.roles import ROLES
from ..description import places
from ..description.errors import FabricError
from . import batches, redundancy
from .topology.cabling import Switch

if t.TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from .fabric import Fabric

INTERRUPTING, DEGRADING, DRAINABLE = "interrupting", "degrading", "drainable"


@dataclasses.dataclass(frozen=True)
class UpgradeBatch:
    """Switches that boot together. `where` is the SU of interrupting leaves, in the words of spx_where."""

    klass: str
    switches: list[str]
    where: str = ""
    canary: bool = False


def class_of(fabric: Fabric, switch: Switch) -> str:
    """Return what the loss of a switch does: interrupting, degrading or drainable."""
    others = redundancy.of_switch(fabric, switch)
    if not fabric.resting:
        served = next(others, None) is not None
    else:
        served = any(fabric.name(other) not in fabric.resting for other in others)
    if served:
        return DEGRADING if ROLES[switch.role].vtep else DRAINABLE
    split = fabric.clos.planes > 1 and not fabric.clos.by_rail
    return DEGRADING if split and switch.role in ("spine", "super_spine") else INTERRUPTING


def order(
    fabric: Fabric,
    names: Iterable[str],
    *,
    vacant: Callable[[Switch], bool],
    proven: bool = False,
    canary: str = "",
    begun: Collection[str] = (),
) -> list[UpgradeBatch]:
    """Return the batches of switches that are due; those out of service are left out.

    `vacant` checks that nobody rents the nodes of a leaf's SU, or behind another switch. `proven` says that a leaf
    runs the new release already, so that no canary is needed. `begun` are switches that an earlier run left in the
    middle: they go first.
    """
    found = {fabric.device(name): name for name in names if name not in fabric.resting}
    due = {device: name for device, name in found.items() if isinstance(device, Switch)}
    work = _Work(fabric, dict(sorted(due.items())), frozenset(begun))
    first = work.canary(vacant, named=canary, proven=proven)
    return work.batches(first)


class _Work:
    """The switches that are due, by their names, and their classes."""

    def __init__(self, fabric: Fabric, due: dict[Switch, str], begun: frozenset[str]) -> None:
        self.fabric, self.due, self.begun = fabric, due, begun
        self.classes = {switch: class_of(fabric, switch) for switch in due}

    def canary(
        self, vacant: Callable[[Switch], bool], *, named: str, proven: bool
    ) -> Switch | None:
        """Return the first switch: the named one, a leaf that nobody rents, or one that interrupts nobody."""
        if named and (chosen := [switch for switch in self.due if self.due[switch] == named]):
            return chosen[0]
        if named and not proven:
            raise FabricError.of(
                f"variable spx_canary: {named} is not a switch that this run upgrades: name one of those, or leave "
                "it out."
            )
        if proven or not self.due:
            return None
        leaves = [switch for switch in self.due if switch.role == "leaf"] or list(self.due)
        stopped = [switch for switch in leaves if self.due[switch] in self.begun]
        if found := next((s for s in leaves if not stopped and vacant(s)), None):
            return found
        if stopped or INTERRUPTING not in self.classes.values():
            return next(iter(stopped or self.due))
        raise FabricError.of(
            "upgrade: somebody rents nodes of every SU with a switch to upgrade, so that no canary is where "
            "nobody notices: name the first switch with -e spx_canary=NAME, in a window of its tenants."
        )

    def batches(self, first: Switch | None) -> list[UpgradeBatch]:
        """Return all batches: those begun, the canary, the others of its SU, what others stand in for, SU by SU."""
        made: list[UpgradeBatch] = []
        if first is not None:
            klass = self.classes[first]
            made.append(UpgradeBatch(klass, [self.due[first]], self._where(first), canary=True))
        where = made[0].where if made else ""
        stopping = list(self._interrupting(first))
        made += [batch for batch in stopping if batch.where == where]
        made += self._ordinary(first)
        made += [batch for batch in stopping if batch.where != where]
        return sorted(made, key=lambda batch: self.begun.isdisjoint(batch.switches))

    def _where(self, switch: Switch) -> str:
        """Name the SU of a leaf, in the words of spx_where; another switch is a place of its own."""
        if switch.role != "leaf":
            return self.due[switch]
        su = switch.index // self.fabric.clos.leaves_per_su
        return places.text_of((switch.pod, su), pods=self.fabric.clos.pods)

    def _interrupting(self, first: Switch | None) -> Iterator[UpgradeBatch]:
        sus: dict[str, list[str]] = {}
        for switch, klass in self.classes.items():
            if klass == INTERRUPTING and switch != first:
                sus.setdefault(self._where(switch), []).append(self.due[switch])
        for where, names in sus.items():
            yield UpgradeBatch(INTERRUPTING, names, where)

    def _ordinary(self, first: Switch | None) -> Iterator[UpgradeBatch]:
        """Yield batches of what others stand in for: the first ones of a role alone, then by plane and tier."""
        names = [
            self.due[switch]
            for switch, klass in self.classes.items()
            if klass != INTERRUPTING and switch != first
        ]
        made = batches.of_switches(self.fabric, names, drained=self.begun.intersection(names))
        left = iter([*made["first"], *made["rest"]])
        for size in [*(1 for _one in made["first"]), *made["sizes"]]:
            chosen = list(itertools.islice(left, size))
            of = {self.classes[t.cast("Switch", self.fabric.device(name))] for name in chosen}
            yield UpgradeBatch(DEGRADING if DEGRADING in of else DRAINABLE, chosen)
