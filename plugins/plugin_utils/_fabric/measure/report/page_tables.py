# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of the page of a run: what did not run, all figures, failures, an earlier run, counters."""

from __future__ import annotations

import collections
import typing as t

from ...._pages.html import Html, element, table
from ...export.atlas_results import cause
from ..judge.counters import meaning
from ..plan.records import FAIL, NOT_RUN, PASS, RATIO
from . import figures, histogram
from .figures import brief, number, unit
from .page_parts import card, scroll, sign

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...export.atlas_results import Cause
    from ..plan.records import Test
    from .figures import Change, Figure
    from .schema import RunRecord

MOST_ROWS = 200
"""Rows of a table; the record has all."""
MOST_PLACES = 3
Head = tuple[tuple[str, str], ...]


def left_out(record: RunRecord) -> str:
    """List the tests that did not run, each reason once; and the disturbances of the fabric.

    Reasons that differ only in names and numbers are one.
    """
    found: dict[Cause, list[Test]] = {}
    for test in record["tests"]:
        if test["state"] == NOT_RUN:
            found.setdefault(cause([NOT_RUN, test["level"], "", brief(test)]), []).append(test)
    rows = [(one["level"], "all", one["reason"]) for one in record["not_run"]]
    rows += [_reason(tests) for tests in found.values()]
    head = (("level", ""), ("measurements", "number"), ("why", ""))
    made = card("Not run", scroll("Not run", _table(head, rows)), anchor="not-run") if rows else ""
    said = "".join(element("li", one) for one in record["disturbances"])
    return made + (card("Disturbances", element("ul", Html(said))) if said else "")


def _reason(tests: Sequence[Test]) -> tuple[str, str, str]:
    said = dict.fromkeys(map(brief, tests))
    words = next(iter(said)) if len(said) == 1 else f"such as: {brief(tests[0])}"
    return tests[0]["level"], f"{len(tests):,}", words


def _table(head: Head, rows: Iterable[Sequence[object]]) -> Html:
    return Html("".join(table(head, rows)))


# All figures


def measured(record: RunRecord) -> Html:
    """Every figure with its limit and where that comes from, and the distributions."""
    found = figures.of(record)
    pictures = "".join(map(_picture, found))
    return card(
        "What was measured",
        scroll("What was measured", _table(_MEASURED, map(_row, found))),
        Html(f'<div class="pictures">{pictures}</div>') if pictures else "",
        anchor="figures",
    )


_MEASURED = (
    ("level", ""),
    ("what", ""),
    ("result", ""),
    ("worst", "number"),
    ("median", "number"),
    ("limit", "number"),
    ("unit", ""),
    ("the limit is", ""),
)


def _row(figure: Figure) -> list[object]:
    limits = " or ".join(dict.fromkeys(number(limit) for limit, _source in figure.limits))
    sources = ", ".join(dict.fromkeys(source for _limit, source in figure.limits))
    values = (number(figure.worst), number(figure.median), limits or "none")
    return [figure.level, figure.what, _result(figure), *values, unit(figure.unit), sources]


def _result(figure: Figure) -> Html:
    every = f"{figure.tests:,}"
    if figure.failed:
        return sign(FAIL, f"{figure.failed:,} of {every} failed")
    passed = figure.tests - figure.not_run
    return sign(NOT_RUN if figure.not_run else PASS, f"{passed:,} of {every} passed")


def _picture(figure: Figure) -> str:
    drawn = "" if figure.kind == RATIO else histogram.svg(figure)
    title = f"{figure.level}: {figure.what}"
    return element("figure", Html(element("figcaption", title) + drawn)) if drawn else ""


# Failures


def failures(record: RunRecord) -> str:
    """The failed measurements, the worst first, and then failed comparisons."""
    found = (one for one in record["tests"] if one["state"] == FAIL)
    failed = sorted(found, key=lambda one: (one["kind"] == RATIO, _badness(one)))
    if not failed:
        return ""
    more = len(failed) - MOST_ROWS
    return card(
        f"Failed measurements: {len(failed):,}",
        scroll("Failed measurements", _table(_FAILED, map(_failure, failed[:MOST_ROWS]))),
        element("p", f"{more:,} more are in the record, {record['run']}.json.") if more > 0 else "",
        anchor="failed",
    )


