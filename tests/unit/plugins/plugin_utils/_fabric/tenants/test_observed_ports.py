# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of ports, by the documents of leaves."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    attachments,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.observed_ports import (
    seen,
)

from .converged_lab import laboratory

TEXT = "tenants: [{id: 21, slug: acme, networks: [front-end, storage]}, {id: 22, slug: globex, networks: [front-end]}]"
DOWN = {"swp1s0": {"link": {"state": {"down": {}}}}}
SVIS = {
    f"vlan{vlan}": {"vrf": vrf}
    for vlan, vrf in ((11, "t1-quarantine"), (21, "t21-acme"), (22, "t22-globex"))
}
STORAGE = {"vlan2021": {"vrf": "s21-acme"}}


def bond(**domain):
    return {"bond1": {"bridge": {"domain": {"br_default": domain}}}}


@pytest.fixture
def look(lab, registry):
    """Return a function from the interfaces of a leaf to what is seen of the first node's port there."""

    def _look(interfaces, leaf="front-end-leaf-001-1", **more):
        fabric = laboratory(**more)
        found = registry(TEXT, fabric)
        ports = attachments.of_node(fabric, Node(0, 0, 0))
        return [
            (port.network, port.vrf, port.up)
            for port in seen(found, {leaf: {"interface": interfaces}}, ports)
        ]

    return _look


@pytest.mark.parametrize(
    "interfaces, vrf, up",
    [
        ({**bond(access=21), **SVIS}, "t21-acme", True),
        ({**bond(access=11), **SVIS}, "t1-quarantine", True),
        ({**bond(access=21), **DOWN, **SVIS}, "t1-quarantine", False),
        ({**DOWN}, "t1-quarantine", False),
        (bond(access=22), "t22-globex", True),
        (bond(access=77), "VLAN 77", True),
        ({**bond(access=77), "vlan77": {"vrf": "blue"}}, "blue", True),
        ({}, None, True),
    ],
)
def test_a_bond_is_with_the_owner_of_its_vlan(look, interfaces, vrf, up):
    """A shut one is with nobody, whatever its VLAN is."""
    assert look(interfaces) == [("front-end", vrf, up)]


def test_a_bond_in_two_vlans_is_with_both(look):
    found = look({**bond(untagged=21, vlan={"21": {}, "22": {}}), **SVIS})
    assert [vrf for _network, vrf, _up in found] == ["t21-acme", "t22-globex"]


def test_storage_is_known_by_the_name_of_its_owner(look):
    assert look({**bond(access=2021), **STORAGE}, "storage-leaf-001-1") == [
        ("storage", "t21-acme", True)
    ]


def test_a_tagged_vlan_on_the_front_end_bond_is_storage(look):
    more = {"storage": {"node_ports": 0, "pci": []}}
    both = {**bond(untagged=21, vlan={"21": {}, "2021": {}}), **SVIS, **STORAGE}
    assert look(both, **more) == [("front-end", "t21-acme", True), ("storage", "t21-acme", True)]
    alone = {**bond(access=11), **SVIS}
    assert look(alone, **more) == [
        ("front-end", "t1-quarantine", True),
        ("storage", "t1-quarantine", False),
    ]


def test_a_routed_port_is_in_its_vrf(look):
    more = {"front_end": {"attachment": "routed"}}
    assert look({"swp1s0": {"vrf": "t21-acme"}}, **more) == [("front-end", "t21-acme", True)]


@pytest.mark.parametrize(
    "vrf, up, resting, asked",
    [
        ("t21-acme", True, False, True),
        ("t21-acme", False, False, False),
        ("t21-acme", True, True, False),
        ("t22-globex", True, False, False),
        ("t1-quarantine", True, False, False),
        ("t2-rest", True, False, False),
    ],
)
def test_who_has_no_storage_has_the_port_shut(lab, registry, vrf, up, resting, asked):
    """Nobody has storage in quarantine and rest."""
    fabric = laboratory()
    ports = [at._replace(resting=resting) for at in attachments.of_node(fabric, Node(0, 0, 0))]
    documents = {"storage-leaf-001-1": {"interface": {**bond(access=2021), **STORAGE}}}
    (port,) = seen(registry(TEXT, fabric), documents, ports)
    assert port.asked(vrf, up=up) is asked
    assert port.at("t21-acme", up=True) is not resting
    assert not port.at("t22-globex", up=True)


def test_a_leaf_without_a_document_has_no_say(lab, registry):
    assert seen(registry(), {}, attachments.of_node(lab, Node(0, 0, 0))) == []
