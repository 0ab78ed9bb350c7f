# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that a host tries: partners, and by the registry strangers."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    host_partners,
    host_tries,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    NicPort,
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

from .hosts import EVERYBODY, MOVING, NODE, PCI, REST, TWO, out, parts


@pytest.mark.parametrize(
    "node, same, across",
    [
        (Node(0, 0, 0), "worker-su01-rack01-h02", "worker-su02-rack01-h01"),
        (Node(0, 1, 0), None, "worker-su01-rack01-h01"),
        (Node(0, 1, 1), "worker-su02-rack02-h03", None),
        (Node(0, 0, 2), None, None),
    ],
)
def test_packets_go_only_where_tenancy_lets_nodes_meet(node, same, across):
    fabric, registry, _wanted = parts()
    met = host_partners.partners(fabric, registry, node)
    assert (met["same_leaf"].get("name"), met["across_leaves"].get("name")) == (same, across)
    assert all(row.get("name") or row["reason"].endswith(".") for row in met.values())


def test_packets_are_of_the_path_mtu():
    fabric, registry, wanted = parts()
    pings = host_tries.pings(wanted, host_partners.partners(fabric, registry, NODE))
    assert {row["size"] for row in pings} == {9138}
    assert [row["to"] for row in pings if row["kind"] == "gateway"] == ["172.16.0.1", "172.18.0.1"]
    assert len(pings) == 6


@pytest.mark.parametrize(
    "resting, same, across",
    [
        ([], "worker-su01-rack01-h02", "worker-su02-rack01-h01"),
        ([out("worker-su01-rack01-h02")], "worker-su01-rack02-h03", "worker-su02-rack01-h01"),
        ([out("worker-su01-rack01-h02", "rail2p1")], "worker-su01-rack02-h03", "worker-su02-rack01-h01"),
        ([out("leaf-p1-su001-r2", "swp1s1")], "worker-su01-rack02-h03", "worker-su02-rack01-h01"),
        (
            [out("worker-su01-rack01-h02"), out("worker-su01-rack02-h03")],
            "Every other node of acme on the same leaf is out of service.",
            "worker-su02-rack01-h01",
        ),
        # Rail 2 of the other SU is down for all: the rest of the first node is met.
        ([out("leaf-p1-su002-r2")], "worker-su01-rack01-h02", "worker-su02-rack01-h01"),
    ],
)  # fmt: skip
def test_nobody_out_of_service_is_met(load, resting, same, across):
    fabric = load("lab", out_of_service=resting)
    registry = Registry.parse(fabric, EVERYBODY)
    met = host_partners.partners(fabric, registry, NODE)
    said = [row.get("name") or row["reason"] for row in met.values()]
    assert said == [same, across]


def test_links_out_of_service_of_a_partner_get_no_packets(load):
    fabric = load("lab", out_of_service=[out("leaf-p1-su002-r2")])
    registry = Registry.parse(fabric, EVERYBODY)
    met = host_partners.partners(fabric, registry, NODE)
    pings = host_tries.pings(parts(fabric, registry)[2], met)
    assert [row["interface"] for row in pings if row["kind"] == "across_leaves"] == ["rail1p1"]


TOP_OF_RACK = {
    "wiring": {"mode": "top-of-rack"},
    "capacity": {"sus_per_pod": 2, "slots_per_su": 20},
}
"""Eight nodes share a leaf, so that an SU has three, the last with four."""


@pytest.mark.parametrize(
    "node, nodes, same, across",
    [
        (Node(0, 0, 8), "su01", Node(0, 0, 9), Node(0, 0, 0)),
        (Node(0, 0, 8), "su01/h[01-09]", None, Node(0, 0, 0)),
        (Node(0, 0, 0), "su01/h[01-08]", Node(0, 0, 1), None),
        (Node(0, 0, 19), "su01/h[17-20]", Node(0, 0, 16), None),
        (Node(0, 0, 0), "*/*/h01", None, Node(0, 1, 0)),
    ],
)
def test_a_leaf_is_a_leaf_where_nodes_of_an_su_do_not_share_one(node, nodes, same, across):
    fabric = build(nics={"pci": PCI}, **TOP_OF_RACK)
    registry = Registry.parse(fabric, f'tenants: [{{id: 21, slug: acme, nodes: ["{nodes}"]}}]')
    met = host_partners.partners(fabric, registry, node)
    expected = [fabric.name(other) if other else None for other in (same, across)]
    assert [row.get("name") for row in met.values()] == expected


# Strangers


@pytest.mark.parametrize(
    ("text", "node", "expected"),
    [
        # A node of quarantine on the same leaf; on another, a customer's before quarantine's.
        (TWO, Node(0, 0, 0), [(0, 0, 1), (0, 1, 1)]),
        # The sample begins behind the node itself, and goes around.
        (TWO, Node(0, 1, 1), [(0, 1, 0), (0, 0, 0)]),
        # Quarantine reaches nobody, not even its own.
        ("tenants: []\n", Node(0, 0, 2), [(0, 0, 0), (0, 1, 2)]),
        # Another acceptance group is as strange as another tenant.
        (REST, Node(0, 0, 0), [(0, 0, 1), (0, 1, 2)]),
        # Without a group, rest reaches nobody.
        (REST, Node(0, 1, 1), [(0, 1, 2), (0, 0, 0)]),
        # Who moves is somewhere on the way: no target.
        (MOVING, Node(0, 0, 0), [(0, 0, 2), (0, 1, 1)]),
    ],
)
def test_strangers(text, node, expected):
    fabric = example("lab")
    registry = Registry.parse(fabric, text)
    assert [tuple(n) for n in host_partners.strangers(fabric, registry, node)] == expected


def test_silence_of_a_node_out_of_service_says_nothing(load):
    row = {"since": "2026-11-20", "reason": "repair ordered"}
    resting = [
        {**row, "device": name} for name in ("worker-su01-rack01-h02", "worker-su02-rack01-h02")
    ]
    fabric = load("lab", out_of_service=resting)
    registry = Registry.parse(fabric, TWO)
    found = host_partners.strangers(fabric, registry, Node(0, 0, 0))
    assert [tuple(n) for n in found] == [(0, 0, 2)]


@pytest.mark.parametrize("slot", [0, 7, 8, 16, 19])
@pytest.mark.parametrize("sus", [1, 2])
def test_strangers_of_a_leaf_where_nodes_of_an_su_do_not_share_one(slot, sus):
    """Eight nodes share a leaf, so that an SU of 20 has three."""
    fabric = build(
        wiring={"mode": "top-of-rack"}, capacity={"sus_per_pod": sus, "slots_per_su": 20}
    )
    node = Node(0, 0, slot)
    near, far = host_partners.strangers(fabric, Registry.empty(fabric), node)
    ports = NicPort(0, 0)
    leaves = [fabric.cabling.leaf_of(n, ports)[0] for n in (node, near, far)]
    assert near != node
    assert leaves[0] == leaves[1]
    assert leaves[0] != leaves[2]


def test_a_tenant_that_may_be_reached_is_no_stranger():
    fabric = example("lab")
    text = TWO.replace('"su02/h02"', '"*/*/h02", "*/*/h03"').replace(
        "managed}", "managed, shared: [globex]}"
    )
    registry = Registry.parse(fabric, "leaking: true\n" + text)
    assert host_partners.strangers(fabric, registry, Node(0, 0, 0)) == []
