# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Route tables of leaves about a node that moves: gone, arrived, or nothing shown."""

from __future__ import annotations

import time

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import tables

VRF, LINK = "t21-acme", "10.0.0.0/31"
BOTH = frozenset({"rib", "bgp"})
ALL = BOTH | {"fib"}
HOLDS = {"route": {LINK: {}}}


END = {"0.0.0.0/0": {"route-entry": {"1": {"protocol": "kernel", "distance": 255}}}}
"""Route of the kernel at the end of each VRF (see PUBLISHED)."""


def one(required=ALL, **reported):
    """A leaf that reports these tables; for the rest those of a VRF without a route."""
    return "leaf-1", tables.VrfTables({"rib": END, "bgp": {}, "fib": END} | reported, required)


@pytest.mark.parametrize(
    ("reported", "name"),
    [
        ({"rib": {}}, "routing table"),
        ({"fib": {}}, "forwarding table"),
    ],
)
def test_an_empty_table_that_no_switch_has_shows_nothing(reported, name):
    """Each VRF ends in a route of the kernel's."""
    (said,) = tables.not_withdrawn("n", VRF, [LINK], *one(**reported))
    assert said == (
        f"n stays in quarantine: leaf-1 has {VRF} and reports an empty {name} of it: make it answer, "
        "and run tenant_move again."
    )
    required = ALL - {kind for kind, word in tables.NAMES.items() if word == name}
    assert tables.not_withdrawn("n", VRF, [LINK], *one(required, **reported)) == []
    assert tables.not_withdrawn("n", VRF, [LINK], *one()) == []


@pytest.mark.parametrize(
    ("kind", "name"),
    [("rib", "routing table"), ("bgp", "BGP table"), ("fib", "forwarding table")],
)
def test_a_route_in_any_table_is_named_with_leaf_and_table(kind, name):
    (said,) = tables.not_withdrawn("n", VRF, [LINK], *one(**{kind: HOLDS}))
    assert said.startswith(
        f"n stays in quarantine: leaf-1 still holds {LINK} in the {name} of {VRF}"
    )
    assert tables.not_withdrawn("n", VRF, [LINK], *one()) == []


@pytest.mark.parametrize(
    ("link", "prefix", "leads"),
    [
        (LINK, "10.0.0.0/30", True),
        (LINK, "10.0.0.1/32", True),
        (LINK, "10.0.0.2/31", False),
        (LINK, "0.0.0.0/0", False),
        (LINK, "010.0.0.0/31", None),
        (LINK, "10.0.0.1/31", True),
        ("fd00::/127", "fd00::/64", True),
        ("fd02::/64", "fd02::1/128", True),
        ("fd02::/64", "fd02::/65", True),
        ("fd02::/64", "FD02::/64", True),
        ("fd02::/64", "fd02:0:0:0:0:0:0:0/64", True),
        ("fd02::/64", "fd02:0:0:1::/64", False),
        ("fd02::/64", "::/0", False),
        ("fd00::/127", "fd00::2/127", False),
    ],
)
def test_routes_that_lead_to_a_link(link, prefix, leads):
    """Not only the link itself: whatever holds it, or a part of it, in any spelling; None is no prefix."""
    for kind in ("rib", "bgp", "fib"):
        held = one(**{kind: {"route": {prefix: {}}}})
        if leads is None:
            assert tables.routes({"route": {prefix: {}}}) is None
            continue
        assert bool(tables.not_withdrawn("n", VRF, [link], *held)) is leads
        assert tables.not_withdrawn("n", VRF, [link], *held, allowed=[prefix]) == []


def test_a_large_table_is_looked_through_quickly():
    """20,000 routes and the links of a node with 16 rails; nothing is looked up twice."""
    routes = {f"10.{n >> 8}.{n & 255}.0/31": {} for n in range(20_000)}
    links = [f"172.16.{n}.0/31" for n in range(16)]
    held = one(rib={"route": routes}, fib={"route": routes})
    assert tables.not_withdrawn("n", VRF, links, *held) == []
    begun = time.process_time()
    assert tables.not_withdrawn("n", VRF, links, *held) == []
    assert time.process_time() - begun < 1


def test_a_route_in_another_spelling_has_arrived():
    rows = {"route": {"FD02:0::/64": {}}}
    assert list(tables.not_arrived("n", VRF, ["fd02::/64"], *one(rib=rows, fib=rows))) == []


@pytest.mark.parametrize(
    ("kind", "name"),
    [("rib", "routing table"), ("bgp", "BGP table"), ("fib", "forwarding table")],
)
def test_a_leaf_that_owes_a_table_and_tells_none_has_shown_nothing(kind, name):
    (said,) = tables.not_withdrawn("n", VRF, [LINK], *one(**{kind: None}))
    assert said.startswith(f"n stays in quarantine: leaf-1 has {VRF} and reports no {name} of it")
    assert tables.not_withdrawn("n", VRF, [LINK], *one(required=frozenset(), **{kind: None})) == []


@pytest.mark.parametrize(
    ("release", "kinds"),
    [("", BOTH), ("5.9.4", BOTH), ("5.15.3", BOTH), ("5.16.0", ALL), ("5.18.1", ALL)],
)
def test_the_fib_is_asked_for_from_its_release_on(lab, release, kinds):
    assert tables.places(lab.addresses.version, VRF, release=release).keys() == kinds


