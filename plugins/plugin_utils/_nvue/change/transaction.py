# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One change of one switch: draft, apply under a timer, prove, confirm; or let it roll back.

With a timer every question of the switch is answered after a proof, as a switch may ask for the
confirmation by ``ays`` as well as by ``confirm``. Before the reload nothing is lost yet, so that the
proof holds there too.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from ....module_utils._json import Doc
from ..errors import ApplyError, NvueError, OvertakenError
from ..wire import client
from ..wire.api import Api, transient
from ..wire.client import QUESTIONS, Limits, Revision, Watch
from ..wire.states import Kind, kind
from .readback import Readback

# How often one question is answered: an answer may be lost on its way.
MOST_ANSWERS = 3
# Seconds until an answer that shows no effect is taken for lost.
PATIENCE = 10.0


@dataclass(frozen=True)
class Order:
    """Order of a transaction, and the proof that it went well.

    ``confirm`` is the roll-back timer in seconds (0: none); ``lost`` returns what is missing right
    now, as words, and raises when the switch does not answer; ``settle`` is for how many seconds
    on end nothing may be lost before the change is confirmed. ``still`` looks right before the apply
    whether the switch has what was planned on, ``read_back`` whether it has what was planned.
    ``taken`` are ids of revisions that were there before.
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
    read_back: Callable[[], Readback] = Readback
    taken: Collection[str] = ()


class Rivals:
    """Finds who applied something between the last look before an apply and the first one after it."""

    def __init__(self, watch: Watch, before: list[Revision]) -> None:
        self.watch, self.before = watch, before
        self.looked = False

    def named(self) -> str:
        """Return the revision that came between, or nothing; it is looked for once."""
        if self.looked:
            return ""
        self.looked = True
        after = client.listed(self.watch.api, self.watch.revision)
        between = client.newly_applied(self.before, after, self.watch.revision)
        return between[0].named() if between else ""


def carry_out(api: Api, order: Order, limits: Limits) -> tuple[Revision, list[str]]:
    """Apply an order in one revision and return it, with doubts; raise ``ApplyError`` otherwise.

    ``OvertakenError`` when somebody else applied, or began to, while the draft was written: two at a
    time may deadlock a switch, and the draft says nothing of what the other changes.
    """
    watch = Watch(api, client.create(api, order.taken), limits)
    try:
        client.send(api, watch.revision, order.unsets, order.sets, mixed=order.mixed)
        rivals = Rivals(watch, _must_be_first(watch, order))
        with _answer_may_be_lost():
            client.start_apply(api, watch.revision, confirm=order.confirm, message=order.message)
        found, asked = _through_questions(watch, order, rivals)
        doubts = []
        if order.confirm and kind(found.state) is Kind.SUCCESS and not asked:
            doubts.append(_look_afterwards(watch, order))
    except OvertakenError:
        raise
    except NvueError as exc:
        raise ApplyError(f"{exc} {_clean_up(api, watch.revision)}".strip()) from exc
    _settle(watch, order, found, rivals)
    return found, doubts


def _must_be_first(watch: Watch, order: Order) -> list[Revision]:
    """Return the revisions right before the apply, where nobody applies or has applied one meanwhile."""
    found = client.listed(watch.api, watch.revision)
    if working := client.busy(found):
        raise _overtaken(watch, working[0].named(), "is being applied")
    if not order.still():
        other = client.newest(client.listed(watch.api, watch.revision))
        raise _overtaken(watch, other.named() if other else "somebody else", "changed the switch")
    return found


def _overtaken(watch: Watch, other: str, what: str) -> OvertakenError:
    return OvertakenError(
        f"{watch.api.port.target}: {other} {what} while revision {watch.revision} was "
        "written, which remains as an unapplied draft: run again."
    )


@contextlib.contextmanager
def _answer_may_be_lost() -> Iterator[None]:
    """Go on without an answer: the state shows whether the request was lost too."""
    try:
        yield
    except NvueError as exc:
        if not transient(exc):
            raise


def _through_questions(watch: Watch, order: Order, rivals: Rivals) -> tuple[Revision, bool]:
    """Follow an apply to its end; return whether the switch waited for a proof of what it runs.

    A proof is made for every answer, the repeated one too: behind the same word may be the next
    question.
    """
    limits = watch.limits
    waited = False
    answers = 0
    found = watch.until_still(within=limits.apply, silence=order.confirm + limits.lost)
    while found.state in QUESTIONS:
        if answers == MOST_ANSWERS:
            raise ApplyError(
                f"{watch.named()} stayed unconfirmed although it was confirmed; the switch rolls "
                "back, run again."
            )
        if order.confirm and (blame := _blame(watch, order, rivals)):
            raise _rolled_back(watch, order, blame)
        waited = waited or watch.loaded
        answers += 1
        with _answer_may_be_lost():
            client.answer(watch.api, watch.revision, found.state, yes=True)
        found = _after_answer(watch, found.state)
    return found, waited


def _blame(watch: Watch, order: Order, rivals: Rivals) -> str:
    """Return why a change must not be confirmed, or nothing.

    A release that shows the old configuration until the confirmation is read back after it.
    """
    if lost := _wait_for_health(watch, order):
        return f"what was lost: {', '.join(lost)}"
    if other := rivals.named():
        return f"what was applied at the same time: {other}"
    if (shown := order.read_back()).foreign:
        return f"what was read back otherwise than planned: {shown.named()}"
    return ""


def _after_answer(watch: Watch, question: str) -> Revision:
    """Return the revision once it is at rest and no longer asks the same, or seems not to hear."""
    clock, limits = watch.api.clock, watch.limits
    begun = clock.now()
    while True:
        found = watch.until_still(within=limits.apply, silence=limits.lost)
        if found.state != question or clock.now() - begun > min(PATIENCE, limits.apply):
            return found
        clock.sleep(limits.poll_first)


def _rolled_back(watch: Watch, order: Order, blame: str) -> ApplyError:
    """Wait until the switch has rolled back by its timer, and say why it did."""
    within = order.confirm + watch.limits.lost
    watch.api.port.close()
    try:
        found = watch.until_still(within=within, silence=within, skip=QUESTIONS)
    except NvueError as exc:
        return ApplyError(f"{exc} It was not confirmed, because of {blame}.")
    if kind(found.state) is Kind.SUCCESS:
        return ApplyError(f"{watch.named()} was confirmed by somebody else, in spite of {blame}.")
    return ApplyError(
        f"{watch.named()} was rolled back after {order.confirm} s (state {found.state}), "
        f"because of {blame}."
    )


def _look_afterwards(watch: Watch, order: Order) -> str:
    """Prove a change that the switch did not keep for a proof; too late to roll it back."""
    said = (
        f"The switch was not seen to wait for a confirmation of revision {watch.revision}, although a "
        f"roll-back timer of {order.confirm} s was asked for"
    )
    if lost := _wait_for_health(watch, order):
        raise ApplyError(
            f"{watch.api.port.target}: {said}, and this is lost: {', '.join(lost)}; nothing rolls it "
            "back by itself, so apply the revision before it on the switch (nv config apply)."
        )
    return f"{said}; nothing was lost."


def _wait_for_health(watch: Watch, order: Order) -> list[str]:
    """Return what was lost last, or nothing once nothing was for as long as the order says.

    Each look is taken over a connection of its own.
    """
    limits, clock = watch.limits, watch.api.clock
    margin = min(10.0, order.confirm * 0.2)
    deadline = clock.now() + order.confirm - margin
    delay = limits.poll_first
    well_since = clock.now()
    blamed: list[str] = []
    while True:
        if lost := _look(watch, order):
            blamed = lost
            well_since = math.inf
        else:
            well_since = min(well_since, clock.now())
        left = max(0.0, well_since + order.settle - clock.now())
        if not left:
            return []
        if clock.now() + delay >= deadline:
            return blamed or ["the time to check whether anything is lost"]
        clock.sleep(min(delay, left))
        delay = min(delay * 1.5, limits.poll_most)


def _look(watch: Watch, order: Order) -> list[str]:
    watch.api.port.close()
    try:
        return order.lost()
    except NvueError as exc:
        return [f"the answer of the management address ({str(exc).rstrip('.')})"]


def _settle(watch: Watch, order: Order, found: Revision, rivals: Rivals) -> None:
    """Save a change that is at rest, where the switch has what was planned."""
    if not found.no_diff and kind(found.state) is not Kind.SUCCESS:
        raise ApplyError(_verdict(watch.api, found))
    _compare(watch, order, found)
    if other := rivals.named():
        raise ApplyError(
            f"{watch.named()} and {other} were applied at the same time; check the changes of the other "
            "one, then run again."
        )
    if order.save and not found.no_diff and found.state not in ("applied_and_saved", "saved"):
        client.save(watch.api)


def _compare(watch: Watch, order: Order, found: Revision) -> None:
    """Fail where the switch has not what was planned; it is too late to roll it back."""
    clock = watch.api.clock
    until = clock.now() + (0 if found.no_diff else min(PATIENCE, watch.limits.start))
    while (shown := order.read_back()).differences:
        if shown.foreign or clock.now() >= until:
            seen = " (no config diff)" if found.no_diff else ""
            raise ApplyError(
                f"{watch.named()} ended as {found.state}{seen}, yet the switch does not have the planned "
                f"configuration: {shown.named()}; compare it with the plan, then run again."
            )
        clock.sleep(watch.limits.poll_first)


def _verdict(api: Api, found: Revision) -> str:
    said = api.clean(found.words()).rstrip(".")
    if found.state == "pending":
        return (
            f"{api.port.target}: revision {found.id} was never accepted for apply ({said}); "
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
            return f"Revision {revision} was reverted before it began."
        if found.state == "pending":
            return f"Revision {revision} remains as an unapplied draft."
    except NvueError:
        return ""
    return ""
