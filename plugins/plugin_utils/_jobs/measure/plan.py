# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a measurement, shown before anything is touched: levels, nodes, rounds, time, and whom it disturbs.

The record `performance` of the run's store has what does not change, the file of `state.py` what is done, so that a run
after a killed one goes on.
"""

from __future__ import annotations

import dataclasses
import os
import shlex
import time
import typing as t

from ..._fabric.description.errors import FabricError
from ..._fabric.description.windows import Window
from ..._fabric.description.words import count, some
from ..._fabric.measure.judge import baselines, schedule
from ..._fabric.measure.judge.waivers import Waivers
from ..._fabric.measure.plan import failover, node_selection, noise_tenants, placement
from ..._fabric.measure.plan import jobs as performance_jobs
from ..._fabric.measure.plan.levels import LEVELS
from ..._fabric.measure.report import results
from ..._fabric.tenants.moves import jobs
from ..._fabric.tenants.moves.procedure import ROLE
from ..._fabric.tenants.nodes import compress
from ..._fabric.tenants.registry import Registry
from .. import kinds, runs
from ..clock import now, today
from ..summary import duration
from . import state
from .records import PLAN, Measurement

if t.TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._fabric.measure.plan.records import Level
    from ..._fabric.plan.fabric import Fabric
    from ..run import Result, Run

Options = t.Mapping[str, t.Any]
"""The options of a plan, as module performance documents them."""
UNDERLAY = "switch_underlay"
"""The role that configures the links between switches."""
WAIT = 120
"""Seconds that the routes of a tenant of level noise are waited for where spx_wait says nothing."""
ACCEPTED = "accepted"
"""Folder of the reports of single nodes, in the folder of reports."""
MOST_BESIDE = 60
"""Seconds that a round may take beside its measurement before the time of a run is over (ours)."""


def make(run: Run, options: Options, nodes: t.Collection[str]) -> Result:
    """Keep the plan in the run's store, or refuse it in sentences; `nodes` are those of the inventory."""
    plan = run.fabric()
    registry = Registry.load(plan, options["tenants"])
    acts = not run.check
    order = _Order(run, plan, registry, options, nodes)
    facts, begun, lines = order.planned(acts=acts)
    run.ask(lines, acts=acts and not facts.accept)
    if acts:
        state.write(facts.file, begun)
    run.store.put(PLAN, facts)
    return {"changed": False, "lines": lines, "nodes": facts.nodes}


