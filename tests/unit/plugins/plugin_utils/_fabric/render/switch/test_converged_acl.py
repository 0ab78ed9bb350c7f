# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access lists of converged leaves."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    compose,
    converged_acl,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import get

from . import converged_fabric as made


def rules(acl, name):
    """(match, action) of each rule of a list, in order."""
    listed = sorted(acl[name]["rule"].items(), key=lambda row: int(row[0]))
    return [(rule["match"]["ip"], next(iter(rule["action"]))) for _number, rule in listed]


DENY = ({"dest-ip": "ANY"}, "deny")


def test_hosts_say_icmp_and_dhcp_to_a_switch(load):
    doc = compose.render(made.context(load, made.STORAGE), ["control_plane_acl"])
    assert rules(doc["acl"], "spx-control") == [
        ({"protocol": "icmp"}, "permit"),
        ({"protocol": "udp", "udp": {"dest-port": {"67": {}}}}, "permit"),
        DENY,
    ]
    assert rules(doc["acl"], "spx-control-v6") == [({"protocol": "icmpv6"}, "permit"), DENY]
    assert set(doc["interface"]) == {"bond1", "bond2", "bond5001", "swp21s0"}
    assert get(doc, ("interface", "bond1", "acl", "spx-control")) == {
        "inbound": {"control-plane": {}}
    }


def test_without_ports_of_hosts_there_is_no_list(load):
    assert converged_acl.control_plane_acl(made.context(load, made.BORDER)) is None


def test_nobody_opens_a_session_to_a_gateway(load):
    """Answers of DHCP servers pass, TCP and UDP to the addresses of the leaf do not."""
    ctx = made.context(load, made.FRONT)
    doc = converged_acl.gateways(ctx, ctx.networks)
    found = rules(doc["acl"], "spx-tenant-gateways-4")
    assert found[0] == (
        {
            "protocol": "udp",
            "udp": {"dest-port": {"67": {}}},
            "source-ip": "10.255.0.10/32",
        },
        "permit",
    )
    denied = {(match["protocol"], match["dest-ip"]) for match, action in found if action == "deny"}
    assert denied == {
        (word, f"{address}/32")
        for word in ("tcp", "udp")
        for address in ("10.208.0.1", "10.208.14.1", "10.208.1.254", "10.208.15.254")
    }
    assert doc["system"]["control-plane"]["acl"] == {"spx-tenant-gateways-4": {"inbound": {}}}


def test_a_node_in_quarantine_reaches_the_provisioning_servers_and_nothing_else(load):
    row = made.quarantine()
    doc = converged_acl.house(row, segment=row["segments"][0])
    assert rules(doc, "spx-tenant-house-11-4") == [
        (
            {
                "protocol": "udp",
                "udp": {"dest-port": {"67": {}}},
                "dest-ip": "255.255.255.255/32",
            },
            "permit",
        ),
        ({"dest-ip": "10.208.0.1/32"}, "permit"),
        ({"dest-ip": "10.255.0.10/32"}, "permit"),
        DENY,
    ]
    assert rules(doc, "spx-tenant-house-11-6") == [DENY]


def test_the_peer_alone_speaks_bgp_to_a_border_leaf():
    lists, bound = converged_acl.outside("swp9.3021", [made.session("acme", 21)])
    into = rules(lists, "spx-tenant-swp9-3021-in4")
    peer = {"source-ip": "192.0.2.43/32"}
    assert into == [
        ({"protocol": "icmp"}, "permit"),
        ({"protocol": "tcp", "tcp": {"dest-port": {"179": {}}}, **peer, "ttl": 255}, "permit"),
        ({"protocol": "tcp", "tcp": {"source-port": {"179": {}}}, **peer, "ttl": 255}, "permit"),
        ({"protocol": "udp", "udp": {"dest-port": {"3784": {}}}, **peer}, "permit"),
        ({"protocol": "udp", "udp": {"dest-port": {"4784": {}}}, **peer}, "permit"),
        DENY,
    ]
    assert bound["spx-tenant-swp9-3021-in4"] == {"inbound": {"control-plane": {}}}


def test_only_sources_of_the_tenant_leave():
    lists, bound = converged_acl.outside("swp9.3021", [made.session("acme", 21)])
    assert rules(lists, "spx-tenant-swp9-3021-out4") == [
        ({"source-ip": "10.208.14.0/23"}, "permit"),
        ({"source-ip": "192.0.2.42/32"}, "permit"),
        DENY,
    ]
    assert rules(lists, "spx-tenant-swp9-3021-out6") == [
        ({"source-ip": "fe80::/10"}, "permit"),
        DENY,
    ]
    assert bound["spx-tenant-swp9-3021-out4"] == {"outbound": {}}


def test_an_unnumbered_peer_is_one_of_the_link():
    bare = {"address": None, "peer_address": None, "ttl_security": None, "bfd": False}
    lists, _bound = converged_acl.outside("swp9", [made.session("acme", 21, **bare)])
    assert rules(lists, "spx-tenant-swp9-in4") == [({"protocol": "icmp"}, "permit"), DENY]
    assert [match.get("source-ip") for match, _action in rules(lists, "spx-tenant-swp9-in6")] == [
        None,
        "fe80::/10",
        "fe80::/10",
        None,
    ]


def test_over_ipv6_the_list_does_not_look_at_the_hop_limit():
    """FRR does; no public page has a match of NVUE for it. The peer alone speaks BGP and BFD all the same."""
    six = {"address": "2001:db8::", "peer_address": "2001:db8::1", "ttl_security": 1}
    lists, _bound = converged_acl.outside("swp9", [made.session("acme", 21, **six)])
    into = [match for match, action in rules(lists, "spx-tenant-swp9-in6") if action == "permit"]
    assert into[0] == {"protocol": "icmpv6"}
    assert {match["source-ip"] for match in into[1:]} == {"2001:db8::1/128"}
    assert not any("ttl" in match for match in into)
    assert rules(lists, "spx-tenant-swp9-in4") == [({"protocol": "icmp"}, "permit"), DENY]


def test_a_node_with_an_ipv6_link_finds_its_gateway_in_quarantine(load):
    """Neighbour discovery goes to link-local and multicast addresses, which nothing routes; IPv4 has none of it."""
    row = made.quarantine() | {"segments": [], "allowed": ["2001:db8:5::/48"]}
    doc = converged_acl.house(row, gateway="fd04::1")
    assert rules(doc, "spx-tenant-house-11-6") == [
        ({"protocol": "icmpv6", "dest-ip": "fe80::/10"}, "permit"),
        ({"protocol": "icmpv6", "dest-ip": "ff02::/16"}, "permit"),
        ({"dest-ip": "fd04::1/128"}, "permit"),
        ({"dest-ip": "2001:db8:5::/48"}, "permit"),
        ({"dest-ip": "ANY"}, "deny"),
    ]
    assert rules(doc, "spx-tenant-house-11-4") == [({"dest-ip": "ANY"}, "deny")]


def test_too_many_hops_and_too_many_prefixes_are_refused():
    with pytest.raises(FabricError) as caught:
        converged_acl.outside("swp9", [made.session("acme", 21, ttl_security=9)])
    assert "ttl_security is 9" in str(caught.value)
    with pytest.raises(FabricError) as caught:
        converged_acl.made("ipv4", [{"dest-ip": "192.0.2.1/32"}] * 6500)
    assert "an access list needs 6500 rules" in str(caught.value)
