# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prefix sets of tenants and services."""

from __future__ import annotations

import ipaddress

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import prefixes

from .converged_lab import laboratory


def test_prefix_sets(lab, registry):
    """One row for each plane and rail; neighbours collapse."""
    found = registry("tenants: [{id: 21, slug: acme, nodes: ['su01/[01-02]']}]")
    assert prefixes.tenant_prefixes(lab, found, "acme") == [
        {"network": "east-west", "plane": 0, "rail": 0, "prefixes": ["172.16.0.0/30"]},
        {"network": "east-west", "plane": 0, "rail": 1, "prefixes": ["172.18.0.0/30"]},
    ]


def test_prefix_sets_of_networks(lab, registry):
    """The storage and front-end networks have blocks of their own."""
    found = registry(
        "tenants: [{id: 21, slug: acme, nodes: [su01/h01], networks: [storage, front-end]}]"
    )
    rows = prefixes.tenant_prefixes(lab, found, "acme")
    assert [row["network"] for row in rows] == ["front-end", "storage"]
    assert rows[0]["prefixes"] != rows[1]["prefixes"]


def both(found):
    """Return the prefixes outside of the rails, by network."""
    return {row["network"]: row["prefixes"] for row in found if row["network"] != "east-west"}


TWO = "tenants: [{id: 21, slug: acme, nodes: [su01/h01, su02/h01], networks: [east-west, front-end, storage]}]"


def test_nodes_on_bonds_have_the_subnets_of_their_tenant(registry):
    fabric = laboratory()
    found = registry(TWO, fabric)
    subnets = {"front-end": ["10.208.14.0/23"], "storage": ["10.216.14.0/23"]}
    assert both(prefixes.tenant_prefixes(fabric, found, "acme")) == subnets


def test_a_node_that_leaves_takes_the_subnets_along_where_it_is_the_last_one(registry):
    """A client list of storage that lost the subnet would lock the nodes out that stay."""
    fabric = laboratory()
    found = registry(TWO, fabric)
    one, other = found.nodes_of("acme")
    stays = prefixes.of_node(fabric, found, one, "acme", without=[one])
    assert both(stays) == {"front-end": [], "storage": []}
    last = prefixes.of_node(fabric, found, one, "acme", without=[one, other])
    assert both(last) == {"front-end": ["10.208.14.0/23"], "storage": ["10.216.14.0/23"]}


def test_routed_nodes_have_their_links(registry):
    routed = {"attachment": "routed"}
    fabric = laboratory(front_end=routed, storage=routed)
    found = registry(TWO, fabric)
    one, _other = found.nodes_of("acme")
    rows = both(prefixes.of_node(fabric, found, one, "acme", without=[one]))
    for network, texts in rows.items():
        ports = [port for port in fabric.converged.node_ports() if port.network == network]
        links = {fabric.addresses.ends(one, port).prefix for port in ports}
        assert {*map(ipaddress.ip_network, texts)} == {
            *ipaddress.collapse_addresses(map(ipaddress.ip_network, links))
        }
        assert texts


def test_prefix_sets_over_ipv6(load, registry):
    """IPv6 profiles collapse likewise."""
    fabric = load(addressing={"profile": "nvidia-guide-v6"})
    found = registry("tenants: [{id: 21, slug: acme, nodes: ['su01/[01-02]']}]", fabric)
    (first, *_others) = prefixes.tenant_prefixes(fabric, found, "acme")
    assert all(ipaddress.ip_network(prefix).version == 6 for prefix in first["prefixes"])
