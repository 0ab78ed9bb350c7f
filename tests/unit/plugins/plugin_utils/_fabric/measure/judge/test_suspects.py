# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import dataclasses
import functools
import os
import random
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import (
    screening,
    suspects,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import (
    placement,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.measure.simulated import (
    Fault,
    Links,
    Model,
    named,
    searched,
    seeded,
)

SWEEP = int(os.environ.get("SPX_CULPRITS", "1"))
"""Factor of the tried seeds; the drill ``culprits`` tries many."""
HOST = ("node", "nic", "cable", "leaf")
SLICES = {"lab": 0, "h200-2048": 8, "multiplane-16384": 8}
"""Fabrics, and of the large ones the nodes of each of three SUs that take part."""


@functools.cache
def links_of(name: str) -> Links:
    fabric, each = example(name), SLICES.get(name, 0)
    nodes = [fabric.name(node) for node in fabric.nodes() if node.su < 3 and node.slot < each]
    return Links(fabric, nodes)


def run(name: str, faults: list[Fault], seed: int = 0, **noise: float) -> Model:
    fabric, links = example(name), links_of(name)
    model = Model(links, faults, seed=seed, **noise)
    following = functools.partial(screening.next_rounds, fabric, nodes=links.nodes)
    return searched(model, following)


def found(name: str, model: Model, *, counters: bool = True) -> list[Any]:
    return suspects.find(example(name), model.tests, model.counters() if counters else {})


def places(rows: list[Any], *, certain: bool = True) -> set[tuple[str, str]]:
    return {(row["kind"], row["place"]) for row in rows if row["certain"] or not certain}


def distinct(links: Links, count: int, chance: random.Random) -> list[Fault]:
    return [seeded(links, chance.choice(HOST), chance) for _number in range(count)]


# Sweeps of seeded faults


@pytest.mark.large
@pytest.mark.parametrize("name, each", [("lab", 12), ("h200-2048", 2), ("multiplane-16384", 1)])
def test_a_single_fault_of_a_host_or_a_leaf_is_named_and_nothing_else(name: str, each: int) -> None:
    chance, counts = random.Random(name), collections.Counter[bool]()
    for seed in range(each * SWEEP):
        for kind in HOST:
            fault = seeded(links_of(name), kind, chance)
            rows = found(name, run(name, [fault], seed))
            counts[places(rows) == {(fault.kind, fault.place)}] += 1
            assert places(rows) <= {(fault.kind, fault.place)}, "somebody else is accused"
    assert counts[True] >= 0.95 * counts.total()


@pytest.mark.large
@pytest.mark.parametrize("name, each", [("lab", 50), ("h200-2048", 4), ("multiplane-16384", 3)])
def test_of_two_faults_both_are_named(name: str, each: int) -> None:
    """All NICs of a node that are slow alike look like the node: seldom, another part than those seeded is named."""
    chance, counts, wrong = random.Random(name), collections.Counter[bool](), 0
    for seed in range(each * SWEEP):
        faults = distinct(links_of(name), 2, chance)
        rows = found(name, run(name, faults, seed))
        wanted = {(fault.kind, fault.place) for fault in faults}
        counts[places(rows) == wanted] += 1
        wrong += not places(rows) <= wanted
    assert counts[True] >= 0.8 * counts.total()
    assert wrong <= 0.01 * counts.total()


@pytest.mark.parametrize("kind", ["uplink", "spine", "plane"])
@pytest.mark.parametrize("name", ["lab", "lab-2plane"])
def test_what_flows_are_spread_over_is_named_by_counters_else_as_a_set(
    name: str, kind: str
) -> None:
    for seed in range(3 * SWEEP):
        fault = seeded(links_of(name), kind, random.Random(seed))
        model = run(name, [fault], seed)
        wanted = (fault.kind, fault.place)
        plain = places(found(name, model, counters=False), certain=False)
        assert wanted in plain
        if name == "lab":
            assert {place for place, _name in plain} == {kind}
        if kind != "plane":
            assert places(found(name, model)) == {wanted}


@pytest.mark.parametrize("name", ["lab", "lab-2plane", "lab-3tier", "h200-2048"])
def test_a_healthy_fabric_names_nobody(name: str) -> None:
    for seed in range(3 * SWEEP):
        model = run(name, [], seed, noise=0.015)
        assert found(name, model) == []


@pytest.mark.parametrize("name", ["lab", "lab-3tier", "h200-2048"])
def test_failures_within_the_noise_accuse_nobody(name: str) -> None:
    failed = 0
    for seed in range(3 * SWEEP):
        model = run(name, [], seed, noise=0.015, healthy=0.962)
        failed += sum(test["state"] == "fail" for test in model.tests)
        assert found(name, model) == []
    assert failed


@pytest.mark.parametrize("only", ["sends", "receives"])
def test_a_cable_that_is_bad_in_one_direction_is_named(only: str) -> None:
    for seed in range(4 * SWEEP):
        fault = seeded(links_of("lab"), "cable", random.Random(seed))
        model = run("lab", [dataclasses.replace(fault, only=only)], seed)
        assert places(found("lab", model)) == {("cable", fault.place)}


def test_an_unsteady_cable_is_a_suspect_and_others_are_not() -> None:
    named_ones = 0
    for seed in range(12 * SWEEP):
        fault = seeded(links_of("lab"), "cable", random.Random(seed))
        model = run("lab", [dataclasses.replace(fault, steady=0.5)], seed)
        rows = found("lab", model, counters=False)
        assert places(rows) == set()
        assert {row["place"].split(":")[0].split(" ")[0] for row in rows} <= {
            fault.place.split(" ")[0]
        }
        named_ones += ("cable", fault.place) in places(rows, certain=False)
    assert named_ones >= 4 * SWEEP


# A cable and its NIC


CABLE = "worker-su01-rack01-h02 port rail1p1 <-> leaf-p1-su001-r1 port swp1s1"
NIC = "worker-su01-rack01-h02:rail1p1"


def test_without_counters_a_cable_and_its_nic_are_a_set() -> None:
    for fault in (Fault("cable", CABLE, 0.5), Fault("nic", NIC, 0.5)):
        rows = found("lab", run("lab", [fault]), counters=False)
        assert places(rows) == set()
        assert places(rows, certain=False) == {("cable", CABLE), ("nic", NIC)}
        assert rows[0]["score"] == 1.0
        assert rows[0]["reasons"][-1] == (
            f"Tests between nodes cannot separate these, and no counter does: it is the cable {CABLE} or the NIC at "
            f"{NIC}."
        )


def test_counters_tell_a_cable_from_its_nic_and_are_quoted() -> None:
    model = run("lab", [Fault("cable", CABLE, 0.5)])
    rows = suspects.find(example("lab"), model.tests, {NIC: {"rx_symbol_err_phy": 12}})
    assert places(rows, certain=False) == {("cable", CABLE)}
    assert rows[0]["certain"]
    assert rows[0]["reasons"][1] == (
        "worker-su01-rack01-h02 port rail1p1 counted 12 packets dropped for symbol errors (rx_symbol_err_phy): look "
        "between the transmitter of leaf-p1-su001-r1 port swp1s1 and this receiver."
    )
    rows = suspects.find(example("lab"), model.tests, {NIC: {"rx_discards_phy": 12}})
    assert places(rows) == {("nic", NIC)}


@pytest.mark.parametrize("below, above", [({}, {}), ({"rx_symbol_err_phy": 0}, {})])
def test_a_cable_that_was_not_read_at_both_ends_is_not_cleared(
    below: dict[str, int], above: dict[str, int]
) -> None:
    model = run("lab", [Fault("nic", NIC, 0.5)])
    counters = {NIC: below, "leaf-p1-su001-r1:swp1s1": above}
    rows = suspects.find(example("lab"), model.tests, counters)
    assert places(rows, certain=False) == {("cable", CABLE), ("nic", NIC)}


def test_a_nic_is_named_where_both_ends_of_its_cable_count_no_error() -> None:
    model = run("lab", [Fault("nic", NIC, 0.5)])
    counters = {NIC: {"rx_symbol_err_phy": 0}, "leaf-p1-su001-r1:swp1s1": {"in-errors": 0}}
    rows = suspects.find(example("lab"), model.tests, counters)
    assert places(rows) == places(rows, certain=False) == {("nic", NIC)}
    assert rows[0]["reasons"][-1] == (
        "Both ends of its cable count no error of the signal, so that the cable is not named."
    )


def test_what_shows_no_part_is_quoted_with_the_cable_and_decides_nothing() -> None:
    model = run("lab", [Fault("cable", CABLE, 0.5)])
    lost = {NIC: {"packet_seq_err": 12, "out_of_sequence": 5000}}
    rows = suspects.find(example("lab"), model.tests, lost)
    assert places(rows) == set()
    assert places(rows, certain=False) == {("cable", CABLE), ("nic", NIC)}
    reasons = next(row["reasons"] for row in rows if row["kind"] == "cable")
    assert reasons[1] == (
        "worker-su01-rack01-h02 port rail1p1 counted 12 NAKs for a packet that was missing (packet_seq_err)."
    )
    assert not any("out_of_sequence" in text for text in reasons)


def test_signs_of_both_leave_a_set() -> None:
    model = run("lab", [Fault("cable", CABLE, 0.5)])
    both = {NIC: {"rx_symbol_err_phy": 12, "rx_discards_phy": 7}}
    rows = suspects.find(example("lab"), model.tests, both)
    assert places(rows) == set()
    assert places(rows, certain=False) == {("cable", CABLE), ("nic", NIC)}
    assert "Counters are unusual on several" in rows[0]["reasons"][-1]


def test_the_ports_of_two_planes_tell_a_cable_from_its_nic() -> None:
    links = links_of("lab-2plane")
    fault = Fault("cable", named(links.host[links.nodes[0], 0, 1]), 0.5)
    rows = found("lab-2plane", run("lab-2plane", [fault]), counters=False)
    assert places(rows) == {("cable", fault.place)}


def test_an_only_nic_is_no_better_known_than_its_node() -> None:
    links = links_of("lab-2plane")
    fault = Fault("nic", links.nic(links.nodes[0], 0), 0.5)
    rows = found("lab-2plane", run("lab-2plane", [fault]))
    assert places(rows) == set()
    assert places(rows, certain=False) == {("nic", fault.place), ("node", links.nodes[0])}


# What counts


def test_a_cable_with_errors_that_slows_nobody_is_named_last_and_not_for_certain() -> None:
    fault = seeded(links_of("h200-2048"), "uplink", random.Random(1))
    model = run("h200-2048", [fault])
    assert all(test["state"] == "pass" for test in model.tests)
    rows = found("h200-2048", model)
    assert [(row["place"], row["certain"], row["score"]) for row in rows] == [
        (fault.place, False, 0.0)
    ]
    assert rows[0]["reasons"][-1] == "No failed test needs it as an explanation."


def test_links_that_a_failover_shut_show_nothing() -> None:
    lab, tests = example("lab"), run("lab", []).tests
    counters = {NIC: {"link_down_events_phy": 1}, "leaf-p1-su001-r1:swp1s1": {"symbol-errors": 1}}
    assert len(suspects.find(lab, tests, {NIC: counters[NIC]})) == 1
    shut = [*tests, {**tests[0], "level": "failover"}]
    assert suspects.find(lab, shut, {NIC: counters[NIC]}) == []
    assert len(suspects.find(lab, shut, counters)) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"level": "noise"},
        {"level": "collectives"},
        {"kind": "ratio", "second": ""},
        {"kind": "busbw", "second": ""},
        {"state": "waived"},
        {"state": "not_run"},
        {"rail": 7},
        {"rail": None},
        {"first": "leaf-p1-su001-r1"},
        {"first": "nobody"},
    ],
)
def test_tests_that_say_nothing_about_elements_are_passed_over(changes: dict[str, Any]) -> None:
    model = run("lab", [Fault("node", "worker-su01-rack01-h02", 0.5)])
    tests = [{**test, **(changes if test["state"] == "fail" else {})} for test in model.tests]
    assert suspects.find(example("lab"), tests, {}) == []


