# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The waist: loading once, slices as plain data, what is known and what is built."""

from __future__ import annotations

import json
import os
import re

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.groups import Groups
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cabling import (
    Node,
    Switch,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
    INVENTORIES,
    SMALL,
    build,
    example,
)

LAB = INVENTORIES / "lab" / "model" / "fabric.yml"


def test_a_description_is_parsed_once(tmp_path):
    path = tmp_path / "fabric.yml"
    path.write_text(LAB.read_text())
    first = Fabric.load(str(path))
    assert Fabric.load(str(path)) is first


def test_a_changed_description_is_read_again(tmp_path):
    path = tmp_path / "fabric.yml"
    path.write_text(LAB.read_text())
    first = Fabric.load(str(path))
    path.write_text(LAB.read_text().replace("name: lab", "name: lab-two"))
    os.utime(path, ns=(1, 1))
    assert Fabric.load(str(path)) is not first
    assert Fabric.load(str(path)).description.name == "lab-two"


def test_a_changed_file_beside_it_is_read_again(tmp_path):
    path, devices = tmp_path / "fabric.yml", tmp_path / "devices.csv"
    path.write_text(LAB.read_text() + "devices: devices.csv\n")
    devices.write_text("place,name\nsu01/h01,gpu-1\n")
    assert Fabric.load(str(path)).name(Node(0, 0, 0)) == "gpu-1"
    devices.write_text("place,name\nsu01/h01,gpu-27\n")
    assert Fabric.load(str(path)).name(Node(0, 0, 0)) == "gpu-27"


def test_a_broken_change_is_not_hidden_by_the_memo(tmp_path):
    path = tmp_path / "fabric.yml"
    path.write_text(LAB.read_text())
    Fabric.load(str(path))
    path.write_text("name: lab\n")
    with pytest.raises(FabricError):
        Fabric.load(str(path))


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
        seen.setdefault(fabric.plan.asn(switch), set()).add((switch.role, switch.plane, switch.pod))
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


def test_known():
    fabric = example("lab")
    assert fabric.known("leaf-p1-su001-r1") == Switch("leaf", 0, 0, 0)
    with pytest.raises(NotInFabric, match="is no device of fabric lab: use a name such as leaf"):
        fabric.known("leaf-p1-su009-r1")
    with pytest.raises(NotInFabric, match="is not built"):
        fabric.known("worker-su01-rack02-h04")


@pytest.mark.parametrize("name", EXAMPLES)
def test_expected_sizes_of_groups(name):
    fabric = example(name)
    counts = {f"spx_{role}": n for role, n in fabric.clos.switches().items() if n}
    counts["spx_node"] = sum(1 for dummy in fabric.nodes())
    assert Groups(fabric).expected() == counts


GROUPS = [
    ("lab", Switch("leaf", 0, 0, 3), "spx_leaf spx_plane_1 spx_pod_01 spx_su_01_002 spx_rail_2"),
    ("lab", Switch("spine", 0, 0, 1), "spx_spine spx_plane_1 spx_pod_01"),
    ("lab", Node(0, 1, 2), "spx_node spx_pod_01 spx_su_01_002"),
    ("lab-3tier", Switch("super_spine", 0, 1, 0), "spx_super_spine spx_plane_1"),
    (
        "max-524288",
        Switch("leaf", 0, 99, 9),
        "spx_leaf spx_plane_1 spx_pod_100 spx_su_100_002 spx_rail_2",
    ),
    ("max-524288", Node(4, 1, 0), "spx_node spx_pod_005 spx_su_005_002"),
    (
        "multiplane-16384",
        Switch("leaf", 4, 0, 9),
        "spx_leaf spx_plane_5 spx_pod_01 spx_su_01_010 spx_rail_5",
    ),
]


@pytest.mark.parametrize("name, device, groups", GROUPS)
def test_groups(name, device, groups):
    assert Groups(example(name)).of(device) == tuple(groups.split())


@pytest.mark.parametrize("name", ["lab-3tier", "lab-2plane", "b300-4096"])
def test_groups_are_those_of_the_name(name):
    """Every device's numbers of plane, pod, SU and rail, read from its own name."""
    fabric = example(name)
    groups = Groups(fabric)
    words = {"p": "plane_{}", "pod": "pod_{:02}", "r": "rail_{}"}
    for device in fabric.devices():
        told = dict(re.findall(r"-(p|pod|su|r)0*([0-9]+)", fabric.name(device)))
        wanted = {f"spx_{words[key].format(int(n))}" for key, n in told.items() if key in words}
        if "su" in told:
            wanted.add(f"spx_su_{int(told.get('pod', 1)):02}_{int(told['su']):03}")
        role = "node" if isinstance(device, Node) else device.role
        if role != "super_spine":
            wanted.add(f"spx_pod_{int(told.get('pod', 1)):02}")
        assert set(groups.of(device)) == wanted | {f"spx_{role}"}


def test_all_stages_of_a_description_are_told_together():
    with pytest.raises(FabricError) as caught:
        build(naming={"leaf": "leaf"}, addressing={"pools": {"vtep": "10.1.0.0/13"}})
    assert len(caught.value.sentences) == 2


def test_a_missing_library_is_one_sentence(monkeypatch):
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import _third_party

    monkeypatch.setattr(_third_party, "MISSING", ["pydantic"])
    with pytest.raises(FabricError, match=r"lacks pydantic: run 'pip install -r requirements.txt'"):
        _third_party.require()
