# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that compare measurements of one run with each other, in percent.

    spread     of a rail: how far the slowest pair is below the fastest
    mean       of a bisection, of all its pairs
    worst      the worst placement of a collective, of the best one
    together   noise: bandwidth of a victim beside aggressors, of that alone; p99, its latency; again, afterwards
    during     failover: a job while an element is shut, of that before; after, when it is given back

Where a measurement is missing, the comparison has the state of the worst of them.
"""

from __future__ import annotations

import collections
import statistics
import typing as t

from .....module_utils._perf.records import MEASURED
from ..plan.levels import AFTER, AGAIN, ALONE, BEFORE, DURING, LEVELS, TOGETHER
from ..plan.records import BANDWIDTH, FAIL, LATENCY, NOT_RUN, PASS, RATIO, UNITS, case_of
from . import limits
from .answers import where

if t.TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from ...plan.fabric import Fabric
    from ..plan.records import Element, PlannedMeasurement, Test
    from .answers import Answer

_Groups = dict["Hashable", list["Answer"]]


def all_of(fabric: Fabric, found: Sequence[Answer], elements: Iterable[Element]) -> list[Test]:
    """Each comparison that was asked for."""
    shares = {element.kind: element.share for element in elements}
    return [
        *_spreads(fabric, found),
        *_means(fabric, found),
        *_placements(fabric, found),
        *_noise(fabric, found),
        *_failover(fabric, found, shares),
    ]


def _grouped(found: Iterable[Answer], key: Callable[[PlannedMeasurement], Hashable]) -> _Groups:
    made: _Groups = {}
    for one in found:
        made.setdefault(key(one.asked), []).append(one)
    return made


def _of(found: Iterable[Answer], level: str) -> list[Answer]:
    return [one for one in found if one.asked["level"] == level]


def _value(one: Answer) -> float:
    return one.value or 0.0


# One run


def _spreads(fabric: Fabric, found: Sequence[Answer]) -> Iterator[Test]:
    """Yield the spreads of a rail and plane; where fewer than two pairs were measured there is none."""
    plain = [one for one in found if one.asked["kind"] == BANDWIDTH and not one.asked["step"]]
    for level in ("pairs", "rails"):
        rails = _grouped(_of(plain, level), lambda asked: (asked["rail"], asked["plane"]))
        for rows in rails.values():
            measured = sorted((one for one in rows if one.value is not None), key=_value)
            if len(measured) < 2:
                continue
            low, high = measured[0], measured[-1]
            share = 100 * (1 - _value(low) / _value(high))
            fastest = f"{high.asked['first']} to {high.asked['second']}"
            says = f"{low.value:g} Gb/s, and {fastest} {high.value:g} Gb/s: {share:.1f} % less"
            yield _compared(fabric, low, "spread", share, says)


def _means(fabric: Fabric, found: Sequence[Answer]) -> Iterator[Test]:
    rows = [one for one in _of(found, "bisection") if not one.asked["step"]]
    if not rows:
        return
    slowest, measure = min(rows, key=_value), limits.rate(limits.class_of(fabric), "links")
    if (bad := _bad(rows)) or not measure:
        yield _absent(fabric, bad or slowest, "mean")
        return
    mean = statistics.fmean(map(_value, rows))
    share = 100 * mean / measure
    says = f"the slowest of {len(rows)} pairs has {slowest.value:g} Gb/s, their mean {mean:.1f} Gb/s: {share:.1f} %"
    yield _compared(fabric, slowest, "mean", share, says)


def _placements(fabric: Fabric, found: Sequence[Answer]) -> Iterator[Test]:
    """Worst of best, for each operation, split and number of nodes."""
    rows = [one for one in _of(found, "collectives") if not one.asked["step"]]
    for pair in _grouped(
        rows, lambda asked: (asked["operation"], asked["split"], len(asked["nodes"]))
    ).values():
        by_placement = {one.asked["placement"]: one for one in pair}
        best, worst = by_placement.get("best"), by_placement.get("worst")
        if best is None or worst is None:
            continue
        if bad := _bad((best, worst)):
            yield _absent(fabric, bad, "worst")
            continue
        share = 100 * _value(worst) / _value(best)
        says = f"{worst.value:g} GB/s, {share:.1f} % of {best.value:g} GB/s in the best placement"
        yield _compared(fabric, worst, "worst", share, says)


# Runs beside each other


def _noise(fabric: Fabric, found: Sequence[Answer]) -> Iterator[Test]:
    ends = ("kind", "first", "second", "rail", "plane", "operation")
    for rows in _grouped(
        _of(found, "noise"),
        lambda asked: tuple(asked[key] for key in ends),  # type: ignore[literal-required]
    ).values():
        latency = rows[0].asked["kind"] == LATENCY
        steps = {name: _step(rows, name) for name in (ALONE, TOGETHER, AGAIN)}
        repeats = min(map(len, steps.values()))
        if bad := _bad(rows):
            yield _absent(fabric, bad, "p99" if latency else "together")
        elif repeats < LEVELS["noise"].repeats:
            few = f"{repeats} of {LEVELS['noise'].repeats} repeats were measured."
            yield _absent(
                fabric, rows[0]._replace(state=NOT_RUN, why=few), "p99" if latency else "together"
            )
        else:
            yield from _disturbed(fabric, rows[0], steps, latency=latency)


def _step(rows: Iterable[Answer], name: str) -> list[Answer]:
    return [one for one in rows if one.asked["step"].partition("-")[0] == name]


def _disturbed(
    fabric: Fabric, one: Answer, steps: dict[str, list[Answer]], *, latency: bool
) -> Iterator[Test]:
    """Together of alone, and again of alone: where the victims changed by themselves, nothing is shown."""
    medians = {
        name: statistics.median((a.p99 if latency else a.value) or 0.0 for a in rows)
        for name, rows in steps.items()
    }
    unit, lost = UNITS[one.asked["kind"]], next((a.lost for a in steps[TOGETHER] if a.lost), "")
    for figure, name, when in (
        ("p99" if latency else "together", TOGETHER, "beside aggressors"),
        *(() if latency else (("again", AGAIN, "afterwards"),)),
    ):
        share = 100 * medians[name] / medians[ALONE]
        what = f"99 % of its messages take {medians[name]:g}" if latency else f"{medians[name]:g}"
        says = f"{what} {unit} {when}, {share:.1f} % of {medians[ALONE]:g} {unit} alone"
        own = one._replace(counters=_counted(steps[name]))
        yield _compared(fabric, own, figure, share, says, lost=lost if name == TOGETHER else "")


def _counted(rows: Iterable[Answer]) -> dict[str, int]:
    """The counters that rose in some measurements, of all together."""
    made: collections.Counter[str] = collections.Counter()
    for one in rows:
        made.update(one.counters)
    return dict(sorted(made.items()))


def _failover(
    fabric: Fabric, found: Sequence[Answer], shares: Mapping[str, float]
) -> Iterator[Test]:
    """The bandwidth that is shut may be lost while it is, and nothing afterwards."""
    kinds = _grouped(_of(found, "failover"), lambda asked: asked["step"].partition("-")[2])
    for kind, rows in kinds.items():
        steps = {name: _step(rows, name) for name in (BEFORE, DURING, AFTER)}
        for figure, allowed in ((DURING, 100 * shares.get(str(kind), 0.0)), (AFTER, 0.0)):
            two = [*steps[BEFORE], *steps[figure]]
            if bad := _bad(two):
                yield _absent(fabric, bad, figure, less=allowed)
            elif not steps[BEFORE] or not steps[figure]:
                missing = rows[0]._replace(state=FAIL, why=f"{figure}: nothing was measured.")
                yield _absent(fabric, missing, figure, less=allowed)
            else:
                now, before = (statistics.median(map(_value, steps[n])) for n in (figure, BEFORE))
                share = 100 * now / before
                when = f"{'while' if figure == DURING else 'after'} a {str(kind).replace('_', ' ')} was shut"
                says = f"{now:g} GB/s {when}, {share:.1f} % of {before:g} GB/s before"
                yield _compared(fabric, steps[figure][0], figure, share, says, less=allowed)


# Tests


def _bad(rows: Iterable[Answer]) -> Answer | None:
    """The first that failed, else the first that was not run; None where each has a value."""
    missing = [one for one in rows if one.state != MEASURED]
    return next((one for one in missing if one.state == FAIL), missing[0] if missing else None)


def _absent(fabric: Fabric, one: Answer, figure: str, *, less: float = 0.0) -> Test:
    """A comparison without a value, for the reason of one of its measurements."""
    step = f"{one.asked['step']}: " if one.asked["step"] else ""
    made = _compared(fabric, one, figure, 0.0, f"{step}{one.why}", less=less)
    made["value"], made["state"] = None, one.state
    made["sentence"] = f"{where(fabric, one.asked)}: {step}{one.why}"
    return made


def _compared(
    fabric: Fabric,
    one: Answer,
    figure: str,
    value: float,
    says: str,
    *,
    less: float = 0.0,
    lost: str = "",
) -> Test:
    """The test of a percentage; `less` is taken off its limit, `lost` are packets that fail it."""
    asked = one.asked
    row = limits.find(limits.class_of(fabric), asked["level"], figure)
    limit = None if row is None else round(row.percent - less, 3)
    state, bound = NOT_RUN, "no limit is known for it."
    if row is not None and limit is not None:
        passes = value <= limit if row.most else value >= limit
        state = PASS if passes and not lost else FAIL
        bound = (
            f"but {lost}."
            if passes and lost
            else f"limit: {'at most' if row.most else 'at least'} {limit:g} %."
        )
    return {
        **case_of(asked),
        "id": "/".join((asked["level"], figure, asked["id"].partition("/")[2])),
        "step": figure,
        "kind": RATIO,
        "value": round(value, 3),
        "unit": UNITS[RATIO],
        "limit": limit,
        "limit_source": limits.said(row) if row else "",
        "state": state,
        "sentence": f"{where(fabric, asked)}: {says}, {bound}",
        "counters": one.counters,
    }