def test_a_latency_that_is_too_long_leads_to_the_same_place() -> None:
    model = run("lab", [Fault("node", "worker-su01-rack01-h02", 0.5)])
    tests = [{**test, "kind": "latency", "unit": "us", "value": 3.0} for test in model.tests]
    rows = suspects.find(example("lab"), tests, {})
    assert places(rows, certain=False) == {("node", "worker-su01-rack01-h02")}
    assert rows[0]["certain"]
    assert rows[0]["reasons"] == [f"It is in {model_failed(tests)} failed tests of latency."]
    both = suspects.find(example("lab"), [*tests, *model.tests], {})
    assert len(both) == 1
    assert len(both[0]["reasons"]) == 2


def model_failed(tests: list[dict[str, Any]]) -> int:
    return sum(test["state"] == "fail" for test in tests)


def test_a_test_that_lost_packets_counts_although_it_was_fast() -> None:
    lab = example("lab")
    model = run("lab", [Fault("node", "worker-su01-rack01-h02", 0.5)])
    tests = [{**test, "value": 392.0} for test in model.tests]
    assert places(suspects.find(lab, tests, {})) == {("node", "worker-su01-rack01-h02")}


def test_a_failure_without_a_value_counts() -> None:
    model = run("lab", [Fault("leaf", "leaf-p1-su001-r1", 0.5)])
    tests = [{**t, "value": t["value"] if t["state"] == "pass" else None} for t in model.tests]
    assert places(suspects.find(example("lab"), tests, {})) == {("leaf", "leaf-p1-su001-r1")}


