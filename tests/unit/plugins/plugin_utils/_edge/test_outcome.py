# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outcome of results: the state of each device, the exit code, and its meaning."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import action, outcome
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.outcome import Outcome
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import summary

REFUSED = {
    "changed": True,
    "would_refuse": ["leaf: allow it."],
    "warnings": ["Would be refused: leaf: allow it."],
}
BREACH = {"failed_checks": {"leaf": 2, "spine": 1}}
UNTRUSTED = {"failed": True, "untrusted": True, "msg": "not trusted."}
FAILED = {"failed": True, "msg": "wrong."}
SILENT = {"unreachable": True, "msg": "silent."}


def stats(**counted: dict[str, int]) -> Any:
    names = ("failures", "dark", "changed", "rescued", "ignored")
    return SimpleNamespace(**{name: counted.get(name, {}) for name in names})


def heard(*results: tuple[str, dict[str, Any]]) -> Outcome:
    made = Outcome()
    for name, result in results:
        made.heard(name, "Task", result)
        if result.get("failed") or result.get("unreachable"):
            made.failed(name, name, "Task", result)
    return made


CODES: list[tuple[list[tuple[str, dict[str, Any]]], Any, int, dict[str, str]]] = [
    ([], stats(), 0, {"leaf": "unchanged"}),
    ([("leaf", FAILED)], stats(failures={"leaf": 1}), 2, {"leaf": "failed"}),
    ([("leaf", UNTRUSTED)], stats(failures={"leaf": 1}), 8, {"leaf": "untrusted"}),
    ([("leaf", SILENT)], stats(dark={"leaf": 1}), 4, {"leaf": "unreachable"}),
    (
        [("leaf", UNTRUSTED), ("spine", FAILED)],
        stats(failures={"leaf": 1, "spine": 1}),
        10,
        {"leaf": "untrusted", "spine": "failed"},
    ),
    (
        [("leaf", UNTRUSTED), ("spine", SILENT)],
        stats(failures={"leaf": 1}, dark={"spine": 1}),
        12,
        {"leaf": "untrusted", "spine": "unreachable"},
    ),
    (
        [("leaf", UNTRUSTED), ("spine", SILENT), ("top", FAILED)],
        stats(failures={"leaf": 1, "top": 1}, dark={"spine": 1}),
        14,
        {"leaf": "untrusted", "spine": "unreachable", "top": "failed"},
    ),
    ([("leaf", REFUSED)], stats(changed={"leaf": 1}), 2, {"leaf": "refused"}),
    (
        [("leaf", REFUSED), ("leaf", {"failed": True, "msg": "leaf: allow it."})],
        stats(failures={"leaf": 1}),
        2,
        {"leaf": "refused"},
    ),
    ([("leaf", BREACH)], stats(), 0, {"leaf": "failed", "spine": "failed", "top": "unchanged"}),
    ([("leaf", {"results": [UNTRUSTED]} | FAILED)], stats(failures={"leaf": 1}), 8, {}),
]  # fmt: skip


@pytest.mark.parametrize("results, counted, code, states", CODES)
def test_states_and_code(
    results: list[tuple[str, dict[str, Any]]], counted: Any, code: int, states: dict[str, str]
) -> None:
    made = heard(*results)
    assert made.code(counted) == code
    assert {name: made.state(counted, name) for name in states} == states


@pytest.mark.parametrize(
    ("results", "counted", "state"),
    [
        ([{"due": True}], stats(), "different"),
        ([{"due": False}], stats(), "unchanged"),
        ([{"due": True}, {"due": True, "changed": True}], stats(changed={"leaf": 1}), "changed"),
        ([{"due": True}, {"due": False}], stats(), "unchanged"),
    ],
)
def test_a_device_that_was_left_as_it_differs_is_not_unchanged(
    results: list[dict[str, Any]], counted: Any, state: str
) -> None:
    """As where a person does not say yes to what was compared."""
    assert heard(*(("leaf", row) for row in results)).state(counted, "leaf") == state


def test_a_refusal_is_told_once() -> None:
    made = heard(("leaf", REFUSED), ("leaf", {"failed": True, "msg": "leaf: allow it."}))
    counted = stats(failures={"leaf": 1})
    assert made.final(counted) == []
    assert [said.sentence for said in made.refusals()] == ["leaf: allow it."]
    assert made.warnings() == []
    assert made.why(counted) == ["changes were refused"]
    both = heard(("leaf", REFUSED), ("leaf", FAILED))
    assert both.why(counted) == ["changes were refused", summary.MEANING[2]]
    both.check = True
    assert both.why(counted) == ["a run that writes would be refused", summary.MEANING[2]]


def test_a_warning_that_is_the_failure_too_is_told_once() -> None:
    drift = {"failed": True, "msg": "drift one.\ndrift two."}
    made = heard(("leaf", {"warnings": ["drift one.", "other."]}), ("leaf", drift))
    counted = stats(failures={"leaf": 1})
    assert [said.sentence for said in made.warnings()] == ["other."]
    assert made.counts(counted, ["leaf"]) == ["1 warning"]


KINDS = {"refused": REFUSED, "breach": BREACH, "untrusted": UNTRUSTED, "failed": FAILED, "silent": SILENT}  # fmt: skip


