# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of a switch about itself: sessions, cables, counters, RoCE."""

from __future__ import annotations

import pytest

LEAF, SPINE = "leaf-p1-su001-r1", "spine-p1-s01"


@pytest.mark.parametrize(
    "name, value, fails",
    [
        ("in-errors", 100, 0),
        ("in-errors", 101, 1),
        ("carrier-transitions", 21, 1),
        ("out-errors", "x", 0),
    ],
)
def test_counters(healthy, name, value, fails):
    switch = healthy()
    switch.interfaces["swp3s0"]["link"]["stats"][name] = value
    failures = switch.failures("switch.link.errors")
    assert [row["port"] for row in failures] == ["swp3s0"] * fails


@pytest.mark.parametrize("rate, state", [("1e-15", "pass"), (1e-9, "fail")])
def test_bit_error_rates(healthy, rate, state):
    switch = healthy()
    switch.interfaces["swp3s0"]["link"]["phy"] = {"health": {"effective-ber": rate}}
    assert [row["state"] for row in switch.results("switch.link.ber")] == [state]


@pytest.mark.parametrize(
    "report, state",
    [
        ({"traffic-class": {"3": {"status": "OK", "deadlock-count": 0}}}, "pass"),
        ({"traffic-class": {"3": {"status": "OK", "deadlock-count": 4}}}, "fail"),
        ({"status": "DEADLOCK"}, "fail"),
    ],
)
def test_deadlocks(healthy, report, state):
    switch = healthy()
    switch.interfaces["swp1s1"]["qos"] = {"pfc-watchdog": report}
    assert [row["state"] for row in switch.results("switch.watchdog.deadlock")] == [state]


@pytest.mark.parametrize(
    "mode, state", [("lossless", "pass"), ("lossy", "fail"), (None, "not_realised")]
)
def test_roce_as_the_switch_reports_it(healthy, mode, state):
    switch = healthy()
    switch.roce = {"mode": mode} if mode else {}
    assert [row["state"] for row in switch.results("switch.roce.operational")] == [state]


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
    switch.neighbors["swp3s0"]["address-family"]["l2vpn-evpn"] = {"enable": "off"}
    del switch.neighbors["swp3s1"]["address-family"]["l2vpn-evpn"]
    (failure,) = switch.failures()
    assert (failure["id"], failure["port"]) == ("switch.evpn.session", "swp3s0")


def test_a_summary_without_detail_shows_neither_good_nor_bad(healthy):
    switch = healthy()
    switch.neighbors = {name: {"remote-as": 4220000000} for name in switch.neighbors}
    found = {row["id"]: row for row in switch.results("switch.bgp.session", "switch.evpn")}
    assert {row["state"] for row in found.values()} == {"not_run"}
    assert "reports no state of the BGP session" in found["switch.bgp.session"]["sentence"]
    assert "reports no l2vpn-evpn of the BGP session" in found["switch.evpn.session"]["sentence"]


def test_states_without_families_show_nothing_of_evpn(healthy):
    switch = healthy()
    for name in switch.neighbors:
        switch.neighbors[name] = {"state": "established"}
    found = switch.results("switch.bgp.session", "switch.evpn.session")
    assert [row["state"] for row in found] == ["pass", "not_run"]


def test_a_port_or_lldp_that_is_not_reported_is_not_known(healthy):
    switch = healthy()
    del switch.interfaces["swp1s0"]["link"]["oper-status"]
    switch.lldp = {}
    found = {row["id"]: row for row in switch.results("switch.link.state", "switch.lldp")}
    assert {name: row["state"] for name, row in found.items()} == {
        "switch.link.state": "not_run",
        "switch.lldp.neighbour": "not_realised",
    }
    assert found["switch.link.state"]["port"] == "swp1s0"


def test_no_session_at_all(healthy):
    switch = healthy()
    switch.neighbors = {}
    assert "switch.bgp.session" in {row["id"] for row in switch.failures()}


