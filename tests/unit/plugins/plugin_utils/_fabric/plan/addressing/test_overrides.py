# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A site's own values must not collide with what the plan gives to others."""

from __future__ import annotations

import re

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import exports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    NETWORKS,
    TWO_PLANES,
    described,
)

HEADER = "place,name,serial,mac,management,rack,unit,asn,loopback,vtep"


def load(tmp_path, *lines, header=HEADER, **changes):
    """A 2,048-GPU fabric with these rows."""
    (tmp_path / "fabric.yml").write_text(
        yaml.safe_dump(described(devices="devices.csv", **changes))
    )
    (tmp_path / "devices.csv").write_text("\n".join([header, *lines]) + "\n")
    return Fabric.load(str(tmp_path / "fabric.yml"))


def test_a_leaf_may_use_its_loopback_as_vtep(tmp_path):
    fabric = load(tmp_path, "leaf-p1-su001-r1,,,,,,,,192.0.2.1,192.0.2.1")
    slice_ = fabric.slice("leaf-p1-su001-r1")
    assert slice_["loopback"] == slice_["vtep"] == "192.0.2.1"


def test_two_devices_may_exchange_their_names(tmp_path):
    fabric = load(
        tmp_path,
        "leaf-p1-su001-r1,leaf-p1-su001-r2,,,,,,,,",
        "leaf-p1-su001-r2,leaf-p1-su001-r1,,,,,,,,",
    )
    assert fabric.slice("leaf-p1-su001-r1")["rails"] == [1]


LEAF, OTHER = "leaf-p1-su001-r1", "leaf-p1-su001-r2"
COLLISIONS = [
    ([f"{LEAF},{OTHER},,,,,,,,"], f"name: '{OTHER}' is the plan's name of another device"),
    ([f"{LEAF},a,,,,,,,,", f"{OTHER},A,,,,,,,,"], "name: 'a' is already in line 2"),
    ([f"{LEAF},,S1,,,,,,,", f"{OTHER},,s1,,,,,,,"], "serial: 's1' is already in line 2"),
    (
        [f"{LEAF},,,00:00:5e:00:53:01,,,,,,", f"{OTHER},,,00-00-5E-00-53-01,,,,,,"],
        "mac: '00:00:5e:00:53:01' is already in line 2",
    ),
    ([f"{LEAF},,,,,,,65001,,", f"{OTHER},,,,,,,65001,,"], "asn: 65001 is already in line 2"),
    ([f"{LEAF},,,,,,,4230000001,,"], "asn: 4230000001 is the plan's AS number of another leaf"),
    ([f"{LEAF},,,,,,,,10.134.0.1,"], "'10.134.0.1' is the plan's address of another device"),
    ([f"{LEAF},,,,192.0.2.1,,,,,", f"{OTHER},,,,,,,,192.0.2.1,"], "is already in line 2"),
    ([f"{LEAF},,,,,,,,10.0.0.1,"], "lies in 10.0.0.0/9, the block of host links"),
    ([f"{LEAF},,,,,,,,10.136.0.1,"], "lies in 10.136.0.0/13, the block of vtep"),
    ([f"{LEAF},,,,,,,,127.0.0.1,"], "lies in 127.0.0.0/8 (loopback)"),
    ([f"{LEAF},,,,,,,,fd00::1,"], "loopback: 'fd00::1' is not an IPv4 address"),
    ([f"{LEAF},,,,fd00::1,,,,,", "su01/h01,,,,FD00:0::1,,,,,"], "'fd00::1' is already in line"),
    (["su01/h01,,,,,,,65001,,"], "asn: '65001' has no meaning for a node"),
    (["spine-p1-s01,,,,,,,,,192.0.2.1"], "vtep: '192.0.2.1' has no meaning for a spine"),
    (["su01/h01,,,,,,,,,", "worker-su01-rack01-h01,,,,,,,,,"], "is the device of line 2"),
    (["su09/h01,,,,,,,,,"], "place: 'su09/h01' is not in the plan"),
    (["su01,,,,,,,,,"], "place: 'su01' is not in the plan"),
    ([f"{LEAF},bad_name,,,,,,,,"], "name: 'bad_name' is not a host name"),
    ([f"{LEAF},,,,192.0.2.1/33,,,,,"], "'192.0.2.1/33' has no prefix length from 1 to 32"),
    ([f"{LEAF},,,,192.0.2.1/,,,,,"], "'192.0.2.1/' has no prefix length from 1 to 32"),
    ([f"{LEAF},,,,192.0.2.0/24,,,,,"], "'192.0.2.0/24' is the first or last address of its prefix"),
    ([f"{LEAF},,,,,,,,192.0.2.1/24,"], "'192.0.2.1/24' is a prefix of several addresses"),
    ([f"{LEAF},,=1+1,,,,,,,"], "serial: '=1+1' is a formula to a spreadsheet"),
    ([f"{LEAF},,,,,@SUM(A1),,,,"], "rack: '@SUM(A1)' is a formula to a spreadsheet"),
    ([f"{LEAF},,,,,R\x1b[31m,,,,"], r"rack: 'R\x1b[31m' is not one line of at most 64 printable"),
    ([f"{LEAF},,,,,R1,top,,,"], "unit: 'top' is not a rack unit from 1 to 100"),
    ([f"{LEAF},10.0.0.1,,,,,,,,"], "name: '10.0.0.1' is an address: use a name"),
    ([f"su01/h{'9' * 5000},,,,,,,,,"], "9999' is not in the plan"),
    ([f"su01/[1-{'9' * 5000}],,,,,,,,,"], "9999]' is not in the plan"),
    ([f"worker-su{'9' * 5000}-rack01-h01,,,,,,,,,"], "rack01-h01' is not in the plan"),
    ([f"{LEAF},,,00:00:5e,,,,,,"], "mac: '00:00:5e' is not a MAC address"),
    ([f"{LEAF},,,,,,,0,,"], "asn: '0' is not an AS number"),
    ([",x,,,,,,,,"], "place: the cell is empty"),
]


