# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of a revision, one documented request per function.

create    POST  /revision
send      PATCH /?rev=7                     sets and unsets
apply     PATCH /revision/7                 state apply, with a confirm timer
watch     GET   /revision/7                 until it stands still
answer    PATCH /revision/7                 confirm_yes, confirm_no ...
save      PATCH /revision/applied           where the switch does not save by itself
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .api import Api, transient
from .errors import ApiError, ApplyError, NvueError
from .paths import Path
from .states import Kind, in_progress, kind
from .tree import Doc, together

ROOT: Path = ()
NO_DIFF = "no config diff"


@dataclass(frozen=True)
class Limits:
    """How long to wait, in seconds.

    ``apply`` bounds an apply, ``busy`` the wait for somebody else's, ``start`` how long an apply
    may stay unnoticed, ``lost`` how long a switch may be silent beyond its confirm timer.
    """

    apply: float = 900.0
    busy: float = 900.0
    start: float = 30.0
    lost: float = 120.0
    poll_first: float = 0.2
    poll_most: float = 2.0


@dataclass(frozen=True)
class Revision:
    """A revision as the switch describes it; ``issues`` are sentences of the switch."""

    id: str
    state: str
    progress: str = ""
    issues: tuple[str, ...] = ()

    @property
    def no_diff(self) -> bool:
        """Tell whether the switch found nothing to apply (from 5.18 on it then detaches it)."""
        said = " ".join((self.progress, *self.issues)).lower()
        return self.state in ("pending", "detached") and NO_DIFF in said

    def words(self) -> str:
        """Return what the switch says about the revision: its issues, else how far it came."""
        said = [text for text in self.issues if text] or [self.progress]
        return "; ".join(dict.fromkeys(said)) or "no reason given"


def from_json(answer: Any, revision: str) -> Revision:
    """Read a revision, whether bare or wrapped by its id."""
    body = answer
    if isinstance(body, dict) and "state" not in body:
        body = body.get(revision, next(iter(body.values()), None))
    if not isinstance(body, dict) or not isinstance(body.get("state"), str):
        raise ApiError(
            f"The switch described revision {revision} as {str(answer)[:200]!r}; "
            "a state was expected.",
            status=200,
        )
    transition = body.get("transition")
    transition = transition if isinstance(transition, dict) else {}
    return Revision(
        revision,
        body["state"],
        str(transition.get("progress") or ""),
        tuple(_issues(transition.get("issue"))),
    )


def _issues(found: Any) -> Iterator[str]:
    if isinstance(found, dict):
        found = [found[key] for key in sorted(found)]
    for issue in found if isinstance(found, list) else ():
        if not isinstance(issue, dict):
            yield str(issue)
            continue
        data = issue.get("data")
        reason = data.get("reason") if isinstance(data, dict) else None
        yield str(issue.get("message") or reason or json.dumps(issue, sort_keys=True))


def create(api: Api) -> str:
    """Open a revision and return its id."""
    answer = api.post(("revision",))
    if isinstance(answer, dict) and "id" in answer:
        return str(answer["id"])
    if isinstance(answer, dict) and len(answer) == 1:
        return str(next(iter(answer)))
    raise ApiError(f"A new revision was answered with {str(answer)[:200]!r}.", status=200)


def send(api: Api, revision: str, unsets: Doc, sets: Doc, *, mixed: bool) -> None:
    """Send the changes to a revision: one PATCH where the release takes sets and unsets mixed."""
    rev = {"rev": revision}
    if mixed and unsets and sets:
        api.patch(ROOT, together(unsets, sets), rev)
        return
    for body in (unsets, sets):
        if body:
            api.patch(ROOT, body, rev)


def start_apply(api: Api, revision: str, *, confirm: int, message: str = "") -> None:
    """Ask for the apply; ``confirm`` is the roll-back timer in seconds, 0 for none."""
    body: Doc = {"state": "apply", "auto-prompt": {"ays": "ays_yes"}}
    if confirm:
        body["state-controls"] = {"confirm": confirm}
    if message:
        body["message"] = message.encode("ascii", "replace").decode("ascii")
    api.patch(("revision", revision), body)


def answer(api: Api, revision: str, word: str) -> None:
    """Answer a question of the switch: ``confirm_yes``, ``ays_yes``, ``ignore_fail_no`` ..."""
    body: Doc = {"state": word}
    if word == "confirm_yes":
        body["auto-prompt"] = {"ays": "ays_yes"}
    api.patch(("revision", revision), body)


def cancel(api: Api, revision: str) -> None:
    """Take back an apply that has not begun (the state ``pending``, as one public client does)."""
    api.patch(("revision", revision), {"state": "pending"})


