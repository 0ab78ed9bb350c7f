# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Choice of the pairs to measure next, so that few rounds name the slow part.

1. Screening: for each rail and plane a ring over all nodes, as two rounds of pairs that run side by side. Neighbours in
   the ring are on different leaves, and other nodes in each rail. So each port sends once and receives once, and a
   healthy fabric is done.
2. Bisection: both nodes of a failed pair, each with a healthy partner, in the direction that failed.
3. Confirmation: what is suspected, with a second healthy partner.
4. Mixed pairs: when both nodes are healthy, other nodes of the two leaves with each other and with third leaves, until
   one leaf's uplinks, or the spines, are left.

In a round each node is in one pair only, so that no node's memory or PCIe carries two tests. The answer follows from
the tests alone: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import collections
import functools
import random
import typing as t

from ..plan import placement
from ..plan.records import BANDWIDTH
from .elements import RECEIVES, SENDS, Paths, pair
from .evidence import FAMILIES, Evidence
from .suspects import LEAST

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import NicPort, Switch
    from ..plan.records import Round, Test
    from .elements import Element, End
    from .evidence import Explanation, JudgedTest

MOST_TESTS = 8
"""Tests of a port in one direction before the search gives up on it: it is unsteady, not slow."""
AGAIN = 4
"""Tests of a port in one direction, or between two leaves, that show whether a failed one was a chance."""
_PARTNERS = 8
"""Healthy partners that are looked at for one question."""


def next_rounds(
    fabric: Fabric, tests_so_far: Sequence[Test], *, nodes: Sequence[str] = ()
) -> list[Round] | None:
    """The rounds to measure next; None where no further pair would say more.

    `nodes` are those that may take part: without it those of `tests_so_far`, and all that are built before the first
    test. What is out of service is left out. Each pair of a round is (sender, receiver), to be measured one way; no
    ordered pair of ports is asked for twice.
    """
    paths = Paths(fabric)
    seen = {name: None for x in tests_so_far for name in (x["first"], x["second"]) if name}
    names = list(nodes or seen or (fabric.name(node) for node in fabric.nodes()))
    if not seen:
        return screening(paths, names) or None
    one_way = any(test["kind"] == BANDWIDTH for test in tests_so_far)
    kinds = frozenset([BANDWIDTH]) if one_way else FAMILIES[0]
    evidence = Evidence(paths, tests_so_far, kinds)
    return _packed(fabric, _Search(evidence, _in_service(paths, names)).wanted()) or None


def _in_service(paths: Paths, names: Iterable[str]) -> dict[NicPort, list[End]]:
    """By port: the ends of nodes that are in service at both ends of their cable."""
    fabric = paths.fabric
    nodes = placement.members(fabric, names)
    resting = placement.resting_ports(fabric, nodes)
    made: dict[NicPort, list[End]] = {}
    for nic in paths.ports:
        used = [name for name in nodes.values() if (name, *nic) not in resting]
        made[nic] = [end for name in used if (end := paths.end(name, *nic)) is not None]
    return made


# Screening


def screening(paths: Paths, names: Sequence[str]) -> list[Round]:
    """Two rounds for each rail and plane; where the number of nodes is odd, further ones for what is left."""
    rounds: list[Round] = []
    left: list[tuple[End, End]] = []
    for number, found in enumerate(_in_service(paths, names).values()):
        ring = _ring(found, number)
        edges = list(zip(ring, ring[1:] + ring[:1])) if len(ring) > 1 else []
        if len(ring) % 2:
            left += edges[-1:]
            edges = edges[:-1]
        rounds += [[pair(paths.fabric, *e) for e in edges[start::2]] for start in (0, 1)]
    return [made for made in rounds if made] + _packed(paths.fabric, left)


def _ring(ends: Sequence[End], turn: int) -> list[End]:
    """One node of each leaf after the other, in an order of its own for each turn."""
    by_leaf: dict[Switch, list[End]] = collections.defaultdict(list)
    for end in _mixed(ends, turn):
        by_leaf[end.leaf].append(end)
    layers: list[list[End]] = []
    for depth in range(max(map(len, by_leaf.values()), default=0)):
        layer = [found[depth] for found in by_leaf.values() if depth < len(found)]
        layers.append(
            _apart(_mixed(layer, 1000 * turn + depth), layers[-1][-1] if layers else None)
        )
    return [end for layer in layers for end in layer]


def _mixed(ends: Sequence[End], turn: int) -> list[End]:
    """In an order that looks random and is the same in every run."""
    return random.Random(turn).sample(ends, len(ends))


def _apart(layer: list[End], before: End | None) -> list[End]:
    """Turned, so that it does not begin on the leaf at which the one before ended."""
    if before is not None and layer[0].leaf == before.leaf:
        return layer[1:] + layer[:1]
    return layer


