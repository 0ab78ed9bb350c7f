# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions of tenants with the outside."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    converged_external,
)

from . import converged_fabric as made


def with_session(**more):
    return made.vrf("t21-acme", 21, "front-end", sessions=[made.session("acme", 21, **more)])


def rules(listed):
    """(action, prefix, longest part) of each rule of a prefix list."""
    found = []
    for _number, rule in sorted(listed["rule"].items(), key=lambda row: int(row[0])):
        ((prefix, body),) = rule["match"].items()
        found.append((rule["action"], prefix, body.get("max-prefix-len")))
    return found


def neighbor(load, row, **more):
    ctx = made.context(load, made.BORDER, networks=[row], **more)
    ((name, body),) = converged_external.neighbors(ctx, row).items()
    return name, body


def test_a_subinterface_in_the_tenants_vrf(load):
    ctx = made.context(load, made.BORDER)
    doc = converged_external.external(ctx, ctx.networks)
    acl = doc["interface"]["swp9.3021"].pop("acl")
    assert doc["interface"]["swp9.3021"] == {
        "type": "sub",
        "base-interface": "swp9",
        "vlan": 3021,
        "vrf": "t21-acme",
        "description": "t21-acme isp-a",
        "ipv4": {"address": {"192.0.2.42/31": {}}},
    }
    assert set(acl) <= set(doc["acl"])
    assert doc["router"]["bfd"]["profile"] == {
        "spx-external": {"detect-multiplier": 3, "min-rx-interval": 300, "min-tx-interval": 300}
    }


def test_a_port_of_nobody_is_in_a_vrf_without_routes(load):
    """The port itself too, while tenants have subinterfaces on it."""
    ctx = made.context(load, made.BORDER)
    doc = converged_external.external(ctx, ctx.networks)
    assert doc["interface"]["swp9"] == {"vrf": "spx-unused"}
    assert doc["interface"]["swp10"] == {"vrf": "spx-unused"}
    assert doc["vrf"] == {"spx-unused": {"table": "auto"}}


def test_a_port_of_one_tenant(load):
    row = with_session(vlan=None)
    doc = converged_external.external(made.context(load, made.BORDER, networks=[row]), [row])
    assert doc["interface"]["swp9"]["vrf"] == "t21-acme"
    assert doc["interface"]["swp9"]["ipv4"] == {"address": {"192.0.2.42/31": {}}}
    assert "type" not in doc["interface"]["swp9"]


def test_a_numbered_session(load):
    name, body = neighbor(load, with_session())
    assert name == "192.0.2.43"
    assert body["type"] == "numbered"
    assert body["remote-as"] == 64496
    assert body["bfd"] == {"profile": "spx-external"}
    assert body["ttl-security"] == {"state": "enabled", "hops": 1}
    assert "password" not in body
    assert "local-as" not in body
    family = body["address-family"]["ipv4-unicast"]
    assert family["policy"] == {
        "inbound": {"prefix-list": "spx-tenant-t21-acme-isp-a-in4"},
        "outbound": {"prefix-list": "spx-tenant-t21-acme-out4"},
    }
    assert family["prefix-limits"]["inbound"] == {
        "maximum": 1000,
        "warning-threshold": 75,
        "reestablish-wait": 60,
    }


def test_an_unnumbered_session(load):
    row = with_session(address=None, peer_address=None)
    name, body = neighbor(load, row)
    assert (name, body["type"]) == ("swp9.3021", "unnumbered")
    assert set(body["address-family"]) == {"ipv4-unicast"}


