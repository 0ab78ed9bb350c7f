# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the ports of a slice to what a host is to have."""

from __future__ import annotations

import itertools

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.networks import networks_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import nics_from
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.description import (
    Description,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.load import (
    typed,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.yaml_source import (
    Source,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host import (
    host_files,
    networks,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.desired import (
    desired,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

from ...fabrics import INVENTORIES, build, example
from ...tenants.converged_lab import laboratory
from .attached import FRONT, STORAGE, ports

CASES = {
    "bonds": [*ports(FRONT), *ports(STORAGE)],
    "one bond and a VLAN": ports(FRONT, vlan=2021),
    "routed": [*ports(FRONT, bond=False), *ports(STORAGE, bond=False)],
    "routed, v6": [
        *ports(FRONT, bond=False, six=True),
        *ports(STORAGE, bond=False, six=True),
    ],
    "one port": ports(FRONT)[:1],
}


@pytest.mark.parametrize("case", CASES)
def test_the_module_takes_what_is_planned(case):
    rows = networks.rows(CASES[case], table_base=1000)
    made = networks_from(rows)
    assert {row["name"] for row in rows} == {
        one.name for one in itertools.chain(made.ports, made.virtual)
    }


def test_only_the_front_end_has_a_default_route():
    rows = {row["name"]: row for row in networks.rows(CASES["bonds"], table_base=1000)}
    assert (rows["front"]["metric"], rows["stor"]["metric"]) == (networks.METRIC, 0)
    assert rows["front"]["members"] == ["front1", "front2"]
    assert rows["front"]["system"] == "44:38:39:ff:01:00"
    routed = {row["name"]: row for row in networks.rows(CASES["routed"], table_base=1000)}
    assert routed["front1"]["routes"] == [{"to": "0.0.0.0/0", "metric": 512}]
    assert routed["front2"]["routes"] == [{"to": "0.0.0.0/0", "metric": 513}]
    assert routed["stor2"]["routes"] == [{"to": "10.216.0.0/13", "metric": 513}]
    assert len({row["table"] for row in routed.values()}) == 4


def test_the_storage_vlan_is_on_the_bond_of_the_front_end():
    (vlan,) = (
        r for r in networks.rows(CASES["one bond and a VLAN"], table_base=1000) if "vlan" in r
    )
    assert vlan == {
        "name": "front.2021",
        "network": "storage",
        "parent": "front",
        "vlan": 2021,
        "mtu": 9166,
        "metric": 0,
    }


@pytest.mark.parametrize("rails", [1, 8])
def test_no_metric_or_table_is_that_of_a_rail(rails):
    pci = [f"0000:{bus:02x}:00.0" for bus in range(0x18, 0x18 + rails)]
    fabric = build(rails=rails, nics={"model": "BlueField-3", "pci": pci, "mode": "nic"})
    planned = desired(fabric, fabric.name(next(fabric.nodes())))
    assert planned["networks"] == []
    metrics = [route["metric"] for row in planned["interfaces"] for route in row["routes"]]
    assert max(metrics) < networks.METRIC
    own = networks.rows(CASES["routed"], table_base=1000)
    assert {row["table"] for row in own}.isdisjoint(row["table"] for row in planned["interfaces"])


FRONT_PCI = ["0000:01:00.0", "0000:01:00.1"]
STORAGE_PCI = ["0000:02:00.0", "0000:02:00.1"]


def converged(*, front=None, storage=None, **more):
    """The laboratory with the other networks, and changes of the two that nodes are on."""
    text = (INVENTORIES / "lab-converged" / "model" / "fabric.yml").read_text()
    described = yaml.safe_load(text) | more
    described["networks"]["front_end"] |= front or {}
    described["networks"]["storage"] |= storage or {}
    source = Source("fabric.yml", described, {})
    return Fabric(typed(Description, source), source)


TENANTS = """
tenants:
  - {id: 21, slug: acme, nodes: ["su01/h01", "su01/h02"], networks: [east-west, front-end, storage]}
  - {id: 34, slug: umbrella, nodes: ["su01/h03"], networks: [east-west, front-end]}
rest:
  - {nodes: ["su02/h01"], acceptance: burn-in}
"""


def planned(fabric, number=0, tenants=TENANTS):
    node = list(fabric.nodes())[number]
    return desired(fabric, fabric.name(node), registry=Registry.parse(fabric, tenants))


@pytest.mark.parametrize("name", ["lab-converged", "b300-1024-converged"])
def test_hosts_of_the_examples_have_their_ports(name):
    fabric = example(name)
    registry = Registry.load(fabric, str(INVENTORIES / name / "model" / "tenants.yml"))
    made = desired(fabric, fabric.name(next(fabric.nodes())), registry=registry)["networks"]
    assert [row["name"] for row in made] == ["front1", "front2", "stor1", "stor2", "front", "stor"]
    assert len({row["pci"] for row in made if "pci" in row}) == 4
    assert not any("idle" in row for row in made)


def test_both_bonds_of_a_node_lead_to_the_core():
    fabric = laboratory(core=True)
    rows = {row["name"]: row for row in planned(fabric)["networks"]}
    assert {rows[name]["system"] for name in ("front", "stor")} == {"44:38:39:ff:04:00"}
    assert rows["stor2"]["peer"] == {"device": "converged-core-2", "port": "swp5s0"}


def test_a_node_of_the_laboratory_has_its_bonds():
    rows = {row["name"]: row for row in planned(converged())["networks"]}
    assert list(rows) == ["front1", "front2", "stor1", "stor2", "front", "stor"]
    assert rows["front2"]["pci"] == "0000:01:00.1"
    assert rows["front2"]["peer"]["device"] == "front-end-leaf-001-2"
    assert rows["stor"]["system"] == "44:38:39:ff:03:00"
    assert {row["mtu"] for row in rows.values()} == {9166}


def test_ports_without_pci_addresses_are_left_to_the_host():
    assert planned(converged(front={"pci": []}, storage={"pci": []}))["networks"] == []
    alone = planned(converged(storage={"pci": []}))["networks"]
    assert [row["name"] for row in alone] == ["front1", "front2", "front"]


def test_routed_ports_have_their_own_addresses_and_lead_to_the_arrays():
    fabric = converged(front={"attachment": "routed"}, storage={"attachment": "routed"})
    rows = [row for number in (0, 1) for row in planned(fabric, number)["networks"]]
    assert len({row["address"] for row in rows}) == 8
    assert {row["length"] for row in rows} == {31}
    assert rows[2]["routes"] == [{"to": "10.216.0.0/13", "metric": 512}]
    assert len(networks_from(rows[:4]).ports) == 4


def test_routed_ports_may_have_ipv6():
    """A node's links have one version of IP, and so have its routes: of the arrays' prefixes only those."""
    fabric = converged(
        front={"attachment": "routed", "provisioning": {"servers": ["2001:db8:5::/48"]}},
        storage={
            "attachment": "routed",
            "arrays": [],
            "array_prefixes": ["2001:db8:a::/48", "2001:db8:b::/48"],
        },
        addressing={"profile": "octet-v4", "routed_ports": "numbered-127"},
    )
    rows = planned(fabric, 1)["networks"]
    ends = [(row["address"], row["gateway"], row["length"]) for row in rows]
    assert ends == [(f"fd04:0:0:1::{n or ''}", f"fd04:0:0:1::{n + 1}", 127) for n in (0, 2, 4, 6)]
    assert [row["routes"] for row in rows[1:3]] == [
        [{"to": "::/0", "metric": 513}],
        [{"to": f"2001:db8:{x}::/48", "metric": 512} for x in "ab"],
    ]
    assert len(networks_from(rows).ports) == 4


def test_arrays_behind_sessions_may_be_outside_the_subnets():
    """Check hosts that reach arrays by the gateway of the tenant: they reach all of them."""
    fabric = converged(storage={"mode": "shared", "array_prefixes": ["10.250.0.0/16"]})
    led = {row["name"]: row["routes"] for row in planned(fabric)["networks"] if "gateway" in row}
    assert [route["to"] for route in led["stor"]] == ["10.216.0.0/13", "10.250.0.0/16"]


@pytest.mark.parametrize(
    ("front", "storage", "words"),
    [
        (FRONT_PCI[:1], STORAGE_PCI, "1 different addresses do not serve 2 ports"),
        (FRONT_PCI[:1] * 2, STORAGE_PCI, "1 different addresses do not serve 2 ports"),
        (
            FRONT_PCI,
            FRONT_PCI,
            "0000:01:00.0 is on the NIC of a rail, or stated for another network",
        ),
        (["0000:18:00.1", "0000:01:00.0"], STORAGE_PCI, "0000:18:00.1 is on the NIC of a rail"),
        (["01:00.0", "0000:01:00.1"], STORAGE_PCI, "such as 0000:01:00.1"),
    ],
)
def test_pci_addresses_that_cannot_be(front, storage, words):
    with pytest.raises(FabricError, match=words):
        converged(front={"pci": front}, storage={"pci": storage})


def test_ports_of_another_kind_of_node():
    own = {"front_end_pci": ["0000:A1:00.0", "0000:A1:00.1"], "storage_pci": ["0000:a2:00.0"] * 2}
    nics = {"model": "BlueField-3", "pci": ["0000:18:00.0", "0000:3b:00.0"]}
    with pytest.raises(FabricError, match=r"places\[0\].storage_pci: 1 different addresses do not"):
        converged(nics={**nics, "places": [{"place": "su01/h02", **own}]})
    own["storage_pci"] = ["0000:a2:00.0", "0000:a2:00.1"]
    fabric = converged(nics={**nics, "places": [{"place": "su01/h02", **own}]})
    for number, front, storage in (
        (0, FRONT_PCI, STORAGE_PCI),
        (1, ["0000:a1:00.0", "0000:a1:00.1"], own["storage_pci"]),
    ):
        found = [row["pci"] for row in planned(fabric, number)["networks"] if "pci" in row]
        assert found == [*front, *storage]


def test_a_port_out_of_service_is_idle():
    out = {"device": "front-end-leaf-001-2", "since": "2026-11-20", "reason": "broken fan"}
    rows = {row["name"]: row for row in planned(converged(out_of_service=[out]))["networks"]}
    assert {name: row["idle"] for name, row in rows.items() if "idle" in row} == {
        "front2": "broken fan"
    }


@pytest.mark.parametrize(
    ("number", "vlans", "shut"),
    [
        (0, ["front.2021"], []),
        (2, [], ["stor1", "stor2", "stor"]),  # not entitled to storage
        (3, [], ["stor1", "stor2", "stor"]),  # in rest
        (4, [], ["stor1", "stor2", "stor"]),  # in quarantine
    ],
)
def test_storage_follows_who_holds_the_node(number, vlans, shut):
    tagged = converged(storage={"node_ports": 0, "pci": []})
    rows = planned(tagged, number)["networks"]
    assert [row["name"] for row in rows if "vlan" in row] == vlans
    own = planned(converged(), number)["networks"]
    assert [row["name"] for row in own if "idle" in row] == shut


VAULT = """
    external_peers:
      - {name: vault, link: isp-a, asn: 64497, network: storage, default: false, prefixes: [10.217.0.0/24]}
"""
BEHIND_BGP = TENANTS.replace(
    '{id: 21, slug: acme, nodes: ["su01/h01", "su01/h02"], networks: [east-west, front-end, storage]}',
    "id: 21\n    slug: acme\n    nodes: [su01/h01, su01/h02]\n    networks: [east-west, front-end, storage]"
    + VAULT,
)


@pytest.mark.parametrize(
    ("storage", "tenants", "way"),
    [
        ({}, TENANTS, None),
        ({"mode": "shared"}, TENANTS, "stor"),
        ({"mode": "shared", "node_ports": 0, "pci": []}, TENANTS, "front.2021"),
        ({}, BEHIND_BGP, "stor"),
    ],
)
def test_storage_leads_to_arrays_of_other_subnets_by_the_gateway_of_the_tenant(
    storage, tenants, way
):
    fabric = converged(storage=storage)
    rows = planned(fabric, 0, tenants)["networks"]
    led = {row["name"]: (row["gateway"], row["routes"]) for row in rows if "gateway" in row}
    route = {"to": "10.216.0.0/13", "metric": 512}
    assert led == ({way: ("10.216.14.1", [route])} if way else {})
    assert not [row for row in planned(fabric, 4, tenants)["networks"] if "gateway" in row]
    assert networks_from(rows).virtual


@pytest.mark.parametrize(
    ("storage", "card", "ports"),
    [
        ({}, "", []),
        ({"roce": True}, "0000:02:00.0", ["stor1", "stor2"]),
        ({"roce": True, "node_ports": 0, "pci": []}, "0000:01:00.0", ["front1", "front2"]),
    ],
)
def test_what_carries_storage_has_the_class_of_roce_where_it_is_stated(storage, card, ports):
    wanted = planned(converged(storage=storage))
    rail, others = wanted["nics"][0], wanted["storage_nics"]
    assert len(wanted["nics"]) == 2
    assert [port["netdev"] for one in others for port in one["ports"]] == ports
    for one in others:
        assert (one["pci"], "firmware" in one, "roce" in one) == (card, False, False)
        assert one["qos"] == {key: rail["qos"][key] for key in ("trust", "pfc")}
    typed_nics = nics_from([*wanted["nics"], *others])
    assert [port.speed for nic in typed_nics[2:] for port in nic.ports] == [200_000] * len(ports)
    state = host_files.state({**wanted, "agent": "1"}, {**CHOICES, "algorithm": False})
    assert [nic["pci"] for nic in state["nics"]] == [nic.pci for nic in typed_nics]


CHOICES = {"watch": "report", "tolerate_conflicts": False, "timeout": 60}
