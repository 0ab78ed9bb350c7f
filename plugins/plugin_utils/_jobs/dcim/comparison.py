# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between a part of a fabric and the DCIM: one stream of changes, in the order of kinds. Private.

Every kind is read, also in a run that writes, so that nothing is taken for granted.
"""

from __future__ import annotations

import functools
import typing as t

from ..._fabric.export.dcim.difference import (
    Conflict,
    Create,
    Stale,
    Update,
    difference,
    slug_taken,
)
from ..._fabric.export.dcim.part import WHOLE, place_of
from ..._fabric.export.dcim.plan_things import of_kind
from ..._fabric.export.dcim.things import KINDS, SHARED, Ref
from .job import WaitingCable, name_of
from .scope import scope

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..._dcim.port import Index
    from ..._fabric.export.dcim.difference import Change
    from ..._fabric.export.dcim.part import Part
    from ..._fabric.export.dcim.things import DcimObject, Thing, Value
    from .job import Job, PlannedChange


NAMED = SHARED | {"tenant"}
"""Kinds that a DCIM may keep apart by slugs; there are few of each."""


def look(job: Job, part: Part, index: Index) -> Iterator[PlannedChange]:
    """The changes of a part; the index then knows the ids of all that is there."""
    context = job.context(part)
    asked, rules = scope(context), job.truth.rules(job.rules)
    inside = functools.partial(part.holds, job.fabric)
    made: set[Ref] = set()

    def matched(thing: Thing, found: DcimObject) -> None:
        index.add(thing.kind, thing.key, found.id)

    for kind in (each for each in KINDS if each in job.dcim.kinds):
        wanted = (job.dcim.fit(job.truth.of(thing)) for thing in of_kind(kind, context))
        found = job.dcim.read(kind, asked, index)
        changes = difference(
            wanted, found, rules, inside=inside, location=context.location, matched=matched
        )
        changes = changes if part.whole else _unwanted(job, kind, changes)
        for change in _slugs_free(job, kind, changes, index) if kind in NAMED else changes:
            if isinstance(change, Create):
                made.add(Ref(kind, change.thing.key))
            seen = _said(job, part, change, made, index)
            if seen is not None:
                yield seen


def _slugs_free(job: Job, kind: str, changes: Iterator[Change], index: Index) -> Iterator[Change]:
    """The changes, with a conflict in place of a new thing whose slug the DCIM has under another name."""
    several = list(changes)
    new = [change.thing for change in several if isinstance(change, Create)]
    holders = job.dcim.slug_holders(kind, new, index) if new else {}
    for change in several:
        holder = holders.get(change.thing.key) if isinstance(change, Create) else None
        yield slug_taken(change, holder) if isinstance(change, Create) and holder else change


def _unwanted(job: Job, kind: str, changes: Iterator[Change]) -> Iterator[Change]:
    """The changes, without what only another part wants: a rack or an AS number belongs to no pod by its key."""
    stale: dict[str, Stale] = {}
    for change in changes:
        if isinstance(change, Stale):
            stale[change.found.key] = change
        else:
            yield change
    if stale:
        for thing in of_kind(kind, job.context(WHOLE)):
            stale.pop(thing.key, None)
    yield from stale.values()


def _made(job: Job, part: Part, end: Ref) -> bool:
    """Check whether an earlier part of this run creates the end of a new cable, before the cable is written."""
    earlier = job.parts[: job.parts.index(part)]
    return any(other.holds(job.fabric, end.key) for other in earlier)


def _said(
    job: Job, part: Part, change: Change, made: set[Ref], index: Index
) -> PlannedChange | None:
    """A change as a run counts it; None where it is none."""
    if not isinstance(change, Stale) and change.thing.kind == "cable":
        ends = references(change.thing.values.get("ends", ()))
        new = isinstance(change, Create)
        known = (end in made or index.id_of(end) or (new and _made(job, part, end)) for end in ends)
        if not all(known):
            return WaitingCable(change.thing)
    return job.truth.left(change) if isinstance(change, Update) else change


def references(value: Value) -> Iterator[Ref]:
    """The things that a value refers to."""
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from references(each)


class Tally:
    """Counts and first names of a run's changes by kind and class, and every conflict.

    What belongs to no pod is wanted with every part, and counted once.
    """

    SOME = 3
    """Names of a kind that a person reads."""

    def __init__(
        self, job: Job, each: Callable[[PlannedChange], None] = lambda _seen: None
    ) -> None:
        self._job = job
        self._each = each
        self._once: set[tuple[str, str]] = set()
        self.counts: dict[tuple[str, str], int] = {}
        self.names: dict[tuple[str, str], list[str]] = {}
        self.conflicts: list[Conflict] = []

    def add(self, seen: PlannedChange) -> None:
        """Count a change."""
        thing = seen.found if isinstance(seen, Stale) else seen.thing
        if not self._new(thing.kind, thing.key):
            return
        self._each(seen)
        where = (type(seen).__name__, thing.kind)
        self.counts[where] = self.counts.get(where, 0) + 1
        first = self.names.setdefault(where, [])
        if len(first) < self.SOME:
            first.append(name_of(seen))
        if isinstance(seen, Conflict):
            self.conflicts.append(seen)

    def _new(self, kind: str, key: str) -> bool:
        """Check whether a thing was not counted with an earlier part; things on a device are in one part alone."""
        if len(self._job.parts) == 1 or self._job.fabric.names.device(place_of(key)):
            return True
        known = (kind, key) in self._once
        self._once.add((kind, key))
        return not known

    def of(self, what: str) -> int:
        """Count the changes of a class."""
        return sum(number for (name, _kind), number in self.counts.items() if name == what)
