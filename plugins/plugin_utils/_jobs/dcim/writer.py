# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings a difference to the DCIM: what is stale goes first, then kinds in order of creation. Private.

What is stale goes first because a cable that is in the way holds the port of the one that is wanted. What others
refer to, such as a VRF, goes last: its ports and prefixes are in another one by then. A thing
that refers to one that the DCIM refused is not sent: its refusal would hide the first one.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..._dcim.port import DcimError
from ..._fabric.export.dcim.difference import Create, Stale, Update
from ..._fabric.export.dcim.mark import tail
from ..._fabric.export.dcim.things import KINDS, Ref
from .comparison import references

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..._dcim.port import Index, WriteResult
    from ..._fabric.export.dcim.things import DcimObject, Thing
    from .job import Job, PlannedChange

SLICE = 1000
"""Things that are handed to the port at once; it makes lists of them. A person hears of each slice."""
REFERRED = frozenset(KINDS[KINDS.index("rack") : KINDS.index("prefix")])
"""Kinds that others refer to."""


class RefusedThing(t.NamedTuple):
    """A thing that the DCIM did not take, with its sentence."""

    kind: str
    name: str
    why: str


@dataclasses.dataclass
class WriteTally:
    """Changes that a run has written so far."""

    created: int = 0
    changed: int = 0
    deleted: int = 0
    held_back: int = 0
    refused: list[RefusedThing] = dataclasses.field(default_factory=list)
    failed: set[Ref] = dataclasses.field(default_factory=set)
    """All that was refused or held back, in whatever part."""

    @property
    def total(self) -> int:
        """All writes."""
        return self.created + self.changed + self.deleted


def write(
    job: Job, changes: Sequence[PlannedChange], index: Index, into: WriteTally
) -> list[DcimObject]:
    """Write the changes of a part, and return what `delete` has to remove after all parts.

    DcimError where the DCIM cannot be used any more.
    """
    stale = [seen.found for seen in changes if isinstance(seen, Stale)] if job.delete else []
    delete(job, [one for one in stale if one.kind not in REFERRED], index, into)
    for kind in KINDS:
        new = [c.thing for c in changes if isinstance(c, Create) and c.thing.kind == kind]
        for things in _sliced(list(_sent(new, into))):
            done = job.dcim.create(kind, things, index)
            into.created += _noted(kind, {one.key: one.name for one in things}, done, into)
            job.tell(f"{kind}: {into.created} things created ...")
        others = [c for c in changes if isinstance(c, Update) and c.thing.kind == kind]
        sent = {one.key for one in _sent([c.thing for c in others], into)} if into.failed else ()
        others = [c for c in others if c.thing.key in sent] if into.failed else others
        for updates in _sliced(others):
            done = job.dcim.update(kind, updates, index)
            names = {one.thing.key: one.thing.name for one in updates}
            into.changed += _noted(kind, names, done, into)
            job.tell(f"{kind}: {into.changed} things changed ...")
    return [one for one in stale if one.kind in REFERRED]


def delete(job: Job, stale: Sequence[DcimObject], index: Index, into: WriteTally) -> None:
    """Delete what is stale, against the order of creation."""
    for kind in reversed(KINDS):
        for found in _sliced([one for one in stale if one.kind == kind]):
            done = job.dcim.delete(kind, found, index)
            into.deleted += _noted(kind, {one.key: tail(one.key) for one in found}, done, into)


T = t.TypeVar("T")


def _sliced(things: Sequence[T]) -> Iterator[Sequence[T]]:
    for at in range(0, len(things), SLICE):
        yield things[at : at + SLICE]


def _sent(things: Sequence[Thing], into: WriteTally) -> Iterator[Thing]:
    """The things that refer to nothing that was refused, and that were not refused with an earlier part."""
    for thing in things:
        own = Ref(thing.kind, thing.key)
        if own in into.failed:
            continue
        if into.failed and not into.failed.isdisjoint(references(tuple(thing.values.values()))):
            into.failed.add(own)
            into.held_back += 1
        else:
            yield thing


def _noted(kind: str, names: dict[str, str], done: Sequence[WriteResult], into: WriteTally) -> int:
    """Count the written things of a slice, and keep the refused ones.

    A port that does not answer for each thing is not believed.
    """
    if {one.key for one in done} != set(names):
        raise DcimError(
            f"{kind}: the DCIM answered for {len(done)} of {len(names)} things: run it again."
        )
    wrong = [one for one in done if one.error]
    into.failed.update(Ref(kind, one.key) for one in wrong)
    into.refused += [RefusedThing(kind, names[one.key], one.error) for one in wrong]
    return len(done) - len(wrong)
