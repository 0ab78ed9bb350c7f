# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts of the converged fabric, and the sentences that refuse one."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology import (
    converged,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Switch,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    NETWORKS,
    build,
    example,
)

FRONT = {"host_speed": "400G"}


def roles(fabric):
    """By role: pairs, host ports of a leaf, links to each spine, nodes of a pair."""
    counts = fabric.converged.counts
    return {
        role: (
            one.pairs,
            one.blocks["host"].count if "host" in one.blocks else 0,
            one.links,
            one.nodes_per_pair,
        )
        for role, one in counts.leaves.items()
    }


def test_a_description_without_networks_has_no_converged_fabric():
    assert build().converged is None


def test_the_example_is_as_nvidia_builds_it():
    """Half of the cages of a front-end leaf for 64 nodes, the other half for uplinks: no oversubscription."""
    fabric = example("b300-1024-converged")
    assert roles(fabric) == {
        "border_leaf": (1, 0, 1, 0),
        "storage_leaf": (2, 96, 8, 96),
        "front_end_leaf": (2, 64, 8, 64),
    }
    assert fabric.converged.counts.spines == 8
    assert (
        sum(block.cages for block in fabric.converged.counts.blocks("front_end_leaf").values())
        == 64
    )


def test_the_laboratory_has_two_spines_and_a_pair_of_each():
    assert example("lab-converged").converged.counts.switches() == {
        "border_leaf": 2,
        "storage_leaf": 2,
        "front_end_leaf": 2,
        "converged_spine": 2,
    }


def test_a_core_has_the_ports_of_all_networks_in_one_pair_and_nothing_else():
    """Front end first of the nodes' ports; 8 x 100G to the outside cross over 2 x 400G to the other switch."""
    small = {"sus_per_pod": 1, "slots_per_su": 32}
    counts = build(networks={**NETWORKS, "core": {}}, capacity=small).converged.counts
    assert counts.switches() == {"converged_core": 2}
    (core,) = counts.leaves.values()
    assert {kind: (block.first, block.count) for kind, block in core.blocks.items()} == {
        "external": (1, 8),
        "array": (3, 8),
        "host": (5, 64),
        "up": (21, 2),
    }
    assert core.hosts == {"front-end": (2, 0), "storage": (2, 32)}


def test_each_network_of_nodes_at_a_core_has_cages_of_its_own_speed():
    """32 nodes: 32 front-end ports of 400G in 16 cages, then 32 storage ports of 200G in 8; links behind them."""
    small = {"sus_per_pod": 1, "slots_per_su": 32}
    fabric = build(networks={**NETWORKS, "front_end": FRONT, "core": {}}, capacity=small)
    (core,) = fabric.converged.counts.leaves.values()
    ahead, behind = core.blocks["host"].parts
    assert (ahead.first, ahead.breakout, ahead.count) == (5, 2, 32)
    assert (behind.first, behind.breakout, behind.count) == (21, 4, 32)
    assert core.blocks["up"].first == 29
    rows = fabric.slice(Switch("converged_core", 0, 0, 1))["ports"]
    found = {row["port"]: row for row in rows if row["kind"] == "host"}
    assert len(found) == 64
    front, storage = found["swp20s1"], found["swp21s3"]
    assert (front["network"], front["speed"], front["breakout"]) == ("front-end", "400G", 2)
    assert (storage["network"], storage["speed"], storage["breakout"]) == ("storage", "200G", 4)
    assert (front["ordinal"], storage["ordinal"]) == (31, 3)
    assert fabric.locate("converged-core-2:swp21s3")[0]["node"] == storage["node"]


def test_what_one_switch_of_a_core_has_alone_has_links_to_the_other():
    """32 nodes with one port of 200G: 16 on each switch; with 1,600G to the outside 4,800G are 12 links of 400G."""
    small = {"sus_per_pod": 1, "slots_per_su": 32}
    border = {"external_speed": "200G", "external_ports": 8}
    networks = {
        "core": {},
        "border": border,
        "front_end": {"host_speed": "200G", "ports_per_node": 1},
    }
    made = build(networks=networks, capacity=small).converged.counts.leaves["converged_core"]
    assert made.links == 12
    networks["front_end"]["oversubscription"] = 4
    made = build(networks=networks, capacity=small).converged.counts.leaves["converged_core"]
    assert made.links == 6
    stated = build(networks={**networks, "core": {"links": 3}}, capacity=small)
    assert stated.converged.counts.leaves["converged_core"].links == 3


