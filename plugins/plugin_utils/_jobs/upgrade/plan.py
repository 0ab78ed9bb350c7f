# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of an upgrade: who notices, when, in which order; nothing is written before it is shown. Private."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._fabric.catalog import upgrades
from ..._fabric.catalog.roles import ROLES
from ..._fabric.description.errors import FabricError
from ..._fabric.plan import upgrade_order
from ..._fabric.plan.upgrade_order import DRAINABLE, INTERRUPTING, UpgradeBatch
from ..._fabric.tenants import audience
from ..._fabric.tenants.registry import Registry
from ..._nvue.change import known_bugs
from ..._nvue.document.release import parse
from ..hooks import site_hooks
from ..kinds import hook_folders
from ..switch.windows import MOST_NAMED, Windows
from . import image_file
from .records import BOOTED, PLAN, STATE, DrainedNode, SwitchState, Target, UpgradePlan

if t.TYPE_CHECKING:
    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.plan.topology.cabling import Switch
    from ..run import Result, Run

MOST_LINES = 20
"""Batches that the plan shows one by one: the whole is to fit one screen."""
DRAIN = "drain"


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of a run: the switches it is about, the canary and the window that a person names, and ISSU."""

    hosts: list[str]
    canary: str = ""
    window: str | None = None
    issu: bool = False


def make(run: Run, asked: Options) -> Result:
    """Judge what was read of the switches, show the plan, and keep its batches where the run may write."""
    plan = run.fabric()
    registry, target = Registry.load(plan), Target.of(plan)
    states = {
        name: run.store.get(STATE, of=name) for name in asked.hosts if not left_out(plan, name)
    }
    _must_be_fit(states)
    due = [name for name, state in states.items() if state.due]
    if asked.issu:
        _must_be_eligible(states, due, target)
    image_file.check(target.url, target.sha256) if due else None
    batches = upgrade_order.order(
        plan,
        due,
        vacant=lambda switch: audience.vacant(registry, switch),
        proven=any(_is_leaf(plan, n) and not state.due for n, state in states.items()),
        canary=asked.canary,
        begun=[name for name in due if states[name].begun],
    )
    agreed = Windows(plan, registry, asked.window, seconds=upgrades.seconds("gap"))
    drains = bool(site_hooks(hook_folders(run.store), [DRAIN]))
    judge = Judge(plan, registry, states, agreed, drains=drains)
    lacking = [judge.lacking(batch) for batch in batches]
    if batches and lacking[0] and batches[0].canary:
        raise FabricError.of(f"upgrade: the first batch cannot begin: {lacking[0]}.")
    run.ask(lines(judge, batches, lacking, target, states), acts=not all(lacking))
    chosen = [batch for batch, why in zip(batches, lacking) if not why]
    deferred = [
        f"not upgraded: {', '.join(batch.switches[:MOST_NAMED])}: {why}; then run again."
        for batch, why in zip(batches, lacking)
        if why
    ]
    kept = UpgradePlan(
        chosen,
        [] if run.check else [name for batch in chosen for name in batch.switches],
        [] if run.check else [len(batch.switches) for batch in chosen],
        []
        if run.check
        else [name for batch in chosen[:1] if batch.canary for name in batch.switches],
        deferred,
    )
    run.store.put(PLAN, kept)
    return {"batches": [dataclasses.asdict(batch) for batch in batches], "deferred": deferred}


def left_out(plan: Fabric, name: str) -> str:
    """Return why a switch is in no upgrade; empty where it is. Those out of band are the way to the others."""
    if name in plan.resting:
        return "is listed in out_of_service"
    role = t.cast("Switch", plan.device(name)).role
    return "is out of band: upgrade it by hand" if ROLES[role].oob else ""


def _is_leaf(plan: Fabric, name: str) -> bool:
    return t.cast("Switch", plan.device(name)).role == "leaf"


def _must_be_fit(states: t.Mapping[str, SwitchState]) -> None:
    """FabricError with everything that forbids the upgrade of a switch."""
    if sentences := [text for state in states.values() for text in state.refusals]:
        raise FabricError(sentences)


def _must_be_eligible(
    states: t.Mapping[str, SwitchState], due: t.Iterable[str], target: Target
) -> None:
    """FabricError with the verdict on each path that is not eligible for an upgrade in service."""
    releases = sorted({states[name].release for name in due if states[name].stage != BOOTED})
    verdicts = {old: upgrades.issu(upgrades.IMAGE, old, str(target.release)) for old in releases}
    wrong = [
        f"variable spx_issu: {old} to {target.release} by an optimised image is not eligible: {one.word}, as {one.why} "
        f"(source: {one.source}): leave the variable out."
        for old, one in verdicts.items()
        if not one.eligible
    ]
    if wrong:
        raise FabricError(wrong)


class Judge:
    """Judges whether a batch may begin now, and who notices it."""

    def __init__(
        self,
        plan: Fabric,
        registry: Registry,
        states: t.Mapping[str, SwitchState],
        agreed: Windows,
        *,
        drains: bool,
    ) -> None:
        self.plan, self.registry, self.states = plan, registry, states
        self._agreed, self._drains = agreed, drains

    def lacking(self, batch: UpgradeBatch) -> str:
        """Return why a batch may not begin now; one that an earlier run began goes on."""
        if batch.klass != INTERRUPTING or self._drains:
            return ""
        names = [name for name in batch.switches if not self.states[name].begun]
        return next((why for name in names if (why := self._agreed.lacking(name))), "")

    def to_drain(self, batch: UpgradeBatch) -> list[DrainedNode]:
        """Return the rented nodes that the hook of the site drains for a batch."""
        if batch.klass != INTERRUPTING or not self._drains:
            return []
        switches = [t.cast("Switch", self.plan.device(name)) for name in batch.switches]
        nodes = {node for switch in switches for node in audience.rented(self.registry, switch)}
        holding = self.registry.holding
        return [DrainedNode(self.plan.name(node), holding(node).slug) for node in sorted(nodes)]

    def when(self, batch: UpgradeBatch, lacking: str) -> str:
        """Return when a batch is due, in words."""
        if lacking:
            return f"not now: {lacking}"
        if batch.klass != INTERRUPTING:
            return "now"
        if self._agreed.of_run:
            return f"now, in the window until {self._agreed.of_run.until} ({self._agreed.of_run.reason})"
        return "now, after the hook drain" if self.to_drain(batch) else "now"

    def notices(self, batch: UpgradeBatch) -> str:
        """Return who notices a batch, in words: tenants with their nodes, rails and the predicted gap."""
        if batch.klass == DRAINABLE:
            return "nobody notices: traffic moves to others first"
        told = []
        for one in audience.audience(self.registry, batch.switches):
            if one.tenant in audience.NOBODY:
                continue
            rails = f", rails {_spans(one.rails)}" if one.rails else ""
            told.append(f"{one.tenant} ({len(one.nodes)} nodes{rails})")
        if not told:
            return "nobody notices: nobody rents these nodes"
        if batch.klass != INTERRUPTING:
            return f"{', '.join(told)} keep their other planes or leaves"
        minutes = upgrades.seconds("gap") / 60
        return f"{', '.join(told)} lose these rails for about {minutes:.0f} min [inferred]"


def _spans(numbers: t.Sequence[int]) -> str:
    """`[1, 2, 3, 5]` -> `1-3, 5`."""
    made: list[list[int]] = []
    for number in numbers:
        if made and number == made[-1][-1] + 1:
            made[-1].append(number)
        else:
            made.append([number])
    return ", ".join(str(s[0]) if len(s) == 1 else f"{s[0]}-{s[-1]}" for s in made)


def lines(
    judge: Judge,
    batches: t.Sequence[UpgradeBatch],
    lacking: t.Sequence[str],
    target: Target,
    states: t.Mapping[str, SwitchState],
) -> list[str]:
    """Return the plan in words: the release, the batches in their order, known bugs and remarks."""
    done = sum(not state.due for state in states.values())
    head = f"upgrade to {target.release} build {target.build}: {done} of {len(states)} switches have it"
    if not batches:
        return [f"{head}; nothing is to be done."]
    made = [f"{head}; {len(batches)} batches follow:"]
    made += [
        f"batch {number}: {_who(batch)} [{batch.klass}]: {judge.notices(batch)}; {judge.when(batch, why)}"
        for number, (batch, why) in enumerate(zip(batches, lacking), start=1)
    ][:MOST_LINES]
    if (more := len(batches) - MOST_LINES) > 0:
        rest = [name for batch in batches[MOST_LINES:] for name in batch.switches]
        made.append(f"and {more} more batches with {len(rest)} switches, up to {rest[-1]}")
    olds = sorted({state.release for state in states.values() if state.stage != BOOTED})
    ids = {bug.id: bug for old in olds for bug in known_bugs.of_upgrade(parse(old), target.release)}
    if ids:
        made.append(
            f"known bugs that the proof looks for, or that are waited for: {', '.join(map(str, sorted(ids)))}"
        )
    issu = {old: upgrades.issu(upgrades.IMAGE, old, str(target.release)) for old in olds}
    made += [
        f"in service from {old}: not eligible ({one.word}: {one.why})" for old, one in issu.items()
    ]
    return [*made, *(f"{name}: {text}" for name, s in states.items() for text in s.remarks)]


def _who(batch: UpgradeBatch) -> str:
    """`su03, 8 leaves`, or the first names of a batch."""
    canary = "canary " if batch.canary else ""
    if batch.where and len(batch.switches) > 1:
        return f"{batch.where}, {len(batch.switches)} leaves"
    more = len(batch.switches) - MOST_NAMED
    names = ", ".join(batch.switches[:MOST_NAMED])
    return f"{canary}{names}{f' and {more} more' if more > 0 else ''}"
