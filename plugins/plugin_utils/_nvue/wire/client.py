# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of a revision, one documented request per function.

create    POST  /revision
send      PATCH /?rev=7                     sets and unsets
apply     PATCH /revision/7                 state apply, with a confirm timer
watch     GET   /revision/7                 until it is at rest
answer    PATCH /revision/7                 yes or no to confirm, ays, ignore_fail
save      PATCH /revision/applied           where the switch does not save by itself
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

from ....module_utils import _text
from ....module_utils._json import Doc, Json
from ..document.paths import Path
from ..document.shapes import MisfitError, below, mapping, mappings
from ..document.tree import merge
from ..errors import ApiError, ApplyError, NvueError, UnfitError
from . import operational
from .api import Api, transient
from .states import Kind, in_progress, kind, was_applied

_MOST_NAME = 80
"""Characters of a user's name, which is at most 32 on Linux."""

ROOT: Path = ()
NO_DIFF = "no config diff"
# Words that name a revision beside its id (GET parameter ``rev``).
WORDS = frozenset({"applied", "startup", "operational", "pending", "empty"})
# States in which the switch asks, with a timer, whether the change is good; see ``answer``.
QUESTIONS = frozenset({"ays", "confirm"})
# States in which the switch runs what the revision has.
LOADED = frozenset({"reloading", "reloaded", "confirm"})


@dataclass(frozen=True)
class Limits:
    """Limits of waiting, in seconds.

    ``apply`` bounds an apply, ``busy`` the wait for somebody else's, ``start`` how long an apply
    may stay unnoticed, ``lost`` how long a switch may be silent beyond its confirm timer, ``reload`` how long
    it may say that it reloads while it answers everything else (ours: no limit is published).
    """

    apply: float = 900.0
    busy: float = 900.0
    start: float = 30.0
    lost: float = 120.0
    reload: float = 300.0
    poll_first: float = 0.1
    poll_most: float = 2.0


@dataclass(frozen=True)
class Revision:
    """A revision as the switch describes it; ``issues`` are sentences of the switch."""

    id: str
    state: str
    progress: str = ""
    issues: tuple[str, ...] = ()
    user: str = ""
    message: str = ""
    timer: int = 0

    def named(self) -> str:
        """Return how to call the revision of somebody else: by id, and by whom it is if known."""
        who = f"user {_text.line(self.user, _MOST_NAME)}" if self.user else "somebody else"
        said = f" ({self.message[:120]!r})" if self.message else ""
        return f"revision {self.id} of {who}{said}"

    @property
    def no_diff(self) -> bool:
        """Return whether the switch found nothing to apply (from 5.18 on it then detaches it)."""
        said = " ".join((self.progress, *self.issues)).lower()
        return self.state in ("pending", "detached") and NO_DIFF in said

    def words(self) -> str:
        """Return what the switch says about the revision: its issues, else how far it came."""
        said = [text for text in self.issues if text] or [self.progress]
        return "; ".join(dict.fromkeys(said)) or "no reason given"


def revision_of(found: Json, revision: str) -> Revision:
    """Read a revision, whether bare or wrapped by its id."""
    body = mapping(found)
    if "state" not in body:
        body = below(body, revision)
    state = body.get("state")
    if not isinstance(state, str) or not state:
        raise MisfitError(f"revision {revision} with its state")
    transition = below(body, "transition")
    timer = below(body, "state-controls").get("confirm")
    said = {**below(body, "apply-meta"), **body}
    return Revision(
        revision,
        state,
        str(transition.get("progress") or ""),
        tuple(_issues(transition.get("issue"))),
        user=str(said.get("user") or ""),
        message=str(said.get("message") or ""),
        timer=timer if isinstance(timer, int) else 0,
    )


