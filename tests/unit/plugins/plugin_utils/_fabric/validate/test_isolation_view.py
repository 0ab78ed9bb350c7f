# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One leaf as the isolation audit sees it."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import (
    isolation_view as view,
)

from ..fabrics import example

TEXT = "tenants: [{id: 21, slug: acme, nodes: ['*/h01']}, {id: 22, slug: globex}]\n"
MOVE = "moving: {su01/h01: {from: acme, to: globex, step: withdraw}}\n"


@pytest.fixture(name="registry")
def _registry():
    return Registry.parse(example("lab"), TEXT + MOVE)


def test_the_way_of_a_node_begins_and_ends_with_its_tenants(registry):
    (record,) = registry.moves.values()
    found = view.way(registry, record)
    assert (found[0], found[-1]) == ("t21-acme", "t22-globex")
    assert "t1-quarantine" in found
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    "vrf, own, slug",
    [
        ("t21-acme", True, "acme"),
        ("t1-quarantine", True, "quarantine"),
        ("t99-unknown", True, None),
        ("blue", False, None),
    ],
)
def test_which_vrfs_are_ours(registry, vrf, own, slug):
    assert view.ours(registry, vrf) is own
    assert view.slug_of(registry, vrf) == slug


def test_without_a_sentence_a_check_passes(registry):
    fabric = example("lab")
    leaf = view.LeafView(fabric, registry, fabric.device("leaf-p1-su001-r1"), {})
    (good,) = leaf.result("tenant.route_targets", [])
    bad = list(leaf.result("tenant.route_targets", [("one", {}), ("two", {"port": "swp1s0"})]))
    assert (good["state"], good["device"]) == ("pass", "leaf-p1-su001-r1")
    assert [row["state"] for row in bad] == ["fail", "fail"]
    assert bad[1]["port"] == "swp1s0"


def test_long_lists_name_five():
    assert view.some(["a", "b"]) == "a, b"
    assert view.some(list("abcdefg")) == "a, b, c, d, e and 2 more"
