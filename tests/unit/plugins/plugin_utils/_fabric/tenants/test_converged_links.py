# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where nodes, arrays and links meet the converged fabric."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    converged_links,
)

from .converged_lab import laboratory

FIRST, OTHER = Node(0, 0, 0), Node(0, 1, 1)
PAIR = ["front-end-leaf-001-1", "front-end-leaf-001-2", "storage-leaf-001-1", "storage-leaf-001-2"]


def test_a_node_has_a_bond_on_each_leaf_of_its_pairs(lab):
    found = converged_links.ports_of(laboratory(), FIRST)
    assert [(row["leaf"], row["port"], row["nic"], row["network"]) for row in found] == [
        (PAIR[0], "bond1", "front1", "front-end"),
        (PAIR[1], "bond1", "front2", "front-end"),
        (PAIR[2], "bond1", "stor1", "storage"),
        (PAIR[3], "bond1", "stor2", "storage"),
    ]


def test_a_routed_port_has_a_link_of_its_own(lab):
    """The first two links of the node in the pool are the front end's, the others storage's."""
    routed = {"attachment": "routed"}
    found = converged_links.ports_of(laboratory(front_end=routed, storage=routed), FIRST)
    assert [(row["port"], row["address"], row["gateway"], row["prefix"]) for row in found] == [
        ("swp1s0", "10.160.0.0", "10.160.0.1", "10.160.0.0/31"),
        ("swp1s0", "10.160.0.2", "10.160.0.3", "10.160.0.2/31"),
        ("swp2s0", "10.160.0.4", "10.160.0.5", "10.160.0.4/31"),
        ("swp2s0", "10.160.0.6", "10.160.0.7", "10.160.0.6/31"),
    ]


def test_storage_without_ports_is_tagged_on_the_front_end_bonds(lab):
    found = converged_links.ports_of(laboratory(storage={"node_ports": 0, "pci": []}), FIRST)
    assert [(row["leaf"], row["network"], row["tagged"], row["beside"]) for row in found] == [
        (PAIR[0], "front-end", False, True),
        (PAIR[1], "front-end", False, True),
        (PAIR[0], "storage", True, False),
        (PAIR[1], "storage", True, False),
    ]


def test_leaves_of_nodes_arrays_and_links(lab):
    fabric = laboratory()
    assert sorted(converged_links.leaves_of(fabric, [FIRST])) == PAIR
    assert sorted(converged_links.leaves_of(fabric, [FIRST, OTHER])) == PAIR
    assert converged_links.leaves_with_arrays(fabric) == PAIR[2:]
    assert converged_links.border_leaves(fabric, ["isp-b", "isp-a", "nobody"]) == [
        "border-leaf-01-1",
        "border-leaf-01-2",
    ]


def test_without_the_block_there_is_nothing(lab):
    assert converged_links.ports_of(lab, FIRST) == []
    assert converged_links.leaves_of(lab, [FIRST]) == converged_links.leaves_with_arrays(lab) == []
    assert converged_links.border_leaves(lab, ["isp-a"]) == []
