# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks of addresses: disjoint in every shipped profile, large enough, of the right family."""

from __future__ import annotations

import dataclasses
import ipaddress
import itertools

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import (
    pools,
    profiles,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    TWO_PLANES,
    build,
)

CATALOG = table("profiles")
COMPUTED = [name for name in profiles.names() if name not in ("custom", "table")]
THREE_TIERS = {"tiers": 3, "capacity": {"pods": 4, "sus_per_pod": 4}}


@pytest.mark.parametrize("profile", COMPUTED)
@pytest.mark.parametrize("links", ["numbered-31", "numbered-127"])
@pytest.mark.parametrize("planes", [{}, TWO_PLANES])
def test_every_pair_of_pools_is_disjoint(profile, links, planes):
    """Host links and every block that a fabric of this profile may use."""
    tiers = {} if 2 in CATALOG["profiles"][profile]["tiers"] else THREE_TIERS
    fabric = build(**tiers, planes=planes, addressing={"profile": profile, "inter_switch": links})
    prefixes = {name: layout.base for name, layout in fabric.addresses.pools.items()}
    prefixes["host links"] = fabric.addresses.links.base
    assert len(prefixes) == 9
    for (one, a), (two, b) in itertools.combinations(prefixes.items(), 2):
        a, b = ipaddress.ip_network(a), ipaddress.ip_network(b)
        assert a.version != b.version or not a.overlaps(b), (one, two)


def test_every_layout_of_every_profile_is_tested():
    """The catalog's bases, whatever the description: none overlaps a block of its own set."""
    for profile in CATALOG["profiles"].values():
        blocks = [*CATALOG["infrastructure"][profile["infrastructure"]]["pools"].values()]
        blocks += [CATALOG["inter_switch_v6"], CATALOG["storage_v6"]]
        for layout in profile["layouts"]:
            base = ipaddress.ip_network(layout["base"])
            for block in blocks:
                other = ipaddress.ip_network(block["prefix"] or "255.255.255.255")
                assert base.version != other.version or not base.overlaps(other)


BLOCKS = {
    "A": {
        "loopback": "10.128.0.0/13",
        "vtep": "10.136.0.0/13",
        "dpu": "10.144.0.0/12",
        "storage": "10.160.0.0/12",
        "host_oob": "10.176.0.0/12",
        "switch_oob": "10.192.0.0/13",
        "converged": "10.200.0.0/13",
        "services": "10.208.0.0/12",
        "inter_switch": "100.64.0.0/10",
    },
    "B": {
        "loopback": "172.16.0.0/16",
        "vtep": "172.18.0.0/16",
        "switch_oob": "172.19.0.0/16",
        "converged": None,
        "host_oob": "172.20.0.0/14",
        "storage": "172.24.0.0/14",
        "dpu": "172.28.0.0/14",
        "services": "192.168.0.0/16",
        "inter_switch": "100.64.0.0/10",
    },
}


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_are_those_of_the_documentation(name):
    rows = CATALOG["infrastructure"][name]["pools"]
    assert {pool: row["prefix"] for pool, row in rows.items()} == BLOCKS[name]


REFUSED = [
    (
        {"addressing": {"pools": {"loopback": "10.136.0.0/13"}}},
        "addressing.pools.vtep: 10.136.0.0/13 overlaps 10.136.0.0/13 of addressing.pools.loopback",
    ),
    (
        {"addressing": {"pools": {"services": "10.0.0.0/16"}}},
        "addressing.pools.services: 10.0.0.0/16 overlaps 10.0.0.0/9 of the host links",
    ),
    ({"addressing": {"pools": {"vtep": "10.136.0.0/30"}}}, "bits, and 10.136.0.0/30 has 2"),
    ({"addressing": {"pools": {"vtep": "169.254.0.0/13"}}}, "is not a prefix"),
    ({"addressing": {"pools": {"vtep": "224.0.0.0/13"}}}, "overlaps 224.0.0.0/3 (multicast"),
    ({"addressing": {"pools": {"vtep": "fd05::/64"}}}, "fd05::/64 is not an IPv4 prefix"),
    ({"addressing": {"pools": {"vteps": "10.136.0.0/13"}}}, "did you mean 'vtep'"),
    (
        {"addressing": {"inter_switch": "numbered-127", "pools": {"inter_switch": "10.9.0.0/16"}}},
        "10.9.0.0/16 is not an IPv6 prefix",
    ),
    (
        {
            "tiers": 3,
            "capacity": {"pods": 16, "sus_per_pod": 32, "slots_per_su": 32},
            "switches": {"usable_ports": 64},
            "rails": 1,
            "addressing": {"profile": "nvidia-guide-v4-3tier"},
        },
        "16 pods of 32 SUs need 9 bits, and the infrastructure blocks of",
    ),
    (
        {"addressing": {"profile": "nvidia-guide-v4-2tier", "first_octet": 127}},
        "overlaps 127.0.0.0/8 (loopback)",
    ),
]


