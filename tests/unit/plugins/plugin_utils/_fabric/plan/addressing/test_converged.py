# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of the converged fabric, and the way back from each."""

from __future__ import annotations

import ipaddress

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import (
    asn,
    codec,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Switch,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    NETWORKS,
    build,
    example,
)

from ...tenants.converged_lab import laboratory

FRONT = Switch("front_end_leaf", 0, 1, 1)


def test_the_numbers_of_one_leaf():
    """front-end-leaf-002-2: role code 2, ordinal 3."""
    fabric = example("b300-1024-converged")
    made = fabric.slice(FRONT)
    assert made["asn"] == 4_242_000_003
    assert (made["loopback"], made["vtep"]) == ("10.200.128.3", "10.202.128.3")
    assert made["management"] == "10.204.128.4/18"
    assert made["management_gateway"] == "10.204.191.254"
    assert "vtep" not in fabric.slice(Switch("converged_spine", 0, 0, 0))


def test_a_core_has_numbers_of_its_own():
    """Role code 4, where no leaf or spine of another fabric has any."""
    made = laboratory(core=True).slice(Switch("converged_core", 0, 0, 1))
    assert (made["name"], made["asn"]) == ("converged-core-2", 4_244_000_001)
    assert (made["loopback"], made["vtep"]) == ("10.201.0.1", "10.203.0.1")
    assert made["management"] == "10.205.0.2/18"


FABRICS = {
    "lab": lambda: example("lab-converged"),
    "b300-1024": lambda: example("b300-1024-converged"),
    "core": lambda: laboratory(core=True),
}


@pytest.mark.parametrize("name", FABRICS)
def test_every_address_and_asn_leads_back(name):
    fabric = FABRICS[name]()
    plan, seen = fabric.addresses, set()
    for switch in fabric.converged.switches():
        kinds = {"loopback": plan.loopback(switch), "switch_oob": plan.management(switch)[0]}
        if switch.role != "converged_spine":
            kinds["vtep"] = plan.vtep(switch)
            assert plan.converged.with_asn(plan.asn(switch)) == switch
        for kind, address in kinds.items():
            (found,) = plan.find(address, 4)
            assert (found.kind, found.device) == (kind, switch)
            assert address not in seen
            seen.add(address)


def test_every_address_of_the_block_that_leads_somewhere_is_that_switchs():
    fabric = example("lab-converged")
    block = ipaddress.ip_network(fabric.addresses.pools["converged"].base)
    for offset in range(0, block.num_addresses, 97):
        address = int(block.network_address) + offset
        for found in fabric.addresses.computed(address, 4):
            number = fabric.addresses.management(found.device)[0]
            ask = {"loopback": fabric.addresses.loopback, "vtep": fabric.addresses.vtep}
            assert address == (ask[found.kind](found.device) if found.kind in ask else number)


def test_spines_share_an_asn_and_no_asn_is_one_of_the_east_west_fabric():
    fabric = example("b300-1024-converged")
    own = [fabric.addresses.asn(switch) for switch in fabric.converged.switches()]
    assert own.count(4_240_000_000) == 8
    assert not {fabric.addresses.asn(switch) for switch in fabric.east_west()} & set(own)
    assert all(fabric.addresses.leaf_with(number) is None for number in own)
    assert all(fabric.addresses.tier_with(number) is None for number in own)


@pytest.mark.parametrize("site", [0, 6])
@pytest.mark.parametrize("role", asn.CONVERGED)
def test_asns_lead_back_at_every_site(site, role):
    index = 0 if role == "converged_spine" else 999
    number = asn.converged(role, site=site, index=index)
    assert asn.converged_of(number, site=site) == (role, index)
    assert asn.converged_of(number, site=site + 1) is None
    assert asn.converged_of(number + 1, site=site) is None


def test_a_second_site_states_its_own_block():
    pools = {"loopback": "10.224.0.0/13", "vtep": "10.232.0.0/13"}
    with pytest.raises(FabricError, match=r"state addressing.pools.converged"):
        build(site=1, networks=NETWORKS, addressing={"pools": pools})
    assert build(site=1, addressing={"pools": pools}).converged is None


