# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order in which switches are changed, and what a change has to respect."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import (
    batches,
    compose,
    terms,
)


def names(fabric):
    return [fabric.name(switch) for switch in fabric.switches()]


@pytest.mark.parametrize("name, roles", [("lab", 2), ("lab-3tier", 3), ("b300-4096", 2)])
def test_one_of_each_role_comes_first(load, name, roles):
    fabric = load(name)
    made = batches.batches(fabric, reversed(names(fabric)))
    assert len({fabric.device(n).role for n in made["first"]}) == len(made["first"]) == roles
    assert sorted(made["first"] + made["rest"]) == sorted(names(fabric))
    assert sum(made["sizes"]) == len(made["rest"])


def test_no_batch_spans_two_planes_or_two_tiers(load):
    fabric = load("b300-4096")
    made = batches.batches(fabric, names(fabric))
    rest = list(made["rest"])
    for size in made["sizes"]:
        batch, rest = rest[:size], rest[size:]
        assert len({(fabric.device(n).plane, fabric.device(n).role) for n in batch}) == 1
        assert len(batch) <= 16
    planes = [fabric.device(n).plane for n in made["rest"]]
    assert planes == sorted(planes)


def test_out_of_service_is_left_out_and_other_hosts_are_ignored(load):
    row = {"device": "spine-p1-s01", "since": "2026-11-01", "reason": "fan"}
    fabric = load(out_of_service=[row])
    made = batches.batches(fabric, [*names(fabric), "worker-su01-rack01-h01", "stranger"])
    assert made["resting"] == ["spine-p1-s01"]
    assert "spine-p1-s01" not in made["first"] + made["rest"]
    assert "stranger" not in made["first"] + made["rest"]


@pytest.mark.parametrize("share, sizes", [(25, [1, 1, 1]), (50, [2, 1]), (100, [3])])
def test_a_share_of_a_tier_at_a_time(load, share, sizes):
    fabric = load()
    leaves = [n for n in names(fabric) if n.startswith("leaf")]
    assert batches.batches(fabric, leaves, share=share)["sizes"] == sizes


@pytest.mark.parametrize(
    "manage, role, managed, considered",
    [
        ([], "switch_roce", False, True),
        (["switch_roce"], "switch_roce", True, True),
        (["switch_roce"], "switch_underlay", False, False),
        (["switch_underlay"], "switch_maintenance", True, True),
    ],
)
def test_only_listed_roles_write(load, manage, role, managed, considered):
    part = terms.part(compose.context(load(manage=manage), "spine-p1-s01"), role)
    assert (part["managed"], part["considered"]) == (managed, considered)


def test_terms(load):
    fabric = load(accept_releases=["5.17"], unmanaged=["interface/swp60"])
    made = terms.terms(compose.context(fabric, "leaf-p1-su001-r1"))
    assert made["expected"]["releases"] == ["5.16.1", "5.17"]
    assert made["expected"]["lldp"]["swp3s0"] == {"system": "spine-p1-s01", "port": "swp1s0"}
    assert made["unmanaged"] == ["interface/swp60"]
    assert made["host_ports"] == ["swp1s0", "swp1s1", "swp2s0", "swp2s1"]


def test_a_switch_from_the_factory_needs_little(load):
    made = terms.first(compose.context(load(), "leaf-p1-su001-r1"))
    assert set(made) == {"system", "interface"}
    assert set(made["system"]) == {"api", "hostname"}
    assert set(made["interface"]) == {"eth0"}
