# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cables as things: every link is in one, breakouts are one cable, ids stay."""

from __future__ import annotations

import collections

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    rows,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover import (
    cables as module,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.cables import (
    Cables,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged_cabling import (
    FarEnd,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    FEW,
    NETWORKS,
    OOB,
    TWO_PLANES,
    build,
    core_lab,
    example,
)

from .reading import FAST, brownfield, places

SWAP = [{"device": "leaf-p1-su001-r1", "ports": ["swp1s0", "swp2s1"]}]
FABRICS = {
    **{
        name: lambda name=name: example(name)
        for name in ("lab", "lab-2plane", "lab-3tier", "brownfield-256", "lab-converged")
    },
    "core": core_lab,
    "all networks": lambda: build(
        **FAST,
        nics={"model": "ConnectX-8"},
        absent=["su01/h02"],
        networks={
            "front_end": {"host_speed": "100G", "ports_per_node": 1, "attachment": "routed"},
            "storage": {
                "host_speed": "200G",
                "array_speed": "800G",
                "array_ports": 2,
                "arrays": [{"name": "vast-1", "ports": [2]}],
            },
            "border": {
                "external_speed": "400G",
                "external_ports": 3,
                "links": [{"name": "isp-a", "leaf": "border-leaf-01-2", "port": 3}],
            },
        },
    ),
    "by rail": lambda: build(**FAST, planes={"count": 8, "mode": "by-rail"}),
    "top of rack": lambda: build(**FAST, wiring={"mode": "top-of-rack"}),
    "four legs": lambda: build(
        capacity={"sus_per_pod": 2, "slots_per_su": 8},
        switches={"host_speed": "200G", "fabric_speed": "200G", "usable_ports": 32},
    ),
    "four planes": lambda: build(
        capacity={"sus_per_pod": 2, "slots_per_su": 4},
        switches={"usable_ports": 64},
        planes={**TWO_PLANES, "count": 4},
    ),
    "odd links": lambda: build(
        capacity={"sus_per_pod": 1, "slots_per_su": 3}, switches={"usable_ports": 16}
    ),
    "whole cages": lambda: build(
        capacity={"sus_per_pod": 2, "slots_per_su": 8},
        switches={"fabric_speed": "800G"},
        routing={"adaptive_routing": False},
    ),
    "swapped": lambda: build(**FAST, swapped_ports=SWAP),
    "absent": lambda: build(**FAST, absent=["su01/h02", "su02"]),
    "out-of-band": lambda: build(capacity=FEW, oob=OOB, networks=NETWORKS),
    "out-of-band spines": lambda: build(
        **FAST,
        nics={"model": "ConnectX-8"},
        oob={**OOB, "uplinks": "spine"},
        absent=["su01/h02"],
    ),
}


@pytest.fixture(params=FABRICS)
def cables(request):
    return Cables(FABRICS[request.param]())


def pairs(cable):
    """The links of a cable as its plugs say: (head's interface, device, interface)."""
    far = [(plug, port) for plug in cable.ends for port in plug.ports]
    assert len(far) == len(cable.head.ports) == cable.links
    return [
        (cable.head.device, own, plug.device, port)
        for own, (plug, port) in zip(cable.head.ports, far)
        if plug.built and cable.head.built
    ]


def test_every_link_of_the_plan_is_in_one_cable(cables):
    fabric = cables.fabric
    found = [
        frozenset({(fabric.name(a), port), (cables.name(b), other)})
        for cable in cables.all()
        for a, port, b, other in pairs(cable)
    ]
    expected = [
        frozenset({(x.a.device, x.a.port), (x.b.device, x.b.port)}) for x in rows.all_links(fabric)
    ]
    assert collections.Counter(found) == collections.Counter(expected)


def test_ids_are_unique_and_each_device_has_its_plugs(cables):
    found = list(cables.all())
    assert len({cable.id for cable in found}) == len(found)
    assert max(len(cable.ends) for cable in found) <= cables.most_ends()
    expected = {
        (cable.id, plug)
        for cable in found
        for plug in cable.plugs
        if plug.built and not isinstance(plug.device, FarEnd)
    }
    at = [
        (cable.id, plug) for device in cables.fabric.devices() for cable, plug in cables.at(device)
    ]
    assert set(at) == expected
    assert len(at) == len(expected)


def test_no_cage_has_two_plugs_of_a_breakout(cables):
    """A cable that has a whole cage is alone in it."""
    whole, parts = collections.Counter(), set()
    for cable in cables.all():
        for plug in cable.plugs:
            if plug.cage and not plug.legs:
                whole[plug.device, plug.cage] += 1
            elif plug.cage:
                parts.add((plug.device, plug.cage))
    assert set(whole.values()) <= {1}
    assert not parts & set(whole)


@pytest.mark.parametrize(
    "name, kind, links, ends, meshed",
    [
        ("lab", "host", 2, 2, False),
        ("lab", "leaf", 2, 1, False),
        ("lab-2plane", "host", 1, 1, True),
        ("lab-3tier", "leaf", 1, 1, True),
        ("four legs", "host", 4, 4, False),
        ("top of rack", "host", 2, 1, False),
        ("whole cages", "leaf", 1, 1, False),
    ],
)
def test_shapes(name, kind, links, ends, meshed):
    """A breakout is one cable with several ends; where both cages lead to several, each link has its own."""
    found = [cable for cable in Cables(FABRICS[name]()).all() if cable.kind == kind]
    if name == "top of rack":  # both legs of a cage lead to the same node, by two NICs
        ends = 2
    assert {(c.links, len(c.ends), c.meshed) for c in found} == {(links, ends, meshed)}


def test_an_id_does_not_follow_from_what_is_built():
    part = Cables(build(**FAST, absent=["su01/h02", "su02"]))
    whole = {cable.id: cable for cable in Cables(build(**FAST)).all()}
    found = list(part.all())
    assert found
    assert {cable.id for cable in found} < set(whole)
    for cable in found:
        other = whole[cable.id]
        assert [plug.ports for plug in cable.plugs] == [plug.ports for plug in other.plugs]


def test_an_id_does_not_follow_from_names():
    named = Cables(
        build(**FAST, naming={"node": "gpu-{su:02}-{slot:02}", "leaf": "t{plane}-{su}-{rail}"})
    )
    assert [c.id for c in named.all()] == [c.id for c in Cables(build(**FAST)).all()]


def test_codes_name_each_device_once(cables):
    devices = list(cables.fabric.devices())
    assert len({cables.code(device) for device in devices}) == len(devices)
    assert [cables.coded(cables.code(device)) for device in devices] == devices


def test_codes_of_the_converged_fabric():
    cables = Cables(example("lab-converged"))
    for wrong in ("FL1", "FL9.1", "FL1.3", "FL01.1", "CS1.1", "CS9", "BL2.1", "XL1.1"):
        assert cables.coded(wrong) is None
    assert Cables(example("lab")).coded("FL1.1") is None


def test_ids_of_the_converged_fabric():
    """Legs of a cage lead to several nodes; what is outside of the plan has a cable for each port."""
    found = {cable.id: cable for cable in Cables(example("lab-converged")).all()}
    assert {c.kind for c in found.values()} > {"front-end", "storage", "array", "external"}
    for one in ("FL1.1/01-N1.1/f1", "SL1.2/01.3-A3", "BL1.1/01.1-E1", "BL1.2/02.2-CS2/01.2"):
        assert one in found, sorted(found)
    assert {(c.plane, c.medium) for c in found.values() if c.kind == "array"} == {(None, None)}


def test_uplinks_of_the_converged_fabric_have_their_own_speed_and_parts():
    made = build(
        **FAST,
        cabling={"fabric": "multimode"},
        networks={
            "switches": {"model": "SN5610", "fabric_speed": "200G"},
            "border": {"external_speed": "100G"},
        },
    )
    found = [c for c in Cables(made).all() if c.kind == "border_leaf"]
    assert {(c.speed, c.medium) for c in found} == {("200G", "multimode")}


def test_pods_have_the_cables_of_their_nodes():
    cables = Cables(example("lab-converged"))
    of_nodes = {c.id for c in cables.all() if c.kind in ("front-end", "storage")}
    found = [c.id for c in cables.all([0]) if c.plane is None]
    assert sorted(found) == sorted(of_nodes)


def spots(*, node_unit, leaf_unit):
    """All of SU 1 in rack A1, and the spines in A4."""
    found = {f"su01/h{n:02}": ("A1", node_unit + n) for n in range(1, 5)}
    found |= {f"leaf-p1-su001-r{n}": ("A1", leaf_unit - n) for n in range(1, 9)}
    return found


def test_the_medium_follows_from_the_length(tmp_path):
    racks = "rack,row,position\nA1,A,1\nA9,A,9\n"
    near = places(tmp_path / "near", {**FAST}, spots=spots(node_unit=0, leaf_unit=20), racks=racks)
    found = [c for c in near.all() if c.kind == "host" and c.head.device.index < 8]
    assert {(c.medium, len(c.ends)) for c in found} == {("dac", 2)}
    leaf = {f"leaf-p1-su001-r{n}": ("A9", 40) for n in range(1, 9)}
    far = places(
        tmp_path / "far", {**FAST}, spots=spots(node_unit=0, leaf_unit=20) | leaf, racks=racks
    )
    found = [c for c in far.all() if c.kind == "host" and c.head.device.index < 8]
    assert {(c.medium, len(c.ends), len(c.head.legs)) for c in found} == {("multimode", 1, 1)}


def test_a_leg_that_is_not_built_needs_no_place(tmp_path):
    """Its partner has a length; a built leg without a place leaves both without one."""
    found = spots(node_unit=0, leaf_unit=20)
    del found["su01/h02"]
    racks = "rack,row,position\nA1,A,1\n"
    for number, (absent, medium) in enumerate((([], None), (["su01/h02"], "dac"))):
        cables = places(
            tmp_path / str(number), {**FAST, "absent": absent}, spots=found, racks=racks
        )
        assert next(cables.all()).medium == medium


def test_meshed_fibre_reaches_the_farthest_switch(tmp_path):
    """Both fibres of a plug are of one kind, so the longest way between switches decides for all."""
    made = {"tiers": 3, "capacity": {"pods": 2, "sus_per_pod": 1, "slots_per_su": 2}, "rails": 2}
    made["switches"] = {"usable_ports": 4}
    where = {f"leaf-p1-pod{p:02}-su001-r{r}": ("A", 40 + r) for p in (1, 2) for r in (1, 2)}
    where |= {f"spine-p1-pod{p:02}-s{n:02}": ("B", 40 + n) for p in (1, 2) for n in (1, 2)}
    for number, (position, medium) in enumerate(((2, "multimode"), (120, "single-mode"))):
        racks = f"rack,row,position\nA,A,1\nB,A,{position}\n"
        cables = places(tmp_path / str(number), dict(made), spots=where, racks=racks)
        assert {c.medium for c in cables.all() if c.kind == "leaf"} == {medium}


def test_without_places_nothing_is_guessed():
    found = list(Cables(example("lab")).all())
    assert {(cable.medium, cable.route) for cable in found} == {(None, None)}


def test_fibre_of_four_legs_is_split_at_its_connectors():
    made = build(
        capacity={"sus_per_pod": 2, "slots_per_su": 8},
        switches={"host_speed": "200G", "fabric_speed": "200G", "usable_ports": 32},
        cabling={"host": "multimode", "fabric": "multimode"},
    )
    found = list(Cables(made).all())
    assert {(c.links, len(c.ends)) for c in found if c.kind == "host"} == {(2, 2)}
    ids = [c.id for c in found]
    assert len(set(ids)) == len(ids)


def test_no_card_or_switch_without_a_public_source_gets_a_part():
    made = build(**FAST, nics={"model": "ConnectX-8"}, cabling={"host": "dac"})
    assert {c.medium for c in Cables(made).all() if c.kind == "host"} == {None}
    other = build(
        capacity={"sus_per_pod": 1, "slots_per_su": 4},
        switches={"model": "SN5640"},
        cabling={"host": "dac", "fabric": "dac"},
    )
    assert {c.medium for c in Cables(other).all()} == {None}


def test_copper_where_no_splitter_fits_is_refused():
    made = build(
        tiers=3,
        capacity={"pods": 2, "sus_per_pod": 1, "slots_per_su": 2},
        switches={"usable_ports": 4},
        rails=2,
        cabling={"fabric": "dac"},
    )
    assert "cabling.fabric is dac" in (module.refusal(made) or "")
    assert module.refusal(example("brownfield-256")) is None
    assert module.refusal(build(cabling={"fabric": "dac", "host": "dac"})) is None


def test_a_swap_moves_the_plug_with_its_cable():
    """A leg alone cannot be moved with a breakout cable; each link of both cages still is in one cable."""
    found = Cables(FABRICS["swapped"]())
    leaf = found.fabric.device("leaf-p1-su001-r1")
    ports = [port for _c, plug in found.at(leaf) for port in plug.ports]
    assert sorted(ports) == sorted(p["port"] for p in found.fabric.slice(leaf)["ports"])


def test_pods_are_those_of_the_links():
    made = Cables(example("lab-3tier"))
    links = sum(1 for _link in rows.links(made.fabric, [0]))
    assert sum(cable.links for cable in made.all([0])) == links
    assert brownfield().most_ends() == 2
