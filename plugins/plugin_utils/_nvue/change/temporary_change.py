# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change for some time: applied under the roll-back timer of the switch, and never confirmed.

So the switch takes it back by itself, whatever becomes of who asked for it.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..errors import ApplyError, NvueError, RefusedError
from ..wire import client, operational
from ..wire.client import Limits
from . import readback
from .plan import Plan, Wish, make
from .transaction import Order, carry_out

if t.TYPE_CHECKING:
    from collections.abc import Callable

    from ..wire.api import Api

REASON = "the end of a test"
"""Reason for which a temporary change is not confirmed."""
SEEN = 15.0
"""Seconds in which a change that runs is seen, where the state of the revision does not show that it does (ours)."""


class Span(t.NamedTuple):
    """Times at which the change was seen to run, and to be gone, in seconds since 1970 of the controller."""

    began: float
    ended: float


def play(
    api: Api,
    wish: Wish,
    *,
    seconds: int,
    runs: Callable[[], bool],
    message: str = "",
    limits: Limits | None = None,
) -> Span:
    """Apply a wish for so many seconds; `runs` reports whether the switch runs it.

    RefusedError where there is nothing to change, or somebody else applies. ApplyError where it did not run, or is
    not taken back.
    """
    release = operational.about(api).release
    plan = make(operational.applied(api), wish, release)
    if not plan.changes:
        raise RefusedError(f"{api.port.target}: nothing would change: it is so already.")
    listed = client.listed(api)
    if others := client.busy(listed):
        raise RefusedError(f"{api.port.target}: {others[0].named()} is being applied: run again.")
    watch = _Watch(api, runs)
    order = Order(
        *plan.bodies(),
        mixed=False,
        confirm=seconds,
        lost=watch.lost,
        message=message,
        still=lambda: readback.is_base(api, plan),
        taken=[one.id for one in listed],
    )
    bounds = limits or Limits()
    try:
        carry_out(api, order, bounds)
    except ApplyError:
        if watch.began is None:
            raise
    else:
        _undo(api, plan, bounds)
    if operational.applied(api) != plan.before:
        raise ApplyError(
            f"{api.port.target}: the change of a test was not reverted as expected: compare the switch with the "
            "plan by playbook switches."
        )
    if watch.began is None:
        raise ApplyError(
            f"{api.port.target}: the change of a test was not seen to run within {SEEN:g} s, and is reverted: "
            "check whether the switch reports the state of its ports."
        )
    return Span(watch.began, api.clock.wall())


@dataclasses.dataclass
class _Watch:
    """Finds something missing as soon as the change runs."""

    api: Api
    runs: Callable[[], bool]
    began: float | None = None

    def lost(self) -> list[str]:
        """Nothing at a question before the change runs; from then on the reason not to confirm it."""
        until = self.api.clock.now() + SEEN
        while self.began is None and self.api.clock.now() < until:
            if self.runs() or any(one.state == "confirm" for one in client.listed(self.api)):
                self.began = self.api.clock.wall()
            else:
                self.api.clock.sleep(0.5)
        return [] if self.began is None else [REASON]


def _undo(api: Api, plan: Plan, limits: Limits) -> None:
    """Take back what somebody has confirmed."""
    back = dataclasses.replace(plan, before=plan.after, after=plan.before)
    try:
        carry_out(api, Order(*back.bodies(), mixed=False, confirm=0, lost=list), limits)
    except NvueError as exc:
        raise ApplyError(
            f"{api.port.target}: a change of a test was confirmed, and could not be reverted: {exc} Apply the "
            "revision before it on the switch."
        ) from exc
