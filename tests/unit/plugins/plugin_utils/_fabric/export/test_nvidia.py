# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A reader of NVIDIA's topology formats derives exactly our addresses.

The reader here follows the published rules (github.com/NVIDIA/k8s-launch-kit,
docs/user/spectrum-x.md) and knows nothing of the plan: names and attributes in, addresses out.
"""

from __future__ import annotations

import ipaddress
import json
import re

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    exports,
    nvidia,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    build,
    example,
)

CX8 = {"model": "ConnectX-8"}
TINY = {"capacity": {"sus_per_pod": 2, "slots_per_su": 5}, "switches": {"usable_ports": 32}}
TINY3 = {
    "tiers": 3,
    "capacity": {"pods": 3, "sus_per_pod": 2, "slots_per_su": 5},
    "switches": {"usable_ports": 32},
}
WIDE = {**TINY, "switches": {"usable_ports": 64}}
WIDE3 = {**TINY3, "switches": {"usable_ports": 64}}
"""The same for ports of 200G, of which a cage has twice as many."""
V4, V4_3, V6 = "nvidia-guide-v4-2tier", "nvidia-guide-v4-3tier", "nvidia-guide-v6"


def split(count, balancing):
    nine = {"nics": {"model": "ConnectX-9"}, "release": {"ra": "2.2"}}
    nics = nine if count > 2 else {"nics": CX8}
    return {**nics, "planes": {"count": count, "mode": "split", "balancing": balancing}}


FABRICS = {
    "lab": lambda: example("lab"),
    "lab-3tier": lambda: example("lab-3tier"),
    "two tiers": lambda: build(**TINY, addressing={"profile": V4}),
    "two tiers, swplb": lambda: build(**TINY, **split(2, "swplb"), addressing={"profile": V4}),
    "two tiers, four planes": lambda: build(
        **WIDE, **split(4, "swplb"), addressing={"profile": V4}
    ),
    "two tiers, hwplb": lambda: build(**TINY, **split(2, "hwplb"), addressing={"profile": V4}),
    "two tiers, v6": lambda: build(**TINY, addressing={"profile": V6}),
    "two tiers, v6, swplb": lambda: build(**TINY, **split(2, "swplb"), addressing={"profile": V6}),
    "three tiers": lambda: build(**TINY3, addressing={"profile": V4_3}),
    "three tiers, swplb": lambda: build(**TINY3, **split(2, "swplb"), addressing={"profile": V4_3}),
    "three tiers, hwplb": lambda: build(**WIDE3, **split(4, "hwplb"), addressing={"profile": V4_3}),
    "three tiers, v6, swplb": lambda: build(
        **WIDE3, **split(4, "swplb"), addressing={"profile": V6}
    ),
}


BY_RAIL = {"planes": {"count": 8, "mode": "by-rail"}}
FABRICS |= {
    "two tiers, by rail": lambda: build(**TINY, **BY_RAIL, addressing={"profile": V4}),
    "two tiers, v6, by rail": lambda: build(**TINY, **BY_RAIL, addressing={"profile": V6}),
    "three tiers, by rail": lambda: build(
        **TINY3, rails=4, planes={"count": 4, "mode": "by-rail"}, addressing={"profile": V4_3}
    ),
    "three tiers, v6, by rail": lambda: build(**TINY3, **BY_RAIL, addressing={"profile": V6}),
}


class Reader:
    """Reader by the published rules, with their own checks."""

    def __init__(self, *, tiers, planes, balancing, family, octet=0):
        self.tiers, self.planes, self.balancing, self.family = tiers, planes, balancing, family
        self.octet = octet

    def read(self, text):
        """{(host, rail, plane): (host address, leaf address)} of a document of either format."""
        document = json.loads(text)
        generator = isinstance(document.get("nodes"), list) and "links" in document
        air = "content" in document
        assert generator != air, "the format is ambiguous"
        ends = self._air(document["content"]) if air else self._generator(document)
        return {
            (host, rail, plane): self._addresses(plane, rail, pod, su, index)
            for host, plane, rail, pod, su, index in ends
        }

    def _air(self, content):
        for ends in content["links"]:
            assert len(ends) == 2
            for end in ends:
                assert end["node"] in content["nodes"]
            hosts = [end for end in ends if "network_pci" in end]
            if not hosts:
                continue
            (host,) = hosts
            (leaf,) = [end for end in ends if end is not host]
            node = content["nodes"][host["node"]]
            nic = node["network_pci"][host["network_pci"]]
            rail, plane = re.fullmatch(r"rail(\d+)p(\d+)", host["interface"]).groups()
            assert host["network_pci"] == f"rail{rail}"
            assert int(plane) <= nic["number_of_ports"] == self.planes
            own, other = self._tokens(host["node"]), self._tokens(leaf["node"])
            assert leaf["node"].startswith("leaf-")
            assert other["p"] == int(plane)
            assert other["r"] == int(rail)
            for key in ("pod", "su"):
                assert own.get(key) == other.get(key)
            assert ("pod" in own) == (self.tiers == 3)
            yield (
                host["node"],
                int(plane) - 1,
                int(rail) - 1,
                own.get("pod", 1) - 1,
                own["su"] - 1,
                own["h"] - 1,
            )

    @staticmethod
    def _tokens(name):
        found = {}
        for part in name.split("-"):
            match = re.fullmatch(r"(pod|su|p|r|h|s|rack)(\d+)", part)
            if match:
                found[match[1]] = int(match[2])
                assert found[match[1]] >= 1
        return found

    def _generator(self, document):
        nodes = {node["name"]: node for node in document["nodes"]}
        order = {}
        for ends in document["links"]:
            by_role = {end["attributes"]["role"]: end for end in ends}
            host, leaf = by_role["host"], by_role["leaf"]
            assert nodes[host["node"]]["role"] == "host"
            assert nodes[leaf["node"]]["role"] == "leaf"
            at, above = host["attributes"], leaf["attributes"]
            assert at["rail"] in above["rail_group"]
            assert (at["pod"], at["su"]) == (above["pod"], above["su"])
            group = order.setdefault((above["plane"], at["pod"], at["su"]), [])
            if host["node"] not in group:
                group.append(host["node"])
            index = group.index(host["node"])
            yield host["node"], above["plane"], at["rail"], at["pod"], at["su"], index

    def _addresses(self, plane, rail, pod, su, host):
        assert rail <= 7
        aware = self.balancing in ("swplb", "hwplb")
        number = plane if self.balancing == "swplb" else 0
        if self.family == 6:
            stem = f"fd02:{number:x}:{rail * 256 + pod:x}:{su * 256 + host:x}"
            return f"{stem}::1", f"{stem}::2"
        assert host <= 127
        if self.tiers == 2:
            assert (su <= 63, pod) == (True, 0)
            o1, o2, o3 = 172, 16 + 2 * rail, su
            if aware:
                o2, o3 = 16 + 4 * number + rail // 4, 64 * (rail % 4) + su
        else:
            assert pod <= 31
            assert su <= (63 if aware else 255)
            o1, o2, o3 = 10, 32 * rail + pod, su
            if aware:
                o2, o3 = 64 * number + 8 * rail + pod // 4, 64 * (pod % 4) + su
        o1 = self.octet or o1
        return f"{o1}.{o2}.{o3}.{2 * host}", f"{o1}.{o2}.{o3}.{2 * host + 1}"


def reader_of(fabric, *, tiers=None):
    """By-rail planes are none to a reader, who is told that each NIC has one port."""
    d = fabric.description
    return Reader(
        tiers=tiers or d.tiers,
        planes=1 if fabric.clos.by_rail else d.planes.count,
        balancing=d.planes.balancing,
        family=fabric.addresses.version,
    )


def ours(fabric):
    made = {}
    for node in fabric.nodes():
        for port in fabric.slice(node)["ports"]:
            pair = (port["address"], port["gateway"])
            plane = 0 if fabric.clos.by_rail else port["plane"]
            made[fabric.name(node), port["rail"], plane] = pair
    return made


def normal(pairs):

    return {key: tuple(map(ipaddress.ip_address, pair)) for key, pair in pairs.items()}


@pytest.mark.parametrize("name", FABRICS)
@pytest.mark.parametrize("export", [nvidia.by_names, nvidia.reference_generator])
def test_a_reader_derives_exactly_our_addresses(name, export):
    fabric = FABRICS[name]()
    text = "".join(export(fabric, None))
    read = reader_of(fabric).read(text)
    assert normal(read) == normal(ours(fabric))
    ports = len(list(fabric.cabling.nic_ports()))
    assert len(read) == ports * sum(1 for dummy in fabric.nodes())


GAP = {"absent": ["su02/h02"]}


def test_leaves_that_several_rails_share():
    """The first format lists the rails of a leaf; in the second the name of a leaf tells one rail."""
    shared = {"wiring": {"rails_per_leaf": 2}, "addressing": {"profile": V4}}
    fabric = build(**TINY, **shared)
    text = "".join(nvidia.reference_generator(fabric, None))
    assert normal(reader_of(fabric).read(text)) == normal(ours(fabric))
    assert nvidia.refusal(fabric) is None
    assert "rails_per_leaf is 2" in nvidia.refusal(build(**TINY, **shared, **GAP))


def test_the_layout_of_three_tiers_in_two():
    """It wants a pod: the first format tells pod 0, the second has it in names of three tiers only."""
    three = {"addressing": {"profile": V4_3}}
    fabric = build(**TINY, **three)
    text = "".join(nvidia.reference_generator(fabric, None))
    assert normal(reader_of(fabric, tiers=3).read(text)) == normal(ours(fabric))
    assert nvidia.refusal(fabric) is None
    assert "names of a two-tier fabric show no pod" in nvidia.refusal(build(**TINY, **three, **GAP))


@pytest.mark.parametrize("column, refused", [("name", True), ("serial", False)])
def test_only_names_of_the_site_stand_in_the_way(column, refused, tmp_path):
    (tmp_path / "devices.csv").write_text(f"place,{column}\nsu01/h01,gpu-1\n")
    text = (INVENTORIES / "lab" / "model" / "fabric.yml").read_text()
    (tmp_path / "fabric.yml").write_text(text + "devices: devices.csv\n")
    fabric = Fabric.load(str(tmp_path / "fabric.yml"))
    assert bool(nvidia.refusal(fabric)) == refused


@pytest.mark.parametrize(
    "absent, named",
    [
        (["*/*/h02", "su01/h01"], True),
        (["su02/h02"], True),
        (["su02/h05", "su01/[04-05]"], False),
    ],
)
def test_absent_slots_shift_no_address(absent, named, tmp_path):
    """The reference generator counts hosts; where that would shift, names carry the place."""
    fabric = build(**TINY, addressing={"profile": V4}, absent=absent)
    exports.write(fabric, Output(str(tmp_path)), kinds=["reference-generator"])
    text = (tmp_path / "topology.json").read_text()
    assert ("content" in json.loads(text)) == named
    assert normal(reader_of(fabric).read(text)) == normal(ours(fabric))


@pytest.mark.parametrize(
    "changes",
    [
        {"addressing": {"profile": V4, "first_octet": 11}},
        {"addressing": {"profile": V4}},
        {**split(2, "swplb"), "addressing": {"profile": V4_3, "first_octet": 77}},
        {**split(2, "hwplb"), "addressing": {"profile": V4}},
        {"addressing": {"profile": V6}},
        {"addressing": {"profile": V4, "first_octet": 11}, **GAP},
    ],
)
def test_a_reader_with_the_settings_of_the_export_derives_our_addresses(changes, tmp_path):
    """The keys are those of the reader's own configuration, profile.spectrumX."""
    fabric = build(**{**TINY, **changes})
    exports.write(fabric, Output(str(tmp_path)), kinds=["reference-generator"])
    given = yaml.safe_load((tmp_path / "l8k.yaml").read_text())["profile"]["spectrumX"]
    reader = Reader(
        tiers=int(given["topologyType"][0]),
        planes=given["numberOfPlanes"],
        balancing=given["multiplaneMode"],
        family=int(given["ipVersion"][3:]),
        octet=given.get("hostFirstOctet", 0),
    )
    read = reader.read((tmp_path / given["topologyFile"]).read_text())
    assert normal(read) == normal(ours(fabric))


