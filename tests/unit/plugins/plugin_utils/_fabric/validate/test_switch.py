# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every check of a switch: silent when all is well, one sentence when it is not."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table

LEAF, SPINE = "leaf-p1-su001-r1", "spine-p1-s01"


@pytest.mark.parametrize("device", [LEAF, SPINE])
def test_a_healthy_switch_passes_everything_that_can_be_known(healthy, device):
    states = {row["id"]: row["state"] for row in healthy(device).results()}
    assert {check for check, state in states.items() if state != "pass"} == {
        "switch.link.ber",
        "switch.watchdog.deadlock",
    }
    assert set(states) <= set(table("checks_switch"))
    assert {"switch.drift", "switch.pools", "switch.bgp.session", "switch.lldp.swap"} <= set(states)


def test_results_have_the_shape_that_readers_know(healthy):
    for row in healthy().results():
        assert set(row) == {
            "schema",
            "id",
            "fabric",
            "place",
            "tenant",
            "device",
            "port",
            "expected",
            "found",
            "state",
            "sentence",
        }
        assert (row["schema"], row["fabric"], row["device"]) == (1, "lab", LEAF)
        assert row["sentence"].endswith(".")


def test_checks_are_chosen_by_the_first_words_of_their_ids(healthy):
    assert {row["id"] for row in healthy().results("switch.bgp", "switch.pools")} == {
        "switch.bgp.session",
        "switch.bgp.unexpected",
        "switch.pools",
    }


@pytest.mark.parametrize(
    "release, accept, fails", [("5.16.1", [], 0), ("5.17.0", [], 1), ("5.17.0", ["5.17"], 0)]
)
def test_release(healthy, release, accept, fails):
    switch = healthy(accept_releases=accept)
    switch.release = release
    assert len(switch.failures("switch.release")) == fails