@pytest.mark.parametrize("changes, text", REFUSED)
def test_refused(changes, text):
    with pytest.raises(FabricError) as caught:
        build(**changes)
    assert text in str(caught.value)


def test_an_unnumbered_fabric_reserves_no_block_for_links():
    fabric = build(addressing={"profile": "dense-v4", "base": "100.64.0.0/10"})
    assert "inter_switch" not in fabric.addresses.pools


@pytest.mark.parametrize("profile, most", [("octet-v4", 16_381), ("nvidia-guide-v4-3tier", 4093)])
def test_as_many_switches_as_out_of_band_numbers(profile, most):
    """The subnet's first, gateway and broadcast addresses are nobody's."""
    fabric = build(addressing={"profile": profile})

    def complaints(leaves):
        clos = dataclasses.replace(fabric.clos, sus=leaves, leaves_per_su=1)
        return pools._unfit(clos, fabric.addresses.pools)

    assert not [text for text in complaints(most) if "switch_oob" in text]
    assert [text for text in complaints(most + 1) if "switch_oob" in text]


def test_a_suggested_prefix_is_private_and_free():
    """Check that a suggestion of a refusal is of the length, and overlaps nothing that is taken."""
    taken = ["10.0.0.0/9", "10.128.0.0/12", "172.16.0.0/12"]
    first = next(pools.free(13, taken))
    assert first == "10.144.0.0/13"
    assert list(pools.free(8, taken)) == []
    assert next(pools.free(10, ["10.0.0.0/8"])) == "100.64.0.0/10"


def test_a_suggested_prefix_is_accepted():
    """The sentence's own remedy, taken by its word, gives a fabric that loads."""
    with pytest.raises(FabricError, match=r"overlaps .* such as ") as refused:
        build(addressing={"pools": {"vtep": "10.128.0.0/13"}})
    prefix = str(refused.value).rpartition("such as ")[2].rstrip(".")
    fabric = build(addressing={"pools": {"vtep": prefix}})
    assert fabric.addresses.pools["vtep"].base == prefix


def test_ipv6_links_of_nodes_have_a_block_with_the_site():
    """Two sites have no link in common, and a node has a /64 of its own."""
    routed = {"front_end": {"host_speed": "200G", "attachment": "routed"}}
    stated = {"profile": "octet-v4", "routed_ports": "numbered-127"}
    pools = {"loopback": "100.64.0.0/13", "vtep": "100.72.0.0/13", "converged": "100.80.0.0/13"}
    fabrics = [
        build(networks=routed, addressing=stated, site=0),
        build(networks=routed, addressing={**stated, "pools": pools}, site=6),
    ]
    made = [
        fabric.addresses.in_pool("storage", Node(0, 2, 31), index=2, side=0) for fabric in fabrics
    ]
    texts = [str(ipaddress.ip_address(address)) for address in made]
    assert texts == ["fd04:0:2:1f::4", "fd04:600:2:1f::4"]
    assert fabrics[0].addresses.computed(made[1], 6) == []


OWN = {
    "loopback": "192.168.0.0/24",
    "vtep": "192.168.1.0/24",
    "switch_oob": "192.168.2.0/24",
    "converged": "192.168.4.0/22",
    "host_oob": "192.168.16.0/20",
}


def test_a_longer_block_is_as_wide_as_the_capacity_and_each_address_leads_back():
    """All others keep the profile's width, and so does a block of that length at another place."""
    data = yaml.safe_load((INVENTORIES / "lab-converged" / "model" / "fabric.yml").read_text())
    plain = build(**data)
    data["addressing"]["pools"] = {**OWN, "dpu": "10.32.0.0/12"}
    fabric = build(**data)
    seen = set()
    for device in fabric.devices():
        made, name = fabric.slice(device), fabric.name(device)
        texts = {made.get(key) for key in ("loopback", "vtep")} - {None}
        texts.add(made["management"].partition("/")[0])
        for text in texts:
            assert any(ipaddress.ip_address(text) in ipaddress.ip_network(p) for p in OWN.values())
            assert name in [place["device"] for place in fabric.locate(text)]
        assert seen.isdisjoint(texts)
        seen |= texts
    widths = [
        [field.width for field in one.addresses.pools["dpu"].fields] for one in (plain, fabric)
    ]
    assert widths[0] == widths[1]


def test_a_block_that_is_too_small_names_the_length_that_fits():
    with pytest.raises(FabricError) as refused:
        build(addressing={"pools": {"loopback": "192.168.0.0/30"}})
    assert "use a /2" in str(refused.value)
