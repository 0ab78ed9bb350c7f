# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The address plan as a whole: uniqueness at full size, ASNs, out-of-band, sites, planes."""

from __future__ import annotations

import ipaddress
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    NicPort,
    Node,
    Switch,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    BY_RAIL,
    EXAMPLES,
    TWO_PLANES,
    build,
    example,
)


def number(text):
    return int(ipaddress.ip_address(text))


def links(fabric):
    """(host, leaf) of every host link at capacity."""
    nics = list(fabric.cabling.nic_ports())
    for node in fabric.cabling.nodes():
        for nic in nics:
            yield fabric.addresses.link(node, nic)


def test_no_duplicate_among_524288_links():
    ends = set()
    count = 0
    for host, leaf in links(example("max-524288")):
        ends.add(host)
        ends.add(leaf)
        count += 1
    assert count == 524_288
    assert len(ends) == 2 * count


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "max-524288"])
def test_no_duplicate_in_the_other_examples(name):
    ends = [address for pair in links(example(name)) for address in pair]
    assert len(set(ends)) == len(ends)


PROFILES = ["nvidia-guide-v4-3tier", "nvidia-guide-v6", "octet-v4", "dense-v4"]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "shape",
    [
        {"planes": {**TWO_PLANES, "count": 4}},
        {"planes": BY_RAIL},
        {"tiers": 3, "capacity": {"pods": 5, "sus_per_pod": 3}},
    ],
)
def test_every_link_encodes_and_decodes(profile, shape):
    capacity = {"sus_per_pod": 3, "slots_per_su": 9, **shape.get("capacity", {})}
    planes = shape.get("planes")
    if planes == BY_RAIL and profile == "nvidia-guide-v4-3tier":
        with pytest.raises(FabricError, match="more than the 4 planes of block set B"):
            build(**shape, addressing={"profile": profile})
        return
    fabric = build(**{**shape, "capacity": capacity}, addressing={"profile": profile})
    seen = set()
    for node in fabric.cabling.nodes():
        for nic in fabric.cabling.nic_ports():
            for side, address in enumerate(fabric.addresses.link(node, nic)):
                (found,) = fabric.addresses.find(address, fabric.addresses.version)
                assert found[:4] == ("host_link", node, nic, side)
                seen.add(address)
    assert len(seen) == 2 * fabric.clos.gpus * (4 if planes and planes["count"] == 4 else 1)


COORDINATES = st.tuples(
    st.integers(0, 127), st.integers(0, 7), st.integers(0, 63), st.integers(0, 7)
)


@given(COORDINATES, st.integers(0, 1))
def test_any_link_of_the_largest_decodes(coordinates, side):
    fabric = example("max-524288")
    pod, su, slot, rail = coordinates
    address = fabric.addresses.link(Node(pod, su, slot), NicPort(rail, 0))[side]
    (found,) = fabric.addresses.find(address, 4)
    assert found[:4] == ("host_link", Node(pod, su, slot), NicPort(rail, 0), side)


def test_octet_example():
    """Plane 1, rail 3, pod 17, SU 5, slot 31 of a fabric of 128 pods."""
    fabric = build(tiers=3, planes=TWO_PLANES, capacity={"pods": 128, "sus_per_pod": 8})
    node, nic = Node(17, 5, 31), NicPort(3, 1)
    host, leaf = fabric.addresses.link(node, nic)
    assert (host, leaf) == (number("10.44.141.62"), number("10.44.141.63"))
    cut = fabric.addresses.links.prefix
    assert [cut(host, after=name) for name in ("link", "su", "pod", "rail", "plane")] == [
        "10.44.141.62/31",
        "10.44.141.0/24",
        "10.44.136.0/21",
        "10.44.0.0/14",
        "10.32.0.0/11",
    ]


def test_octet_gives_the_su_what_the_pods_leave():
    """One pod of up to 1,024 SUs: unit = SU, and the third octet reads it."""
    fabric = build(rails=1, capacity={"sus_per_pod": 128})
    host, _leaf = fabric.addresses.link(Node(0, 77, 9), NicPort(0, 0))
    assert host == number("10.0.77.18")
    assert fabric.addresses.links.top("su") == 1023


def test_octet_with_eight_planes():
    eight = {"count": 8, "mode": "split", "balancing": "swplb"}
    fabric = build(nics={"model": "ConnectX-9"}, planes=eight, site_profiles=["ours.yml"])
    assert fabric.addresses.links.top("slot") == 63
    host, _leaf = fabric.addresses.link(Node(0, 3, 63), NicPort(7, 7))
    assert host == number("10.0.0.0") + (7 << 20 | 7 << 17 | 3 << 7 | 63 << 1)


def test_dense_takes_as_few_bits_as_the_capacity_needs():
    fabric = build(addressing={"profile": "dense-v4", "base": "100.100.0.0/16"})
    assert sum(field.width for field in fabric.addresses.links.fields) == 3 + 2 + 6 + 1
    with pytest.raises(FabricError, match="need 12 bits"):
        build(addressing={"profile": "dense-v4", "base": "192.0.2.0/24"})


