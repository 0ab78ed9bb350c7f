# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where nodes, arrays and links meet their leaves, and which of them are in service."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    attachments,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    move_plan,
)

from .converged_lab import laboratory
from .tenants import NODE, TENANTS

LEAVES = ["leaf-p1-su001-r1", "leaf-p1-su001-r2"]


def rows(fabric, name=NODE):
    return attachments.of_node(fabric, fabric.device(name))


def test_a_node_has_a_port_on_each_rail(lab):
    found = rows(lab)
    assert [row.leaf for row in found] == LEAVES
    assert [row.nic for row in found] == ["rail1p1", "rail2p1"]
    assert found[0].address == "172.16.0.0"
    assert found[0].prefix == "172.16.0.0/31"
    assert not any(row.resting or row.deferred for row in found)


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
    assert [row.resting for row in found] == resting
    assert [row.deferred for row in found] == deferred
    own = {row.prefix for row in found if row.resting}
    assert own <= attachments.resting_links(fabric)


def test_a_leaf_out_of_service_is_not_among_the_leaves(load):
    entry = {"device": LEAVES[0], "since": "2026-01-01", "reason": "dead"}
    for fabric, names in ((load(), LEAVES), (load(out_of_service=[entry]), LEAVES[1:])):
        assert attachments.leaves_of(fabric, [fabric.device(NODE)]) == names


def test_every_leaf_that_has_the_vrf_is_watched(lab, registry):
    read = registry(TENANTS)
    found = move_plan.watched_by(
        lab, read, read.owner("acme"), lab.device("worker-su02-rack01-h02")
    )
    assert found == [*LEAVES, "leaf-p1-su002-r1", "leaf-p1-su002-r2"]


# The other networks

OTHERS = ("front-end", "storage")
FIRST, OTHER = Node(0, 0, 0), Node(0, 1, 1)
PAIR = ["front-end-leaf-001-1", "front-end-leaf-001-2", "storage-leaf-001-1", "storage-leaf-001-2"]


def others(fabric, node):
    return attachments.of_node(fabric, node, OTHERS)


def test_a_node_has_a_bond_on_each_leaf_of_its_pairs(lab):
    found = others(laboratory(), FIRST)
    assert [(row.leaf, row.port, row.nic, row.network) for row in found] == [
        (PAIR[0], "bond1", "front1", "front-end"),
        (PAIR[1], "bond1", "front2", "front-end"),
        (PAIR[2], "bond1", "stor1", "storage"),
        (PAIR[3], "bond1", "stor2", "storage"),
    ]


def test_a_routed_port_has_a_link_of_its_own(lab):
    """The first two links of the node in the pool are the front end's, the others storage's."""
    routed = {"attachment": "routed"}
    found = others(laboratory(front_end=routed, storage=routed), FIRST)
    assert [(row.port, row.address, row.gateway, row.prefix) for row in found] == [
        ("swp1s0", "10.160.0.0", "10.160.0.1", "10.160.0.0/31"),
        ("swp1s0", "10.160.0.2", "10.160.0.3", "10.160.0.2/31"),
        ("swp2s0", "10.160.0.4", "10.160.0.5", "10.160.0.4/31"),
        ("swp2s0", "10.160.0.6", "10.160.0.7", "10.160.0.6/31"),
    ]


def test_storage_without_ports_is_tagged_on_the_front_end_bonds(lab):
    found = others(laboratory(storage={"node_ports": 0, "pci": []}), FIRST)
    assert [(row.leaf, row.network, row.tagged, row.shares) for row in found] == [
        (PAIR[0], "front-end", False, True),
        (PAIR[1], "front-end", False, True),
        (PAIR[0], "storage", True, False),
        (PAIR[1], "storage", True, False),
    ]


def test_leaves_of_nodes_arrays_and_links(lab):
    fabric = laboratory()
    assert sorted(attachments.leaves_of(fabric, [FIRST], OTHERS)) == PAIR
    assert sorted(attachments.leaves_of(fabric, [FIRST, OTHER], OTHERS)) == PAIR
    assert attachments.leaves_with(fabric, "array") == PAIR[2:]
    assert attachments.border_leaves(fabric, ["isp-b", "isp-a", "nobody"]) == [
        "border-leaf-01-1",
        "border-leaf-01-2",
    ]


def test_without_the_block_there_is_nothing(lab):
    assert others(lab, FIRST) == []
    assert (
        attachments.leaves_of(lab, [FIRST], OTHERS) == attachments.leaves_with(lab, "array") == []
    )
    assert attachments.border_leaves(lab, ["isp-a"]) == []


def test_a_leaf_has_what_its_nodes_have_there(lab):
    """On every network: each attachment of a node is on its leaf, once."""
    for fabric in (
        lab,
        laboratory(),
        laboratory(core=True),
        laboratory(storage={"node_ports": 0, "pci": []}),
    ):
        of_nodes = {at for node in fabric.nodes() for at in attachments.of_node(fabric, node)}
        leaves = {at.leaf for at in of_nodes}
        on_leaves = [
            at for leaf in leaves for at in attachments.on_leaf(fabric, fabric.known(leaf))
        ]
        built = [at for at in on_leaves if at.present]
        assert set(built) == of_nodes
        assert len(built) == len(of_nodes)
        assert {at.network for at in on_leaves if not at.present} <= {"east-west"}
