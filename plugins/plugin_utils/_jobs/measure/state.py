# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State of a measurement, from which a run after a killed one continues. Private.

    <report>/performance/state.json       {schema, run, fabric, described, site, nodes, levels, at_work, began, until,
                                           rounds: {key: {level, seconds, done, late, gone}}, gone, counters,
                                           scratch, reach, digest}
    <report>/performance/rounds/*.json    {level, asked, load, shut, measured, digest} of each round

`run` names the measurement, `at_work` the run of Ansible that carries it on. `until` is the time, in seconds since
the epoch, at which no further round begins. `rounds` has the rounds that are done and those that are next. `gone` says
by node why it is not asked any more. `counters` has those of switch ports before the first round, and after the last.
`scratch` are the nodes that are in tenants of a test, by their slug. `reach` are the seconds in which Ansible began the
last round whose hosts had to meet. `described` is the digest of the description,
and `site` has the launcher, the command and the plugin: what another one measured is another thing. Each file has the
digest of the rest of it, so that one which somebody has edited is never resumed.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import typing as t

from ....module_utils import _json, _text
from ... import _reports
from ..._fabric.description.errors import FabricError, unreadable
from ..._fabric.description.words import some
from ..._nvue.change.report import digest
from .. import runs

if t.TYPE_CHECKING:
    from collections.abc import Callable

    from ..._fabric.measure.plan.failover import ShutTimes
    from ..._fabric.measure.plan.records import HostMeasurement, PlannedMeasurement
    from ..._fabric.plan.fabric import Fabric

SCHEMA = 1
DIGEST = "digest"
FOLDER, ROUNDS = "performance", "rounds"
OLDEST = 24 * 3600
"""Seconds after which a stopped measurement cannot be resumed: cables and hosts may be others by then (ours)."""


class Round(t.TypedDict):
    """Measurements side by side; `measured` is absent until the round is finished. `load` only disturbs them.

    `shut` is when ports were shut meanwhile.
    """

    level: str
    asked: list[PlannedMeasurement]
    load: list[PlannedMeasurement]
    shut: t.NotRequired[ShutTimes]
    measured: t.NotRequired[list[HostMeasurement]]


class Entry(t.TypedDict):
    """State of a round.

    `seconds` are those of its measurements, `late` how often hosts did not meet, `gone` whether a node of it was gone.
    """

    level: str
    seconds: int
    done: bool
    late: int
    gone: bool


class State(t.TypedDict):
    """The whole file."""

    schema: int
    run: str
    fabric: str
    described: str
    site: dict[str, object]
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


def described(fabric: Fabric) -> str:
    """The digest of a description, without its comments."""
    return digest(fabric.description.model_dump(mode="json"))


def path(report: str) -> str:
    """The file of a report's folder."""
    return os.path.join(os.path.expanduser(report), FOLDER, "state.json")


def read(file: str) -> State | None:
    """The state of a file; None without it, FabricError where it cannot be read."""
    if not os.path.exists(file):
        return None
    found = _load(file, file)
    if found.get("schema") != SCHEMA:
        raise FabricError.of(
            f"report: {file} is of another release: remove it, or name another folder."
        )
    return t.cast("State", found)


def _load(file: str, state: str) -> dict[str, object]:
    """Load the output of `_put`; FabricError for anything else, with the file `state` that has to be removed."""
    try:
        with open(file, "rb") as handle:
            found = _json.parse(handle.read())
    except (OSError, ValueError) as exc:
        raise _unfit(file, state, unreadable(exc)) from exc
    stated = found.pop(DIGEST, None) if isinstance(found, dict) else None
    if stated is None or stated != digest(found):
        raise _unfit(file, state, "it was not written by the playbook, or was edited")
    return t.cast("dict[str, object]", found)


def _unfit(file: str, state: str, why: str) -> FabricError:
    return FabricError.of(
        f"report: {file} is not the state of a measurement ({why}): remove {state}, and run the playbook again."
    )


def _put(file: str, data: t.Mapping[str, object]) -> None:
    """Replace a file by data with their digest."""
    plain = json.loads(json.dumps(_text.plain(data)))
    _reports.put_json(file, {**plain, DIGEST: digest(plain)}, FabricError.of)


def kept(file: str) -> State:
    """The state of the measurement at hand; FabricError where it was removed, or another run has replaced it."""
    found = read(file)
    if found is None:
        raise FabricError.of(f"report: {file} no longer exists: run the whole playbook again.")
    if found["at_work"] != runs.this():
        raise FabricError.of(
            f"report: another run has begun to measure into {file}: wait for its end, or name another folder with "
            "spx_report."
        )
    return found


def write(file: str, state: State) -> None:
    """Replace the file."""
    _put(file, state)


def round_of(file: str, key: str) -> Round:
    """Read the state of a round from `file`."""
    return t.cast("Round", _load(_round(file, key), file))


def keep(file: str, key: str, row: Round) -> None:
    """Replace what is known of a round."""
    _put(_round(file, key), row)


def _round(file: str, key: str) -> str:
    return os.path.join(os.path.dirname(file), ROUNDS, f"{key.replace('/', '.')}.json")


def remove(file: str) -> None:
    """Forget a measurement whose results are kept elsewhere; a file that no run has written stays."""
    folder = pathlib.Path(file).with_name(ROUNDS)
    for path in folder.glob("*.json"):
        with contextlib.suppress(FabricError):
            _load(str(path), file)
            path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder.rmdir()
    with contextlib.suppress(FileNotFoundError):
        os.remove(file)


def same(file: str, found: State, plan: Fabric) -> None:
    """FabricError where the description was edited since the measurement began."""
    if found["described"] != described(plan):
        raise FabricError.of(_other(file, _SAID["described"](found)))


def resumed(
    found: State | None, new: State, *, file: str, at_work: Callable[[str], bool]
) -> tuple[State, int]:
    """The state with which a run begins, and how many finished rounds it takes over.

    A stopped measurement of the same nodes and levels is resumed; rounds in which nodes did not answer are
    measured again. FabricError for one of another fabric, of
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
    for what, said in _SAID.items():
        if found[what] != new[what]:  # type: ignore[literal-required]
            raise FabricError.of(_other(file, said(found)))
    done = {k: row for k, row in found["rounds"].items() if row["done"] and not row["gone"]}
    left = max(0.0, found["until"] - found["began"])
    return {
        **found,
        "at_work": new["at_work"],
        "until": new["began"] + left,
        "rounds": done,
        "gone": {},
    }, len(done)


_SAID: dict[str, Callable[[State], str]] = {
    "fabric": lambda found: f"fabric {found['fabric']}",
    "nodes": lambda found: f"the nodes {', '.join(some(found['nodes']))}",
    "levels": lambda found: f"the levels {', '.join(found['levels'])}",
    "described": lambda _found: "another state of the description",
    "site": lambda found: f"other variables ({_variables(found['site'])})",
}
"""Values that must be the same to resume a measurement, and the words for a difference."""


def _variables(site: t.Mapping[str, object]) -> str:
    """`spx_launcher mpirun`, for those that were given."""
    given = (f"spx_{name} {value}" for name, value in site.items() if value)
    return ", ".join(given) or "none of the site"


def _other(file: str, what: str) -> str:
    return (
        f"report: {file} is of a stopped measurement of {what}: run that again, remove the file, or name another "
        "folder with spx_report."
    )
