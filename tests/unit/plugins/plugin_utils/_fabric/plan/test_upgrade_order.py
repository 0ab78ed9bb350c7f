# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of an upgrade: one SU a window, and what every batch survives."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan import upgrade_order
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.batches import (
    of_switches,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.upgrade_order import (
    DEGRADING,
    DRAINABLE,
    INTERRUPTING,
    order,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    TWO_PLANES,
    build,
    example,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.plan.test_batches import (
    breaches,
    names,
    orders,
)


def empty(_switch):
    return True


def su_of(fabric, name):
    switch = fabric.device(name)
    return switch.pod, switch.index // fabric.clos.leaves_per_su


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(orders(), st.data())
def test_one_su_a_window_and_decision_62_for_the_rest(found, data):
    fabric, out, chosen, _share = found
    begun = data.draw(
        st.lists(st.sampled_from(sorted(chosen)), unique=True) if chosen else st.just([])
    )
    made = order(fabric, reversed(chosen), vacant=empty, begun=begun)
    done = [name for batch in made for name in batch.switches]
    assert sorted(done) == sorted(set(chosen) - out)
    working = [switch for switch in fabric.switches() if fabric.name(switch) not in out]
    sus = [batch.where for batch in made if batch.klass == INTERRUPTING and not batch.canary]
    assert len(sus) == len(set(sus)), "an SU has one window"
    for batch in made:
        if batch.klass == INTERRUPTING:
            leaves = [n for n in batch.switches if fabric.device(n).role == "leaf"]
            assert len({su_of(fabric, n) for n in leaves}) <= 1, batch
            assert len(batch.switches) == (len(leaves) or 1), batch
        else:
            assert not list(breaches(fabric, working, batch.switches)), batch
    canaries = [number for number, batch in enumerate(made) if batch.canary]
    assert len(canaries) <= 1
    assert all(len(made[number].switches) == 1 for number in canaries)
    flags = [not set(begun).isdisjoint(batch.switches) for batch in made]
    assert flags == sorted(flags, reverse=True), "what was begun goes first"


def shape(batches):
    return [(b.klass, b.where, len(b.switches), b.canary) for b in batches]


def test_the_canary_stands_where_nobody_rents():
    fabric = example("h200-2048")
    made = order(fabric, names(fabric), vacant=lambda s: s.index // 8 == 3)
    assert shape(made[:2]) == [(INTERRUPTING, "su04", 1, True), (INTERRUPTING, "su04", 7, False)]
    assert made[0].switches == ["leaf-p1-su004-r1"]
    assert shape(made[2:3]) == [(DRAINABLE, "", 1, False)], "the first spine alone"
    assert [b.where for b in made if b.klass == INTERRUPTING][2:] == ["su01", "su02", "su03"]


@pytest.mark.parametrize(
    "given, first",
    [
        ({"canary": "leaf-p1-su002-r3"}, "leaf-p1-su002-r3"),
        ({"canary": "spine-p1-s02"}, "spine-p1-s02"),
        ({"begun": ["leaf-p1-su003-r1"]}, "leaf-p1-su003-r1"),
    ],
)
def test_a_person_or_an_earlier_run_has_chosen_the_canary(given, first):
    fabric = example("h200-2048")
    made = order(fabric, names(fabric), vacant=lambda _s: False, **given)
    assert (made[0].canary, made[0].switches) == (True, [first])


def test_without_a_canary_nothing_begins():
    fabric = example("h200-2048")
    with pytest.raises(FabricError, match=r"somebody rents nodes of every SU .*spx_canary"):
        order(fabric, names(fabric), vacant=lambda _s: False)
    with pytest.raises(FabricError, match="spx_canary: nobody is not a switch that this run"):
        order(fabric, names(fabric), vacant=empty, canary="nobody")
    left = [name for name in names(fabric) if not name.endswith("r1")]
    made = order(fabric, left, vacant=lambda _s: False, proven=True, canary="leaf-p1-su001-r1")
    assert not any(batch.canary for batch in made), "a leaf runs the release already"
    assert order(fabric, [], vacant=empty) == []


def test_leaves_of_several_planes_interrupt_nobody(load):
    fabric = load("b300-4096")
    made = order(fabric, names(fabric), vacant=lambda _s: False)
    assert {batch.klass for batch in made} == {DEGRADING, DRAINABLE}
    assert made[0].canary
    out = [{"device": "leaf-p2-su001-r1", "since": "2026-11-01", "reason": "fan"}]
    alone = build(planes=TWO_PLANES, nics={"model": "ConnectX-8"}, out_of_service=out)
    (leaf,) = (s for s in alone.switches() if alone.name(s) == "leaf-p1-su001-r1")
    assert upgrade_order.class_of(alone, leaf) == INTERRUPTING, "its other plane rests"


def test_an_only_spine_stops_its_pod_unless_there_are_other_planes(load):
    one, two = load("lab"), load("lab-2plane")
    assert upgrade_order.class_of(one, one.device("spine-p1-s01")) == DRAINABLE
    assert upgrade_order.class_of(two, two.device("spine-p1-s01")) == DEGRADING


def test_the_largest_fabric_takes_at_most_twice_the_time_of_switches():
    fabric = example("max-524288")
    every = names(fabric)
    times = [time.process_time()]
    of_switches(fabric, every)
    times.append(time.process_time())
    made = order(fabric, every, vacant=empty)
    times.append(time.process_time())
    his, mine = (end - begin for begin, end in itertools.pairwise(times))
    assert mine <= 2 * his
    assert sum(len(batch.switches) for batch in made) == 20480
    sus = [batch for batch in made if batch.klass == INTERRUPTING and not batch.canary]
    assert (
        max(len(batch.switches) for batch in sus) == fabric.clos.leaves_per_su * fabric.clos.planes
    )