_FAILED = (
    ("level", ""),
    ("from", "mono"),
    ("to", "mono"),
    ("rail", "number"),
    ("measured", "number"),
    ("limit", "number"),
    ("unit", ""),
    ("what was found", ""),
)


def _failure(test: Test) -> list[object]:
    rail = _rail(test)
    limit = "none" if test["limit"] is None else number(test["limit"])
    ends = [test["first"], test["second"]]
    return [
        test["level"],
        *ends,
        rail,
        number(test["value"]),
        limit,
        unit(test["unit"]),
        brief(test),
    ]


def _rail(test: Test) -> str:
    """`1`, or `1 to 3` where rails are crossed."""
    numbers = (test["rail"], test["to_rail"])
    return " to ".join(str(number + 1) for number in numbers if number is not None)


def _badness(test: Test) -> float:
    """Less is worse: the share of the limit that was reached, nothing for what was not measured."""
    value, limit = test["value"] or 0, test["limit"] or 0
    if figures.less_is_better(test["level"], test["kind"], test["step"]):
        return limit / value if value else 0
    return value / (limit or 1)


# An earlier run


def comparison(record: RunRecord, before: RunRecord) -> Html:
    """Each figure now and in an earlier run, and the measurements that became worse by most."""
    rows = [_change(one) for one in figures.changes(record, before)]
    worse = [_drop(*one) for one in figures.drops(record, before)]
    said = (
        f"The earlier run {before['run']} ended {figures.time(before['ended'])}, by {before['by']}."
    )
    if not rows:
        return card("Compared", element("p", said + " It measured nothing that this run did."))
    return card(
        "Compared with an earlier run",
        element("p", said),
        scroll("Compared", _table(_CHANGED, rows)),
        element("h3", "Measurements that became worse by most") if worse else "",
        scroll("Worse than before", _table(_DROPPED, worse)) if worse else "",
        anchor="compared",
    )


_CHANGED = (
    ("level", ""),
    ("what", ""),
    ("median before", "number"),
    ("now", "number"),
    ("change", "number"),
    ("worst before", "number"),
    ("now", "number"),
    ("unit", ""),
)
_DROPPED = (
    ("measurement", "mono"),
    ("before", "number"),
    ("now", "number"),
    ("change", "number"),
    ("unit", ""),
)


def _change(change: Change) -> list[object]:
    now, before, percent = change.now, change.before, change.percent
    medians = [number(before.median), number(now.median)]
    worst = [number(before.worst), number(now.worst)]
    shown = "" if percent is None else _percent(percent)
    return [now.level, now.what, *medians, shown, *worst, unit(now.unit)]


def _drop(test: Test, before: float, percent: float) -> list[object]:
    return [
        test["id"],
        number(before),
        number(test["value"]),
        _percent(percent),
        unit(test["unit"]),
    ]


def _percent(value: float) -> str:
    return f"{round(value, 1) + 0.0:+.1f} %"  # no -0.0


# Counters


def counters(record: RunRecord) -> str:
    """The counters that rose, each with where it rose by most."""
    found: dict[str, collections.Counter[str]] = {}
    for place, name, rise in _rises(record):
        found.setdefault(name, collections.Counter())[place] += rise
    if not found:
        return ""
    rows = [_counter(name, found[name]) for name in sorted(found)]
    return card("Counters that rose", scroll("Counters", _table(_ROSE, rows)), anchor="counters")


_ROSE = (
    ("counter", "mono"),
    ("it counts", ""),
    ("it points to", ""),
    ("by", "number"),
    ("places", "number"),
    ("most at", ""),
)


def _rises(record: RunRecord) -> Iterator[tuple[str, str, int]]:
    """(place, counter, rise) of ports, and of tests where no port is known."""
    for place, own in record["counters"].items():
        yield from ((place, name, rise) for name, rise in own.items() if rise)
    for test in record["tests"]:
        rail = f" rail {_rail(test)}" if _rail(test) else ""
        place = f"{test['first']} to {test['second']}{rail}" if test["second"] else test["first"]
        yield from ((place, name, rise) for name, rise in test["counters"].items() if rise)


def _counter(name: str, places: collections.Counter[str]) -> list[object]:
    most = "; ".join(f"{place}: {rise:,}" for place, rise in places.most_common(MOST_PLACES))
    return [name, *meaning(name), f"{sum(places.values()):,}", f"{len(places):,}", most]
