# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One device's slice of the plan."""

from __future__ import annotations

import collections
import hashlib
import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.load import (
    load,
    typed,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.networks import (
    Networks,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.yaml_source import (
    Source,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import rows
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Switch,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    NETWORKS,
    SMALL,
    build,
    example,
)


@pytest.mark.parametrize("name", SMALL)
def test_slices_are_plain_data(name):
    fabric = example(name)
    for device in fabric.devices():
        made = fabric.slice(device)
        assert json.loads(json.dumps(made)) == made
        assert made["schema"] == 1


@pytest.mark.parametrize("name", [*SMALL, "brownfield-256"])
def test_both_ends_of_a_cable_tell_the_same(name):
    """Addresses, ASNs and names that one slice says of its peer are those of the peer's slice."""
    fabric = example(name)
    slices = {fabric.name(device): fabric.slice(device) for device in fabric.devices()}
    for own, made in slices.items():
        for port in made["ports"]:
            if not port.get("present", True):
                continue
            other = slices[port["peer"]["device"]]
            (back,) = [p for p in other["ports"] if p["port"] == port["peer"]["port"]]
            assert back["peer"]["device"] == own
            assert back["peer"]["port"] == port["port"]
            if made["role"] != "node" and other["role"] != "node":
                assert port["peer"]["asn"] == other["asn"]
                assert port["peer"]["loopback"] == other["loopback"]
                assert made["asn"] != other["asn"]
            if made["role"] == "node":
                assert (back["address"], back["peer_address"]) == (port["gateway"], port["address"])
                assert back["length"] == port["length"]
                assert back["rail"] == port["rail"]


@pytest.mark.parametrize("name", ["h200-2048", "b300-4096"])
def test_no_two_neighbours_of_a_switch_are_mixed_up(name):
    """Every ASN that a session expects is that of the planned peer, of its plane and pod alone."""
    fabric = example(name)
    seen = {}
    for switch in fabric.switches():
        seen.setdefault(fabric.addresses.asn(switch), set()).add(
            (switch.role, switch.plane, switch.pod)
        )
    assert all(len(places) == 1 for places in seen.values())


def test_ports_of_absent_neighbours_say_so():
    fabric = example("lab")
    made = {port["port"]: port["present"] for port in fabric.slice("leaf-p1-su001-r1")["ports"]}
    assert not made["swp2s1"]
    assert all(present for port, present in made.items() if port != "swp2s1")


def test_ports_tell_their_own_speed():
    """That of their kind: hosts may be slower than the links between switches."""
    speeds = {"host_speed": "200G", "fabric_speed": "400G"}
    fabric = build(switches=speeds, capacity={"sus_per_pod": 2})
    for switch, kinds in (
        (Switch("leaf", 0, 0, 0), {"host", "up"}),
        (Switch("spine", 0, 0, 0), {"down"}),
    ):
        rows = fabric.slice(switch)["ports"]
        assert {row["kind"] for row in rows} == kinds
        for row in rows:
            host = row["kind"] == "host"
            assert row["speed"] == speeds["host_speed" if host else "fabric_speed"]
            assert row["breakout"] == (4 if host else 2)


def test_ports_stand_in_the_order_of_the_cages():
    swap = {"device": "leaf-p1-su001-r1", "ports": ["swp1s0", "swp33s1"]}
    for swapped in ([], [swap]):
        fabric = build(swapped_ports=swapped)
        ports = [row["port"] for row in fabric.slice("leaf-p1-su001-r1")["ports"]]
        assert ports == [f"swp{cage}s{sub}" for cage in range(1, 65) for sub in (0, 1)]


def test_a_port_of_a_front_end_leaf_has_its_node_bond_and_segment():
    fabric = example("lab-converged")
    one, other = (fabric.slice(f"front-end-leaf-001-{member}") for member in (1, 2))
    assert (one["pair"], one["member"], one["partner"]) == (0, 0, "front-end-leaf-001-2")
    host = one["ports"][1]
    assert host == {
        "port": "swp1s1",
        "cage": 1,
        "breakout": 4,
        "kind": "host",
        "speed": "200G",
        "present": True,
        "peer": {"device": "worker-su01-rack01-h02", "port": "front1", "role": "node"},
        "network": "front-end",
        "node": "worker-su01-rack01-h02",
        "ordinal": 1,
        "bond": "bond2",
        "segment": {"local_id": 2, "mac": "44:38:39:ff:02:00"},
    }
    segments = [[port.get("segment") for port in made["ports"]] for made in (one, other)]
    assert segments[0] == segments[1]


def test_segments_are_the_same_on_both_leaves_of_a_pair_and_nowhere_else():
    fabric = example("b300-1024-converged")
    seen = collections.Counter(
        (*port["segment"].values(), switch.pod, switch.role)
        for switch in fabric.converged.switches()
        for port in fabric.slice(switch)["ports"]
        if "segment" in port
    )
    assert set(seen.values()) == {2}
    assert len({(local, mac) for local, mac, _pair, _role in seen}) == len(seen)


def test_ports_to_the_outside_have_the_names_of_what_is_there():
    fabric = example("lab-converged")
    first, *_more, last = fabric.slice("storage-leaf-001-2")["ports"]
    assert (first["array"], first["bond"], first["segment"]["local_id"]) == (
        "vast-1",
        "bond5001",
        8000001,
    )
    assert (last["kind"], last["peer"]["role"]) == ("up", "converged_spine")
    single = fabric.slice("storage-leaf-001-2")["ports"][2]
    assert single["array"] == "nfs-1"
    assert not {"bond", "segment"} & set(single)
    external = fabric.slice("border-leaf-01-1")["ports"][0]
    assert (external["link"], external["peer"]) == (
        "isp-a",
        {"device": "isp-a", "port": "", "role": "external"},
    )


def test_a_routed_port_has_addresses_and_no_bond():
    front = {**NETWORKS["front_end"], "attachment": "routed"}
    fabric = build(networks={**NETWORKS, "front_end": front})
    node = fabric.slice(next(fabric.nodes()))["networks"]
    leaf = fabric.slice(node[0]["peer"]["device"])["ports"][0]
    assert (leaf["address"], leaf["peer_address"], leaf["length"]) == (
        "10.160.0.1",
        "10.160.0.0",
        31,
    )
    assert "bond" not in leaf
    assert (node[0]["address"], node[0]["gateway"]) == ("10.160.0.0", "10.160.0.1")
    assert [port.get("bond") for port in node] == [None, None, "stor", "stor"]


def test_one_port_is_a_bond_without_a_segment():
    front = {**NETWORKS["front_end"], "ports_per_node": 1}
    fabric = build(networks={"front_end": front})
    for member in (1, 2):
        port = fabric.slice(f"front-end-leaf-001-{member}")["ports"][0]
        assert port["bond"] == "bond1"
        assert port["ordinal"] == member - 1
        assert "segment" not in port


@pytest.mark.parametrize("name", ["h200-2048", "lab"])
def test_other_networks_move_nothing_of_the_east_west_fabric(name):
    """Switch documents, names, addresses and cables: the same bytes with them and without."""
    path = str(INVENTORIES / name / "model" / "fabric.yml")
    bare, source = load(path)
    switches = {"usable_ports": 64}
    stated = typed(Networks, Source(path, {**NETWORKS, "switches": switches}, {}))
    fabrics = [Fabric(one, source) for one in (bare, bare.model_copy(update={"networks": stated}))]
    assert [fabric.converged is None for fabric in fabrics] == [True, False]
    assert len({_east_west(fabric) for fabric in fabrics}) == 1


def _east_west(fabric):
    """A digest of all that a fabric had before there were other networks."""
    found = hashlib.sha256()
    for device in fabric.east_west():
        found.update(
            json.dumps(
                [compose.document(fabric, fabric.name(device)), fabric.slice(device)]
            ).encode()
        )
    for node in fabric.nodes():
        own = {key: value for key, value in fabric.slice(node).items() if key != "networks"}
        found.update(json.dumps([own, fabric.addresses.management(node)]).encode())
    for row in (*rows.links(fabric), *rows.devices(fabric)):
        found.update(repr(row).encode())
    return found.hexdigest()
