# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads of a leaf of the other networks, its plan, and the pairs that are compared.

The answers have the shapes of the NVUE reference and of Cumulus Linux's page on BGP: a segment as
`nv show evpn multihoming esi -o json`, a route as `advertised-routes -o json`, whose paths name their peer.
"""

from __future__ import annotations

import shutil
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.networks_view import (
    NetworksReading,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.validate import networks
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.validate.records import (
    LEAF,
    LeafFacts,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.validate.request import (
    Options,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApiError,
    UnfitError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api, Clock
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

from .test_switch import ABSENT, Switch

PEER, OTHER = "192.0.2.1", "swp9s0.3034"
VRFS = (
    {
        "vrf": "t21-acme",
        "version": 4,
        "sessions": [
            {"peer_address": PEER, "port": "swp9s0", "vlan": 3021},
            {"peer_address": None, "port": "swp9s0", "vlan": 3034},
        ],
    },
    {"vrf": "s21-acme", "version": 4, "sessions": []},
)
SIX = [{**row, "version": 6} for row in VRFS]
BGP = "vrf/t21-acme/router/bgp"
SEGMENT = {"03:44:38:39:ff:02:00:00:00:01": {"flags": {"local": "on"}, "local-interface": "bond1"}}


def route(peer):
    return {"path": {"1": {"aspath": {}, "peer": {"id": peer, "router-id": "10.0.0.1"}}}}


def table(*prefixes):
    return {prefix: route("0.0.0.0") for prefix in prefixes}


GOOD: dict[str, Any] = {
    "evpn/multihoming/esi": SEGMENT,
    "evpn/vni": {"4100021": {"type": "L3"}, "4300021": {"type": "L2"}},
    "service/dhcp-relay": {
        "t21-acme": {"server-group": {"spx": {"server": {"192.0.2.67": {}}}}},
        "t34-old": {"server": {"192.0.2.68": {}}},
    },
    f"{BGP}/neighbor": {PEER: {"state": "established"}, OTHER: {"state": "established"}},
    f"{BGP}/address-family/ipv4-unicast/route": {
        "0.0.0.0/0": route(PEER),
        "198.51.100.0/24": route(PEER),
        "10.208.14.0/23": route("0.0.0.0"),
    },
    f"{BGP}/neighbor/{PEER}/address-family/ipv4-unicast/advertised-routes": table("10.208.14.0/23"),
    f"{BGP}/neighbor/{OTHER}/address-family/ipv4-unicast/advertised-routes": table(
        "10.208.14.0/23"
    ),
    f"{BGP}/neighbor/{PEER}/address-family/ipv4-unicast/received-routes": table(
        "0.0.0.0/0", "198.51.100.0/24", "203.0.113.0/24"
    ),
    f"{BGP}/neighbor/{OTHER}/address-family/ipv4-unicast/received-routes": {},
    "vrf/t21-acme/router/rib/ipv4": {"route": table("0.0.0.0/0", "10.208.14.0/23")},
    "vrf/s21-acme/router/rib/ipv4": {"route": table("10.216.14.0/23")},
}


class Leaf(Switch):
    """Leaf whose missing tables are not there."""

    def __init__(self, answers):
        super().__init__(answers)
        self.asked: list[str] = []

    def request(self, method, path, *rest):
        place = path.removeprefix("/nvue_v1").strip("/").replace("%3A", ":")
        self.asked.append(place)
        self.answers.setdefault(place, ABSENT)
        return super().request(method, path, *rest)


def keeps(*peers: str) -> dict[str, Any]:
    """An applied configuration that keeps what some peers give."""
    family = {"ipv4-unicast": {"soft-reconfiguration": "enabled"}}
    found = {peer: {"address-family": family} for peer in peers}
    return {"vrf": {"t21-acme": {"router": {"bgp": {"neighbor": found}}}}}


def read(changes=None, vrfs=VRFS, applied=None) -> NetworksReading:
    leaf = Leaf({**GOOD, **(changes or {})})
    api = Api(leaf, Auth("u", "p"), clock=Clock(sleep=lambda _seconds: None))
    applied = keeps(PEER, OTHER) if applied is None else applied
    found = networks.read(api, vrfs, {"vlan21": {}}, applied)
    assert len(leaf.asked) <= 20
    return found


def test_everything_is_read():
    found = read()
    assert found.segments == SEGMENT
    assert sorted(found.vnis) == ["4100021", "4300021"]
    assert found.relays == {"t21-acme": ["192.0.2.67"], "t34-old": ["192.0.2.68"]}
    assert set(found.neighbors["t21-acme"]) == {PEER, OTHER}
    assert found.accepted["t21-acme", PEER] == {"0.0.0.0/0", "198.51.100.0/24"}
    assert found.announced["t21-acme", PEER] == {"10.208.14.0/23"}
    assert found.received == {
        ("t21-acme", PEER): {"0.0.0.0/0", "198.51.100.0/24", "203.0.113.0/24"},
        ("t21-acme", OTHER): set(),
    }
    assert found.routes == {
        "t21-acme": {"0.0.0.0/0", "10.208.14.0/23"},
        "s21-acme": {"10.216.14.0/23"},
    }


def test_routes_are_known_by_the_version_of_ip_that_the_vrf_has():
    """A switch shows no IPv4 table of a VRF with IPv6 alone, and one that leaves out the IPv6 one has not answered."""
    rib = "vrf/s21-acme/router/rib"
    six = {f"{rib}/ipv4": ABSENT, f"{rib}/ipv6": {"route": table("fd04::4/127")}}
    assert read(six, SIX[1:]).routes == {"s21-acme": {"fd04::4/127"}}
    assert read({f"{rib}/ipv6": ABSENT}, SIX[1:]).routes == {"s21-acme": None}


def test_what_a_peer_hears_is_known_by_that_version_too():
    """Also of an unnumbered peer; a route of the other version that it hears is seen nevertheless."""
    places = {peer: f"{BGP}/neighbor/{peer}/address-family" for peer in (PEER, OTHER)}
    six = {f"{at}/ipv6-unicast/advertised-routes": table("fd04::4/127") for at in places.values()}
    none = {f"{at}/ipv4-unicast/advertised-routes": ABSENT for at in places.values()}
    heard = {("t21-acme", peer): {"fd04::4/127"} for peer in places}
    assert read({**six, **none}, SIX[:1]).announced == heard
    both = {key: {*prefixes, "10.208.14.0/23"} for key, prefixes in heard.items()}
    assert read(six, SIX[:1]).announced == both
    assert read({}, SIX[:1]).announced == dict.fromkeys(heard)


def test_what_an_unnumbered_peer_brought_is_not_known():
    assert read().accepted["t21-acme", OTHER] is None


@pytest.mark.parametrize(
    ("place", "answer", "known"),
    [
        ("evpn/multihoming/esi", ABSENT, lambda found: found.segments),
        ("evpn/vni", ABSENT, lambda found: found.vnis),
        ("service/dhcp-relay", ABSENT, lambda found: found.relays),
        ("vrf/s21-acme/router/rib/ipv4", ABSENT, lambda found: found.routes["s21-acme"]),
        (
            f"{BGP}/address-family/ipv4-unicast/route",
            ABSENT,
            lambda found: found.accepted["t21-acme", PEER],
        ),
        (
            f"{BGP}/address-family/ipv4-unicast/route",
            {"198.51.100.0/24": {"path-count": 1}},  # the brief form names no peer
            lambda found: found.accepted["t21-acme", PEER],
        ),
        (
            f"{BGP}/neighbor/{PEER}/address-family/ipv4-unicast/advertised-routes",
            ABSENT,
            lambda found: found.announced["t21-acme", PEER],
        ),
        (
            f"{BGP}/neighbor/{PEER}/address-family/ipv4-unicast/received-routes",
            ABSENT,
            lambda found: found.received["t21-acme", PEER],
        ),
    ],
)
def test_what_a_leaf_does_not_report_is_not_known(place, answer, known):
    assert known(read()) is not None
    assert known(read({place: answer})) is None


@pytest.mark.parametrize(
    "answer",
    [["198.51.100.0/24"], Reply(500, {}, b'{"title": "Inbound soft reconfiguration not enabled"}')],
)
def test_another_answer_to_what_a_peer_gives_takes_no_other_check_along(answer):
    place = f"{BGP}/neighbor/{PEER}/address-family/ipv4-unicast/received-routes"
    found = read({place: answer})
    assert found.received["t21-acme", PEER] is None
    assert found.accepted["t21-acme", PEER]


def test_a_session_that_keeps_nothing_has_given_nothing_that_is_known():
    assert read(applied=keeps(PEER)).received == {
        ("t21-acme", PEER): read().received["t21-acme", PEER],
        ("t21-acme", OTHER): None,
    }


def test_sessions_that_are_not_there_are_missing_and_a_refusal_stays_one():
    assert read({f"{BGP}/neighbor": ABSENT}).neighbors == {"t21-acme": {}}
    with pytest.raises(UnfitError):
        read({"evpn/vni": ["4100021"]})
    with pytest.raises(ApiError):
        read({"evpn/vni": Reply(500, {}, b'{"title": "Internal Server Error"}')})


# The plan


TENANTS = """
tenants:
  - id: 21
    slug: acme
    nodes: ["su01/h01", "su01/h02"]
    networks: [east-west, front-end, storage]
    external_peers:
      - {name: up, link: isp-a, asn: 64601, address: 192.0.2.0/31, peer_address: 192.0.2.1}
  - {id: 34, slug: umbrella, nodes: ["su01/h03"], networks: [east-west, front-end]}