REFUSED = [
    ({}, "octet-v4 is not one of NVIDIA's"),
    ({"addressing": {"profile": "dense-v4"}}, "dense-v4 is not one of NVIDIA's"),
    ({"addressing": {"profile": V6, "p2p127": True}}, "p2p127"),
    (
        {
            "site": 1,
            "addressing": {
                "profile": V6,
                "pools": {"loopback": "10.224.0.0/13", "vtep": "10.232.0.0/13"},
            },
        },
        "site other than 0",
    ),
    ({"addressing": {"profile": V4}, "wiring": {"mode": "top-of-rack"}}, "top-of-rack"),
    ({"addressing": {"profile": V4}, "naming": {"node": "gpu{su}-{slot}"}}, "own names"),
    (
        {
            "addressing": {"profile": V6},
            "site_profiles": ["ours.yml"],
            "capacity": {"sus_per_pod": 1, "slots_per_su": 5},
            **split(8, "swplb"),
        },
        "more than the 4 that a reader knows",
    ),
]


@pytest.mark.parametrize("changes, part", REFUSED)
def test_other_plans_are_refused(changes, part, tmp_path):
    fabric = build(**{**TINY, **changes})
    with pytest.raises(FabricError) as caught:
        exports.write(fabric, Output(str(tmp_path)), kinds=["links", "reference-generator"])
    assert part in str(caught.value)
    assert str(caught.value).startswith("export reference-generator: ")
    assert not list(tmp_path.iterdir()), "nothing is written when one export is refused"


