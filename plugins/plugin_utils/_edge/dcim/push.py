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
from ..._fabric.model.errors import FabricError
from .known import Known
from .look import Tally, look
from .said import conflict, few, plan
from .write import Written, write

if t.TYPE_CHECKING:
    from collections.abc import Callable

    from .job import Job
    from .look import Seen


class Pushed(t.NamedTuple):
    """What a run would do, what it wrote, and both as lines for a person."""

    tally: Tally
    written: Written
    lines: list[str]

    def result(self, job: Job, *, dry: bool) -> dict[str, t.Any]:
        """What a task returns."""
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


def push(job: Job, *, dry: bool, show: Callable[[list[str]], None] = lambda _lines: None) -> Pushed:
    """Compare and, unless `dry`, write; FabricError for conflicts, ceilings and refusals of the DCIM."""
    try:
        job.dcim.check()
        tally = Tally(job)
        kept = _compared(job, tally)
    except DcimError as exc:
        raise FabricError.of(f"{job.dcim.name}: {exc}") from exc
    said = plan(job, tally, dry=dry)
    show(said)
    _allowed(job, tally)
    written = Written()
    if not dry:
        _write(job, kept, written)
    return Pushed(tally, written, said)


def _compared(job: Job, tally: Tally) -> dict[int, tuple[list[Seen], Known]]:
    """The changes of a single part with its index; of several, which of them have any."""
    kept: dict[int, tuple[list[Seen], Known]] = {}
    for number, part in enumerate(job.parts):
        index, changes = Known(), []
        found = False
        for seen in look(job, part, index):
            tally.add(seen)
            found = True
            if len(job.parts) == 1:
                changes.append(seen)
        if found:
            kept[number] = (changes, index if changes else Known())
    return kept


def _allowed(job: Job, tally: Tally) -> None:
    """Refuse what a person has to decide, before anything is written."""
    if tally.conflicts:
        raise FabricError.of(
            f"dcim: {few(len(tally.conflicts), 'conflict')}, so nothing of this part was written; first: "
            f"{conflict(tally.conflicts[0])} Correct the DCIM or the plan, or say who is right under rules of spx_dcim."
        )
    stale = tally.of("Stale")
    if job.delete and stale > job.most:
        raise FabricError.of(
            f"variable spx_dcim_delete: {few(stale, 'thing')} would be deleted and {job.most} are allowed, so nothing "
            "was written: check the list, and allow them with -e spx_dcim_delete_most=NUMBER."
        )


def _write(job: Job, kept: dict[int, tuple[list[Seen], Known]], written: Written) -> None:
    try:
        for number, (changes, index) in kept.items():
            if len(job.parts) > 1:
                index = Known()
                changes = _again(job, number, index)
            write(job, changes, index, written)
    except DcimError as exc:
        raise FabricError.of(
            f"{job.dcim.name}: {exc} {few(written.total, 'thing')} had been written before. Run the same command "
            "again: it reads first and writes the rest."
        ) from exc
    if written.refused:
        raise FabricError([*_refusals(written)])


def _again(job: Job, number: int, index: Known) -> list[Seen]:
    """The changes of a part as they are now; FabricError where a conflict has come up meanwhile."""
    tally, changes = Tally(job), []
    for seen in look(job, job.parts[number], index):
        tally.add(seen)
        changes.append(seen)
    _allowed(job, tally)
    return changes


def _refusals(written: Written) -> list[str]:
    first = [f"{one.kind} {one.name}: {one.why}" for one in written.refused[:20]]
    more = len(written.refused) - len(first)
    back = (
        f", and {few(written.held_back, 'thing')} that need them were not sent"
        if written.held_back
        else ""
    )
    rest = f" Of these, {more} are not shown." if more else ""
    return [
        *first,
        f"dcim: written: {written.total}, refused: {len(written.refused)}{back}.{rest} "
        "Correct the cause and run the same command again.",
    ]
