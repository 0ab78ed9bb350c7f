# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices: what is known and what is built, and all breaches of a description at once."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Switch,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged_cabling import (
    is_converged,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    build,
    example,
)


def test_known():
    fabric = example("lab")
    assert fabric.known("leaf-p1-su001-r1") == Switch("leaf", 0, 0, 0)
    with pytest.raises(NotInFabric, match="is not a device of fabric lab: use a name such as leaf"):
        fabric.known("leaf-p1-su009-r1")
    with pytest.raises(NotInFabric, match="is not built"):
        fabric.known("worker-su01-rack02-h04")


def test_all_stages_of_a_description_are_told_together():
    with pytest.raises(FabricError) as caught:
        build(naming={"leaf": "leaf"}, addressing={"pools": {"vtep": "10.1.0.0/13"}})
    assert len(caught.value.sentences) == 2


def test_converged_switches_are_the_last_and_belong_to_no_plane_pod_or_su():
    fabric = example("lab-converged")
    roles = [switch.role for switch in fabric.switches()]
    assert (
        roles[-8:]
        == [*["border_leaf"] * 2, *["storage_leaf"] * 2, *["front_end_leaf"] * 2]
        + ["converged_spine"] * 2
    )
    for where in ({"planes": [0]}, {"pods": [0]}, {"sus": [0]}):
        assert not any(is_converged(switch) for switch in fabric.switches(**where))
    assert list(fabric.east_west()) == [s for s in fabric.switches() if not is_converged(s)]
    assert fabric.known("converged-spine-s02") == Switch("converged_spine", 0, 0, 1)


FEW = {"switches": {"usable_ports": 8}, "front_end": {"host_speed": "400G"}}
"""Four nodes at a pair."""


def test_a_pair_is_built_with_the_first_of_its_nodes():
    small = {"sus_per_pod": 1, "slots_per_su": 12, "nodes_per_rack": 4}
    networks = {**FEW, "border": {"external_speed": "100G"}}
    fabric = build(networks=networks, capacity=small, absent=["su01/[04-12]"])
    built = [switch for switch in fabric.converged.switches() if fabric.present(switch)]
    assert {(switch.role, switch.pod) for switch in built if switch.role == "front_end_leaf"} == {
        ("front_end_leaf", 0)
    }
    assert sum(switch.role == "border_leaf" for switch in built) == 2
    assert (
        sum(switch.role == "converged_spine" for switch in built) == fabric.converged.counts.spines
    )
    with pytest.raises(NotInFabric, match="front-end-leaf-002-1' is not built"):
        fabric.known("front-end-leaf-002-1")


def test_a_storage_pair_with_an_array_is_built_without_a_node():
    small = {"sus_per_pod": 1, "slots_per_su": 12, "nodes_per_rack": 4}
    arrays = [{"name": "vast-1", "ports": ["2/1"]}]
    storage = {"host_speed": "400G", "array_speed": "400G", "array_ports": 1, "arrays": arrays}
    networks = {"switches": {"usable_ports": 12}, "storage": storage}
    fabric = build(networks=networks, capacity=small, absent=["su01/[02-12]"])
    pairs = {switch.pod for switch in fabric.switches() if switch.role == "storage_leaf"}
    assert pairs == {0, 1}
    assert fabric.converged.counts.leaves["storage_leaf"].pairs > 2


def test_what_the_description_names_must_be_there():
    border = {
        "external_speed": "100G",
        "links": [{"name": "x", "leaf": "border-leaf-1-1", "port": 1}],
    }
    front = {"host_speed": "200G", "provisioning": {"border": "border-leaf-02"}}
    with pytest.raises(FabricError) as caught:
        build(networks={"border": border, "front_end": front})
    one, two = caught.value.sentences
    assert (
        "links[0].leaf: 'border-leaf-1-1' is not a border leaf, did you mean 'border-leaf-01-1'"
        in one
    )
    assert "provisioning.border: 'border-leaf-02' is not a pair of border leaves" in two
    with pytest.raises(FabricError, match=r"add networks\.border, or leave the key out"):
        build(networks={"front_end": front})