def save(api: Api) -> None:
    """Make the applied configuration the one of the next boot."""
    api.patch(("revision", "applied"), {"state": "save", "auto-prompt": {"ays": "ays_yes"}})


def read(api: Api, revision: str) -> Revision:
    """Return a revision as it is now."""
    try:
        return from_json(api.get(("revision", revision)), revision)
    except ApiError as exc:
        if exc.status == 404:
            raise ApplyError(
                f"{api.port.target}: revision {revision} is unknown to the switch, which has "
                "probably restarted; run again to compare and finish."
            ) from exc
        raise


def others(api: Api) -> list[Revision]:
    """Return the revisions that are being applied right now, whoever started them."""
    found = api.get(("revision",))
    listed = found if isinstance(found, dict) else {}
    revisions = []
    for name, body in sorted(listed.items()):
        if isinstance(body, dict) and isinstance(body.get("state"), str):
            revisions.append(from_json(body, str(name)))
    return [revision for revision in revisions if in_progress(revision.state)]


def wait_until_free(api: Api, limits: Limits) -> bool:
    """Wait while another apply is in progress; tell whether there was one."""
    deadline = api.clock.now() + limits.busy
    delay = limits.poll_first
    waited = False
    while found := others(api):
        if api.clock.now() >= deadline:
            first = found[0]
            raise ApplyError(
                f"{api.port.target}: revision {first.id} of somebody else is in the state "
                f"{first.state} for more than {limits.busy:g} s; finish or reject it, then run "
                "again."
            )
        waited = True
        api.clock.sleep(delay)
        delay = min(delay * 1.5, limits.poll_most)
    return waited


class Watch:
    """Polls one revision until it stands still: applied, failed, or waiting for a confirmation."""

    def __init__(self, api: Api, revision: str, limits: Limits) -> None:
        self._api = api
        self._revision = revision
        self._limits = limits
        self._answered: set[str] = set()
        self._seen = ""

    def until_still(
        self, *, within: float, silence: float | None = None, skip: frozenset[str] = frozenset()
    ) -> Revision:
        """Return the revision once it stands still; ``skip`` names states to wait through.

        Answers ``within`` seconds or raises ``ApplyError``; a silent switch is given ``silence``.
        """
        clock = self._api.clock
        begun = heard = clock.now()
        delay = self._limits.poll_first
        last: Revision | None = None
        while True:
            try:
                last = read(self._api, self._revision)
                heard = clock.now()
                if self._still(last, heard - begun, skip):
                    return last
            except NvueError as exc:
                if not transient(exc):
                    raise
                if clock.now() - heard > (within if silence is None else silence):
                    raise self._silent(exc, clock.now() - heard) from exc
            if clock.now() - begun > within:
                raise self._late(last, within)
            clock.sleep(delay)
            delay = min(delay * 1.5, self._limits.poll_most)

    def _still(self, found: Revision, elapsed: float, skip: frozenset[str]) -> bool:
        if found.state in skip:
            return False
        meaning = kind(found.state)
        if found.state == "pending":
            if self._seen and not found.no_diff:
                raise self._fallen_back()
            return found.no_diff or elapsed > self._limits.start
        if meaning in (Kind.BUSY, Kind.WAITING, Kind.ANSWERED):
            self._seen = found.state
        if meaning is Kind.WAITING and found.state != "confirm":
            self._reply(found.state)
            return False
        return found.state == "confirm" or meaning in (
            Kind.SUCCESS,
            Kind.FAILURE,
            Kind.GONE,
            Kind.VERIFIED,
        )

    def _reply(self, question: str) -> None:
        """Answer what the automatic answers did not: go on, but never over a failed check."""
        if question not in self._answered:
            self._answered.add(question)
            answer(self._api, self._revision, "ays_yes" if question == "ays" else "ignore_fail_no")

    def _fallen_back(self) -> ApplyError:
        return ApplyError(
            f"{self._api.port.target}: revision {self._revision} is a draft again after it was in the "
            f"state {self._seen}: the switch has restarted, or somebody took it back; run again to "
            "compare and finish."
        )

    def _silent(self, exc: NvueError, seconds: float) -> ApplyError:
        return ApplyError(
            f"{self._api.port.target}: the switch has not answered for {seconds:.0f} s while "
            f"revision {self._revision} was applied (last: {exc}); it should have rolled back, "
            "look at it over its console."
        )

    def _late(self, last: Revision | None, within: float) -> ApplyError:
        state = last.state if last else "never seen"
        return ApplyError(
            f"{self._api.port.target}: revision {self._revision} did not end within {within:g} s; "
            f"its last state was {state} ({kind(state).value})."
        )