def test_an_ipv6_session(load):
    six = made.session(
        "acme",
        21,
        address="2001:db8:1::2",
        peer_address="2001:db8:1::3",
        length=127,
        announce=["2001:db8:21::/48"],
    )
    row = made.vrf("t21-acme", 21, "front-end", version=6, sessions=[six])
    name, body = neighbor(load, row)
    assert name == "2001:db8:1::3"
    assert body["address-family"]["ipv4-unicast"] == {"state": "disabled"}
    lists = converged_external.prefix_lists(row)
    assert rules(lists["spx-tenant-t21-acme-isp-a-in6"]) == [
        ("deny", "2001:db8:21::/48", 128),
        ("permit", "::/0", None),
    ]
    assert lists["spx-tenant-t21-acme-out6"]["type"] == "ipv6"


def test_another_own_as_number(load):
    _name, body = neighbor(load, with_session(local_asn=64500))
    assert body["local-as"] == {
        "state": "enabled",
        "asn": 64500,
        "prepend": "disabled",
        "replace": "enabled",
    }
    _name, body = neighbor(load, with_session(local_asn=64500, local_as_added=True))
    assert body["local-as"]["replace"] == "disabled"


def test_a_password_comes_from_the_vault(load):
    row = with_session(password=True)
    _name, body = neighbor(load, row, options={"external_passwords": {"acme/isp-a": "s3cret"}})
    assert body["password"] == "s3cret"
    with pytest.raises(FabricError) as caught:
        neighbor(load, row)
    assert "add the key 'acme/isp-a' from the vault" in str(caught.value)


def test_releases_before_the_wait_have_none(load):
    _name, body = neighbor(load, with_session(), releases=["5.13.0"])
    limits = body["address-family"]["ipv4-unicast"]["prefix-limits"]["inbound"]
    assert limits == {"maximum": 1000, "warning-threshold": 75}


def test_what_is_accepted(load):
    """No own prefix whatever the provider says, the default, the list with its parts."""
    row = with_session(accept=["198.51.100.0/24", "0.0.0.0/0"])
    lists = converged_external.prefix_lists(row)
    assert rules(lists["spx-tenant-t21-acme-isp-a-in4"]) == [
        ("deny", "10.208.14.0/23", 32),
        ("permit", "0.0.0.0/0", None),
        ("permit", "198.51.100.0/24", 32),
        ("permit", "0.0.0.0/0", None),
    ]


def test_what_is_announced():
    """Subnets, and the links that a prefix of routed nodes holds; never the route of a host."""
    row = with_session(announce=["10.208.14.0/23", "10.160.0.0/30"])
    lists = converged_external.prefix_lists(row)
    assert rules(lists["spx-tenant-t21-acme-out4"]) == [
        ("permit", "10.208.14.0/23", 31),
        ("permit", "10.160.0.0/30", 31),
    ]


def test_a_list_without_a_prefix_denies_all():
    row = with_session(accept_default=False, announce=[])
    lists = converged_external.prefix_lists(row)
    assert rules(lists["spx-tenant-t21-acme-isp-a-in4"]) == [("deny", "0.0.0.0/0", 32)]
    assert rules(lists["spx-tenant-t21-acme-out4"]) == [("deny", "0.0.0.0/0", 32)]


def test_what_goes_on_into_evpn():
    """The received default and list, and what is local; the link to the provider is neither."""
    row = with_session(accept=["198.51.100.0/24"])
    policy = converged_external.export_policy(row)
    assert rules(policy["prefix-list"]["spx-tenant-t21-acme-evpn4"]) == [
        ("permit", "0.0.0.0/0", None),
        ("permit", "198.51.100.0/24", 32),
    ]
    assert policy["route-map"]["spx-tenant-t21-acme-evpn"]["rule"] == {
        "10": {
            "action": {"permit": {}},
            "match": {"type": "ipv4", "ip-prefix-list": "spx-tenant-t21-acme-evpn4"},
        },
        "65000": {"action": {"deny": {}}},
    }


def test_without_a_default_none_goes_on():
    row = with_session(accept_default=False)
    policy = converged_external.export_policy(row)
    assert policy["prefix-list"] == {}
    assert policy["route-map"]["spx-tenant-t21-acme-evpn"]["rule"] == {
        "65000": {"action": {"deny": {}}}
    }
