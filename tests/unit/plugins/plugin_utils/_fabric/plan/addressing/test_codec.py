# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The codec: exact inverses, exhaustively for small layouts and by property for huge ones."""

from __future__ import annotations

import ipaddress
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import codec
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing.codec import (
    Bits,
    Layout,
)

SIDE_V6 = Bits("side", 64, codes=(1, 2))
SMALL = [
    Layout("plain", "10.0.0.0/24", [Bits("rail", 3), Bits("slot", 4), Bits("side", 1)]),
    Layout("maximum", "10.0.0.0/24", [Bits("su", 4, maximum=9), Bits("slot", 3), Bits("side", 1)]),
    Layout("pad", "10.0.0.0/24", [Bits("rail", 2), Bits("pad", 2, value=2), Bits("slot", 4)]),
    Layout("spare bits", "10.0.0.0/22", [Bits("rail", 2), Bits("slot", 4)]),
    Layout("codes", "10.0.0.0/25", [Bits("slot", 5), Bits("side", 2, codes=(2, 1))]),
    Layout("one", "10.0.0.0/32", []),
    Layout("v6", "fd00::/120", [Bits("rail", 4), Bits("side", 4, codes=(1, 15))]),
]


def values(field):
    """Every value that a field takes."""
    return range(field.top + 1)


@pytest.mark.parametrize("layout", SMALL, ids=lambda layout: layout.name)
def test_every_address_decodes_to_its_place_or_not_at_all(layout):
    """All addresses of the prefix: as many decode as there are places, each to its own."""
    fields = [field for field in layout.fields if field.value is None]
    names = [field.name for field in fields]
    places = {}
    for numbers in itertools.product(*map(values, fields)):
        place = dict(zip(names, numbers))
        address = layout.encode(place)
        assert address in layout
        assert layout.decode(address) == place
        places[address] = place
    network = ipaddress.ip_network(layout.base)
    decoded = 0
    for address in range(int(network[0]), int(network[-1]) + 1):
        try:
            assert layout.decode(address) == places[address]
            decoded += 1
        except NotInFabric:
            assert address not in places
    assert decoded == len(places)


@pytest.mark.parametrize("layout", SMALL, ids=lambda layout: layout.name)
def test_the_fast_pair_agrees(layout):
    fields = [field for field in layout.fields if field.value is None]
    names = [field.name for field in fields]
    pack, unpack = layout.packer(names), layout.unpacker(names)
    for numbers in itertools.product(*map(values, fields)):
        address = layout.encode(dict(zip(names, numbers)))
        assert pack(*numbers) == address
        assert unpack(address) == numbers
    assert unpack(int(ipaddress.ip_network(layout.base)[0]) - 1) is None


def test_neighbours_of_the_prefix_are_outside():
    layout = SMALL[0]
    with pytest.raises(NotInFabric, match=r"10\.0\.1\.0 is not an address of plain"):
        layout.decode(int(ipaddress.ip_address("10.0.1.0")))


@st.composite
def layouts(draw):
    """A layout over a /8 or /16 with fields of every kind, and a place in it."""
    names = draw(st.permutations(["site", "plane", "rail", "pod", "su", "slot"]))
    six = draw(st.booleans())
    free = 112 if six else 24
    fields, place = [], {}
    for name in names:
        width = draw(st.integers(1, 20 if six else 4))
        if width + 1 > free - sum(field.width for field in fields):
            break
        top = draw(st.integers(0, (1 << width) - 1))
        constant = draw(st.booleans()) and draw(st.booleans())
        if constant:
            fields.append(Bits(name, width, value=top))
            continue
        fields.append(Bits(name, width, maximum=top))
        place[name] = draw(st.integers(0, top))
    fields.append(Bits("side", 1))
    place["side"] = draw(st.integers(0, 1))
    return Layout("any", "fd00::/16" if six else "10.0.0.0/8", fields), place


@given(layouts())
def test_encode_and_decode_are_inverses(case):
    layout, place = case
    address = layout.encode(place)
    assert layout.decode(address) == place
    names = list(place)
    assert layout.packer(names)(*place.values()) == address
    assert layout.unpacker(names)(address) == tuple(place.values())


@given(layouts(), st.integers(0, 1 << 128))
def test_decode_then_encode_is_the_address(case, number):
    """Whatever decodes at all encodes back to itself."""
    layout, _place = case
    network = ipaddress.ip_network(layout.base)
    address = int(network[0]) + number % network.num_addresses
    try:
        place = layout.decode(address)
    except NotInFabric:
        return
    assert layout.encode(place) == address


def test_overflow_names_field_value_and_maximum():
    layout = SMALL[1]
    with pytest.raises(FabricError) as caught:
        layout.encode({"su": 10, "slot": 0, "side": 0})
    assert str(caught.value) == "su 10 does not fit the 4-bit su field of maximum (max 9)"


def test_too_small_a_prefix():
    with pytest.raises(FabricError, match=r"need 23 bits, and .* has 20: use a /9 or shorter"):
        Layout("octet", "172.16.0.0/12", [Bits("slot", 22), Bits("side", 1)])


@pytest.mark.parametrize("base", ["10.0.0.1/8", "ten", "10.0.0.0/33", ""])
def test_bad_prefixes(base):
    with pytest.raises(FabricError, match="is not a prefix"):
        Layout("pool", base, [])


def test_prefixes_behind_fields():
    layout = Layout(
        "nvidia",
        "172.16.0.0/12",
        [Bits("rail", 3), Bits("pad", 1, value=0), Bits("su", 8), Bits("slot", 7), Bits("side", 1)],
        link_length=31,
    )
    address = int(ipaddress.ip_address("172.22.5.63"))
    cuts = {name: layout.prefix(address, after=name) for name in ("base", "rail", "su", "link")}
    assert cuts == {
        "base": "172.16.0.0/12",
        "rail": "172.22.0.0/15",
        "su": "172.22.5.0/24",
        "link": "172.22.5.62/31",
    }


@pytest.mark.parametrize("text", ["0.0.0.0", "10.1.2.3", "255.255.255.255", "fd02::1", "::"])
def test_text_and_number_are_inverses(text):
    assert codec.text(*codec.number(text)) == text


@pytest.mark.parametrize("text", ["10.0.0", "10.0.0.256", "010.0.0.1", "fd02:::1", "leaf", ""])
def test_what_is_no_address(text):
    with pytest.raises(FabricError, match="is not an IPv4 or IPv6 address"):
        codec.number(text)
