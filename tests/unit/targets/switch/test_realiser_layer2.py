# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bonds, VLANs, subinterfaces, gateways and segments by the realiser; tests/kernel shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import realiser
from realiser import (
    acl,
    bgp,
    coverage,
    delta,
    filters,
    kernel,
    links,
    multihoming,
    switching,
    tracking,
)
from realiser.document import Refused
from realiser.layer2 import Anycast, Bond, Membership, Tagged, layer2
from realiser.model import machine

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

INVENTORIES = Path(__file__).resolve().parents[4] / "inventories"
MAC = "44:38:39:ff:02:00"
DOCUMENT: dict[str, Any] = {
    "evpn": {
        "state": "enabled",
        "multihoming": {
            "state": "enabled",
            "mac-holdtime": 60,
            "ead-evi-route": {"rx": "disabled"},
        },
        "vni": {"4300021": {"rd": "10.0.0.1:21", "route-target": {"both": {"64512:4300021": {}}}}},
    },
    "nve": {"vxlan": {"state": "enabled", "source": {"address": "10.2.0.1"}}},
    "bridge": {
        "domain": {"br_default": {"vlan": {"21": {"vni": {"4300021": {}}}, "22": {}, "2021": {}}}}
    },
    "interface": {
        "bond1": {
            "type": "bond",
            "bond": {"member": {"swp2": {}, "swp1": {}}, "lacp-rate": "slow"},
            "bridge": {"domain": {"br_default": {"untagged": 21, "vlan": {"2021": {}}}}},
            "evpn": {"multihoming": {"segment": {"local-id": 5, "mac-address": MAC.upper()}}},
        },
        "bond2": {"bond": {"member": {"swp3": {}}, "mode": "static"}, "vrf": "RED"},
        "swp4": {"bridge": {"domain": {"br_default": {}}}},
        "swp5": {"bridge": {"domain": {"br_default": {"untagged": "none"}}}},
        "swp6": {"bridge": {"domain": {"br_default": {"access": 22}}}},
        "swp7.3021": {"type": "sub", "base-interface": "swp7", "vlan": 3021, "vrf": "RED"},
        "swp7": {"link": {"mtu": 1500}},
        "swp63": {"evpn": {"multihoming": {"uplink": "enabled"}}},
        "vlan21": {
            "type": "svi",
            "vlan": 21,
            "vrf": "RED",
            "ipv4": {"vrr": {"state": "enabled", "address": {"10.1.0.1/24": {}}}},
        },
    },
    "router": {
        "vrr": {"state": "enabled"},
        "bgp": {"state": "enabled", "autonomous-system": 65001, "router-id": "10.0.0.1"},
    },
    "vrf": {
        "RED": {},
        "default": {
            "router": {
                "bgp": {"state": "enabled", "address-family": {"l2vpn-evpn": {"state": "enabled"}}}
            }
        },
    },
}


def link(name: str, kind: str = "", **details: Any) -> kernel.Link:
    """A device as the kernel might have it."""
    more = {"master": None, "link": None, **details}
    vrf, mac = str(more.pop("vrf", "")), str(more.pop("mac", ""))
    has = frozenset(more.pop("has", ()))
    return kernel.Link(name, vrf, kind, 1, 9216, True, True, mac, has, more, {})


def named(*links: kernel.Link) -> dict[str, kernel.Link]:
    """Devices by name."""
    return {item.name: item for item in links}


def test_a_document_is_understood() -> None:
    assert coverage.sort(DOCUMENT) == ([], [])
    below = layer2(DOCUMENT)
    assert below.bonds == {
        "bond1": Bond(("swp1", "swp2"), True, False, MAC, tracked=True),
        "bond2": Bond(("swp3",), False, True, ""),
    }
    assert below.tagged == {"swp7.3021": Tagged("swp7", 3021), "vlan21": Tagged("br_default", 21)}
    assert below.anycast == {
        "vlan21": Anycast("44:38:39:ff:00:ff", frozenset({"10.1.0.1/24"}), True)
    }
    assert below.bridge is not None
    assert below.bridge.vnis == {21: 4300021}
    assert below.bridge.ports == {
        "bond1": Membership(21, frozenset({2021})),
        "swp4": Membership(1, frozenset({21, 22, 2021})),
        "swp5": Membership(None, frozenset({21, 22, 2021})),
        "swp6": Membership(22, frozenset()),
    }


def test_ports_of_bonds_have_no_layer_3_and_only_uplinks_limit_the_overlay() -> None:
    device = machine(DOCUMENT)
    assert not {"swp1", "swp2", "swp3"} & set(device.ports)
    assert device.ports["vlan21"].vrf == device.ports["bond2"].vrf == "RED"
    assert (device.overlay_mtu, device.uplinks) == (9166, frozenset({"swp63"}))


