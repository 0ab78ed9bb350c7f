# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all results come to: a verdict, a table for people, JUnit XML for machines."""

from __future__ import annotations

import collections
import typing as t
from xml.etree import ElementTree

from .results import FAIL, NOT_REALISED, NOT_RUN, PASS, STATES, WAIVED

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .results import Result

FOREIGN = "switch.foreign"
_MOST_ROWS = 200
_ORDER = (FAIL, NOT_RUN, NOT_REALISED, WAIVED)
_COUNTED = (NOT_RUN, NOT_REALISED)
"""What is counted by check. Names are shown with -v, and are in the results folder."""


class Outcome(t.TypedDict):
    """What a task returns of its results."""

    changed: bool
    counts: dict[str, int]
    failures: list[str]
    failed_checks: dict[str, int]


def counts(results: Iterable[Result]) -> dict[str, int]:
    """Results by state; every state is there."""
    found = collections.Counter(row["state"] for row in results)
    return {state: found.get(state, 0) for state in STATES}


def outcome(results: Sequence[Result]) -> Outcome:
    """What a task returns of its results; the callback `summary` counts devices by `failed_checks`."""
    failed = [row for row in results if row["state"] == FAIL]
    return {
        "changed": False,
        "counts": counts(results),
        "failures": [row["sentence"] for row in failed],
        "failed_checks": dict(collections.Counter(row["device"] for row in failed)),
    }


def breached(found: Mapping[str, int], *, strict: bool = False) -> bool:
    """Whether the results are a breach: a failure, and when strict whatever was not checked."""
    return bool(found[FAIL] or (strict and (found[NOT_RUN] or found[NOT_REALISED])))


def verdict(found: Mapping[str, int]) -> str:
    """`48 passed, 2 failed, 1 waived, 3 not run, 0 not realised`."""
    words = {PASS: "passed", FAIL: "failed", WAIVED: "waived", NOT_RUN: "not run"}
    return ", ".join(f"{found[state]} {words.get(state, 'not realised')}" for state in STATES)


def table(results: Sequence[Result], *, names: bool = False) -> str:
    """What did not pass, worst first; what is foreign; the verdict.

    A check that could not be made is one line with a count, or with `names` one for each device.
    """
    rows = [row for state in _ORDER for row in results if row["state"] == state]
    single = [row for row in rows if names or row["state"] not in _COUNTED]
    lines = _columns([_cells(row) for row in single[:_MOST_ROWS]])
    if len(single) > _MOST_ROWS:
        lines.append(f"... and {len(single) - _MOST_ROWS} more in the results folder")
    if not names:
        lines += _columns(_grouped([row for row in rows if row["state"] in _COUNTED]))
    left = [int(str(row["found"])) for row in results if row["id"] == FOREIGN]
    return "\n".join([*lines, *foreign(left), verdict(counts(results))])


def foreign(counts: Sequence[int]) -> list[str]:
    """How much on how many switches lies in unmanaged places; nothing where there is none."""
    found = [count for count in counts if count]
    return [f"foreign, left alone: {sum(found)} (switches: {len(found)})"] if found else []


def _grouped(rows: Iterable[Result]) -> list[tuple[str, ...]]:
    """How often each check could not be made, with the sentence of the first device."""
    groups: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        groups.setdefault((_word(row), row["id"]), []).append(row["sentence"])
    return [
        (state, check, f"{len(said)} x", said[0] if len(set(said)) == 1 else f"such as: {said[0]}")
        for (state, check), said in groups.items()
    ]


def _word(row: Result) -> str:
    return str(row["state"]).replace("_", " ").upper()


def _cells(row: Result) -> tuple[str, str, str, str, str]:
    return _word(row), row["device"], row["port"] or "-", row["id"], row["sentence"]


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*(row[:-1] for row in rows))] if rows else []
    return [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[-1]])
        for row in rows
    ]


def junit(results: Sequence[Result]) -> str:
    """JUnit XML: a suite for each device, a case for each result; what did not run is skipped."""
    root = ElementTree.Element("testsuites")
    by_device: dict[str, list[Result]] = collections.defaultdict(list)
    for row in results:
        by_device[row["device"]].append(row)
    for device in sorted(by_device):
        _suite(root, device, by_device[device])
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: ElementTree.Element, device: str, rows: Sequence[Result]) -> None:
    found = counts(rows)
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=device,
        tests=str(len(rows)),
        failures=str(found[FAIL]),
        errors="0",
        skipped=str(found[NOT_RUN] + found[NOT_REALISED] + found[WAIVED]),
    )
    for row in rows:
        name = f"{row['id']} {row['port']}" if row["port"] else row["id"]
        case = ElementTree.SubElement(suite, "testcase", classname=device, name=name)
        if row["state"] == FAIL:
            ElementTree.SubElement(case, "failure", message=row["sentence"])
        elif row["state"] != PASS:
            ElementTree.SubElement(case, "skipped", message=f"{row['state']}: {row['sentence']}")
