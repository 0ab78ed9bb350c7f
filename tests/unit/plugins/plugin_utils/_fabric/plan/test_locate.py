# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locate: every address, port and name of a plan leads back to its place."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import rows
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.locate import (
    address_of,
    sentence,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged_cabling import (
    is_converged,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    NETWORKS,
    SMALL,
    TWO_PLANES,
    build,
    example,
)

TINY = {"capacity": {"sus_per_pod": 2, "slots_per_su": 3}, "switches": {"usable_ports": 16}}
CORE = {**NETWORKS, "core": {}, "front_end": {"host_speed": "400G"}}
CX8 = {"model": "ConnectX-8"}
ROUTED = {
    "front_end": {"host_speed": "200G", "attachment": "routed"},
    "storage": {**NETWORKS["storage"], "attachment": "routed"},
    "border": NETWORKS["border"],
}
SIX = {"profile": "octet-v4", "routed_ports": "numbered-127"}
ROUTED_SIX = {
    **ROUTED,
    "storage": {**ROUTED["storage"], "arrays": [], "array_prefixes": ["2001:db8:a::/48"]},
}
FABRICS = {
    **{name: lambda name=name: example(name) for name in (*SMALL, "brownfield-256")},
    "lab-converged": lambda: example("lab-converged"),
    "core": lambda: build(**TINY, networks=CORE),
    "routed networks": lambda: build(**TINY, networks=ROUTED),
    "routed networks, v6": lambda: build(**TINY, networks=ROUTED_SIX, addressing=SIX),
    "two planes": lambda: build(**TINY, planes=TWO_PLANES),
    "hwplb": lambda: build(
        **{**TINY, "switches": {"usable_ports": 32, "host_speed": "200G"}},
        nics=CX8,
        planes={"count": 4, "mode": "split", "balancing": "hwplb"},
    ),
    "by rail": lambda: build(**TINY, planes={"count": 8, "mode": "by-rail"}),
    "v6": lambda: build(**TINY, addressing={"profile": "nvidia-guide-v6"}),
    "v6 /127": lambda: build(**TINY, addressing={"profile": "nvidia-guide-v6", "p2p127": True}),
    "top of rack": lambda: build(**TINY, wiring={"mode": "top-of-rack"}),
    "numbered": lambda: build(
        **TINY, addressing={"profile": "octet-v4", "inter_switch": "numbered-31"}
    ),
    "numbered v6, three tiers": lambda: build(
        tiers=3,
        switches={"usable_ports": 16},
        rails=2,
        capacity={"pods": 3, "sus_per_pod": 2, "slots_per_su": 3},
        addressing={"profile": "octet-v4", "inter_switch": "numbered-127"},
    ),
}


@pytest.fixture(params=FABRICS)
def fabric(request):
    return FABRICS[request.param]()


def test_every_address_leads_back(fabric):
    """All exported addresses: to a place with that device, and that port on links."""
    exported = list(rows.addresses(fabric))
    assert len(exported) > 30
    for row in exported:
        places = fabric.locate(row.address)
        places_of = {(p["device"], p.get("port")) for p in places}
        if row.kind == "link":
            assert (row.device, row.port) in places_of
            network = ipaddress.ip_network(places[0]["prefix"])
            assert ipaddress.ip_address(row.address) in network
            assert network.prefixlen == row.length
        else:
            assert places_of == {(row.device, None)}
        assert all(place["present"] for place in places)


def ports(fabric, device):
    """The ports of a device whose other end is in the fabric, on either cable map."""
    net = fabric.converged
    if isinstance(device, Node):
        return [*fabric.cabling.nic_ports(), *(net.node_ports() if net else ())]
    found = net.ports(device) if is_converged(device) else fabric.cabling.ports(device)
    return [port for port in found if port.kind not in ("array", "external")]


def test_every_port_leads_back(fabric):
    """`device:port` gives the port, and its peer gives it back."""
    for device in fabric.devices():
        name = fabric.name(device)
        for port in ports(fabric, device):
            text = fabric.port_name(device, port)
            (place,) = fabric.locate(f"{name}:{text}")
            assert (place["device"], place["port"]) == (name, text)
            (back,) = fabric.locate(f"{place['peer_device']}:{place['peer_port']}")
            assert (back["peer_device"], back["peer_port"]) == (name, text)
            assert back["address"] == place["peer_address"]
            if place["address"]:
                assert place["address"] in {p["address"] for p in fabric.locate(place["address"])}


def test_every_name_leads_back(fabric):
    for device in fabric.devices():
        (place,) = fabric.locate(fabric.name(device))
        assert place["device"] == fabric.name(device)
        assert fabric.device(place["device"]) == device


def test_address_is_the_inverse(fabric):
    """Whatever locate says of an address, `address_of` turns into the address again."""
    for row in rows.addresses(fabric):
        for place in fabric.locate(row.address):
            assert address_of(fabric, place) == row.address


@pytest.mark.parametrize("name", [*SMALL, "brownfield-256"])
def test_address_is_the_inverse_in_every_block(name):
    """Also of what no list tells: BMCs, DPUs, storage links, gateways, and slots not built."""
    fabric, kinds = example(name), set()
    for layout in fabric.addresses.pools.values():
        network = ipaddress.ip_network(layout.base)
        for start in range(0, network.num_addresses, network.num_addresses // 8):
            for number in range(start, start + 80):
                text = str(network[number])
                try:
                    (place,) = fabric.locate(text)
                except NotInFabric:
                    continue
                assert address_of(fabric, place) == text
                kinds.add((place["kind"], place.get("unit"), place.get("side")))
    units = {unit for kind, unit, _side in kinds if kind == "host_oob"}
    assert {"bmc", "dpu_bmc", "dpu_oob", "spare 5", "spare 6"} <= units
    assert {("dpu", None, None), ("storage", None, "host"), ("storage", None, "leaf")} <= kinds
    assert ("oob_gateway", None, None) in kinds


def test_a_port_without_an_address_has_none():
    """Not that of the switch: a link between switches may be unnumbered."""
    fabric = example("lab")
    (place,) = fabric.locate("leaf-p1-su001-r1:swp3s0")
    for what in (place, "leaf-p1-su001-r1:swp3s0"):
        with pytest.raises(NotInFabric, match="swp3s0' has no address of its own"):
            address_of(fabric, what)


@pytest.mark.parametrize(
    "place, side, address",
    [
        ("worker-su01-rack01-h02:rail2p1", "host", "172.18.0.2"),
        ("worker-su01-rack01-h02:rail2p1", "leaf", "172.18.0.3"),
        ("su01/h02/rail2p1", "host", "172.18.0.2"),
        ("leaf-p1-su001-r2:swp1s1", "leaf", "172.18.0.3"),
        ("leaf-p1-su001-r2", "host", "10.134.0.1"),
    ],
)
def test_address_of_a_place(place, side, address):
    assert address_of(example("lab"), place, side=side) == address


def test_everything_about_a_host_link():
    (place,) = example("lab").locate("172.18.1.2/31")
    assert place == {
        "fabric": "lab",
        "kind": "host_link",
        "side": "host",
        "tier": 0,
        "role": "node",
        "device": "worker-su02-rack01-h02",
        "present": True,
        "plane": 0,
        "pod": 0,
        "su": 1,
        "rail": 1,
        "node": "worker-su02-rack01-h02",
        "slot": 1,
        "rack": 0,
        "port": "rail2p1",
        "cage": 1,
        "address": "172.18.1.2",
        "prefix": "172.18.1.2/31",
        "peer_device": "leaf-p1-su002-r2",
        "peer_port": "swp1s1",
        "peer_address": "172.18.1.3",
    }


def test_hwplb_yields_every_place():
    fabric = FABRICS["hwplb"]()
    address = fabric.slice(Node(0, 1, 2))["ports"][0]["address"]
    places = fabric.locate(address)
    assert [place["port"] for place in places] == [f"rail1p{plane}" for plane in (1, 2, 3, 4)]
    assert [place["peer_device"] for place in places] == [
        f"leaf-p{plane}-su002-r1" for plane in (1, 2, 3, 4)
    ]


def test_places_of_a_node():
    fabric = example("lab")
    for text in ("su02/h03", "pod01/su02/h03", "02/03", "worker-su02-rack02-h03"):
        (place,) = fabric.locate(f" {text} ")
        assert (place["device"], place["rack"]) == ("worker-su02-rack02-h03", 1)


def test_what_is_not_built_says_so():
    (place,) = example("lab").locate("172.16.0.6")
    assert (place["slot"], place["present"]) == (3, False)
    assert sentence(place).endswith("[not built]")


POOLS = "host links 172.16.0.0/12, loopback 10.128.0.0/13, vtep 10.136.0.0/13"
UNKNOWN = [
    ("192.0.2.1", f"192.0.2.1 belongs to no place of fabric lab, whose pools are {POOLS}"),
    ("fd02::1", f"fd02::1 belongs to no place of fabric lab, whose pools are {POOLS}"),
    ("::ac12:102", "belongs to no place"),
    ("172.17.1.2", "belongs to no place"),
    ("10.134.0.4", "belongs to no place"),
    ("10.128.0.0", "belongs to no place"),
    ("10.136.0.1", "belongs to no place"),
    (
        "leaf-p1-su003-r1",
        "is not an address, device, port or place of fabric lab, did you mean 'leaf-p1-su002-r1': use a name such as",
    ),
    ("leaf-p1-su001-r1:swp5s0", "leaf-p1-su001-r1 has no cable at 'swp5s0': use a port such as"),
    ("leaf-p1-su001-r1:swp1", "has no cable at 'swp1'"),
    ("worker-su01-rack01-h01:rail3p1", "has no cable at 'rail3p1'"),
    ("su01", "is not an address, device, port or place"),
    ("00:00:5e:00:53:01", "is not an address, device, port or place"),
    (f"worker-su{'9' * 5000}-rack01-h01", "999999999-rack01-h01' is not an address, device, port"),
    (f"su01/h{'9' * 5000}", "999' is not an address, device, port or place"),
    (f"worker-su01-rack01-h01:rail{'9' * 5000}p1", "has no cable at 'rail9999"),
    ("leaf\x1b[31m", r"'leaf\x1b[31m' is not an address"),
    ("", "is not an address, device, port or place"),
]


@pytest.mark.parametrize("text, part", UNKNOWN)
def test_unknown_things_name_the_pools(text, part):
    with pytest.raises(NotInFabric) as caught:
        example("lab").locate(text)
    assert part in str(caught.value)


@pytest.mark.parametrize("text", ["10.1.2", "300.1.1.1", "fd02:::1", "1.2.3.4.5"])
def test_malformed_addresses(text):
    with pytest.raises(FabricError, match="is not an IPv4 or IPv6 address"):
        example("lab").locate(text)


@settings(max_examples=300)
@given(
    st.text(max_size=40)
    | st.from_regex(r"[0-9./:a-f]{1,20}")
    | st.from_regex(r"(leaf|worker|spine|su|pod|rail)[-p0-9/:\[\]*,suhr]{1,30}")
)
def test_whatever_is_asked_gets_places_or_a_sentence(text):
    fabric = example("lab-3tier")
    for ask in (fabric.locate, lambda place: [address_of(fabric, place)]):
        try:
            answer = ask(text)
        except FabricError as exc:
            answer = exc.sentences
        assert len(answer) == 1
        assert "\n" not in str(answer[0])


SENTENCES = [
    (
        "172.18.1.2",
        "lab: 172.18.1.2 is the NIC end of a host link, on worker-su02-rack01-h02 port rail2p1 "
        "(plane 1, pod 1, su 2, rail 2, slot 2, rack 1) <-> leaf-p1-su002-r2 port swp1s1 "
        "172.18.1.3 (cage 1)",
    ),
    ("10.134.0.1", "lab: 10.134.0.1 is the loopback address of leaf-p1-su001-r2 (plane 1, pod 1, "),
    ("10.176.4.7", "lab: 10.176.4.7 is the gateway of the out-of-band subnet of worker-su02-"),
    ("leaf-p1-su001-r1:swp3s0", "lab: leaf-p1-su001-r1 is the end of a link between switches, on "),
    ("spine-p1-s02", "lab: spine-p1-s02 is a spine (plane 1, pod 1, index 2)"),
]


@pytest.mark.parametrize("text, expected", SENTENCES)
def test_one_line_for_a_person(text, expected):
    (place,) = example("lab").locate(text)
    assert sentence(place).startswith(expected)


def test_the_rack_of_the_site_is_named():
    (place,) = example("brownfield-256").locate("10.41.0.11")
    assert "rack G01" in sentence(place)
    assert "unit 4" in sentence(place)


def test_both_ends_of_a_cable_have_the_rack_of_the_site_and_the_cage_of_the_switch():
    """The number that the plan gives to a rack is left out where the site has a name for it."""
    fabric = example("brownfield-256")
    name = fabric.locate("10.41.0.11")[0]["device"]
    (node,) = fabric.locate(f"{name}:rail1p1")
    (leaf,) = fabric.locate(f"{node['peer_device']}:{node['peer_port']}")
    ends = "rack G01, unit 4", f"cage 1, rack {node['peer_rack']}, unit {node['peer_unit']}"
    here, there = sentence(node).split(" <-> ")
    assert (ends[0] in here, "cage" in here, there.endswith(f"({ends[1]})")) == (
        True,
        False,
        True,
    ), there
    here, there = sentence(leaf).split(" <-> ")
    assert (ends[1] in here, there.endswith(f"({ends[0]})")) == (True, True), here


@pytest.mark.parametrize("absent", [["*"], ["*/*/*"]])
def test_where_nothing_is_built_a_planned_name_is_the_example(absent):
    fabric = build(**TINY, absent=absent)
    with pytest.raises(NotInFabric, match=r"use a name such as leaf-p1-su001-r1"):
        fabric.locate("nowhere")
    with pytest.raises(NotInFabric, match=r"use a name such as leaf-p1-su001-r1"):
        fabric.known("nowhere")
    with pytest.raises(FabricError, match=r"is not a place: name a NIC port such as worker-su01-"):
        address_of(fabric, [1])


def test_a_link_has_two_sides():
    fabric = build(**TINY)
    with pytest.raises(FabricError, match="side: 'left' is not allowed: use host or leaf"):
        address_of(fabric, "su01/h01/rail1p1", side="left")


@pytest.mark.parametrize(
    "text, said",
    [
        ("10.200.64.0", "is the loopback address of border-leaf-01-1 (pair 1, member 1)"),
        ("10.202.128.1", "is the vtep address of front-end-leaf-001-2 (pair 1, member 2)"),
        ("front-end-leaf-001-1", "is a front-end-leaf (pair 1, member 1)"),
        ("converged-spine-s02:swp6s1", "<-> front-end-leaf-001-2 port swp4s1 (cage 4)"),
        ("su01/h01", "is a node (pod 1, su 1, slot 1, rack 1)"),
        ("worker-su01-rack01-h01:stor2", "is the node end of a storage link, on"),
        ("front-end-leaf-001-1:swp1s0", "<-> worker-su01-rack01-h01 port front1"),
        ("border-leaf-01-1:swp1s0", "is the port of an external link, on border-leaf-01-1 port"),
        ("storage-leaf-001-2:swp1s2", "cage 1) <-> nfs-1"),
    ],
)
def test_a_place_of_the_converged_fabric_in_words(text, said):
    fabric = example("lab-converged")
    assert said in sentence(fabric.locate(text)[0])


def test_the_block_of_the_converged_fabric_is_the_prefix_of_its_addresses():
    (place,) = example("lab-converged").locate("10.204.192.2")
    assert (place["kind"], place["prefix"]) == ("switch_oob", "10.200.0.0/13")


def test_the_gateway_of_an_out_of_band_subnet_is_that_of_its_role():
    fabric = example("lab-converged")
    (place,) = fabric.locate("10.204.191.254")
    assert (place["kind"], place["role"]) == ("oob_gateway", "front_end_leaf")
    assert place["address"] == fabric.slice("front-end-leaf-001-2")["management_gateway"]
    assert address_of(fabric, place) == "10.204.191.254"


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("10.200.128.9", "the loopback of a front-end-leaf"),
        ("10.202.0.0", "the VTEP of a converged-spine"),
        ("10.204.191.255", "the out-of-band subnet of a front-end-leaf"),
        ("10.205.64.5", "the out-of-band subnet of a role that does not exist"),
        ("10.206.64.0", "the loopback of a VRF of a border-leaf"),
    ],
)
def test_an_address_of_the_block_that_nothing_has_says_what_it_is_kept_for(address, kept):
    with pytest.raises(NotInFabric) as caught:
        example("lab-converged").locate(address)
    assert str(caught.value).startswith(f"{address} is kept for {kept} in fabric lab-converged,")


def test_a_port_in_a_bond_has_no_address():
    with pytest.raises(NotInFabric, match="has no address of its own"):
        address_of(example("lab-converged"), "su01/h01/front1")


@pytest.mark.parametrize(
    ("name", "first"), [("routed networks", "10.160.0.2"), ("routed networks, v6", "fd04::2")]
)
def test_a_routed_port_has_the_address_of_its_place(name, first):
    fabric = FABRICS[name]()
    node = next(fabric.nodes())
    text = address_of(fabric, f"{fabric.name(node)}:front2")
    assert text == first == fabric.addresses.ends(node, fabric.names.net_port("front2")).low
    (place,) = fabric.locate(text)
    assert (place["kind"], place["port"], place["network"]) == (
        "front_end_link",
        "front2",
        "front-end",
    )
    assert address_of(fabric, place) == text
    assert address_of(fabric, "su01/h01/front2", side="leaf") == place["peer_address"]