def _issues(found: Json) -> Iterator[str]:
    if isinstance(found, dict):
        found = [found[key] for key in sorted(found)]
    elif not isinstance(found, list | None):
        raise MisfitError("a mapping or a list of issues")
    for issue in found or ():
        if not isinstance(issue, dict):
            yield str(issue)
            continue
        data = issue.get("data")
        reason = data.get("reason") if isinstance(data, dict) else None
        yield str(issue.get("message") or reason or json.dumps(issue, sort_keys=True))


def revisions_of(found: Json) -> list[Revision]:
    """Read the list of revisions; a word for one, such as ``empty``, need not have a state."""
    return [
        revision_of(body, name)
        for name, body in sorted(mappings(found).items())
        if "state" in body or name not in WORDS
    ]


def _new(found: Json) -> Revision:
    """Read a new revision, whether its id wraps it or is beside its state."""
    body = mapping(found)
    if isinstance(body.get("id"), str | int):
        return revision_of({"state": "pending", **body}, str(body["id"]))
    if len(body) != 1:
        raise MisfitError("one new revision")
    (revision,) = body
    return revision_of(body, revision)


def create(api: Api, taken: Collection[str] = ()) -> str:
    """Open a revision and return its id; ``taken`` are the ids that were listed before.

    A revision that is no draft, or was there before, is somebody else's.
    """
    new = api.post(("revision",), None, _new)
    if new.id in WORDS or new.id in taken or new.state != "pending":
        raise ApplyError(
            f"{api.port.target}: the switch gave revision {new.id} (state {new.state}) as a new draft, "
            "which it is not; nothing was written, check it (nv config history)."
        )
    return new.id


def send(api: Api, revision: str, unsets: Doc, sets: Doc, *, mixed: bool) -> None:
    """Send the changes to a revision: one PATCH where the release takes sets and unsets mixed."""
    bodies = [unsets, sets]
    if mixed and unsets and sets:
        bodies = [merge(unsets, sets)]
    for body in bodies:
        if body:
            wanted = frozenset() if body is unsets else frozenset(sets)
            api.patch(ROOT, body, {"rev": revision}, shape=partial(_taken, wanted=wanted))


def _taken(found: Json, wanted: frozenset[str]) -> None:
    """Check that an answer shows the change: since 5.10 it alone, before that all there is.

    Of what was unset nothing is left to show.
    """
    if missing := sorted(wanted - mapping(found).keys()):
        raise MisfitError(f"the change of {', '.join(missing)}")


def _order(api: Api, revision: str, body: Doc) -> None:
    """Change the state of a revision; the answer describes it."""
    shape = partial(revision_of, revision=revision)
    api.patch(("revision", revision), body, shape=shape)


def start_apply(api: Api, revision: str, *, confirm: int, message: str = "") -> None:
    """Ask for the apply; ``confirm`` is the roll-back timer in seconds, 0 for none.

    With a timer nothing is answered beforehand: a switch may ask for the confirmation by the same
    word as for anything else, and would take the answer for both.
    """
    body: Doc = {"state": "apply"}
    if confirm:
        body["state-controls"] = {"confirm": confirm}
    else:
        body["auto-prompt"] = {"ays": "ays_yes"}
    if message:
        body["message"] = message.encode("ascii", "replace").decode("ascii")
    _order(api, revision, body)


def answer(api: Api, revision: str, question: str, *, yes: bool) -> None:
    """Answer a question of the switch, in the forms of public clients that meet it.

    ``ays`` by the apply once more with the answer (NVIDIA's config manager), or where that is
    refused by the state that the answer has, as every other question (gpncfg).
    """
    word = f"{question}_{'yes' if yes else 'no'}"
    if question == "ays":
        try:
            _order(api, revision, {"state": "apply", "auto-prompt": {"ays": word}})
        except ApiError as exc:
            if exc.status != 400:
                raise
        else:
            return
    body: Doc = {"state": word}
    if word == "confirm_yes":
        body["auto-prompt"] = {"ays": "ays_yes"}
    _order(api, revision, body)


