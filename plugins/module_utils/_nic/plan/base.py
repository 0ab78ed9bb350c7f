# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan: the steps from what was found to what is wanted, and what is said beside them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..tools import Step


@dataclass(frozen=True)
class Plan:
    """The steps and, as sentences without their full stop, what no step mends.

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
            self.steps + other.steps,
            self.skipped + other.skipped,
            self.missing + other.missing,
            self.deferred + other.deferred,
            self.conflicts + other.conflicts,
        )


def joined(plans: Iterable[Plan]) -> Plan:
    """One plan of many, in order."""
    total = Plan()
    for plan in plans:
        total += plan
    return total


def differences(steps: Iterable[Step]) -> dict[str, Any]:
    """`{"before": {target: {setting: value}}, "after": ...}`, exact in check mode too."""
    before: dict[str, dict[str, Any]] = {}
    after: dict[str, dict[str, Any]] = {}
    for step in steps:
        before.setdefault(step.target, {}).setdefault(step.setting, step.before)
        after.setdefault(step.target, {})[step.setting] = step.after
    return {"before": before, "after": after}