def _packed(fabric: Fabric, wanted: Iterable[tuple[End, End]]) -> list[Round]:
    """Pairs as rounds in which each node is in one pair."""
    rounds: list[tuple[Round, set[str]]] = []
    first: dict[str, int] = collections.defaultdict(int)
    for one, two in wanted:
        busy = {one.name, two.name}
        start = max(first[name] for name in busy)
        place = next((n for n in range(start, len(rounds)) if not rounds[n][1] & busy), len(rounds))
        if place == len(rounds):
            rounds.append(([], set()))
        rounds[place][0].append(pair(fabric, one, two))
        rounds[place][1].update(busy)
        first.update({name: place + 1 for name in busy if place == first[name]})
    return [made for made, _busy in rounds]


# Bisection, confirmation, mixed pairs


class _Search:
    """The open questions that some evidence leaves, and pairs that would answer them."""

    def __init__(self, evidence: Evidence, ends: dict[NicPort, list[End]]) -> None:
        self.evidence, self.paths, self.ends = evidence, evidence.paths, ends
        self.chosen = {e for x in evidence.explained for e in x.members}
        self.taking_part = {end for found in ends.values() for end in found}
        self.done = {(x.first, x.second) for x in evidence.tests}
        self.times = collections.Counter(
            key for x in evidence.tests for key in ((x.first, SENDS), (x.second, RECEIVES))
        )
        self.busy: collections.Counter[str] = collections.Counter()
        self.open: dict[tuple[End, int], None] = {}

    def wanted(self) -> Iterator[tuple[End, End]]:
        """A pair for each open question that has one; nothing where all are settled."""
        for found in (self._untested(), self._sets(), self._hidden(), self._unexplained()):
            for made in found:
                self.done.add(made)
                self.busy.update((made[0].name, made[1].name))
                self.open.pop((made[0], SENDS), None)
                self.open.pop((made[1], RECEIVES), None)
                yield made

    # The four questions

    def _untested(self) -> Iterator[tuple[End, End]]:
        """Ports of the nodes asked for that no test has met, with any partner."""
        for nic in dict.fromkeys(x.first.nic for x in self.evidence.tests):
            for end in self.ends[nic]:
                if not self.times[end, SENDS] and not self.times[end, RECEIVES]:
                    yield from self._first(self._with_healthy(end, SENDS))

    def _sets(self) -> Iterator[tuple[End, End]]:
        """A pair that divides the elements which would explain the same tests, else one that confirms them."""
        for explained in self.evidence.explained:
            members = set(explained.members)
            found = self._dividing(explained, members) if len(members) > 1 else ()
            best = min(found, key=lambda ranked: ranked[0], default=None)
            if best:
                yield best[1]
            elif len(explained.tests) < LEAST:
                for end, way in self._affected(explained):
                    yield from self._first(self._with_healthy(end, way, besides=members))

    def _hidden(self) -> Iterator[tuple[End, End]]:
        """Ports that failed because of another element, and have not passed any test since.

        A pair of two such ports answers for both.
        """
        for end, way in dict.fromkeys(_ends(self.evidence.failed)):
            if not self._passes(end, way) and not self.chosen.intersection((*end.own, end.switch)):
                self.open[end, way] = None
        for end, way in list(self.open):
            if (end, way) in self.open:
                yield from self._first(self._with_healthy(end, way))

    def _unexplained(self) -> Iterator[tuple[End, End]]:
        """Pairs for a failed pair whose ends pass otherwise: each end again, and other nodes of both leaves."""
        for test in self.evidence.unexplained:
            for end, way in _ends([test]):
                if self.times[end, way] < AGAIN:
                    yield from self._first(self._with_healthy(end, way))
            between = (test.first.leaf, test.second.leaf)
            if sum((x.first.leaf, x.second.leaf) == between for x in self.evidence.tests) < AGAIN:
                ones, twos = self._on(test.first), self._on(test.second)
                yield from self._first((one, two) for one in ones for two in twos)

    # Pairs

    def _affected(self, explained: Explanation) -> list[tuple[End, int]]:
        """The ends of the explained tests on whose side the element is."""
        found = dict.fromkeys(_ends(explained.tests))
        own = [x for x in found if explained.element in (*x[0].own, x[0].switch, x[0].uplinks)]
        return (own or list(found))[:1]

    def _dividing(
        self, explained: Explanation, members: set[Element]
    ) -> Iterator[tuple[tuple[int, int], tuple[End, End]]]:
        """Pairs that pass through some members only; the rank is lower where the rest of the path is healthy."""
        for end, way in list(dict.fromkeys(_ends(explained.tests)))[: 2 * _PARTNERS]:
            for other in self._ports_of(end, members):
                for made in self._candidates(other, way):
                    path = self.paths.elements(self.paths.path(*made))
                    met = len(path & members)
                    if 0 < met < len(members) and self._new(*made):
                        doubtful = self._doubtful(path - members, made)
                        yield (doubtful, abs(2 * met - len(members))), made

    def _ports_of(self, end: End, members: set[Element]) -> list[End]:
        """The end, and where its node is suspected the other ports of the node."""
        if end.own[0] not in members:
            return [end]
        others = [self.paths.end(end.name, *nic) for nic in self.paths.ports]
        return [end, *(x for x in others if x and x.nic.rail != end.nic.rail)]

    def _doubtful(self, path: set[Element], made: tuple[End, End]) -> int:
        """Count the elements of a path that are suspected, or have passed no test."""
        unknown = sum(not self._passes(*side) for side in zip(made, (SENDS, RECEIVES)))
        return unknown + len(path & self.chosen)

    def _with_healthy(
        self, end: End, way: int, besides: Iterable[Element] = ()
    ) -> Iterator[tuple[End, End]]:
        """Pairs of an end with partners whose path has no suspect but those of `besides`."""
        for made in self._candidates(end, way):
            path = self.paths.elements(self.paths.path(*made))
            if not (path - set(besides)) & self.chosen:
                yield made

    def _candidates(self, end: End, way: int) -> Iterator[tuple[End, End]]:
        """Pairs of an end in a direction: partners on its own leaf, then on others, healthy ones first."""
        turn = RECEIVES if way == SENDS else SENDS
        for leaf, found in self._partners(end, turn):
            for partner in found:
                if partner.node != end.node and (leaf == end.leaf or partner.leaf != end.leaf):
                    yield (end, partner) if way == SENDS else (partner, end)

    def _partners(self, end: End, way: int) -> Iterator[tuple[Switch, list[End]]]:
        """By leaf, its own first: some ends, healthy ones first."""
        leaves = self._leaves.get(end.nic, {})
        others = [leaf for leaf in leaves if leaf != end.leaf]
        start = sum(end.node) % len(others) if others else 0
        for leaf in [end.leaf, *(others[start:] + others[:start])[:_PARTNERS]]:
            healthy = _turned(self._healthy[way].get((leaf, end.nic), []), end)[:_PARTNERS]
            more = _turned(leaves.get(leaf, []), end)[: _PARTNERS - len(healthy)]
            yield leaf, [*healthy, *(other for other in more if other not in healthy)]

    @functools.cached_property
    def _leaves(self) -> dict[NicPort, dict[Switch, list[End]]]:
        """The ends that take part, by port and leaf."""
        made: dict[NicPort, dict[Switch, list[End]]] = {}
        for nic, ends in self.ends.items():
            for end in ends:
                made.setdefault(nic, {}).setdefault(end.leaf, []).append(end)
        return made

    @functools.cached_property
    def _healthy(self) -> tuple[dict[tuple[Switch, NicPort], list[End]], ...]:
        """By direction, leaf and port: the ends that passed a test and are not suspected."""
        made: tuple[dict[tuple[Switch, NicPort], list[End]], ...] = ({}, {})
        for nic, leaves in self._leaves.items():
            for leaf, ends in leaves.items():
                for way in (SENDS, RECEIVES):
                    good = [end for end in ends if self._passes(end, way)]
                    made[way][leaf, nic] = [e for e in good if not self.chosen.intersection(e.own)]
        return made

    def _on(self, end: End) -> list[End]:
        return _turned(self._leaves.get(end.nic, {}).get(end.leaf, []), end)[:_PARTNERS]

    def _passes(self, end: End, way: int) -> bool:
        return self.evidence.passes(end, way)

    def _new(self, one: End, two: End) -> bool:
        """Check whether a pair that takes part was not measured, and its ends were not measured too often."""
        if one.node == two.node or (one, two) in self.done or not {one, two} <= self.taking_part:
            return False
        return max(self.times[one, SENDS], self.times[two, RECEIVES]) < MOST_TESTS

    def _first(self, found: Iterable[tuple[End, End]]) -> Iterator[tuple[End, End]]:
        """Yield the new pair that answers most open questions, and whose nodes are in few other pairs."""
        new = [made for made in found if self._new(*made)]
        if new:
            yield min(new, key=self._burden)

    def _burden(self, made: tuple[End, End]) -> tuple[int, int, int]:
        sides = list(zip(made, (SENDS, RECEIVES)))
        answered = sum(side in self.open for side in sides)
        doubtful = sum(not self._passes(*side) and side not in self.open for side in sides)
        return doubtful, -answered, sum(self.busy[end.name] for end in made)


def _ends(tests: Iterable[JudgedTest]) -> Iterator[tuple[End, int]]:
    for test in tests:
        yield test.first, SENDS
        yield test.second, RECEIVES


def _turned(found: Sequence[End], end: End) -> list[End]:
    """The ends, beginning after the slot of another, so that not all ask the same one."""
    start = (end.node.slot + 1) % len(found) if found else 0
    return [*found[start:], *found[:start]]
