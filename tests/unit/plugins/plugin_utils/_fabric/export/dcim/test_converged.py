# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Additions of the converged fabric to a DCIM, and the parts that it leaves as they are."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.part import Part
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    Ref,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged import (
    LEAVES,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged_cabling import (
    is_converged,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.vrfs import (
    of_leaf,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

from .wishes import changed, fabric_of, refs, things

EAST_WEST = "tenants:\n  - {id: 21, slug: acme, nodes: ['*/*/h01']}\n"
ALL = EAST_WEST.replace("]}", "], networks: [east-west, front-end, storage]}")


def test_every_switch_and_every_cable_of_the_plan_is_there():
    """Cables as the slices of the switches have them, so that both ends agree."""
    fabric = fabric_of("lab-converged")
    made = things(fabric)
    names = {x.name for x in made if x.kind == "device"}
    assert names == {fabric.name(device) for device in fabric.devices()}
    planned = {
        frozenset(
            {
                f"lab-converged/{fabric.name(switch)}/{row['port']}",
                f"lab-converged/{row['peer']['device']}/{row['peer']['port']}",
            }
        )
        for switch in fabric.switches()
        for row in fabric.slice(fabric.name(switch))["ports"]
        if row.get("present") and row["peer"]["port"]
    }
    cables = [x.values["ends"] for x in made if x.kind == "cable"]
    assert {frozenset(end.key for end in ends) for ends in cables} == planned
    assert len(cables) == len(planned)


def test_whatever_is_referred_to_is_there_before():
    seen = set()
    for thing in things(fabric_of("lab-converged")):
        assert {ref for ref in refs(thing) if ref not in seen} == set(), thing
        seen.add((thing.kind, thing.key))


def test_ports_have_their_own_speed_and_side():
    made = {
        x.key.partition("/")[2]: x.values
        for x in things(fabric_of("lab-converged"))
        if x.kind == "interface"
    }
    border = {name: x for name, x in made.items() if name.startswith("border-leaf-01-1/")}
    outside = [x for x in border.values() if x["type"] == "100gbase-x-qsfp28"]
    assert {(x["role"], x.get("mtu")) for x in outside} == {("", None)}
    assert {x["type"] for name, x in made.items() if "/front" in name} == {
        "200gbase-x-qsfp56",
        "lag",
    }
    assert {x["role"] for name, x in made.items() if "/stor" in name} == {"uplink"}


def _interfaces(made, device):
    return {
        x.values["name"]: x.values
        for x in made
        if x.kind == "interface" and x.key.split("/")[1] == device
    }


def _vlan(name):
    return Ref("vlan", f"lab-converged/vlan/{name}")


def test_bonds_have_the_ports_and_vlans_of_the_documents():
    """Every bond of the slice with its members; the VLANs are those of the tenants of the leaf."""
    fabric = fabric_of("lab-converged")
    made, registry = things(fabric), Registry.load(fabric)
    for switch in (x for x in fabric.switches() if x.role in LEAVES):
        found = _interfaces(made, fabric.name(switch))
        members = {
            row["port"]: row["bond"] for row in fabric.slice(switch)["ports"] if "bond" in row
        }
        lags = {name: x["lag"].key for name, x in found.items() if x.get("lag")}
        prefix = f"lab-converged/{fabric.name(switch)}/"
        assert lags == {port: prefix + bond for port, bond in members.items()}
        assert {name for name, x in found.items() if x["type"] == "lag"} == set(members.values())
        planned = {
            (port["bond"], row["vrf"], port["tagged"])
            for row in of_leaf(fabric, registry, switch)
            for segment in row["segments"]
            for port in segment["ports"]
        } | {
            (f"{one['port']}.{one['vlan']}", str(one["vlan"]), True)
            for row in of_leaf(fabric, registry, switch)
            for one in row["sessions"]
        }
        said = {
            (name, ref.key.rpartition("/")[2], tagged)
            for name, x in found.items()
            for tagged, several in (
                (False, (x.get("untagged_vlan"),)),
                (True, x.get("tagged_vlans", ())),
            )
            for ref in several
            if ref
        }
        assert said == planned


def test_a_node_in_quarantine_an_array_and_a_bond_of_a_host():
    made = things(fabric_of("lab-converged"))
    leaf = _interfaces(made, "storage-leaf-001-1")
    bond = leaf["bond3"]
    assert (bond["enabled"], bond["mode"], bond["untagged_vlan"]) == (
        False,
        "access",
        _vlan("s1-quarantine"),
    )
    assert leaf["bond5001"]["mode"] == leaf["swp1s2"]["mode"] == "tagged"
    assert leaf["swp1s2"]["lag"] == ""
    node = _interfaces(made, "worker-su01-rack01-h01")
    assert [node[port]["lag"].key.rpartition("/")[2] for port in ("front1", "front2", "stor1")] == [
        "front", "front", "stor",
    ]  # fmt: skip


def test_a_vlan_has_its_subnet_and_each_network_a_group():
    made = things(fabric_of("lab-converged"))
    vlans = {x.name: x.values for x in made if x.kind == "vlan"}
    house = [vlans[name] for name in ("t1-quarantine", "s1-quarantine")]
    assert [x["vid"] for x in house] == [11, 13]
    assert [x["vlan_group"].key for x in house] == [
        "lab-converged front-end",
        "lab-converged storage",
    ]
    subnets = {
        x.values["prefix"]: x.values for x in made if x.kind == "prefix" and "vlan" in x.values
    }
    assert len(subnets) == len(vlans)
    assert subnets["10.208.14.0/23"]["vlan"] == _vlan("t21-acme")
    assert subnets["10.208.14.0/23"]["vrf"].key == "lab-converged/t21-acme"


OUTSIDE = """\
tenants:
  - id: 21
    slug: acme
    networks: [east-west, front-end, storage]
    storage: {vips: [10.216.14.9, 10.216.14.10]}
    external_peers:
      - {name: isp-a, link: isp-a, address: 192.0.2.0/29, peer_address: 192.0.2.1, asn: 64496}
      - {name: second, link: isp-a, address: 192.0.2.0/29, peer_address: 192.0.2.2, asn: 64497}
      - {name: far, link: isp-b, address: "198.51.100.1/24", peer_address: "198.51.100.2", asn: 64496, vlan: 3500}
  - id: 22
    slug: globex
    networks: [east-west, front-end]
    external_peers: [{name: isp-a, link: isp-a, asn: 64496, vlan: 3500}]
"""


def test_a_subinterface_has_its_port_vlan_vrf_and_address():
    """Two sessions of acme share the first one; that of globex is unnumbered."""
    made = things(fabric_of("lab-converged"), text=OUTSIDE)
    leaf = _interfaces(made, "border-leaf-01-1")
    shared, unnumbered = leaf["swp1s0.3021"], leaf["swp1s0.3500"]
    assert (shared["type"], shared["parent"].key) == (
        "virtual", "lab-converged/border-leaf-01-1/swp1s0",
    )  # fmt: skip
    assert [x["vrf"].key for x in (shared, unnumbered)] == [
        "lab-converged/t21-acme", "lab-converged/t22-globex",
    ]  # fmt: skip
    assert (shared["mode"], shared["tagged_vlans"]) == ("tagged", (_vlan("border/3021"),))
    addresses = {x.key: x.values for x in made if x.kind == "address"}
    own = addresses["lab-converged/border-leaf-01-1/swp1s0.3021"]
    assert (own["address"], own["vrf"]) == ("192.0.2.0/29", shared["vrf"])
    assert own["interfaces"] == (Ref("interface", "lab-converged/border-leaf-01-1/swp1s0.3021"),)
    far = addresses["lab-converged/border-leaf-01-2/swp1s0.3500"]
    assert (far["address"], far["tenant"].key) == ("198.51.100.1/24", "lab-converged/acme")
    assert "lab-converged/border-leaf-01-1/swp1s0.3500" not in addresses


def test_sessions_have_prefixes_and_vlans_that_several_tenants_may_share():
    """VLAN 3500 is that of acme on one link and of globex on the other."""
    made = things(fabric_of("lab-converged"), text=OUTSIDE)
    prefixes = {x.values["prefix"]: x.values for x in made if x.kind == "prefix"}
    assert prefixes["192.0.2.0/29"]["vlan"] == _vlan("border/3021")
    assert prefixes["198.51.100.0/24"]["vrf"].key == "lab-converged/t21-acme"
    vlans = {x.name: x.values for x in made if x.kind == "vlan"}
    assert vlans["border-3021"]["tenant"].key == "lab-converged/acme"
    assert vlans["border-3500"]["tenant"] == ""
    assert vlans["border-3500"]["vlan_group"].key == "lab-converged border"


def test_a_port_of_one_tenant_has_the_address_itself():
    text = OUTSIDE.replace("vlan: 3500}\n  - id", "tagged: false}\n  - id")
    made = things(fabric_of("lab-converged"), text=text)
    port = _interfaces(made, "border-leaf-01-2")["swp1s0"]
    (own,) = [x for x in made if x.values.get("address") == "198.51.100.1/24"]
    assert port["vrf"] == own.values["vrf"]
    assert own.values["interfaces"][0].key == "lab-converged/border-leaf-01-2/swp1s0"


def test_addresses_of_arrays_are_in_the_vrf_of_storage_on_no_interface():
    """They belong to no pod, as the arrays do."""
    fabric = fabric_of("lab-converged")
    made = [x for x in things(fabric, text=OUTSIDE) if "/vip/" in x.key]
    assert [x.values["address"] for x in made] == ["10.216.14.9/23", "10.216.14.10/23"]
    assert {x.values["vrf"].key for x in made} == {"lab-converged/s21-acme"}
    assert {(x.values["interfaces"], x.values["role"]) for x in made} == {((), "vip")}
    for part, there in ((Part(pods=()), 2), (Part(pods=(0,), top=False), 0)):
        assert sum("/vip/" in x.key for x in things(fabric, part, text=OUTSIDE)) == there
        assert {part.holds(fabric, x.key) for x in made} == {bool(there)}


def test_routed_networks_without_arrays_have_no_vlans():
    networks = {**fabric_of("lab-converged").source.data["networks"]}
    networks["front_end"] = {**networks["front_end"], "attachment": "routed"}
    networks["storage"] = {**networks["storage"], "attachment": "routed", "arrays": []}
    made = things(changed("lab-converged", networks=networks), text=ALL)
    assert [x for x in made if x.kind == "vlan" or x.values.get("type") == "lag"] == []
    assert not any(x.kind in ("vlan", "vlan_group") for x in things(example("lab")))


def test_storage_has_vrfs_of_its_own_and_the_front_end_those_of_the_owners():
    vrfs = {x.name: x.values for x in things(fabric_of("lab-converged")) if x.kind == "vrf"}
    assert {"t21-acme", "s21-acme", "s22-globex"} <= set(vrfs)
    assert [ref.key for ref in vrfs["s21-acme"]["imports"]] == ["lab-converged/64512:4200021"]
    assert {ref.key for ref in vrfs["t21-acme"]["exports"]} == {
        "lab-converged/64512:4000021",
        "lab-converged/64512:4100021",
    }


def test_a_routed_link_is_in_the_vrf_of_its_network():
    networks = {**fabric_of("lab-converged").source.data["networks"]}
    for name in ("front_end", "storage"):
        networks[name] = {**networks[name], "attachment": "routed"}
    made = things(changed("lab-converged", networks=networks), text=ALL)
    prefixes = {x.values["prefix"]: x.values["vrf"] for x in made if x.kind == "prefix"}
    ends = [
        x for x in made if x.kind == "address" and x.key.rpartition("/")[2] in ("front1", "stor1")
    ]
    assert ends
    for one in ends:
        network = one.values["address"]
        assert prefixes[f"{network.removesuffix('/31')}/31"] == one.values["vrf"]
    kinds = {x.values["vrf"].key.rpartition("/")[2][0] for x in ends if x.values["vrf"]}
    assert kinds == {"t", "s"}


def test_what_belongs_to_no_pod_has_the_converged_switches():
    fabric = fabric_of("lab-converged")
    top = list(Part(pods=()).switches(fabric))
    assert top
    assert all(map(is_converged, top))
    assert not any(map(is_converged, Part(sus=(0,), top=False).switches(fabric)))


def test_the_east_west_fabric_does_not_change_by_them():
    """Its things stay what they are; only the VRFs of owners on the front end get its route targets too."""
    alone = changed("lab-converged", networks=None)
    before = {
        (x.kind, x.key): x.values
        for x in things(alone, text=EAST_WEST)
        if x.kind not in ("vrf", "route_target")
    }
    after = {(x.kind, x.key): x.values for x in things(fabric_of("lab-converged"), text=EAST_WEST)}
    assert {key: after[key] for key in before} == before
    assert not any(x.kind == "role" and "front-end" in x.key for x in things(example("lab")))
