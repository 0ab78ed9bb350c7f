# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`baselines.yml` of a project: the best that each figure was ever measured, when, and by whom.

    baselines:
      - figure: pairs/bandwidth/leaf/host
        value: 391.8
        unit: Gb/s
        date: 2026-11-22
        by: ana
        run: 20261122T101500Z

A figure is level/what/where/memory: `pairs/bandwidth/pod/gpu`, `collectives/all_reduce/64 nodes best/gpu`.
"""

from __future__ import annotations

import math
import pathlib
import re
import typing as t

from .... import _reports
from ...description import yaml_source
from ...description._third_party import pydantic, yaml
from ...description.base import Strict
from ...description.description import Day
from ...description.errors import Breach, FabricError
from ...description.load import typed
from ..plan.records import BUSBW, CLIENT, LATENCY, PASS, UNITS
from . import limits

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...plan.fabric import Fabric
    from ..plan.records import HostMeasurement, PlannedMeasurement, Test

FILE = "baselines.yml"
"""Beside the description."""
MOST_CHARACTERS = 64
_HEAD = """\
# The best values of this fabric, written by playbook performance. Later runs are compared with them.
# Remove a row to let the next run set it again, for example after other cables or cards.
"""


def _figure(text: str) -> str:
    """A figure that a limit knows."""
    level, _slash, rest = text.partition("/")
    what = rest.partition("/")[0]
    if text.count("/") != 3 or (level, what) not in limits.figures():
        raise ValueError("level/figure/where/memory, such as pairs/bandwidth/leaf/host")
    return text


def _value(number: float) -> float:
    if not math.isfinite(number) or number <= 0:
        raise ValueError("a number above 0")
    return number


def _word(text: str) -> str:
    if not re.fullmatch(rf"\S(.{{0,{MOST_CHARACTERS - 2}}}\S)?", text) or not text.isprintable():
        raise ValueError(f"one line of 1 to {MOST_CHARACTERS} characters")
    return text


Field = pydantic.Field
Word = t.Annotated[str, pydantic.AfterValidator(_word)]


class Baseline(Strict):
    """The best value of a figure."""

    figure: t.Annotated[str, pydantic.AfterValidator(_figure)] = Field(
        description="Level, what was measured, where, and the memory, such as pairs/bandwidth/leaf/host."
    )
    value: t.Annotated[float, pydantic.AfterValidator(_value)] = Field(
        description="The best value that was measured."
    )
    unit: t.Literal["Gb/s", "us", "GB/s"] = Field(description="Unit of the value.")
    date: Day = Field(description="Day of the measurement.")
    by: Word = Field(description="Person who measured it.")
    run: Word = Field(description="Name of the run that has it.")


class File(Strict):
    """The whole file."""

    baselines: list[Baseline] = Field(description="The best value of each figure.")


Baselines = dict[str, Baseline]
"""By figure."""


def load(fabric: Fabric) -> Baselines:
    """The baselines of a project; none where it has no file yet."""
    return read(fabric.beside(FILE))


def read(path: str) -> Baselines:
    """The baselines of a file; none where it does not exist. FabricError has a sentence for each wrong value."""
    if not pathlib.Path(path).exists():
        return {}
    source = yaml_source.read(path)
    rows = typed(File, source).baselines
    if breaches := [*_twice(rows), *_units(rows)]:
        raise FabricError([source.sentence(breach) for breach in breaches])
    return {row.figure: row for row in rows}


def _twice(rows: list[Baseline]) -> Iterator[Breach]:
    seen: dict[str, int] = {}
    for number, row in enumerate(rows):
        if seen.setdefault(row.figure, number) != number:
            says = f"'{row.figure}' is in the file twice: keep one row."
            yield Breach(("baselines", number, "figure"), says)


def _units(rows: list[Baseline]) -> Iterator[Breach]:
    for number, row in enumerate(rows):
        unit = _unit(row.figure)
        if row.unit != unit:
            says = f"'{row.unit}' is not the unit of {row.figure}: use {unit}."
            yield Breach(("baselines", number, "unit"), says)


def _unit(figure: str) -> str:
    what = figure.split("/")[1]
    return UNITS.get(what.removesuffix(limits.CROSSED), UNITS[BUSBW])


def figure_of(asked: PlannedMeasurement, memory: str) -> str:
    """The figure that a measurement is one of; empty where it is held against no baseline."""
    where = asked["distance"]
    if asked["kind"] == BUSBW:
        where = f"{len(asked['nodes'])} nodes {asked['placement']}".strip()
    what = limits.figure_of(asked)
    known = (asked["level"], what) in limits.figures()
    return f"{asked['level']}/{what}/{where}/{memory}" if known else ""


def floor(row: Baseline) -> float:
    """Return the least value that a later run may have; of a latency, the highest."""
    percent, _source = limits.baseline()
    worse = row.value * 100 / percent if row.unit == UNITS[LATENCY] else row.value * percent / 100
    return round(worse, 3)


def better(
    known: Baselines,
    tests: Iterable[Test],
    *,
    asked: Iterable[PlannedMeasurement],
    measurements: Iterable[HostMeasurement],
    date: str,
    by: str,
    run: str,
) -> Baselines:
    """The baselines after a run: of each figure the best of what was known and of the tests that passed.

    `date` is a day such as 2026-11-22, `by` who measured, `run` the name of the run.
    """
    made = dict(known)
    plans = {one["id"]: one for one in asked}
    memory = {one["id"]: one["memory"] for one in measurements if one["side"] == CLIENT}
    for test in tests:
        name, value = test["id"], test["value"]
        if test["state"] != PASS or value is None or not {name} <= plans.keys() & memory.keys():
            continue
        figure = figure_of(plans[name], memory[name])
        if figure and _beats(value, made.get(figure)):
            unit = t.cast("t.Any", test["unit"])
            made[figure] = Baseline(
                figure=figure, value=round(value, 3), unit=unit, date=date, by=by, run=run
            )
    return made


def _beats(value: float, old: Baseline | None) -> bool:
    if old is None:
        return True
    return value < old.value if old.unit == UNITS[LATENCY] else value > old.value


def text(rows: Baselines) -> str:
    """The file of some baselines, by figure."""
    data = {"baselines": [rows[figure].model_dump() for figure in sorted(rows)]}
    return _HEAD + str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120))


def write(path: str, rows: Baselines) -> str:
    """Write a file as a whole; FabricError where that cannot be. Returns its path."""
    return _reports.put(path, text(rows), FabricError.of)
