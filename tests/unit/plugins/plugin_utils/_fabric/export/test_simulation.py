# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Topologies for containerlab and NVIDIA Air, read by the rules that these publish.

The interface numbers of a switch follow containerlab's nodes/nvidia_cumulusvx/ports.go, written here a second time.
"""

from __future__ import annotations

import csv
import ipaddress
import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    exports,
    part,
    rows,
    simulation,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing.pools import (
    RESERVED,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.designs import (
    designs,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.request import (
    Request,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    NETWORKS,
    TWO_PLANES,
    build,
    example,
)

SCHEMA = json.loads(Path(__file__).with_name("containerlab_schema.json").read_text())
SMALL = {"capacity": {"sus_per_pod": 1, "slots_per_su": 2}, "switches": {"usable_ports": 16}}
FABRICS = {
    "lab": lambda: example("lab"),
    "lab-3tier": lambda: example("lab-3tier"),
    "lab-converged": lambda: example("lab-converged"),
    "routed ports": lambda: build(
        **SMALL,
        rails=2,
        networks={**NETWORKS, "front_end": {"host_speed": "200G", "attachment": "routed"}},
    ),
    "one node of 256": lambda: part.of(example("brownfield-256"), ["su01/h01"]),
    "two SUs of 2,048": lambda: part.of(example("h200-2048"), ["su01/h01", "su02/h64"]),
    "rails and planes": lambda: build(**SMALL, planes=TWO_PLANES, rails=2),
    "hwplb": lambda: build(
        **SMALL, rails=2, planes={"count": 2, "mode": "split", "balancing": "hwplb"}
    ),
    "top of rack": lambda: build(**SMALL, wiring={"mode": "top-of-rack"}),
    "no breakout": lambda: build(
        **{**SMALL, "switches": {"usable_ports": 16, "host_speed": "800G", "fabric_speed": "800G"}},
        nics={"model": "ConnectX-8"},
        rails=2,
        routing={"adaptive_routing": False},
    ),
    "a swap": lambda: build(
        **SMALL,
        rails=2,
        swapped_ports=[{"device": "leaf-p1-su001-r1", "ports": ["swp1s0", "swp1s1"]}],
    ),
}


@pytest.fixture(params=FABRICS)
def fabric(request):
    return FABRICS[request.param]()


def written(fabric, folder, *kinds):
    exports.write(fabric, Output(str(folder)), kinds=list(kinds))
    return folder


def inside(fabric):
    """The cables whose both ends are devices of the plan."""
    return [link for link in rows.all_links(fabric) if link.b.port]


def topology(fabric, folder):
    home = written(fabric, folder, "containerlab") / "containerlab"
    return yaml.safe_load((home / f"{fabric.description.name}.clab.yml").read_text())


class Ports:
    """The interface that containerlab gives a port of a switch; ValueError where it refuses the name."""

    def __init__(self, node):
        self.count, self.channels = node.get("port-count"), {}
        for row in node.get("breakouts", []):
            first, _dots, last = str(row["port"]).partition("..")
            for cage in range(int(first), int(last or first) + 1):
                assert cage not in self.channels, "containerlab refuses a port that occurs twice"
                assert cage <= (self.count or 0)
                self.channels[cage] = row["channels"]
        assert (self.count is None) == (not self.channels)

    def interface(self, name):
        match = re.fullmatch(r"swp([1-9]\d*)(?:s(\d+))?", name)
        cage, lane = int(match[1]), match[2]
        if lane is None:
            if cage in self.channels or (self.count and cage > self.count):
                raise ValueError(name)
            return cage
        if int(lane) >= self.channels.get(cage, 0):
            raise ValueError(name)
        before = sum(n for parent, n in self.channels.items() if parent < cage)
        return self.count + before + int(lane) + 1


def test_containerlab_accepts_the_topology(fabric, tmp_path):
    jsonschema.validate(topology(fabric, tmp_path), SCHEMA)


def test_every_cable_of_the_plan_is_there_once(fabric, tmp_path):
    document = topology(fabric, tmp_path)
    ends = [tuple(link["endpoints"]) for link in document["topology"]["links"]]
    planned = [(f"{x.a.device}:{x.a.port}", f"{x.b.device}:{x.b.port}") for x in inside(fabric)]
    assert ends == planned
    flat = [end for pair in ends for end in pair]
    assert len(set(flat)) == len(flat), "no port has two cables"


def test_every_port_of_a_switch_is_an_interface_of_its_own(fabric, tmp_path):
    """Not only those with a cable of this part: a document names them all."""
    nodes = topology(fabric, tmp_path)["topology"]["nodes"]
    for switch in fabric.switches():
        ports = Ports(nodes[fabric.name(switch)])
        numbers = [ports.interface(port["port"]) for port in fabric.slice(switch)["ports"]]
        assert len(set(numbers)) == len(numbers)
        assert max(numbers) <= simulation.MOST_INTERFACES


def test_names_of_ports_are_those_that_linux_takes(fabric, tmp_path):
    links = topology(fabric, tmp_path)["topology"]["links"]
    ports = {end.partition(":")[2] for link in links for end in link["endpoints"]}
    assert all(1 <= len(port) <= 15 for port in ports)


def test_nodes_get_their_addresses_and_a_route_once(fabric, tmp_path):
    nodes = topology(fabric, tmp_path)["topology"]["nodes"]
    for node in fabric.nodes():
        commands = nodes[fabric.name(node)]["exec"]
        assert len(set(commands)) == len(commands)
        added = [line.split()[3] for line in commands if line.startswith("ip address add")]
        data = fabric.slice(node)
        ports = [p for p in (*data["ports"], *data.get("networks", [])) if "address" in p]
        assert set(added) == {f"{port['address']}/{port['length']}" for port in ports}
        assert len(added) == len(set(added)), "with hwplb the cables share an address"
        routes = [line.split()[3] for line in commands if line.startswith("ip route add")]
        assert len(set(routes)) == len(routes)


def test_the_management_network_meets_no_address_of_a_profile(fabric, tmp_path):
    document = topology(fabric, tmp_path)
    subnet = ipaddress.ip_network(document["mgmt"]["ipv4-subnet"])
    stated = [row["mgmt-ipv4"] for row in document["topology"]["nodes"].values()]
    assert len(set(stated)) == len(stated) <= simulation.MOST_DEVICES
    assert all(ipaddress.ip_address(one) in subnet for one in stated)
    assert str(next(subnet.hosts())) not in stated, "the first is the gateway of the bridge"
    blocks = [prefix for _name, prefix in fabric.addresses.blocks(4)]
    assert not any(subnet.overlaps(prefix) for prefix in blocks)
    assert not any(subnet.overlaps(ipaddress.ip_network(one)) for one in RESERVED if "." in one)


@pytest.mark.parametrize("words", [None, ["su01/h01", "su02/h02"]])
def test_beside_it_is_a_project_that_reaches_the_nodes(words, tmp_path):
    fabric = part.of(example("lab"), words) if words else example("lab")
    home = written(fabric, tmp_path, "containerlab") / "containerlab"
    again = Fabric.load(str(home / "model" / "fabric.yml"))
    assert [again.slice(x) for x in again.devices()] == [fabric.slice(x) for x in fabric.devices()]
    assert (home / "model" / "tenants.yml").is_file()
    addresses = json.loads((home / "management.json").read_text())
    nodes = yaml.safe_load((home / "lab.clab.yml").read_text())["topology"]["nodes"]
    assert addresses == {name: row["mgmt-ipv4"] for name, row in nodes.items()}
    source = yaml.safe_load((home / "hosts.fabric.yml").read_text())
    assert source["management"] == "management.json"


def test_tables_of_a_plant_go_along(tmp_path):
    fabric = part.of(example("brownfield-256"), ["su01/h01"])
    home = written(fabric, tmp_path, "containerlab") / "containerlab"
    again = Fabric.load(str(home / "model" / "fabric.yml"))
    assert [again.name(x) for x in again.devices()] == [fabric.name(x) for x in fabric.devices()]


REFUSED = [
    (lambda: example("h200-2048"), "more than the 64 devices"),
    (lambda: part.of(example("max-524288"), ["pod01/su01/h01"]), "more than the 64 devices"),
    (lambda: part.of(example("h200-2048"), ["su01", "su02/h01"]), "name a few nodes"),
]


@pytest.mark.parametrize("made, text", REFUSED)
def test_what_one_machine_cannot_start_is_refused(made, text, tmp_path):
    with pytest.raises(FabricError, match=text):
        written(made(), tmp_path, "containerlab")
    assert not list(tmp_path.iterdir())


def test_more_interfaces_than_the_kind_has_are_refused(monkeypatch):
    monkeypatch.setattr(simulation, "MOST_INTERFACES", 11)
    assert "leaf-p1-su001-r1 has 4 cages and 8 ports" in simulation.refusal(example("lab"))
    monkeypatch.setattr(simulation, "MOST_INTERFACES", 12)
    assert simulation.refusal(example("lab")) is None


AIR = {
    **FABRICS,
    "a design of playbook size": lambda: designs(Request(gpus=16))[0].fabric,
    "rails of two tiers share a leaf": lambda: build(**SMALL, wiring={"rails_per_leaf": 2}),
    "names of the site": lambda: build(**SMALL, naming={"node": "gpu{su}-{slot}"}),
    "a node of 524,288 GPUs": lambda: part.of(example("max-524288"), ["pod01/su01/h01"]),
}


@pytest.mark.parametrize("name", AIR)
def test_air_gets_every_cable_with_interfaces_that_its_images_have(name, tmp_path):
    fabric = AIR[name]()
    written(fabric, tmp_path, "air")
    document = json.loads((tmp_path / "air.json").read_text())
    nodes, links = document["content"]["nodes"], document["content"]["links"]
    assert set(nodes) == {fabric.name(device) for device in fabric.devices()}
    for node in nodes.values():
        assert set(node) == {"os", "cpu", "memory", "storage"}
    with (tmp_path / "air-ports.csv").open(newline="") as handle:
        back = {(r["device"], r["interface"]): r["port"] for r in csv.DictReader(handle)}
    ends = [tuple((e["node"], e["interface"]) for e in link) for link in links]
    assert all(re.fullmatch(r"eth[1-9]\d*|swp[1-9]\d*(s\d+)?", e[1]) for pair in ends for e in pair)
    planned = [((x.a.device, x.a.port), (x.b.device, x.b.port)) for x in inside(fabric)]
    assert [((a[0], back.get(a, a[1])), b) for a, b in ends] == planned
    flat = [end for pair in ends for end in pair]
    assert len(set(flat)) == len(flat)


def test_what_is_outside_is_listed_and_left_out(tmp_path):
    fabric = example("lab-converged")
    written(fabric, tmp_path, "air", "containerlab")
    left = [(x.a.device, x.a.port, x.b.device) for x in rows.all_links(fabric) if not x.b.port]
    assert len(left) == 8
    with (tmp_path / "air-outside.csv").open(newline="") as handle:
        assert [tuple(row.values()) for row in csv.DictReader(handle)] == left
    text = (tmp_path / "containerlab" / "lab-converged.clab.yml").read_text()
    assert re.findall(r"# Left out: (\S+):(\S+) to (\S+)\n", text) == left
    written(example("lab"), tmp_path / "lab", "air")
    assert not (tmp_path / "lab" / "air-outside.csv").exists()


def test_a_bond_has_both_ports_of_its_network(tmp_path):
    nodes = topology(example("lab-converged"), tmp_path)["topology"]["nodes"]
    commands = nodes["worker-su01-rack01-h01"]["exec"]
    assert "ip link add dev front mtu 9166 up type bond mode 802.3ad" in commands
    joined = [line.split()[4::2] for line in commands if " master " in line]
    assert joined == [
        ["front1", "front"],
        ["front2", "front"],
        ["stor1", "stor"],
        ["stor2", "stor"],
    ]


def test_images_follow_from_the_release():
    document = json.loads("".join(dict(simulation.air(example("lab"), None))["air.json"]))
    systems = {row["os"] for row in document["content"]["nodes"].values()}
    assert systems == {"cumulus-vx-5.16.1", "generic/ubuntu2404"}


@pytest.mark.parametrize("kinds", [None, ["links"], ["containerlab", "slices"]])
def test_a_part_takes_the_place_of_no_file_of_the_whole(kinds):
    with pytest.raises(FabricError, match="is of the whole fabric"):
        exports.check_part(kinds)


def test_a_part_can_be_simulated():
    exports.check_part(["containerlab", "air"])
