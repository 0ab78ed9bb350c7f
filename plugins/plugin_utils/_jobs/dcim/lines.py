# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of a push, as lines for a person. Private."""

from __future__ import annotations

import typing as t

from ..._fabric.description.words import count
from ..._fabric.export.dcim.difference import Stale, Update
from ..._fabric.export.dcim.things import KINDS, Ref
from .job import WaitingCable, name_of

if t.TYPE_CHECKING:
    from ..._fabric.export.dcim.difference import Conflict
    from ..._fabric.export.dcim.things import Value
    from .comparison import Tally
    from .job import Job, PlannedChange

_SAID = {"Create": "create", "Update": "change", "Stale": "stale", "Conflict": "conflict"}


def few(number: int, noun: str) -> str:
    """`1 thing`, `2 things`."""
    return count(range(number), noun)


def plan(job: Job, tally: Tally, *, dry: bool) -> list[str]:
    """Counts of each kind with the first names, then what waits and what is stale."""
    head = f"{job.dcim.name}: fabric {job.fabric.description.name}"
    if not tally.counts:
        return [f"{head}: no difference, nothing to write."]
    lines = [f"{head}: {'this would be written' if dry else 'this is written'}:"]
    if not (tally.of("Create") or tally.of("Update") or (job.delete and tally.of("Stale"))):
        lines = [f"{head}: nothing to write."]
    lines += [line for kind in KINDS for line in _kind(kind, tally)]
    lines += [f"conflict: {conflict(each)}" for each in tally.conflicts]
    waits = tally.of(WaitingCable.__name__)
    if waits:
        lines.append(
            f"{few(waits, 'cable')} wait for devices outside of this run: push the part that has them, then this one."
        )
    if tally.of("Stale") and not job.delete:
        lines.append("Stale objects stay: -e spx_dcim_delete=true deletes them.")
    return lines


def _kind(kind: str, tally: Tally) -> list[str]:
    made = []
    for what, word in _SAID.items():
        number = tally.counts.get((what, kind), 0)
        if number:
            names = tally.names[what, kind]
            more = f" and {number - len(names)} more" if number > len(names) else ""
            made.append(f"{kind}: {number} {word} ({', '.join(names)}{more})")
    return made


def each(seen: PlannedChange) -> str:
    """One change as a line: `change: interface leaf-1 swp1: mtu from 1500 to 9166`."""
    thing = seen.found if isinstance(seen, Stale) else seen.thing
    head = f"{_SAID.get(type(seen).__name__, 'wait')}: {thing.kind} {name_of(seen)}"
    if not isinstance(seen, Update):
        return head
    fields = (
        f"{field} from {text(theirs)} to {text(ours)}"
        for field, (ours, theirs) in sorted(seen.fields.items())
    )
    return f"{head}: {'; '.join(fields) or 'our field and tag'}"


def conflict(found: Conflict) -> str:
    """A conflict with both values of each field."""
    pairs = "; ".join(
        f"{field} is {text(ours)} in the plan and {text(theirs)} in the DCIM"
        for field, (ours, theirs) in sorted(found.fields.items())
    )
    return f"{found.thing.kind} {found.thing.name}: {found.why}{f': {pairs}' if pairs else ''}."


def text(value: Value) -> str:
    """A value as a person reads it."""
    if isinstance(value, Ref):
        return value.key
    if isinstance(value, tuple):
        return ", ".join(text(each) for each in value) or "empty"
    return "empty" if value in (None, "") else str(value)
