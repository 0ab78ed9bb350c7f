# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import (
    elements,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge.elements import (
    Paths,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge.evidence import (
    FAMILIES,
    Evidence,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

A1, A2, A3 = "worker-su01-rack01-h01", "worker-su01-rack01-h02", "worker-su01-rack02-h03"
B1, B2, B3 = "worker-su02-rack01-h01", "worker-su02-rack01-h02", "worker-su02-rack02-h03"


def judged(first: str, second: str, value: float = 392.0, **more: Any) -> dict[str, Any]:
    state = "pass" if value >= more.get("limit", 380.0) else "fail"
    base = {
        "level": "pairs",
        "kind": "bandwidth",
        "rail": 0,
        "to_rail": None,
        "plane": 0,
        "limit": 380.0,
    }
    return {**base, "first": first, "second": second, "value": value, "state": state, **more}


def evidence(*tests: dict[str, Any]) -> Evidence:
    return Evidence(Paths(example("lab")), tests, FAMILIES[0])


def named(found: Evidence) -> list[tuple[str, str, list[str]]]:
    name = found.paths.fabric.name
    return [
        (x.element.kind, name(x.element.device), sorted(other.kind for other in x.others))
        for x in found.explained
    ]


def test_what_a_passed_test_went_through_is_not_at_fault() -> None:
    found = evidence(judged(A1, A2, 200), judged(A3, A2), judged(A1, A3, 200))
    assert named(found) == [("cable", A1, ["nic", "node"])]


def test_a_port_that_sends_well_may_receive_badly() -> None:
    found = evidence(judged(A2, A1, 200), judged(A1, A2), judged(A3, A1, 200), judged(A2, A3))
    assert named(found) == [("cable", A1, ["nic", "node"])]
    both = evidence(judged(A2, A1, 200), judged(A1, A2, 784, kind="bidirectional", limit=720))
    assert ("cable", A1, ["nic", "node"]) not in named(both)


def test_two_elements_with_two_rates_explain_their_own_tests() -> None:
    found = evidence(
        *(judged(A1, other, 100) for other in (A2, A3, B1)),
        *(judged(A2, other, 300) for other in (A3, B1, B2)),
        *(judged(one, two) for one in (B1, B2, B3) for two in (A3, B1, B2, B3) if one != two),
    )
    assert {(kind, name) for kind, name, _others in named(found)} == {("cable", A1), ("cable", A2)}


def test_a_leaf_is_the_simpler_explanation_of_equal_failures() -> None:
    tests = [
        judged(one, two, 200) for one in (A1, A2, A3) for two in (A1, A2, A3, B1) if one != two
    ]
    found = evidence(*tests, judged(B1, B2), judged(B2, B1), judged(B3, B1))
    assert named(found) == [("leaf", "leaf-p1-su001-r1", [])]


def test_only_tests_between_leaves_lead_to_uplinks_and_tests_on_the_leaf_clear_it() -> None:
    across = [judged(one, two, 300) for one, two in ((A1, B1), (A2, B2), (A3, B3))]
    within = [
        judged(A1, A2),
        judged(A2, A3),
        judged(A3, A1),
        judged(B1, B2),
        judged(B2, B3),
        judged(B3, B1),
    ]
    kinds = {e.kind for x in evidence(*across, *within).explained for e in x.members}
    assert kinds == {"uplinks", "spines"}
    (unclear,) = evidence(*across).explained
    assert {elements.LEAF_SWITCH, elements.UPLINKS} <= {e.kind for e in unclear.members}


def test_what_passes_a_light_load_may_fail_under_a_heavier_one() -> None:
    alone = [judged(A1, other, rail=rail) for other in (A2, A3) for rail in (0, 1)]
    rails = [
        judged(A1, other, 300, rail=rail, level="rails") for other in (A2, A3) for rail in (0, 1)
    ]
    healthy = [judged(A2, A3, rail=rail, level="rails") for rail in (0, 1)]
    assert named(evidence(*alone, *rails, *healthy)) == [("node", A1, [])]
    heavier = [{**test, "level": "bisection"} for test in alone]
    assert named(evidence(*heavier, *rails, *healthy)) == []


@pytest.mark.parametrize("value, blamed", [(379.0, False), (386.0, False), (375.0, True)])
def test_a_failure_as_fast_as_the_others_blames_nobody(value: float, blamed: bool) -> None:
    found = evidence(judged(A1, A2, value, limit=388.0), *(judged(A3, A2, 385.5, limit=380.0),) * 3)
    assert bool(found.failed) is blamed


def test_a_port_that_fails_now_and_then_is_unsteady() -> None:
    passed = [
        judged(one, two)
        for one, two in ((A1, A3), (A1, B1), (A1, B2), (A3, A2), (A3, B3), (A2, B3))
    ]
    found = evidence(judged(A1, A2, 150), judged(A1, B3, 200), *passed)
    assert found.explained == []
    (unsteady,) = found.unsteady
    assert found.paths.fabric.name(unsteady.element.device) == A1
    assert [test.reached for test in unsteady.tests] == [150 / 392, 200 / 392]
    assert evidence(judged(A1, A2, 150), *passed).unsteady == []


def test_where_nothing_passed_speeds_are_held_against_the_limit() -> None:
    (test,) = evidence(judged(A1, A2, 190)).failed
    assert test.reached == 0.5