def test_a_profile_without_a_free_block_asks_for_one():
    addressing = {"profile": "nvidia-guide-v4-3tier"}
    with pytest.raises(
        FabricError, match=r"pools.converged: .* state a /13 .* such as 100.64.0.0/13"
    ):
        build(networks=NETWORKS, addressing=addressing)
    apart = {"subnets": {"prefix": "100.80.0.0/13"}}
    networks = {**NETWORKS, "front_end": {**NETWORKS["front_end"], **apart}}
    networks["storage"] = {**NETWORKS["storage"], "subnets": {"prefix": "100.72.0.0/13"}}
    addressing["pools"] = {"converged": "100.64.0.0/13"}
    fabric = build(networks=networks, addressing=addressing)
    assert codec.text(fabric.addresses.loopback(FRONT), 4) == "100.64.128.3"


SUBNETS = [
    (
        {"prefix": "10.128.0.0/14"},
        "10.128.0.0/14 overlaps 10.128.0.0/13 of addressing.pools.loopback",
    ),
    ({"prefix": "10.216.0.0/13"}, "overlaps 10.216.0.0/13 of networks.front_end.subnets.prefix"),
    ({"prefix": "224.0.0.0/13"}, "overlaps 224.0.0.0/3 (multicast and reserved)"),
    (
        {"prefix": "10.208.0.0/24"},
        "10.208.0.0/24 is longer than a subnet (/23): use a shorter prefix",
    ),
]


@pytest.mark.parametrize("subnets, sentence", SUBNETS)
def test_subnets_overlap_nothing_else(subnets, sentence):
    front = {**NETWORKS["front_end"], "subnets": subnets}
    with pytest.raises(FabricError) as caught:
        build(networks={**NETWORKS, "front_end": front})
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("prefix", "met"),
    [
        ("10.0.0.0/8", "of the host links"),
        ("0.0.0.0/8", "0.0.0.0/8 (this network)"),
        ("10.176.0.0/24", "10.176.0.0/12 of addressing.pools.host_oob"),
        ("10.208.0.0/24", "10.208.0.0/13 of networks.front_end.subnets"),
        ("169.254.0.0/24", "169.254.0.0/16 (link local)"),
    ],
)
def test_a_node_in_quarantine_reaches_servers_and_nothing_of_the_fabric(prefix, met):
    serving = {"servers": ["192.0.2.10/32", prefix], "dhcp": ["192.0.2.10"]}
    front = {**NETWORKS["front_end"], "provisioning": serving}
    with pytest.raises(FabricError) as caught:
        build(networks={**NETWORKS, "front_end": front})
    (said,) = caught.value.sentences
    assert "networks.front_end.provisioning.servers[1]: " in said
    assert f"{met}, so nodes in quarantine would reach that too" in said


@pytest.mark.parametrize(
    ("servers", "arrays", "words"),
    [
        (
            ["24.0.0.0/6"],
            [],
            "servers[0]: 24.0.0.0/6 is shorter than /8, and nodes in quarantine would reach all",
        ),
        (
            ["192.0.2.0/24"],
            ["192.0.0.0/16"],
            "array_prefixes[0]: 192.0.0.0/16 overlaps 192.0.2.0/24 of networks.front",
        ),
    ],
)
def test_prefixes_of_servers_are_their_own(servers, arrays, words):
    front = {**NETWORKS["front_end"], "provisioning": {"servers": servers}}
    storage = {**NETWORKS["storage"], "array_prefixes": arrays}
    with pytest.raises(FabricError) as caught:
        build(networks={**NETWORKS, "front_end": front, "storage": storage})
    (said,) = caught.value.sentences
    assert words in said


def test_a_routed_port_is_found_by_both_of_its_addresses():
    front = {**NETWORKS["front_end"], "attachment": "routed"}
    fabric = build(networks={**NETWORKS, "front_end": front})
    for node in list(fabric.nodes())[:200:7]:
        for port in fabric.converged.node_ports():
            low, high, length = fabric.addresses.ends(node, port)
            assert bool(low) == (port.network == "front-end")
            for side, text in enumerate((low, high) if low else ()):
                (found,) = fabric.addresses.find(codec.number(text)[0], 4)
                assert found[:4] == ("front_end_link", node, port, side)
                assert length == 31
