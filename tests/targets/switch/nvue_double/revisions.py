# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The revisions of a switch: applied, startup, pending ones, and their history."""

from __future__ import annotations

import asyncio
import copy
import time
from dataclasses import dataclass, field
from typing import Any

from .tree import Doc

QUESTIONS = ("ays", "ignore_fail", "confirm")
EDITABLE = {
    "pending",
    "invalid",
    "apply_error",
    "apply_fail",
    "ays_fail",
    "confirm_fail",
    "ready_error",
    "verify_error",
    "dry_run_complete",
}
BUSY = {
    "apply",
    "checking",
    "checked",
    "verifying",
    "verified",
    "readying",
    "ready",
    "reloading",
    "reloaded",
    *QUESTIONS,
    *(f"{question}_{word}" for question in QUESTIONS for word in ("yes", "no")),
}
FAILED = EDITABLE - {"pending", "dry_run_complete"}


@dataclass
class Revision:
    """One revision: its document, the applied document it started from, and where it stands."""

    id: str
    doc: Doc
    base: Doc
    user: str
    state: str = "pending"
    progress: str = ""
    issues: list[dict[str, Any]] = field(default_factory=list)
    was_applied: bool = False
    message: str = ""
    created: float = field(default_factory=time.time)
    controls: dict[str, Any] = field(default_factory=dict)
    prompts: dict[str, Any] = field(default_factory=dict)
    answers: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    applies: int = 0

    def view(self, issue_keys: str) -> Doc:
        """The revision as the API shows it."""
        width = len(issue_keys)
        issues = {str(index).zfill(width): issue for index, issue in enumerate(self.issues)}
        shown: Doc = {
            "state": self.state,
            "transition": {"issue": issues, "progress": self.progress},
        }
        if self.message:
            shown["message"] = self.message
        if self.controls:
            shown["state-controls"] = copy.deepcopy(self.controls)
        if self.prompts:
            shown["auto-prompt"] = dict(self.prompts)
        if self.applies:
            shown["additional-data"] = {"parent-revision-id": "applied"}
            shown["last-apply"] = {"apply-id": f"rev_{self.id}_apply_{self.applies}"}
        return shown


class Revisions:
    """All revisions by id, with the documents that `applied` and `startup` stand for."""

    def __init__(self, document: Doc, limit: int) -> None:
        self.limit = limit
        self.applied = document
        self.startup = copy.deepcopy(document)
        self.by_id: dict[str, Revision] = {}
        first = self.create("system")
        first.state, first.was_applied = "applied", True
        self.current = first

    def create(self, user: str) -> Revision:
        """A new pending revision, branched off what is applied."""
        number = str(max((int(key) for key in self.by_id), default=0) + 1)
        revision = Revision(number, copy.deepcopy(self.applied), self.applied, user)
        self.by_id[number] = revision
        self._trim()
        return revision

    def _trim(self) -> None:
        for key in list(self.by_id):
            if len(self.by_id) <= self.limit:
                return
            revision = self.by_id[key]
            if revision.state not in BUSY and revision is not self.current:
                del self.by_id[key]

    def named(self, name: str) -> Revision | None:
        """The revision an id or the word `pending` stands for."""
        if name == "pending":
            open_ones = [item for item in self.by_id.values() if item.state == "pending"]
            return open_ones[-1] if open_ones else None
        return self.by_id.get(name)

    def document(self, name: str) -> Doc | None:
        """The configuration of a revision name; None where there is no such revision."""
        fixed = {"applied": self.applied, "startup": self.startup, "empty": {}}
        if name in fixed:
            return fixed[name]
        revision = self.named(name)
        return revision.doc if revision else None

    def busy(self, other_than: Revision | None = None) -> list[Revision]:
        """Revisions on their way to being applied."""
        return [
            item for item in self.by_id.values() if item.state in BUSY and item is not other_than
        ]
