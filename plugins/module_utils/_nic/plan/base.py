# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan: the steps from what was found to what is wanted, and what is said beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from ..records import Answer
from ..tools import Step

Values = dict[str, object]
"""Values by setting."""


class Diff(TypedDict):
    """Values by target and setting, before and after."""

    before: dict[str, Values]
    after: dict[str, Values]


@dataclass(frozen=True)
class Plan:
    """The steps and, as sentences without their full stop, what no step corrects.

    `skipped`: not offered here, and done without; `missing`: not offered here, and needed;
    `deferred`: waits for maintenance; `conflicts`: fights us.
    """

    steps: tuple[Step, ...] = ()
    skipped: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    deferred: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()

    def __add__(self, other: Plan) -> Plan:
        return Plan(
            *(mine + theirs for mine, theirs in zip(vars(self).values(), vars(other).values()))
        )

    def as_result(self) -> Answer:
        """The plain part of a module's answer; what there is none of is left out."""
        beside = {
            "skipped": self.skipped + self.missing,
            "deferred": self.deferred,
            "conflicts": self.conflicts,
        }
        return {
            **answer(self.steps),
            "warnings": [f"{text}." for text in self.missing],
            **{key: list(said) for key, said in beside.items() if said},
        }


def answer(steps: Sequence[Step], **more: object) -> Answer:
    """Return a module's answer for the steps that it took, or would take in check mode."""
    commands = [step.command for step in steps]
    return {"changed": bool(steps), "diff": differences(steps), "commands": commands, **more}


def joined(plans: Iterable[Plan]) -> Plan:
    """One plan of many, in order."""
    total = Plan()
    for plan in plans:
        total += plan
    return total


def differences(steps: Iterable[Step]) -> Diff:
    """`{"before": {target: {setting: value}}, "after": ...}`, exact in check mode too.

    Steps of one setting are one difference, entry by entry where it has entries; what a later step
    puts back is none.
    """
    before: dict[str, Values] = {}
    after: dict[str, Values] = {}
    for step in steps:
        old = before.setdefault(step.target, {})
        new = after.setdefault(step.target, {})
        if isinstance(step.before, dict) and isinstance(step.after, dict):
            old[step.setting] = {**step.before, **_mapping(old.get(step.setting))}
            new[step.setting] = {**_mapping(new.get(step.setting)), **step.after}
        else:
            old.setdefault(step.setting, step.before)
            new[step.setting] = step.after
    return {"before": _without(before, after), "after": _without(after, before)}


def _without(one: dict[str, Values], other: dict[str, Values]) -> dict[str, Values]:
    """`one` less the entries that are the same in the `other`."""
    return {
        target: {name: _entries(value, other[target][name]) for name, value in settings.items()}
        for target, settings in one.items()
    }


def _mapping(value: object) -> dict[object, object]:
    return value if isinstance(value, dict) else {}


def _entries(value: object, other: object) -> object:
    if not isinstance(value, dict) or not isinstance(other, dict):
        return value
    return {key: entry for key, entry in value.items() if key not in other or other[key] != entry}
