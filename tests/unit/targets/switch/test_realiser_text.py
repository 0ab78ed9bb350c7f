# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration of FRR and nftables by the realiser, and its way from one state to another."""

from __future__ import annotations

import json
from typing import Any

import pytest
import realiser
from realiser import acl, bgp, coverage, delta, echo, filters, kernel, model, observe
from realiser.document import Refused

TOP: tuple[str, ...] = ("",)


def routing(bgp_body: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A document whose default VRF runs BGP."""
    return {
        "router": {
            "bgp": {"state": "enabled", "autonomous-system": 65001, "router-id": "10.0.0.1"},
            **more,
        },
        "vrf": {"default": {"router": {"bgp": {"state": "enabled", **bgp_body}}}},
    }


HEAD = ("router bgp 65001",)
V4 = (*HEAD, "address-family ipv4 unicast")
EVPN = (*HEAD, "address-family l2vpn evpn")


def test_an_unnumbered_peer_in_a_group() -> None:
    group = {"UP": {"remote-as": 65100, "timers": {"connection-retry": 5}}}
    peers = {"swp3": {"type": "unnumbered", "peer-group": "UP", "description": "to spine"}}
    found = bgp.contexts(routing({"peer-group": group, "neighbor": peers}))
    assert found[HEAD][3:] == [
        "neighbor UP peer-group",
        "neighbor UP remote-as 65100",
        "neighbor UP timers connect 5",
        "neighbor swp3 interface peer-group UP",
        "neighbor swp3 description to spine",
    ]
    assert "neighbor UP activate" in found[V4]
    assert EVPN not in found


def test_a_numbered_overlay_peer_without_ipv4() -> None:
    overlay = {
        "remote-as": 65100,
        "update-source": "lo",
        "multihop-ttl": 2,
        "address-family": {
            "ipv4-unicast": {"state": "disabled"},
            "l2vpn-evpn": {"state": "enabled"},
        },
    }
    body = {
        "address-family": {"l2vpn-evpn": {"state": "enabled"}},
        "peer-group": {"OVER": overlay},
        "neighbor": {"10.254.0.1": {"type": "numbered", "peer-group": "OVER"}},
    }
    found = bgp.contexts(routing(body))
    assert "neighbor 10.254.0.1 peer-group OVER" in found[HEAD]
    assert "neighbor OVER ebgp-multihop 2" in found[HEAD]
    assert not any("activate" in line for line in found[V4])
    assert found[EVPN] == ["neighbor OVER activate"]


def test_a_member_may_leave_a_family_of_its_group() -> None:
    on = {"address-family": {"l2vpn-evpn": {"state": "enabled"}}}
    off = {"peer-group": "G", "address-family": {"l2vpn-evpn": {"state": "disabled"}}}
    body = {**on, "peer-group": {"G": {"remote-as": 1, **on}}, "neighbor": {"swp1": off}}
    assert bgp.contexts(routing(body))[EVPN] == [
        "neighbor G activate",
        "no neighbor swp1 activate",
    ]


def test_route_maps_and_prefix_lists() -> None:
    policy = {
        "prefix-list": {
            "HOSTS": {
                "type": "ipv4",
                "rule": {
                    "10": {"action": "permit", "match": {"10.1.0.0/16": {"max-prefix-len": 31}}},
                    "20": {"action": "deny", "match": {"any": {}}},
                },
            }
        },
        "route-map": {
            "OUT": {
                "rule": {
                    "10": {
                        "action": {"permit": {}},
                        "match": {"type": "ipv4", "ip-prefix-list": "HOSTS"},
                        "set": {"ext-community-bw": "multipaths"},
                    }
                }
            }
        },
    }
    found = bgp.contexts({"router": {"policy": policy}})
    assert found[TOP] == [
        "ip prefix-list HOSTS seq 10 permit 10.1.0.0/16 le 31",
        "ip prefix-list HOSTS seq 20 deny any",
    ]
    assert found[("route-map OUT permit 10",)] == [
        "match ip address prefix-list HOSTS",
        "set extcommunity bandwidth num-multipaths",
    ]


def test_bfd_follows_its_switch() -> None:
    profile = {"profile": {"U": {"detect-multiplier": 3, "min-rx-interval": 100}}}
    peers = {"neighbor": {"swp1": {"remote-as": 1, "bfd": {"profile": "U"}}}}
    off = bgp.contexts(routing(peers, bfd={"state": "disabled", **profile}))
    on = bgp.contexts(routing(peers, bfd={"state": "enabled", **profile}))
    assert not any(" bfd" in line for line in off[HEAD])
    assert "neighbor swp1 bfd profile U" in on[HEAD]
    assert on[("bfd", "profile U")] == ["detect-multiplier 3", "receive-interval 100"]


def test_maintenance_drains_by_bgp() -> None:
    document = routing({})
    document["maintenance"] = {"unit": {"all-protocols": {"mode": "enabled"}}}
    assert "bgp graceful-shutdown" in bgp.contexts(document)[HEAD]


def test_an_unknown_set_is_refused() -> None:
    rule = {"action": {"permit": {}}, "set": {"forwarding-address": "1.1.1.1"}}
    document = {"router": {"policy": {"route-map": {"M": {"rule": {"10": rule}}}}}}
    with pytest.raises(Refused, match=r"router\.policy\.route-map\.M\.rule\.10\.set\.forwarding"):
        bgp.contexts(document)


OLD = {
    TOP: ["ip prefix-list P seq 10 permit any"],
    ("vrf RED",): ["vni 5001"],
    ("route-map M permit 10",): ["match ip address prefix-list P"],
    HEAD: ["bgp router-id 10.0.0.1", "neighbor swp1 interface", "neighbor swp1 remote-as 65002"],
    V4: ["redistribute connected", "neighbor swp1 activate", "maximum-paths 64"],
    ("router bgp 65001 vrf RED",): ["bgp router-id 10.0.0.1"],
}


def changed(**changes: Any) -> dict[Any, Any]:
    """OLD with some contexts replaced; None removes one."""
    names = {"top": TOP, "head": HEAD, "v4": V4, "red": ("router bgp 65001 vrf RED",)}
    names |= {"vrf": ("vrf RED",), "map": ("route-map M permit 10",)}
    new = {**OLD, **{names[key]: value for key, value in changes.items()}}
    return {key: value for key, value in new.items() if value is not None}


@pytest.mark.parametrize(
    "new, expected",
    [
        (changed(), []),
        (
            changed(v4=["redistribute connected", "neighbor swp1 activate", "maximum-paths 128"]),
            [*V4, "maximum-paths 128", "exit-address-family", "exit"],
        ),
        (
            changed(v4=["neighbor swp1 activate", "maximum-paths 64"]),
            [*V4, "no redistribute connected", "exit-address-family", "exit"],
        ),
        (
            changed(
                head=["bgp router-id 10.0.0.1"], v4=["redistribute connected", "maximum-paths 64"]
            ),
            [*HEAD, "no neighbor swp1 interface", "exit"],
        ),
        (
            changed(red=None, vrf=None),
            ["vrf RED", "no vni 5001", "exit-vrf", "no router bgp 65001 vrf RED"],
        ),
        (
            changed(top=["ip prefix-list P seq 10 deny any"]),
            ["ip prefix-list P seq 10 deny any"],
        ),
        (
            changed(top=[], map=None),
            ["no route-map M permit 10", "no ip prefix-list P seq 10 permit any"],
        ),
    ],
)
def test_only_what_differs_is_sent(new: Any, expected: list[str]) -> None:
    assert delta.commands({key: list(value) for key, value in OLD.items()}, new) == expected


def test_a_peer_of_another_origin_is_made_anew() -> None:
    other = ["bgp router-id 10.0.0.1", "neighbor swp1 interface", "neighbor swp1 remote-as 65009"]
    lines = delta.commands(dict(OLD), changed(head=other))
    assert lines.index("no neighbor swp1 interface") < lines.index("neighbor swp1 interface")
    assert lines.index("neighbor swp1 remote-as 65009") < lines.index("neighbor swp1 activate")


def test_a_peer_group_takes_its_members_along() -> None:
    old = {
        HEAD: [
            "neighbor G peer-group",
            "neighbor G remote-as 1",
            "neighbor swp1 interface peer-group G",
        ]
    }
    new = {
        HEAD: [
            "neighbor G peer-group",
            "neighbor G remote-as 2",
            "neighbor swp1 interface peer-group G",
        ]
    }
    assert delta.commands(old, new) == [
        *HEAD,
        "no neighbor swp1 interface",
        "exit",
        *HEAD,
        "no neighbor G peer-group",
        "exit",
        *HEAD,
        *new[HEAD],
        "exit",
    ]


def test_a_tenant_gets_its_vni_after_its_targets_and_anew_when_they_change() -> None:
    instance = "router bgp 65001 vrf RED"
    evpn = (instance, "address-family l2vpn evpn")
    old = {("vrf RED",): ["vni 5001"], (instance,): [], evpn: ["route-target import 1:1"]}
    lines = delta.commands({}, old)
    assert lines.index("route-target import 1:1") < lines.index("vni 5001")
    lines = delta.commands(old, {**old, evpn: ["route-target import 1:2"]})
    assert [line for line in lines if "vni" in line or "target" in line] == [
        "no vni 5001",
        "no route-target import 1:1",
        "route-target import 1:2",
        "vni 5001",
    ]


def test_a_route_map_entry_turns() -> None:
    old: dict[Any, Any] = {("route-map M permit 10",): []}
    lines = delta.commands(old, {("route-map M deny 10",): []})
    assert lines == ["route-map M deny 10", "exit"]


def test_another_number_for_the_default_instance_rebuilds_all() -> None:
    new = {
        (key[0].replace("65001", "65009"), *key[1:]) if "bgp" in key[0] else key: value
        for key, value in OLD.items()
    }
    lines = delta.commands(dict(OLD), new)
    assert lines[:2] == ["no router bgp 65001 vrf RED", "no router bgp 65001"]
    assert "neighbor swp1 activate" in lines


@pytest.mark.parametrize(
    "document, refused, stored",
    [
        ({"interface": {"swp1": {"link": {"mtu": 9216}}}}, [], []),
        ({"interface": {"swp1": {"bond": {"x": 1}}}}, ["interface.swp1.bond.x"], []),
        ({"bridge": {"domain": {"b": {"unknown": 1}}}}, ["bridge.domain.b.unknown"], []),
        ({"qos": {"roce": {"state": "enabled"}}}, [], ["qos.roce.state"]),
        ({"interface": {"eth0": {"vrf": "mgmt"}}}, [], ["interface.eth0.vrf"]),
        (
            {"interface": {"swp1": {"router": {"adaptive-routing": {"state": "enabled"}}}}},
            [],
            ["interface.swp1.router.adaptive-routing.state"],
        ),
        (
            {"vrf": {"RED": {"router": {"ospf": {"state": "enabled"}}}}},
            ["vrf.RED.router.ospf.state"],
            [],
        ),
        ({"vrf": {"RED": {}}}, [], []),
    ],
)
def test_coverage(document: Any, refused: list[str], stored: list[str]) -> None:
    assert coverage.sort(document) == (refused, stored)


def test_a_leak_between_vrfs_needs_vrf_devices() -> None:
    """Namespaces have no way from one VRF to the other, and to say nothing would be a lie."""
    document = routing({})
    leak = {"route-import": {"from-vrf": {"state": "enabled", "list": {"BLUE": {}}}}}
    body = {"state": "enabled", "address-family": {"ipv4-unicast": {"state": "enabled", **leak}}}
    document["vrf"]["RED"] = {"router": {"bgp": body}}
    found = bgp.contexts(document)
    assert "import vrf BLUE" in found["router bgp 65001 vrf RED", V4[1]]
    with pytest.raises(Refused, match="RED takes routes of another VRF"):
        realiser.Realiser("netns", RuntimeError).realise(document)


def test_the_machine_of_a_document() -> None:
    document = {
        "interface": {
            "swp1": {"link": {"breakout": {"2x": {}}}},
            "swp1s0": {
                "vrf": "RED",
                "link": {"mtu": 9166},
                "ipv4": {"address": {"10.0.0.1/31": {}}},
            },
            "swp3": {"link": {"mtu": 9216, "state": {"down": {}}}},
            "swp4": {"link": {"mtu": 9000}},
            "lo": {"ipv4": {"address": {"10.254.0.1/32": {}}}},
        },
        "vrf": {"RED": {"evpn": {"vni": {"5001": {}}}}, "default": {}, "mgmt": {}},
        "nve": {"vxlan": {"state": "enabled", "source": {"address": "10.254.0.1"}}},
    }
    made = model.machine(document)
    assert sorted(made.ports) == ["swp1s0", "swp3", "swp4"]
    assert (made.ports["swp1s0"].vrf, made.ports["swp3"].up) == ("RED", False)
    assert list(made.vrfs) == ["RED"]
    assert made.overlay_mtu == 8950


def test_acl_text() -> None:
    rule = {
        "match": {"ip": {"source-ip": "10.0.0.0/8", "tcp": {"dest-port": {"22": {}, "179": {}}}}},
        "action": {"deny": {}},
    }
    document = {
        "acl": {"A": {"type": "ipv4", "rule": {"10": rule}}},
        "interface": {"swp1": {"vrf": "RED", "acl": {"A": {"inbound": {"control-plane": {}}}}}},
        "vrf": {"RED": {}},
    }
    text = filters.nftables(acl.filters(document, "netns")["RED"])
    assert (
        "meta nfproto ipv4 ip saddr 10.0.0.0/8 meta l4proto tcp tcp dport { 22, 179 } counter drop"
        in text
    )
    assert 'iifname "swp1" jump acl-A' in text.partition("chain control")[2]
    assert "jump" not in filters.nftables(acl.filters(document, "netns")[""])
    assert 'sdifname "swp1"' in filters.nftables(acl.filters(document, "kernel")[""])


KERNEL_ROUTES = [
    {"type": "unreachable", "dst": "default", "metric": 4278198272, "flags": []},
    {"dst": "10.1.10.0/24", "nhid": 460, "protocol": "bgp", "metric": 20, "flags": []},
    {
        "dst": "10.1.30.0/24",
        "dev": "vlan30",
        "protocol": "kernel",
        "scope": "link",
        "prefsrc": "10.1.30.3",
        "flags": [],
    },
    {"dst": "10.1.30.0/24", "nhid": 461, "protocol": "bgp", "metric": 21, "flags": []},
    {"dst": "10.1.30.106", "nhid": 459, "protocol": "bgp", "metric": 20, "flags": []},
]
"""Output of ip(8) for a VRF; the second route of a prefix is never used."""

PUBLISHED = {
    "0.0.0.0/0": ["unreachable", "boot", "global", "Metric: 4278198272"],
    "10.1.10.0/24": ["nhid 460", "bgp", "global", "Metric: 20"],
    "10.1.30.0/24": ["dev vlan30", "kernel", "link", "PrefSrc: 10.1.30.3"],
    "10.1.30.106/32": ["nhid 459", "bgp", "global", "Metric: 20"],
}
"""The rows that the NVUE reference shows of such a VRF."""


@pytest.mark.parametrize(
    ("backend", "where"),
    [("netns", "ip -n BLUE -j -4 route show"), ("kernel", "ip -j -4 route show vrf BLUE")],
)
def test_the_fib_is_the_kernels_table_of_the_vrf(
    monkeypatch: pytest.MonkeyPatch, backend: str, where: str
) -> None:
    asked = []

    def run(argv: list[str]) -> str:
        asked.append(" ".join(argv))
        return json.dumps(KERNEL_ROUTES)

    monkeypatch.setattr(kernel, "run", run)

    class Machine:
        """A realiser with one VRF."""

        fabricator = type("F", (), {"vrfs": staticmethod(lambda: {"BLUE"})})

    Machine.backend = backend
    told = observe.answer(Machine(), ["vrf", "BLUE", "router", "fib", "ipv4"])
    assert {prefix: list(row.values()) for prefix, row in told["route"].items()} == PUBLISHED
    assert asked == [where]
    assert observe.answer(Machine(), ["vrf", "RED", "router", "fib", "ipv4"]) is observe.MISSING


def test_a_vrf_says_who_brought_a_route_and_what_a_neighbour_is_sent() -> None:
    path = {"bestpath": True, "peerId": "192.0.2.1", "nexthops": [{"ip": "192.0.2.1"}]}
    family, answers = "show bgp vrf BLUE ipv4 unicast", {}
    answers[f"{family} json"] = {"routes": {"0.0.0.0/0": [path]}}
    sent = {"advertisedRoutes": {"10.160.0.0/31": {}}}
    answers[f"{family} neighbors 192.0.2.1 advertised-routes json"] = sent
    came = {"receivedRoutes": {"0.0.0.0/0": {}, "203.0.113.0/24": {}}}
    answers[f"{family} neighbors 192.0.2.1 received-routes json"] = came
    answers[f"{family} neighbors 192.0.2.3 received-routes json"] = {
        "warning": "Inbound soft reconfiguration not enabled"
    }

    class Machine:
        """A realiser with one VRF, whose FRR answers two commands."""

        fabricator = type("F", (), {"vrfs": staticmethod(lambda: {"BLUE"})})
        frr = type("Frr", (), {"ask": staticmethod(answers.get)})

    bgp_of = ["vrf", "BLUE", "router", "bgp"]
    told = observe.answer(Machine(), [*bgp_of, "address-family", "ipv4-unicast", "route"])
    assert told["0.0.0.0/0"]["path"]["1"]["peer"] == {"id": "192.0.2.1"}
    peer = [*bgp_of, "neighbor", "192.0.2.1", "address-family"]
    told = observe.answer(Machine(), [*peer, "ipv4-unicast", "advertised-routes"])
    assert told == {"10.160.0.0/31": {}}
    assert observe.answer(Machine(), [*peer, "ipv6-unicast", "advertised-routes"]) == {}
    told = observe.answer(Machine(), [*peer, "ipv4-unicast", "received-routes"])
    assert list(told) == ["0.0.0.0/0", "203.0.113.0/24"]
    peer[-2] = "192.0.2.3"
    assert observe.answer(Machine(), [*peer, "ipv4-unicast", "received-routes"]) == {}


@pytest.mark.parametrize(
    "backend, vrf, begin",
    [
        ("netns", "red", ["ip", "netns", "exec", "red", "ping"]),
        ("kernel", "red", ["ip", "vrf", "exec", "red", "ping"]),
        ("netns", "default", ["ping"]),
    ],
)
def test_a_ping_from_a_vrf(backend: str, vrf: str, begin: list[str]) -> None:
    options = {"destination": "fd00::2", "count": 1, "wait": 1, "l3protocol": "ipv6"}
    found = echo.command(backend, vrf, options)
    assert found == [*begin, "-n", "-c", "1", "-W", "1", "-6", "fd00::2"]


@pytest.mark.parametrize(
    "text, rows",
    [
        ("", []),
        ('[{"ifname":"lo"},{}]', [{"ifname": "lo"}]),
        ('[{"id":10fan-map ,"port":4789}]', [{"id": 10, "port": 4789}]),
        ('[{"id":10fan-map }]', [{"id": 10}]),
    ],
)
def test_ubuntus_word_amid_a_vxlan_is_passed_over(text, rows):
    assert kernel.rows(text) == rows
