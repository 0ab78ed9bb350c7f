# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A push from its first question to its last write. Private.

Everything is read and judged before anything is written: a conflict, or more stale things than the ceiling
allows, ends the run while the DCIM is as it was. Of several parts each is read again before it is written, so
that memory does not grow with the fabric.
"""

from __future__ import annotations

import typing as t

from ..._dcim.port import DcimError
from ..._fabric.description.errors import FabricError
from ..._fabric.export.dcim.difference import FIXED, OTHER_FABRIC, SLUG
from .comparison import Tally, look
from .index import RunIndex
from .lines import conflict, few, plan
from .writer import WriteTally, delete, write

if t.TYPE_CHECKING:
    from collections.abc import Callable

    from ..._fabric.export.dcim.difference import Conflict
    from ..._fabric.export.dcim.things import DcimObject
    from .job import Job, PlannedChange


DECIDE = "Correct the DCIM or the plan, or state the owner under rules of spx_dcim."
REMEDIES = {
    FIXED: "Move it in the DCIM, or correct location of spx_dcim: no rule decides this.",
    SLUG: "Give it that name or another slug in the DCIM: no rule decides this.",
}
OWN_POOLS = (
    "Two fabrics in one DCIM need addresses of their own: state pools under addressing in the description of one of "
    "them, or in Nautobot another namespace in spx_dcim."
)
OWN_NAMES = "Two fabrics at one place need names of their own: state another location in spx_dcim."
SHOWN = 20
"""Refusals that a person reads."""


class PushResult(t.NamedTuple):
    """Changes that a run would make, those that it wrote, and both as lines for a person."""

    tally: Tally
    written: WriteTally
    lines: list[str]

    def result(self, job: Job, *, dry: bool) -> dict[str, t.Any]:
        """Return the result of the task."""
        counts: dict[str, dict[str, int]] = {}
        for (what, kind), number in self.tally.counts.items():
            counts.setdefault(what, {})[kind] = number
        writes = self.tally.of("Create") + self.tally.of("Update")
        writes += self.tally.of("Stale") if job.delete else 0
        return {
            "changed": bool(writes if dry else self.written.total),
            "dcim": job.dcim.name,
            "counts": counts,
            "created": self.written.created,
            "updated": self.written.changed,
            "deleted": self.written.deleted,
            "lines": self.lines,
        }


def push(
    job: Job, *, dry: bool, show: Callable[[list[str]], None] = lambda _lines: None
) -> PushResult:
    """Compare and, unless `dry`, write; FabricError for conflicts, ceilings and refusals of the DCIM."""
    try:
        job.dcim.check()
        tally = Tally(job, job.each)
        kept = _compared(job, tally)
    except DcimError as exc:
        raise FabricError.of(f"{job.dcim.name}: {exc}") from exc
    said = plan(job, tally, dry=dry)
    show(said)
    written = WriteTally()
    if why := _to_decide(job, tally, written):
        raise FabricError.of(why)
    if not dry:
        _write(job, kept, written)
    return PushResult(tally, written, said)


def _compared(job: Job, tally: Tally) -> dict[int, tuple[list[PlannedChange], RunIndex]]:
    """The changes of a single part with its index; of several, which of them have any."""
    kept: dict[int, tuple[list[PlannedChange], RunIndex]] = {}
    for number, part in enumerate(job.parts):
        index, changes = RunIndex(), []
        found = False
        for seen in look(job, part, index):
            tally.add(seen)
            found = True
            if len(job.parts) == 1:
                changes.append(seen)
        if found:
            kept[number] = (changes, index if changes else RunIndex())
    return kept


def _to_decide(job: Job, tally: Tally, written: WriteTally) -> str:
    """Return the decision that a person has to make before anything more is written; empty where there is none."""
    rest = "nothing of this part was written" if written.total else "nothing was written"
    if tally.conflicts:
        first = tally.conflicts[0]
        return (
            f"dcim: {few(len(tally.conflicts), 'conflict')}, so {rest}; first: {conflict(first)} "
            f"{_remedy(first)}"
        )
    stale = tally.of("Stale") + written.deleted
    if job.delete and stale > job.most:
        return (
            f"variable spx_dcim_delete: {few(stale, 'thing')} would be deleted and {job.most} are allowed, so {rest}: "
            "check them with --check --diff, and allow them with -e spx_dcim_delete_most=NUMBER."
        )
    return ""


def _remedy(first: Conflict) -> str:
    """Return the sentence on how to decide a conflict."""
    if first.why.startswith(OTHER_FABRIC):
        return OWN_POOLS if first.thing.kind in ("prefix", "address") else OWN_NAMES
    return REMEDIES.get(first.why, DECIDE)


def _write(
    job: Job, kept: dict[int, tuple[list[PlannedChange], RunIndex]], written: WriteTally
) -> None:
    """Write the parts, then delete what they referred to; FabricError, with all that was refused."""
    last: list[DcimObject] = []
    index = RunIndex()
    try:
        for number, (changes, known) in kept.items():
            index = known
            if len(job.parts) > 1:
                index = RunIndex()
                tally, changes = _again(job, number, index)
                if why := _to_decide(job, tally, written):
                    raise FabricError([*_refusals(written), why, _so_far(written)])
            last += write(job, changes, index, written)
        delete(job, last, index, written)
    except DcimError as exc:
        raise FabricError(
            [*_refusals(written), f"{job.dcim.name}: {exc}", _so_far(written, "at least ")]
        ) from exc
    if written.refused:
        raise FabricError([*_refusals(written), _so_far(written)])


def _again(job: Job, number: int, index: RunIndex) -> tuple[Tally, list[PlannedChange]]:
    """The changes of a part as they are now."""
    tally, changes = Tally(job), []
    for seen in look(job, job.parts[number], index):
        tally.add(seen)
        changes.append(seen)
    return tally, changes


def _refusals(written: WriteTally) -> list[str]:
    return [f"{one.kind} {one.name}: {one.why}" for one in written.refused[:SHOWN]]


def _so_far(written: WriteTally, about: str = "") -> str:
    """Describe the progress of a run that did not end well; the state of a list that was broken off is not known."""
    more = len(written.refused) - SHOWN
    back = (
        f", and {few(written.held_back, 'thing')} that need them were not sent"
        if written.held_back
        else ""
    )
    rest = f" Of these, {more} are not shown." if more > 0 else ""
    return (
        f"dcim: written: {about}{written.total}, refused: {len(written.refused)}{back}.{rest} Correct the cause and "
        "run the same command again: it reads first and writes the rest."
    )
