# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every cable of the converged fabric has two ends, and growth inside the capacity moves none."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
    Port,
    Switch,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged_cabling import (
    FarEnd,
    NetPort,
    is_converged,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    NETWORKS,
    build,
    example,
    networks,
)

from ...tenants.converged_lab import laboratory


def ends(net):
    """Every (device, port) end of the converged fabric."""
    for switch in net.switches():
        for port in net.ports(switch):
            yield switch, port
    for ordinal in range(net.counts.nodes):
        for port in net.node_ports():
            yield net.node(ordinal), port


def check_ends(net):
    """Peer of peer is the start, and no end is shared; outside of the fabric there are no ports."""
    peers = set()
    for end in ends(net):
        other = net.peer(*end)
        assert other is not None, end
        if isinstance(other, FarEnd):
            assert end[1].kind == other.kind
            continue
        assert net.peer(*other) == end
        assert other not in peers
        peers.add(other)


CAPACITY = {
    "sus_per_pod": st.integers(1, 3),
    "slots_per_su": st.integers(1, 24),
    "nodes_per_rack": st.just(4),
}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(networks(), st.fixed_dictionaries(CAPACITY))
def test_the_peer_of_the_peer_is_where_one_started(chosen, capacity):
    try:
        fabric = build(networks=chosen, capacity=capacity)
    except FabricError:
        assume(False)
    check_ends(fabric.converged)
    for switch in fabric.converged.switches():
        check_names(fabric, switch)


def check_names(fabric, switch):
    """By names the same: of the switch, of its ports, and back."""
    assert fabric.device(fabric.name(switch)) == switch
    for port in fabric.converged.ports(switch):
        name = fabric.port_name(switch, port)
        assert fabric.port(switch, name) == port
        far = fabric.peer(switch, name)
        assert far is None or fabric.peer(*far) == (switch, name)


def test_the_examples():
    for name in ("lab-converged", "b300-1024-converged"):
        check_ends(example(name).converged)


def test_every_leaf_has_equally_many_links_to_every_spine():
    net = example("b300-1024-converged").converged
    for leaf in net.switches():
        ups = [net.peer(leaf, port)[0] for port in net.ports(leaf) if port.kind == "up"]
        spines = range(net.counts.spines if leaf.role != "converged_spine" else 0)
        links = {ups.count(Switch("converged_spine", 0, 0, index)) for index in spines}
        assert len(links) <= 1


def test_both_ports_of_a_node_meet_the_same_index_of_its_pair():
    net = example("lab-converged").converged
    node = Node(0, 1, 2)
    assert net.ordinal(node) == 6
    assert list(net.node_ports(node)) == [
        NetPort("front-end", 0),
        NetPort("front-end", 1),
        NetPort("storage", 0),
        NetPort("storage", 1),
    ]
    met = [net.leaf_of(node, NetPort("front-end", index)) for index in (0, 1)]
    assert met == [(Switch("front_end_leaf", 0, 0, member), 6) for member in (0, 1)]


def test_the_ports_of_a_spine_are_border_then_storage_then_front_end():
    net = example("lab-converged").converged
    spine = Switch("converged_spine", 0, 0, 1)
    roles = [net.peer(spine, port)[0].role for port in net.ports(spine)]
    assert roles == ["border_leaf"] * 2 + ["storage_leaf"] * 6 + ["front_end_leaf"] * 4


def test_what_is_cabled_to_the_outside_has_its_name():
    net = example("lab-converged").converged
    storage, border = Switch("storage_leaf", 0, 0, 1), Switch("border_leaf", 0, 0, 0)
    assert net.peer(storage, Port("array", 0)) == FarEnd("array", "vast-1", True)
    assert net.peer(storage, Port("array", 2)) == FarEnd("array", "nfs-1", False)
    assert net.peer(storage, Port("array", 3)) is None
    assert net.peer(border, Port("external", 0)) == FarEnd("external", "isp-a")


def test_storage_on_the_front_end_bond_has_no_ports_of_nodes():
    storage = {"node_ports": 0, "array_speed": "200G"}
    net = build(networks={**NETWORKS, "storage": storage}).converged
    assert [port.network for port in net.node_ports()] == ["front-end"] * 2
    assert "host" not in net.counts.blocks("storage_leaf")


def test_the_links_of_a_core_lead_from_its_second_switch_to_its_first():
    fabric = laboratory(core=True)
    net = fabric.converged
    check_ends(net)
    one, two = net.switches()
    assert net.peer(two, Port("up", 1)) == (one, Port("down", 1))
    assert (
        fabric.port_name(one, Port("down", 1)) == fabric.port_name(two, Port("up", 1)) == "swp7s1"
    )
    assert [net.leaf_of(Node(0, 0, 1), port) for port in net.node_ports()] == [
        (one, 1),
        (two, 1),
        (one, 9),
        (two, 9),
    ]
    for switch in (one, two):
        check_names(fabric, switch)


def test_only_some_spines_relay_evpn():
    net = example("b300-1024-converged").converged
    assert sum(map(net.relays_evpn, net.switches())) == 4


def test_a_switch_of_the_east_west_fabric_is_none_of_the_converged_one():
    assert not is_converged(Switch("leaf", 0, 0, 0))
    assert not is_converged(Node(0, 0, 0))
    assert is_converged(Switch("border_leaf", 0, 0, 0))
