# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers, VLANs and subnets of owners on the converged fabric."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    nets,
    owners,
    routes,
    schema,
)

from .converged_lab import laboratory

ACME = "tenants: [{{id: 21, slug: acme, networks: [east-west, front-end, storage]{more}}}]"


@pytest.fixture
def net(lab, registry):
    """Return a function from a slug and network to its numbers."""

    def _net(slug, network, more="", **changes):
        return registry(ACME.format(more=more), laboratory(**changes)).nets[slug, network]

    return _net


@pytest.mark.parametrize(
    "slug, network, vrf, l3vni, l2vni, vlan, subnet, gateway",
    [
        ("acme", "front-end", "t21-acme", 4100021, 4300021, 21, "10.208.14.0/23", "10.208.14.1"),
        ("acme", "storage", "s21-acme", 4200021, 4400021, 2021, "10.216.14.0/23", "10.216.14.1"),
        (
            "quarantine",
            "front-end",
            "t1-quarantine",
            4100001,
            4300001,
            11,
            "10.208.0.0/23",
            "10.208.0.1",
        ),
        ("rest", "front-end", "t2-rest", 4100002, 4300002, 12, "10.208.2.0/23", "10.208.2.1"),
        (
            "quarantine",
            "storage",
            "s1-quarantine",
            4200001,
            4400001,
            13,
            "10.216.0.0/23",
            "10.216.0.1",
        ),
        (
            "storage",
            "storage",
            "s4-storage",
            4200004,
            4400004,
            2004,
            "10.223.252.0/23",
            "10.223.252.1",
        ),
    ],
)
def test_numbers_follow_from_the_id(net, slug, network, vrf, l3vni, l2vni, vlan, subnet, gateway):
    found = net(slug, network)
    assert (found.vrf, found.l3vni, found.l2vni, found.vlan) == (vrf, l3vni, l2vni, vlan)
    assert (found.subnet, found.gateway) == (subnet, gateway)
    assert found.imports == found.exports == (f"64512:{l3vni}",)


def test_a_row_states_vlan_and_subnet(net):
    found = net(
        "acme", "storage", ", storage: {vlan: 77, subnet: 198.18.4.0/24, vips: [198.18.4.9]}"
    )
    assert (found.vlan, found.subnet, found.gateway) == (77, "198.18.4.0/24", "198.18.4.1")
    assert found.vips == ("198.18.4.9",)


def test_the_storage_vrf_of_a_long_slug_is_cut():
    """The id keeps it apart."""
    owner = owners.Owner(2100, "acme-laboratories", "tenant", "blue", 1, 1, (), ())
    assert nets.storage_vrf(owner) == "s2100-acme-labo"


@pytest.mark.parametrize(
    "number, count, index",
    [
        (1, 1024, 0),
        (2, 1024, 1),
        (16, 1024, 2),
        (1024, 1024, 1010),
        (1025, 1024, None),
        (3, 1024, 1023),
        (15, 1024, 1011),
        (1, 2, None),
        (2, 3, 1),
        (3, 3, 2),
        (4, 3, None),
        (16, 8, None),
    ],
)
def test_which_subnet_an_id_has(number, count, index):
    """The house first, services last, tenants between; nobody's is anybody else's."""
    assert nets.index(number, count) == index


@pytest.mark.parametrize("count", [1, 2, 3, 8, 15, 16, 17, 64])
def test_no_two_ids_have_the_same_subnet(count):
    found = [at for number in range(1, 100) if (at := nets.index(number, count)) is not None]
    assert len(set(found)) == len(found)
    assert all(0 <= at < count for at in found)


def test_the_site_is_in_every_vni(load, registry):
    """The largest one of the last site is below 2^24, and meets no route target of a rail."""
    pools = {"loopback": "10.64.0.0/13", "vtep": "10.72.0.0/13"}
    fabric = load(site=6, addressing={"profile": "nvidia-guide-v4-2tier", "pools": pools})
    found = registry("tenants: [{id: 65535, slug: acme, networks: [storage]}]", fabric)
    net = found.nets["acme", "storage"]
    assert (net.l3vni, net.l2vni, found.owner("acme").l3vni) == (10_265_535, 10_465_535, 10_065_535)
    assert found.owner("rest").l3vni == 10_000_002
    assert net.l2vni < 2**24


@pytest.mark.parametrize("site", [0, 6])
def test_no_vrf_of_another_network_is_imported_east_west(load, registry, site):
    """A default from outside, or a route to storage, so never enters an east-west VRF, nor one of another owner."""
    pools = {"loopback": "10.64.0.0/13", "vtep": "10.72.0.0/13", "converged": "10.80.0.0/13"}
    stated = {"profile": "nvidia-guide-v4-2tier", "pools": pools}
    fabric = load("lab-converged", site=site, addressing=stated)
    text = "leaking: true\ntenants:\n" + "".join(
        f"  - {{id: {number}, slug: t{number}, networks: [east-west, front-end, storage], shared: [shared], {more}}}\n"
        for number, more in ((21, ""), (22, "routes: rail"), (999, ""))
    )
    found = registry(text, fabric)
    rails = range(fabric.clos.rails)
    east = {rt for owner in found.owners.values() for rt in owner.imported(rails)}
    east |= {rt for owner in found.owners.values() for rt in routes.leaks(found, owner)}
    beyond = [rt for net in found.nets.values() for rt in net.exports]
    assert east
    assert not east & set(beyond)
    assert len(beyond) == len(set(beyond)), "each VRF has a target of its own"
    assert all(net.imports == net.exports for net in found.nets.values())


def test_without_the_block_there_is_neither_subnet_nor_network(lab, registry):
    found = registry(ACME.format(more=""), lab).nets["acme", "storage"]
    assert (found.subnet, found.gateway, found.vlan) == ("", "", 2021)


def test_the_vrf_of_each_network_as_data(lab, registry):
    fabric = laboratory()
    found = registry(ACME.format(more=", l3vni: 7"), fabric)
    rows = nets.as_data(found.tenant("acme"), found.owner("acme"), fabric.description)
    assert [(row["network"], row["vrf"], row["l3vni"]) for row in rows] == [
        ("east-west", "t21-acme", 7),
        ("front-end", "t21-acme", 4100021),
        ("storage", "s21-acme", 4200021),
    ]


def test_a_subinterface_follows_from_the_id_up_to_999(net):
    owner = net("acme", "front-end").owner
    peer = schema.ExternalPeer(name="a", link="b", asn=1)
    assert nets.subinterface(owner, peer) == 3021
    assert nets.subinterface(owner, peer.model_copy(update={"vlan": 55})) == 55
    assert nets.subinterface(owner, peer.model_copy(update={"tagged": False})) is None


def test_a_session_is_on_a_port_or_on_its_subinterface():
    assert nets.interface("swp9", None) == "swp9"
    assert nets.interface("swp9", 3021) == "swp9.3021"
