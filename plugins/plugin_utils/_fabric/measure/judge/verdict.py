# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judgement of requests and measurements: tests, each with its limit, its source, its state and a sentence.

Nothing passes by absence. A measurement that is missing, of either side, is a failure. So is a value without sense, one
over another transport than RoCE, and a lossless class that lost packets. What could not be measured is not run, with
its reason. What was measured and has no limit is not run either: it proves nothing.

Each pair and collective makes a test. Levels noise and failover compare runs of the same pairs and job instead.
`comparisons.py` adds what is compared: the spread of a rail, the mean of a bisection, placements, noise, failover.
"""

from __future__ import annotations

import statistics
import typing as t

from .....module_utils._perf.records import MEASURED
from ..plan.records import FAIL, LATENCY, NOT_RUN, PASS, UNITS, case_of
from . import comparisons, limits
from .answers import Answer, answers, where
from .baselines import figure_of, floor

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from ...plan.fabric import Fabric
    from ..plan.records import Element, HostMeasurement, PlannedMeasurement, Test
    from .baselines import Baselines

COMPARED = ("noise", "failover")
"""Levels whose measurements have no limit of their own."""
ENOUGH = 3
"""Values that have a median worth comparing with."""

_Bound = tuple[float, str, bool]
"""A limit, its source, and whether the value may not be more."""


def judge(
    fabric: Fabric,
    asked: Iterable[PlannedMeasurement],
    *,
    measurements: Iterable[HostMeasurement],
    baselines: Baselines,
    elements: Iterable[Element] = (),
) -> list[Test]:
    """The tests of what was asked, in its order, and then those that compare.

    `elements` are those that level failover shut, one of a kind.
    """
    found = answers(fabric, asked, measurements)
    single = [one for one in found if one.asked["level"] not in COMPARED]
    medians = _medians(single)
    tests = [_test(fabric, one, baselines, medians) for one in single]
    return [*tests, *comparisons.all_of(fabric, found, elements)]


_Like = tuple[str, ...]


def _like(one: PlannedMeasurement) -> _Like:
    """Equal for measurements that should have equal values."""
    return one["level"], one["kind"], one["distance"], one["operation"], one["split"], one["step"]


def _medians(found: Iterable[Answer]) -> dict[_Like, float]:
    values: dict[_Like, list[float]] = {}
    for one in found:
        if one.value is not None:
            values.setdefault(_like(one.asked), []).append(one.value)
    return {key: statistics.median(v) for key, v in values.items() if len(v) >= ENOUGH}


def _test(fabric: Fabric, one: Answer, known: Baselines, medians: dict[_Like, float]) -> Test:
    asked = one.asked
    bound = _bound(fabric, one, known, medians.get(_like(asked)))
    state, says = _state(one, bound, UNITS[asked["kind"]], few=bool(_row(fabric, asked)))
    return {
        **case_of(asked),
        "value": one.value,
        "unit": UNITS[asked["kind"]],
        "limit": bound[0] if bound else None,
        "limit_source": bound[1] if bound else "",
        "state": state,
        "sentence": f"{where(fabric, asked)}: {says}",
        "counters": one.counters,
    }


def _state(one: Answer, bound: _Bound | None, unit: str, *, few: bool) -> tuple[str, str]:
    """The state of an answer under a limit, and what to say of it; `few`: a median would be the limit."""
    if one.state != MEASURED or one.value is None:
        return one.state, one.why
    figure = f"{one.value:g} {unit}" + (f" ({one.note})" if one.note else "")
    if bound is None and few:
        why = f"with fewer than {ENOUGH} of its distance there is no median to compare it with"
        return NOT_RUN, f"{figure}, and {why}: measure more nodes."
    if bound is None:
        return NOT_RUN, f"{figure}, and no limit is known for it."
    limit, _source, most = bound
    if one.value > limit if most else one.value < limit:
        return FAIL, f"{figure}, {'more' if most else 'less'} than {limit:g} {unit}."
    if one.lost:
        return FAIL, f"{figure}, but {one.lost}."
    return PASS, f"{figure}, limit: {'at most' if most else 'at least'} {limit:g} {unit}."


def _row(fabric: Fabric, asked: PlannedMeasurement) -> limits.Limit | None:
    """The limit of the class; None where it has none, or none for so few nodes."""
    row = limits.find(limits.class_of(fabric), asked["level"], limits.figure_of(asked))
    return row if row and (not row.nodes or len(asked["nodes"]) >= row.nodes) else None


def _bound(fabric: Fabric, one: Answer, known: Baselines, median: float | None) -> _Bound | None:
    """The stricter of the class's limit and the site's baseline."""
    asked, kind = one.asked, limits.class_of(fabric)
    most = asked["kind"] == LATENCY
    made: list[_Bound] = []
    if row := _row(fabric, asked):
        measure = median if row.of == "median" else limits.rate(kind, row.of, one.gpus)
        if measure is not None:
            made.append((round(measure * row.percent / 100, 3), limits.said(row), row.most))
    if best := known.get(figure_of(asked, one.memory)):
        made.append((floor(best), f"baseline of {best.date} by {best.by}", most))
    return (min(made) if most else max(made)) if made else None