def cancel(api: Api, revision: str) -> None:
    """Take back an apply that has not begun (the state ``pending``, as one public client does)."""
    _order(api, revision, {"state": "pending"})


def save(api: Api) -> None:
    """Make the applied configuration the one of the next boot."""
    _order(api, "applied", {"state": "save", "auto-prompt": {"ays": "ays_yes"}})


def read(api: Api, revision: str) -> Revision:
    """Return a revision as it is now."""
    try:
        return api.get(("revision", revision), {}, partial(revision_of, revision=revision))
    except ApiError as exc:
        if exc.status == 404:
            raise ApplyError(
                f"{api.port.target}: revision {revision} is unknown to the switch, which has "
                "probably restarted; run again to compare and finish."
            ) from exc
        raise


def listed(api: Api, own: str = "") -> list[Revision]:
    """Return all revisions, of any user.

    A list that lacks one's ``own`` revision is not a list of this switch's revisions.
    """
    found = api.get(("revision",), {}, revisions_of)
    if own and own not in {revision.id for revision in found}:
        raise UnfitError(
            f"{api.port.target}: GET /revision was answered without revision {own}, which was "
            "just opened."
        )
    return found


def busy(found: list[Revision]) -> list[Revision]:
    """Return those of a list that are being applied."""
    return [revision for revision in found if in_progress(revision.state)]


def newest(found: list[Revision]) -> Revision | None:
    """Return the revision of a list that was applied last: of the applied ones that with the highest id."""
    done = [one for one in found if kind(one.state) is Kind.SUCCESS and one.id not in WORDS]
    return max(done, key=lambda one: (len(one.id), one.id), default=None)


def newly_applied(before: list[Revision], after: list[Revision], own: str) -> list[Revision]:
    """Return what others have applied between two lists, be it replaced by now or not."""
    known = {own, *WORDS, *(one.id for one in before if was_applied(one.state))}
    return [one for one in after if one.id not in known and was_applied(one.state)]


@dataclass(frozen=True)
class Queue:
    """The end of a wait for others: whether there was one, and the ids that are listed."""

    waited: bool
    ids: frozenset[str]


def wait_until_free(
    api: Api, limits: Limits, say: Callable[[str], None] = lambda _text: None
) -> Queue:
    """Wait while another apply is in progress, and say for whom."""
    deadline = api.clock.now() + limits.busy
    delay = limits.poll_first
    announced: set[str] = set()
    while working := busy(found := listed(api)):
        first = working[0]
        if api.clock.now() >= deadline:
            raise ApplyError(
                f"{api.port.target}: {first.named()} is in the state {first.state} for more than "
                f"{limits.busy:g} s; finish or reject it, then run again."
            )
        if first.id not in announced:
            announced.add(first.id)
            say(f"{api.port.target} {_waiting(first, limits)}")
        api.clock.sleep(delay)
        delay = min(delay * 1.5, limits.poll_most)
    return Queue(bool(announced), frozenset(one.id for one in found))


def _waiting(other: Revision, limits: Limits) -> str:
    """Return who is waited for, until when, and why nobody should end the run."""
    until = f"at most {limits.busy:g} s"
    if other.timer:
        until = f"until its roll-back timer of {other.timer} s is over, {until}"
    return (
        f"waits for {other.named()} (state {other.state}), {until}. Leave this run alone: nothing was "
        "written yet, and another run would wait as long. A run that is killed during its change "
        "leaves such a revision behind until its timer expires."
    )