def test_cables_of_a_converged_leaf_may_be_exchanged():
    swaps = [{"device": "front-end-leaf-001-1", "ports": ["swp1s0", "swp1s1"]}]
    fabric = build(networks={"front_end": {"host_speed": "200G"}}, swapped_ports=swaps)
    node = next(fabric.nodes())
    assert fabric.peer(node, "front1") == (Switch("front_end_leaf", 0, 0, 0), "swp1s1")
    assert fabric.slice("front-end-leaf-001-1")["ports"][0]["node"] == "worker-su01-rack01-h01"


def test_a_port_to_the_outside_has_no_peer_in_the_fabric():
    fabric = example("lab-converged")
    assert fabric.peer(fabric.known("border-leaf-01-1"), "swp1s0") is None
    assert fabric.port(fabric.known("border-leaf-01-1"), "swp1s1") is None


@pytest.mark.parametrize("name", ["lab", "lab-3tier", "lab-converged"])
def test_every_switch_is_in_one_cable_map(name):
    """Both maps answer the same questions; what is in no pod is what the other networks are made of."""
    fabric = example(name)
    for switch in fabric.slots():
        cabling = fabric.cabling_of(switch)
        assert set(cabling.ports(switch))
        assert cabling.blocks(switch) == fabric.blocks(switch)
        assert {one.role for one in cabling.alike(switch)} <= {switch.role}
    others = list(fabric.in_no_pod())
    assert len(others) == sum(fabric.others.switches().values())
    assert [*fabric.east_west(), *others] == list(fabric.switches())
    assert {end.kind for end in fabric.outside.values()} == (
        {"array", "external"} if others else set()
    )


@pytest.mark.parametrize("name", ["lab", "lab-converged"])
def test_the_other_end_of_a_port_of_a_node_leads_back(name):
    fabric = example(name)
    for node in fabric.nodes():
        for port in fabric.node_ports():
            assert fabric.end(*fabric.end(node, port)) == (node, port)


def test_a_rack_whose_devices_take_more_power_than_it_has_is_refused(tmp_path):
    """Devices that are not built yet count too: their place is kept."""
    data = yaml.safe_load((INVENTORIES / "lab" / "model" / "fabric.yml").read_text())
    data |= {
        "devices": "devices.csv",
        "cabling": {"racks": "racks.csv", "power": {"node": 10, "leaf": 1.5}},
    }
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump(data))
    rows = ["place,rack", "leaf-p1-su001-r1,N1", "su01/h01,N1", "su01/h04,N1", "spine-p1-s01,N2"]
    (tmp_path / "devices.csv").write_text("\n".join(rows) + "\n")
    for kw, fits in (("21.5", True), ("", True), ("21", False)):
        (tmp_path / "racks.csv").write_text(f"rack,row,position,kw\nN1,A,1,{kw}\nN2,A,2,0.1\n")
        if fits:
            assert Fabric.load(str(tmp_path / "fabric.yml"))
            continue
        with pytest.raises(FabricError) as refused:
            Fabric.load(str(tmp_path / "fabric.yml"))
        assert refused.value.sentences == [
            "racks.csv, kw: rack N1 has 21 kW, and its devices (1 of kind leaf, 2 of kind node) take 21.5 kW: move "
            "devices to other racks, or correct kw or cabling.power."
        ]


def test_nodes_without_a_rack_take_power_in_the_rack_that_the_plan_computes(tmp_path):
    """Slot 4 of each SU is not built; a row of devices.csv with a rack counts there instead."""
    data = yaml.safe_load((INVENTORIES / "lab" / "model" / "fabric.yml").read_text())
    data |= {"devices": "devices.csv", "cabling": {"racks": "racks.csv", "power": {"node": 10}}}
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump(data))
    (tmp_path / "devices.csv").write_text("place,rack,serial\nsu01/h01,N1,\nsu01/h02,,SN2\n")
    for rack, kw, taken in (
        ("su01-rack01", 9, 10),
        ("su02-rack01", 19, 20),
        ("su02-rack02", 9, 10),
        ("su02-rack02", 10, 0),
        ("su03-rack01", 1, 0),
    ):
        (tmp_path / "racks.csv").write_text(f"rack,row,position,kw\n{rack},A,1,{kw}\n")
        if not taken:
            assert Fabric.load(str(tmp_path / "fabric.yml"))
            continue
        with pytest.raises(FabricError, match=rf"rack {rack} has {kw} kW, .* take {taken} kW"):
            Fabric.load(str(tmp_path / "fabric.yml"))
