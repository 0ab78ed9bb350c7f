# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tenants on the leaves of the converged fabric."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    attachments,
    capacity_converged,
    converged,
    tenant_addresses,
    vrfs,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

from .converged_lab import laboratory
from .rows import refused

TEXT = """\
tenants:
  - id: 21
    slug: acme
    nodes: [su01/h01]
    networks: [east-west, front-end, storage]
    storage: {vips: [10.216.14.9]}
    external_peers:
      - {name: isp-a, link: isp-a, address: 192.0.2.0/31, peer_address: 192.0.2.1, asn: 64496, password: true}
      - {name: vault, link: isp-b, asn: 64497, network: storage, default: false, prefixes: [10.217.0.0/24]}
  - {id: 22, slug: globex, nodes: [su01/h02], networks: [east-west, front-end]}
  - {id: 23, slug: initech, networks: [east-west, storage]}
rest: [{nodes: [su02/h01]}]
"""


@pytest.fixture
def rows(lab, registry):
    """Return a function from a switch to its VRFs, by name."""

    def _rows(name, text=TEXT, **more):
        fabric = laboratory(**more)
        found = registry(text, fabric)
        return {row["vrf"]: row for row in vrfs.of_leaf(fabric, found, fabric.device(name))}

    return _rows


def test_a_front_end_leaf_has_the_tenants_of_its_nodes(rows):
    """Each node's bond is in the VLAN of its owner; nodes that nobody lists are in quarantine."""
    fabric = laboratory()
    loopback = fabric.slice(fabric.known("front-end-leaf-001-1"))["loopback"]
    found = rows("front-end-leaf-001-1")
    assert list(found) == ["t1-quarantine", "t2-rest", "t21-acme", "t22-globex"]
    assert found["t21-acme"] == {
        "vrf": "t21-acme",
        "id": 21,
        "slug": "acme",
        "kind": "tenant",
        "network": "front-end",
        "version": 4,
        "l3vni": 4100021,
        "l3vlan": found["t21-acme"]["l3vlan"],
        "rd": f"{loopback}:21",
        "imports": ["64512:4100021"],
        "exports": ["64512:4100021"],
        "collapse": False,
        "segments": [
            {
                "vlan": 21,
                "l2vni": 4300021,
                "subnet": "10.208.14.0/23",
                "gateway": "10.208.14.1",
                "mtu": 9166,
                "relay": ["192.0.2.67"],
                "ports": [
                    {"bond": "bond1", "tagged": False, "node": "worker-su01-rack01-h01", "up": True}
                ],
                "isolated": False,
            }
        ],
        "routed": [],
        "sessions": [],
        "allowed": [],
        "leaks": [],
    }


def test_a_core_has_the_tenants_of_all_networks(rows):
    """The session to the provider, the array and the nodes of one tenant meet in its VRFs on one switch."""
    found = rows("converged-core-1", core=True)
    assert list(found) == [
        "t1-quarantine",
        "s1-quarantine",
        "t2-rest",
        "s4-storage",
        "t21-acme",
        "s21-acme",
        "t22-globex",
        "s23-initech",
    ]
    front, storage = found["t21-acme"], found["s21-acme"]
    assert [session["name"] for session in front["sessions"]] == ["isp-a"]
    assert [port["bond"] for port in front["segments"][0]["ports"]] == ["bond1"]
    assert [port["bond"] for port in storage["segments"][0]["ports"]] == [
        "bond9",
        "bond5001",
        "bond5002",
        "swp2s2",
    ]
    assert front["rd"] != storage["rd"]
    assert len({row["l3vlan"] for row in found.values()}) == len(found)
    assert found["t1-quarantine"]["allowed"] == ["10.255.0.10/32"]
    vault = rows("converged-core-2", core=True)["s21-acme"]
    assert [session["name"] for session in vault["sessions"]] == ["vault"]


def test_the_house_reaches_the_provisioning_servers_alone(rows):
    """Nodes in quarantine and rest are isolated from each other, on VLANs 11 and 12."""
    (house,) = [row for row in rows("front-end-leaf-001-1").values() if row["kind"] == "quarantine"]
    (rest,) = [row for row in rows("front-end-leaf-001-2").values() if row["kind"] == "rest"]
    for row, vlan, subnet in ((house, 11, "10.208.0.0/23"), (rest, 12, "10.208.2.0/23")):
        (segment,) = row["segments"]
        assert (segment["vlan"], segment["isolated"], segment["subnet"]) == (vlan, True, subnet)
        assert segment["relay"] == ["10.255.0.10"]
        assert row["allowed"] == ["10.255.0.10/32"]