def test_hwplb_has_one_address_for_all_planes():
    fabric = build(
        nics={"model": "ConnectX-8"},
        planes={"count": 4, "mode": "split", "balancing": "hwplb"},
        addressing={"profile": "nvidia-guide-v6"},
    )
    pairs = {fabric.addresses.link(Node(0, 1, 2), NicPort(3, plane)) for plane in range(4)}
    assert len(pairs) == 1
    for side, address in enumerate(pairs.pop()):
        found = fabric.addresses.find(address, 6)
        assert [place.port.plane for place in found] == [0, 1, 2, 3]
        assert {(place.side, place.device) for place in found} == {(side, Node(0, 1, 2))}


@pytest.mark.parametrize("profile", ["nvidia-guide-v4-2tier", "nvidia-guide-v6", "octet-v4"])
def test_hwplb_addresses_have_no_plane(profile):
    """The field is there and always 0: another value is nobody's address."""
    fabric = build(
        nics={"model": "ConnectX-8"},
        planes={"count": 4, "mode": "split", "balancing": "hwplb"},
        addressing={"profile": profile},
    )
    place = {"site": 0, "rail": 3, "pod": 0, "su": 1, "slot": 2, "side": 0}
    layout = fabric.addresses.links
    assert fabric.addresses.find(layout.encode({**place, "plane": 0}), layout.version)
    with pytest.raises(NotInFabric):
        fabric.addresses.find(layout.encode({**place, "plane": 1}), layout.version)


def test_by_rail_takes_the_plane_from_the_rail():
    fabric = example("multiplane-16384")
    host, _leaf = fabric.addresses.link(Node(0, 1, 2), NicPort(5, 5))
    (found,) = fabric.addresses.find(host, 4)
    assert found.port == NicPort(5, 5)


def test_p2p127():
    fabric = build(addressing={"profile": "nvidia-guide-v6", "p2p127": True})
    host, leaf = fabric.addresses.link(Node(0, 1, 2), NicPort(3, 0))
    assert (host, leaf) == (number("fd02:0:300:102::"), number("fd02:0:300:102::1"))
    assert fabric.addresses.link_length == 127


SWITCHES = [
    # device, loopback, VTEP: role, plane and ordinal in 10.128/13 and 10.136/13
    (Switch("leaf", 0, 0, 0), "10.134.0.0", "10.142.0.0"),
    (Switch("leaf", 0, 17, 43), "10.134.4.107", "10.142.4.107"),
    (Switch("spine", 0, 2, 5), "10.132.0.133", "10.140.0.133"),
    (Switch("super_spine", 0, 3, 9), "10.130.0.201", "10.138.0.201"),
]


@pytest.mark.parametrize("switch, loopback, vtep", SWITCHES)
def test_loopbacks(switch, loopback, vtep):
    addresses = example("max-524288").addresses
    assert addresses.loopback(switch) == number(loopback)
    assert addresses.vtep(switch) == number(vtep)


def test_all_switch_numbers_are_unique_at_full_size():
    fabric = build(
        tiers=3,
        nics={"model": "ConnectX-9"},
        release={"ra": "2.2"},
        planes={**TWO_PLANES, "count": 4},
        switches={"fabric_speed": "200G", "usable_ports": 128},
        capacity={"pods": 128, "sus_per_pod": 8},
    )
    addresses, loopbacks, oob, leaves, shared = fabric.addresses, set(), set(), set(), set()
    for switch in fabric.cabling.switches():
        loopbacks.add(addresses.loopback(switch))
        oob.add(addresses.management(switch)[0])
        asns = leaves if switch.role == "leaf" else shared
        asns.add(addresses.asn(switch))
    assert len(loopbacks) == len(oob) == 4 * 20_480
    assert len(leaves) == 4 * 8192
    assert len(shared) == 4 * 128 + 4
    assert not leaves & shared
    assert min(leaves | shared) >= 4_200_000_000
    assert max(leaves | shared) <= 4_294_967_294


def test_host_out_of_band():
    """One /22 per unit; index 1 host, 2 BMC, 3 DPU BMC, 4 DPU; gateway slot 0 index 7."""
    fabric = example("max-524288")
    address, length, gateway = fabric.addresses.management(Node(1, 2, 3))
    unit = number("10.176.0.0") + ((1 << 3 | 2) << 10)
    assert (address, length, gateway) == (unit + (3 << 3) + 1, 22, unit + 7)
    units = {
        place["unit"]: place["address"]
        for index in range(1, 5)
        for place in fabric.locate(str(ipaddress.ip_address(unit + (3 << 3) + index)))
    }
    assert list(units) == ["host", "bmc", "dpu_bmc", "dpu_oob"]
    (gate,) = fabric.locate(str(ipaddress.ip_address(gateway)))
    assert (gate["kind"], gate["pod"], gate["su"]) == ("oob_gateway", 1, 2)
    for nobody in (unit + (3 << 3) + 7, unit + (3 << 3), unit):
        with pytest.raises(NotInFabric):
            fabric.locate(str(ipaddress.ip_address(nobody)))


