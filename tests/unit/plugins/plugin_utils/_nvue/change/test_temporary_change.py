# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change for some time is taken back by the switch, also where nobody asks for it any more."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import temporary_change
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import Wish
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApplyError,
    RefusedError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.client import Limits

from ..faithful import STARTED, Faithful, Revision

SHUT = Wish({"interface": {"swp1": {"link": {"state": {"down": {}}}}}})
LIMITS = Limits(apply=60, busy=300, start=5, lost=20, poll_first=0.5, poll_most=2)
TIMER = 60


def shut(switch):
    """Check whether the switch runs the port as shut."""
    return "link" in switch.running["interface"]["swp1"]


def play(switch, **more):
    runs = more.pop("runs", lambda: shut(switch))
    return temporary_change.play(
        switch.api(), SHUT, **{"seconds": TIMER, "runs": runs, "limits": LIMITS, **more}
    )


@pytest.mark.parametrize("form", ["confirm", "ays"])
@pytest.mark.parametrize("warns", [False, True])
def test_it_runs_for_its_time_and_is_gone(form, warns):
    switch = Faithful(form=form, warns=warns)
    span = play(switch)
    assert TIMER - temporary_change.SEEN < span.ended - span.began < TIMER + 5
    assert switch.applied == switch.running == STARTED
    assert not any("confirm_yes" in str(body) for body in switch.bodies)


def test_it_is_not_confirmed_where_only_the_state_shows_that_it_runs():
    switch = Faithful()
    play(switch, runs=lambda: False)
    assert switch.applied == switch.running == STARTED


def test_what_was_confirmed_all_the_same_is_taken_back():
    """A switch of the form ays that does not report its ports: its question looks like the one before the reload."""
    switch = Faithful(form="ays")
    with pytest.raises(ApplyError, match="was not seen to run within 15 s, and is reverted"):
        play(switch, runs=lambda: False)
    assert switch.applied == switch.running == STARTED


def test_nothing_to_change_and_somebody_at_work_are_refused():
    switch = Faithful()
    switch.applied["interface"]["swp1"]["link"] = {"state": {"down": {}}}
    with pytest.raises(RefusedError, match="nothing would change"):
        play(switch)
    switch = Faithful()
    switch.revisions["7"] = Revision(copy.deepcopy(STARTED), state="reloading", until=2000.0)
    with pytest.raises(RefusedError, match="revision 7"):
        play(switch)


def test_a_change_that_the_switch_refuses_is_no_test():
    switch = Faithful()
    switch._reload = lambda one: switch._enter(one, "invalid")
    with pytest.raises(ApplyError):
        play(switch)
    assert switch.applied == STARTED
