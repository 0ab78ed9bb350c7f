# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedule of measurements: the rounds of each level in turn, then those that look for the slow part.

    following(fabric, plan, done)     the next steps; none when nothing is left to measure

It follows from what is done alone, so that a run after a killed one asks for what is missing and for nothing else.
A level that builds on one with a failure is not measured: it would disturb more and show less.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...description.errors import FabricError
from ...description.words import some
from ..plan import failover, noise_tenants, placement
from ..plan.levels import CROSSED, LEVELS, PHASES, TOGETHER
from ..plan.records import BANDWIDTH, FAIL, asked, asked_of
from . import screening, verdict
from .waivers import NONE, Waivers

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ...plan.fabric import Fabric
    from ..plan.records import Group, HostMeasurement, Noise, PlannedMeasurement, Round, Test
    from .baselines import Baselines

PAIRS, COLLECTIVES, NOISE = "pairs", "collectives", "noise"
LOAD = "load"
"""Prefix of the step of a load that only disturbs others."""
SEARCHED = ("pairs", "rails")
"""Levels whose failures are looked into pair by pair. A pair alone shows nothing of a full spine."""
SEARCH = "search"
MOST_SEARCHES = 60
"""Rounds that may look for the slow part in a level (ours: NVIDIA's search takes up to 57 for 5 bad nodes of 232)."""


class Step(t.NamedTuple):
    """Measurements that run side by side; `key` is unique in a run. `load` disturbs them, and is not judged."""

    key: str
    level: str
    asked: list[PlannedMeasurement]
    load: list[PlannedMeasurement] = []  # nobody writes to it


class StepResult(t.NamedTuple):
    """A step whose measurements were made, or could not be made."""

    level: str
    asked: list[PlannedMeasurement]
    measured: list[HostMeasurement]


@dataclasses.dataclass(frozen=True)
class Plan:
    """Plan of a run's measurements; for the acceptance of a node (`only`), its own pairs, and no search.

    A `command` of the site measures bandwidth in one direction, and nothing else. Without a `launcher` a collective
    has one node. With `cross`, level pairs has pairs between rails too.
    """

    levels: Sequence[str]
    nodes: Sequence[str]
    known: Baselines
    only: str = ""
    command: bool = False
    launcher: bool = True
    cross: bool = False
    waivers: Waivers = NONE


# The steps of a level


def steps(
    fabric: Fabric,
    level: str,
    nodes: Sequence[str],
    *,
    only: str = "",
    command: bool = False,
    launcher: bool = True,
    cross: bool = False,
) -> list[Step]:
    """The steps of a level, nearest pairs first and those between rails last, one kind of measurement in each."""
    if level == COLLECTIVES:
        return [*_alone(fabric, nodes), *(_together(fabric, nodes) if launcher else ())]
    if level in _OTHERS:
        return list(_OTHERS[level](fabric, nodes))
    made = []
    kinds = [k for k in LEVELS[level].parameters["kinds"] if not command or k == BANDWIDTH]
    for step, number, found in _rounds(fabric, level, nodes, cross=cross):
        pairs = [one for one in found if not only or only in (one.first, one.second)]
        for kind in kinds if pairs else ():
            rows = [asked(level, pair, kind=kind, step=step) for pair in pairs]
            key = "/".join(filter(None, (level, step, kind, str(number))))
            made.append(Step(key, level, rows))
    return made


def _rounds(
    fabric: Fabric, level: str, nodes: Sequence[str], *, cross: bool
) -> Iterator[tuple[str, int, Round]]:
    """(step, number, pairs) of the rounds of a level."""
    for number, found in enumerate(placement.rounds(fabric, level, nodes), start=1):
        yield "", number, found
    if cross and level == PAIRS:
        for number, found in enumerate(placement.crossed(fabric, nodes), start=1):
            yield CROSSED, number, found


def _together(fabric: Fabric, nodes: Sequence[str]) -> Iterator[Step]:
    """Each operation on each group; of the largest group also rail by rail, which one rail has already.

    NVLink is measured by `_alone`: one job within nodes prints one figure for all of them, which names none.
    """
    level, told = COLLECTIVES, LEVELS[COLLECTIVES].parameters
    groups = placement.groups(fabric, nodes)
    for group in groups:
        for operation in told["operations"]:
            yield _collective(level, group, operation)
    if groups and fabric.description.rails > 1:
        largest = max(groups, key=lambda group: len(group.nodes))
        yield _collective(level, largest, "all_reduce", f"MOD {fabric.description.rails}")


def _alone(fabric: Fabric, nodes: Sequence[str]) -> Iterator[Step]:
    """Each node as a collective of its own, all side by side, as they share nothing; none where a node has one GPU."""
    rows = [
        asked_of(COLLECTIVES, group, operation="all_reduce")
        for group in placement.singles(fabric, nodes)
        if fabric.description.rails > 1
    ]
    if rows:
        yield Step(f"{COLLECTIVES}/alone", COLLECTIVES, rows)


def _collective(level: str, group: Group, operation: str, split: str = "") -> Step:
    one = asked_of(level, group, operation=operation, split=split)
    return Step(one["id"], level, [one])


def _noise(fabric: Fabric, nodes: Sequence[str]) -> Iterator[Step]:
    """The victims alone, beside aggressors and alone again, as often as the level repeats it."""
    level, found = LEVELS[NOISE], placement.noise(fabric, nodes)
    for number in range(1, level.repeats + 1):
        for phase in PHASES:
            step = f"{phase}-{number}"
            load = list(_load(found, number)) if phase == TOGETHER else []
            for kind in level.parameters["kinds"]:
                rows = [asked(NOISE, pair, kind=kind, step=step) for pair in found.measured]
                yield Step(f"{NOISE}/{step}/{kind}", NOISE, rows, load)