def test_switch_out_of_band():
    """One subnet per role and plane, ordinal + 1, the gateway its last host address."""
    fabric = example("b300-4096")
    address, length, gateway = fabric.addresses.management(Switch("leaf", 1, 0, 5))
    subnet = ipaddress.ip_network(f"{ipaddress.ip_address(address)}/{length}", strict=False)
    assert length == 18
    assert address == int(subnet[6])
    assert gateway == int(subnet[-2])
    other = fabric.addresses.management(Switch("spine", 1, 0, 5))
    assert ipaddress.ip_address(other[0]) not in subnet


def test_no_device_takes_the_gateway():
    for name in ("max-524288", "lab-3tier"):
        fabric = example(name)
        gateways, devices = set(), set()
        for device in [*fabric.switches(), *islice(fabric.nodes(), 2000)]:
            address, _length, gateway = fabric.addresses.management(device)
            devices.add(address)
            gateways.add(gateway)
        assert not gateways & devices


NUMBERED = [("numbered-31", 4), ("numbered-127", 6)]


@pytest.mark.parametrize("how, version", NUMBERED)
def test_numbered_links_between_switches(how, version):
    fabric = build(
        tiers=3,
        planes=TWO_PLANES,
        capacity={"pods": 2, "sus_per_pod": 3},
        addressing={"profile": "octet-v4", "inter_switch": how},
    )
    seen = set()
    for switch in fabric.cabling.switches():
        for port in fabric.cabling.ports(switch):
            if port.kind != "up":
                continue
            ends = fabric.addresses.inter_switch(switch, port.index)
            assert ends[0] % 2 == 0
            assert ends[1] == ends[0] + 1
            assert not seen & set(ends)
            seen |= set(ends)
            peer, peer_port = fabric.cabling.peer(switch, port)
            for address, device, own in zip(ends, (switch, peer), (port, peer_port)):
                (place,) = fabric.locate(str(ipaddress.ip_address(address)))
                assert ipaddress.ip_address(address).version == version
                assert place["device"] == fabric.name(device)
                assert place["port"] == fabric.port_name(device, own)


def test_numbered_links_at_full_size_fit_two_planes():
    full = {"tiers": 3, "capacity": {"pods": 128, "sus_per_pod": 8}}
    full |= {"nics": {"model": "ConnectX-9"}, "release": {"ra": "2.2"}}
    numbered = {"profile": "octet-v4", "inter_switch": "numbered-31"}
    assert build(**full, planes=TWO_PLANES, addressing=numbered).addresses.pools["inter_switch"]
    four = {**TWO_PLANES, "count": 4}
    with pytest.raises(FabricError, match=r"pools.inter_switch: .* need 23 bits"):
        build(**full, planes=four, addressing=numbered, switches={"fabric_speed": "200G"})
    assert build(**full, planes=four).clos.planes == 4, "unnumbered links need no block"


def test_a_site_must_state_its_loopbacks_and_vteps():
    with pytest.raises(FabricError) as caught:
        build(site=2)
    assert "addressing.pools.loopback" in str(caught.value)
    assert "addressing.pools.vtep" in str(caught.value)
    with pytest.raises(FabricError, match="from 0 to 6"):
        build(site=7, addressing={"pools": SITE_POOLS})


SITE_POOLS = {"loopback": "10.224.0.0/13", "vtep": "10.232.0.0/13"}


def test_two_sites_share_nothing_that_can_meet():
    """IPv6 links, loopbacks, VTEPs and ASNs differ in every place."""
    addressing = {"profile": "nvidia-guide-v6"}
    one = build(addressing=addressing)
    two = build(site=2, addressing={**addressing, "pools": SITE_POOLS})

    def numbers(fabric):
        addresses = fabric.addresses
        for switch in fabric.cabling.switches():
            yield from (addresses.loopback(switch), addresses.vtep(switch), addresses.asn(switch))
        for node in fabric.cabling.nodes(sus=[0]):
            for nic in fabric.cabling.nic_ports():
                yield from addresses.link(node, nic)

    assert not set(numbers(one)) & set(numbers(two))
    host, _leaf = two.addresses.link(Node(0, 1, 2), NicPort(3, 0))
    assert host == number("fd02:200:300:102::1")
    with pytest.raises(NotInFabric):
        one.locate("fd02:200:300:102::1")


def test_nothing_depends_on_what_is_built():
    whole = build()
    part = build(absent=["su01", "su02/[01-60]"])
    for switch in part.switches():
        assert part.addresses.asn(switch) == whole.addresses.asn(switch)
        assert part.addresses.loopback(switch) == whole.addresses.loopback(switch)
        assert part.name(switch) == whole.name(switch)