def test_quarantine_stays_on_a_leaf_whose_nodes_are_all_somebodys(rows):
    """Else the job that takes the last node out would leave a VRF there that no plan has."""
    text = TEXT.replace("[su01/h01]", "[su01, su02]").replace("nodes: [su01/h02], ", "")
    text = text.replace("rest: [{nodes: [su02/h01]}]\n", "")
    for leaf, vrf in (("front-end-leaf-001-1", "t1"), ("storage-leaf-001-1", "s1")):
        (segment,) = rows(leaf, text)[f"{vrf}-quarantine"]["segments"]
        assert (segment["ports"], segment["isolated"]) == ([], True)


def test_storage_of_each_tenant_is_a_vlan_at_the_ports_of_the_arrays(rows):
    """Also of tenants without a node there; who is not entitled has its port shut in quarantine."""
    fabric = laboratory()
    vtep = fabric.slice(fabric.known("storage-leaf-001-1"))["vtep"]
    found = rows("storage-leaf-001-1")
    assert list(found) == ["s1-quarantine", "s4-storage", "s21-acme", "s23-initech"]
    arrays = [
        {"bond": name, "tagged": True, "node": array, "up": True}
        for name, array in (("bond5001", "vast-1"), ("bond5002", "vast-1"), ("swp1s2", "nfs-1"))
    ]
    node = {"bond": "bond1", "tagged": False, "node": "worker-su01-rack01-h01", "up": True}
    assert found["s21-acme"]["segments"][0]["ports"] == [node, *arrays]
    assert found["s21-acme"]["rd"] == f"{vtep}:21"
    assert found["s23-initech"]["segments"][0]["ports"] == arrays
    (quarantine,) = found["s1-quarantine"]["segments"]
    states = [(port["bond"], port["up"]) for port in quarantine["ports"]]
    assert states == [(f"bond{number}", False) for number in (2, 3, 5, 6, 7)]


def test_shared_storage_leaks_between_each_tenant_and_the_service_alone(rows):
    """The ports of arrays are in the VRF of the service; a tenant learns of the service, and it of the tenant."""
    found = rows("storage-leaf-001-1", storage={"mode": "shared"})
    arrays = {
        row["slug"]
        for row in found.values()
        for s in row["segments"]
        for p in s["ports"]
        if p["tagged"]
    }
    assert arrays == {"storage"}
    service = {"vrf": "s4-storage", "prefixes": [found["s4-storage"]["segments"][0]["subnet"]]}
    assert found["s21-acme"]["leaks"] == found["s23-initech"]["leaks"] == [service]
    assert found["s4-storage"]["leaks"] == [
        {"vrf": "s21-acme", "prefixes": ["10.216.14.0/23"]},
        {"vrf": "s23-initech", "prefixes": ["10.216.18.0/23"]},
    ]


def test_storage_without_ports_is_a_tagged_vlan_on_the_front_end_bond(rows):
    """A bond whose owner has no storage has no such VLAN."""
    found = rows("front-end-leaf-001-1", storage={"node_ports": 0, "pci": []})
    assert found["s21-acme"]["segments"][0]["ports"] == [
        {"bond": "bond1", "tagged": True, "node": "worker-su01-rack01-h01", "up": True}
    ]
    assert "s1-quarantine" not in found


def test_routed_nodes_have_ports_in_the_vrf_and_no_segment(rows):
    """The tenant announces the links of its nodes."""
    found = rows("front-end-leaf-001-1", front_end={"attachment": "routed"})
    acme = found["t21-acme"]
    assert acme["segments"] == []
    assert [(port["port"], port["node"], port["up"]) for port in acme["routed"]] == [
        ("swp1s0", "worker-su01-rack01-h01", True)
    ]
    (session,) = rows("border-leaf-01-1", front_end={"attachment": "routed"})["t21-acme"][
        "sessions"
    ]
    assert session["announce"] == ["10.160.0.0/30"]


