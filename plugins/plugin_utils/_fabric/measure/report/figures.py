# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests put together for people: those of one level, kind and distance, with the lowest, the median and the limit.

figures.of(record)              a Figure for each group, in the order of the levels
figures.changes(now, before)    how each group differs from an earlier run
figures.verdict(record)         the result as a sentence
"""

from __future__ import annotations

import re
import statistics
import typing as t

from ...description.words import count
from ..judge import limits
from ..plan.levels import CROSSED
from ..plan.records import BUSBW, FAIL, LATENCY, NOT_RUN, PASS, RATIO
from .schema import RunRecord

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..plan.records import Test

KINDS = {
    "bandwidth": "bandwidth one way",
    "bidirectional": "bandwidth both ways",
    "latency": "latency",
    "busbw": "bus bandwidth",
    "ratio": "ratio",
}
DISTANCES = {
    "leaf": "on one leaf",
    "su": "within an SU",
    "pod": "between SUs",
    "fabric": "between pods",
    "": "",
}
"""Kinds and distances of tests, for a person."""
COMPARISONS = {
    "spread": "slowest pair of a rail, below its fastest",
    "mean": "mean of all pairs, of twice the rate of a port",
    "worst": "worst placement, of the best",
    "together": "bandwidth beside aggressors, of that alone",
    "again": "bandwidth afterwards, of that alone",
    "p99": "99 % latency beside aggressors, of that alone",
    "during": "job while something is shut, of before",
    "after": "job afterwards, of before",
}
"""Steps of tests that compare measurements, for a person."""
SIGNS = {FAIL: "✕", PASS: "✓", "incomplete": "–", NOT_RUN: "–", "waived": "◆"}
RESULTS = {FAIL: "Failed", PASS: "Passed", "incomplete": "Not complete"}
MOST_DROPS = 10
_NUMBER = re.compile(r"-?(?<![0-9])[0-9]+$")
_SPLIT = re.compile(r"(?:MOD|DIV|AND|OR)[0-9]+$")


class Figure(t.NamedTuple):
    """Summary of the tests of one level, step, kind and distance; `values` ascend.

    `limits` are the (limit, source) that they were held against, each once.
    """

    level: str
    step: str
    kind: str
    distance: str
    unit: str
    tests: int
    failed: int
    not_run: int
    values: tuple[float, ...]
    limits: tuple[tuple[float, str], ...]

    @property
    def what(self) -> str:
        """`bandwidth one way, on one leaf`."""
        if self.kind == RATIO and self.step in COMPARISONS:
            return COMPARISONS[self.step]
        return ", ".join(
            filter(None, (KINDS[self.kind], DISTANCES.get(self.distance, ""), _said(self.step)))
        )

    @property
    def worst(self) -> float | None:
        """The lowest value; the highest where less is better."""
        return (self.values[-1 if self.less else 0]) if self.values else None

    @property
    def less(self) -> bool:
        """Check whether less is better."""
        return less_is_better(self.level, self.kind, self.step)

    @property
    def median(self) -> float | None:
        """The median of what was measured."""
        return statistics.median(self.values) if self.values else None


def _said(step: str) -> str:
    return "between rails" if step == CROSSED else step


Key = tuple[str, str, str, str, str]


def of(record: RunRecord) -> list[Figure]:
    """The figures of a record, by level, then in the order in which the tests are."""
    groups: dict[Key, list[Test]] = {}
    for test in record["tests"]:
        groups.setdefault(_key(test), []).append(test)
    order = {level: number for number, level in enumerate(record["levels"])}
    found = [_figure(key, tests) for key, tests in groups.items()]
    return sorted(found, key=lambda figure: order.get(figure.level, len(order)))


def _key(test: Test) -> Key:
    """`alone-1` and `alone-2` are one step. Of a collective its operation is a part of the step.

    The distance of a comparison is that of one of its pairs, and means nothing for a group.
    """
    step = _NUMBER.sub("", test["step"])
    if test["kind"] == BUSBW:
        step = " ".join(filter(None, (_operation(test), step)))
    distance = "" if test["kind"] == RATIO else test["distance"]
    return test["level"], step, test["kind"], distance, test["unit"]


def _operation(test: Test) -> str:
    """`all_reduce`, or `all_reduce MOD8` where ranks are split: what the id says behind level and step."""
    parts = [part for part in test["id"].split("/")[1:] if part != test["step"]]
    return " ".join([*parts[:1], *(part for part in parts[1:2] if _SPLIT.match(part))])


def less_is_better(level: str, kind: str, step: str) -> bool:
    """Check whether a smaller value is the better one, as of a latency, or of the spread of a rail."""
    return kind == LATENCY or (kind == RATIO and (level, step) in limits.most())


def _figure(key: Key, tests: Sequence[Test]) -> Figure:
    bounds = {(one["limit"], one["limit_source"]): 1 for one in tests if one["limit"] is not None}
    return Figure(
        *key,
        tests=len(tests),
        failed=sum(one["state"] == FAIL for one in tests),
        not_run=sum(one["state"] == NOT_RUN for one in tests),
        values=tuple(sorted(one["value"] for one in tests if one["value"] is not None)),
        limits=tuple(bounds),
    )


def number(value: float | None) -> str:
    """A figure for a person: three digits at least, one decimal below 100, two below 10.

    >>> [number(one) for one in (391.64, 85.62, 2.104, None)]
    ['392', '85.6', '2.10', 'not measured']
    """
    if value is None:
        return "not measured"
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"


def unit(name: str) -> str:
    """A unit as people write it."""
    return "µs" if name == "us" else name


# Words


def verdict(record: RunRecord) -> str:
    """The result as a sentence."""
    counts, result = record["summary"]["counts"], record["summary"]["result"]
    every = sum(counts.values())
    waived = f", {counts['waived']:,} waived" if counts["waived"] else ""
    if result == FAIL:
        return f"{counts[FAIL]:,} of {every:,} measurements failed{waived}."
    if result == PASS:
        return f"All {every:,} measurements passed{waived}."
    if not counts[PASS]:
        return "Nothing was measured."
    return f"Nothing failed, but not everything ran: {' and '.join(_left(record))}."


def _left(record: RunRecord) -> Iterator[str]:
    left = record["summary"]["counts"][NOT_RUN]
    if left:
        yield f"{left:,} of {len(record['tests']):,} measurements"
    if record["not_run"]:
        names = [one["level"] for one in record["not_run"]]
        yield f"{count(names, 'level')} ({', '.join(names)})"


def brief(test: Test) -> str:
    """The sentence of a test beside its ends: without them where it begins with them."""
    head, _colon, rest = test["sentence"].partition(": ")
    return rest if rest and test["first"] and head.startswith(test["first"]) else test["sentence"]


def time(text: str) -> str:
    """`2026-11-25 03:10 UTC`."""
    return f"{text[:16].replace('T', ' ')} UTC"


# Against an earlier run


class Change(t.NamedTuple):
    """A group now and before: the median and the worst of both."""

    now: Figure
    before: Figure

    @property
    def percent(self) -> float | None:
        """Return the rise of the median in percent; None where one run has none."""
        if not self.now.median or not self.before.median:
            return None
        return 100 * (self.now.median / self.before.median - 1)


def changes(record: RunRecord, before: RunRecord) -> list[Change]:
    """The groups that both runs have."""
    earlier = {figure[:5]: figure for figure in of(before)}
    return [Change(one, earlier[one[:5]]) for one in of(record) if one[:5] in earlier]


def drops(record: RunRecord, before: RunRecord) -> list[tuple[Test, float, float]]:
    """The measurements that became worse by most, (test, value before, percent): at most MOST_DROPS."""
    earlier = {one["id"]: one["value"] for one in before["tests"]}
    found = []
    for test in record["tests"]:
        old, new = earlier.get(test["id"]), test["value"]
        if old and new is not None:
            found.append((test, old, 100 * (new / old - 1)))
    worse = [one for one in found if _worsened(one) > 0]
    return sorted(worse, key=_worsened, reverse=True)[:MOST_DROPS]


def _worsened(row: tuple[Test, float, float]) -> float:
    test, _old, percent = row
    return percent if less_is_better(test["level"], test["kind"], test["step"]) else -percent
