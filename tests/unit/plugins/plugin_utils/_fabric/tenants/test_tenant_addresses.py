# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An address of a tenant leads to its network, VLAN, L2VNI and VRF, and to the leaves that have it."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    tenant_addresses,
    vrfs,
)

from .converged_lab import laboratory

TEXT = """\
tenants:
  - id: 21
    slug: acme
    nodes: [su01/h01]
    networks: [east-west, front-end, storage]
    storage: {vips: [10.216.14.9]}
    external_peers:
      - {name: isp-a, link: isp-a, address: 192.0.2.0/31, peer_address: 192.0.2.1, asn: 64496}
      - {name: isp-b, link: isp-b, address: "198.51.100.1/24", peer_address: "198.51.100.2", asn: 64497, tagged: false}
  - {id: 22, slug: globex, nodes: [su01/h02], networks: [east-west, front-end]}
  - {id: 23, slug: initech, networks: [east-west, front-end, storage]}
provisioning_peers:
  - {name: images, link: isp-a, asn: 64500}
"""


@pytest.fixture
def said(lab, registry):
    """Return a function from an address to the sentences about it."""

    def _said(address, text=TEXT, **more):
        fabric = laboratory(**more)
        found = tenant_addresses.places(fabric, registry(text, fabric), address)
        return [tenant_addresses.sentence(place) for place in found]

    return _said


FRONT = "in the subnet 10.208.14.0/23 of acme on front-end (VLAN 21, L2VNI 4300021, VRF t21-acme, L3VNI 4100021)"
STORED = "in the subnet 10.216.14.0/23 of acme on storage (VLAN 2021, L2VNI 4400021, VRF s21-acme, L3VNI 4200021)"
FRONTS = "on front-end-leaf-001-1, front-end-leaf-001-2"
SESSION = "of the session isp-a of acme on front-end (VLAN 3021, VRF t21-acme, L3VNI 4100021, AS 64496), on border-leaf"
PLAIN = "of the session isp-b of acme on front-end (VRF t21-acme, L3VNI 4100021, AS 64497), on border-leaf"
SAID = {
    "10.208.14.1": f"the gateway {FRONT}, {FRONTS}",
    "10.208.15.254": f"the own address of front-end-leaf-001-1 {FRONT}, {FRONTS}",
    "10.208.15.252": f"the own address of front-end-leaf-001-2 {FRONT}, {FRONTS}",
    "10.208.14.77": f"an address {FRONT}, {FRONTS}",
    "10.216.15.253": f"the own address of storage-leaf-001-1 {STORED}, on storage-leaf-001-1, storage-leaf-001-2",
    "10.216.14.9": f"an address of the storage arrays at nfs-1, vast-1, {STORED}, behind storage-leaf-001-1 swp1s0, "
    "storage-leaf-001-1 swp1s1, storage-leaf-001-1 swp1s2, storage-leaf-001-2 swp1s0, storage-leaf-001-2 swp1s1, "
    "storage-leaf-001-2 swp1s2",
    "192.0.2.0": f"the leaf end {SESSION}-01-1 port swp1s0.3021, link isp-a <-> 192.0.2.1",
    "192.0.2.1": f"the far end {SESSION}-01-1 port swp1s0.3021, link isp-a <-> 192.0.2.0",
    "198.51.100.2": f"the far end {PLAIN}-01-2 port swp1s0, link isp-b <-> 198.51.100.1",
}


@pytest.mark.parametrize("address", SAID)
def test_an_address_of_a_tenant(said, address):
    assert said(address) == [f"lab-converged: {address} is {SAID[address]}"]


def test_a_subnet_without_nodes_is_on_no_leaf(said):
    (line,) = said("10.208.18.1")
    assert "of initech on front-end" in line
    assert line.endswith(", on no leaf, as it has no node there")


def test_an_array_brings_the_vlan_of_a_tenant_without_nodes(said):
    (line,) = said("10.216.18.1")
    assert "the gateway in the subnet 10.216.18.0/23 of initech on storage" in line
    assert line.endswith(", on storage-leaf-001-1, storage-leaf-001-2")


def test_a_core_has_the_sessions_and_subnets_of_all_networks(said):
    (gateway,), (session,) = said("10.216.14.1", core=True), said("192.0.2.1", core=True)
    assert gateway.endswith(", on converged-core-1, converged-core-2")
    assert "on converged-core-1 port swp1s0.3021" in session


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("10.208.200.7", "is in 10.208.0.0/13, the subnets of tenants on front-end in fabric lab"),
        ("192.0.2.9", "belongs to no place and no tenant of fabric lab-converged, whose pools are"),
        ("198.51.100.9", "belongs to no place and no tenant of fabric lab-converged"),
    ],
)
def test_what_is_nobodys_is_refused(said, address, sentence):
    with pytest.raises(NotInFabric, match=f"{address} {sentence}"):
        said(address)


def test_a_routed_network_has_no_subnet(said):
    """A subnet follows from the id, and no port is in it where nodes have links of their own."""
    with pytest.raises(NotInFabric, match="no tenant has that one"):
        said("10.208.14.1", front_end={"attachment": "routed"})


CASES = {
    "bonds": {},
    "a core": {"core": True},
    "storage on the front-end bond": {"storage": {"node_ports": 0, "pci": []}},
    "shared storage": {"storage": {"mode": "shared"}},
    "routed storage": {"storage": {"attachment": "routed"}},
}


@pytest.mark.parametrize("case", CASES)
def test_the_leaves_are_those_that_have_the_vlan(lab, registry, case):
    """Check that the report of every gateway has the source of the leaves' documents."""
    fabric = laboratory(**CASES[case])
    found, having = registry(TEXT, fabric), {}
    for switch in fabric.converged.switches():
        for row in vrfs.of_leaf(fabric, found, switch):
            for segment in row["segments"]:
                at = having.setdefault((row["slug"], segment["gateway"]), [])
                at.append(fabric.name(switch))
    assert having
    for (slug, gateway), leaves in having.items():
        (place,) = tenant_addresses.places(fabric, found, gateway)
        assert (place["kind"], place["tenant"]) == ("subnet_gateway", slug)
        assert place["leaves"] == sorted(leaves)