def test_a_border_leaf_has_the_sessions_of_its_links(rows):
    """A tenant announces its own prefixes and nothing else; the other leaf has the other link."""
    found = rows("border-leaf-01-1")
    assert list(found) == ["t1-quarantine", "t2-rest", "t21-acme"]
    assert found["t21-acme"]["sessions"] == [
        {
            "name": "isp-a",
            "link": "isp-a",
            "port": "swp1s0",
            "vlan": 3021,
            "address": "192.0.2.0",
            "peer_address": "192.0.2.1",
            "length": 31,
            "local_asn": 4_241_000_000,
            "asn": 64496,
            "password": True,
            "bfd": False,
            "ttl_security": None,
            "accept_default": True,
            "accept": [],
            "announce": ["10.208.14.0/23"],
            "maximum": 1000,
            "warning": 75,
            "reestablish": 60,
        }
    ]
    (session,) = rows("border-leaf-01-2")["s21-acme"]["sessions"]
    assert (session["address"], session["length"], session["accept_default"]) == (None, 0, False)
    assert (session["accept"], session["announce"]) == (["10.217.0.0/24"], ["10.216.14.0/23"])


def test_the_as_number_towards_the_outside_is_stated_once_or_at_a_peer(rows, registry):
    """One for both border leaves, but at the peer that needs its own."""
    both = {"border": {"asn": 64512}}
    (first,) = rows("border-leaf-01-1", **both)["t21-acme"]["sessions"]
    (second,) = rows("border-leaf-01-2", **both)["s21-acme"]["sessions"]
    assert (first["local_asn"], second["local_asn"]) == (64512, 64512)
    more = TEXT.replace("asn: 64496,", "asn: 64496, local_as: 64999, local_as_replaces: false,")
    (session,) = rows("border-leaf-01-1", more, **both)["t21-acme"]["sessions"]
    assert (session["local_asn"], session["local_as_added"]) == (64999, True)
    fabric = laboratory(**both)
    told = [tuple(row) for row in converged.announced(fabric, registry(more, fabric))]
    assert told[0][:4] == ("acme", "front-end", "isp-a", "isp-a")
    assert told[0][4:] == (64496, 64999, "10.208.14.0/23")


SERVERS = {
    "front_end": {
        "server_speed": "100G",
        "server_ports": 4,
        "servers": [
            {"name": "login-1", "ports": [1], "tenants": ["acme"]},
            {
                "name": "mgmt-1",
                "ports": ["1/2"],
                "tenants": ["acme", "globex"],
                "attachment": "single",
            },
        ],
    }
}


def test_a_server_is_in_the_vlans_of_its_tenants_as_nodes_are(rows, registry):
    """Of one tenant untagged, as a node; of several tagged. On both leaves, also without a node of the tenant there."""
    for leaf in ("front-end-leaf-001-1", "front-end-leaf-001-2"):
        found = rows(leaf, **SERVERS)
        own, other = (
            {p["node"]: p for p in found[vrf]["segments"][0]["ports"]}
            for vrf in ("t21-acme", "t22-globex")
        )
        assert own["login-1"] == {
            "bond": "bond7001",
            "tagged": False,
            "node": "login-1",
            "up": True,
        }
        assert own["mgmt-1"]["bond"] == other["mgmt-1"]["bond"] == "swp1s1"
        assert own["mgmt-1"]["tagged"]
        assert "login-1" not in other
    routed = {"front_end": {**SERVERS["front_end"], "attachment": "routed"}}
    (session,) = rows("border-leaf-01-1", **routed)["t21-acme"]["sessions"]
    assert session["announce"] == ["10.208.14.0/23", "10.160.0.0/30"], (
        "its servers are reached from outside"
    )
    fabric = laboratory(**SERVERS)
    held = registry(TEXT.replace("nodes: [su01/h02], ", ""), fabric)
    assert "t22-globex" in capacity_converged.held(held)["front_end_leaf", 0]
    (place,) = tenant_addresses.places(fabric, held, "10.208.16.1")
    assert place["leaves"] == ["front-end-leaf-001-1", "front-end-leaf-001-2"]
    assert attachments.leaves_with(fabric, "server") == place["leaves"]


