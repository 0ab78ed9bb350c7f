# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The heat map of a run as compact data: for each node and NIC port the lowest bandwidth, and what failed.

    {nodes: [name], sus: [[title, first node, nodes]], columns: ["rail 1", ...],
     views: [{title, unit, limits, best, lowest: [number, ...], failed: {cell: [failed, tests]}}],
     failures: [[view, first, second, column, sentence], ...], left_out}

A cell is node * columns + column. A measurement counts at both of its ends. -1 is not measured.
"""

from __future__ import annotations

import typing as t

from ..plan.records import BANDWIDTH, BIDIRECTIONAL, FAIL, NOT_RUN, ends
from .figures import KINDS, brief

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..plan.records import Port, Test
    from .schema import RunRecord

MOST_FAILURES = 1000
"""Failed measurements that the data have; the worst are first."""
UNKNOWN = -1
Column = tuple[int, int]


def data(record: RunRecord) -> dict[str, t.Any]:
    """The data of the map; `views` is empty where no test measured the bandwidth of a rail."""
    nodes = sorted(record["nodes"], key=lambda name: tuple(record["places"][name].values()))
    tests = [one for one in record["tests"] if _mapped(one)]
    columns = sorted({_column(port) for one in tests for port in ends(one)})
    names = dict.fromkeys((one["level"], one["kind"]) for one in tests)
    map_ = _Map({name: number for number, name in enumerate(nodes)}, columns)
    views = [
        map_.view(*name, tests=[one for one in tests if (one["level"], one["kind"]) == name])
        for name in names
    ]
    failures = sorted((one for one in tests if one["state"] == FAIL), key=_badness)
    numbers = {name: number for number, name in enumerate(names)}
    return {
        "nodes": nodes,
        "sus": list(_sus(record, nodes)),
        "columns": _titles(columns),
        "views": views,
        "failures": [map_.failure(one, numbers) for one in failures[:MOST_FAILURES]],
        "left_out": max(0, len(failures) - MOST_FAILURES),
    }


def _mapped(test: Test) -> bool:
    return test["kind"] in (BANDWIDTH, BIDIRECTIONAL) and test["rail"] is not None


def _column(port: Port) -> Column:
    _name, rail, plane = port
    return t.cast(int, rail), plane or 0


def _titles(columns: Sequence[Column]) -> list[str]:
    """`rail 1`, or `rail 1 plane 2` where a rail has several."""
    several = len({rail for rail, _plane in columns}) < len(columns)
    return [
        f"rail {rail + 1}" + (f" plane {plane + 1}" if several else "") for rail, plane in columns
    ]


def _sus(record: RunRecord, nodes: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """(title, number of the first node, nodes) of each SU, in order."""
    places = [record["places"][name] for name in nodes]
    keys = [(place["pod"], place["su"]) for place in places]
    pods = len({pod for pod, _su in keys}) > 1
    for pod, su in dict.fromkeys(keys):
        title = f"pod {pod + 1}, SU {su + 1}" if pods else f"SU {su + 1}"
        yield title, keys.index((pod, su)), keys.count((pod, su))


def _badness(test: Test) -> float:
    """Less is worse: the share of the limit, nothing for what was not measured."""
    return (test["value"] or 0) / (test["limit"] or 1)


class _Map:
    """Nodes and columns by their numbers."""

    def __init__(self, nodes: dict[str, int], columns: Sequence[Column]) -> None:
        self.nodes, self.columns = nodes, {one: number for number, one in enumerate(columns)}

    def view(self, level: str, kind: str, *, tests: Sequence[Test]) -> dict[str, t.Any]:
        """One level and kind."""
        lowest: list[float] = [UNKNOWN] * (len(self.nodes) * len(self.columns))
        counts: dict[int, list[int]] = {}
        for test in tests:
            for cell in self._cells(test):
                made = counts.setdefault(cell, [0, 0])
                made[0] += test["state"] == FAIL
                made[1] += test["state"] != NOT_RUN
                value = test["value"]
                if value is not None and not 0 <= lowest[cell] <= value:
                    lowest[cell] = _short(value)
        return {
            "title": f"{level}, {KINDS[kind]}",
            "unit": tests[0]["unit"],
            "limits": sorted({one["limit"] for one in tests if one["limit"] is not None}),
            "best": max(lowest),
            "lowest": lowest,
            "failed": {cell: made for cell, made in counts.items() if made[0]},
        }

    def failure(self, test: Test, views: dict[tuple[str, str], int]) -> list[t.Any]:
        """A failed test as a row of numbers and its sentence; the column is the sender's."""
        first, second = ends(test)
        crossed = (
            ""
            if _column(first) == _column(second)
            else f"received on rail {_column(second)[0] + 1}: "
        )
        return [
            views[test["level"], test["kind"]],
            *(self.nodes.get(name, UNKNOWN) for name, _rail, _plane in (first, second)),
            self.columns[_column(first)],
            crossed + brief(test),
        ]

    def _cells(self, test: Test) -> Iterator[int]:
        for port in ends(test):
            if port[0] in self.nodes:
                yield self.nodes[port[0]] * len(self.columns) + self.columns[_column(port)]


def _short(value: float) -> float:
    """Rounded down, whole from 100 on: a page of 2,048 nodes has 16,384 of them for each view."""
    return int(value) if value >= 100 else int(value * 10) / 10
