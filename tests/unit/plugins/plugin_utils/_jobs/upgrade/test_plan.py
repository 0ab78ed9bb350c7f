# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of an upgrade: who notices, when, and what forbids it."""

from __future__ import annotations

import dataclasses

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade import batch, plan
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade.records import (
    PLAN,
    SwitchState,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    OOB,
    build,
)

from .upgradable import BUILD, NEW, OLD

DONE = SwitchState(NEW, "booted")
HALF = SwitchState(NEW, "booted", drained=True)
FRESH = SwitchState(OLD, "old")


def kept(site):
    return site.store.get(PLAN)


def test_the_plan_says_who_notices_when_and_in_which_order(site):
    made, run = site.make()
    canary, second, *spines, last = site.shown[1:6]
    assert (
        site.shown[0]
        == f"upgrade to {NEW} build {BUILD}: 0 of 6 switches have it; 5 batches follow:"
    )
    assert canary.startswith("batch 1: canary leaf-p1-su002-r1 [interrupting]: nobody notices")
    assert second.startswith("batch 2: leaf-p1-su002-r2 [interrupting]: nobody notices")
    assert all(
        "[drainable]: nobody notices: traffic moves to others first; now" in s for s in spines
    )
    assert "su01, 2 leaves [interrupting]: acme (1 nodes, rails 1-2) lose these rails" in last
    assert "not now: worker-su01-rack01-h01: somebody rents" in last
    assert "not eligible (unknown" in " ".join(site.shown[6:])
    assert len(site.shown) < 24, "one screen"
    assert kept(site).hosts == [
        "leaf-p1-su002-r1",
        "leaf-p1-su002-r2",
        "spine-p1-s01",
        "spine-p1-s02",
    ]
    assert (kept(site).sizes, kept(site).canary) == ([1, 1, 1, 1], ["leaf-p1-su002-r1"])
    assert made["deferred"] == kept(site).deferred
    with pytest.raises(
        FabricError, match="not upgraded: leaf-p1-su001-r1, leaf-p1-su001-r2: worker"
    ):
        batch.left(site.store)
    site.make(window="2999-12-31 CHG-42")
    assert kept(site).sizes == [1, 1, 1, 1, 2]
    assert "now, in the window until 2999-12-31 (CHG-42)" in site.shown[5]
    batch.left(site.store)
    assert run.check is False


def test_check_mode_plans_and_keeps_no_host(site):
    site.make(check=True)
    assert (kept(site).hosts, kept(site).sizes, kept(site).canary) == ([], [], [])


@pytest.mark.parametrize(
    "states, first, sizes",
    [
        ({"leaf-p1-su001-r1": HALF}, "leaf-p1-su001-r1", [1]),
        ({"leaf-p1-su002-r1": DONE}, "spine-p1-s01", [1]),
        ({"spine-p1-s02": HALF, "leaf-p1-su002-r1": DONE}, "spine-p1-s02", [1]),
    ],
)
def test_what_an_earlier_run_began_goes_first(site, states, first, sizes):
    site.make(states)
    assert kept(site).hosts[0] == first
    assert kept(site).sizes[:1] == sizes


def test_nothing_is_due_where_all_have_it(site):
    site.make(dict.fromkeys(site.names, DONE))
    assert site.shown == [
        f"upgrade to {NEW} build {BUILD}: 6 of 6 switches have it; nothing is to be done."
    ]


def test_what_forbids_one_switch_forbids_all(site):
    wrong = dataclasses.replace(FRESH, refusals=["spine-p1-s01: it is in maintenance."])
    with pytest.raises(FabricError, match="spine-p1-s01: it is in maintenance"):
        site.make({"spine-p1-s01": wrong})
    with pytest.raises(
        FabricError,
        match=r"spx_issu: 5.16.1 to 5.16.7 by an optimised image is not eligible: unknown",
    ):
        site.make(issu=True)
    with pytest.raises(FabricError, match="the first batch cannot begin: worker-su01-rack01-h01"):
        site.make(canary="leaf-p1-su001-r1")


def test_who_is_out_of_band_or_out_of_service_is_left_out():
    out = [{"device": "spine-p1-s02", "since": "2026-11-01", "reason": "fan"}]
    fabric = build(oob=OOB, out_of_service=out)
    assert plan.left_out(fabric, "spine-p1-s02") == "is listed in out_of_service"
    assert plan.left_out(fabric, "spine-p1-s01") == ""
    leaf = next(fabric.name(one) for one in fabric.switches() if one.role == "oob_leaf")
    assert "out of band" in plan.left_out(fabric, leaf)