class Watch:
    """Polls one revision until it comes to rest: applied, failed, or with a question.

    ``QUESTIONS`` are left to the caller. Whether to go on over a failed check is declined.
    """

    def __init__(self, api: Api, revision: str, limits: Limits) -> None:
        self.api = api
        self.revision = revision
        self.limits = limits
        self._declined = False
        self._seen = ""
        self._since = 0.0
        self.loaded = False
        """Set when the switch was seen to run the revision: questions from then on are the last."""

    def named(self) -> str:
        """Return the switch and the revision, as an error begins."""
        return f"{self.api.port.target}: revision {self.revision}"

    def until_still(
        self, *, within: float, silence: float, skip: frozenset[str] = frozenset()
    ) -> Revision:
        """Return the revision once it is at rest; ``skip`` names states to wait through.

        Answers ``within`` seconds or raises ``ApplyError``; a silent switch is given ``silence``, one that answers
        elsewhere as long as an apply may stay unnoticed.
        """
        clock = self.api.clock
        begun = heard = clock.now()
        delay = self.limits.poll_first
        last: Revision | None = None
        while True:
            try:
                last = read(self.api, self.revision)
                heard = clock.now()
                if self._still(last, heard - begun, skip):
                    return last
            except NvueError as exc:
                if not transient(exc):
                    raise
                self._judge_silence(exc, clock.now() - heard, silence)
            if clock.now() - begun > within:
                raise self._late(last, within)
            clock.sleep(delay)
            delay = min(delay * 1.5, self.limits.poll_most)

    def _still(self, found: Revision, elapsed: float, skip: frozenset[str]) -> bool:
        if found.state in skip:
            return False
        meaning = kind(found.state)
        if found.state == "pending":
            if self._seen and not found.no_diff:
                raise self._fallen_back()
            return found.no_diff or elapsed > self.limits.start
        if meaning in (Kind.BUSY, Kind.WAITING, Kind.ANSWERED):
            if self._seen != found.state:
                self._since = self.api.clock.now()
            self._seen = found.state
            self._judge_reload(found)
            self.loaded = self.loaded or found.state in LOADED
        if found.state == "ignore_fail" and not self._declined:
            self._declined = True
            answer(self.api, self.revision, "ignore_fail", yes=False)
        return found.state in QUESTIONS or meaning in (
            Kind.SUCCESS,
            Kind.FAILURE,
            Kind.GONE,
            Kind.VERIFIED,
        )

    def _fallen_back(self) -> ApplyError:
        return ApplyError(
            f"{self.named()} is a draft again after it was in the "
            f"state {self._seen}: the switch has restarted, or somebody reverted it; run again to "
            "compare and finish."
        )

    def _judge_reload(self, found: Revision) -> None:
        """Raise where a switch says for too long that it reloads, and answers as one that does not."""
        seconds = self.api.clock.now() - self._since
        if found.state == "reloading" and seconds > self.limits.reload and self._answers():
            raise ApplyError(
                f"{self.named()} is reloading for {seconds:.0f} s, though the switch answers GET /system: it was not "
                "confirmed from here, check it (nv config history), then run again."
            )

    def _judge_silence(self, exc: NvueError, seconds: float, allowed: float) -> None:
        """Raise where a switch is silent for too long, or answers everything but what it applies."""
        if seconds > allowed:
            raise self._silent(exc, seconds) from exc
        if seconds > self.limits.start and self._answers():
            raise ApplyError(
                f"{self.named()} had no usable answer for {seconds:.0f} s (last: {exc}), though the switch answers "
                "GET /system: it was not confirmed from here, check it (nv config history), then run again."
            ) from exc

    def _answers(self) -> bool:
        try:
            operational.about(self.api)
        except NvueError:
            return False
        return True

    def _silent(self, exc: NvueError, seconds: float) -> ApplyError:
        return ApplyError(
            f"{self.api.port.target}: the switch gave no usable answer for {seconds:.0f} s "
            f"while revision {self.revision} was applied (last: {exc}); it should have rolled back, "
            "check it over its console."
        )

    def _late(self, last: Revision | None, within: float) -> ApplyError:
        state = last.state if last else "never seen"
        return ApplyError(
            f"{self.named()} did not end within {within:g} s; "
            f"its last state was {state} ({kind(state).value})."
        )
