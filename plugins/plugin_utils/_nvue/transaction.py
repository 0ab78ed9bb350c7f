# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One change of one switch: draft, apply under a timer, prove, confirm; or let it roll back."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from . import client
from .api import Api, transient
from .client import Limits, Revision, Watch
from .errors import ApplyError, NvueError, OvertakenError
from .states import Kind, kind
from .tree import Doc


@dataclass(frozen=True)
class Order:
    """What to do and how to tell that it went well.

    ``confirm`` is the roll-back timer in seconds (0: none); ``lost`` returns what is missing right
    now, as words, and raises when the switch does not answer; ``settle`` is for how many seconds
    on end nothing may be lost before the change is confirmed.
    """

    unsets: Doc
    sets: Doc
    mixed: bool
    confirm: int
    lost: Callable[[], list[str]]
    settle: float = 0.0
    save: bool = False
    message: str = ""


@dataclass
class Receipt:
    """What became of an order."""

    revision: str
    state: str = "pending"
    no_diff: bool = False
    warnings: list[str] = field(default_factory=list)


def carry_out(api: Api, order: Order, limits: Limits) -> Receipt:
    """Apply an order in one revision and return the receipt; raise ``ApplyError`` otherwise.

    ``OvertakenError`` when somebody else began to apply while the draft was written: two at a time
    may deadlock a switch, and the draft says nothing of what the other changes.
    """
    revision = client.create(api)
    receipt = Receipt(revision)
    watch = Watch(api, revision, limits)
    try:
        client.send(api, revision, order.unsets, order.sets, mixed=order.mixed)
        if client.others(api):
            raise OvertakenError(
                f"{api.port.target}: somebody else began to apply while revision {revision} was "
                "written, which stays behind as a draft, nothing of it was applied: run again."
            )
        _start(api, order, revision)
        found = watch.until_still(within=limits.apply, silence=order.confirm + limits.lost)
        if found.state == "confirm":
            found = _prove(api, order, limits, revision, watch)
        elif order.confirm and kind(found.state) is Kind.SUCCESS:
            receipt.warnings.append(
                f"The switch applied revision {revision} without waiting for a confirmation."
            )
    except OvertakenError:
        raise
    except NvueError as exc:
        raise ApplyError(f"{exc} {_clean_up(api, revision)}".strip()) from exc
    return _settle(api, order, receipt, found)


def _start(api: Api, order: Order, revision: str) -> None:
    """Ask for the apply; whether a lost answer means a lost request, the state will tell."""
    try:
        client.start_apply(api, revision, confirm=order.confirm, message=order.message)
    except NvueError as exc:
        if not transient(exc):
            raise


def _prove(api: Api, order: Order, limits: Limits, revision: str, watch: Watch) -> Revision:
    """Wait until nothing is lost any more, then confirm; without that, let the switch roll back."""
    begun = api.clock.now()
    margin = min(10.0, order.confirm * 0.2)
    lost = _wait_for_health(api, order, begun + order.confirm - margin, limits)
    if not lost:
        return _confirm(api, limits, revision, watch)
    within = order.confirm + limits.lost
    api.port.close()
    found = watch.until_still(within=within, silence=within, skip=frozenset({"confirm"}))
    if kind(found.state) is Kind.SUCCESS:
        raise ApplyError(
            f"{api.port.target}: revision {revision} was confirmed by somebody else, although this "
            f"is lost: {', '.join(lost)}."
        )
    raise ApplyError(
        f"{api.port.target}: revision {revision} was rolled back after {order.confirm} s "
        f"(state {found.state}), because of what was lost: {', '.join(lost)}."
    )


def _wait_for_health(api: Api, order: Order, deadline: float, limits: Limits) -> list[str]:
    """Return what was lost last, or nothing once nothing was for as long as the order says.

    Each look is taken over a connection of its own.
    """
    clock = api.clock
    delay = limits.poll_first
    well_since = clock.now()
    blamed: list[str] = []
    while True:
        if lost := _look(api, order):
            blamed = lost
            well_since = math.inf
        else:
            well_since = min(well_since, clock.now())
        left = max(0.0, well_since + order.settle - clock.now())
        if not left:
            return []
        if clock.now() + delay >= deadline:
            return blamed
        clock.sleep(min(delay, left))
        delay = min(delay * 1.5, limits.poll_most)


def _look(api: Api, order: Order) -> list[str]:
    api.port.close()
    try:
        return order.lost()
    except NvueError as exc:
        return [f"the answer of the management address ({str(exc).rstrip('.')})"]


def _confirm(api: Api, limits: Limits, revision: str, watch: Watch) -> Revision:
    """Confirm, and once more should the answer have been lost on its way."""
    for _attempt in range(3):
        try:
            client.answer(api, revision, "confirm_yes")
        except NvueError as exc:
            if not transient(exc):
                raise
        with suppress(_StillWaitingError):
            return _confirmed(api, limits, watch)
    raise ApplyError(
        f"{api.port.target}: revision {revision} stayed unconfirmed although it was confirmed; "
        "the switch rolls back, run again."
    )


class _StillWaitingError(NvueError):
    """The switch has not heard the confirmation."""


def _confirmed(api: Api, limits: Limits, watch: Watch) -> Revision:
    patience = min(10.0, limits.apply)
    begun = api.clock.now()
    while True:
        found = watch.until_still(within=limits.apply, silence=limits.lost)
        if found.state != "confirm":
            return found
        if api.clock.now() - begun > patience:
            raise _StillWaitingError("confirm")
        api.clock.sleep(limits.poll_first)


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
        if found.state == "confirm":
            client.answer(api, revision, "confirm_no")
            return f"Revision {revision} was rejected, the switch rolls back."
        if found.state == "apply":
            client.cancel(api, revision)
            return f"Revision {revision} was taken back before it began."
        if found.state == "pending":
            return f"Revision {revision} stays behind as a draft, nothing of it was applied."
    except NvueError:
        return ""
    return ""
