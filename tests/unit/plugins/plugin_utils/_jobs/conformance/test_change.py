# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small change on a switch that carries nothing: every state on its way."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance import change
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError

from .doubles import checked, differing, switch

CHANGES = {
    "as documented": ({}, ["confirm", "confirm_fail"], ["confirm", "applied_and_saved"]),
    "asks are-you-sure": (
        {"confirm_form": "ays"},
        ["ays", "ays_fail"],
        ["ays", "applied_and_saved"],
    ),
    "ends as applied": (
        {"final_state": "applied"},
        ["confirm", "confirm_fail"],
        ["confirm", "applied"],
    ),
}


@pytest.mark.parametrize("disguise", CHANGES)
def test_a_change_is_rolled_back_confirmed_and_taken_back(tmp_path, monkeypatch, disguise):
    monkeypatch.setattr(change, "TIMER", 1)
    options, *expected = CHANGES[disguise]
    found = checked(tmp_path, write=True, **options)
    assert not differing(found)
    rows = {row["question"]: row["answer"] for row in found.rows if row["part"] == change.PART}
    assert list(rows) == ["roll-back by the timer", "confirmation", "taken back"]
    for answer, (asked, end) in zip(rows.values(), [*expected, expected[1]]):
        assert answer["asked"] == asked
        assert answer["states"][-1]["state"] == end


def test_a_switch_in_service_is_not_played_with(tmp_path):
    with pytest.raises(RefusedError, match="the switch is in service"):
        checked(tmp_path, write=True, session_state="established")


def test_nothing_is_played_while_somebody_else_applies():
    with switch() as (double, api):
        double.control.busy(5)
        with pytest.raises(RefusedError, match="run again when it is done"):
            change.must_be_idle(api, parse("5.16.1"))