def _load(found: Noise, number: int) -> Iterator[PlannedMeasurement]:
    """Yield the load of aggressors: an incast, and one shift of their all-to-all, another in each repeat."""
    for pair in found.incast:
        yield asked(NOISE, pair, step=f"{LOAD}-incast")
    shifts = found.alltoall
    for pair in shifts[(number - 1) % len(shifts)] if shifts else ():
        yield asked(NOISE, pair, step=f"{LOAD}-alltoall")


def tenants(fabric: Fabric, nodes: Sequence[str]) -> dict[str, list[str]]:
    """The nodes of each tenant of level noise, by its slug."""
    found = placement.noise(fabric, nodes)
    return {noise_tenants.QUIET: list(found.victims), noise_tenants.NOISY: list(found.aggressors)}


def _failover(fabric: Fabric, nodes: Sequence[str]) -> Iterator[Step]:
    """Yield the elements to shut, each under a job of its own."""
    for key, rows in failover.steps(fabric, nodes):
        yield Step(key, failover.LEVEL, rows)


_NO_LAUNCHER = "Collectives on several nodes need a launcher: add -e spx_launcher=mpirun or srun."

_OTHERS: dict[str, Callable[[Fabric, Sequence[str]], Iterator[Step]]] = {
    NOISE: _noise,
    failover.LEVEL: _failover,
}
"""Levels that are no rounds of pairs alone."""


def impossible(
    fabric: Fabric, level: str, nodes: Sequence[str], *, launcher: bool, command: bool = False
) -> str:
    """Reason that a level cannot run with these nodes, as a sentence; empty where it can."""
    if command and level not in SEARCHED:
        return f"A command of the site is measured in levels {' and '.join(SEARCHED)}: leave spx_command out."
    one_node = level == COLLECTIVES and fabric.description.rails > 1
    if "launcher" in LEVELS[level].needs and not launcher and not one_node:
        return _NO_LAUNCHER
    try:
        found = steps(fabric, level, nodes, launcher=launcher)
    except FabricError as exc:
        return str(exc)
    if not found:
        return "These nodes make no pair that this level measures: choose nodes of several leaves."
    return ""


def left_out(fabric: Fabric, level: str, nodes: Sequence[str], *, launcher: bool) -> str:
    """Describe the results that a measured level lacks with these nodes, as a sentence; empty where it has all."""
    if level == COLLECTIVES and not launcher:
        return f"Each node is measured alone, which shows its NVLink and not the fabric. {_NO_LAUNCHER}"
    if level not in placement.LEVELS or not (found := placement.unmet(fabric, level, nodes)):
        return ""
    where = "" if level == "rails" else " on another leaf"
    has = "has" if len(found) == 1 else "have"
    return f"{', '.join(some(list(found)))} {has} no partner{where} in this run: choose more nodes, of several leaves."


# What follows from what is done


def following(fabric: Fabric, plan: Plan, done: Mapping[str, StepResult]) -> list[Step]:
    """The next steps: all that a level lacks, or those of its search; none when all is done."""
    so_far: list[Test] = []
    for level in plan.levels:
        if blocked(level, so_far):
            continue
        every = steps(
            fabric,
            level,
            plan.nodes,
            only=plan.only,
            command=plan.command,
            launcher=plan.launcher,
            cross=plan.cross,
        )
        if missing := [step for step in every if step.key not in done]:
            return missing
        found = tests(fabric, level, done, plan.known, waivers=plan.waivers)
        if more := [] if plan.only else _search(fabric, level, plan.nodes, found, done):
            return more
        so_far += found
    return []


def _search(
    fabric: Fabric,
    level: str,
    nodes: Sequence[str],
    found: Sequence[Test],
    done: Mapping[str, StepResult],
) -> list[Step]:
    """The rounds that show more of what failed; none where nothing failed, or enough was tried."""
    number = sum(key.startswith(f"{level}/{SEARCH}-") for key in done)
    failed = any(test["state"] == FAIL and test["kind"] == BANDWIDTH for test in found)
    if level not in SEARCHED or not failed or number >= MOST_SEARCHES:
        return []
    rounds = screening.next_rounds(fabric, found, nodes=nodes) or []
    return [
        _searching(level, number + more, pairs)
        for more, pairs in enumerate(rounds[: MOST_SEARCHES - number], start=1)
    ]


def _searching(level: str, number: int, pairs: Iterable[t.Any]) -> Step:
    step = f"{SEARCH}-{number}"
    return Step(f"{level}/{step}", level, [asked(level, pair, step=step) for pair in pairs])


def blocked(level: str, so_far: Iterable[Test]) -> str:
    """Reason that a level is not measured after earlier failures; empty where it is."""
    failed = {test["level"] for test in so_far if test["state"] == FAIL}
    before = [name for name in LEVELS[level].after if name in failed]
    return f"Level {' and '.join(before)}, on which it builds, has failed." if before else ""


def tests(
    fabric: Fabric,
    level: str,
    done: Mapping[str, StepResult],
    known: Baselines,
    *,
    waivers: Waivers,
) -> list[Test]:
    """The judged measurements of a level."""
    rows = [row for row in done.values() if row.level == level]
    every = [one for row in rows for one in row.asked]
    shut = level == failover.LEVEL and every
    judged = verdict.judge(
        fabric,
        every,
        measurements=[one for row in rows for one in row.measured],
        baselines=known,
        elements=failover.cuts(fabric, every[0]["nodes"]).values() if shut else (),
    )
    return waivers.applied(fabric, judged)