def test_a_subinterface_has_the_mtu_of_its_port_unless_it_has_its_own() -> None:
    ports = {
        "swp7": {"link": {"mtu": 1500}},
        "swp7.9": {"type": "sub", "base-interface": "swp7", "vlan": 9},
        "swp7.8": {"type": "sub", "base-interface": "swp7", "vlan": 8, "link": {"mtu": 1400}},
    }
    found = machine({"interface": ports}).ports
    assert [found[name].mtu for name in ports] == [1500, 1500, 1400]


def test_gateways_are_off_unless_the_switch_as_a_whole_has_them_on() -> None:
    assert layer2({**DOCUMENT, "router": {}}).anycast == {}


def test_an_empty_kernel_gets_everything() -> None:
    device, below = machine(DOCUMENT), layer2(DOCUMENT)
    now = named(*(link(f"swp{number}") for number in (1, 2, 3, 4, 5, 6, 7, 63)))
    bonds = switching.bonds(now, below, {"bond1": 9000})
    assert f"ad_actor_system {MAC}" in bonds[0]
    assert "lacp_rate slow" in bonds[0]
    assert "link set bond1 mtu 9000" in bonds
    assert "link set swp1 master bond1" in bonds
    assert any(line.startswith("link add bond2 type bond mode balance-xor") for line in bonds)
    bridge = switching.bridge(now, below, "02:00:00:00:00:01")
    assert "link set bond1 master br_default addrgenmode none" in bridge
    assert switching.tagged(now, below) == [
        "link add link swp7 name swp7.3021 type vlan id 3021",
        "link add link br_default name vlan21 type vlan id 21",
    ]
    assert switching.tunnels(now, device, 4789)[0] == (
        "link add vni4300021 type vxlan id 4300021 dstport 4789 local 10.2.0.1 nolearning"
    )
    lines, entries = switching.anycast(now, device)
    assert lines == [
        "link add link vlan21 name vlan21-v0 address 44:38:39:ff:00:ff type macvlan mode private",
        "link set vlan21-v0 master RED",
        "link set vlan21-v0 up",
        "addr replace 10.1.0.1/24 dev vlan21-v0 metric 1024",
    ]
    assert entries == ["fdb replace 44:38:39:ff:00:ff dev br_default vlan 21 self local"]


def test_what_is_as_wanted_needs_no_command() -> None:
    bonds = [link("bond1", "bond", mode="802.3ad", ad_actor_system=MAC)]
    bonds += [link("bond2", "bond", mode="balance-xor")]
    ports = [link(f"swp{n}", master=f"bond{1 + n // 3}") for n in (1, 2, 3)]
    gateway = link("vlan21-v0", "macvlan", vrf="RED", has=["10.1.0.1/24"])
    device, now = machine(DOCUMENT), named(*bonds, *ports, link("vni4300021", "vxlan"), gateway)
    assert switching.bonds(now, device.layer2, {}) == []
    assert switching.rises(now, device) == []
    assert switching.anycast(now, device) == ([], [])


def test_vlans_that_differ_are_changed_and_no_others() -> None:
    below = layer2(DOCUMENT)
    has = {
        "bond1": {1: True, 2021: False},
        "swp4": {1: True, 21: False, 22: False, 2021: False},
        "swp5": {21: False, 22: False, 2021: False},
        "swp6": {22: False},
        "br_default": {},
        "vni4300021": {21: True},
    }
    assert switching.memberships(below, has) == [
        "vlan add dev br_default vid 21 self",
        "vlan del dev bond1 vid 1",
        "vlan add dev bond1 vid 21 pvid untagged",
        "vlan add dev swp6 vid 22 pvid untagged",
    ]


def test_what_is_not_wanted_goes_upper_devices_first() -> None:
    now = named(
        link("br_default", "bridge", vlan_filtering=1),
        link("br5001", "bridge", vlan_filtering=0),
        link("bond1", "bond", mode="802.3ad", ad_actor_system="44:38:39:ff:02:01"),
        link("bond9", "bond", mode="802.3ad"),
        link("swp9", "", master="br_default"),
        link("swp7.3021", "vlan", link="swp7", id=3022),
        link("vlan21", "vlan", link="br_default", id=21),
        link("vlan22", "vlan", link="br_default", id=22),
        link("vlan21-v0", "macvlan", link="vlan21", mac="00:00:5e:00:01:01"),
        link("vni77", "vxlan", master="br_default", local="10.2.0.1"),
        link("vni5001", "vxlan", master="br5001", local="10.2.0.1"),
    )
    assert switching.surplus(now, machine(DOCUMENT), "10.2.0.1") == [
        "link del vlan21-v0",
        "link del swp7.3021",
        "link del vlan22",
        "link del vni77",
        "link del bond1",
        "link del bond9",
        "link set swp9 nomaster",
    ]


