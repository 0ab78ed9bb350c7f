# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each line of each label leads back to the ends of its cable, and a rack to its devices."""

from __future__ import annotations

import re

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover import (
    labels as words,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.cables import (
    Cables,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.label_search import (
    find,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.locate import sentence
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    TWO_PLANES,
    build,
    core_lab,
    example,
)

SMALL = {"capacity": {"sus_per_pod": 2, "slots_per_su": 3}, "switches": {"usable_ports": 32}}
LONG = {"node": "a-node-with-a-name-that-no-label-has-room-for-{su}-{slot}"}
FABRICS = {
    "lab": lambda: example("lab"),
    "lab-3tier": lambda: example("lab-3tier"),
    "lab-converged": lambda: example("lab-converged"),
    "core": core_lab,
    "two planes": lambda: build(**SMALL, planes=TWO_PLANES),
    "long names": lambda: build(**SMALL, naming=LONG),
}


def ends(cable):
    return {(plug.device, port) for plug in cable.plugs for port in plug.ports if plug.built}


def test_what_is_outside_is_found_by_its_name():
    fabric = example("lab-converged")
    for name, count in (("vast-1", 4), ("nfs-1", 2), ("isp-a", 1), ("to isp-b", 1)):
        places = find(fabric, name)
        assert [place["peer_device"] for place in places] == [name.removeprefix("to ")] * count
    assert sentence(find(fabric, "BL1.1/01.1-E1")[0]) == (
        "lab-converged: border-leaf-01-1 is the port of an external link, on border-leaf-01-1 port swp1s0 "
        "(pair 1, member 1, cage 1, cable BL1.1/01.1-E1) <-> isp-a"
    )


@pytest.mark.parametrize("name", FABRICS)
def test_every_line_of_every_label_leads_to_both_ends(name):
    fabric = FABRICS[name]()
    cables = Cables(fabric)
    for cable in cables.all():
        plugs = [plug for plug in cable.plugs if plug.built]
        lines = {line for plug in plugs for line in words.label(cables, cable, plug).lines}
        assert cable.id in lines
        outside = {line for line in lines if re.fullmatch("(to )?(vast-1|nfs-1|isp-[ab])", line)}
        for line in sorted(outside):
            assert cable.id in {place["cable"] for place in find(fabric, line)}
        lines -= outside
        for line in (*lines, *(line.replace(" ", ":") for line in lines)):
            places = find(fabric, line)
            assert {place["cable"] for place in places} == {cable.id}, line
            found = {(p["device"], p["port"]) for p in places}
            found |= {(p["peer_device"], p["peer_port"]) for p in places}
            named = {(cables.name(device), port) for device, port in ends(cable)}
            assert found >= named


@pytest.mark.parametrize("name", FABRICS)
def test_a_code_leads_back_to_its_device(name):
    fabric = FABRICS[name]()
    cables = Cables(fabric)
    for device in fabric.devices():
        assert cables.coded(cables.code(device)) == device


@pytest.mark.parametrize(
    "text",
    ["L9.1.1", "L1.1", "N1.9999", "S1.99", "T1.1.1", "X1.1", "L1.0.1", "L1.01.1", "L1.1.1.1.1", ""],
)
def test_what_is_no_code_is_no_device(text):
    assert Cables(example("lab")).coded(text) is None


@pytest.mark.parametrize(
    "text",
    ["L1.1.1/99-N1.1/r1p1", "L1.1.1/01-N1.9/r1p1", "X/1-Y", "leaf-p1-su001-r1 swp99", "nowhere 1", "G99", ""],
)  # fmt: skip
def test_other_texts_are_of_no_place(text):
    with pytest.raises(
        NotInFabric, match="is not an address, device, port, place, cable label, rack, tenant"
    ):
        find(example("lab"), text)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "lab",
            "; its racks are su01-rack01, su01-rack02, su02-rack01, su02-rack02: use a name such as ",
        ),
        ("h200-2048", "; its racks are su01-rack01, su01-rack02, "),
    ],
)
def test_a_rack_that_is_not_there_is_answered_with_racks(name, words):
    with pytest.raises(NotInFabric, match=re.escape(words)):
        find(example(name), "su01-rack99")


def test_a_rack_has_its_devices_from_the_top_down(tmp_path):
    fabric = example("h200-2048")
    rack = Cables(fabric).floor.spot(next(fabric.nodes())).rack
    places = find(fabric, rack)
    assert len(places) == fabric.clos.nodes_per_rack
    assert {place["kind"] for place in places} == {"device"}


def test_a_place_of_a_cable_says_which():
    fabric = example("lab")
    cable = next(Cables(fabric).all())
    said = [sentence(place) for place in find(fabric, cable.id)]
    assert len(said) == cable.links
    assert all(f", cable {cable.id}" in line for line in said)
    assert all(" <-> " in line for line in said)
