# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of a conformance check: one row for each question to a device. Private."""

from __future__ import annotations

import typing as t

from ....module_utils._json import Json

EXPECTED = "as expected"
DIFFERS = "differs"
NOT_SEEN = "not seen"
NOT_ASKED = "not asked"
VERDICTS = (EXPECTED, DIFFERS, NOT_SEEN, NOT_ASKED)


class RowParts(t.TypedDict, total=False):
    """Parts of a row that not every one has."""

    request: str
    answer: Json


class Row(RowParts):
    """One question: its `verdict` with sentences in `found`, and what the device answered.

    `not seen` is an answer without anything of the kind that is looked for, such as a switch without a BGP session;
    `not asked` is a question that this device, or this run, was not put. `answer` is plain data of the device.
    """

    part: str
    question: str
    verdict: str
    found: list[str]


def row(
    part: str,
    question: str,
    found: t.Sequence[str] = (),
    verdict: str = "",
    **more: t.Unpack[RowParts],
) -> Row:
    """A row; without a verdict it differs where something was found, and is as expected otherwise."""
    verdict = verdict or (DIFFERS if found else EXPECTED)
    return {"part": part, "question": question, "verdict": verdict, "found": list(found), **more}


def differing(rows: t.Iterable[Row]) -> list[str]:
    """Describe the differences in sentences that name part and question."""
    wrong = (one for one in rows if one["verdict"] == DIFFERS)
    return [f"{one['part']}, {one['question']}: {text}" for one in wrong for text in one["found"]]


def counts(rows: t.Iterable[Row]) -> dict[str, int]:
    """Count the rows of each verdict."""
    said = [one["verdict"] for one in rows]
    return {verdict: said.count(verdict) for verdict in VERDICTS}