@dataclasses.dataclass(frozen=True)
class _Order:
    """The order of a person; `inventory` are the nodes of the inventory."""

    run: Run
    plan: Fabric
    registry: Registry
    args: Options
    inventory: t.Collection[str]

    def planned(self, *, acts: bool) -> tuple[Measurement, state.State, list[str]]:
        """The facts, the state to begin with, and the lines that say it all."""
        chosen, levels = self._chosen(), self._levels()
        window = self._window()
        beside = node_selection.beside(self.plan, self.registry, chosen.nodes)
        self._refuse(levels, chosen, beside, window)
        self._read()
        absent = self._not_run(levels, chosen)
        partly = [] if self._accept else self._partly(levels, chosen)
        here = [name for name in levels if name not in {row["level"] for row in absent}]
        wait = kinds.given(self.run.store).wait
        facts = Measurement(
            run=now().strftime("%Y%m%dT%H%M%SZ"),
            file=state.path(self._report),
            report=self._report,
            nodes=list(chosen.nodes),
            levels=here,
            not_run=[*absent, *(row for row in partly if row["level"] in here)],
            disturbs=_disturbs(here, beside, window, self._durations()),
            site={
                "launcher": self.args["launcher"] or "",
                "gpus_per_node": self.args["gpus_per_node"] or 0,
                "launcher_options": self._words("launcher_options"),
                "command": self._words("command"),
            },
            accept=self._accept,
            cross=bool(self.args["cross_rails"]),
            plugin=self.args["plugin"] or "",
            durations=self._durations(),
            wait=float(WAIT if wait is None else wait),
            acts=acts,
        )
        begun, taken_over = self._state(facts)
        facts = dataclasses.replace(facts, run=begun["run"])
        lines = [*_lines(self.plan, chosen, facts), *_time(self.plan, facts, begun, taken_over)]
        return facts, begun, lines

    def _read(self) -> None:
        """FabricError for a file that the end of the run reads: it is said before anything is measured."""
        Waivers.load(self.plan, today())
        baselines.load(self.plan)
        results.newest(self._report, self.plan.description.name)

    def _levels(self) -> list[str]:
        """The levels in their order; while a node is accepted, the one that the description says."""
        stated = self.plan.description.acceptance_level
        asked = [stated] if self._accept else self.args["levels"]
        if not asked:
            raise FabricError.of(
                f"spx_level: the list is empty: name levels of {', '.join(LEVELS)}, or leave the variable out."
            )
        return [name for name in LEVELS if name in asked]

    def _words(self, option: str) -> list[str]:
        """The words of a command of the site, or of a part of one; no shell reads them."""
        stated = self.args[option] or ""
        try:
            return shlex.split(stated)
        except ValueError as exc:
            raise FabricError.of(
                f"variable spx_{option}: {stated} cannot be split into words ({exc}): close its quotes."
            ) from exc

    def _durations(self) -> dict[str, int]:
        """Seconds of level failover that the site has chosen, in place of those of the level."""
        stated = {name: self.args[f"failover_{name}"] for name in failover.DURATIONS}
        return {name: int(value) for name, value in stated.items() if value is not None}

    @property
    def _accept(self) -> str:
        return str(self.args["accept"] or "")

    @property
    def _report(self) -> str:
        """The folder of reports; a node that is accepted has one of its own below it."""
        beside = os.path.join(os.path.normpath(self.plan.beside("..")), "report")
        folder = str(self.args["report"] or beside)
        return os.path.join(folder, ACCEPTED, self._accept) if self._accept else folder

    def _chosen(self) -> node_selection.Choice:
        if self._accept:
            return node_selection.partners(self.plan, self.registry, self._accept)
        if self.args["nodes"] == []:
            raise FabricError.of(
                "spx_nodes: the list is empty: name nodes, or leave the variable out to measure all of the only "
                "acceptance group."
            )
        chosen = node_selection.choose(self.plan, self.registry, self.args["nodes"] or ())
        if absent := [name for name in chosen.nodes if name not in self.inventory]:
            raise FabricError.of(
                f"inventory: {', '.join(some(absent))} {'is' if len(absent) == 1 else 'are'} not in it: pass -i with "
                "the hosts.fabric.yml of the whole fabric, or choose nodes with spx_nodes."
            )
        return chosen

    def _window(self) -> Window | None:
        stated = self.args["window"]
        return Window.of(stated, today()) if stated else None

    def _refuse(
        self,
        levels: Sequence[str],
        chosen: node_selection.Choice,
        beside: dict[str, list[str]],
        window: Window | None,
    ) -> None:
        """FabricError with all that forbids a level."""
        others = node_selection.rented(self.registry, beside)
        others.pop(chosen.holder, None)
        found = [node_selection.forbidden(LEVELS[name], others, window) for name in levels]
        if failover.LEVEL in levels:
            found.append(self._refuse_shutting(beside, window))
        if schedule.NOISE in levels:
            noise_tenants.must_rest(self.registry, chosen.nodes)
            if ROLE not in self.plan.description.manage:
                found.append(
                    f"level noise: manage of the description does not list {ROLE}, so no tenant can be created: list "
                    "it, or leave the level out."
                )
        if self.args["launcher_options"] and not self.args["launcher"]:
            found.append(
                "variable spx_launcher_options: they need a launcher: add spx_launcher, or leave them out."
            )
        if self.args["cross_rails"]:
            found.append(self._refuse_crossing(levels, chosen))
        if found := [text for text in found if text]:
            raise FabricError(found)

    def _refuse_crossing(self, levels: Sequence[str], chosen: node_selection.Choice) -> str:
        """Reason that no pair may be between rails: no packet would pass, or no level has such pairs."""
        why = placement.uncrossed(self.plan, chosen.nodes)
        if schedule.PAIRS not in levels:
            why = "pairs between rails are those of level pairs, which spx_level does not name"
        return f"variable spx_cross_rails: {why}: leave the variable out." if why else ""

    def _refuse_shutting(self, beside: dict[str, list[str]], window: Window | None) -> str:
        """Reason that no port may be shut: the spines may have any customer's traffic, also that of a managed
        tenant."""
        if UNDERLAY not in self.plan.description.manage:
            return (
                f"level failover: manage of the description does not list {UNDERLAY}, so that no port may be shut: "
                "list it, or leave the level out."
            )
        return node_selection.forbidden(LEVELS[failover.LEVEL], beside, window)

    def _not_run(
        self, levels: Sequence[str], chosen: node_selection.Choice
    ) -> list[dict[str, str]]:
        """Levels that cannot run with these nodes, with the reason."""
        given = {key: bool(self.args[key]) for key in ("launcher", "command")}
        found = {
            name: schedule.impossible(self.plan, name, chosen.nodes, **given) for name in levels
        }
        return [{"level": name, "reason": why} for name, why in found.items() if why]

    def _partly(self, levels: Sequence[str], chosen: node_selection.Choice) -> list[dict[str, str]]:
        """List the results that a level does not give with these nodes although it is measured."""
        launcher = bool(self.args["launcher"])
        found = {
            name: schedule.left_out(self.plan, name, chosen.nodes, launcher=launcher)
            for name in levels
        }
        return [{"level": name, "reason": why} for name, why in found.items() if why]

    def _state(self, facts: Measurement) -> tuple[state.State, int]:
        began = time.time()
        new: state.State = {
            "schema": state.SCHEMA,
            "run": facts.run,
            "fabric": self.plan.description.name,
            "described": state.described(self.plan),
            "site": {
                "launcher": facts.site["launcher"],
                "launcher_options": self.args["launcher_options"] or "",
                "gpus_per_node": self.args["gpus_per_node"] or "",
                "command": self.args["command"] or "",
                "cross_rails": "true" if facts.cross else "",
                "nccl_plugin": facts.plugin,
                **{f"failover_{name}": value for name, value in facts.durations.items()},
            },
            "nodes": facts.nodes,
            "levels": facts.levels,
            "at_work": runs.this(),
            "began": began,
            "until": began + _most_seconds(self.plan, facts),
            "rounds": {},
            "gone": {},
            "counters": {},
            "scratch": {},
            "reach": 0.0,
        }
        file = facts.file
        return state.resumed(state.read(file), new, file=file, at_work=runs.at_work)


