# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of VRFs and routes of a leaf."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    capacity,
    schema,
    vrfs,
)

from .rows import refused


def test_too_many_vrfs_on_a_switch(lab, registry):
    """A leaf of 254 tenants and quarantine is full; no known switch has ports for more."""
    rows = [{"id": 20 + n, "slug": f"t{n}"} for n in range(255)]
    made = registry(yaml.safe_dump({"vrfs_per_leaf": 300, "tenants": rows}))
    for n in range(254):
        made = made.with_nodes(f"t{n}", [Node(0, 0, n)])
    held = schema.MovingRecord.model_validate({"from": "t0", "to": "t1", "step": "withdraw"})
    for full in (made, made.with_moves({Node(0, 0, 255): held})):
        assert list(capacity.breaches(full)) == []
    (breach,) = capacity.breaches(made.with_nodes("t254", [Node(0, 0, 254)]))
    assert breach.sentence == (
        "the leaves of pod01/su01 would hold 256 VRFs and a switch has at most 255: spread the "
        "tenants over more SUs."
    )


def test_a_leaf_of_128_tenants(load, registry):
    """As many tenants as the largest leaf has nodes are allowed."""
    fabric = load(
        "multiplane-16384",
        switches={
            "usable_ports": 256,
            "model": "SN5600",
            "host_speed": "200G",
            "fabric_speed": "200G",
        },
        capacity={"slots_per_su": 128, "sus_per_pod": 2},
    )
    rows = "\n".join(
        f"  - {{id: {20 + n}, slug: t{n}, nodes: [su01/h{n + 1}]}}" for n in range(128)
    )
    assert registry("tenants:\n" + rows, fabric).holding(Node(0, 0, 127)).slug == "t127"


def test_routes_over_the_budget(load, registry):
    """A tenant of 16,384 nodes has more links than the default table holds; its routes can shrink."""
    fabric = load("max-524288")
    row = "tenants: [{{id: 21, slug: acme, nodes: ['pod[01-32]'], routes: {}}}]"
    (sentence,) = refused(registry, row.format("exact"), fabric=fabric)
    assert "131072 tenant routes" in sentence
    assert "82000" in sentence
    assert "set routes of acme (131072 routes) to rail" in sentence
    assert registry(row.format("rail"), fabric).owner("acme").routes == "rail"
    assert registry(row.format("leaf"), fabric).owner("acme").routes == "leaf"


@pytest.mark.parametrize(
    ("profile", "length", "budget"),
    [("octet-v4", 31, 82000), ("nvidia-guide-v6", 64, 74000), ("nvidia-guide-v6", 127, 37000)],
)
def test_the_budget_is_that_of_the_family(load, monkeypatch, profile, length, budget):
    """A forwarding table holds less of IPv6, and least of prefixes longer than /64."""
    fabric = load(addressing={"profile": profile})
    monkeypatch.setattr(fabric.addresses, "link_length", length)
    assert capacity.route_budget(fabric)["value"] == budget


def test_the_resource_mode_of_a_leaf_halves_its_budget(load):
    assert capacity.route_budget(load(routing={"restart": "issu"}))["value"] == 41000
    old = {"routing": {"restart": "issu"}, "accept_releases": ["5.14.0", "5.16.1"]}
    assert capacity.route_budget(load(**old))["value"] == 82000, "5.14 has no such key"


LEAKING = """leaking: true
tenants: [{id: 22, slug: globex, nodes: [su01/h02], shared: [storage]}]
services: [{id: 4, slug: storage, nodes: [su02/h01, su02/h02]}]
"""


def test_leaked_routes_count(lab, registry):
    """Check that the budget counts the routes of the leaf."""
    held = registry(LEAKING)
    totals = {slug: len(held.nodes_of(slug)) for slug in held.owners}
    rows = {
        row["slug"]: row
        for row in vrfs.of_leaf(lab, held, lab.device("leaf-p1-su001-r1"), with_routes=True)
    }
    assert len(rows["globex"]["routes"]) == capacity.routes_held(held, "globex", totals) == 6


def test_collapsed_routes_and_split_planes(load, registry):
    """Collapsed routes hide a lost link: refused with split planes on an old release."""
    fabric = load("b300-4096")
    (sentence,) = refused(registry, "tenants: [{id: 21, slug: acme, routes: leaf}]", fabric=fabric)
    assert "is not allowed with split planes before Cumulus Linux 5.18" in sentence


def test_leaking_needs_a_release(load, registry):
    """Leaking is off by default, and refused where the release cannot."""
    assert not registry().file.leaking
    fabric = load(release={"ra": "1.3", "cumulus": "5.12.1"})
    assert "downstream VNI" in refused(registry, "leaking: true", fabric=fabric)[0]