@pytest.mark.parametrize("lines, part", COLLISIONS)
def test_collisions(tmp_path, lines, part):
    with pytest.raises(FabricError) as caught:
        load(tmp_path, *lines)
    assert part in str(caught.value)
    assert str(caught.value).startswith("devices.csv line ")


PODS = {"tiers": 3, "capacity": {"pods": 2, "sus_per_pod": 1}}
SPINES = [f"spine-p1-pod0{pod}-s0{n}" for pod in (1, 2) for n in (1, 2)]
TOP = "super-spine-p1-g01-s01"
LEAF3 = "leaf-p1-pod01-su001-r1"


def numbers(*pairs):
    return [f"{place},,,,,,,{asn},," for place, asn in pairs]


@pytest.mark.parametrize(
    "pairs",
    [
        [(SPINES[0], 65001), (SPINES[1], 65001)],
        [(SPINES[0], 65001), (SPINES[1], 65002), (SPINES[2], 65003), (TOP, 65004)],
        [(SPINES[0], 4220000000)],
    ],
)
def test_spines_share_an_asn_or_have_their_own(tmp_path, pairs):
    """Slices, and with them documents, follow at both ends."""
    fabric = load(tmp_path, *numbers(*pairs), **PODS)
    for name, asn in pairs:
        own = fabric.slice(name)
        assert own["asn"] == asn
        for peer in {port["peer"]["device"] for port in own["ports"]}:
            ends = [p["peer"] for p in fabric.slice(peer)["ports"] if p["peer"]["device"] == name]
            assert {end["asn"] for end in ends} == {asn}


@pytest.mark.parametrize(
    "pairs, part",
    [
        (
            [(SPINES[0], 65001), (SPINES[2], 65001)],
            "is already in line 2 for another pod or tier",
        ),
        ([(SPINES[0], 65001), (TOP, 65001)], "is already in line 2 for another pod or tier"),
        ([(SPINES[0], 65001), (LEAF3, 65001)], "is already in line 2: give every leaf its own"),
    ],
)
def test_an_asn_at_two_places_of_a_path_is_refused(tmp_path, pairs, part):
    with pytest.raises(FabricError) as caught:
        load(tmp_path, *numbers(*pairs), **PODS)
    assert part in str(caught.value)


