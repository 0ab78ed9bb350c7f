# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A switch in maintenance is remarked, and work explains what it disturbs."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose

LEAF, SPINE = "leaf-p1-su001-r1", "spine-p1-s01"


SHUTDOWN = {"router": {"bgp": {"graceful-shutdown": "enabled"}}}
UNIT = {"maintenance": {"unit": {"all-protocols": {"mode": "enabled"}}}}


@pytest.mark.parametrize(
    "release, applied, way_back",
    [
        (
            "5.16.1",
            SHUTDOWN,
            "run playbook maintenance with spx_device=spine-p1-s01 and spx_state=",
        ),
        ("5.16.1", UNIT, "unset maintenance/unit/all-protocols."),
        ("5.14.0", {"router": {"bgp": {"graceful-shutdown": "on"}}}, "spx_state=leave."),
    ],
)
def test_a_switch_in_maintenance_is_remarked(healthy, release, applied, way_back):
    switch = healthy(SPINE)
    switch.release = release
    compose.lay(switch.applied, applied)
    (row,) = switch.results("switch.maintenance")
    assert row["state"] == "not_run"
    assert "spine-p1-s01 is in maintenance (" in row["sentence"]
    assert way_back in row["sentence"]


def test_work_explains_lost_sessions_and_cables_and_nothing_else(healthy):
    switch = healthy(SPINE)
    compose.lay(switch.applied, SHUTDOWN)
    switch.neighbors["swp1s0"]["state"] = "active"
    switch.lldp["swp1s1"] = []
    switch.interfaces["swp1s1"]["link"]["oper-status"] = "down"
    switch.interfaces["swp2s0"]["link"]["stats"]["in-errors"] = 10**9
    assert switch.failures() == []
    waived = {row["id"]: row["sentence"] for row in switch.results() if row["state"] == "waived"}
    assert set(waived) == {
        "switch.bgp.session",
        "switch.evpn.session",
        "switch.link.errors",
        "switch.link.state",
        "switch.lldp.neighbour",
    }
    assert all(text.endswith(". Waived: the switch is in maintenance.") for text in waived.values())
    switch.applied["system"]["hostname"] = "other"
    switch.release = "5.18.0"
    assert {row["id"] for row in switch.failures()} == {"switch.drift", "switch.release"}