def test_few_tests_name_nobody_for_certain() -> None:
    lab, links = example("lab"), links_of("lab")
    model = Model(links, [Fault("node", "worker-su01-rack01-h02", 0.5)])
    model.run(screening.next_rounds(lab, [], nodes=links.nodes)[:1])
    assert places(suspects.find(lab, model.tests, {})) == set()
    assert suspects.find(lab, model.tests, {})


def of_level_rails(faults: list[Fault]) -> Model:
    """Each leaf has a ring of its nodes, and nothing else."""
    links = links_of("h200-2048")
    model = Model(links, faults)
    model.run(list(placement.rounds(example("h200-2048"), "rails", small(links))), "rails")
    return model


def small(links: Links) -> list[str]:
    """Four nodes of each SU."""
    return [name for name in links.nodes if name[-2:] in ("01", "02", "03", "04")]


def two_nics(links: Links) -> list[Fault]:
    """Every second NIC of a ring of four: each pair of the leaf has one of them."""
    return [Fault("nic", links.nic(name, 0), 0.5) for name in small(links)[0:4:2]]


def test_two_slow_nics_of_a_ring_are_not_said_to_be_their_leaf() -> None:
    links = links_of("h200-2048")
    faults = two_nics(links)
    rows = found("h200-2048", of_level_rails(faults), counters=False)
    leaf = links.host[small(links)[0], 0, 0].b.device
    assert places(rows) == set()
    assert {("leaf", leaf), *((f.kind, f.place) for f in faults)} <= places(rows, certain=False)
    reasons = next(row["reasons"] for row in rows if row["kind"] == "leaf")
    assert reasons[-1] == (
        f"Two slow ports explain the same tests as the leaf {leaf}: measure these ports with other partners."
    )


