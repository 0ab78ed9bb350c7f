# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of one double: the choices of a test; the reference's behaviour is the default."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from . import sessions
from .models import MODELS, Model
from .release import Release
from .reports import REPORTS


@dataclass
class Options:
    """All settings of a double; the control API changes them while it runs.

    Times are seconds; `login_scale` shortens those of restrictions.py (0.01: 15 s are 0.15 s).
    `known_issues` adds the ids of bugs to reproduce to those the release has
    deterministically (see known_issues.py). `session_report` is how sessions are reported
    (reports.py), `hostile_text` is appended to every name and text that comes from outside.
    `other_release` is on the other partition (empty: nothing is). `packets_per_second` pass each
    port that is up, without a realiser. The
    switches whose documentation is silent are the last group: each has a second choice, and the
    README says which is sourced. `lacking` are places (keys joined by `/`, `*` for any) that the
    model does not know, and `deaf` those that a patch may name without any effect. `shapes` are operational answers
    instead of those of data/operational_shapes.yml, by resource. Sessions have the forms of sessions.py.
    """

    release: str = "5.16.1"
    serial: str = "MT0000X00000"
    model: str = "SN5600"
    mac: str = "44:38:39:00:00:01"
    username: str = "cumulus"
    password: str = "Spectrum-X1!"
    factory_default_password: bool = False
    users: dict[str, tuple[str, str]] = field(default_factory=dict)
    document: dict[str, Any] | None = None
    state_dir: str | None = None

    step_seconds: float = 0.01
    answer_seconds: float = 0.3
    boot_seconds: float = 0.5
    login_scale: float = 0.01
    install_seconds: float = 0.05
    other_release: str = ""
    packets_per_second: float = 0.0
    max_revisions: int = 100
    known_issues: set[str] = field(default_factory=set)
    ignore_known_issues: bool = False
    enforce_listening_address: bool = False
    session_state: str = "idle"
    session_report: str = "full"
    session_detail: str = "view"
    session_summary: str = "table"
    session_key: str = "by_release"
    inactive_families: str = "left_out"
    link_state: str = "up"
    hostile_text: str = ""

    confirm_form: str = "confirm"
    auto_prompt_confirm: str = "by_form"
    diff_reply: str = "object"
    revision_reply: str = "bare"
    unauthorized_html: bool = True
    plain_password: str = "refuse"
    unknown_certificate: str = "accept"
    schema_errors: str = "patch"
    applied_during_confirm: str = "old"
    revision_delete: str = "refuse"
    final_state: str = "applied_and_saved"
    issue_keys: str = "0"
    ignore_fail_key: str = "both"
    lacking: tuple[str, ...] = ()
    deaf: tuple[str, ...] = ()
    shapes: dict[str, Any] = field(default_factory=dict)

    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {
        "session_report": REPORTS,
        "session_detail": sessions.DETAIL,
        "session_summary": sessions.SUMMARY,
        "session_key": ("by_release", *sessions.STATE_KEYS),
        "inactive_families": sessions.INACTIVE,
        "confirm_form": ("confirm", "ays"),
        "auto_prompt_confirm": ("by_form", "answers", "asks"),
        "diff_reply": ("list", "object"),
        "revision_reply": ("bare", "wrapped"),
        "plain_password": ("refuse", "allow"),
        "unknown_certificate": ("accept", "invalid"),
        "schema_errors": ("patch", "apply"),
        "applied_during_confirm": ("old", "new"),
        "revision_delete": ("refuse", "allow"),
        "final_state": ("applied_and_saved", "applied", "saved"),
        "issue_keys": ("0", "00000"),
        "ignore_fail_key": ("both", "ignore_fail", "ignore-fail"),
    }

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Raise ValueError for a value outside its choices."""
        Release.parse(self.release)
        if self.model not in MODELS:
            raise ValueError(f"model '{self.model}' is not one of {', '.join(MODELS)}")
        for name, allowed in self.CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} '{getattr(self, name)}' is not one of {allowed}")
        if not isinstance(self.hostile_text, str):
            raise ValueError(f"hostile_text '{self.hostile_text}' is not text")

    def change(self, changes: dict[str, Any]) -> None:
        """Set several options at once; an unknown name or value is a ValueError."""
        unknown = [name for name in changes if name not in self.__dataclass_fields__]
        if unknown:
            raise ValueError(f"no such option: {', '.join(unknown)}")
        before = {name: getattr(self, name) for name in changes}
        for name, value in changes.items():
            setattr(self, name, set(value) if name == "known_issues" else value)
        try:
            self.check()
        except ValueError:
            for name, value in before.items():
                setattr(self, name, value)
            raise

    @property
    def parsed_release(self) -> Release:
        """The release as a comparable value."""
        return Release.parse(self.release)

    @property
    def hardware(self) -> Model:
        """The model's facts."""
        return MODELS[self.model]