# Cables


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
        [("WORKER-SU01-RACK01-H01.example.net", "02:00:5e:00:53:01", "", "rail1p1")],
        [("worker-su01-rack01-h01", "enp24s0f0np0")],
        [("worker-su01-rack01-h01", "rail1p1"), ("worker-su01-rack01-h01", "02:11:22:33:44:55")],
    ],
)
def test_neighbours_that_are_right(healthy, heard):
    switch = healthy()
    switch.lldp["swp1s0"] = heard
    assert switch.failures() == []


RIGHT = ("worker-su01-rack01-h01", "rail1p1")


@pytest.mark.parametrize(
    "further",
    [
        ("spine-p1-s01", "swp1s0"),
        ("SPINE-P1-S01.example.net", "swp9"),
        ("leaf-p1-su001-r1", "swp1s0"),
        ("worker-su01-rack01-h02", "rail1p1"),
        ("worker-su01-rack01-h02", "02:11:22:33:44:55"),
        ("worker-su01-rack01-h01", "rail2p1"),
    ],
)
def test_a_host_that_calls_itself_another_device_too(healthy, further):
    """Its own neighbour is the planned one, and proves nothing of the other."""
    switch = healthy()
    switch.lldp["swp1s0"] = [RIGHT, further]
    (failure,) = switch.failures()
    assert (failure["id"], failure["port"]) == ("switch.lldp.neighbour", "swp1s0")
    assert failure["found"] == [" ".join(further)]
    assert f"find out what calls itself {further[0]} at this cable" in failure["sentence"]


def test_a_further_neighbour_that_no_plan_has_is_not_proven(healthy):
    switch = healthy()
    switch.lldp["swp1s0"] = [("bmc", "eth0"), RIGHT]
    rows = switch.results("switch.lldp.neighbour")
    assert [row["state"] for row in rows] == ["not_realised", "pass"]
    assert "bmc eth0 is heard, so that the neighbour is not proven" in rows[0]["sentence"]
    assert rows[1]["found"] == len(switch.lldp) - 1


def test_a_name_of_the_site_is_known_in_any_case_of_its_letters(healthy, tmp_path):
    """Names of a site may have capitals, which LLDP of a liar need not have."""
    (tmp_path / "devices.csv").write_text("place,name\nspine-p1-s02,Core-A\n")
    switch = healthy(devices="devices.csv")
    switch.lldp["swp1s0"] = [RIGHT, ("core-a.example.net", "swp1s0")]
    (failure,) = switch.failures("switch.lldp")
    assert "find out what calls itself core-a.example.net" in failure["sentence"]


def test_a_strangers_cable(healthy):
    switch = healthy()
    switch.lldp["swp3s0"] = [("printer", "1")]
    (failure,) = switch.failures()
    assert failure["expected"] == "spine-p1-s01 swp1s0"
    assert failure["found"] == ["printer 1"]
    assert "find out what that is" in failure["sentence"]


def at_outside(switch):
    """Set the reports of an array and a provider, or that there are none."""
    kinds = {row["port"]: row["kind"] for row in switch.ctx.ports}
    for port in switch.lldp:
        if kinds[port] in ("array", "external"):
            switch.lldp[port] = [("edge-router-7", "et-0/0/1")]


@pytest.mark.parametrize("device", ["border-leaf-01-1", "storage-leaf-001-1"])
def test_what_is_outside_of_the_fabric_calls_itself_what_it_likes(healthy, device):
    switch = healthy(device, "lab-converged")
    at_outside(switch)
    assert switch.failures() == []


def test_cables_of_nodes_that_are_exchanged_on_a_front_end_leaf(healthy):
    switch = healthy("front-end-leaf-001-1", "lab-converged")
    one, two = "swp1s0", "swp1s1"
    switch.lldp[one], switch.lldp[two] = switch.lldp[two], switch.lldp[one]
    (failure,) = switch.failures()
    assert failure["id"] == "switch.lldp.swap"
    assert "h01 front1 and worker-su01-rack01-h02 front1 are exchanged" in failure["sentence"]


def test_the_other_front_end_port_of_the_node_is_not_the_planned_one(healthy):
    switch = healthy("front-end-leaf-001-1", "lab-converged")
    switch.lldp["swp1s0"] = [("worker-su01-rack01-h01", "front2")]
    (failure,) = switch.failures()
    assert failure["id"] == "switch.lldp.neighbour"
