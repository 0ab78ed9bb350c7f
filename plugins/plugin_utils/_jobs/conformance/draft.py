# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draft with documents of this collection on a switch, which is never applied. Private.

No request of REST is published that deletes a draft, so that each run brings its own back to what the switch runs, and
uses it again if nobody has changed it since. A run that fails in between names it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import typing as t

from ..._nvue.change import plan as planning
from ..._nvue.change.plan import AUTOFILL, Wish
from ..._nvue.document import dialect, shapes
from ..._nvue.document.paths import Globs, to_text
from ..._nvue.document.ranges import expand
from ..._nvue.document.secrets import keep_known, mask_path
from ..._nvue.document.tree import diff, leaves, patches, put
from ..._nvue.errors import ApiError, ApplyError, NvueError, RefusedError
from ..._nvue.wire import client, operational
from .rows import NOT_ASKED, Row, row

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from ....module_utils._json import Doc, Json
    from ..._nvue.change.plan import Plan
    from ..._nvue.document.paths import Path
    from ..._nvue.document.release import Release
    from ..._nvue.document.tree import Change
    from ..._nvue.wire.api import Api

PART = "document"
_MOST_NAMED = 20


@dataclasses.dataclass(frozen=True)
class EarlierDraft:
    """The draft that an earlier run left behind: its revision and the digest of what it holds."""

    revision: str = ""
    digest: str = ""


class Draft:
    """One draft revision of a switch; see `open_draft`."""

    def __init__(self, api: Api, release: Release, revision: str) -> None:
        self._api, self._release, self.revision = api, release, revision

    def read(self) -> Doc:
        """Read the draft, as the switch spells it."""
        params = {"rev": self.revision, "filled": "false"}
        return self._api.get((), params, shapes.configuration)

    def kept(self) -> EarlierDraft:
        """Return the mark by which a later run recognises the draft."""
        return EarlierDraft(self.revision, _digest(self.read()))

    def is_as_kept(self, kept: EarlierDraft) -> bool:
        """Check whether it is still a draft, with the contents that an earlier run left in it."""
        try:
            found = client.read(self._api, self.revision)
            return found.state == "pending" and _digest(self.read()) == kept.digest
        except NvueError:
            return False

    def send(self, unsets: Doc, sets: Doc) -> None:
        """Send changes to the draft."""
        client.send(self._api, self.revision, unsets, sets, mixed=False)

    def reset(self) -> None:
        """Bring the draft back to what the switch runs."""
        self.send(*patches(self.read(), operational.applied(self._api)))

    def left(self) -> str:
        """Command that deletes a draft that stays behind."""
        return (
            f"Revision {self.revision} remains as a draft that this run never applies: delete it on the switch "
            f"(nv config delete {self.revision}, from 5.12 on)."
        )

    def must_be_a_draft(self) -> None:
        """ApplyError where somebody has applied the draft, or began to."""
        found = client.read(self._api, self.revision)
        if found.state != "pending":
            raise ApplyError(
                f"{self._api.port.target}: revision {self.revision} is {found.state} and was only written as a draft: "
                "somebody else applies it, check it (nv config history)."
            )

    def offer(self, plan: Plan) -> str:
        """Send a change in one piece; the words of the switch where it refuses it, none where it takes it."""
        try:
            self.send(*plan.bodies())
        except ApiError as exc:
            # Of a proxy, and of any other status, it is no verdict on the change.
            if exc.status != 400 or not exc.absent:
                raise
            return self._api.clean(str(exc)).partition(" was answered 400: ")[2]
        return ""

    def difference(self) -> Row:
        """Read the difference to what runs, as clients of NVUE do."""
        params = {"rev": self.revision, "diff": "applied"}
        found = self._api.get((), params, shapes.difference)
        kind = "object" if isinstance(found, dict) else "list" if found else "null"
        return row(PART, "difference to what runs", request=f"GET /?diff=applied ({kind})")

    def put(self, name: str, config: Doc) -> Row:
        """Put a document into the draft, read it back, and say what was refused or changed."""
        before = self.read()
        try:
            plan = planning.make(before, Wish(config), self._release)
        except RefusedError as exc:
            return row(PART, name, [str(exc)], NOT_ASKED)
        refused = dict(self._sent(before, config))
        after = plan.after
        if refused:
            rest = _document((path, value) for path, value in leaves(config) if path not in refused)
            after = planning.make(before, Wish(rest), self._release).after
        said = [f"refuses {_named(path)}: {words}" for path, words in refused.items()]
        return row(PART, name, [*said[:_MOST_NAMED], *self._changed(after)])

    def _sent(self, before: Doc, config: Doc) -> list[tuple[Path, str]]:
        """Send a document; where it is refused, halves of it, down to each setting that is refused alone."""
        unsets, sets = planning.make(before, Wish(config), self._release).bodies()
        try:
            self.send(unsets, sets)
        except ApiError as exc:
            if exc.status in (401, 403) or exc.status >= 500:
                raise
            parts = list(leaves(config))
            if len(parts) == 1:
                return [(parts[0][0], self._api.clean(str(exc)))]
            half = len(parts) // 2
            return [
                found
                for some in (parts[:half], parts[half:])
                for found in self._sent(self.read(), _document(some))
            ]
        return []

    def differences(self, expected: Doc) -> list[Change]:
        """The places at which the draft is otherwise than it was sent, secrets aside; both in the neutral spelling."""
        found = dialect.from_release(expand(self.read()), self._release)
        by_itself = Globs(AUTOFILL)
        return [
            change
            for change in diff(keep_known(found, expected, Globs(())), found)
            if change.before is not None or not by_itself.covers(change.path)
        ]

    def _changed(self, expected: Doc) -> list[str]:
        """Differences of the draft from what was sent, in words."""
        said = []
        for change in self.differences(expected):
            came = "adds" if change.before is None else "changes"
            said.append(f"{'drops' if change.after is None else came} {_named(change.path)}")
        more = len(said) - _MOST_NAMED
        return said[:_MOST_NAMED] + ([f"and {more} more"] if more > 0 else [])


def open_draft(api: Api, release: Release, kept: EarlierDraft) -> Draft:
    """The draft of an earlier run, brought back to what runs, or a new one where that is not ours any more."""
    draft = Draft(api, release, kept.revision)
    if not kept.revision or not draft.is_as_kept(kept):
        others = {one.id for one in client.listed(api)}
        return Draft(api, release, client.create(api, others))
    draft.reset()
    return draft


def _digest(doc: Json) -> str:
    return hashlib.sha256(json.dumps(doc, sort_keys=True).encode()).hexdigest()


def _document(parts: Iterable[tuple[Path, Json]]) -> Doc:
    made: Doc = {}
    for path, value in parts:
        made = put(made, path, value)
    return made


def _named(path: Path) -> str:
    return to_text(mask_path(path))