def test_the_document_with_names():
    fabric = example("lab")
    document = json.loads("".join(nvidia.by_names(fabric, None)))
    assert {key: document[key] for key in ("format", "name", "ztp")} == {
        "format": "JSON",
        "name": "lab",
        "ztp": None,
    }
    nodes = document["content"]["nodes"]
    assert nodes["leaf-p1-su001-r1"] == {
        "model": "SN5600",
        "emulation_type": "SWITCH_ETHERNET",
        "network_pci": {},
    }
    assert nodes["worker-su01-rack01-h01"]["network_pci"]["rail2"] == {
        "model": "bluefield3",
        "emulation_type": "NIC_ETHERNET",
        "number_of_ports": 1,
    }
    assert len(nodes) == 6 + 6


def test_the_converged_fabric_is_left_out_and_the_settings_say_so():
    """The formats have no place for it: a leaf needs a plane and a host a rail."""
    made, plain = example("lab-converged"), example("lab")
    files = {name: "".join(lines) for name, lines in nvidia.generator(made, None)}
    names = {row["name"] for row in json.loads(files["topology.json"])["nodes"]}
    assert names == {plain.name(device) for device in plain.devices()}
    assert "# Front end, storage and border are not in it" in files["l8k.yaml"]
    assert "Front end" not in "".join(nvidia.settings(plain))
