# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Summary of all results: a verdict, a table for people, JUnit XML for machines."""

from __future__ import annotations

import collections
import typing as t

from .junit import Case
from .junit import junit as to_xml
from .results import FAIL, NOT_REALISED, NOT_RUN, PASS, STATES, WAIVED, order

if t.TYPE_CHECKING:
    from .results import Result

FOREIGN = "switch.foreign"
_MOST_ROWS = 40
"""More lines than a screen has are counted by check."""
_FEW = 3
"""Devices with the same sentence of a check that have a line each."""
_MOST_NAMES = 200
"""Lines with -v."""
_ORDER = (FAIL, NOT_RUN, NOT_REALISED, WAIVED)
_COUNTED = (NOT_RUN, NOT_REALISED)
"""Results that are always counted by check. Names are shown with -v, and are in the results folder."""


def counts(rows: t.Iterable[Result]) -> dict[str, int]:
    """Results by state; every state is there."""
    found = collections.Counter(row["state"] for row in rows)
    return {state: found[state] for state in STATES}


def breached(found: t.Mapping[str, int], *, strict: bool = False) -> bool:
    """Check whether the results are a breach: a failure, and with strict any check that was not made."""
    return bool(found[FAIL] or (strict and (found[NOT_RUN] or found[NOT_REALISED])))


def verdict(found: t.Mapping[str, int]) -> str:
    """`48 passed, 2 failed, 1 waived, 3 not run, 0 not realised`."""
    words = {PASS: "passed", FAIL: "failed", WAIVED: "waived", NOT_RUN: "not run"}
    return ", ".join(f"{found[state]} {words.get(state, 'not realised')}" for state in STATES)


def table(results: t.Sequence[Result], *, names: bool = False) -> str:
    """Table of results that did not pass, worst first; then foreign settings and the verdict.

    A check that could not be made is one line with a count, or with `names` one for each device. So is a check that
    failed, or is waived, where all of these together are more than a screen shows, or where a few devices have the
    same sentence.
    """
    rows = [row for state in _ORDER for row in results if row["state"] == state]
    same = collections.Counter((row["id"], row["sentence"]) for row in rows)
    single = [
        row
        for row in rows
        if names or (row["state"] not in _COUNTED and same[row["id"], row["sentence"]] <= _FEW)
    ]
    hidden = not names and len(single) > _MOST_ROWS
    single = [] if hidden else single
    lines = _columns(
        [
            (_word(row), row["device"], row["port"] or "-", row["id"], row["sentence"])
            for row in single[:_MOST_NAMES]
        ]
    )
    if len(single) > _MOST_NAMES:
        lines.append(f"... and {len(single) - _MOST_NAMES} more in the results folder")
    if not names:
        listed = set(map(id, single))
        lines += _columns(_grouped([row for row in rows if id(row) not in listed]))
        if hidden:
            lines.append("Counted by check: -v shows each device, and so does the results folder.")
    left = [int(str(row["found"])) for row in results if row["id"] == FOREIGN]
    return "\n".join([*lines, *foreign(left), verdict(counts(results))])


def foreign(counts: t.Sequence[int]) -> list[str]:
    """Summarise the settings in unmanaged places of all switches; nothing where there are none."""
    found = [count for count in counts if count]
    return [f"foreign, left alone: {sum(found)} (switches: {len(found)})"] if found else []


def _grouped(rows: t.Iterable[Result]) -> list[tuple[str, ...]]:
    """Count the failures of each check, with the sentence of the first device."""
    groups: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        groups.setdefault((_word(row), row["id"]), []).append(row["sentence"])
    return [
        (state, check, f"{len(said)} x", said[0] if len(set(said)) == 1 else f"such as: {said[0]}")
        for (state, check), said in groups.items()
    ]


def _word(row: Result) -> str:
    return row["state"].replace("_", " ").upper()


def _columns(rows: t.Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in list(zip(*rows))[:-1]]
    return [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[-1]])
        for row in rows
    ]


def junit(rows: t.Iterable[Result]) -> str:
    """JUnit XML: a suite for each device, a case for each result."""
    return to_xml(_case(row) for row in sorted(rows, key=order))


def _case(row: Result) -> Case:
    name = f"{row['id']} {row['port']}" if row["port"] else row["id"]
    return Case(row["device"], name, row["state"], row["sentence"])
