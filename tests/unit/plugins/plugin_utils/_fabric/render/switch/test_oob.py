# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents of out-of-band switches: NVIDIA's schema takes them, and no device reaches another."""

from __future__ import annotations

import fnmatch
import ipaddress

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    compose,
    oob,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import (
    dialect,
    schema,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.paths import to_text
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import leaves
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    FEW,
    NETWORKS,
    OOB,
    build,
)

RELEASES = ["5.9.0", "5.10.1", "5.11.0", "5.13.1", "5.14.0", "5.15.0", "5.16.1", "5.18.0"]
SWITCHES = ["oob-leaf-001", "oob-leaf-003", "oob-spine-s01"]
SPINE = {**OOB, "dpus": 3, "uplinks": "spine", "spine_model": "SN4600C"}


def fabric(release="5.16.1", oob=SPINE, **changes):
    release = {"ra": "2.1", "cumulus": release}
    return build(capacity=FEW, networks=NETWORKS, oob=oob, release=release, **changes)


@pytest.fixture(scope="module")
def leaf():
    return compose.document(fabric(), "oob-leaf-001")


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", SWITCHES)
def test_nvidias_schema_of_each_release_takes_the_document(name, release):
    ctx = compose.context(fabric(), name)
    object.__setattr__(ctx, "everywhere_since", lambda since: parse(release) >= since)
    spelled = dialect.to_release(compose.render(ctx), parse(release))
    assert schema.deviations(schema.of(parse(release)), spelled) == []


@pytest.mark.parametrize("name", SWITCHES)
def test_each_place_is_owned_by_one_role(name):
    ctx = compose.context(fabric(), name)
    owned = {
        role: compose.owns(ctx, [role]) for role in compose.ROLES if role != "switch_maintenance"
    }
    for path, _value in leaves(compose.render(ctx)):
        text = to_text(path)
        found = [
            role
            for role, globs in owned.items()
            if any(
                fnmatch.fnmatchcase(text, g) or fnmatch.fnmatchcase(text, f"{g}/*") for g in globs
            )
        ]
        assert len(found) == 1, text


def verdict(acl, **packet):
    """The action of a list on a packet, rule by rule: `dest`, `source`, `port`."""
    for _number, rule in sorted(acl["rule"].items(), key=lambda item: int(item[0])):
        match = rule["match"].get("ip", {})
        hits = [
            ipaddress.ip_address(packet[key]) in ipaddress.ip_network(match[word])
            for key, word in (("dest", "dest-ip"), ("source", "source-ip"))
            if match.get(word, "ANY") != "ANY"
        ]
        if "udp" in match:
            hits.append(packet.get("udp") in match["udp"]["dest-port"])
        if all(hits):
            return next(iter(rule["action"]))
    return "permit"


def test_no_device_reaches_another_and_management_reaches_all(leaf):
    """0 of N pairs of devices; N of N from the controllers, by the rules that the ports are bound to."""
    made = fabric()
    bound = {name: row["acl"] for name, row in leaf["interface"].items() if "acl" in row}
    units = [
        unit["address"]
        for switch in made.oob.switches()
        for row in made.slice(switch)["ports"]
        for unit in row.get("units", ())
    ]
    assert len(units) > 100
    for acls in bound.values():
        assert acls[f"{oob.IN}4"] == acls[f"{oob.IN}6"] == {"inbound": {}}
        assert acls[oob.ARP] == acls[f"{oob.OUT}4"] == acls[f"{oob.OUT}6"] == {"outbound": {}}
    inbound, outbound = leaf["acl"][f"{oob.IN}4"], leaf["acl"][f"{oob.OUT}4"]
    for unit in units:
        for port in ("443", "623"):
            assert verdict(inbound, dest=unit, source=units[0], udp=port) == "deny"
        assert verdict(outbound, source=unit, dest=units[0]) == "deny"
        assert verdict(outbound, source="10.250.1.5", dest=unit) == "permit"
    for server in ("10.250.1.5", "10.250.0.77", "10.250.0.10"):
        assert verdict(inbound, dest=server, source=units[0]) == "permit"
    assert verdict(inbound, dest="255.255.255.255", source="0.0.0.0", udp="67") == "permit"
    rogue = {"dest": "255.255.255.255", "source": units[0], "udp": "68"}
    assert verdict(inbound, **rogue) == "deny", "a rogue DHCP server's offer"
    for version in (f"{oob.IN}6", f"{oob.OUT}6"):
        assert verdict(leaf["acl"][version], dest="fe80::2", source="fe80::1") == "deny"
    (arp,) = leaf["acl"][oob.ARP]["rule"].values()
    assert arp == {"match": {"mac": {"protocol": "arp"}}, "action": {"deny": {}}}


