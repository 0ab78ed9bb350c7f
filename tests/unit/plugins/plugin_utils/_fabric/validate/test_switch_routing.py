# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP sessions of a switch against the plan."""

from __future__ import annotations


def test_a_session_that_is_down(healthy):
    switch = healthy()
    switch.neighbors["swp3s1"]["state"] = "active"
    (failure,) = switch.failures()
    assert failure["id"] == "switch.bgp.session"
    assert failure["port"] == "swp3s1"
    assert "with spine-p1-s01 swp1s1 (AS 4220000000) is active" in failure["sentence"]


def test_a_session_that_nobody_planned(healthy):
    switch = healthy()
    switch.neighbors["swp1s0"] = {"state": "established"}
    (failure,) = switch.failures()
    assert (failure["id"], failure["port"]) == ("switch.bgp.unexpected", "swp1s0")


def test_a_session_without_evpn(healthy):
    switch = healthy()
    del switch.neighbors["swp3s0"]["address-family"]["l2vpn-evpn"]
    del switch.neighbors["swp3s1"]["address-family"]["l2vpn-evpn"]
    (failure,) = switch.failures()
    assert (failure["id"], failure["port"]) == ("switch.evpn.session", "swp3s0")


def test_no_session_at_all(healthy):
    switch = healthy()
    switch.neighbors = {}
    assert "switch.bgp.session" in {row["id"] for row in switch.failures()}