"""


@pytest.fixture
def lab(tmp_path):
    """The fabric, with changes, and its registry."""

    def made(**changes):
        model = shutil.copytree(INVENTORIES / "lab-converged" / "model", tmp_path / "model")
        path = model / "fabric.yml"
        path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **changes}))
        fabric = Fabric.load(str(path))
        return fabric, Registry.parse(fabric, TENANTS)

    return made


def viewed(fabric, registry, name, segments=None):
    return networks.plan(fabric, registry, fabric.known(name), NetworksReading(segments=segments))


def test_the_plan_of_a_border_leaf(lab):
    view = viewed(*lab(), "border-leaf-01-1")
    assert [(row["vrf"], name) for row, _session, name in view.sessions()] == [("t21-acme", PEER)]
    assert view.defaults == {"t21-acme"}
    assert view.owned["t21-acme"] == ["10.208.14.0/23"]
    assert view.partner


def test_the_plan_of_a_leaf_with_nodes(lab):
    fabric, registry = lab(
        out_of_service=[{"device": "front-end-leaf-001-2", "since": "2026-11-20", "reason": "x"}]
    )
    view = viewed(fabric, registry, "front-end-leaf-001-1")
    assert view.partner is None
    assert len(list(view.segments())) > 2
    assert {row["vrf"] for row in view.vrfs} >= {"t21-acme", "t34-umbrella"}


@pytest.mark.parametrize("mode", ["per-tenant", "shared"])
def test_a_tenant_reaches_the_service_of_shared_storage_on_every_leaf(lab, mode):
    described = yaml.safe_load((INVENTORIES / "lab-converged" / "model" / "fabric.yml").read_text())
    block = described["networks"]
    block["storage"] |= {"mode": mode, "node_ports": 0, "pci": []}
    view = viewed(*lab(networks=block), "front-end-leaf-001-1")
    meet = {"s21-acme": {"s4-storage"}, "s4-storage": {"s21-acme"}}
    assert view.reaches == (meet if mode == "shared" else {})


def test_what_is_an_owners_own_and_what_nobody_outside_may_give(lab):
    """Quarantine and rest are one, as one router leads both to the provisioning servers."""
    view = viewed(*lab(), "border-leaf-01-1")
    assert view.home["t21-acme"] == view.home["s21-acme"] == ["10.208.14.0/23", "10.216.14.0/23"]
    assert view.home["t1-quarantine"] == view.home["t2-rest"]
    said = [one.said for one in view.blocks]
    assert "10.208.14.0/23 of acme on the network front-end" in said
    assert any("addressing.pools.loopback" in words for words in said)


@pytest.fixture(autouse=True)
def _begun(begin):
    begin()


def asked(fabric, registry, segments, *, leaves=None, means=lambda _name: True):
    for name, body in segments.items():
        store.put(LEAF, LeafFacts(segments=body), of=name)
    return SimpleNamespace(
        fabric=fabric,
        registry=registry,
        run=SimpleNamespace(store=store),
        options=Options(leaves=list(segments) if leaves is None else leaves),
        means=means,
    )


def test_pairs_are_compared_once_and_one_that_was_not_read_is_not_known(lab):
    fabric, registry = lab()
    names = [fabric.name(device) for device in fabric.switches() if device.role in networks.LEAVES]
    found = networks.pairs(asked(fabric, registry, dict.fromkeys(names)))
    states = {row["device"]: row["state"] for row in found}
    assert set(states.values()) == {"not_run"}
    assert states.keys() == {"front-end-leaf-001-1", "storage-leaf-001-1"}
    assert networks.pairs(asked(fabric, registry, dict.fromkeys(names), leaves=[])) == []


def test_both_leaves_are_compared(lab):
    fabric, registry = lab()
    pair = ("front-end-leaf-001-1", "front-end-leaf-001-2")
    said = {}
    for name, role in zip(pair, ("designated-forward", "non-designated-forward")):
        flags = {"local": "on", role: "on"}
        said[name] = {
            esi: {"flags": flags, "local-interface": bond}
            for bond, esi in viewed(fabric, registry, name).segments()
        }
    assert [row["state"] for row in networks.pairs(asked(fabric, registry, said))] == ["pass"]
    said[pair[1]].popitem()
    found = networks.pairs(asked(fabric, registry, said))
    assert {row["state"] for row in found} == {"fail"}


@pytest.mark.parametrize(
    ("name", "checks", "due"),
    [
        ("border-leaf-01-1", [], True),
        ("border-leaf-01-1", ["network.vlan"], True),
        ("border-leaf-01-1", ["switch"], False),
        ("border-leaf-01-1", ["host"], False),
        ("converged-spine-s01", [], False),
        ("leaf-p1-su001-r1", [], False),
    ],
)
def test_who_is_asked(lab, name, checks, due):
    fabric, _registry = lab()
    question = SimpleNamespace(options=Options(checks))
    assert networks.due(question, fabric.known(name)) is due
