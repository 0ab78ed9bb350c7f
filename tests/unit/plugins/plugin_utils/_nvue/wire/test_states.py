# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.states import (
    Kind,
    in_progress,
    kind,
)

# As listed by the API pages of the user guides, one line per class.
DOCUMENTED = {
    Kind.SUCCESS: "applied applied_and_saved auto_save auto_saving saved",
    Kind.FAILURE: "invalid apply_error apply_fail ays_fail confirm_fail ready_error verify_error",
    Kind.QUEUED: "apply",
    Kind.BUSY: "pending checking checked verifying verified readying ready reloading reloaded",
    Kind.WAITING: "ays ignore_fail confirm",
    Kind.ANSWERED: "ays_yes ays_no ignore_fail_yes ignore_fail_no confirm_yes confirm_no",
    Kind.SAVING: "save saving",
    Kind.VERIFIED: "dry_run_complete",
    Kind.GONE: "inactive detached empty previous",
    Kind.UNKNOWN: "surprise",
}


@pytest.mark.parametrize(
    "meaning, state", [(meaning, state) for meaning in DOCUMENTED
                       for state in DOCUMENTED[meaning].split()]
)  # fmt: skip
def test_every_documented_state_is_classified(meaning: Kind, state: str) -> None:
    assert kind(state) is meaning


@pytest.mark.parametrize(
    "state, busy",
    [("pending", False), ("checking", True), ("apply", True), ("confirm", True), ("ays", True),
     ("applied", False), ("apply_fail", False), ("previous", False), ("reloading", True)],
)  # fmt: skip
def test_a_draft_is_no_apply_in_progress(state: str, busy: bool) -> None:
    assert in_progress(state) is busy
