# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where nodes meet the fabric, and which of their links are in service."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import links

from .tenants import NODE, TENANTS

LEAVES = ["leaf-p1-su001-r1", "leaf-p1-su001-r2"]


def rows(fabric, name=NODE):
    return links.ports_of(fabric, fabric.device(name))


def test_a_node_has_a_port_on_each_rail(lab):
    found = rows(lab)
    assert [row["leaf"] for row in found] == LEAVES
    assert [row["nic"] for row in found] == ["rail1p1", "rail2p1"]
    assert found[0]["address"] == "172.16.0.0"
    assert found[0]["prefix"] == "172.16.0.0/31"
    assert not any(row["resting"] or row["deferred"] for row in found)


@pytest.mark.parametrize(
    "entry, resting, deferred",
    [
        ({"device": NODE}, [True, True], [False, False]),
        ({"device": NODE, "port": "rail2p1"}, [False, True], [False, False]),
        ({"device": LEAVES[0]}, [True, False], [True, False]),
        ({"device": LEAVES[0], "port": "swp1s0"}, [True, False], [False, False]),
    ],
)
def test_what_is_out_of_service_rests(load, entry, resting, deferred):
    fabric = load(out_of_service=[{"since": "2026-01-01", "reason": "dead", **entry}])
    found = rows(fabric)
    assert [row["resting"] for row in found] == resting
    assert [row["deferred"] for row in found] == deferred
    own = {row["prefix"] for row in found if row["resting"]}
    assert own <= links.resting_links(fabric)


def test_a_leaf_out_of_service_is_not_among_the_leaves(load):
    entry = {"device": LEAVES[0], "since": "2026-01-01", "reason": "dead"}
    for fabric, names in ((load(), LEAVES), (load(out_of_service=[entry]), LEAVES[1:])):
        assert links.leaves_of(fabric, [fabric.device(NODE)]) == names


def test_every_leaf_that_has_the_vrf_is_watched(lab, registry):
    read = registry(TENANTS)
    found = links.watched_by(lab, read, read.owner("acme"), lab.device("worker-su02-rack01-h02"))
    assert found == [*LEAVES, "leaf-p1-su002-r1", "leaf-p1-su002-r2"]
