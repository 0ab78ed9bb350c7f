# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Neighbours outside the fabric."""

from __future__ import annotations

import pytest

from .converged_lab import laboratory
from .rows import refused

BORDER = {"border": {"pairs": 1, "links": []}}


def tenants(*peers):
    """acme and globex with a neighbour each: the keys after name and asn."""
    rows = [
        f"  - {{id: {21 + n}, slug: {slug}, networks: [east-west, front-end, storage], external_peers: [{peer}]}}\n"
        for n, (slug, peer) in enumerate(zip(("acme", "globex"), peers))
    ]
    return "tenants:\n" + "".join(rows)


def peer(more="link: isp-a", name="a"):
    return f"{{name: {name}, asn: 64496, {more}}}"


@pytest.fixture
def beside(lab, registry):
    """Return a function from a text to the registry over a converged laboratory."""
    return lambda text, **more: registry(text, laboratory(**more))


HERE = "tenants.yml line 2, tenants[0].external_peers[0]."
THERE = "tenants.yml line 3, tenants[1].external_peers[0]."
NEXT = "tenants.yml line 2, tenants[0].external_peers[1]."


@pytest.mark.parametrize(
    "text, sentence",
    [
        (
            tenants(peer("link: isp-c")),
            HERE
            + "link: 'isp-c' is not a link of networks.border of the description, did you mean 'isp-b': use one of "
            "isp-a, isp-b.",
        ),
        (
            "tenants:\n  - {id: 21, slug: acme, external_peers: [{name: a, link: isp-a, asn: 1}]}",
            HERE
            + "network: 'front-end' is not among the networks of acme: add it there, or use one of them.",
        ),
        (
            tenants(peer("link: isp-a, tagged: false, vlan: 17")),
            HERE
            + "vlan: 17 of acme/a is not allowed with tagged: false, where the port itself is in the VRF: remove "
            "it, or set tagged to true.",
        ),
        (
            "tenants:\n  - {id: 1000, slug: acme, networks: [front-end], external_peers: [{name: a, link: isp-a, "
            "asn: 1}]}",
            HERE
            + "vlan: the id 1000 of acme is above 999, up to which VLANs of subinterfaces follow from ids: add a "
            "VLAN, 11 to 3999.",
        ),
        (
            tenants(peer("link: isp-a, address: 192.0.2.0/31")),
            HERE
            + "peer_address: the key is missing: acme/a has one of address and peer_address: add the other one, "
            "or remove both for a session without addresses.",
        ),
        (
            tenants(peer("link: isp-a, peer_address: 192.0.2.0")),
            HERE
            + "address: the key is missing: acme/a has one of address and peer_address: add the other one, or "
            "remove both for a session without addresses.",
        ),
        (
            tenants(peer("link: isp-a, address: 192.0.2.0/31, peer_address: 192.0.2.2")),
            HERE
            + "peer_address: '192.0.2.2' of acme/a is not beside 192.0.2.0/31: use another address of 192.0.2.0/31, "
            "such as 192.0.2.1.",
        ),
        (
            tenants(peer("link: isp-a, address: 192.0.2.0, peer_address: 192.0.2.1")),
            HERE
            + "address: '192.0.2.0' is not allowed: use an address with its length, such as 192.0.2.0/31.",
        ),
        (
            tenants(peer("link: isp-a, prefixes: [198.51.100.0/24, 203.0.113.0/24], maximum: 2")),
            HERE
            + "maximum: 2 of acme/a is below the 3 routes that are accepted from it: set it to 3 or more.",
        ),
        (
            tenants(peer("link: isp-a, default: false")),
            HERE
            + "prefixes: nothing is accepted from acme/a: list prefixes, or set default to true.",
        ),
        (
            tenants(f"{peer()}, {peer('link: isp-b')}"),
            NEXT + "name: 'a' is already a neighbour of acme: give each its own name.",
        ),
        (
            tenants(peer("link: isp-a, tagged: false"), peer("link: isp-a, tagged: false")),
            THERE
            + "tagged: globex/a uses the port itself of the link 'isp-a', and acme/a (line 2) uses the port "
            "itself: give each a VLAN or a link of its own.",
        ),
        (
            tenants(peer("link: isp-a, tagged: false"), peer()),
            THERE
            + "tagged: globex/a uses VLAN 3022 of the link 'isp-a', and acme/a (line 2) uses the port itself: "
            "give each a VLAN or a link of its own.",
        ),
        (
            tenants(peer("link: isp-a, vlan: 3022"), peer()),
            THERE
            + "vlan: globex/a uses VLAN 3022 of the link 'isp-a', and acme/a (line 2) uses VLAN 3022: give each "
            "a VLAN or a link of its own.",
        ),
        (
            tenants(f"{peer()}, {peer('link: isp-a, network: storage', name='b')}"),
            NEXT
            + "vlan: acme/b uses VLAN 3021 of the link 'isp-a', and acme/a (line 2) uses VLAN 3021: give each a "
            "VLAN or a link of its own.",
        ),
        (
            tenants(peer("link: isp-a, network: storage, prefixes: [10.217.0.0/16, 192.0.2.0/24]")),
            HERE
            + "prefixes[1]: '192.0.2.0/24' of acme/a is in no prefix of storage to which hosts have a route "
            "(10.216.0.0/13): add it to networks.storage.array_prefixes.",
        ),
        (
            tenants(f"{peer()}, {peer(name='b')}"),
            NEXT
            + "peer_address: acme/b is the neighbour acme/a (line 2) again: remove one of the two, or give each "
            "its own addresses.",
        ),
        (
            tenants(peer("link: isp-a, prefixes: [10.208.0.0/16]")),
            HERE
            + "prefixes[0]: '10.208.0.0/16' of acme/a overlaps 10.208.0.0/23 of quarantine on the "
            "network front-end: list prefixes outside the fabric.",
        ),
        (
            tenants(peer("link: isp-a, prefixes: [10.208.16.0/24]"), peer("link: isp-b")),
            HERE
            + "prefixes[0]: '10.208.16.0/24' of acme/a overlaps 10.208.16.0/23 of globex on the network "
            "front-end: list prefixes outside the fabric.",
        ),
        (
            tenants(peer("link: isp-a, prefixes: [10.200.0.4/31]")),
            HERE
            + "prefixes[0]: '10.200.0.4/31' of acme/a overlaps 10.200.0.0/13 of addressing.pools.converged: list "
            "prefixes outside the fabric.",
        ),
        (
            tenants(peer("link: isp-a, prefixes: [127.0.0.0/8]")),
            HERE
            + "prefixes[0]: '127.0.0.0/8' of acme/a overlaps 127.0.0.0/8 (loopback): list prefixes outside the fabric.",
        ),
        (
            tenants(peer("link: isp-a, address: 0.0.0.0/0, peer_address: 192.0.2.1")),
            HERE
            + "address: '0.0.0.0/0' of acme/a overlaps 10.208.0.0/23 of quarantine on the network front-end: use a "
            "subnet outside the fabric.",
        ),
        (
            tenants(peer("link: isp-a, address: 10.176.0.0/31, peer_address: 10.176.0.1")),
            HERE
            + "address: '10.176.0.0/31' of acme/a overlaps 10.176.0.0/12 of addressing.pools.host_oob: use a subnet "
            "outside the fabric.",
        ),
        (
            tenants(peer("link: isp-a, prefixes: [0.0.0.0/0]")),
            HERE
            + "prefixes[0]: '0.0.0.0/0' of acme/a holds every address: remove it, and set default to true for a "
            "default route.",
        ),
        (
            tenants(peer("link: isp-a, prefixes: [198.51.100.1/24]")),
            HERE
            + "prefixes[0]: '198.51.100.1/24' is not allowed: use a prefix such as 192.0.2.0/24 or "
            "2001:db8::/32, with no bit set behind its length.",
        ),
        (
            "provisioning_peers: [{name: images, link: isp-z, asn: 1}]\n",
            "tenants.yml line 1, provisioning_peers[0].link: 'isp-z' is not a link of networks.border of the "
            "description, did you mean 'isp-b': use one of isp-a, isp-b.",
        ),
    ],
)
def test_breaches(beside, text, sentence):
    assert sentence in refused(beside, text)


