# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a measurement has done so far, from which a run after a killed one goes on. Private.

    <report>/performance/state.json       {schema, run, fabric, nodes, levels, at_work, began, until,
                                           rounds: {key: {level, seconds, done, late}}, gone, counters, scratch, reach}
    <report>/performance/rounds/*.json    {level, asked, load, shut, measured} of each round

`run` names the measurement, `at_work` the run of Ansible that carries it on. `until` is the time, in seconds since
the epoch, at which no further round begins. `rounds` has the rounds that are done and those that are next. `gone` says
by node why it is not asked any more. `counters` has those of switch ports before the first round, and after the last.
`scratch` are the nodes that are in tenants of a test, by their slug. `reach` are the
seconds in which Ansible began the last round whose hosts had to meet.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import typing as t

from ... import _reports
from ..._fabric.model.errors import FabricError
from ..._fabric.model.words import some

if t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..._fabric.performance.failover import Shut
    from ..._fabric.performance.records import Asked, Measured

SCHEMA = 1
FOLDER, ROUNDS = "performance", "rounds"
OLDEST = 24 * 3600
"""Seconds after which a stopped measurement is not gone on with: cables and hosts may be others by then (ours)."""


class Round(t.TypedDict):
    """Measurements side by side; `measured` is absent until the round is finished. `load` only disturbs them.

    `shut` is when ports were shut meanwhile.
    """

    level: str
    asked: list[Asked]
    load: list[Asked]
    shut: t.NotRequired[Shut]
    measured: t.NotRequired[list[Measured]]


class Entry(t.TypedDict):
    """What the state has of a round: `seconds` are those of its measurements, `late` how often hosts did not meet."""

    level: str
    seconds: int
    done: bool
    late: int


class State(t.TypedDict):
    """The whole file."""

    schema: int
    run: str
    fabric: str
    nodes: list[str]
    levels: list[str]
    at_work: str
    began: float
    until: float
    rounds: dict[str, Entry]
    gone: dict[str, str]
    counters: dict[str, dict[str, dict[str, int]]]
    scratch: dict[str, list[str]]
    reach: float


def path(report: str) -> str:
    """The file of a report's folder."""
    return os.path.join(os.path.expanduser(report), FOLDER, "state.json")


def read(file: str) -> State | None:
    """The state of a file; None without it, FabricError where it cannot be read."""
    if not os.path.exists(file):
        return None
    found = _load(file)
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise FabricError.of(
            f"report: {file} is of another release: remove it, or name another folder."
        )
    return t.cast("State", found)


def _load(file: str) -> t.Any:
    try:
        with open(file, encoding="utf-8") as handle:
            return json.load(handle)
    except (OSError, ValueError) as exc:
        raise FabricError.of(
            f"report: {file} is no state of a measurement ({exc}): remove it."
        ) from exc


def kept(file: str) -> State:
    """The state of a planned measurement; FabricError where somebody removed it."""
    found = read(file)
    if found is None:
        raise FabricError.of(f"report: {file} is not there any more: run the whole playbook again.")
    return found


def write(file: str, state: State) -> None:
    """Replace the file."""
    _reports.put_json(file, state, FabricError.of)


def round_of(file: str, key: str) -> Round:
    """What is known of a round of the state in `file`."""
    return t.cast("Round", _load(_round(file, key)))


def keep(file: str, key: str, row: Round) -> None:
    """Replace what is known of a round."""
    _reports.put_json(_round(file, key), row, FabricError.of)


def _round(file: str, key: str) -> str:
    return os.path.join(os.path.dirname(file), ROUNDS, f"{key.replace('/', '.')}.json")


def remove(file: str) -> None:
    """Forget a measurement whose results are kept elsewhere."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(file)
    shutil.rmtree(os.path.join(os.path.dirname(file), ROUNDS), ignore_errors=True)


def resumed(
    found: State | None, new: State, *, file: str, at_work: Callable[[str], bool]
) -> tuple[State, int]:
    """The state with which a run begins, and how many finished rounds it takes over.

    A stopped measurement of the same nodes and levels is gone on with. FabricError for one of another fabric, of
    other nodes or levels, and for one that is still at work.
    """
    if found is None:
        return new, 0
    if new["began"] - found["began"] > OLDEST:
        return {**new, "scratch": found["scratch"]}, 0
    if at_work(found["at_work"]):
        raise FabricError.of(
            f"report: the run {found['at_work']} is still measuring into {file}: wait for it, or name another folder "
            "with spx_report."
        )
    for what, said in (
        ("fabric", [found["fabric"]]),
        ("nodes", found["nodes"]),
        ("levels", found["levels"]),
    ):
        if found[what] != new[what]:  # type: ignore[literal-required]
            raise FabricError.of(_other(file, what, said))
    done = {key: row for key, row in found["rounds"].items() if row["done"]}
    left = max(0.0, found["until"] - found["began"])
    return {
        **found,
        "at_work": new["at_work"],
        "until": new["began"] + left,
        "rounds": done,
        "gone": {},
    }, len(done)


def _other(file: str, what: str, found: Sequence[str]) -> str:
    word = {"fabric": "fabric", "nodes": "the nodes", "levels": "the levels"}[what]
    return (
        f"report: {file} is of a stopped measurement of {word} {', '.join(some(list(found)))}: run that again, remove "
        "the file, or name another folder with spx_report."
    )