def test_a_server_is_of_owners_that_have_a_front_end(registry):
    wrong = {
        **SERVERS["front_end"],
        "servers": [{"name": "login-1", "ports": [1], "tenants": ["initech"]}],
    }
    (said,) = refused(lambda text: registry(text, laboratory(front_end=wrong)), TEXT)
    assert (
        "server login-1 of the description (networks.front_end.servers) is of 'initech', and no tenant"
        in said
    )


def test_quarantine_and_rest_peer_with_who_leads_to_the_provisioning_servers(rows):
    """Each in its own subinterface, and nothing but the servers is accepted."""
    text = TEXT + "provisioning_peers: [{name: images, link: isp-a, asn: 64500}]\n"
    found = rows("border-leaf-01-1", text)
    for vrf, vlan, subnet in (
        ("t1-quarantine", 3001, "10.208.0.0/23"),
        ("t2-rest", 3002, "10.208.2.0/23"),
    ):
        (session,) = found[vrf]["sessions"]
        assert (session["vlan"], session["announce"]) == (vlan, [subnet])
        assert (session["accept_default"], session["accept"]) == (False, ["10.255.0.10/32"])


def test_a_site_may_give_a_border_leaf_another_name(tmp_path, registry):
    """The description has the name in the plan; the house, sessions, capacity and locate follow the device."""
    stated = yaml.safe_load((INVENTORIES / "lab-converged" / "model" / "fabric.yml").read_text())
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump({**stated, "devices": "devices.csv"}))
    (tmp_path / "devices.csv").write_text("place,name\nborder-leaf-01-1,edge-a\n")
    fabric = Fabric.load(str(tmp_path / "fabric.yml"))
    found = registry(TEXT, fabric)
    rows = vrfs.of_leaf(fabric, found, fabric.device("edge-a"))
    assert [row["vrf"] for row in rows] == ["t1-quarantine", "t2-rest", "t21-acme"]
    assert attachments.border_leaves(fabric, ["isp-a", "isp-b"]) == [
        "edge-a",
        "border-leaf-01-2",
    ]
    assert capacity_converged.held(found)["border_leaf", 0] == {"t21-acme", "s21-acme"}
    (place,) = tenant_addresses.places(fabric, found, "192.0.2.1")
    assert (place["device"], place["port"]) == ("edge-a", "swp1s0.3021")


def test_a_tenant_that_ends_has_no_session_and_no_storage_of_its_own(lab, registry):
    """Its nodes have left by then."""
    fabric = laboratory()
    then = registry(TEXT, fabric).without("acme")
    names = [
        row["vrf"]
        for name in ("border-leaf-01-1", "border-leaf-01-2", "storage-leaf-001-2")
        for row in vrfs.of_leaf(fabric, then, fabric.device(name))
    ]
    assert "t21-acme" not in names
    assert names.count("s21-acme") == 1, "its node is there still"


def test_other_switches_have_none(lab, registry):
    fabric = laboratory()
    spine = next(one for one in fabric.switches() if one.role == "converged_spine")
    assert vrfs.of_leaf(fabric, registry(TEXT, fabric), spine) == []


def test_the_vlan_of_an_l3vni_follows_from_the_id():
    """Check that others on the leaf count only where two mean the same VLAN."""
    row = {"id": 21, "network": "front-end"}
    assert vrfs.l3vlans([row], (4000, 4064)) == [4042]
    other = {"id": 21 + 65, "network": "front-end"}
    assert vrfs.l3vlans([row, other], (4000, 4064)) == [4042, 4043]
    every = [{"id": number, "network": "front-end"} for number in range(16, 81)]
    assert len(set(vrfs.l3vlans(every, (4000, 4064)))) == 65


@pytest.mark.parametrize("up", [False, True])
@pytest.mark.parametrize(
    "slug, network, entitled",
    [
        ("acme", "front-end", True),
        ("globex", "storage", False),
        ("quarantine", "front-end", True),
        ("quarantine", "storage", False),
        ("rest", "front-end", True),
        ("rest", "storage", False),
    ],
)
def test_who_is_not_entitled_has_its_port_shut_in_quarantine(
    lab, registry, slug, network, entitled, up
):
    found = registry(TEXT, laboratory())
    wanted = (slug, up) if entitled else ("quarantine", False)
    assert attachments.place(found, slug, network, up=up) == wanted
