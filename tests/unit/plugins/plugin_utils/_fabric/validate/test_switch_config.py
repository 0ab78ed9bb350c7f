# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The applied configuration against what the roles render."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table


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