def _most_seconds(plan: Fabric, facts: Measurement) -> float:
    """The most that the rounds of all levels may take, searches for a slow part included."""
    each = {name: LEVELS[name].seconds + MOST_BESIDE for name in facts.levels}
    fixed = sum(spent * len(steps_of(plan, facts, name)) for name, spent in each.items())
    searches = 0 if facts.accept else schedule.MOST_SEARCHES
    return fixed + searches * sum(each[name] for name in schedule.SEARCHED if name in each)


def level_of(facts: Measurement, name: str) -> Level:
    """A level with the durations that the site has chosen."""
    return failover.timed(LEVELS[name], facts.durations)


def steps_of(plan: Fabric, facts: Measurement, level: str) -> list[schedule.Step]:
    """The steps of a planned level, those of a search left out."""
    command, launcher = bool(facts.site["command"]), bool(facts.site["launcher"])
    return schedule.steps(
        plan,
        level,
        facts.nodes,
        only=facts.accept,
        command=command,
        launcher=launcher,
        cross=facts.cross,
    )


def _disturbs(
    levels: Sequence[str],
    beside: dict[str, list[str]],
    window: Window | None,
    durations: dict[str, int],
) -> list[str]:
    """Sentences on whom the run disturbs, and by which leave."""
    made = [LEVELS[name].disturbs for name in levels]
    shared = [name for name in levels if LEVELS[name].shares_spines]
    if shared and beside:
        nodes = [name for held in beside.values() for name in held]
        made.append(
            f"{count(nodes, 'node')} of {', '.join(some(sorted(beside)))} share the spines that "
            f"{' and '.join(shared)} load."
        )
    if failover.LEVEL in levels:
        made.append(failover.says(failover.timed(LEVELS[failover.LEVEL], durations)))
        made.append(failover.GREY)
    if window is not None:
        made.append(f"A window is agreed until {window.until}: {window.reason}.")
    return made


def _lines(plan: Fabric, chosen: node_selection.Choice, facts: Measurement) -> list[str]:
    """The plan in words."""
    nodes = jobs.expand(plan, chosen.nodes)
    lines = [
        f"measure {plan.description.name}: {count(nodes, 'node')} of {chosen.whose}",
        *(f"  {text}" for text in compress(plan, nodes)),
        *(f"  left out: {name}: {why}" for name, why in chosen.left_out.items()),
    ]
    for name in facts.levels:
        steps = steps_of(plan, facts, name)
        lines.append(f"{name}: {count(steps, 'round')}; {LEVELS[name].shows}")
    lines += [f"disturbs: {text}" for text in facts.disturbs]
    return lines + [f"not run: {row['level']}: {row['reason']}" for row in facts.not_run]


def _time(plan: Fabric, facts: Measurement, begun: state.State, taken_over: int) -> list[str]:
    """Describe the duration, and the part that a stopped run has done."""
    steps = [
        (level_of(facts, name), step)
        for name in facts.levels
        for step in steps_of(plan, facts, name)
    ]
    measuring = sum(performance_jobs.seconds(level, step.asked) for level, step in steps)
    most = duration(begun["until"] - begun["began"])
    lines = [f"time: at most {duration(measuring)} of measuring; no round begins after {most}"]
    if taken_over:
        lines.append(
            f"resumes run {begun['run']}, which was stopped: {taken_over} of its rounds are finished"
        )
    return lines
