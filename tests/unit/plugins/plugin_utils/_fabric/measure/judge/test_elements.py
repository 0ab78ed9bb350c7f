# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import (
    elements,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge.elements import (
    Paths,
    cable_name,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan import locate
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

A1, A2, B1 = "worker-su01-rack01-h01", "worker-su01-rack01-h02", "worker-su02-rack01-h01"
P1, P2 = "worker-pod01-su01-rack01-h01", "worker-pod02-su01-rack01-h01"


@pytest.mark.parametrize(
    "name, first, second, kinds",
    [
        ("lab", A1, A2, "cable cable leaf nic nic node node plane"),
        (
            *("lab", A1, B1),
            "cable cable leaf leaf nic nic node node plane spines uplinks uplinks",
        ),
        (
            *("lab-3tier", P1, P2),
            "cable cable leaf leaf nic nic node node plane spines spines tops uplinks uplinks",
        ),
    ],
)
def test_a_path_has_what_a_flow_passes_through(
    name: str, first: str, second: str, kinds: str
) -> None:
    paths = Paths(example(name))
    path = paths.path(paths.end(first, 0, 0), paths.end(second, 0, 0))
    assert sorted(element.kind for element in paths.elements(path)) == kinds.split()
    assert len(set(path)) == len(path)


def test_a_port_is_one_end_however_often_it_is_asked_for() -> None:
    paths = Paths(example("lab"))
    assert paths.end(A1, 0, 0) is paths.end(A1, 0, 0)
    assert paths.end(A1, 0, 0) != paths.end(A1, 1, 0)
    for strange in (
        (A1, 0, 1),
        (A1, 9, 0),
        (A1, None, 0),
        ("nobody", 0, 0),
        ("leaf-p1-su001-r1", 0, 0),
    ):
        assert paths.end(*strange) is None


def test_a_test_of_one_way_uses_each_side_in_its_direction() -> None:
    paths = Paths(example("lab"))
    first, second = paths.end(A1, 0, 0), paths.end(B1, 0, 0)
    one, both = paths.path(first, second), paths.path(first, second, both_ways=True)
    assert paths.key(first.own[2], elements.SENDS) in one
    assert paths.key(second.own[2], elements.RECEIVES) in one
    assert {key % 3 for key in both} == {elements.BOTH}
    assert paths.elements(one) == paths.elements(both)


def test_a_cable_is_named_end_to_end_as_locate_says_it() -> None:
    fabric = example("lab")
    for place in (f"{A1}:rail2p1", "leaf-p1-su001-r1:swp3s0"):
        device, port = place.split(":")
        name = cable_name(fabric, fabric.known(device), fabric.port(fabric.known(device), port))
        found = locate.locate(fabric, place)[0]
        assert name == (
            f"{found['device']} port {found['port']} <-> {found['peer_device']} port {found['peer_port']}"
        )
        assert f"<-> {name.split(' <-> ')[1]}" in locate.sentence(found)


def test_sets_stand_for_the_cables_and_switches_of_the_plan() -> None:
    fabric = example("lab-3tier")
    paths = Paths(fabric)
    end = paths.end(P1, 0, 0)
    assert {port.kind for _leaf, port in paths.cables(end.uplinks)} == {"up"}
    spines = paths.switches(elements.Element(elements.SPINES, None, -1, 0, 1))
    assert {fabric.name(s).rsplit("-", 1)[0] for s in spines} == {"spine-p1-pod02"}
    tops = paths.switches(elements.Element(elements.TOPS, None, -1, 0))
    assert {s.role for s in tops} == {"super_spine"}
    assert paths.switches(end.own[0]) == []


def test_a_nic_that_spreads_flows_over_its_planes_stands_for_all_of_them() -> None:
    fabric = build(
        rails=2,
        planes={"count": 2, "mode": "split", "balancing": "hwplb"},
        release={"ra": "2.2"},
        capacity={"sus_per_pod": 2, "slots_per_su": 4},
    )
    paths = Paths(fabric)
    end = paths.end(fabric.name(next(fabric.nodes())), 1, 0)
    assert {nic.plane for nic in paths.ports} == {0}
    assert [(port.rail, port.plane) for _node, port in paths.cables(end.own[2])] == [(1, 0), (1, 1)]
    assert [leaf.plane for leaf in paths.switches(end.switch)] == [0, 1]
    assert {leaf.plane for leaf, _port in paths.cables(end.uplinks)} == {0, 1}