def test_the_fib_is_asked_for_in_the_family_of_the_profile(lab, load):
    assert (
        tables.places(lab.addresses.version, VRF, release="5.16.1")["fib"]
        == f"vrf/{VRF}/router/fib/ipv4"
    )
    six = load(addressing={"profile": "nvidia-guide-v6"})
    assert (
        tables.places(six.addresses.version, VRF, release="5.16.1")["fib"]
        == f"vrf/{VRF}/router/fib/ipv6"
    )


def document(lab, registry):
    """A leaf with a tenant and with quarantine, as the collection configures it."""
    held = registry("tenants: [{id: 21, slug: acme, nodes: ['*/h01']}]")
    return compose.document(lab, "leaf-p1-su001-r1", ["tenants"], tenants=held)


@pytest.mark.parametrize(
    ("vrf", "required"),
    [(VRF, ALL), ("t1-quarantine", {"rib", "fib"}), ("t22-globex", set())],
)
def test_what_a_leaf_owes_follows_from_its_configuration(lab, registry, vrf, required):
    """No BGP table of a VRF that has no BGP, and nothing of one that is not there."""
    asked = tables.places(lab.addresses.version, vrf, release="5.16.1")
    reported = tables.reported(asked, {}, document(lab, registry), vrf)
    assert reported.required == required
    assert len(tables.not_withdrawn("n", vrf, [LINK], "leaf-1", reported)) == len(required)


SHAPELESS = [
    {"unexpected": {"shape": True}},
    {"route": None},
    {"route": ["10.9.0.0/24"]},
    {"route": {"error": "try later"}},
    {"10.9.0.0/24": {}, "error": "cut"},
    [],
    "ok",
]


@pytest.mark.parametrize("answer", SHAPELESS)
def test_an_answer_of_another_shape_is_no_empty_table(lab, registry, answer):
    """As of a proxy between: it names no route, and shows nothing."""
    asked = tables.places(lab.addresses.version, VRF, release="5.16.1")
    for kind, path in asked.items():
        read = {**{other: {"route": END} for other in asked.values()}, path: answer}
        reported = tables.reported(asked, read, document(lab, registry), VRF)
        (said,) = tables.not_withdrawn("n", VRF, [LINK], "leaf-1", reported)
        assert f"reports no {tables.NAMES[kind]} of it" in said
    assert tables.routes({}) == tables.routes({"route": {}}) == {}


@pytest.mark.parametrize("bgp", [{"state": "disabled"}, {}])
def test_bgp_that_is_off_owes_nothing(lab, bgp):
    asked = tables.places(lab.addresses.version, VRF)
    reported = tables.reported(asked, {}, {"vrf": {VRF: {"router": {"bgp": bgp}}}}, VRF)
    assert reported.required == {"rib"}


@pytest.mark.parametrize(
    ("rib", "fib", "expected"),
    [
        (HOLDS, HOLDS, None),
        ({}, HOLDS, "routing table"),
        (HOLDS, {}, "forwarding table"),
        (HOLDS, None, "forwarding table"),
        ({}, {}, "routing table"),
    ],
)
def test_arrived_is_in_both_tables(rib, fib, expected):
    said = list(tables.not_arrived("n", VRF, [LINK], *one(rib=rib, fib=fib)))
    assert [f"its routes {LINK} are not in the {expected} of {VRF}" in line for line in said] == (
        [True] if expected else []
    )


def test_arrived_without_a_fib_to_ask():
    reported = tables.VrfTables({"rib": HOLDS, "bgp": None}, BOTH)
    assert list(tables.not_arrived("n", VRF, [LINK], "leaf-1", reported)) == []


PUBLISHED = {
    "0.0.0.0/0": {"next-hop": "unreachable", "protocol": "boot", "scope": "global"},
    "10.1.10.0/24": {"next-hop": "nhid 460", "protocol": "bgp", "scope": "global"},
}
"""Two rows of the table that the NVUE reference shows."""


@pytest.mark.parametrize("nest", [lambda rows: rows, lambda rows: {"route": rows}])
def test_the_fib_ends_in_a_default_route_of_nobodys(nest):
    assert tables.prefixes_in(nest(PUBLISHED)) == {"10.1.10.0/24"}
    real = PUBLISHED | {"0.0.0.0/0": {"next-hop": "nhid 7", "protocol": "bgp"}}
    assert "0.0.0.0/0" in tables.prefixes_in(nest(real))


@pytest.mark.parametrize(
    ("entries", "counts"),
    [
        ({"1": {"protocol": "kernel", "distance": 255, "metric": 8192}}, False),
        ({"1": {"protocol": "kernel", "distance": 0}}, True),
        (
            {
                "1": {"protocol": "bgp", "distance": 20},
                "2": {"protocol": "kernel", "distance": 255},
            },
            True,
        ),
        ({}, True),
    ],
)
def test_a_default_route_counts_unless_it_is_the_end_of_a_vrf(entries, counts):
    table = {"0.0.0.0/0": {"route-entry": entries}, "172.16.0.0/31": {"route-entry": entries}}
    assert ("0.0.0.0/0" in tables.prefixes_in({"route": table})) is counts
    assert "172.16.0.0/31" in tables.prefixes_in({"route": table})
