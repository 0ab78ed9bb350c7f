# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of the callback `summary`: progress, places, reasons, and what the end means."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import summary
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.summary import (
    Message,
    Progress,
)


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    "seconds, text", [(0, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (72.4, "1 min 12 s"), (7500, "2 h 5 min")]
)  # fmt: skip
def test_duration(seconds: float, text: str) -> None:
    assert summary.duration(seconds) == text


def test_who_is_awaited_is_named_with_the_seconds() -> None:
    clock = Clock()
    progress = Progress(clock)
    progress.play("Switches", devices=5, batch=5, tasks=1)
    progress.task("Apply")
    for n in range(5):
        progress.start(f"leaf-{n}")
        clock.now += 1
    assert "waits for leaf-0 (5 s), leaf-1 (4 s), leaf-2 (3 s) and 1 more" in progress.line()
    for n in range(1, 5):
        progress.result(f"leaf-{n}")
    clock.now += 635
    assert progress.line().startswith(
        "+10 min 40 s  Switches: task 1 of about 1 (Apply), 4 of 5 devices, waits for leaf-0 (10 min 40 s), "
    )
    progress.result("leaf-0")
    assert "waits for" not in progress.line()


def run(progress: Progress, clock: Clock, *, results: int, seconds: float) -> None:
    """Some results, evenly in some seconds."""
    for _n in range(results):
        clock.now += seconds / results
        progress.result()


def test_rate_and_time_left() -> None:
    clock = Clock()
    progress = Progress(clock)
    progress.play("Switches", devices=40, batch=40, tasks=4)
    progress.task("Read")
    assert progress.left() is None
    assert progress.line() == "+0 s  Switches: task 1 of about 4 (Read), 0 of 40 devices"
    run(progress, clock, results=40, seconds=20)
    progress.task("Apply")
    assert progress.line() == (
        "+20 s  Switches: task 2 of about 4 (Apply), 0 of 40 devices, 2.0 results a second, "
        "about 1 min 0 s left"
    )


def test_more_tasks_than_stated() -> None:
    """Included tasks show themselves only when they run: how many, and how long, nobody knows."""
    clock = Clock()
    progress = Progress(clock)
    progress.play("Switches", devices=10, batch=10, tasks=1)
    for name in ("Include", "One", "Two"):
        progress.task(name)
        run(progress, clock, results=10, seconds=10)
    assert "task 3 (Two)" in progress.line()
    assert progress.left() is None


def test_batches_count_together() -> None:
    """The first batch shows how many tasks there are; the rest is estimated from all devices."""
    clock = Clock()
    progress = Progress(clock)
    progress.play("Switches", devices=6, batch=2, tasks=1)
    for name in ("One", "Two"):
        progress.task(name)
        run(progress, clock, results=2, seconds=2)
    progress.play("Switches", devices=6, batch=2, tasks=1)
    progress.task("One")
    run(progress, clock, results=1, seconds=1)
    assert progress.line() == (
        "+5 s  Switches: task 1 of about 2 (One), 3 of 6 devices, 1.0 results a second, about 7 s left"
    )
    progress.play("Hosts", devices=3, batch=3, tasks=1)
    assert progress.line() == "+5 s  Hosts: task 0 of about 1 (beginning), 0 of 3 devices"


REASONS: list[tuple[dict[str, Any], str]] = [
    ({"msg": "Task failed: a sentence."}, "a sentence."),
    ({"msg": "Task failed: Action failed: one.\ntwo."}, "one.\ntwo."),
    (
        {"msg": "non-zero return code", "rc": 1, "stderr": "first\nlast"},
        "non-zero return code: last",
    ),
    (
        {
            "msg": "Finalization of task args for 'a.b.c' failed: Error while resolving value for 'x': "
            "The lookup plugin 'a.b.d' failed: a sentence."
        },
        "a sentence.",
    ),
    ({"msg": "up\x1b[2J\u202e"}, r"up\x1b[2J\u202e"),
    ({"msg": "no return code", "stderr": "noise"}, "no return code"),
    ({"censored": "hidden", "msg": "never"}, "The result is hidden (no_log)."),
    ({}, "No reason was given."),
    (
        {
            "msg": "One or more items failed",
            "results": [
                {"failed": True, "msg": "a"},
                {"failed": False, "msg": "b"},
                {"unreachable": True, "msg": "c"},
                {"failed": True, "msg": "a"},
            ],
        },
        "a\nc",
    ),
]


@pytest.mark.parametrize("result, text", REASONS)
def test_reason(result: dict[str, Any], text: str) -> None:
    assert summary.reason(result) == text


LEAF = {"role": "leaf", "plane": 0, "pod": 0, "su": 1}
SPINE = {"role": "spine", "plane": 0, "pod": 0}
NODE = {"role": "node", "pod": 0, "su": 1}
TOP = {"role": "super_spine", "plane": 1, "group": 3}
BORDER = {"role": "border_leaf", "pair": 1, "member": 0}


@pytest.mark.parametrize(
    "spx, text",
    [
        (LEAF, "plane 1, pod 1, SU 2"),
        (SPINE, "plane 1, pod 1"),
        (NODE, "pod 1, SU 2"),
        (TOP, "plane 2"),
        (BORDER, "pair 2"),
        ({}, ""),
    ],
)
def test_where(spx: dict[str, Any], text: str) -> None:
    assert summary.where(spx) == text


