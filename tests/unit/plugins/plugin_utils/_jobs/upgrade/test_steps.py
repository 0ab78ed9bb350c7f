# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of an upgrade on a double: taken, taken up again after a kill, and taken back."""

from __future__ import annotations

import dataclasses
import re

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import upgrades
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade import steps
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import NvueError

from .upgradable import LEAF, NEW, OLD, ORDER, QUICK, SPINE, upgradable

BEFORE, AFTER = ORDER[: ORDER.index("reboot")], ORDER[ORDER.index("reboot") :]


@pytest.fixture
def leaf(project, tmp_path):
    with upgradable(project, tmp_path / "store") as made:
        yield made


def in_service(one):
    """Check whether the ports towards nodes are open and the switch is not drained."""
    applied = one.double.applied
    states = [applied["interface"][port]["link"]["state"] for port in one.switch.host_ports]
    drained = applied["router"]["bgp"].get("graceful-shutdown")
    return all("up" in state for state in states) and not drained


def test_a_run_after_each_kill_goes_on_where_the_switch_is(leaf):
    """Each step is a run of its own, which takes the earlier ones again: none of them does anything twice."""
    assert leaf.look().refusals == []
    for number, name in enumerate(ORDER):
        found = leaf.again()
        assert (found.refusals, found.due) == ([], True), name
        earlier = [one for one in ORDER[:number] if one not in ("try", "quiet")]
        assert not any(made.get("changed") for made in leaf.take(*earlier)), name
        leaf.take(name)
    assert in_service(leaf)
    assert leaf.actions == ["fetch", "install", "boot-next", "reboot"]
    found = leaf.again()
    assert (found.release, found.stage, found.due) == (NEW, "booted", False)
    assert leaf.double.switch.options.release == NEW


def test_a_spine_is_upgraded_too(project, tmp_path):
    with upgradable(project, tmp_path / "store", SPINE, other_release="5.15.0") as spine:
        assert spine.look().refusals == []
        spine.take(*ORDER)
        assert spine.again().due is False
        tried = ["boot-next", "boot-next", "fetch", "install", "boot-next", "reboot"]
        assert spine.actions == tried, "the boot of the other partition is tried and taken back"


def test_check_mode_takes_no_step(leaf):
    leaf.look()
    switch = leaf.switch
    switch = dataclasses.replace(switch, how=dataclasses.replace(switch.how, check=True))
    assert [steps.take(switch, name, QUICK)["skipped"] for name in ORDER] == [True] * len(ORDER)
    assert leaf.double.log.writes == []


@pytest.mark.parametrize(
    "fault, words",
    [
        ("fetch_cut", "transfer closed"),
        ("disk_full_at_fetch", "No space left"),
        ("disk_full_at_install", "No space left"),
        ("fetch_changed", "checksum mismatch"),
        ("fetch_other_build", f"partition2 has {NEW} .* expected {NEW} build"),
    ],
)
def test_an_image_that_does_not_arrive_touches_nothing(leaf, fault, words):
    leaf.look()
    leaf.double.control.profile(fault)
    with pytest.raises(NvueError, match=words):
        leaf.take("install")
    assert in_service(leaf)
    assert leaf.again().stage == "old"


def test_an_error_at_the_end_of_an_installation_counts_by_the_partition(leaf):
    leaf.look()
    leaf.double.control.profile("install_error_at_end")
    leaf.take("install")
    assert leaf.again().stage == "installed"


def back(leaf, monkeypatch, fault, *, seconds=0):
    """Boot with a fault, and return the sentence with which the run ends."""
    quick = {"links": 1.0, "reboot": 6.0}
    real = upgrades.seconds
    monkeypatch.setattr(upgrades, "seconds", lambda name: quick.get(name) or real(name))
    leaf.look()
    leaf.take(*BEFORE)
    fault(leaf.double.control)
    how = steps.Options(seconds=seconds, most=2000, apply_wait=0, soak=0)

    def finish():
        for name in AFTER:
            steps.take(leaf.switch, name, how)

    with pytest.raises((FabricError, NvueError)) as caught:
        finish()
    return str(caught.value)


@pytest.mark.parametrize(
    "fault, words",
    [
        pytest.param("boots_old", "it has booted its old release again", marks=pytest.mark.large),
        ("untranslated", f"nothing shows that the switch at .* is {LEAF}"),
    ],
)
def test_a_switch_that_cannot_be_proven_goes_back(leaf, monkeypatch, fault, words):
    said = back(leaf, monkeypatch, lambda control: control.fault(fault))
    assert f"It is back on {OLD}, in service and proven" in said, said
    assert re.search(words, said), said
    assert leaf.double.switch.options.release == OLD
    assert in_service(leaf)
    found = leaf.again()
    assert (found.stage, found.begun, found.refusals) == ("installed", False, [])


@pytest.mark.large
def test_an_uplink_that_stays_idle_on_both_releases_is_named_twice(leaf, monkeypatch):
    """The double's stays idle on the old release too: no boot repairs a cable."""

    def idle(control):
        control.fault("uplink_idle", interface="swp3s1")

    said = back(leaf, monkeypatch, idle, seconds=1)
    assert said.count("swp3s1 pass no packet while others do (5217091)") == 2
    assert "The way back did not succeed either" in said
    assert leaf.double.switch.options.release == OLD


@pytest.mark.large
def test_sessions_that_stay_away_send_it_back_and_are_named_again(leaf, monkeypatch):
    said = back(leaf, monkeypatch, lambda control: control.sessions("idle"))
    assert "4 BGP sessions are not back: default/swp3s0" in said
    assert "The way back did not succeed either" in said
    assert leaf.double.switch.options.release == OLD


@pytest.mark.large
def test_a_switch_that_never_returns_is_left_to_a_person(leaf, monkeypatch):
    said = back(leaf, monkeypatch, lambda control: control.profile("never_returns"))
    assert "is not back" in said
    assert said.endswith("look at its console.")


def test_what_somebody_changes_before_the_boot_stops_it(leaf):
    leaf.look()
    leaf.take(*BEFORE)
    leaf.double.applied["interface"]["swp1s0"]["link"]["state"] = {"up": {}}
    with pytest.raises(FabricError, match="it is not drained and shut any more"):
        leaf.take("reboot")
    assert leaf.double.switch.options.release == OLD
