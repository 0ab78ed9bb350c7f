# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every check of a switch: silent when all is well, one sentence when it is not."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose

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


@pytest.mark.parametrize(
    ("days", "words"),
    [
        ((-365, 30), ""),
        ((-365, 29), "expires on 2026-12-20, in 29 days: renew it."),
        ((-365, 0), "expires on 2026-11-21, in 0 days: renew it."),
        ((-365, -1), "expired on 2026-11-20: renew it."),
        ((1, 365), "is good from 2026-11-22 on: check the clocks, or renew it."),
        (None, "is no certificate that can be read: import another one, and bind the API to it."),
    ],
)
def test_certificate(healthy, days, words):
    switch = healthy()
    der = switch.shown(*days) if days else b"0"
    found = switch.failures("switch.certificate", certificate=der)
    assert [row["sentence"] for row in found] == (
        [f"{LEAF}: the certificate of its API {words}"] if words else []
    )


def test_a_switch_that_shows_no_certificate_is_not_passed(healthy):
    (row,) = healthy().results("switch.certificate", certificate=b"")
    assert row["state"] == "not_realised"


# The applied configuration against what the roles render


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
    switch = healthy(unmanaged=["interface/swp3s0/link/mtu"])
    switch.applied["interface"]["swp3s0"]["link"]["mtu"] = 1500
    assert switch.failures() == []
    rows = switch.results("switch.foreign")
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
