# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill: a host forges what it measured. No test passes but by what the other side measured; a failure is one line.

The tasks are those of playbook performance, without processes of Ansible; the forger's links are slow.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from unit.plugins.conftest import begin, project
from unit.plugins.plugin_utils._jobs.measure.conftest import run
from unit.plugins.plugin_utils._jobs.measure.running import Run, record_of

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.measure import (
    host,
    rounds,
)

__all__ = ["begin", "project", "run"]
"""Fixtures that the drills below use."""

H01, H02, H03 = (f"worker-su01-rack0{rack}-h0{n}" for rack, n in ((1, 1), (1, 2), (2, 3)))
SLOW = 40.0
"""Gb/s that the links of the forger carry."""
Row = dict[str, Any]
Rows = list[Row]
HUGE = "x" * (10 << 20)


def each(**changes: Any) -> Callable[[Rows], Any]:
    """Every measurement of the forger with other values."""
    return lambda rows: [{**row, **changes} for row in rows]


def for_the_other(rows: Rows) -> Rows:
    """Its own side, and that of its partner, as it wants it."""
    sides = {"client": "server", "server": "client"}
    return [
        {**row, "side": side, "gbps": 400.0}
        for row in rows
        for side in (row["side"], sides[row["side"]])
    ]


def of_others(rows: Rows) -> Rows:
    """Under the names of measurements of other pairs."""
    return [{**row, "id": row["id"].replace(H01, H03), "gbps": 400.0} for row in rows]


FORGED: dict[str, Callable[[Rows], Any]] = {
    "the full rate": each(gbps=400.0, latency={"typical": 0.1, "p99": 0.1}),
    "more than the port has": each(gbps=1e9),
    "not a number": each(gbps=float("nan"), latency={"typical": float("nan"), "p99": float("nan")}),
    "infinity": each(gbps=float("inf"), latency={"typical": float("-inf"), "p99": float("inf")}),
    "less than nothing": each(gbps=-400.0, latency={"typical": -1.0, "p99": 0.0}),
    "a number without end": each(gbps=10**400),
    "true": each(gbps=True),
    "words": each(gbps="400", counters="none", seconds="10"),
    "its partner's side": for_the_other,
    "another pair's": of_others,
    "twice": lambda rows: [*rows, *({**row, "gbps": 400.0} for row in rows)],
    "ten megabytes": each(gbps=400.0, note=HUGE, sentence=HUGE, transport=HUGE),
    "an unknown state": each(state="pass", gbps=400.0),
    "no list": lambda rows: {"results": rows, "state": "pass"},
    "nothing": lambda rows: None,
    "deep": lambda rows: [deep(500)],
}


def deep(levels: int) -> Row:
    """A measurement in which there is no end of mappings."""
    made: Row = {}
    for _level in range(levels):
        made = {"id": made, "counters": made}
    return made


def forge(measuring: Run, how: Callable[[Rows], Any]) -> None:
    """Let the first node return what it likes."""
    honest = measuring._module

    def module(name: str, options: Row) -> Row:
        made = honest(name, options)
        if name == H01 and options["do"] == "collect":
            forged = {"measurements": how(made["measurements"]), "now": "2999-01-01 00:00:00"}
            return {
                **forged,
                "failed": False,
                "changed": True,
                "ansible_facts": {"performance": {}},
                "round": "x",
            }
        return made

    measuring._module = module
    measuring.slow = {(H01, f"rail{number}p1"): SLOW for number in (1, 2)}


@pytest.mark.parametrize("how", FORGED)
def test_no_forged_result_passes(run: Run, capsys: Any, how: str) -> None:
    forge(run, FORGED[how])
    begun = time.monotonic()
    made = run.run("rails", nodes=["su01"])
    assert time.monotonic() - begun < 20
    assert made["failed"], made
    tests = [test for test in record_of(made)["tests"] if test["kind"] == "bandwidth"]
    mine = [test for test in tests if H01 in (test["first"], test["second"])]
    assert mine
    for test in mine:
        assert test["state"] in ("fail", "not_run"), test
        assert test["sentence"].count("\n") == 0, test
        assert 0 < len(test["sentence"]) < 500, test["sentence"][:800]
    others = {test["state"] for test in tests if test not in mine}
    assert others == {"pass"}, "the forger changes what others measured"
    output = capsys.readouterr().out
    assert "Traceback" not in output
    assert len(output) < 50_000


@pytest.mark.parametrize("jump", [-3600.0, 86400.0], ids=["an hour back", "a day forward"])
def test_a_clock_that_jumps_makes_no_pass(run: Run, monkeypatch: Any, jump: float) -> None:
    """Check that measurements count, and that missing ones are named."""
    run.plan("rails", nodes=["su01"])
    assert run.measure(most=1) == 1
    clock = time.time
    for module in (rounds, host):
        monkeypatch.setattr(module.time, "time", lambda: clock() + jump)
    run.measure()
    made = run.do("sum")
    counts = record_of(made)["summary"]["counts"]
    if jump > 0:
        assert made["failed"], made
        assert record_of(made)["not_run"], counts
        assert made["msg"].startswith(
            "The time of the run was over before everything was measured: "
        )
    else:
        assert (counts["fail"], counts["not_run"]) == (0, 0), counts
