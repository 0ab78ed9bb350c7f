# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disturbances in level noise: the tenants, the leaf, and the amount.

The aggressors are known, as the plan places them. What is found is the leaf that does not hold their incast back: one
with a receiver of the incast, which a pair of victims shares. Pairs that are slow alone again show nothing.
"""

from __future__ import annotations

import typing as t

from ...description.words import some
from ...plan.topology.cabling import NicPort
from . import placement
from .jobs import PRIORITY
from .levels import AGAIN, TOGETHER
from .noise_tenants import NOISY, QUIET
from .records import FAIL, Suspect

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Node
    from .records import Pair, Test

LEVEL, TENANT = "noise", "tenant"
P99 = "p99"
MOST = 3
"""Sentences of victims that are quoted of a leaf, those that lost most first."""
PAUSES = f"rx_prio{PRIORITY}_pause"
"""Pauses that the network sent (Linux kernel, drivers/net/ethernet/mellanox/mlx5/counters.rst)."""


class _Hit(t.NamedTuple):
    """A comparison that failed; `alone` where this leaf is the only one of its two that an incast congests."""

    test: Test
    alone: bool


def find(fabric: Fabric, tests: Sequence[Test], nodes: Iterable[str]) -> list[Suspect]:
    """The leaves on which aggressors disturb victims, the certain ones first; empty where no victim lost anything.

    `nodes` are those of the run. `score` is the share (0 to 1) of the failed comparisons that meet the leaf.
    """
    failed = list(_failed(tests))
    if not failed:
        return []
    incasts = _incasts(fabric, placement.noise(fabric, nodes).incast)
    hits: dict[str, list[_Hit]] = {}
    for test in failed:
        leaves = _leaves(fabric, test)
        congested = [leaf for leaf in leaves if leaf in incasts]
        for leaf in congested or leaves:
            hits.setdefault(leaf, []).append(_Hit(test, len(congested) == 1))
    found = [_suspect(leaf, own, incasts.get(leaf, []), len(failed)) for leaf, own in hits.items()]
    return sorted(found, key=lambda one: (not one["certain"], -one["score"], one["place"]))


def _failed(tests: Sequence[Test]) -> Iterator[Test]:
    """Comparisons of victims beside aggressors that failed by their value."""
    noisy = [test for test in tests if test["level"] == LEVEL]
    unsteady = {_ends(x) for x in noisy if x["step"] == AGAIN and x["state"] == FAIL}
    for test in noisy:
        measured = test["state"] == FAIL and test["value"] is not None
        if measured and test["step"] in (TOGETHER, P99) and _ends(test) not in unsteady:
            yield test


def _ends(test: Test) -> tuple[object, ...]:
    return test["first"], test["second"], test["rail"], test["plane"]


def _leaf(fabric: Fabric, name: str, nic: NicPort) -> str:
    node = t.cast("Node", fabric.known(name))
    return fabric.name(fabric.cabling.leaf_of(node, nic)[0])


def _leaves(fabric: Fabric, test: Test) -> list[str]:
    nic = NicPort(test["rail"] or 0, test["plane"] or 0)
    ends = (test["first"], test["second"])
    return list(dict.fromkeys(_leaf(fabric, name, nic) for name in ends))


def _incasts(fabric: Fabric, pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    """The pairs of the incast by the leaf of their receiver."""
    made: dict[str, list[Pair]] = {}
    for pair in pairs:
        leaf = _leaf(fabric, pair.second, NicPort(pair.rail, pair.plane))
        made.setdefault(leaf, []).append(pair)
    return made


def _suspect(leaf: str, hits: Sequence[_Hit], incast: Sequence[Pair], every: int) -> Suspect:
    tests = sorted((hit.test for hit in hits), key=_kept)
    return Suspect(
        kind=TENANT,
        place=f"{NOISY} on {leaf}",
        certain=any(hit.alone for hit in hits),
        score=round(len(hits) / every, 3),
        reasons=[
            _who(incast),
            *(test["sentence"] for test in tests[:MOST]),
            *_paused(tests, incast),
        ],
    )


def _kept(test: Test) -> tuple[bool, float]:
    """Bandwidth before latency; less is worse."""
    value = test["value"] or 0.0
    return test["step"] == P99, -value if test["step"] == P99 else value


def _who(incast: Sequence[Pair]) -> str:
    """Describe the senders and receivers on the leaf."""
    if not incast:
        return (
            f"It disturbs tenant {QUIET}, and no incast has its receiver on a leaf of these victims: it is one of "
            "their leaves, or what is above them."
        )
    to = " and ".join(dict.fromkeys(f"{pair.second}, rail {pair.rail + 1}" for pair in incast))
    return f"It disturbs tenant {QUIET} here: {_senders(incast)} send to {to}."


def _senders(incast: Iterable[Pair]) -> str:
    return " and ".join(some(list(dict.fromkeys(pair.first for pair in incast))))


def _paused(tests: Iterable[Test], incast: Sequence[Pair]) -> Iterator[str]:
    """Pauses at victims show that nothing slows the senders before buffers are full."""
    counted: Mapping[object, int] = {
        _ends(test): test["counters"].get(PAUSES, 0) for test in tests if test["step"] == TOGETHER
    }
    if incast and (number := sum(counted.values())):
        yield (
            f"The network sent these victims {number} pauses ({PAUSES}): check the congestion control of "
            f"{_senders(incast)}."
        )
