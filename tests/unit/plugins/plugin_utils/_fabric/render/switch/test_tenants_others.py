# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants' part of a converged leaf."""

from __future__ import annotations

import dataclasses
import ipaddress

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import (
    get,
    leaves,
)

from . import converged_fabric as made

LEAVES = (made.FRONT, made.STORAGE, made.BORDER)


def document(load, switch, **more):
    return compose.render(made.context(load, switch, **more), ["tenants"])


def by_role(switch):
    return switch.role


def test_a_vrf_of_a_tenant(load):
    """Its L3VNI on a stated VLAN, RD and route targets, connected routes as type 5."""
    assert document(load, made.FRONT)["vrf"]["t21-acme"] == {
        "evpn": {"state": "enabled", "vni": {"4100021": {}}, "vlan": 4020},
        "router": {
            "bgp": {
                "state": "enabled",
                "rd": "10.200.2.1:21",
                "path-selection": {"multipath": {"aspath-ignore": "enabled"}},
                "address-family": {
                    "ipv4-unicast": {
                        "state": "enabled",
                        "redistribute": {"connected": {"state": "enabled"}},
                        "route-export": {"to-evpn": {"state": "enabled"}},
                    },
                    "l2vpn-evpn": {"state": "enabled"},
                },
                "route-export": {"to-evpn": {"route-target": {"64512:4100021": {}}}},
                "route-import": {"from-evpn": {"route-target": {"64512:4100021": {}}}},
            }
        },
    }


def test_spines_and_unknown_registries_have_no_tenants(load):
    assert document(load, made.SPINE) == {}
    ctx = dataclasses.replace(made.context(load, made.FRONT), networks=None)
    assert compose.render(ctx, ["tenants"]) == {}


def test_a_port_is_up_where_it_is_used_and_built(load):
    doc = document(load, made.STORAGE)["interface"]
    found = {
        name: next(iter(body["link"]["state"]))
        for name, body in doc.items()
        if get(body, ("link", "state"))
    }
    assert found == {"swp1s0": "up", "swp2s0": "down", "swp20s0": "up", "swp21s0": "up"}


def test_a_port_to_the_outside_is_up_where_it_is_cabled(load):
    doc = document(load, made.BORDER)["interface"]
    assert doc["swp9"]["link"]["state"] == {"up": {}}
    assert doc["swp10"]["link"]["state"] == {"down": {}}


def test_a_port_out_of_service_is_down(load):
    row = {"device": "front-end-leaf-001-1", "port": "swp1s0", "reason": "optic"}

    def rest(ctx):
        object.__setattr__(ctx, "resting_ports", frozenset({row["port"]}))
        return ctx

    doc = compose.render(rest(made.context(load, made.FRONT)), ["tenants"])
    assert doc["interface"]["swp1s0"]["link"]["state"] == {"down": {}}


def test_neighbours_in_quarantine_are_apart(load):
    doc = document(load, made.FRONT)
    bound = {"spx-tenant-house-11-4": {"inbound": {}}, "spx-tenant-house-11-6": {"inbound": {}}}
    assert doc["interface"]["bond2"]["acl"] == bound
    assert "acl" not in doc["interface"]["bond1"]
    assert set(bound) <= set(doc["acl"])


@pytest.mark.parametrize("kind, lists", [("quarantine", 2), ("tenant", 0)])
def test_a_routed_port(load, kind, lists):
    row = made.vrf("t21-acme", 21, "front-end", kind=kind, routed=[made.routed_port(0)])
    doc = document(load, made.FRONT, networks=[row], change=made.route)
    assert doc["interface"]["swp1s0"]["vrf"] == "t21-acme"
    assert doc["interface"]["swp1s0"]["ipv4"] == {"address": {"10.160.0.1/31": {}}}
    assert doc["interface"]["swp1s0"]["link"]["state"] == {"up": {}}
    assert len(doc["interface"]["swp1s0"].get("acl", {})) == lists


def test_an_ipv6_port_sends_no_advertisements(load):
    port = {
        "port": "swp1s0",
        "node": "h01",
        "address": "2001:db8::1",
        "peer_address": "2001:db8::",
        "length": 127,
        "present": True,
        "up": True,
    }
    row = made.vrf("t21-acme", 21, "front-end", version=6, routed=[port])
    doc = document(load, made.FRONT, networks=[row])
    assert get(doc, ("interface", "swp1s0", "ipv6", "neighbor-discovery")) == {
        "router-advertisement": {"state": "disabled"}
    }
    families = doc["vrf"]["t21-acme"]["router"]["bgp"]["address-family"]
    assert set(families) == {"ipv6-unicast", "l2vpn-evpn"}


@pytest.mark.parametrize("switch", LEAVES, ids=by_role)
def test_nothing_originates_a_default(load, switch):
    assert "default-route-origination" not in str(document(load, switch))