@pytest.mark.parametrize(
    "vlan, words",
    [(10, "10 is not allowed: use 11 or more"), (4000, "4000 is not allowed: use 3999 or less")],
)
def test_a_subinterface_is_clear_of_the_vlans_that_a_switch_uses_by_itself(beside, vlan, words):
    """1 is the bridge's, 2 to 10 are internal, those from 4000 on are for L3VNIs."""
    assert refused(beside, tenants(peer(f"link: isp-a, vlan: {vlan}"))) == [f"{HERE}vlan: {words}."]


def test_a_subinterface_is_clear_of_the_vlans_of_l3vnis_however_many_there_are(beside):
    text = "vrfs_per_leaf: 200\n" + tenants(peer("link: isp-a, vlan: 3894"))
    (said,) = refused(beside, text)
    assert "vlan: 3894 of acme/a is one of the VLANs 3894 to 4093, which leaves keep for" in said
    assert beside("vrfs_per_leaf: 200\n" + tenants(peer("link: isp-a, vlan: 3893")))


def test_on_a_core_a_subinterface_is_clear_of_the_bridge(beside):
    """Border leaves have no bonds, and a core has: there VLAN 2022 is the storage of globex."""
    text = tenants(peer("link: isp-a, vlan: 2022"), peer())
    assert beside(text)
    (said,) = refused(beside, text, core=True)
    assert said == (
        f"{HERE}vlan: 2022 of acme/a is also the VLAN of globex on the network storage, and a core has both: state "
        "another one for either."
    )