@pytest.mark.parametrize(
    "kinds", [kinds for n in (1, 2) for kinds in itertools.combinations(KINDS, n)]
)
@pytest.mark.parametrize("counted_by_ansible", [True, False])
@pytest.mark.parametrize("check", [True, False])
def test_never_done_when_anything_is_open(
    kinds: tuple[str, ...], counted_by_ansible: bool, check: bool
) -> None:
    """Also where Ansible counts no failure, since somebody ignored or rescued it."""
    made = heard(*((f"device-{n}", KINDS[kind]) for n, kind in enumerate(kinds)))
    hosts = {
        key: {f"device-{n}": 1 for n, kind in enumerate(kinds) if kind in of}
        for key, of in (("failures", ("untrusted", "failed")), ("dark", ("silent",)))
    }
    counted = stats(**hosts) if counted_by_ansible else stats()
    for exact in (True, False):
        words = summary.ending(
            outcome.own_codes(counted),
            made.code(counted),
            made.why(counted),
            check=check,
            exact=exact,
        )
        assert "is done" not in words
        assert "nothing would be refused" not in words


@pytest.mark.parametrize(
    ("found", "code", "state"),
    [
        ("unchanged", 0, "unchanged"),
        ("changed", 0, "changed"),
        ("failed", 2, "failed"),
        ("untrusted", 10, "untrusted"),
        ("unreachable", 6, "unreachable"),
    ],
)
def test_devices_of_a_task_of_the_controller(found: str, code: int, state: str) -> None:
    """One task speaks to all leaves; the worst that it met there counts, whatever a later task says."""
    result = {"devices": {"leaf": {"state": found}}} | (FAILED if code else {})
    after = ("localhost", {"devices": {"leaf": {"state": "unchanged"}}})
    made = heard(("localhost", result), after)
    counted = stats(failures={"localhost": 1} if code else {})
    assert made.state(counted, "leaf") == state
    assert made.code(counted) == code


@pytest.mark.parametrize(
    "found", [6, "six", [6], {"leaf": 6}, {"leaf": {}}, {"leaf": {"state": 1}}, None]
)
@pytest.mark.parametrize(
    "key", ["devices", "failed_checks", "would_refuse", "warnings", "results", "msg"]
)
def test_a_result_of_another_shape_is_no_fault_of_the_run(key: str, found: object) -> None:
    """Modules of the site return what they like; a fault here would hide the failures of a whole run."""
    made = heard(("localhost", {key: found, "failed": True}))
    assert made.code(stats(failures={"localhost": 1})) == 2


def test_a_warning_of_the_controller_about_a_device_is_the_devices() -> None:
    made = heard(
        (
            "localhost",
            {
                "devices": {"leaf": {"state": "changed"}},
                "warnings": ["leaf: a port flaps.", "other: x."],
            },
        )
    )
    assert [(said.name, said.sentence) for said in made.warnings()] == [
        ("leaf", "a port flaps."),
        ("localhost", "other: x."),
    ]


def test_what_was_only_planned_is_not_done() -> None:
    made = heard(("leaf", {"changed": False, "only_planned": True}), ("spine", {"only_planned": 1}))
    said = "1 host only planned: manage of the description lists no role that writes there"
    assert made.why(stats()) == [said]
    assert made.code(stats()) == 0


@pytest.mark.parametrize("nobody", [True, False])
def test_a_run_that_met_no_host_is_not_done(nobody: bool) -> None:
    made = heard()
    made.nobody = nobody
    said = ["no host matched: check the limit and the inventory"]
    assert made.why(stats()) == (said if nobody else [])


def test_what_48_devices_say_alike_is_one_warning() -> None:
    names = [f"leaf-{number}" for number in range(48)]
    said = [(name, {"warnings": [f"{name}: ports flap.", "It rolls back."]}) for name in names]
    found = heard(*said, ("spine", {"warnings": ["Sessions flap."]}))
    assert found.counts(stats(), names) == ["3 warnings"]
    asked = [(name, {"would_refuse": [f"{name}: allow it."]}) for name in names]
    assert heard(*asked).counts(stats(), names) == ["1 refusal"]


def test_a_device_that_every_task_passes_over_is_not_unchanged() -> None:
    """As one that is listed in out_of_service, which nobody asked."""
    made = heard(("leaf", {"skipped": True}), ("spine", {"skipped": True}), ("spine", {}))
    assert [made.state(stats(), name) for name in ("leaf", "spine")] == ["skipped", "unchanged"]


def test_what_a_run_showed_before_it_changed_anything_is_not_shown_again() -> None:
    warned = {"warnings": ["Ports flap.", "Known bug 1."]}
    told = {"foretold": ["leaf: Ports flap."]}
    made = heard(("leaf", warned), ("localhost", told), ("leaf", warned))
    assert [one.sentence for one in made.warnings()] == ["Known bug 1."]


def test_the_headline_counts_what_failed_beside_the_devices() -> None:
    """A tenant's job fails on the controller, and each of its leaves is unchanged."""
    made = heard(("localhost", FAILED), ("leaf", FAILED))
    counted = stats(failures={"localhost": 1, "leaf": 1})
    assert made.counts(counted, ["leaf"]) == ["1 failure of the run"]


def test_a_run_without_its_first_task_says_so() -> None:
    found = Outcome()
    found.sought = True
    assert (found.code(stats()), found.why(stats())) == (2, [outcome._NO_TASK])


def test_a_warning_of_a_host_to_which_a_loop_delegates_is_that_of_the_host() -> None:
    rows = [action.named({"warnings": [f"{name} wears out."]}, name) for name in ("h01", "h02")]
    texts = [text for row in rows for text in row["warnings"]]
    found = heard(("localhost", {"results": rows, "warnings": [*texts, "h03: none of ours."]}))
    assert [(said.name, said.sentence) for said in found.warnings()] == [
        ("h01", "h01 wears out."),
        ("h02", "h02 wears out."),
        ("localhost", "h03: none of ours."),
    ]
    assert action.named({"warnings": ["x"]}, "localhost") == {"warnings": ["x"]}
