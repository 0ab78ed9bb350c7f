# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence of tests: the elements that failed tests share, and those that passed tests rule out.

A slow element caps every test through it. So it explains a failed test if no test through it was much faster, and if
most tests through it failed. The fewest such elements that explain all failed tests are the culprits; others that would
explain the same tests as well are alternatives, which only more tests or counters can rule out.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import heapq
import statistics
import typing as t

from ...plan.topology.cabling import Node
from ..plan.records import BANDWIDTH, BIDIRECTIONAL, FAIL, LATENCY, PASS, ends
from . import elements
from .elements import BOTH, RECEIVES, SENDS

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..plan.records import Test
    from .elements import Element, End, Path, Paths

FAMILIES = (frozenset([BANDWIDTH, BIDIRECTIONAL]), frozenset([LATENCY]))
"""Kinds that prove each other: a slow port need not have a long latency."""
LEVELS = ("pairs", "rails", "bisection")
"""Levels whose failures point to elements, by load: what passes a heavier one passes a lighter one."""
NOISE = 0.04
"""Two tests of the same fault differ by no more: twice the noise of a test, taken as 1.5 %, and a margin [inferred]."""
NEAR = 0.02
"""A failed test this near to what healthy pairs reach shows no fault: the limit is within the noise [inferred]."""
COST = {
    elements.CABLE: 1.0,
    elements.NIC: 1.0,
    elements.NODE: 1.0,
    elements.LEAF_SWITCH: 1.5,
    elements.UPLINKS: 1.5,
    elements.SPINES: 2.0,
    elements.TOPS: 2.0,
    elements.PLANE: 2.5,
}
"""Evidence that is required before a fault is assumed: more for elements on which many depend [inferred]."""
UNEXPLAINED, UNEQUAL = 4.0, 1.5
"""Cost of a failed test that nothing explains, and of one that differs from the other tests of its explanation."""
UNSTEADY = 2
"""Failed tests that nothing steady explains, before a port on their path is called unsteady."""
SLACK = 1.0
"""An explanation that costs no more than this above the chosen one stays an alternative."""


class JudgedTest(t.NamedTuple):
    """A judged test between two NIC ports. `reached` is its value, as a share of what healthy pairs reach."""

    number: int
    first: End
    second: End
    path: Path
    rank: int
    reached: float | None
    failed: bool


@dataclasses.dataclass(frozen=True)
class Explanation:
    """An element that explains failed tests, and what else would explain the same: `couples` two together."""

    element: Element
    tests: tuple[JudgedTest, ...]
    others: tuple[Element, ...]
    couples: tuple[Element, ...] = ()

    @property
    def members(self) -> tuple[Element, ...]:
        """The element and its alternatives."""
        return (self.element, *self.others, *self.couples)


def tried(paths: Paths, tests: Iterable[Test], kinds: frozenset[str]) -> list[JudgedTest]:
    """The tests that say something about elements; others are left out."""
    usable = [
        x
        for x in tests
        if x["kind"] in kinds and x["level"] in LEVELS and x["state"] in (PASS, FAIL)
    ]
    normal = _normal(usable)
    made = []
    for number, test in enumerate(usable):
        first, second = (paths.end(*port) for port in ends(test))
        if first is not None and second is not None and first.node != second.node:
            path = paths.path(first, second, both_ways=test["kind"] != BANDWIDTH)
            rank, reached = LEVELS.index(test["level"]), _reached(test, normal)
            failed = test["state"] == FAIL and (reached is None or reached <= 1 - NEAR)
            made.append(JudgedTest(number, first, second, path, rank, reached, failed))
    return made


def _reached(test: Test, normal: dict[tuple[str, str], float]) -> float | None:
    """Rate of a test, as a share of the normal one. None where only its state counts: of a latency, without a value, or
    with lost packets."""
    whole = normal.get((test["level"], test["kind"])) or test["limit"]
    value, limit = test["value"], test["limit"]
    if test["kind"] == LATENCY or value is None or not whole:
        return None
    lost = test["state"] == FAIL and limit is not None and value >= limit
    return None if lost else value / whole


def _normal(tests: Iterable[Test]) -> dict[tuple[str, str], float]:
    """By level and kind: the median of what passed."""
    passed: dict[tuple[str, str], list[float]] = collections.defaultdict(list)
    for test in tests:
        if test["state"] == PASS and test["value"] is not None:
            passed[test["level"], test["kind"]].append(test["value"])
    return {key: statistics.median(values) for key, values in passed.items()}