@pytest.mark.parametrize("name", [LEAF3, SPINES[0], TOP])
def test_an_asn_of_a_tier_of_the_plan_is_refused(tmp_path, name):
    plain = load(tmp_path, **PODS)
    for other in (SPINES[2], TOP):
        if other == name:
            continue
        asn = plain.slice(other)["asn"]
        with pytest.raises(
            FabricError, match=r"is the plan's AS number of (super-)?spines in the same"
        ):
            load(tmp_path, *numbers((name, asn)), **PODS)


def test_spines_of_planes_may_share_one(tmp_path):
    """No route passes from plane to plane."""
    pairs = [(f"spine-p{plane}-s01", 65001) for plane in (1, 2)]
    fabric = load(tmp_path, *numbers(*pairs), planes=TWO_PLANES)
    assert {fabric.slice(name)["asn"] for name, _asn in pairs} == {65001}


def test_documents_and_lists_have_the_values_of_spines(tmp_path):
    rows = [f"{SPINES[0]},core-a,,,192.0.2.7/24,,,65001,192.0.2.107,", f"{TOP},top-1,,,,,,65009,,"]
    fabric = load(tmp_path, *rows, **PODS)
    leaf = compose.document(fabric, LEAF3)
    spine = compose.document(fabric, "core-a")
    ports = [p["port"] for p in fabric.slice(LEAF3)["ports"] if p["peer"]["device"] == "core-a"]
    neighbours = leaf["vrf"]["default"]["router"]["bgp"]["neighbor"]
    assert {neighbours[port]["remote-as"] for port in ports} == {65001}
    assert spine["system"]["hostname"] == "core-a"
    assert "192.0.2.107/32" in spine["interface"]["lo"]["ipv4"]["address"]
    for text in ("core-a", "192.0.2.107", "192.0.2.7"):
        (place,) = [x for x in fabric.locate(text) if x["device"] == "core-a"][:1]
        assert place["role"] == "spine"
    files = {}
    for kind in ("links", "addresses", "hosts", "dns", "ptm", "netbox", "slices"):
        for name, chunks in exports.EXPORTS[kind].files(fabric, None, lambda _file: ()):
            files[name] = "".join(chunks)
    places = [name for name, text in files.items() if f"{SPINES[0]}/" in text + name]
    assert all(name.startswith("netbox/") for name in places), (
        "the plan's name is in the place of a thing"
    )
    told = [name for name, text in files.items() if re.search(rf"(?<!/){SPINES[0]}", text + name)]
    assert told == []
    assert any("core-a" in text for text in files.values())


FRONT, OTHER_FRONT = "front-end-leaf-001-1", "front-end-leaf-001-2"
CONVERGED = [
    ([f"{FRONT},,,,,,,4242000001,,"], "asn: 4242000001 is the plan's AS number of another switch"),
    ([f"{FRONT},,,,,,,4230000001,,"], "is the plan's AS number of another leaf"),
    ([f"{FRONT},,,,,,,65001,,", f"{OTHER_FRONT},,,,,,,65001,,"], "give every leaf its own"),
    ([f"{FRONT},,,,,,,,10.200.128.1,"], "'10.200.128.1' is the plan's address of another device"),
    (["converged-spine-s01,,,,,,,,,192.0.2.1"], "vtep: '192.0.2.1' has no meaning"),
]


@pytest.mark.parametrize("lines, sentence", CONVERGED)
def test_converged_switches_collide_with_nothing(tmp_path, lines, sentence):
    with pytest.raises(FabricError, match=re.escape(sentence)):
        load(tmp_path, *lines, networks=NETWORKS)


def test_a_site_numbers_and_names_a_converged_switch(tmp_path):
    row = f"{FRONT},fe-1,S9,,192.0.2.9/24,R1,40,65009,192.0.2.1,192.0.2.2"
    fabric = load(tmp_path, row, "converged-spine-s02,,,,,,,4240000000,,", networks=NETWORKS)
    made = fabric.slice("fe-1")
    assert (made["asn"], made["loopback"], made["vtep"]) == (65009, "192.0.2.1", "192.0.2.2")
    assert made["management"] == "192.0.2.9/24"
    assert fabric.slice(OTHER_FRONT)["partner"] == "fe-1"
    (place,) = fabric.locate("192.0.2.1")
    assert (place["device"], place["site_rack"]) == ("fe-1", "R1")