def test_an_access_port_is_an_edge_with_limits_and_a_spare_one_is_down(leaf):
    port, spare = leaf["interface"]["swp3"], leaf["interface"]["swp48"]
    assert port["bridge"]["domain"]["br_default"] == {
        "access": 200,
        "stp": {"admin-edge": "enabled", "bpdu-guard": "enabled"},
    }
    assert port["port-security"]["mac-limit"] == 2 + oob.SPARE_MACS, "a BlueField has two"
    assert set(port["storm-control"]) == {"broadcast", "multicast"}
    assert spare == {"type": "swp", "description": "spare", "link": {"state": {"down": {}}}}


def test_the_relay_of_a_leaf_is_the_gateway_of_each_segment(leaf):
    relay = leaf["service"]["dhcp-relay"]["OOB"]
    assert relay["source-ip"] == "giaddress"
    assert relay["agent"]["use-pif-circuit-id"] == {"state": "enabled"}
    vlans = {name for name, row in leaf["interface"].items() if row["type"] == "svi"}
    assert set(relay["downstream-interface"]) == vlans
    assert list(relay["server-group"]["spx-relay"]["upstream-interface"]) == ["swp49", "swp50"]


def test_switches_keep_their_addresses_by_host_routes(leaf):
    made = fabric()
    routes = leaf["vrf"]["OOB"]["router"]["static"]
    rows = [row for row in made.slice("oob-leaf-001")["ports"] if row["peer"]["port"] == "eth0"]
    own = [
        row["units"][0]["address"] for row in rows if not row["peer"]["device"].startswith("oob")
    ]
    assert own
    assert set(routes) == {f"{address}/32" for address in own}
    gateways = set(leaf["interface"]["vlan101"]["ipv4"]["address"])
    assert {made.slice(row["peer"]["device"])["management_gateway"] for row in rows} <= {
        text.partition("/")[0] for text in gateways
    } | {made.slice("oob-leaf-001")["management_gateway"], "10.224.8.65"}
    announced = leaf["router"]["policy"]["prefix-list"][oob.OWN]["rule"].values()
    prefixes = {prefix for rule in announced for prefix in rule["match"]}
    assert not gateways & prefixes, "a subnet that is spread over leaves is nobody's to announce"


def test_the_session_of_an_uplink_is_in_the_vrf(leaf):
    sessions = leaf["vrf"]["OOB"]["router"]["bgp"]["neighbor"]
    assert {name: row["remote-as"] for name, row in sessions.items()} == {
        "swp49": 4_246_000_000,
        "swp50": 4_246_000_000,
    }
    outside = compose.document(fabric(oob=OOB), "oob-leaf-001")
    sessions = outside["vrf"]["OOB"]["router"]["bgp"]["neighbor"].values()
    assert {row["remote-as"] for row in sessions} == {"external"}
    assert "router" not in outside["vrf"].get("default", {})


def test_a_document_that_closes_the_way_in_is_refused():
    rows = [
        {"device": "oob-leaf-002", "port": port, "since": "2026-11-01", "reason": "optics"}
        for port in ("swp49", "swp50")
    ]
    assert compose.document(fabric(out_of_service=rows[:1]), "oob-leaf-002")
    with pytest.raises(
        FabricError, match="swp49 and swp50 are out of service, and over them alone"
    ):
        compose.document(fabric(out_of_service=rows), "oob-leaf-002")


def test_no_tenant_has_a_vrf_there(leaf):
    assert set(leaf["vrf"]) == {"OOB"}
    assert not {"evpn", "nve"} & set(leaf)
