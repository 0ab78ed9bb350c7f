# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read, compare, act, read again: one flow for everything that is set at run time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from .errors import NicError
from .plan.base import Plan, differences, joined
from .records import Answer
from .tools import Host, Step

Found = TypeVar("Found")


@dataclass
class Outcome:
    """What was done (or, in check mode, would be) and what is said beside it."""

    plans: list[Plan] = field(default_factory=list)

    @property
    def plan(self) -> Plan:
        """All plans as one."""
        return joined(self.plans)

    @property
    def changed(self) -> bool:
        """Was, or would be, anything written?"""
        return bool(self.plan.steps)

    def as_result(self) -> Answer:
        """The plain part of a module's answer; what there is none of is left out."""
        plan = self.plan
        beside = {
            "skipped": plan.skipped + plan.missing,
            "deferred": plan.deferred,
            "conflicts": plan.conflicts,
        }
        return {
            "changed": self.changed,
            "diff": differences(plan.steps),
            "commands": [step.command for step in plan.steps],
            "warnings": [f"{text}." for text in plan.missing],
            **{key: list(said) for key, said in beside.items() if said},
        }


def converge(host: Host, read: Callable[[], Found], plan: Callable[[Found], Plan]) -> Plan:
    """Bring one thing to the wanted state, and read it again; NicError when a written value did not take."""
    first = plan(read())
    for step in first.steps:
        host.perform(step)
    if first.steps and not host.check_mode:
        _verify(host, plan(read()).steps)
    return first


def _verify(host: Host, left: tuple[Step, ...]) -> None:
    host.untaken(left)
    if left:
        step = left[0]
        raise NicError(
            f"{step.target}: {step.setting} did not take: it is {step.before} after writing "
            f"{step.after}; '{step.command}' reported no error."
        )