def test_two_links_give_two_defaults(beside):
    """A tenant may accept a default from each: the border leaves hold both."""
    text = tenants(f"{peer()}, {peer('link: isp-b', name='b')}")
    assert len(beside(text).file.tenants[0].external_peers) == 2


SIX = {"address": "'2001:db8::/127'", "peer_address": "'2001:db8::1'"}
FOUR = {"address": "192.0.2.0/31", "peer_address": "192.0.2.1"}


def numbered(ends, more=""):
    return peer(
        ", ".join(f"{key}: {text}" for key, text in {"link": "isp-a", **ends}.items()) + more
    )


@pytest.mark.parametrize("has, other", [(4, SIX), (6, FOUR)])
def test_a_session_has_the_version_of_ip_that_the_tenant_has(beside, has, other):
    """Of the other one it would announce nothing, and no host would use what it brings."""
    more = {"six": has == 6}
    own, ends = (SIX, FOUR) if has == 6 else (FOUR, SIX)
    prefixes = {4: "198.51.100.0/24", 6: "'2001:db8:1::/48'"}
    assert beside(tenants(numbered(own, f", prefixes: [{prefixes[has]}]")), **more)
    address = ends["address"].strip("'")
    assert refused(beside, tenants(numbered(other)), **more) == [
        f"{HERE}address: '{address}' of acme/a is IPv{10 - has}, and acme has IPv{has} alone on front-end: use "
        f"IPv{has} addresses."
    ]
    wrong = prefixes[10 - has]
    for session in (
        numbered(own, f", prefixes: [{wrong}]"),
        peer(f"link: isp-a, prefixes: [{wrong}]"),
    ):
        text = wrong.strip("'")
        assert refused(beside, tenants(session), **more) == [
            f"{HERE}prefixes[0]: '{text}' of acme/a is IPv{10 - has}, and acme has IPv{has} alone on front-end: list "
            f"IPv{has} prefixes."
        ]


PUBLIC = "{name: a, link: isp-a, asn: 3320"
"""AS numbers of documentation are nobody's."""


