# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One change of one switch: draft, apply under a timer, prove, confirm; or let it roll back.

With a timer every question of the switch is answered after a proof, as a switch may ask for the
confirmation by ``ays`` as well as by ``confirm``. Before the reload nothing is lost yet, so that the
proof holds there too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from ...module_utils._json import Doc
from . import client
from .api import Api, transient
from .client import QUESTIONS, Limits, Revision, Watch
from .errors import ApplyError, NvueError, OvertakenError
from .states import Kind, kind

# How often one question is answered: an answer may be lost on its way.
MOST_ANSWERS = 3
# Seconds until an answer that shows no effect is taken for lost.
PATIENCE = 10.0


@dataclass(frozen=True)
class Order:
    """What to do and how to prove that it went well.

    ``confirm`` is the roll-back timer in seconds (0: none); ``lost`` returns what is missing right
    now, as words, and raises when the switch does not answer; ``settle`` is for how many seconds
    on end nothing may be lost before the change is confirmed. ``still`` looks right before the apply
    whether the change is still the planned one.
    """

    unsets: Doc
    sets: Doc
    mixed: bool
    confirm: int
    lost: Callable[[], list[str]]
    settle: float = 0.0
    save: bool = False
    message: str = ""
    still: Callable[[], bool] = lambda: True


@dataclass
class Receipt:
    """What became of an order."""

    revision: str
    state: str = "pending"
    no_diff: bool = False
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Apply:
    """An apply under way: what was ordered, and how it is followed."""

    api: Api
    order: Order
    limits: Limits
    revision: str
    watch: Watch

    def named(self) -> str:
        return f"{self.api.port.target}: revision {self.revision}"


def carry_out(api: Api, order: Order, limits: Limits) -> Receipt:
    """Apply an order in one revision and return the receipt; raise ``ApplyError`` otherwise.

    ``OvertakenError`` when somebody else began to apply while the draft was written: two at a time
    may deadlock a switch, and the draft says nothing of what the other changes.
    """
    revision = client.create(api)
    receipt = Receipt(revision)
    apply = _Apply(api, order, limits, revision, Watch(api, revision, limits))
    try:
        client.send(api, revision, order.unsets, order.sets, mixed=order.mixed)
        if client.others(api, revision):
            raise OvertakenError(
                f"{api.port.target}: somebody else began to apply while revision {revision} was "
                "written, which stays behind as a draft, nothing of it was applied: run again."
            )
        if not order.still():
            raise OvertakenError(
                f"{api.port.target}: somebody else changed the switch while revision {revision} was "
                "written, which stays behind as a draft, nothing of it was applied: run again."
            )
        _start(apply)
        found, asked = _through_questions(apply)
        if order.confirm and kind(found.state) is Kind.SUCCESS and not asked:
            receipt.warnings.append(_look_afterwards(apply))
    except OvertakenError:
        raise
    except NvueError as exc:
        raise ApplyError(f"{exc} {_clean_up(api, revision)}".strip()) from exc
    return _settle(api, order, receipt, found)


def _start(apply: _Apply) -> None:
    """Ask for the apply; the state shows whether a lost answer was a lost request too."""
    order = apply.order
    try:
        client.start_apply(apply.api, apply.revision, confirm=order.confirm, message=order.message)
    except NvueError as exc:
        if not transient(exc):
            raise


def _through_questions(apply: _Apply) -> tuple[Revision, bool]:
    """Follow an apply to its end; return whether the switch waited for a proof of what it runs.

    A proof is made for every answer, the repeated one too: behind the same word may be the next
    question.
    """
    order, limits, watch = apply.order, apply.limits, apply.watch
    waited = False
    answers = 0
    found = watch.until_still(within=limits.apply, silence=order.confirm + limits.lost)
    while found.state in QUESTIONS:
        if answers == MOST_ANSWERS:
            raise ApplyError(
                f"{apply.named()} stayed unconfirmed although it was confirmed; the switch rolls "
                "back, run again."
            )
        if order.confirm and (lost := _wait_for_health(apply)):
            raise _rolled_back(apply, lost)
        waited = waited or watch.loaded
        answers += 1
        _say_yes(apply, found.state)
        found = _after_answer(apply, found.state)
    return found, waited


def _say_yes(apply: _Apply, question: str) -> None:
    try:
        client.answer(apply.api, apply.revision, question, yes=True)
    except NvueError as exc:
        if not transient(exc):
            raise


