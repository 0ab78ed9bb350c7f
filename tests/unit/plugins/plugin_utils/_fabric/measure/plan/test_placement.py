# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Placements of examples, and what holds for any fabric and any choice of its nodes.

Leaves and spines are looked up in the cabling, which placements do not ask for rings and halves.
"""

from __future__ import annotations

import collections
import itertools

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import (
    placement,
    records,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    NicPort,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric import fabrics

WITH_ROUNDS = ("pairs", "rails", "bisection")


@st.composite
def chosen(draw):
    """A fabric of any kind, and two or more of its nodes in any order."""
    try:
        fabric = fabrics.build(**draw(fabrics.descriptions()))
    except FabricError:
        assume(False)
    names = [fabric.name(node) for node in fabric.nodes()]
    assume(len(names) > 1)
    nodes = draw(st.lists(st.sampled_from(names), min_size=2, max_size=len(names), unique=True))
    return fabric, nodes


def leaf(fabric, name, rail, plane):
    """The leaf that a NIC port of a node meets."""
    return fabric.cabling.leaf_of(fabric.known(name), NicPort(rail, plane))[0]


def leaves(fabric, one):
    """The leaves of both ends of a pair."""
    first, second = (leaf(fabric, *port) for port in ports(one))
    return first, second


def far(fabric, one):
    """The distance of a pair, from the cabling."""
    low, high = leaves(fabric, one)
    if low == high:
        return "leaf"
    if low.pod != high.pod:
        return "fabric"
    size = fabric.clos.leaves_per_su
    return "su" if low.index // size == high.index // size else "pod"


def by_leaf(fabric, nodes):
    """Nodes by the leaf of their first rail and plane; those of other rails group them in the same way."""
    made = collections.defaultdict(list)
    for name in nodes:
        made[leaf(fabric, name, 0, 0)].append(name)
    return made


def ports(one):
    """The NIC ports of a pair."""
    to = one.rail if one.to_rail is None else one.to_rail
    return [(one.first, one.rail, one.plane), (one.second, to, one.plane)]


def balanced(fabric, nodes):
    """Check whether no leaf, and no pod where there are several, has more than half of the nodes."""
    pods = collections.Counter(fabric.known(name).pod for name in nodes)
    most = max(map(len, by_leaf(fabric, nodes).values()))
    return 2 * most <= len(nodes) and (len(pods) == 1 or 2 * max(pods.values()) <= len(nodes))


# Any fabric, any nodes


def elements(fabric, nodes):
    return itertools.chain(*placement.elements(fabric, nodes).values())


@given(chosen(), st.sampled_from(WITH_ROUNDS))
@settings(max_examples=30)
def test_a_round_has_each_port_once_and_every_pair_its_own_distance_and_id(case, level):
    fabric, nodes = case
    seen = set()
    rounds = list(placement.rounds(fabric, level, nodes))
    assert len(rounds) == placement.count(fabric, level, nodes)
    for one in rounds:
        used = [port for pair in one for port in ports(pair)]
        assert len(used) == len(set(used))
        assert {name for name, _rail, _plane in used} <= set(nodes)
        for pair in one:
            assert pair.distance == far(fabric, pair)
        names = {records.asked(level, pair)["id"] for pair in one}
        assert len(names) == len(one)
        assert not names & seen
        seen |= names


@given(chosen())
@settings(max_examples=30)
def test_on_its_leaf_each_node_sends_once_and_receives_once_on_each_port(case):
    fabric, nodes = case
    near = [p for one in placement.rounds(fabric, "pairs", nodes) for p in one]
    near = [pair for pair in near if pair.distance == "leaf"]
    sends = collections.Counter(ports(pair)[0] for pair in near)
    receives = collections.Counter(ports(pair)[1] for pair in near)
    expected = {
        (name, nic.rail, nic.plane)
        for group in by_leaf(fabric, nodes).values()
        for name in (group if len(group) > 1 else ())
        for nic in placement.nics(fabric)
    }
    assert set(sends) == set(receives) == expected
    assert set(sends.values()) | set(receives.values()) <= {1}


@given(chosen())
@settings(max_examples=30)
def test_pairs_grow_with_the_nodes_and_leave_the_leaf_wherever_they_can(case):
    fabric, nodes = case
    made = [pair for one in placement.rounds(fabric, "pairs", nodes) for pair in one]
    most = 2 + 2 * placement.MOST_TURNS
    assert len(made) <= most * len(nodes) * len(placement.nics(fabric))
    away = {name for p in made if p.distance != "leaf" for name in (p.first, p.second)}
    assert set(placement.unmet(fabric, "pairs", nodes)) == set(nodes) - away
    if balanced(fabric, nodes):
        assert away == set(nodes)


@given(chosen())
@settings(max_examples=30)
def test_rails_measure_every_node_on_all_ports_at_the_same_time(case):
    fabric, nodes = case
    met = set()
    for one in placement.rounds(fabric, "rails", nodes):
        together = collections.Counter(name for pair in one for name, _rail, _plane in ports(pair))
        assert set(together.values()) == {len(placement.nics(fabric))}
        met |= set(together)
    assert met == set(nodes)
    assert placement.unmet(fabric, "rails", nodes) == []


@given(chosen())
@settings(max_examples=30)
def test_a_bisection_loads_the_uplinks_of_each_leaf_with_all_of_its_nodes_but_one(case):
    fabric, nodes = case
    assume(balanced(fabric, nodes))
    groups = by_leaf(fabric, nodes)
    met, whole = set(), 0
    for one in placement.rounds(fabric, "bisection", nodes):
        for pair in one:
            low, high = leaves(fabric, pair)
            assert low != high, "each pair crosses spines"
        used = {name for pair in one for name, _rail, _plane in ports(pair)}
        met |= used
        if len(used) >= len(nodes) - 1:
            whole += 1
            for group in groups.values():
                assert len(set(group) - used) <= len(nodes) % 2
    assert met == set(nodes)
    assert whole


@given(chosen())
@settings(max_examples=30)
def test_collectives_are_packed_or_spread_and_the_spread_ones_have_no_neighbours_on_a_leaf(case):
    fabric, nodes = case
    groups = placement.groups(fabric, nodes)
    assert "all" in {group.name for group in groups}
    for group in groups:
        assert len(set(group.nodes)) == len(group.nodes)
        assert set(group.nodes) <= set(nodes)
        if group.placement == "worst" and balanced(fabric, group.nodes):
            ring = zip(group.nodes, [*group.nodes[1:], group.nodes[0]])
            assert all(leaf(fabric, a, 0, 0) != leaf(fabric, b, 0, 0) for a, b in ring)
    for name in {group.name for group in groups}:
        sets = [len(group.nodes) for group in groups if group.name == name]
        assert len(set(sets)) == 1, "placements of a set are compared, so they have equal sizes"


@given(chosen())
@settings(max_examples=30)
def test_noise_congests_ports_of_leaves_that_victims_share(case):
    fabric, nodes = case
    try:
        made = placement.noise(fabric, nodes)
    except FabricError:
        event("refused")
        return
    assert sorted([*made.victims, *made.aggressors]) == sorted(nodes)
    shared = {leaf(fabric, name, 0, 0) for name in made.victims}
    senders = collections.Counter((p.second, p.rail, p.plane) for p in made.incast)
    for (name, _rail, _plane), number in senders.items():
        assert number >= 2
        assert leaf(fabric, name, 0, 0) in shared
        assert name in made.aggressors
    sources = [(p.first, p.rail, p.plane) for p in made.incast]
    assert len(sources) == len(set(sources))
    assert not set(sources) & set(senders)
    assert {name for p in made.measured for name in (p.first, p.second)} <= set(made.victims)
    assert all(pair.distance != "leaf" for pair in made.measured)
    couples = [
        frozenset((p.first, p.second)) for r in made.alltoall for p in r if p.rail == 0 == p.plane
    ]
    assert len(couples) == len(set(couples)), "nobody meets another twice"
    for one in (made.measured, *made.alltoall):
        used = [port for pair in one for port in ports(pair)]
        assert len(used) == len(set(used))


@given(chosen())
@settings(max_examples=20)
def test_what_may_be_shut_is_cabled(case):
    fabric, nodes = case
    seen = set()
    for element in elements(fabric, nodes):
        assert element.ports
        for device, port in element.ports:
            assert fabric.peer(fabric.known(device), port) is not None
        assert (element.kind, element.name) not in seen
        seen.add((element.kind, element.name))
        assert 0 < element.share <= 1
        assert element.expected in records.EXPECTED
    kinds = {kind for kind, _name in seen}
    split = fabric.clos.planes > 1 and not fabric.clos.by_rail
    assert kinds == {"link", "spine", "leaf", "host_link"} | ({"plane"} if split else set())


# Sizes


@pytest.mark.parametrize("number", [2, 3, 4097, 65_536])
def test_any_number_of_nodes_is_placed(number):
    fabric = fabrics.example("max-524288")
    nodes = [
        fabric.name(node) for node in itertools.islice(fabric.nodes(), 0, None, 65_536 // number)
    ]
    nodes = nodes[:number]
    one = next(placement.rounds(fabric, "bisection", nodes))
    met = {port for pair in one for port in ports(pair)}
    assert len(met) == 2 * len(one)
    pods = len({fabric.known(name).pod for name in nodes}) if number < 10_000 else 128
    assert number - len(met) // 8 <= pods, "at most one node of each pod waits for the next round"


# Examples


def test_the_lab_has_rings_on_its_leaves_and_over_its_spines():
    fabric = fabrics.example("lab")
    nodes = [fabric.name(node) for node in fabric.nodes()]
    rail = [r for r in placement.rounds(fabric, "pairs", nodes) if r[0].rail == 0]
    short = [
        [(p.first[9:11] + p.first[-2:], p.second[9:11] + p.second[-2:]) for p in r] for r in rail
    ]
    assert short == [
        [("0101", "0102"), ("0201", "0202")],
        [("0102", "0103"), ("0202", "0203")],
        [("0103", "0101"), ("0203", "0201")],
        [("0101", "0201"), ("0102", "0202"), ("0103", "0203")],
        [("0201", "0101"), ("0202", "0102"), ("0203", "0103")],
    ]


def test_a_bisection_of_a_whole_fabric_loads_every_host_port_of_every_leaf():
    fabric = fabrics.example("h200-2048")
    nodes = [fabric.name(node) for node in fabric.nodes()]
    (one,) = placement.rounds(fabric, "bisection", nodes)
    flows = collections.Counter(end for pair in one for end in leaves(fabric, pair))
    assert set(flows) == {s for s in fabric.switches() if s.role == "leaf"}
    assert set(flows.values()) == {fabric.clos.leaf_host.count} == {fabric.clos.leaf_up.count}


def test_with_several_pods_a_bisection_stays_in_the_pods_first_and_then_leaves_them():
    fabric = fabrics.build(tiers=3, capacity={"pods": 2, "sus_per_pod": 2, "slots_per_su": 4})
    nodes = [fabric.name(node) for node in fabric.nodes()]
    rounds = list(placement.rounds(fabric, "bisection", nodes))
    assert [{pair.distance for pair in one} for one in rounds] == [{"pod"}, {"fabric"}]
    assert [{p.distance for p in r} for r in placement.rounds(fabric, "pairs", nodes)][::16] == [
        {"leaf"},
        {"pod"},
        {"fabric"},
    ]


def test_planes_are_measured_one_by_one_and_hardware_that_balances_them_as_one():
    split = fabrics.example("lab-2plane")
    names = [split.name(node) for node in split.nodes()]
    assert {p.plane for r in placement.rounds(split, "rails", names) for p in r} == {0, 1}
    shared = fabrics.build(
        planes={"count": 2, "mode": "split", "balancing": "hwplb"}, nics={"model": "ConnectX-8"}
    )
    names = [shared.name(node) for node in itertools.islice(shared.nodes(), 4)]
    assert {p.plane for r in placement.rounds(shared, "rails", names) for p in r} == {0}


def test_a_leaf_with_most_of_the_nodes_meets_the_others_in_turns():
    fabric = fabrics.example("h200-2048")
    nodes = [fabric.name(node) for node in fabric.nodes(sus=[0])]
    others = [fabric.name(node) for node in itertools.islice(fabric.nodes(sus=[1]), 10)]
    rounds = list(placement.rounds(fabric, "bisection", [*nodes, *others]))
    assert [len(one) for one in rounds] == [10 * 8] * placement.MOST_TURNS
    unmet = placement.unmet(fabric, "bisection", [*nodes, *others])
    assert len(unmet) == 64 - 10 * placement.MOST_TURNS
    assert set(unmet) < set(nodes)


def test_what_is_out_of_service_takes_no_part(load):
    day = "2026-01-31"
    fabric = load(
        out_of_service=[
            {"device": "worker-su01-rack01-h01", "since": day, "reason": "RMA"},
            {"device": "worker-su01-rack01-h02", "port": "rail2p1", "since": day, "reason": "NIC"},
            {"device": "leaf-p1-su002-r2", "since": day, "reason": "fan"},
            {"device": "spine-p1-s01", "since": day, "reason": "fan"},
        ]
    )
    nodes = [fabric.name(node) for node in fabric.nodes()]
    used = {
        port
        for level in WITH_ROUNDS
        for one in placement.rounds(fabric, level, nodes)
        for pair in one
        for port in ports(pair)
    }
    assert not any(name == "worker-su01-rack01-h01" for name, _rail, _plane in used)
    assert ("worker-su01-rack01-h02", 0, 0) in used
    assert ("worker-su01-rack01-h02", 1, 0) not in used
    assert not any(name.startswith("worker-su02") and rail == 1 for name, rail, _plane in used)
    shut = {element.name for element in elements(fabric, nodes)}
    assert not {"spine-p1-s01", "leaf-p1-su002-r2"} & shut
    assert "spine-p1-s02" in shut


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lab", {"link": ("lives", 0.25), "spine": ("lives", 0.5), "leaf": ("never", 1.0)}),
        ("lab-2plane", {"link": ("lives", 0.5), "leaf": ("plugin", 0.5), "plane": ("plugin", 0.5)}),
        ("multiplane-16384", {"leaf": ("never", 1.0), "host_link": ("never", 1.0)}),
    ],
)
def test_what_is_expected_of_a_job_follows_from_what_is_left(name, expected):
    fabric = fabrics.example(name)
    nodes = [fabric.name(node) for node in itertools.islice(fabric.nodes(), 4)]
    found = {e.kind: (e.expected, e.share) for e in elements(fabric, nodes)}
    assert {kind: found[kind] for kind in expected} == expected


def test_mistakes_are_sentences():
    fabric = fabrics.example("lab")
    nodes = [fabric.name(node) for node in fabric.nodes()]
    with pytest.raises(FabricError, match="'collectives' has no rounds of pairs: use pairs, rails"):
        next(placement.rounds(fabric, "collectives", nodes))
    with pytest.raises(FabricError, match="is a switch, and nodes are measured"):
        placement.members(fabric, ["leaf-p1-su001-r1"])
    with pytest.raises(FabricError, match="is not a device of fabric lab"):
        placement.members(fabric, ["worker-9"])


def test_a_pair_by_name_has_its_distance():
    fabric = fabrics.example("lab")
    made = placement.pair(
        fabric, "worker-su01-rack01-h01", "worker-su02-rack01-h01", rail=1, plane=0
    )
    assert made == ("worker-su01-rack01-h01", "worker-su02-rack01-h01", 1, 0, "pod", None)


def test_without_a_launcher_each_node_is_a_collective_of_its_own():
    fabric = fabrics.example("lab")
    nodes = [fabric.name(node) for node in fabric.nodes()]
    groups = placement.singles(fabric, nodes)
    assert [group.nodes for group in groups] == [(name,) for name in nodes]
    asked = [records.asked_of("collectives", one, operation="all_reduce")["id"] for one in groups]
    assert len(set(asked)) == len(nodes)


def some(fabric, *numbers):
    """So many nodes of each SU in turn."""
    return [
        fabric.name(node)
        for su, number in enumerate(numbers)
        for node in itertools.islice(fabric.nodes(sus=[su]), number)
    ]


def test_the_receiver_of_an_incast_is_on_a_leaf_with_victims_although_others_have_fewer_aggressors():
    fabric = fabrics.example("h200-2048")
    nodes = some(fabric, 4, 4, 1)
    made = placement.noise(fabric, nodes)
    assert nodes[-1] in made.aggressors
    assert {pair.second for pair in made.incast} <= set(nodes[:8])
    assert nodes[-1] in {pair.first for pair in made.incast}


def test_noise_that_would_congest_nothing_is_refused():
    fabric = fabrics.example("h200-2048")
    for numbers in ((2, 2), (1, 1, 1, 1), (8,)):
        with pytest.raises(FabricError, match="choose five nodes or more, of two leaves"):
            placement.noise(fabric, some(fabric, *numbers))
    assert placement.noise(fabric, some(fabric, 3, 2)).incast


def test_leaves_of_any_size_are_interleaved():
    fabric = fabrics.example("h200-2048")
    nodes = [fabric.known(name) for name in some(fabric, 1, 3, 2)]
    made = placement.apart(fabric, nodes)
    assert sorted(made) == nodes
    assert all(a.su != b.su for a, b in zip(made, [*made[1:], made[0]]))


def test_without_a_second_uplink_or_spine_nothing_carries_the_traffic():
    fabric = fabrics.build(rails=1, capacity={"sus_per_pod": 2, "slots_per_su": 1})
    assert (fabric.clos.leaf_up.count, fabric.clos.spines) == (1, 1)
    nodes = [fabric.name(node) for node in fabric.nodes()]
    found = {(e.kind, e.expected, e.share) for e in elements(fabric, nodes)}
    assert found == {(kind, "never", 1.0) for kind in ("link", "spine", "leaf", "host_link")}


# Between rails

WITH_RAILS = (
    lambda: fabrics.example("lab"),
    lambda: fabrics.example("lab-3tier"),
    lambda: fabrics.example("b300-4096"),
    lambda: fabrics.build(wiring={"mode": "top-of-rack"}, capacity={"slots_per_su": 20}),
)


@given(st.sampled_from(WITH_RAILS), st.data())
@settings(max_examples=12)
def test_between_rails_each_port_sends_once_and_receives_once(build, data):
    fabric = build()
    rails, names = fabric.description.rails, [fabric.name(node) for node in fabric.nodes()][:40]
    nodes = data.draw(st.lists(st.sampled_from(names), min_size=2, unique=True))
    rounds = list(placement.crossed(fabric, nodes))
    for one in rounds:
        names = [name for pair in one for name, _rail, _plane in ports(pair)]
        assert len(names) == len(set(names))
    made = [pair for one in rounds for pair in one]
    expected = {(name, nic.rail, nic.plane) for name in nodes for nic in placement.nics(fabric)}
    for side in (0, 1):
        assert collections.Counter(ports(pair)[side] for pair in made) == dict.fromkeys(expected, 1)
    assert all(pair.rail != pair.to_rail and pair.distance == far(fabric, pair) for pair in made)
    if len(nodes) >= rails:
        assert len({(pair.rail, pair.to_rail) for pair in made}) == rails * (rails - 1)


@pytest.mark.parametrize("level", WITH_ROUNDS)
def test_rails_are_not_crossed_unless_asked(level):
    fabric = fabrics.example("lab")
    nodes = [fabric.name(node) for node in fabric.nodes()]
    rounds = placement.rounds(fabric, level, nodes)
    assert all(pair.to_rail is None for one in rounds for pair in one)


@pytest.mark.parametrize(
    "name, why",
    [
        ("h200-2048", ""),
        ("b300-4096", ""),
        ("lab-2plane", "nodes of this fabric have one rail"),
        ("multiplane-16384", "by the plan, rail 1 of {} has no route to rail 2 of {} (172.18.0.2)"),
        ("brownfield-256", "by the plan, rail 1 of {} has no route to rail 2 of {} (10.40.0.19)"),
    ],
)
def test_rails_that_the_plan_keeps_apart_are_not_crossed(name, why):
    """By rail, planes have no way between them; hosts of the brownfield have routes of their own rail alone."""
    fabric = fabrics.example(name)
    nodes = [fabric.name(node) for node in itertools.islice(fabric.nodes(), 2)]
    assert placement.uncrossed(fabric, nodes) == why.format(*nodes)