@pytest.mark.parametrize("asn", [64496, 64512, 65551, 4_241_000_001, 4_294_967_295])
def test_private_prefixes_go_to_whom_no_public_as_number_belongs(beside, asn):
    assert beside(tenants(f"{{name: a, link: isp-a, asn: {asn}}}"))


def test_private_prefixes_go_to_a_provider_only_where_the_registry_says_so(beside):
    assert refused(beside, tenants(PUBLIC + "}")) == [
        f"{HERE}announce_private: 10.208.14.0/23 of acme is private, and AS 3320 of acme/a is public: set it to true "
        "where that provider takes private prefixes, or state a public subnet."
    ]
    assert beside(tenants(PUBLIC + ", announce_private: true}"))
    own = tenants(PUBLIC + "}").replace("networks:", "front_end: {subnet: 192.0.2.0/24}, networks:")
    assert beside(own)
    (said,) = refused(beside, own, front_end={"attachment": "routed"})
    assert "10.160.0.0/12 of acme is private" in said


@pytest.mark.parametrize(
    "number, whose", [(64496, "its own"), (4_241_000_001, "that of a switch in the plan")]
)
def test_the_as_number_towards_a_peer_is_neither_its_own_nor_one_of_the_plan(beside, number, whose):
    """The peer would take it for one of its own switches, or leaves would drop the routes."""
    said = (
        f"{HERE}local_as: {number} towards acme/a is {whose}: state another local_as, or another "
    )
    assert refused(beside, tenants(peer(f"link: isp-a, local_as: {number}")))[0].startswith(said)
    found = refused(beside, tenants(peer()), border={"asn": number})
    assert found[0].startswith(said)
    assert beside(tenants(peer("link: isp-a, local_as: 64999")), border={"asn": number})


def test_tenants_share_a_link_by_their_vlans(beside):
    assert beside(tenants(peer(), peer()))


def test_without_links_there_are_no_neighbours(beside, registry):
    sentence = (
        HERE
        + "link: 'isp-a' is not a link of networks.border of the description: add it to networks.border.links."
    )
    assert sentence in refused(beside, tenants(peer()), **BORDER)
    assert sentence in refused(registry, tenants(peer()))


def test_a_network_that_the_description_lacks_has_no_neighbours(beside):
    found = refused(beside, tenants(peer()), front_end=None, storage=None)
    assert (
        HERE
        + "network: 'front-end' is not among the networks of the description: add networks.front_end to it, or "
        "remove the neighbour."
    ) in found


def test_nobody_provisions_without_servers(beside):
    text = "provisioning_peers: [{name: images, link: isp-a, asn: 1}]\n"
    assert beside(text)
    assert refused(beside, text, front_end={"provisioning": None}) == [
        "tenants.yml line 1, provisioning_peers: quarantine and rest have no provisioning servers: add "
        "networks.front_end.provisioning to the description, or remove the neighbours."
    ]


@pytest.mark.parametrize(
    "text, at, words",
    [
        (
            tenants(peer("link: isp-a, tagged: false")),
            "provisioning_peers[0].link",
            "quarantine/images uses VLAN 3001 of the link 'isp-a', and acme/a (line 2) uses the port itself",
        ),
        (
            "",
            "provisioning_peers[1].link",
            "quarantine/more is the neighbour quarantine/images (line 1) again",
        ),
    ],
)
def test_a_clash_of_a_neighbour_that_provisions_is_said_once_at_its_link(beside, text, at, words):
    """It has a session in quarantine and one in rest, and no VLAN, port or address that a person states."""
    rows = [f"{{name: {name}, link: isp-a, asn: 1}}" for name in ("images", "more")]
    own = ", ".join(rows[:1] if text else rows)
    (found,) = refused(beside, f"{text}provisioning_peers: [{own}]\n")
    assert f"{at}: {words}" in found


def test_arrays_outside_the_subnets_are_reached_where_they_are_stated(beside):
    text = tenants(peer("link: isp-a, network: storage, prefixes: [192.0.2.0/24]"))
    assert beside(text, storage={"array_prefixes": ["192.0.2.0/24"]}).tenant("acme").external_peers