def test_the_fewest_spines_are_taken():
    """Fewer would have too few ports: that is what the same counts with one spine less say."""
    networks = {**NETWORKS, "front_end": FRONT}
    fewest = build(networks=networks).converged.counts.spines
    assert fewest > 2
    with pytest.raises(
        FabricError, match=rf"to each of {fewest - 1} spines, more than the 128 ports"
    ):
        build(networks={**networks, "spines": fewest - 1})


def test_oversubscription_makes_room_for_more_nodes():
    four = build(networks={"front_end": {**FRONT, "oversubscription": 4}})
    one = build(networks={"front_end": FRONT})
    assert roles(four)["front_end_leaf"][3] > roles(one)["front_end_leaf"][3]
    hosts, (_pairs, ports, links, _nodes) = 4, roles(four)["front_end_leaf"]
    assert links * four.converged.counts.spines * hosts >= ports


def test_nodes_with_one_port_take_turns_between_the_members():
    fabric = build(networks={"front_end": {**FRONT, "ports_per_node": 1}})
    _pairs, ports, _links, nodes = roles(fabric)["front_end_leaf"]
    assert nodes == 2 * ports


def test_a_port_of_half_a_quarter_of_a_cage_comes_from_a_breakout_of_four():
    """256 ports of 100G are what an SN5600 has: two lanes each would need cages broken out in eight."""
    fabric = build(networks={"border": {"external_speed": "100G"}})
    assert fabric.converged.counts.blocks("border_leaf")["external"].breakout == 4


def test_array_ports_of_a_pair_are_written_alone_and_of_others_with_the_pair():
    assert converged.array_port(3) == (0, 2)
    assert converged.array_port("2/1") == (1, 0)
    arrays = [{"name": "vast-1", "ports": ["3/1"]}]
    storage = {**NETWORKS["storage"], "arrays": arrays}
    small = {"slots_per_su": 2, "sus_per_pod": 1, "nodes_per_rack": 2}
    assert roles(build(networks={"storage": storage}, capacity=small))["storage_leaf"][0] == 3


def storage(*arrays):
    return {"storage": {**NETWORKS["storage"], "arrays": list(arrays)}}


def border(*links):
    rows = [dict(zip(("name", "leaf", "port"), link)) for link in links]
    return {"border": {**NETWORKS["border"], "links": rows}}


REFUSED = [
    ({}, "networks: it has no network: add front_end, storage or border"),
    (
        {"switches": {"model": "SN56"}, "front_end": FRONT},
        "networks.switches.model: 'SN56' is not in the cat",
    ),
    (
        {"switches": {"usable_ports": 3}, "front_end": FRONT},
        "3 is not a multiple of 2, the ports of a cage",
    ),
    (
        {"switches": {"model": "SN5640"}, "front_end": {"host_speed": "800G"}},
        "use 400G, 200G, 100G",
    ),
    (
        {"front_end": FRONT, "spines": 2, "switches": {"usable_ports": 16}},
        "leaves are more than the 16 ports",
    ),
    (
        {"border": {"external_speed": "800G", "external_ports": 64}},
        "networks.border.external_ports: border leaves need 64 cages for external ports and 64 cages for up ports, "
        "and 64 cages of the SN5600 may be used: use fewer external_ports, or more usable_ports",
    ),
    (
        {"storage": {"node_ports": 0, "array_speed": "200G"}},
        "networks.storage.node_ports: 0 puts storage on the bond of the front end, and there is none",
    ),
    (
        {
            "front_end": FRONT,
            "storage": {"node_ports": 0, "attachment": "routed", "array_speed": "200G"},
        },
        "networks.storage.attachment: routed needs storage ports of the nodes' own",
    ),
    ({"storage": {"array_ports": 0}}, "networks.storage.host_speed: the key is missing"),
    (
        {**NETWORKS, "core": {}},
        "networks.core: the ports of 256 nodes and all else need 2 for external ports and 2 for array ports and 128 "
        "for host ports and 1 for up ports on each of two switches, and 64 cages of the SN5600 may be used: use slower",
    ),
    ({"core": {}, "spines": 2, "front_end": FRONT}, "2 spines are stated, and a core has none"),
    (
        {"core": {}, "border": {"external_speed": "100G", "pairs": 2}},
        "networks.border.pairs: 2 pairs are stated, and a core is the only one: use 1, or leave out core",
    ),
    (
        {
            "core": {},
            "storage": {**NETWORKS["storage"], "arrays": [{"name": "a", "ports": ["2/1"]}]},
        },
        "networks.storage.arrays[0].ports[0]: 2/1 is of another pair than the first, and a core is the only one",
    ),
    ({"storage": {"host_speed": "200G"}}, "networks.storage.array_speed: the key is missing"),
    (
        {
            "border": {
                "external_speed": "100G",
                "links": [{"name": "a", "leaf": "border-leaf-01-1", "port": 9}],
            }
        },
        "networks.border.links[0].port: 9 is beyond the 8 external ports",
    ),
]


