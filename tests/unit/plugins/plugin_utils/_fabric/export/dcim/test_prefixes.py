# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The prefixes that the plan wants in a DCIM."""

from __future__ import annotations

import ipaddress

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.context import (
    Names,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.export.exported import (
    TINY,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

from .wishes import NAMES, fabric_of, things


@pytest.mark.parametrize("name", NAMES)
def test_every_address_is_in_a_prefix_of_its_vrf(name):
    """An address of a link in the prefix of the link, any other in a pool, a subnet or a prefix of its own."""
    made = things(fabric_of(name))
    prefixes = {(x.values["vrf"], x.values["prefix"]) for x in made if x.kind == "prefix"}
    wide = [ipaddress.ip_network(text) for vrf, text in prefixes if not vrf]
    for thing in made:
        if thing.kind != "address":
            continue
        own = ipaddress.ip_interface(thing.values["address"])
        if thing.values["vrf"]:
            assert (thing.values["vrf"], str(own.network)) in prefixes
        else:
            assert any(own.ip in network for network in wide), thing


@pytest.mark.parametrize("name", NAMES)
def test_pools_are_containers_and_come_first(name):
    fabric = fabric_of(name)
    made = [x for x in things(fabric) if x.kind == "prefix"]
    containers = [x for x in made if x.values["container"]]
    assert made[: len(containers)] == containers
    published = {x.values["prefix"] for x in containers}
    blocks = {name: layout.base for name, layout in fabric.addresses.layouts.items()}
    reserve = {blocks[name] for name in ("dpu", "storage", "services") if name in blocks}
    assert {*blocks.values()} - published <= reserve
    assert blocks["dpu"] not in published, "no device has an address of it"
    assert (blocks["storage"] in published) == bool(fabric.addresses.routed_ports)
    assert (blocks["services"] in published) == bool(fabric.description.networks)
    assert {x.values["vrf"] for x in containers} == {""}


def test_management_addresses_of_the_site_have_a_subnet(load, tmp_path):
    """Also one that is alone and in no pool: Nautobot refuses an address without a parent."""
    rows = ["place,management", "su01/h01,192.0.2.7/26", "leaf-p1-su001-r1,198.51.100.9"]
    (tmp_path / "devices.csv").write_text("\n".join(rows))
    made = things(load("lab", devices="devices.csv"))
    found = {x.values["prefix"]: x.values for x in made if x.kind == "prefix"}
    assert found["192.0.2.0/26"]["container"] is False
    assert found["198.51.100.9/32"]["container"] is False
    assert (found["192.0.2.0/26"]["dhcp"], found["198.51.100.9/32"]["dhcp"]) == (True, False)


@pytest.mark.parametrize(
    "name, length", [("lab", "31"), ("v6", "64"), ("numbered", "31"), ("hwplb", "31")]
)
def test_links_have_a_prefix_each(name, length):
    links = [
        x for x in things(fabric_of(name))
        if x.kind == "prefix" and not x.values["container"] and x.values["vrf"]
    ]  # fmt: skip
    assert {x.values["prefix"].rpartition("/")[2] for x in links} == {length}


def test_links_of_ipv6_may_be_of_two_addresses():
    six = build(**TINY, addressing={"profile": "nvidia-guide-v6", "p2p127": True})
    links = [x for x in things(six) if x.kind == "prefix" and x.values["vrf"]]
    assert {x.values["prefix"].rpartition("/")[2] for x in links} == {"127"}


def test_a_link_is_in_the_vrf_of_who_holds_its_node():
    text = "tenants:\n  - {id: 21, slug: acme, nodes: [su01/h01]}\n"
    made = [x for x in things(example("lab"), text=text) if x.kind == "prefix"]
    own = [x for x in made if x.values["vrf"] == ("vrf", "lab/t21-acme")]
    assert {x.key.split("/")[1] for x in own} == {"worker-su01-rack01-h01"}
    assert {x.values["tenant"].key for x in own} == {"lab/acme"}


def test_dhcp_serves_management_subnets_alone():
    made = [x for x in things(example("lab")) if x.kind == "prefix"]
    assert {x.key.split("/")[1] for x in made if x.values["dhcp"]} == {"subnet"}
    assert {x.values["dhcp"] for x in made if "/subnet/" not in x.key} == {False}


def test_a_site_may_leave_vrfs_to_the_interfaces():
    text = "tenants:\n  - {id: 21, slug: acme, nodes: [su01/h01]}\n"
    made = things(example("lab"), text=text, names=Names(link_vrfs=False))
    links = [x for x in made if x.kind == "prefix" and x.values["tenant"]]
    assert links
    assert {x.values["vrf"] for x in made if x.kind == "prefix"} == {""}
    assert any(x.values["vrf"] for x in made if x.kind == "interface")