def test_a_slow_leaf_is_not_certain_while_two_of_its_ports_explain_it() -> None:
    links = links_of("h200-2048")
    leaf = links.host[small(links)[0], 0, 0].b.device
    rows = found("h200-2048", of_level_rails([Fault("leaf", leaf, 0.5)]), counters=False)
    assert places(rows) == set()
    assert ("leaf", leaf) in places(rows, certain=False)


@pytest.mark.parametrize("seed", range(2))
def test_the_search_after_level_rails_tells_two_nics_from_their_leaf(seed: int) -> None:
    links = links_of("h200-2048")
    leaf = Fault("leaf", links.host[small(links)[0], 0, 0].b.device, 0.5)
    following = functools.partial(screening.next_rounds, example("h200-2048"), nodes=small(links))
    for faults in ([leaf], two_nics(links)):
        model = of_level_rails(faults)
        model.random.seed(seed)
        rows = found("h200-2048", searched(model, following, "rails"))
        assert places(rows) == {(fault.kind, fault.place) for fault in faults}


def test_a_nic_that_spreads_flows_over_its_planes_is_one_end() -> None:
    fabric = build(
        rails=2,
        planes={"count": 2, "mode": "split", "balancing": "hwplb"},
        release={"ra": "2.2"},
        capacity={"sus_per_pod": 2, "slots_per_su": 4},
    )
    links = Links(fabric)
    model = Model(links, [])
    model.run(screening.next_rounds(fabric, []))
    assert {test["plane"] for test in model.tests} == {0}
    slow = links.nodes[0]
    for test in model.tests:
        if slow in (test["first"], test["second"]) and test["rail"] == 0:
            test.update(value=100.0, state="fail")
    rows = suspects.find(fabric, model.tests, {})
    cables = {("cable", named(links.host[slow, 0, plane])) for plane in range(2)}
    assert cables | {("nic", links.nic(slow, 0))} <= places(rows, certain=False)


def test_many_spines_are_named_as_their_plane(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suspects, "MOST", 1)
    rows = found("lab", run("lab", [Fault("spine", "spine-p1-s01", 0.0)]), counters=False)
    assert [(row["kind"], row["place"], row["certain"]) for row in rows] == [
        ("plane", "plane 1", False)
    ]
    assert "one of the spines of plane 1" in rows[0]["reasons"][-1]