def test_table_by_plane_and_su() -> None:
    devices = {
        "node": (NODE, "unreachable"),
        "top": (TOP, "changed"),
        "border": (BORDER, "changed"),
        "spine": (SPINE, "failed"),
        "leaf-1": (LEAF, "changed"),
        "leaf-2": (LEAF, "unchanged"),
    }
    rows = [" ".join(line.split()) for line in summary.table(devices, most=40)]
    assert rows == [
        "devices changed unchanged failed unreachable",
        "plane 1, SU 2, leaves 2 1 1 - -",
        "plane 1, spines 1 - - 1 -",
        "plane 2, super-spines 1 1 - - -",
        "border leaves 1 1 - - -",
        "nodes, SU 2 1 - - - 1",
    ]
    devices["far"] = ({**LEAF, "pod": 2}, "unchanged")
    assert any("plane 1, pod 3, SU 2, leaves" in line for line in summary.table(devices, most=40))


def test_table_folds_the_uneventful() -> None:
    states = {0: "unchanged", 1: "changed", 2: "unchanged", 3: "failed", 4: "unchanged"}
    devices = {f"leaf-{su}": ({**LEAF, "su": su}, state) for su, state in states.items()}
    rows = [" ".join(line.split()) for line in summary.table(devices, most=2)]
    assert rows[1:] == [
        "plane 1, SU 2, leaves 1 1 - - -",
        "plane 1, SU 4, leaves 1 - - 1 -",
        "3 other groups 3 - 3 - -",
    ]
    assert summary.table({}, most=2) == []


def test_reasons_stand_together() -> None:
    said = [Message(f"leaf-{n}", "Apply", "No space.") for n in range(7)]
    said.append(Message("node", "Check", "One.\nTwo."))
    places = {f"leaf-{n}": "plane 1" for n in range(7)}
    assert summary.reasons(said, places) == [
        "  7 devices: leaf-0, leaf-1, leaf-2 and 4 more: No space. [task: Apply]",
        "  node: One.",
        "    Two.",
        "    [task: Check]",
    ]


def test_what_is_said_before_a_change_is_grouped_and_limited() -> None:
    said = [Message(f"leaf-{n}", "", "A port flaps.") for n in range(7)]
    assert summary.foretold(said) == ["7 devices: leaf-0, leaf-1, leaf-2 and 4 more: A port flaps."]
    many = [Message("leaf", "", f"Sentence {n}.") for n in range(summary.MOST_WARNINGS + 3)]
    *_first, last = summary.foretold(many)
    assert last == "and 3 more: a run with --check shows all of them"


def test_headline_of_a_run_that_was_stopped() -> None:
    line = summary.headline(["lab"], ["different", "different", "unchanged"], 2, check=False)
    assert line == "SUMMARY lab: 3 devices in 2 s: 1 unchanged, 2 differ and were not changed"


def test_sentences_that_differ_by_their_device_alone_stand_together() -> None:
    said = [Message(f"leaf-{n}", "Apply", f"leaf-{n}: allow it for leaf-{n}-b.") for n in range(2)]
    assert summary.reasons(said[:1], {}) == ["  leaf-0: allow it for leaf-0-b. [task: Apply]"]
    assert len(summary.reasons(said, {})) == 2  # leaf-0-b is another name
    said = [Message(f"leaf-{n}", "Apply", f"leaf-{n}: allow it for leaf-{n}.") for n in range(2)]
    assert summary.reasons(said, {}) == ["  leaf-0, leaf-1: allow it for .... [task: Apply]"]


def test_no_more_warnings_than_fit_on_a_screen() -> None:
    lines = summary.reasons([Message("leaf", "Apply", f"Warning {n}.") for n in range(30)], {}, 20)
    assert len(lines) == 21
    assert lines[-1].startswith("  and 10 more")


HEADLINES = [
    (["lab"], ["changed", "failed", "changed"], False, "SUMMARY lab: 3 devices in 12 s: 2 changed, 1 failed"),
    (["b", "a"], ["changed"], True, "SUMMARY a, b: 1 device in 12 s: 1 would change"),
    ([], [], False, "SUMMARY: ran on the controller alone, in 12 s"),
]  # fmt: skip


@pytest.mark.parametrize("names, states, check, text", HEADLINES)
def test_headline(names: list[str], states: list[str], check: bool, text: str) -> None:
    assert summary.headline(names, states, 12, check=check) == text


def test_headline_counts_what_is_to_be_read() -> None:
    text = summary.headline(["lab"], ["refused", "changed"], 12, check=True, more=["2 warnings"])
    assert text == "SUMMARY lab: 2 devices in 12 s: 1 would change, 1 would be refused; 2 warnings"


DONE, CHECKED = "everything requested is done", "nothing was written"
HINT = "(8 with the callback spectrum_x.fabric.exit_code)"


@pytest.mark.parametrize(
    "own, code, why, check, exact, text",
    [
        ([0], 0, [], False, False, f"ends with 0: {DONE}"),
        ([0], 0, [], True, False, f"ends with 0: {CHECKED}, and nothing would be refused"),
        ([0], 0, ["1 check failed"], False, True, "ends with 0, but there are open points: 1 check failed"),
        ([2], 2, ["a task failed"], False, False, "ends with 2: a task failed"),
        ([2, 4], 6, ["a", "b"], False, True, "ends with 6: a, and b"),
        ([2], 8, ["a"], False, False, f"ends with 2: a {HINT}"),
        ([2], 8, ["a"], False, True, "ends with 8: a"),
    ],
)  # fmt: skip
def test_ending(
    own: list[int], code: int, why: list[str], check: bool, exact: bool, text: str
) -> None:
    assert summary.ending(own, code, why, check=check, exact=exact) == text
