# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import functools
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import (
    screening,
    suspects,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan.records import (
    LEAF,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.measure.simulated import (
    Fault,
    Links,
    Model,
    searched,
)


@functools.cache
def large() -> tuple[list[str], Links]:
    """232 nodes of 256, the number for which CRE publishes what a search costs."""
    fabric = example("h200-2048")
    nodes = [fabric.name(node) for node in fabric.nodes()][:232]
    return nodes, Links(fabric, nodes)


def search(name: str, model: Model, nodes: Any = ()) -> Model:
    return searched(model, functools.partial(screening.next_rounds, example(name), nodes=nodes))


# What it costs


def test_a_healthy_fabric_of_232_nodes_takes_16_rounds() -> None:
    nodes, links = large()
    model = search("h200-2048", Model(links, [], noise=0.015), nodes)
    assert model.rounds == 16
    assert suspects.find(example("h200-2048"), model.tests, {}) == []


@pytest.mark.parametrize("seed", range(2))
def test_five_bad_nodes_of_232_are_named_within_26_rounds(seed: int) -> None:
    nodes, links = large()
    bad = random.Random(seed).sample(nodes, 5)
    model = Model(links, [Fault("node", name, 0.5) for name in bad], seed=seed)
    search("h200-2048", model, nodes)
    rows = suspects.find(example("h200-2048"), model.tests, {})
    assert sorted(row["place"] for row in rows if row["certain"]) == sorted(bad)
    assert model.rounds <= 26


def test_a_dead_spine_is_found_within_60_rounds() -> None:
    nodes, links = large()
    model = Model(links, [Fault("spine", "spine-p1-s01", 0.0)])
    search("h200-2048", model, nodes)
    rows = suspects.find(example("h200-2048"), model.tests, model.counters())
    assert [row["place"] for row in rows if row["certain"]] == ["spine-p1-s01"]


# Screening


@settings(max_examples=25)
@given(st.data())
def test_each_port_sends_once_and_receives_once_and_a_node_is_in_one_pair_of_a_round(
    data: st.DataObject,
) -> None:
    fabric = example(data.draw(st.sampled_from(["lab", "lab-2plane", "lab-3tier"])))
    built = [fabric.name(node) for node in fabric.nodes()]
    nodes = data.draw(st.lists(st.sampled_from(built), min_size=2, unique=True))
    rounds = screening.next_rounds(fabric, [], nodes=nodes) or []
    ports = list(fabric.cabling.nic_ports())
    wanted = {(name, *nic) for name in nodes for nic in ports}
    for side in ("first", "second"):
        met = [(getattr(p, side), p.rail, p.plane) for pairs in rounds for p in pairs]
        assert sorted(met) == sorted(wanted)
    for pairs in rounds:
        busy = [name for p in pairs for name in (p.first, p.second)]
        assert len(busy) == len(set(busy))
    assert len(rounds) <= (2 if len(nodes) % 2 == 0 else 3) * len(ports)


def test_neighbours_in_the_ring_are_on_different_leaves_where_there_are_several() -> None:
    nodes, _links = large()
    pairs = [
        p for made in screening.next_rounds(example("h200-2048"), [], nodes=nodes) for p in made
    ]
    assert sum(p.distance == LEAF for p in pairs) < len(pairs) / 100
    partners = collections.defaultdict(set)
    for pair in pairs:
        partners[pair.first].add(pair.second)
    assert min(map(len, partners.values())) >= 6, "each rail has another partner"


def test_nodes_of_one_leaf_meet_each_other() -> None:
    nodes = [f"worker-su01-rack0{(n + 1) // 2}-h0{n}" for n in (1, 2, 3)]
    rounds = screening.next_rounds(example("lab"), [], nodes=nodes)
    assert {p.distance for pairs in rounds for p in pairs} == {LEAF}


@pytest.mark.parametrize("nodes", [["worker-su01-rack01-h01"], []])
def test_one_node_has_nobody_to_be_measured_with(nodes: list[str], load: Any) -> None:
    fabric = load("lab", absent=["*/*/h02", "*/*/h03", "*/*/h04", "pod01/su02"])
    assert screening.next_rounds(fabric, [], nodes=nodes) is None


def test_a_node_that_is_not_built_is_refused() -> None:
    with pytest.raises(NotInFabric, match="worker-su01-rack02-h04"):
        screening.next_rounds(example("lab"), [], nodes=["worker-su01-rack02-h04"])


def test_what_is_out_of_service_is_left_out(load: Any) -> None:
    fabric = load(
        "lab",
        out_of_service=[
            {"device": "worker-su01-rack01-h01", "since": "2026-01-01", "reason": "repair"},
            {
                "device": "leaf-p1-su002-r1",
                "port": "swp1s0",
                "since": "2026-01-01",
                "reason": "repair",
            },
        ],
    )
    rounds = screening.next_rounds(fabric, [])
    met = {(name, p.rail) for pairs in rounds for p in pairs for name in (p.first, p.second)}
    assert "worker-su01-rack01-h01" not in {name for name, _rail in met}
    assert ("worker-su02-rack01-h01", 0) not in met
    assert ("worker-su02-rack01-h01", 1) in met


# Bisection, confirmation, mixed pairs


def judged(first: str, second: str, *, rail: int = 0, value: float = 392.0) -> dict[str, Any]:
    model = Model(Links(example("lab")), [])
    model.run([[_pair(first, second, rail)]])
    return {**model.tests[0], "value": value, "state": "pass" if value > 380 else "fail"}


def _pair(first: str, second: str, rail: int) -> Any:
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan.records import (
        Pair,
    )

    return Pair(first, second, rail, 0, "su")


A1, A2, A3 = "worker-su01-rack01-h01", "worker-su01-rack01-h02", "worker-su01-rack02-h03"
B1, B2, B3 = "worker-su02-rack01-h01", "worker-su02-rack01-h02", "worker-su02-rack02-h03"


def test_nothing_follows_where_nothing_failed() -> None:
    assert screening.next_rounds(example("lab"), [judged(A1, A2)]) is None


def test_ports_that_no_test_has_met_are_measured_first() -> None:
    rounds = screening.next_rounds(example("lab"), [judged(A1, A2)], nodes=[A1, A2, A3])
    assert [p.first for pairs in rounds for p in pairs] == [A3]


def test_each_node_of_a_failed_pair_meets_a_healthy_partner_in_the_direction_that_failed() -> None:
    tests = [judged(A1, B1, value=100.0), judged(A2, B2), judged(B2, A2), judged(A3, B3)]
    pairs = [p for made in screening.next_rounds(example("lab"), tests) for p in made]
    assert any(p.first == A1 and p.second in (A2, B2, B3) for p in pairs)


def test_a_suspect_is_confirmed_with_another_partner() -> None:
    lab, slow = example("lab"), Fault("node", A1, 0.5)
    model = Model(Links(lab), [slow])
    met: dict[str, int] = collections.Counter()
    search("lab", model)
    for test in model.tests:
        if A1 in (test["first"], test["second"]):
            met[test["second"] if test["first"] == A1 else test["first"]] += 1
    assert len(met) >= suspects.LEAST


def test_where_both_nodes_are_healthy_other_nodes_of_the_two_leaves_are_mixed() -> None:
    tests = [judged(A1, B1, value=100.0), judged(A1, A2), judged(B2, B1), judged(A2, B2)]
    pairs = [p for made in screening.next_rounds(example("lab"), tests) or [] for p in made]
    assert pairs
    assert any(
        p.first.startswith("worker-su01") and p.second.startswith("worker-su02") for p in pairs
    )
    assert (A1, B1) not in {(p.first, p.second) for p in pairs}


@pytest.mark.parametrize("name", ["lab", "lab-2plane", "lab-3tier"])
def test_a_search_asks_for_no_ordered_pair_twice_and_ends(name: str) -> None:
    chance = random.Random(name)
    links = Links(example(name))
    for _number in range(4):
        unsteady = Fault("node", chance.choice(links.nodes), 0.5, steady=0.5)
        spread = Fault("leaf", chance.choice(links.leaves), 0.7, steady=0.7)
        model = search(name, Model(links, [unsteady, spread], seed=chance.randrange(99)))
        asked = [(t["first"], t["second"], t["rail"], t["plane"]) for t in model.tests]
        assert len(asked) == len(set(asked))


def test_the_answer_follows_from_the_tests_alone() -> None:
    lab, links = example("lab"), Links(example("lab"))
    model = Model(links, [Fault("node", A1, 0.5)])
    model.run(screening.next_rounds(lab, []))
    assert screening.next_rounds(lab, model.tests) == screening.next_rounds(lab, list(model.tests))