def test_a_switch_that_only_routes_loses_its_bridge() -> None:
    now = named(
        link("br_default", "bridge", vlan_filtering=1), link("swp1", "", master="br_default")
    )
    assert switching.surplus(now, machine({}), None) == [
        "link set swp1 nomaster",
        "link del br_default",
    ]
    assert switching.memberships(layer2({}), {}) == []


def test_segments_and_vnis_for_frr() -> None:
    found = bgp.contexts(DOCUMENT)
    evpn = ("router bgp 65001", "address-family l2vpn evpn")
    assert found[("interface bond1",)] == ["evpn mh es-id 5", f"evpn mh es-sys-mac {MAC}"]
    assert found[("interface swp63",)] == ["evpn mh uplink"]
    assert found[("",)] == ["evpn mh startup-delay 0", "evpn mh mac-holdtime 60"]
    assert "disable-ead-evi-rx" in found[evpn]
    assert found[(*evpn, "vni 4300021")] == [
        "rd 10.0.0.1:21",
        "route-target import 64512:4300021",
        "route-target export 64512:4300021",
    ]
    made = delta.commands({("",): []}, found)
    entered = made.index("vni 4300021")
    assert made[entered + 4 : entered + 7] == ["exit-vni", "exit-address-family", "exit"]


def test_a_vni_that_goes_leaves_no_empty_block_behind() -> None:
    old = bgp.contexts(DOCUMENT)
    key = ("router bgp 65001", "address-family l2vpn evpn", "vni 4300021")
    new = {name: lines for name, lines in old.items() if name != key}
    assert delta.commands(old, new) == [*key[:2], "no vni 4300021", "exit-address-family", "exit"]


def test_an_interface_that_loses_its_segment_stays() -> None:
    old = {("",): [], ("interface bond1",): ["evpn mh es-id 5"]}
    assert delta.commands(old, {("",): []}) == ["interface bond1", "no evpn mh es-id 5", "exit"]


def test_without_multihoming_there_is_none() -> None:
    off = {**DOCUMENT, "evpn": {"state": "enabled"}}
    assert (multihoming.top(off), multihoming.interfaces(off)) == ([], {})


def test_a_manual_segment_id_and_a_preference() -> None:
    segment = {"identifier": "00:01:02:03:04:05:06:07:08:09", "df-preference": 50000}
    body = {"bond1": {"evpn": {"multihoming": {"segment": segment}}}}
    document = {"evpn": {"multihoming": {"state": "enabled"}}, "interface": body}
    assert multihoming.interfaces(document)[("interface bond1",)] == [
        "evpn mh es-df-pref 50000",
        "evpn mh es-id 00:01:02:03:04:05:06:07:08:09",
    ]


def test_a_limit_waits_in_minutes() -> None:
    limits = {"inbound": {"maximum": 9, "reestablish-wait": 61}}
    peer = {"remote-as": 1, "address-family": {"ipv4-unicast": {"prefix-limits": limits}}}
    body = {"router": {"bgp": {"state": "enabled", "neighbor": {"10.0.0.2": peer}}}}
    document = {"router": DOCUMENT["router"], "vrf": {"default": body}}
    family = ("router bgp 65001", "address-family ipv4 unicast")
    assert "neighbor 10.0.0.2 maximum-prefix 9 restart 2" in bgp.contexts(document)[family]


def filtered(port: str, **sides: Any) -> acl.Filters:
    """The filters of a port of the document with an ACL."""
    rule = {"match": {"ip": {"source-ip": "10.0.0.0/8"}}, "action": {"deny": {}}}
    bodies = {**DOCUMENT["interface"]}
    bodies[port] = {**bodies[port], "acl": {"A": sides}}
    document = {
        **DOCUMENT,
        "acl": {"A": {"type": "ipv4", "rule": {"10": rule}}},
        "interface": bodies,
    }
    return acl.filters(document, "kernel")[""]


def test_a_port_of_the_bridge_is_filtered_in_the_bridge() -> None:
    found = filtered("bond1", inbound={})
    assert '    iifname "bond1" jump acl-A' in filters.bridged(found).splitlines()
    assert '    meta protocol ip ip saddr 10.0.0.0/8 counter drop comment "rule 10"' in (
        filters.bridged(found).splitlines()
    )
    assert '"bond1"' not in filters.nftables(found)


def test_an_outbound_acl_of_a_subinterface_is_for_what_is_forwarded() -> None:
    text = filters.nftables(filtered("swp7.3021", outbound={}))
    forward = text[text.index("  chain out {") :]
    assert "hook forward" in forward
    assert '    oifname "swp7.3021" jump acl-A' in forward[: forward.index("}")]


