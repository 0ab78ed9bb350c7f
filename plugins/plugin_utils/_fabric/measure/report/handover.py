# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sheet for the customer: one page of paper that says what was measured, against which limits, with which result.

It names no device, address or counter. The digest says which record it was made of.
"""

from __future__ import annotations

import hashlib
import pathlib
import typing as t

from ...._pages import html
from ...._pages.html import Html, element, facts, table
from ...export import atlas
from ..judge.limits import OURS
from ..plan.levels import LEVELS
from ..plan.records import FAIL, NOT_RUN, PASS
from . import figures, results
from .figures import SIGNS, number, unit

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .figures import Figure
    from .schema import RunRecord

HERE = pathlib.Path(__file__).parent
NOT_PROVEN = (
    "Faults that lose or delay a small part of the traffic without a link going down (grey failures).",
    "What applications reach: their own software and settings are not part of the measurement.",
    "Any time after the measurement. Cables, optics and software change.",
)
"""Faults that no level finds; the guide lists the same."""


def handover(record: RunRecord, *, customer: str = "") -> str:
    """The sheet as HTML; `customer` is who receives it, a line to fill in by default."""
    title = f"{record['fabric']}: performance acceptance"
    style = atlas.part("handover.css", HERE)
    return "".join(html.page(title, _body(record, customer), more=style))


def _body(record: RunRecord, customer: str) -> Iterator[str]:
    result = record["summary"]["result"]
    yield "<section>" + html.heading("Performance acceptance", f"fabric {record['fabric']}")
    yield (
        f'<div class="result {result}">{element("b", f"{SIGNS[result]} {figures.RESULTS[result]}")}'
        f"{element('span', figures.verdict(record))}</div>\n"
    )
    yield _facts(record)
    yield element("h3", "What was measured")
    yield from _levels(record)
    yield from _measured(figures.of(record))
    yield from _left_out(record)
    yield element("h3", "What this does not prove")
    yield "<ul>" + "".join(element("li", one) for one in NOT_PROVEN) + "</ul>\n"
    yield from _names(record, customer)
    digest = hashlib.sha256(results.text(record).encode()).hexdigest()
    yield element("p", f"Made from {record['run']}.json, SHA-256 {digest}.", "where")
    yield "</section>\n"


def _levels(record: RunRecord) -> Iterator[str]:
    """Describe the proof of each level that ran."""
    ran = {test["level"] for test in record["tests"] if test["state"] != NOT_RUN}
    shown = [level for level in record["levels"] if level in ran and level in LEVELS]
    rows = (element("li", f"{level}: {LEVELS[level].shows}") for level in shown)
    yield f"<ul>{''.join(rows)}</ul>\n"


def _facts(record: RunRecord) -> Html:
    places = record["places"].values()
    sus = len({(place["pod"], place["su"]) for place in places})
    rails = len({one["rail"] for one in record["tests"] if one["rail"] is not None})
    size = f"{len(record['nodes']):,} nodes in {sus:,} scalable unit{'s' if sus != 1 else ''}"
    return facts(
        (
            ("Measured", size + (f", {rails} rails" if rails else "")),
            ("From", figures.time(record["began"])),
            ("To", figures.time(record["ended"])),
            ("NCCL plugin", record["nccl_plugin"]),
        )
    )


_HEAD = (
    ("Level", ""),
    ("What", "what"),
    ("Count", "number"),
    ("Worst", "number"),
    ("Median", "number"),
    ("Limit", "number"),
    ("", "note"),
    ("", ""),
    ("Result", "state"),
)


def _measured(found: Sequence[Figure]) -> Iterator[str]:
    """Every figure, and below them where their limits come from."""
    sources = dict.fromkeys(source for figure in found for _limit, source in figure.limits)
    notes = {source: number for number, source in enumerate(sources, 1)}
    yield from table(_HEAD, (_row(figure, notes) for figure in found))
    listed = (element("li", _plain(source)) for source in notes)
    yield (
        element("p", "Where the limits come from:") + f"<ol>{''.join(listed)}</ol>" if notes else ""
    )


def _plain(source: str) -> str:
    """The source of a limit for a reader who has not seen our guides."""
    origin, _colon, rest = source.partition(": ")
    return f"chosen for this test, as no figure is published: {rest}" if origin == OURS else source


def _row(figure: Figure, notes: Mapping[str, int]) -> list[object]:
    limits = " or ".join(dict.fromkeys(number(limit) for limit, _source in figure.limits))
    own = ", ".join(str(notes[source]) for _limit, source in figure.limits)
    values = [number(figure.worst), number(figure.median), limits or "none"]
    count = f"{figure.tests - figure.not_run:,}"
    note = f"({own})" if own else ""
    return [figure.level, figure.what, count, *values, note, unit(figure.unit), _result(figure)]


def _result(figure: Figure) -> str:
    if figure.failed:
        return f"{SIGNS[FAIL]} {figure.failed:,} failed"
    if figure.not_run:
        return f"{SIGNS[NOT_RUN]} {figure.not_run:,} not run"
    return f"{SIGNS[PASS]} passed"


def _left_out(record: RunRecord) -> Iterator[str]:
    if record["not_run"]:
        rows = (element("li", f"{one['level']}: {one['reason']}") for one in record["not_run"])
        yield element("h3", "What was not measured") + "<ul>" + "".join(rows) + "</ul>\n"


def _names(record: RunRecord, customer: str) -> Iterator[str]:
    """Lines for names, dates and signatures."""
    yield '<div class="names">'
    for role, name in (("For the operator", record["by"]), ("For the customer", customer)):
        lines = "".join(
            f"<div>{element('span', words)}<i>{html.text(value)}</i></div>"
            for words, value in (("Name", name), ("Date", ""), ("Signature", ""))
        )
        yield f"<div>{element('h3', role)}{lines}</div>"
    yield "</div>\n"