@pytest.mark.parametrize("networks, sentence", REFUSED)
def test_what_does_not_fit_is_refused(networks, sentence):
    with pytest.raises(FabricError) as caught:
        build(networks=networks)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "networks, words",
    [
        ({"front_end": FRONT}, "warm reboot, and Cumulus Linux has none of a switch with bonds"),
        (storage({"name": "a", "ports": [1]}), "none of a switch with bonds"),
        (
            {"storage": {**NETWORKS["storage"], "attachment": "routed", "mode": "shared"}},
            "loses the routes that it leaks between VRFs",
        ),
    ],
)
def test_a_warm_reboot_beside_bonds_or_leaks_is_refused_by_the_plan(networks, words):
    with pytest.raises(FabricError) as caught:
        build(networks=networks, routing={"restart": "issu"})
    assert "routing.restart: issu needs a warm reboot" in str(caught.value)
    assert words in str(caught.value)


def test_a_warm_reboot_without_bonds_is_possible():
    routed = {"front_end": {**FRONT, "attachment": "routed"}, "border": NETWORKS["border"]}
    assert build(networks=routed, routing={"restart": "issu"}).converged


SIX = {"profile": "octet-v4", "routed_ports": "numbered-127"}
ROUTED = {"attachment": "routed"}
SERVERS = {"provisioning": {"servers": ["10.255.0.0/24"]}}
OF_ARRAYS = {"array_prefixes": ["2001:db8:a::/48"]}


@pytest.mark.parametrize(
    ("addressing", "networks", "sentence"),
    [
        (
            SIX,
            {"front_end": FRONT},
            "addressing.routed_ports: numbered-127 is for routed ports, and no network has them: leave",
        ),
        (
            SIX,
            {"front_end": {**FRONT, **ROUTED, **SERVERS}},
            "networks.front_end.provisioning.servers[0]: 10.255.0.0/24 is not an IPv6 prefix, and nodes "
            "have only IPv6 on front-end: use one.",
        ),
        (
            {"profile": "octet-v4"},
            {"storage": {**NETWORKS["storage"], **OF_ARRAYS}},
            "networks.storage.array_prefixes[0]: 2001:db8:a::/48 is not an IPv4 prefix, and nodes have only IPv4 on",
        ),
        (
            SIX,
            {"storage": {**storage({"name": "a", "ports": [1]})["storage"], **ROUTED}},
            "networks.storage.arrays: arrays on ports of leaves are in IPv4 subnets, which nodes with /127 links",
        ),
        (
            SIX,
            {"storage": {**NETWORKS["storage"], **ROUTED}},
            "networks.storage.array_prefixes: hosts with /127 links need a route to the arrays, and no prefix is",
        ),
        (
            SIX,
            {"storage": {**NETWORKS["storage"], **ROUTED, **OF_ARRAYS, "mode": "shared"}},
            "networks.storage.mode: shared is for arrays on ports of leaves, which nodes with /127 links do not reach",
        ),
        (
            {**SIX, "pools": {"storage": "10.160.0.0/12"}},
            {"front_end": {**FRONT, **ROUTED}},
            "addressing.pools.storage: 10.160.0.0/12 is not an IPv6 prefix",
        ),
        (
            SIX,
            {
                "storage": {
                    **NETWORKS["storage"],
                    **ROUTED,
                    "array_prefixes": ["fd04::/20"],
                }
            },
            "networks.storage.array_prefixes[0]: fd04::/20 overlaps fd04::/16 of addressing.pools.storage: list",
        ),
        (
            SIX,
            {
                "storage": {
                    **NETWORKS["storage"],
                    **ROUTED,
                    "array_prefixes": ["::/0"],
                }
            },
            "networks.storage.array_prefixes[0]: ::/0 overlaps fd04::/16 of addressing.pools.storage",
        ),
        (
            {"profile": "octet-v4"},
            {"storage": {**NETWORKS["storage"], "array_prefixes": ["10.216.0.0/16"]}},
            "networks.storage.array_prefixes[0]: 10.216.0.0/16 overlaps 10.216.0.0/13 of networks.storage.subnets",
        ),
        (
            {"profile": "octet-v4"},
            {"storage": {**NETWORKS["storage"], "array_prefixes": ["192.0.2.0/24"] * 2}},
            "networks.storage.array_prefixes[1]: 192.0.2.0/24 overlaps 192.0.2.0/24 of networks.storage.array_pref",
        ),
    ],
)
def test_ipv6_on_links_of_nodes_needs_all_that_they_are_to_reach(addressing, networks, sentence):
    with pytest.raises(FabricError) as caught:
        build(addressing=addressing, networks=networks)
    assert sentence in str(caught.value)