def _after_answer(apply: _Apply, question: str) -> Revision:
    """Return the revision once it is at rest and no longer asks the same, or seems not to hear."""
    clock = apply.api.clock
    begun = clock.now()
    while True:
        found = apply.watch.until_still(within=apply.limits.apply, silence=apply.limits.lost)
        if found.state != question or clock.now() - begun > min(PATIENCE, apply.limits.apply):
            return found
        clock.sleep(apply.limits.poll_first)


def _rolled_back(apply: _Apply, lost: list[str]) -> ApplyError:
    """Wait until the switch has rolled back by its timer, and say why it did."""
    within = apply.order.confirm + apply.limits.lost
    apply.api.port.close()
    missed = ", ".join(lost)
    try:
        found = apply.watch.until_still(within=within, silence=within, skip=QUESTIONS)
    except NvueError as exc:
        return ApplyError(f"{exc} It was not confirmed, because of what was lost: {missed}.")
    if kind(found.state) is Kind.SUCCESS:
        return ApplyError(
            f"{apply.named()} was confirmed by somebody else, although this is lost: {missed}."
        )
    return ApplyError(
        f"{apply.named()} was rolled back after {apply.order.confirm} s (state {found.state}), "
        f"because of what was lost: {missed}."
    )


def _look_afterwards(apply: _Apply) -> str:
    """Prove a change that the switch did not keep for a proof; too late to roll it back."""
    said = (
        f"The switch was not seen to wait for a confirmation of revision {apply.revision}, although a "
        f"roll-back timer of {apply.order.confirm} s was asked for"
    )
    if lost := _wait_for_health(apply):
        raise ApplyError(
            f"{apply.api.port.target}: {said}, and this is lost: {', '.join(lost)}; nothing rolls it "
            "back by itself, so apply the revision before it on the switch (nv config apply)."
        )
    return f"{said}; nothing was lost."


def _wait_for_health(apply: _Apply) -> list[str]:
    """Return what was lost last, or nothing once nothing was for as long as the order says.

    Each look is taken over a connection of its own.
    """
    order, limits, clock = apply.order, apply.limits, apply.api.clock
    margin = min(10.0, order.confirm * 0.2)
    deadline = clock.now() + order.confirm - margin
    delay = limits.poll_first
    well_since = clock.now()
    blamed: list[str] = []
    while True:
        if lost := _look(apply):
            blamed = lost
            well_since = math.inf
        else:
            well_since = min(well_since, clock.now())
        left = max(0.0, well_since + order.settle - clock.now())
        if not left:
            return []
        if clock.now() + delay >= deadline:
            return blamed or ["the time to see whether anything is lost"]
        clock.sleep(min(delay, left))
        delay = min(delay * 1.5, limits.poll_most)


def _look(apply: _Apply) -> list[str]:
    apply.api.port.close()
    try:
        return apply.order.lost()
    except NvueError as exc:
        return [f"the answer of the management address ({str(exc).rstrip('.')})"]


def _settle(api: Api, order: Order, receipt: Receipt, found: Revision) -> Receipt:
    receipt.state = found.state
    if found.no_diff:
        receipt.no_diff = True
        return receipt
    if kind(found.state) is not Kind.SUCCESS:
        raise ApplyError(_verdict(api, found))
    if order.save and found.state not in ("applied_and_saved", "saved"):
        client.save(api)
    return receipt


def _verdict(api: Api, found: Revision) -> str:
    said = api.clean(found.words()).rstrip(".")
    if found.state == "pending":
        return (
            f"{api.port.target}: revision {found.id} was never taken up for apply ({said}); "
            "run again."
        )
    return f"{api.port.target}: revision {found.id} ended as {found.state}: {said}."


def _clean_up(api: Api, revision: str) -> str:
    """Undo what can be undone by documented means and say what is left; never fails."""
    try:
        found = client.read(api, revision)
        if kind(found.state) is Kind.WAITING:
            client.answer(api, revision, found.state, yes=False)
            return f"Revision {revision} was rejected, the switch rolls back."
        if found.state == "apply":
            client.cancel(api, revision)
            return f"Revision {revision} was taken back before it began."
        if found.state == "pending":
            return f"Revision {revision} stays behind as a draft, nothing of it was applied."
    except NvueError:
        return ""
    return ""