class Record:
    """Tests through an element in one direction: by load, how many passed and failed, and the best of them."""

    __slots__ = ("best", "failed", "passed")

    def __init__(self) -> None:
        self.passed, self.failed, self.best = [0, 0, 0], [0, 0, 0], [0.0, 0.0, 0.0]

    def add(self, test: JudgedTest) -> None:
        """Count a test."""
        (self.failed if test.failed else self.passed)[test.rank] += 1
        reached = test.reached if test.reached is not None else float(not test.failed)
        self.best[test.rank] = max(self.best[test.rank], reached)


_NOTHING = Record()


class Evidence:
    """The failed tests, the elements on their paths, and what all tests say about these."""

    def __init__(self, paths: Paths, tests: Sequence[Test], kinds: frozenset[str]) -> None:
        self.paths = paths
        self.kinds = kinds
        self.tests = tried(paths, tests, kinds)
        self.failed = [test for test in self.tests if test.failed]
        self._records: dict[int, Record] = {}
        self._counted: dict[tuple[int, int], tuple[int, int, float]] = {}
        self._count()

    def _count(self) -> None:
        met = {key // 3 for test in self.failed for key in test.path}
        for test in self.tests if met else ():
            for key in test.path:
                if key // 3 in met:
                    record = self._records.get(key)
                    if record is None:
                        record = self._records[key] = Record()
                    record.add(test)

    def counts(self, key: int, rank: int) -> tuple[int, int, float]:
        """Failed and passed tests through an element in a direction, and the best; under no less load.

        A NIC and a cable have the load of one pair at every level. A test of both ways proves each of them, and none of
        one way proves both at once.
        """
        if (key, rank) not in self._counted:
            self._counted[key, rank] = self._counts(key, rank)
        return self._counted[key, rank]

    def _counts(self, key: int, rank: int) -> tuple[int, int, float]:
        start = 0 if self.paths.element(key).kind in (elements.NIC, elements.CABLE) else rank
        way = key % 3
        found = [self._records.get(key - way + w, _NOTHING) for w in sorted({way, BOTH})]
        passed = sum(sum(x.passed[start:]) for x in found)
        best = max(max(x.best[start:]) for x in found)
        return sum(sum(x.failed[start:]) for x in found), passed, best

    def penalty(self, key: int, test: JudgedTest) -> float:
        """Penalty for the unexplained part of a failed test if an element is at fault: 0, UNEQUAL or UNEXPLAINED."""
        failed, passed, best = self.counts(key, test.rank)
        if failed <= passed:
            return UNEXPLAINED
        if test.reached is None or best <= test.reached * (1 + NOISE):
            return 0.0
        return UNEXPLAINED if passed else UNEQUAL

    @functools.cached_property
    def viable(self) -> dict[Element, dict[int, float]]:
        """By element: the failed tests that it explains, by number, with their penalties."""
        made: dict[Element, dict[int, float]] = collections.defaultdict(dict)
        for test in self.failed:
            for key in test.path:
                penalty = self.penalty(key, test)
                if penalty < UNEXPLAINED:
                    made[self.paths.element(key)][test.number] = penalty
        return dict(made)

    def passes(self, end: End, way: int) -> bool:
        """Check whether a port has passed a test in a direction."""
        return end.keys[way][-1] in self._passing

    @functools.cached_property
    def _passing(self) -> frozenset[int]:
        """The last keys of the ends of passed tests: of their cables, in both directions where a test proves both."""
        made = set[int]()
        for test in self.tests:
            if not test.failed:
                both = test.path[0] % 3 == BOTH
                ways = ((test.first, (SENDS, RECEIVES)), (test.second, (SENDS, RECEIVES)))
                one_way = ((test.first, (SENDS,)), (test.second, (RECEIVES,)))
                made.update(end.keys[w][-1] for end, ws in (ways if both else one_way) for w in ws)
        return frozenset(made)

    @functools.cached_property
    def explained(self) -> list[Explanation]:
        """The fewest elements that explain the failed tests, with what each alone explains."""
        chosen = _pruned(self.viable, _cover(self.viable))
        made = []
        for element in chosen:
            own = _own(self.viable, element, chosen)
            others = tuple(self._others(element, own, chosen))
            couples = tuple(e for e in self._couples(element, own) if e not in others)
            found = tuple(self._failures[n] for n in sorted(own))
            made.append(Explanation(element, found, others, couples))
        return made

    @functools.cached_property
    def unexplained(self) -> list[JudgedTest]:
        """Failed tests on whose path everything passed most of its tests."""
        viable = {number for found in self.viable.values() for number in found}
        return [test for test in self.failed if test.number not in viable]

    @functools.cached_property
    def unsteady(self) -> list[Explanation]:
        """Cables, each with its NIC, that have in common what nothing steady explains."""
        made, left = [], self.unexplained
        while left:
            counted = collections.Counter(end for test in left for end in (test.first, test.second))
            end, times = counted.most_common(1)[0]
            if times < UNSTEADY:
                break
            own = tuple(test for test in left if end in (test.first, test.second))
            made.append(Explanation(end.own[2], own, (end.own[1],)))
            left = [test for test in left if test not in own]
        return made

    def _others(
        self, element: Element, own: dict[int, float], chosen: Sequence[Element]
    ) -> Iterator[Element]:
        """Elements that would explain the same tests, and cost little more."""
        first = self._failures[min(own)]
        most = _most(element, own)
        for other in self.paths.elements(first.path):
            found = self.viable.get(other, {})
            if other == element or other in chosen or not own.keys() <= found.keys():
                continue
            if COST[other.kind] + sum(found[n] for n in own) <= most:
                yield other

    def _couples(self, element: Element, own: dict[int, float]) -> dict[Element, None]:
        """Nodes, NICs and cables of which two explain the same tests as what hosts share.

        In a ring on one leaf every second slow port fails every pair, as a slow leaf does.
        """
        made: dict[Element, None] = {}
        if isinstance(element.device, Node):
            return made
        number, most = min(own), _most(element, own)
        for one in self._of_hosts(number):
            left = [n for n in own if n not in self.viable[one]]
            for two in self._of_hosts(left[0]) if left else ():
                found = (self.viable[one], self.viable[two])
                cost = sum(min(x.get(n, UNEXPLAINED) for x in found) for n in own)
                if COST[one.kind] + COST[two.kind] + cost <= most:
                    made |= {one: None, two: None}
        return made

    def _of_hosts(self, number: int) -> list[Element]:
        """Return the elements of a failed test's two hosts that explain it."""
        test = self._failures[number]
        found = (*test.first.own, *test.second.own)
        return [e for e in found if number in self.viable.get(e, {})]

    @functools.cached_property
    def _failures(self) -> dict[int, JudgedTest]:
        return {test.number: test for test in self.failed}


def _most(element: Element, own: dict[int, float]) -> float:
    """Limit of the cost of another explanation of the same tests."""
    return COST[element.kind] + sum(own.values()) + SLACK


def _cover(viable: dict[Element, dict[int, float]]) -> list[Element]:
    """Elements, each time the one that saves most, until none saves anything.

    What an element saves never grows, so a heap of earlier figures is enough to find the largest.
    """
    left: dict[int, float] = collections.defaultdict(lambda: UNEXPLAINED)
    heap = [(-_saved(viable[e], left, e), e.kind, n, e) for n, e in enumerate(viable)]
    heapq.heapify(heap)
    chosen = []
    while heap:
        _old, _kind, number, element = heapq.heappop(heap)
        saved = _saved(viable[element], left, element)
        if heap and -saved > heap[0][0]:
            heapq.heappush(heap, (-saved, element.kind, number, element))
        elif saved > 0:
            chosen.append(element)
            left.update({n: min(left[n], p) for n, p in viable[element].items()})
    return chosen


def _saved(tests: dict[int, float], left: dict[int, float], element: Element) -> float:
    return sum(max(0.0, left[n] - p) for n, p in tests.items()) - COST[element.kind]


def _own(
    viable: dict[Element, dict[int, float]], element: Element, chosen: Sequence[Element]
) -> dict[int, float]:
    """The tests that no other chosen element explains as well."""
    others = [viable[other] for other in chosen if other != element]
    return {
        number: penalty
        for number, penalty in viable[element].items()
        if all(other.get(number, UNEXPLAINED) > penalty for other in others)
    }


def _pruned(viable: dict[Element, dict[int, float]], chosen: list[Element]) -> list[Element]:
    """Without those that later ones made superfluous."""
    for element in list(chosen):
        if not _own(viable, element, chosen):
            chosen = [other for other in chosen if other != element]
    return chosen