def test_a_packet_for_the_switch_from_a_port_of_the_bridge_is_known_by_its_mark() -> None:
    found = filtered("bond1", inbound={"control-plane": {}})
    assert f'    iifname "bond1" meta mark set {0x5B0000}' in filters.bridged(found).splitlines()
    text = filters.nftables(found)
    control = text[text.index("  chain control {") :]
    assert f"    meta mark {0x5B0000} jump acl-A" in control[: control.index("}")].splitlines()


def test_a_rule_may_ask_for_a_ttl() -> None:
    rule = acl.Rule("10", True, protocol="tcp", ttl=255)
    assert "ip ttl 255 meta l4proto tcp" in filters._nft_rule(rule, "ipv4")
    assert "ip6 hoplimit 255 meta l4proto tcp" in filters._nft_rule(rule, "ipv6")


def test_what_the_switch_sends_to_a_bridged_port_is_refused() -> None:
    with pytest.raises(Refused, match="not what the switch sends"):
        filtered("bond1", outbound={"control-plane": {}})


def test_namespaces_refuse_what_only_a_kernel_shows() -> None:
    with pytest.raises(Refused, match="bonds need a kernel"):
        realiser.Realiser("netns", RuntimeError).realise(DOCUMENT)


def test_a_bridge_that_nothing_is_in_needs_nothing_of_the_kernel() -> None:
    bare: dict[str, Any] = {"bridge": {"domain": {"br_default": {"type": "vlan-aware"}}}}
    assert layer2(bare).needs == []
    port = {"swp1": {"bridge": {"domain": {"br_default": {"access": 21}}}}}
    assert layer2({**bare, "interface": port}).needs == ["VLANs of a bridge"]


@pytest.mark.parametrize(("example", "lacking"), [("lab-routed", []), ("lab-converged", ["bonds"])])
def test_what_the_collection_makes_without_bonds_and_vlans_needs_nothing_either(
    example: str, lacking: list[str]
) -> None:
    fabric = Fabric.load(str(INVENTORIES / example / "model" / "fabric.yml"))
    tenants = Registry.load(fabric)
    for switch in fabric.switches():
        made = compose.document(
            fabric, fabric.name(switch), options=compose.Options(), tenants=tenants
        )
        assert coverage.sort(made)[0] == []
        if switch.role == "front_end_leaf":
            assert layer2(made).needs[:1] == lacking


def test_two_bridges_are_refused() -> None:
    with pytest.raises(Refused, match="one bridge"):
        layer2({"bridge": {"domain": {"one": {}, "two": {}}}})


def test_bonds_of_segments_follow_the_uplinks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(tracking, "ip_batch", lambda space, lines, check: done.extend(lines))
    monkeypatch.setattr(tracking, "SYS", tmp_path)
    tracker = tracking.Tracker()
    monkeypatch.setattr(tracker, "_thread", object())
    tracker.follow(machine(DOCUMENT))
    carrier = tmp_path / "swp63" / "carrier"
    carrier.parent.mkdir()
    for text in ("1", "0", "0", "1"):
        carrier.write_text(text)
        tracker.look()
    assert done == [f"link set {port} {way}" for way in ("down", "up") for port in ("swp1", "swp2")]


@pytest.mark.parametrize(("backend", "space"), [("kernel", ""), ("netns", "quarantine")])
def test_a_port_that_moves_is_down_before_its_filters_change(
    monkeypatch: pytest.MonkeyPatch, backend: str, space: str
) -> None:
    """Its old filter went by then, and the new one was there before it arrived: 70 ms without one."""
    have = [
        link("swp1", vrf="quarantine"),
        link("swp2", vrf="quarantine"),
        link("swp3", vrf="rest"),
    ]
    now = {(item.vrf, item.name): item for item in have}
    done: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(kernel, "links", lambda _backend: now)
    monkeypatch.setattr(links, "ip_batch", lambda space, lines: done.append((space, lines)))
    maker = links.Fabricator(backend, "44:38:39:00:00:01", lambda _vrf: True)
    monkeypatch.setattr(maker, "vrfs", lambda: {"quarantine", "rest"})
    vrfs = {"quarantine": {}, "rest": {}}
    document = {"interface": {"swp1": {"vrf": "rest"}, "swp2": {"vrf": "quarantine"}}, "vrf": vrfs}
    assert maker.prepare(machine(document)) == now
    first = (space, ["link set swp1 down", "addr flush dev swp1"])
    forgotten = (space and "rest", ["link set swp3 down", "addr flush dev swp3"])
    if backend == "kernel":
        assert done == [("", first[1] + forgotten[1])]
    else:
        assert done == [first, forgotten]
