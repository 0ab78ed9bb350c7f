# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every state of a revision that is documented, and what it means for who waits.

Names: the NVUE API page of the user guides (5.17, 5.18); the classes were confirmed against two
public REST clients (gpncfg, an NVIDIA switch test tool). *previous*, *inactive*, *detached* and
*empty* say that the revision is no longer the one being applied.
"""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """Meaning of a revision's state for the client."""

    SUCCESS = "applied"
    FAILURE = "failed"
    QUEUED = "waits for another revision"
    BUSY = "at work"
    WAITING = "waits for an answer"
    ANSWERED = "was answered"
    SAVING = "is being saved"
    VERIFIED = "was verified only"
    GONE = "is no longer applied"
    UNKNOWN = "is in a state unknown to this collection"


_TABLE: dict[Kind, tuple[str, ...]] = {
    Kind.SUCCESS: ("applied", "applied_and_saved", "auto_save", "auto_saving", "saved"),
    Kind.FAILURE: (
        "invalid", "apply_error", "apply_fail", "ays_fail", "confirm_fail", "ready_error",
        "verify_error",
    ),
    Kind.QUEUED: ("apply",),
    Kind.BUSY: (
        "pending", "checking", "checked", "verifying", "verified", "readying", "ready",
        "reloading", "reloaded",
    ),
    Kind.WAITING: ("ays", "ignore_fail", "confirm"),
    Kind.ANSWERED: (
        "ays_yes", "ays_no", "ignore_fail_yes", "ignore_fail_no", "confirm_yes", "confirm_no",
    ),
    Kind.SAVING: ("save", "saving"),
    Kind.VERIFIED: ("dry_run_complete",),
    Kind.GONE: ("inactive", "detached", "empty", "previous"),
}  # fmt: skip

STATES: dict[str, Kind] = {state: kind for kind, states in _TABLE.items() for state in states}

# Kinds in which another revision is being applied: a second apply must wait.
IN_PROGRESS = frozenset({Kind.QUEUED, Kind.BUSY, Kind.WAITING, Kind.ANSWERED, Kind.SAVING})


def kind(state: str) -> Kind:
    """Return what a state means; a state that no document names is ``Kind.UNKNOWN``."""
    return STATES.get(state, Kind.UNKNOWN)


def was_applied(state: str) -> bool:
    """Return whether a revision in this state is applied, or was until another one was."""
    return kind(state) is Kind.SUCCESS or state in ("inactive", "previous")


def in_progress(state: str) -> bool:
    """Return whether a revision of somebody else in this state forbids an apply.

    A revision that is merely ``pending`` is somebody's draft and forbids nothing.
    """
    return state != "pending" and kind(state) in IN_PROGRESS
