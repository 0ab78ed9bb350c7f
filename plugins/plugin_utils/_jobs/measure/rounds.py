# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rounds of a planned measurement: which come next, who does what in one, and what came of it. Private.

The state's file is the memory: a round is finished when its measurements are in it.
"""

from __future__ import annotations

import collections
import dataclasses
import math
import time
import typing as t

from ....module_utils._perf.records import FAILED, MEASURED
from ..._fabric.description.errors import FabricError
from ..._fabric.description.words import count
from ..._fabric.measure.judge import baselines, schedule
from ..._fabric.measure.judge.answers import received
from ..._fabric.measure.judge.waivers import Waivers
from ..._fabric.measure.plan import failover, jobs
from ..._fabric.measure.plan.records import CLIENT, FAIL, NOT_RUN, PLUGIN, SERVER, WAIVED
from ..clock import today
from ..summary import duration
from . import state
from .plan import level_of, steps_of
from .records import PLAN, ROUND, ROUNDS, CurrentRound, ShutPorts

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..._fabric.measure.plan.records import Element, HostMeasurement, PlannedMeasurement
    from ..._fabric.plan.fabric import Fabric
    from ..run import Result, Run
    from .records import Measurement

SAID = {FAIL: "failed", WAIVED: "waived", NOT_RUN: "not run"}
LINES = 5
"""Lines of progress for the rounds that are planned, so that a run in which all is well fits on a screen (ours)."""
TURN = 5.0
"""Seconds that one task may take on as many hosts as Ansible has forks (ours)."""
LONGEST = 500.0
"""Seconds that hosts may wait for each other at most: they refuse a beginning that is further away (ours)."""
OVER = "The time of the run was over."
"""Reason that a round, or a level, was not measured."""
MOST_LATE = 3
"""Limit of repetitions for a round in which hosts began too late to meet (ours)."""


def following(run: Run) -> Result:
    """Keep and return the keys of the next rounds; none when all is done, or the time is over."""
    facts = run.store.get(PLAN)
    keys: list[str] = []
    if facts.acts:
        plan = run.fabric()
        found = state.kept(facts.file)
        state.same(facts.file, found, plan)
        steps = [] if time.time() >= found["until"] else _next(plan, facts, found)
        for step in steps:
            row: state.Round = {"level": step.level, "asked": step.asked, "load": step.load}
            state.keep(facts.file, step.key, row)
            lasts = jobs.seconds(level_of(facts, step.level), step.asked)
            late = found["rounds"][step.key]["late"] if step.key in found["rounds"] else 0
            entry: state.Entry = {
                "level": step.level,
                "seconds": lasts,
                "done": False,
                "late": late,
                "gone": False,
            }
            found["rounds"][step.key] = entry
        state.write(facts.file, found)
        keys = [step.key for step in steps]
    run.store.put(ROUNDS, keys)
    return {"changed": False, "rounds": keys}


def _next(plan: Fabric, facts: Measurement, found: state.State) -> list[schedule.Step]:
    known = baselines.load(plan)
    site, waivers = facts.site, Waivers.load(plan, today())
    wanted = schedule.Plan(
        facts.levels,
        facts.nodes,
        known,
        only=facts.accept,
        command=bool(site["command"]),
        launcher=bool(site["launcher"]),
        cross=facts.cross,
        waivers=waivers,
    )
    return schedule.following(plan, wanted, finished(facts.file, found))


def finished(file: str, found: state.State) -> dict[str, schedule.StepResult]:
    """The finished rounds of a state as the schedule reads them."""
    rows = {
        key: state.round_of(file, key) for key, entry in found["rounds"].items() if entry["done"]
    }
    return {
        key: schedule.StepResult(row["level"], row["asked"], row["measured"])
        for key, row in rows.items()
    }


def begin(run: Run, key: str) -> Result:
    """Keep who does what in a round; nobody where the time of the run is over."""
    facts = run.store.get(PLAN)
    found = state.kept(facts.file)
    if key not in found["rounds"]:
        raise FabricError.of(f"round: '{key}' is not planned: run the whole playbook.")
    row = state.round_of(facts.file, key)
    parts: jobs.Parts = {}
    level, now, plan = (
        level_of(facts, row["level"]),
        time.time(),
        run.fabric(),
    )
    if now < found["until"]:
        here, load = (
            [one for one in rows if not _gone(one, found["gone"])]
            for rows in (row["asked"], row["load"])
        )
        parts = jobs.of_round(plan, here, level, facts.site, load=load)
    together = level.shares_spines and sum(jobs.CLIENTS in part for part in parts.values()) > 1
    shut: ShutPorts | None = None
    if level.cuts and parts:
        shut = _shut(failover.cuts(plan, facts.nodes)[failover.kind_of(key)], facts)
        parts = {} if shut.sentence else parts
    current = CurrentRound(
        key=key,
        hosts=parts,
        nodes=sorted(_ends(row["asked"])) if parts else [],
        began=now,
        at=now + _lead(len(parts), found["reach"], run.forks) if together else 0.0,
        late=sorted(_ends(row["asked"])) if row["load"] else [],
        seconds=jobs.seconds(level, row["asked"]) + (2 * jobs.HEAD if row["load"] else 0),
        shut=shut,
    )
    run.store.put(ROUND, current)
    return {"changed": False, "hosts": sorted(parts)}


def _shut(element: Element, facts: Measurement) -> ShutPorts:
    """Describe the ports to shut in a round, or the reason that none is; `plugin` is the one that its job needs
    then."""
    ports: dict[str, list[str]] = {}
    for device, port in element.ports:
        ports.setdefault(device, []).append(port)
    needed = facts.plugin if element.expected == PLUGIN else ""
    sentence = failover.unshut(element, facts.plugin)
    return ShutPorts(element.name, ports, needed, sentence)


def _lead(hosts: int, reach: float, forks: int) -> float:
    """Seconds after which Ansible has reached all hosts twice: for their servers, and for their clients.

    Where the last such round took longer, which is `reach`, as long as that and half of it again.
    """
    return min(LONGEST, max(2 * TURN * math.ceil(hosts / forks), 1.5 * reach))


class HostAnswer(t.TypedDict):
    """The part of a host in a round: what it did (`do`), measured, and why it failed (`sentence`).

    `now` is the clock of the host, `at` that of the controller when the task ended.
    """

    device: str
    do: str
    measurements: list[HostMeasurement]
    sentence: str
    now: str
    at: float


@dataclasses.dataclass(frozen=True)
class Answers:
    """The results of tasks on hosts, of earlier rounds too, and the hosts that Ansible has not lost."""

    rows: t.Sequence[Result]
    there: t.Collection[str]


def judge(run: Run, answers: Answers) -> Result:
    """Keep what the hosts measured in the round at hand, and show a line now and then, and where not all is well."""
    facts, current = run.store.get(PLAN), run.store.get(ROUND)
    found = state.kept(facts.file)
    row = state.round_of(facts.file, current.key)
    own = [*row["asked"], *row["load"]]
    rows = [t.cast("HostAnswer", one) for one in answers.rows if one.get("round") == current.key]
    heard: list[HostAnswer] = [
        {**one, "measurements": received(own, one["device"], one["measurements"])} for one in rows
    ]
    silent = _silent(facts, current, heard, answers.there)
    found["gone"].update({} if facts.accept else silent)
    if current.at:
        found["reach"] = max(_reached(heard, current), default=found["reach"])
    late, entry = _late(row["load"], heard, current), found["rounds"][current.key]
    entry["late"] += bool(late)
    if late and entry["late"] < MOST_LATE:
        state.write(facts.file, found)
        run.show([f"  {current.key} is measured again: {late}"])
        return {"changed": False}
    idle = _idle(row["load"], heard, found, current, silent) or late
    _split(row, heard, current, facts)
    measured = _measured(row["asked"], heard, found, current, silent=silent, idle=idle)
    row["measured"] = list(measured)
    state.keep(facts.file, current.key, row)
    entry["done"], entry["gone"] = True, any(_gone(one, found["gone"]) for one in own)
    state.write(facts.file, found)
    plan = run.fabric()
    run.show(_line(plan, facts, found, row, current))
    return {"changed": False}


def _silent(
    facts: Measurement, current: CurrentRound, heard: Iterable[HostAnswer], hosts: t.Collection[str]
) -> dict[str, str]:
    """Nodes with a part in the round that did not answer.

    Ansible has lost them; while a node is accepted, it delegates to them and does not.
    """
    answered = {row["device"] for row in heard}
    there = set() if facts.accept else set(hosts)
    return {
        name: f"{name} did not answer."
        for name in current.hosts
        if name not in answered and name not in there
    }


def _gone(one: PlannedMeasurement, gone: t.Mapping[str, str]) -> str:
    """Reason that a measurement is impossible without the nodes that are gone."""
    ends = one["nodes"] or [one["first"], one["second"]]
    return next((gone[name] for name in ends if name in gone), "")


def _split(
    row: state.Round, heard: list[HostAnswer], current: CurrentRound, facts: Measurement
) -> None:
    """Put the phases of a job under which ports were shut into the place of its own measurement."""
    if "shut" not in row:
        return
    clocks = [(one["now"], one["at"]) for one in heard if one["now"]]
    ahead = failover.seconds(clocks[0][0]) - clocks[0][1] if clocks else 0.0
    for one in heard:
        job = next(iter(one["measurements"]), None)
        one["measurements"] = failover.phases(
            row["asked"],
            job,
            row["shut"],
            ahead=ahead,
            back=level_of(facts, row["level"]).parameters["back"],
            plugin=current.shut.plugin if current.shut else "",
        )


def _ends(asked: Iterable[PlannedMeasurement]) -> set[str]:
    """The nodes of some measurements."""
    ends = (name for one in asked for name in (one["first"], one["second"], *one["nodes"]))
    return {name for name in ends if name}


def _idle(
    load: Iterable[PlannedMeasurement],
    heard: list[HostAnswer],
    found: state.State,
    current: CurrentRound,
    silent: t.Mapping[str, str],
) -> str:
    """Reason that a load did not disturb, so that measurements beside it show nothing; empty where it did."""
    for one in _measured(load, heard, found, current, silent=silent):
        if one["state"] != MEASURED or not one["gbps"]:
            return f"A node that should disturb did not: {one['sentence'] or 'it sent nothing.'}"
        if one["seconds"] < current.seconds:
            return (
                f"A node that should disturb for {current.seconds} s ended after "
                f"{one['seconds']:.1f} s."
            )
    return ""


def _reached(heard: Iterable[HostAnswer], current: CurrentRound) -> Iterator[float]:
    """Seconds after the plan of the round at which the clients of each host were started."""
    return (one["at"] - current.began for one in heard if one["do"] == "start")


def _late(
    load: Iterable[PlannedMeasurement], heard: Iterable[HostAnswer], current: CurrentRound
) -> str:
    """Name the host that began too late for a load and its victims to meet; empty where none did.

    A load begins before what it disturbs by as much as it ends after it.
    """
    for one in heard if load else ():
        ahead = 2 * jobs.HEAD if one["device"] in current.late else jobs.HEAD
        late = one["at"] - current.at - ahead
        if one["do"] == "start" and late > 0:
            return f"{one['device']} began {late:.1f} s too late, so that aggressors and victims did not meet."
    return ""


def _measured(
    asked: Iterable[PlannedMeasurement],
    heard: list[HostAnswer],
    found: state.State,
    current: CurrentRound,
    *,
    silent: t.Mapping[str, str],
    idle: str = "",
) -> Iterator[HostMeasurement]:
    """The measurements of a round: those that hosts returned, and one for each side that is missing.

    It is not run where a node of it is `silent`, or where nothing was to be measured; none counts beside a load that
    was `idle`. It has failed where a host answered and returned none.
    """
    failed = {row["device"]: row["sentence"] for row in heard if row["sentence"]}
    answers: dict[tuple[str, str], list[HostMeasurement]] = {}
    for row in heard:
        for made in row["measurements"]:
            answers.setdefault((made["id"], made["side"]), []).append(made)
    for one in asked:
        why = _gone(one, found["gone"]) or _gone(one, silent)
        if not why and not current.hosts:
            why = (current.shut.sentence if current.shut else "") or OVER
        for side, name in sorted(_sides(one), key=lambda end: end[1] not in failed):
            if why := why or idle:
                yield _nothing(one, side, NOT_RUN, why)
            elif name in failed:
                yield _nothing(one, side, FAILED, failed[name])
            else:
                lacks = _nothing(one, side, FAILED, "it returned no measurement.")
                yield from answers.get((one["id"], side), [lacks])


def _sides(one: PlannedMeasurement) -> list[tuple[str, str]]:
    """The sides of a measurement with their nodes; a collective has one."""
    return [(CLIENT, one["first"]), *([] if one["nodes"] else [(SERVER, one["second"])])]


def _nothing(one: PlannedMeasurement, side: str, state: str, why: str) -> HostMeasurement:
    return {
        "id": one["id"],
        "side": side,
        "state": state,
        "sentence": why,
        "gbps": None,
        "latency": None,
        "transport": "",
        "memory": "",
        "counters": {},
        "seconds": 0.0,
    }


def _line(
    plan: Fabric, facts: Measurement, found: state.State, row: state.Round, current: CurrentRound
) -> Iterator[str]:
    """Progress line where one is due: `pairs round 3 of 12: 16 measurements, 1 failed; about 2 min left, at most 14
    min`."""
    every = found["rounds"]
    here = {current.key: schedule.StepResult(row["level"], row["asked"], row["measured"])}
    tests = schedule.tests(
        plan, row["level"], here, baselines.load(plan), waivers=Waivers.load(plan, today())
    )
    # What is judged by all of a level, as a latency is, is not known yet.
    states = {test["id"]: FAIL for test in tests if test["state"] == FAIL}
    states |= {one["id"]: NOT_RUN for one in row["measured"] if one["state"] == NOT_RUN}
    words = collections.Counter(states.get(one["id"]) for one in row["asked"])
    said = [count(row["asked"], "measurement")]
    said += [f"{words[state]} {word}" for state, word in SAID.items() if words[state]]
    left = [one for one in every.values() if not one["done"]]
    number = len(every) - len(left)
    more = _more(plan, facts, found, current, row["level"])
    if (
        len(said) > 1
        or number == 1
        or LINES * number // len(every) > LINES * (number - 1) // len(every)
    ):
        yield f"  {row['level']} round {number} of {len(every)}: {', '.join(said)}; {more}"


def _more(
    plan: Fabric, facts: Measurement, found: state.State, current: CurrentRound, level: str
) -> str:
    """Estimate the remaining time."""
    left = [one for one in found["rounds"].values() if not one["done"]]
    seconds = _left(left, current, level) + _later(plan, facts, found["rounds"].values())
    if not seconds:
        return "no further round is planned"
    most = duration(max(0.0, found["until"] - time.time()))
    return f"about {duration(seconds)} left, at most {most}"


def _left(rounds: Iterable[state.Entry], current: CurrentRound, level: str) -> float:
    """Seconds that rounds may take: their measurements, and beside them as much as the round at hand took.

    A collective ends before its limit: others of its level are taken to need the same part of theirs.
    """
    took, asked = time.time() - current.began, max(1, current.seconds)
    beside, part = max(0.0, took - asked), min(1.0, took / asked)
    return sum(one["seconds"] * (part if one["level"] == level else 1.0) + beside for one in rounds)


def _later(plan: Fabric, facts: Measurement, rounds: Iterable[state.Entry]) -> float:
    """Seconds of measuring in the levels that no round was planned of."""
    begun = {one["level"] for one in rounds}
    return sum(
        jobs.seconds(level_of(facts, name), step.asked)
        for name in facts.levels
        if name not in begun
        for step in steps_of(plan, facts, name)
    )