TWICE = [
    (
        storage({"name": "a", "ports": [1]}, {"name": "a", "ports": [2]}),
        "'a' is the name of two arrays",
    ),
    (
        storage({"name": "a", "ports": [1]}, {"name": "b", "ports": ["1/1"]}),
        "1/1 is a port of a already",
    ),
    (storage({"name": "a", "ports": [9]}), "9 is beyond the 8 array ports"),
    (
        border(("x", "border-leaf-01-1", 1), ("x", "border-leaf-01-2", 1)),
        "'x' is the name of two links",
    ),
    (
        border(("x", "border-leaf-01-1", 1), ("y", "border-leaf-01-1", 1)),
        "is that of link x already",
    ),
]


def test_more_segments_than_a_leaf_may_have_are_refused():
    """A bond of a node is one on both leaves of a pair, and so is one of an array; routed ports are none."""
    array = {"name": "nfs", "ports": [1, 2, "2/1"]}
    front = {**NETWORKS["front_end"], "attachment": "routed"}
    store = {**NETWORKS["storage"], "arrays": [array]}

    def allowed(most, **more):
        networks = {**NETWORKS, "front_end": front, "storage": store, **more}
        return build(networks={**networks, "switches": {"segments_per_leaf": most}}).converged

    nodes = min(build().clos.nodes, allowed(1024).counts.leaves["storage_leaf"].nodes_per_pair)
    assert allowed(nodes + 2)
    with pytest.raises(FabricError) as caught:
        allowed(nodes + 1)
    said = f"segments_per_leaf: a storage leaf would have {nodes + 2} Ethernet segments, and {nodes + 1} are allowed"
    assert said in str(caught.value)
    assert allowed(1, storage={**NETWORKS["storage"], "attachment": "routed"})
    with pytest.raises(FabricError, match="a front end leaf would have"):
        allowed(nodes + 2, front_end=NETWORKS["front_end"])


@pytest.mark.parametrize("networks, sentence", TWICE)
def test_each_port_and_name_is_given_once(networks, sentence):
    with pytest.raises(FabricError) as caught:
        build(networks=networks)
    assert sentence in str(caught.value)


def test_more_leaves_than_the_asn_scheme_numbers_are_refused():
    """A pair for each two nodes: the usable ports are few."""
    few = {"usable_ports": 4, "fabric_speed": "400G"}
    with pytest.raises(
        FabricError, match="front-end leaves, more than the 1000 that the ASN scheme"
    ):
        build(
            tiers=3,
            capacity={"pods": 40, "sus_per_pod": 8},
            networks={"switches": few, "front_end": {"host_speed": "400G", "oversubscription": 8}},
        )


def test_20480_nodes_need_a_model_with_more_ports_or_say_so():
    large = {"tiers": 3, "capacity": {"pods": 40, "sus_per_pod": 8}}
    front = {"host_speed": "200G", "oversubscription": 4}
    with pytest.raises(FabricError, match="202 leaves are more than the 128 ports of a spine"):
        build(**large, networks={"front_end": front})
    made = build(**large, networks={"front_end": front, "switches": {"fabric_speed": "200G"}})
    assert made.converged.counts.nodes == 20_480
    assert made.converged.counts.switches() == {"front_end_leaf": 240, "converged_spine": 43}
