# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every check of a switch: silent when all is well, one sentence when it is not."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose

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


# Maintenance

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


# Configuration


@pytest.mark.parametrize(
    "path, value, check, port",
    [
        (("qos", "traffic-pool", "roce-lossless", "memory-percent"), 50, "switch.pools", None),
        (("qos", "pfc", "default-global", "xoff-threshold"), 1, "switch.pfc", None),
        (("qos", "roce", "mode"), "lossy", "switch.roce.mode", None),
        (
            ("qos", "congestion-control", "default-global", "traffic-class", "3", "ecn"),
            "disable",
            "switch.ecn",
            None,
        ),
        (
            ("interface", "swp1s0", "qos", "pfc-watchdog", "state"),
            "disable",
            "switch.watchdog",
            "swp1s0",
        ),
        (
            ("interface", "swp1s0", "router", "adaptive-routing", "state"),
            "enabled",
            "switch.adaptive_routing",
            "swp1s0",
        ),
        (("interface", "swp3s0", "link", "mtu"), 1500, "switch.drift", "swp3s0"),
        (("system", "hostname"), "other", "switch.drift", None),
        (("vrf", "default", "router", "bgp", "neighbor", "swp9"), {}, "switch.drift", None),
    ],
)
def test_a_difference_is_found_by_its_check_and_no_other(healthy, path, value, check, port):
    switch = healthy()
    node = switch.applied
    for key in path[:-1]:
        node = node.setdefault(key, {})
    node[path[-1]] = value
    (failure,) = switch.failures()
    assert (failure["id"], failure["port"]) == (check, port)
    assert "/".join(path) in failure["sentence"]


def test_what_nobody_owns_is_no_drift(healthy):
    switch = healthy()
    switch.applied["service"] = {"dhcp-relay": {"default": {}}}
    switch.applied["interface"]["swp60"] = {"link": {"mtu": 1500}}
    assert switch.failures() == []


def test_unmanaged_places_are_counted_and_left_alone(healthy):
    switch = healthy()
    switch.applied["interface"]["swp3s0"]["link"]["mtu"] = 1500
    assert switch.failures(unmanaged=("interface/swp3s0/link/mtu",)) == []
    rows = switch.results("switch.foreign", unmanaged=("interface/swp3s0/link/mtu",))
    assert rows[0]["found"] == 1


def test_without_managing_roles_nothing_is_said_to_pass(healthy):
    rows = healthy().results("switch.drift", "switch.pools", parts={})
    assert {row["state"] for row in rows} == {"not_run"}


def test_what_cannot_be_compared_is_told_of_every_comparing_check(healthy):
    parts = {"switch_roce": {"config": {"system": {"hostname": "x"}}, "owns": ["qos"]}}
    compared = {name for name, row in table("checks_switch").items() if "paths" in row}
    rows = [row for row in healthy().results(parts=parts) if row["state"] == "not_run"]
    assert {row["id"] for row in rows} >= compared | {"switch.drift"}
    assert rows[-1]["sentence"].startswith("It could not be compared: config has system/hostname")


# BGP and EVPN


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


@pytest.mark.parametrize("entry", [{"device": "spine-p1-s02"}, {"device": LEAF, "port": "swp4s0"}])
def test_what_is_out_of_service_may_be_down(healthy, entry):
    row = {"since": "2026-11-01", "reason": "optic", **entry}
    switch = healthy(out_of_service=[row])
    for port in ("swp4s0", "swp4s1") if "port" not in entry else ("swp4s0",):
        switch.neighbors[port]["state"] = "idle"
        switch.interfaces[port]["link"]["oper-status"] = "down"
        del switch.lldp[port]
    assert switch.failures() == []


@pytest.mark.parametrize("until, fails", [("2026-11-21", 0), ("2026-11-20", 1)])
def test_out_of_service_ends(healthy, until, fails):
    row = {"device": LEAF, "port": "swp4s0", "since": "2026-11-01", "until": until, "reason": "x"}
    assert len(healthy(out_of_service=[row]).failures("switch.out_of_service")) == fails


# Links and neighbours


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


# Counters and states


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
