# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of a small change, played on a switch that carries nothing, with every state that is seen. Private.

The change is a line of the banner before login. It is applied three times: left without an answer, so that the switch
rolls back by its timer; confirmed; and taken back.
"""

from __future__ import annotations

import typing as t

from ..._nvue.change import converge, proof
from ..._nvue.change import plan as planning
from ..._nvue.change.plan import Plan, Wish
from ..._nvue.document.paths import to_text
from ..._nvue.document.secrets import mask_path
from ..._nvue.document.tree import diff, get
from ..._nvue.errors import NvueError, RefusedError
from ..._nvue.wire import client, operational
from ..._nvue.wire.api import transient
from ..._nvue.wire.client import QUESTIONS
from ..._nvue.wire.states import Kind, kind
from .rows import Row, row

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc, Json
    from ..._nvue.document.release import Release
    from ..._nvue.wire.api import Api

PART = "change"
TIMER = 20
"""Seconds of the roll-back timer."""
SLACK = 240.0
"""Seconds that an apply, or a roll-back after its timer, may take."""
HOST_PORTS = ("swp*",)
_ENDS = frozenset({Kind.SUCCESS, Kind.FAILURE, Kind.GONE})
_BANNER = ("system", "message", "pre-login")
_TEXT = "conformance of spectrum_x.fabric: this line disappears by itself"


def must_be_idle(api: Api, release: Release) -> None:
    """RefusedError on a switch that carries anything, or on which somebody else applies."""
    plan = planning.make(operational.applied(api), Wish({}), release)
    if why := converge.in_service(api, plan, proof.read(api, plan.before), HOST_PORTS):
        raise RefusedError(
            f"{api.port.target}: {why}, so that the switch is in service: test a change on a scratch switch, or leave "
            "out spx_conformance_write."
        )
    if others := client.busy(client.listed(api)):
        raise RefusedError(
            f"{api.port.target}: {others[0].named()} is being applied: run again when it is done."
        )


def play(api: Api, release: Release) -> list[Row]:
    """Apply the change with no answer, with yes, and take it back."""
    before = operational.applied(api)
    wish = Wish({"system": {"message": {"pre-login": _TEXT}}})
    plan = planning.make(before, wish, release)
    rolled = _applied(api, plan, answer=False)
    rows = [rolled.row("roll-back by the timer", _left(api, before))]
    kept = _applied(api, plan, answer=True)
    there = get(operational.applied(api), _BANNER) == _TEXT
    rows.append(kept.row("confirmation", [] if there else ["the change is not applied"]))
    back = _applied(api, _back(api, before, release), answer=True)
    return [*rows, back.row("taken back", _left(api, before))]


def _back(api: Api, before: Doc, release: Release) -> Plan:
    """From what runs now to what ran before, as far as the banner goes."""
    there = get(before, _BANNER[:-1]) is not None
    message: Json = {"pre-login": get(before, _BANNER)} if there else None
    config: Doc = {"system": {"message": message}}
    return planning.make(operational.applied(api), Wish(config), release)


def _left(api: Api, before: Doc) -> list[str]:
    changed = diff(before, operational.applied(api))
    return [f"{to_text(mask_path(one.path))} is not as before" for one in changed]


class ApplyStates:
    """The states of one apply, each with the second at which it was first seen; `answer`: it was to be confirmed."""

    def __init__(self, *, answer: bool) -> None:
        self.answer, self.states = answer, list[tuple[float, str]]()
        self.asked = self.end = self.words = ""

    def note(self, seconds: float, state: str) -> None:
        """Note a state where it is a new one."""
        if not self.states or self.states[-1][1] != state:
            self.states.append((round(seconds, 1), state))

    def row(self, question: str, found: list[str]) -> Row:
        """The row of this apply, with what else was `found` afterwards."""
        unknown = [
            f"state {name} is not known" for _at, name in self.states if kind(name) is Kind.UNKNOWN
        ]
        states: list[Json] = [{"second": second, "state": name} for second, name in self.states]
        answer: Json = {"states": states, "asked": self.asked}
        return row(PART, question, [*unknown, *self._wrong(), *found], answer=answer)

    def _wrong(self) -> list[str]:
        """List the faults: a switch must ask, keep the change where it is confirmed, and nowhere else."""
        ended = f"it ended as {self.end}{self.words}"
        if not self.asked:
            return [f"the switch asked for no confirmation, and {ended}"]
        return [] if (kind(self.end) is Kind.SUCCESS) is self.answer else [ended]


def _applied(api: Api, plan: Plan, *, answer: bool) -> ApplyStates:
    """Apply a plan under the timer, and follow it until it is at rest."""
    revision = client.create(api)
    client.send(api, revision, *plan.bodies(), mixed=False)
    client.start_apply(api, revision, confirm=TIMER, message="conformance")
    seen, clock = ApplyStates(answer=answer), api.clock
    begun, answered = clock.now(), 0
    while clock.now() - begun < TIMER + SLACK:
        found = _state(api, revision)
        if found is not None:
            seen.note(clock.now() - begun, found.state)
            seen.end = found.state
            if kind(found.state) is Kind.FAILURE:
                seen.words = f" ({api.clean(found.words())})"
            if found.state in QUESTIONS:
                seen.asked = found.state
                if answer and len(seen.states) > answered:
                    answered = len(seen.states)
                    client.answer(api, revision, found.state, yes=True)
            elif kind(found.state) in _ENDS or (found.state == "pending" and _rests(found, seen)):
                break
        clock.sleep(0.1 if not seen.asked else 0.5)
    return seen


def _rests(found: client.Revision, seen: ApplyStates) -> bool:
    """Check whether a draft will not be applied any more: it was, or nothing differs."""
    return found.no_diff or len(seen.states) > 1


def _state(api: Api, revision: str) -> client.Revision | None:
    """The revision as it is; None while the switch gives no answer."""
    try:
        return client.read(api, revision)
    except NvueError as exc:
        if not transient(exc):
            raise
        return None
