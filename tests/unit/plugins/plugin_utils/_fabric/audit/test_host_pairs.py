# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NICs and their leaf ports: each mismatch fails its own check, and what an end does not show is not run."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    host,
    host_pairs,
)

from .hosts import parts, port, spoiled, view_of


@pytest.fixture
def healthy():
    return view_of(*parts(), {"doca-all": "3.3.0-088000", "doca-spcx-cc": "3.3.0109-1"})


def leaf(view):
    return view.leaves["leaf-p1-su001-r1"]["swp1s0"]


MISMATCHES = [
    (
        lambda v: leaf(v).update(mtu=9216),
        "pair.mtu",
        "worker-su01-rack01-h01 rail1p1 has 9166 and leaf-p1-su001-r1 swp1s0 has 9216 (MTU): run "
        "playbooks dpus and switches.",
    ),
    (
        lambda v: port(v).update(speed=200_000),
        "pair.speed",
        "worker-su01-rack01-h01 rail1p1 has 200000 and leaf-p1-su001-r1 swp1s0 has 400000 (Mb/s): "
        "run playbooks dpus and switches.",
    ),
    (
        lambda v: leaf(v).update(trust="l2"),
        "pair.trust",
        "worker-su01-rack01-h01 rail1p1 has dscp and leaf-p1-su001-r1 swp1s0 has pcp (trust): run "
        "playbooks dpus and switches.",
    ),
    (
        lambda v: leaf(v).update(dscp={**leaf(v)["dscp"], "24": 0}),
        "pair.dscp",
        "worker-su01-rack01-h01 rail1p1 has DSCP 24 in priority 3, DSCP 48 in priority 6 and "
        "leaf-p1-su001-r1 swp1s0 has DSCP 24 in priority 0, DSCP 48 in priority 6 (DSCP to "
        "priority): run playbooks dpus and switches.",
    ),
    (
        lambda v: leaf(v).update(pfc=[4]),
        "pair.pfc",
        "worker-su01-rack01-h01 rail1p1 has 3 and leaf-p1-su001-r1 swp1s0 has 4 (priorities with "
        "PFC): run playbooks dpus and switches.",
    ),
    (
        lambda v: leaf(v).update(ecn=[0]),
        "pair.ecn",
        "worker-su01-rack01-h01 rail1p1 has 3 and leaf-p1-su001-r1 swp1s0 has none (traffic "
        "classes with ECN): run playbooks dpus and switches.",
    ),
]


@pytest.mark.parametrize("spoil, check_id, sentence", MISMATCHES)
def test_each_mismatch_fails_its_own_check_with_its_sentence(healthy, spoil, check_id, sentence):
    view = spoiled(healthy)
    spoil(view)
    rows = [row for row in host.check(view) if row["state"] == "fail"]
    assert [(row["id"], row["sentence"]) for row in rows] == [(check_id, sentence)]


def test_what_an_end_does_not_show_is_not_run_and_says_which(healthy):
    view = spoiled(healthy, leaves={"leaf-p1-su001-r1": healthy.leaves["leaf-p1-su001-r1"]})
    del port(view)["mtu"]
    (row,) = host.check(view, ["pair.mtu"])
    assert (row["state"], row["sentence"]) == (
        "not_run",
        "Nothing is known of the configuration applied on leaf-p1-su001-r2. rail1p1: the NIC or its "
        "leaf port does not show it (MTU).",
    )


def test_a_port_that_states_no_speed_has_the_planned_one():
    document = {"interface": {"swp1": {"link": {"speed": "auto", "mtu": 9100}}, "swp2": {}}}
    found = host_pairs.leaf_ports(document, {"swp1": "400G", "swp2": "200G"})
    assert [(row["speed"], row["mtu"]) for row in found.values()] == [
        (400_000, 9100),
        (200_000, host_pairs.DEFAULT_MTU),
    ]
    assert found["swp1"]["roce"] is None


MACS = [("rail1p1", "02:00:5e:00:53:01"), ("rail2p1", "02:00:5e:00:53:02")]


@pytest.mark.parametrize(
    "heard, states, words",
    [
        (["02:00:5e:00:53:01", "02:00:5e:00:53:99"], ["pass"], ""),
        (
            ["02:00:5e:00:53:02"],
            ["fail"],
            "swp1s0 hears the MAC address of rail2p1, planned is rail1p1",
        ),
        ([m for _name, m in MACS], ["not_run"], "rail1p1: neither LLDP nor a MAC address proves"),
        (["02:00:5e:00:53:99"], ["not_run"], "rail1p1: neither"),
        ([], ["not_run"], "rail1p1: neither"),
    ],
)
def test_a_cable_that_lldp_does_not_prove(healthy, heard, states, words):
    leaves = {**healthy.unproven, "leaf-p1-su001-r1": {"swp1s0": heard}}
    found = host.check(spoiled(healthy, macs=MACS, unproven=leaves), ["pair.cable"])
    assert [row["state"] for row in found] == states
    assert words in found[0]["sentence"]
    assert found[0]["found"] == {"pass": ["rail1p1"], "fail": "rail2p1"}.get(states[0])
