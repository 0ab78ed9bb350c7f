# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cables of a switch against the plan."""

from __future__ import annotations

import pytest

LEAF, SPINE = "leaf-p1-su001-r1", "spine-p1-s01"


def test_a_pulled_cable(healthy):
    switch = healthy()
    switch.interfaces["swp1s0"]["link"]["oper-status"] = "down"
    del switch.lldp["swp1s0"]
    found = {row["id"]: row for row in switch.failures()}
    assert set(found) == {"switch.link.state", "switch.lldp.neighbour"}
    assert found["switch.link.state"]["port"] == "swp1s0"
    assert "nothing is heard" in found["switch.lldp.neighbour"]["sentence"]


def test_a_port_that_is_shut_on_purpose_is_not_missed(healthy):
    switch = healthy()
    link = switch.applied["interface"]["swp1s0"]["link"]
    link["state"] = {"down": {}}
    switch.interfaces["swp1s0"]["link"]["oper-status"] = "down"
    del switch.lldp["swp1s0"]
    assert switch.failures("switch.link", "switch.lldp") == []


def test_two_nodes_exchanged_are_one_sentence(healthy):
    switch = healthy("leaf-p1-su001-r2")
    switch.lldp["swp1s0"], switch.lldp["swp1s1"] = switch.lldp["swp1s1"], switch.lldp["swp1s0"]
    (failure,) = switch.failures()
    assert failure["id"] == "switch.lldp.swap"
    assert failure["sentence"].startswith(
        "rail 2: nodes 1 and 2 of SU 1 are exchanged at swp1s0 and swp1s1:"
    )


def test_two_links_of_a_spine_exchanged(healthy):
    switch = healthy(SPINE)
    switch.lldp["swp1s0"], switch.lldp["swp2s0"] = switch.lldp["swp2s0"], switch.lldp["swp1s0"]
    (failure,) = switch.failures()
    assert failure["id"] == "switch.lldp.swap"
    assert failure["port"] == "swp1s0,swp2s0"


def test_a_cable_of_another_rail_says_where_it_belongs(healthy):
    switch = healthy()
    switch.lldp["swp1s0"] = [("worker-su01-rack01-h01", "rail2p1")]
    (failure,) = switch.failures()
    assert failure["id"] == "switch.lldp.neighbour"
    assert "rail 2 of node 1 and belongs to leaf-p1-su001-r2 swp1s0" in failure["sentence"]


@pytest.mark.parametrize(
    "heard",
    [
        [("worker-su01-rack01-h01.example.net", "rail1p1")],
        [("worker-su01-rack01-h01", "ens5f0np0")],
        [("bmc", "eth0"), ("worker-su01-rack01-h01", "rail1p1")],
    ],
)
def test_neighbours_that_are_right(healthy, heard):
    switch = healthy()
    switch.lldp["swp1s0"] = heard
    assert switch.failures() == []


def test_a_strangers_cable(healthy):
    switch = healthy()
    switch.lldp["swp3s0"] = [("printer", "1")]
    (failure,) = switch.failures()
    assert failure["expected"] == "spine-p1-s01 swp1s0"
    assert failure["found"] == "printer 1"