@pytest.mark.parametrize(
    "switch, change, words",
    [
        (made.FRONT, lambda rows: rows[1].update(l3vlan=rows[0]["l3vlan"]), "share VLAN 4000"),
        (made.FRONT, lambda rows: rows[1]["segments"][0].update(vlan=11), "share VLAN 11"),
        (made.FRONT, lambda rows: rows[1].update(l3vlan=21), "t21-acme and t21-acme would share"),
        (made.BORDER, lambda rows: rows[1]["sessions"][0].update(vlan=3021), "swp9.3021"),
    ],
)
def test_what_two_vrfs_would_share_is_refused(load, switch, change, words):
    rows = made.VRFS[switch.role]()
    change(rows)
    with pytest.raises(FabricError) as caught:
        document(load, switch, networks=rows)
    assert words in str(caught.value)


# Properties that keep tenants apart


def owner_of_prefixes(rows):
    """Map each subnet and announced prefix to its owner."""
    owned = {}
    for row in rows:
        for segment in row["segments"]:
            owned[segment["subnet"]] = row["vrf"]
        for session in row["sessions"]:
            owned.update(dict.fromkeys(session["announce"], row["vrf"]))
    return owned


@pytest.mark.parametrize("switch", LEAVES, ids=by_role)
def test_two_tenants_share_no_vlan_vrf_or_route_target(load, switch):
    rows = made.VRFS[switch.role]()
    doc = document(load, switch, networks=rows)
    targets = [
        target
        for body in doc["vrf"].values()
        for way in (("route-export", "to-evpn"), ("route-import", "from-evpn"))
        for target in set(get(body, ("router", "bgp", *way, "route-target"), {}))
    ]
    assert len(targets) == 2 * len(set(targets))
    l2 = get(doc, ("evpn", "vni"), {})
    exported = [target for body in l2.values() for target in body["route-target"]["export"]]
    assert len(exported) == len(set(exported))
    assert not set(exported) & set(targets)
    vlans = get(doc, ("bridge", "domain", "br_default", "vlan"), {})
    assert len(vlans) == sum(len(row["segments"]) for row in rows)
    l3 = [get(body, ("evpn", "vlan")) for body in doc["vrf"].values() if "evpn" in body]
    assert len(l3) == len(set(l3))
    assert not {str(vlan) for vlan in l3} & set(vlans)
    svis = [row["vrf"] for name, row in doc["interface"].items() if name.startswith("vlan")]
    assert len(svis) == len(set(svis))


@pytest.mark.parametrize("rows", [made.border_vrfs, made.shared_vrfs])
def test_no_list_lets_a_prefix_of_another_tenant_out(load, rows):
    """Outbound lists and maps into EVPN of a VRF permit no prefix that holds, or is in, another owner's."""
    vrfs = rows()
    switch = made.BORDER if rows is made.border_vrfs else made.STORAGE
    owned = owner_of_prefixes(vrfs)
    policy = document(load, switch, networks=vrfs)["router"]["policy"]
    looked_at = 0
    for row in vrfs:
        stem = f"spx-tenant-{row['vrf']}-"
        for name in (f"{stem}out4", f"{stem}evpn4"):
            for rule in get(policy, ("prefix-list", name, "rule"), {}).values():
                ((prefix, body),) = rule["match"].items()
                net = ipaddress.ip_network(prefix)
                if rule["action"] == "deny" or (not net.prefixlen and not body):
                    continue
                looked_at += 1
                for other, owner in owned.items():
                    assert owner == row["vrf"] or not net.overlaps(ipaddress.ip_network(other))
    assert looked_at or rows is made.shared_vrfs


def test_no_spoke_takes_a_prefix_of_another_spoke(load):
    vrfs = made.shared_vrfs()
    owned = owner_of_prefixes(vrfs)
    lists = document(load, made.STORAGE, networks=vrfs)["router"]["policy"]["prefix-list"]
    for row in vrfs[1:]:
        rules = lists[f"spx-tenant-{row['vrf']}-leak"]["rule"].values()
        taken = {prefix for rule in rules for prefix in rule["match"]}
        assert {owned[prefix] for prefix in taken} == {"s4-storage"}


@pytest.mark.parametrize("switch", LEAVES, ids=by_role)
def test_every_name_that_is_used_is_defined(load, switch):
    """Route-maps, prefix lists, access lists, BFD profiles and VRFs."""
    rows = made.shared_vrfs() if switch == made.STORAGE else None
    doc = compose.render(made.context(load, switch, networks=rows))
    policy = doc["router"]["policy"]
    for path, value in leaves(doc):
        if path[-1] == "route-map":
            assert value in policy["route-map"]
        if path[-1] in ("ip-prefix-list", "prefix-list") and isinstance(value, str):
            assert value in policy["prefix-list"]
        if path[-2:] == ("bfd", "profile"):
            assert value in doc["router"]["bfd"]["profile"]
        if path[0] == "interface" and path[2:3] == ("acl",):
            assert path[3] in doc["acl"]
        if path[0] == "interface" and path[2:] == ("vrf",) and value != "mgmt":
            assert value in doc["vrf"]
