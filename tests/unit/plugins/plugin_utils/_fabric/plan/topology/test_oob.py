# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts and cabling of the out-of-band network: few leaves, and every cable found from both ends."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
    Switch,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged_cabling import (
    FarEnd,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.oob import (
    ETH0,
    LEAF,
    OobPort,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    FEW,
    NETWORKS,
    OOB,
    TWO_PLANES,
    build,
)

SPINE = {"uplinks": "spine", "spine_model": "SN4600C"}
FABRICS = {
    "two BlueFields": {},
    "no BlueField": {"oob": {"dpus": 0}},
    "nine BlueFields": {"oob": {"dpus": 9}},
    "spines": {"oob": SPINE},
    "BMCs alone": {"oob": {"kinds": ["bmc"]}},
    "switches alone": {"oob": {"kinds": ["switch"]}},
    "extras alone": {"oob": {"kinds": []}},
    "other networks": {"networks": NETWORKS},
    "planes": {"planes": TWO_PLANES, "oob": SPINE},
    "pods": {"tiers": 3, "capacity": {"pods": 3, "sus_per_pod": 2, "slots_per_su": 5}},
}


def made(name, **changes):
    own = {"capacity": FEW, **FABRICS.get(name, {}), **changes}
    return build(**{**own, "oob": {**OOB, **own.get("oob", {})}})


def test_without_the_block_there_is_nothing():
    fabric = build(capacity=FEW)
    assert fabric.oob is None
    assert not [switch for switch in fabric.switches() if switch.role == LEAF]


@pytest.mark.parametrize("name", FABRICS)
def test_the_peer_of_the_peer_is_where_one_started(name):
    fabric = made(name)
    cabling, ends = fabric.oob, 0
    for switch in cabling.switches():
        for port in cabling.ports(switch):
            end = cabling.peer(switch, port)
            assert isinstance(end, FarEnd) or cabling.peer(*end) == (switch, port)
            ends += not isinstance(end, FarEnd) and isinstance(end[1], OobPort)
    places = [(node, port) for node in fabric.cabling.nodes() for port in cabling.node_ports()]
    places += [
        (switch, OobPort(ETH0)) for switch in fabric.slots() if cabling.peer(switch, OobPort(ETH0))
    ]
    assert len(places) == ends, "each port of a device is at one access port, and nothing else is"
    assert all(cabling.peer(*cabling.peer(*place)) == place for place in places)


@pytest.mark.parametrize("name", FABRICS)
def test_no_leaf_carries_its_own_eth0_and_no_port_is_beyond_the_model(name):
    fabric = made(name)
    for leaf in (switch for switch in fabric.oob.switches() if switch.role == LEAF):
        assert fabric.oob.peer(leaf, OobPort(ETH0))[0] != leaf
        assert all(0 <= port.index < 48 for port in fabric.oob.ports(leaf))


# Nodes of an SU, SUs, BlueFields, and the switches that NVIDIA's tables have for so many nodes.
NVIDIA = [
    (4, 2, 9, 2),  # Enterprise RA 2-8-9-400, 8 nodes
    (4, 3, 9, 3),  # 12 nodes
    (4, 4, 1, 2),  # 2-8-9-800, 16 nodes
    (8, 4, 2, 4),  # HGX B300, 32 nodes
    (8, 8, 2, 8),  # 64 nodes
]


@pytest.mark.parametrize("slots, sus, dpus, leaves", NVIDIA)
def test_as_many_leaves_as_nvidia_has(slots, sus, dpus, leaves):
    capacity = {"sus_per_pod": sus, "slots_per_su": slots}
    oob = {**OOB, "dpus": dpus, "kinds": ["host", "bmc", "dpu"]}
    assert build(oob=oob, capacity=capacity).oob.counts.leaves == leaves


def test_more_equipment_at_the_end_of_the_list_moves_no_port():
    before, more = made(""), [*OOB["extras"], {"name": "cdu-1", "kind": "cdu"}]
    after = made("", oob={"extras": more})
    ends = {name: after.oob.extra(name) for name in before.oob._named}
    assert ends == before.oob._named
    assert after.oob.extra("cdu-1")


def test_equipment_is_found_by_name_and_mac():
    oob = made("").oob
    assert oob.named("pdu-b") == oob.named("48B0.2D00.0002") == oob.extra("pdu-b")
    assert oob.named("pdu-c") is None


def test_nothing_of_the_fabric_moves():
    before, after = build(capacity=FEW, networks=NETWORKS), made("other networks")
    for switch in before.switches():
        assert before.slice(switch) == after.slice(switch)
    for node in before.nodes():
        assert before.slice(node)["ports"] == after.slice(node)["ports"]
        own, other = (one.slice(node)["management"].partition("/")[0] for one in (before, after))
        assert own == other, "the address in use stays"


PDU = {"name": "pdu-a", "kind": "pdu", "mac": "48:b0:2d:00:00:09"}
BAD = [
    ({"leaves": 2}, "2 leaves of 48 access ports do not have the ports of 36 nodes with 4 each"),
    ({"model": "SN5600"}, "'SN5600' is no model for it: use SN2201"),
    ({**SPINE, "spine_model": "SN2201"}, "4 ports of a SN2201"),
    ({"extras": [PDU, PDU]}, "'pdu-a' is pdu-a's already"),
    ({"extras": [PDU, {**PDU, "name": "b"}]}, "'48:b0:2d:00:00:09' is pdu-a's already"),
    ({"extras": [{**PDU, "leaf": 3}]}, "3 is beyond the leaves that the key leaves states"),
    (
        {"services": ["10.224.8.0/24"]},
        "overlaps oob.prefix 10.224.0.0/16, so it would be out of reach",
    ),
    ({"dhcp": ["10.224.8.66"]}, "is inside oob.prefix"),
    ({"dhcp": ["10.251.0.1"]}, "is in no prefix of services or controllers"),
    ({"prefix": "10.224.0.0/22"}, "oob.prefix.*use a /19 or shorter prefix"),
    ({"prefix": "10.208.0.0/16"}, "oob.prefix: 10.208.0.0/16 overlaps"),
]


@pytest.mark.parametrize("changes, sentence", BAD)
def test_what_cannot_be_is_one_sentence(changes, sentence):
    with pytest.raises(FabricError, match=sentence):
        made("other networks", oob=changes)


def test_a_release_that_the_leaf_does_not_run_is_refused():
    with pytest.raises(FabricError, match="is for the out-of-band network"):
        build(switches={"model": "SN2201"})


def test_the_first_leaf_has_the_first_nodes():
    oob = made("").oob
    assert oob.group_of(Node(0, 0, 0)) == (Switch(LEAF, 0, 0, 0), 0)
