# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The desired state of a host: from the plan, the RA profile and what a site adds."""

from __future__ import annotations

import ipaddress

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import nics_from
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.desired import (
    desired,
    managed,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.interfaces import (
    must_be_found,
    whole,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    TWO_PLANES,
    build,
    example,
)

PCI = [f"0000:{bus:02x}:00.0" for bus in range(0x18, 0x20)]
CX8 = {"model": "ConnectX-8", "pci": PCI}
ADDRESSES = {"profile": "nvidia-guide-v4-2tier"}

CHOICES = {"watch": "repair", "tolerate_conflicts": False, "timeout": 60, "algorithm": True}


def of(fabric, **settings):
    name = fabric.name(next(fabric.nodes()))
    return desired(fabric, name, registry=Registry.empty(fabric), settings=settings)


def test_every_nic_is_what_the_modules_take():
    for nics in ({"model": "BlueField-3", "pci": PCI}, {**CX8}):
        found = of(build(nics=nics))
        assert [nic.pci for nic in nics_from(found["nics"])] == PCI
        assert found["nics"][0]["roce"]["inter_packet_gap"] == 33


def test_nodes_of_another_kind():
    """Check that a key counts from the narrowest place that states it: node, rack, SU, then the fabric."""
    moved, mine = ([f"0000:{first + bus:02X}:00.0" for bus in range(8)] for first in (0x40, 0xC0))
    places = [
        {"place": "su03/h02", "model": "ConnectX-8"},
        {"place": "su03", "pci": PCI},
        {"place": "su03/rack01", "pci": moved},
        {"place": "worker-su02-rack02-h05", "pci": mine},
    ]
    nics = {"model": "BlueField-3", "places": places}
    fabric = build(nics={**nics, "pci": PCI[::-1]}, addressing=ADDRESSES)
    kinds = {"a2dc": "nic", "1023": "adapter"}
    for (su, slot), (device, pci) in {
        (0, 0): ("a2dc", PCI[::-1]),
        (1, 4): ("a2dc", [text.lower() for text in mine]),
        (1, 5): ("a2dc", PCI[::-1]),
        (2, 0): ("a2dc", [text.lower() for text in moved]),
        (2, 1): ("1023", [text.lower() for text in moved]),
        (2, 4): ("a2dc", PCI),
    }.items():
        name = fabric.name(Node(0, su, slot))
        found = desired(fabric, name, registry=Registry.empty(fabric))
        assert [card["pci"] for card in found["nics"]] == pci
        assert [row["card"] for row in found["interfaces"]] == pci
        assert {card["device"] for card in found["nics"]} == {device}
        assert {card["mode"] for card in found["nics"]} == {kinds[device]}
    partly = build(nics={**nics, "places": places[1:2]}, addressing=ADDRESSES)
    desired(partly, partly.name(Node(0, 2, 0)), registry=Registry.empty(partly))
    with pytest.raises(FabricError, match=r"0 PCI addresses .* 8 rails of worker-su01-rack01-h01,"):
        of(partly)
    with pytest.raises(FabricError, match="of worker-su01-rack01-h01,"):
        must_be_found(partly)


def test_the_lab():
    found = of(example("lab"), platform="h200")
    assert (found["ra"], found["doca"], found["versions"]["doca_host"]) == (
        "2.1.2",
        "3.3.0",
        ["3.3.0-088000"],
    )
    assert [row["name"] for row in found["interfaces"]] == ["rail1p1", "rail2p1"]
    assert {row["mtu"] for row in found["interfaces"]} == {9166}
    assert (found["tenant"], found["access"]) == ("quarantine", "managed")


def test_two_planes_are_two_functions_of_one_card():
    found = of(build(nics=CX8, planes=TWO_PLANES, addressing=ADDRESSES))
    assert [port["pci"] for port in found["nics"][0]["ports"]] == ["0000:18:00.0", "0000:18:00.1"]
    assert len(found["nics"]) == 8
    assert len({row["table"] for row in found["interfaces"]}) == 16
    assert found["nics"][0]["nvconfig"]["NUM_OF_PF"] == 2


@pytest.mark.parametrize(
    "planes, expected",
    [
        ({}, ("none", 1)),
        (TWO_PLANES, ("swplb", 2)),
        ({**TWO_PLANES, "balancing": "hwplb"}, ("hwplb", 2)),
        ({"count": 8, "mode": "by-rail"}, ("none", 1)),
    ],
)
def test_the_mode_of_the_planes_picks_the_profile(planes, expected):
    found = of(build(nics=CX8, planes=planes, capacity={"sus_per_pod": 2}))["nics"][0]
    assert (found["multiplane"], found["planes"]) == expected


def test_the_routes_of_a_host_cover_its_plane_and_prefer_its_rail():
    for row in of(build(nics=CX8))["interfaces"]:
        metrics = [route["metric"] for route in row["routes"]]
        assert metrics == sorted(metrics)
        own = ipaddress.ip_address(row["address"])
        assert all(own in ipaddress.ip_network(route["to"]) for route in row["routes"])


def test_whole_leaves_out_what_lies_inside():
    rows = [
        {"address": "172.16.0.0", "length": 31, "routes": [{"to": "172.16.0.0/12"}]},
        {"address": "10.0.0.0", "length": 31, "routes": [{"to": "10.0.0.0/8"}]},
    ]
    assert whole(rows) == ["10.0.0.0/8", "172.16.0.0/12"]


def test_a_site_lays_its_own_over_the_profile():
    found = of(
        build(nics=CX8),
        qos={"cable_length": 40},
        nvconfig={"ATS_ENABLED": 0},
        inter_packet_gap=25,
        versions={"cx8_fw": "40.49.1"},
        table_base=2000,
    )
    nic = found["nics"][0]
    assert (nic["qos"]["cable_length"], nic["qos"]["tos"]) == (40, 96)
    assert nic["roce"]["inter_packet_gap"] == 25
    assert nic["nvconfig"]["ATS_ENABLED"] == 0
    assert "ATS_ENABLED" in nic["required"]
    assert nic["nvconfig"].keys() > {"ATS_ENABLED"}
    assert nic["firmware"] == {"version": "40.49.1"}
    assert found["interfaces"][0]["table"] == 2001


def test_dpu_mode_leaves_the_runtime_to_the_dpu():
    nic = of(build(nics={"model": "BlueField-3", "mode": "dpu", "pci": PCI}))["nics"][0]
    assert nic["nvconfig"] == {"INTERNAL_CPU_MODEL": 1, "INTERNAL_CPU_OFFLOAD_ENGINE": 0}
    assert not {"qos", "roce"} & set(nic)


@pytest.mark.parametrize(
    "changes, settings, words",
    [
        ({"nics": {"model": "BlueField-3"}}, {}, "nics.pci: 0 PCI addresses are given for 8 rails"),
        (
            {"nics": {"model": "ConnectX-7", "pci": PCI}},
            {},
            "device 1021 (ConnectX-7) is not public",
        ),
        (
            {"nics": CX8, "release": {"ra": "2.4"}},
            {},
            "ra 2.4: its NIC parameter set is not public",
        ),
    ],
)
def test_what_cannot_be_said_is_one_sentence(changes, settings, words):
    with pytest.raises(FabricError) as caught:
        of(build(**changes), **settings)
    assert words in str(caught.value)
    assert len(caught.value.sentences) == 1


@pytest.mark.parametrize("absent", [[], ["*/*/h*"]], ids=["nodes", "no node is built"])
def test_a_switch_is_no_host(absent):
    fabric = build(absent=absent)
    assert bool(absent) == (next(fabric.nodes(), None) is None)
    leaf = fabric.name(next(fabric.switches()))
    with pytest.raises(FabricError, match="is a switch: name a node such as worker-"):
        desired(fabric, leaf, registry=Registry.empty(fabric))


REGISTRY = """
tenants:
  - {id: 21, slug: acme, nodes: ["*/*/h01"], host_access: managed}
  - {id: 22, slug: globex, nodes: ["*/*/h02"]}
"""


@pytest.mark.parametrize("slot, expected", [(0, True), (1, False), (2, True)])
def test_customers_keep_their_hosts_unless_they_say_otherwise(slot, expected):
    fabric = example("lab")
    assert managed(fabric, Registry.parse(fabric, REGISTRY), Node(0, 0, slot)) is expected
