# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of a measurement in the store of the run: its plan, and the round at hand. Private."""

from __future__ import annotations

import dataclasses

from ..._fabric.measure.plan.jobs import Parts, Site
from ..run_store import Kind, required


@dataclasses.dataclass(frozen=True)
class Measurement:
    """The plan of a measurement, which does not change while it runs.

    `file` holds what is done (`state.py`), `report` is the folder of reports. `not_run` are levels with the reason why
    they, or parts of them, are not measured; `disturbs` are sentences. `accept` is the node that is accepted alone.
    `cross` asks for pairs between rails. `durations` are those of level failover that the site has chosen, `wait` is
    how long routes are waited for. `acts` is false in check mode.
    """

    run: str
    file: str
    report: str
    nodes: list[str]
    levels: list[str]
    not_run: list[dict[str, str]]
    disturbs: list[str]
    site: Site
    accept: str
    cross: bool
    plugin: str
    durations: dict[str, int]
    wait: float
    acts: bool


@dataclasses.dataclass(frozen=True)
class ShutPorts:
    """The ports that are shut in a round, by switch; `plugin` is the one that its job needs then.

    `sentence` says why they are not shut after all.
    """

    name: str
    ports: dict[str, list[str]]
    plugin: str
    sentence: str


@dataclasses.dataclass(frozen=True)
class CurrentRound:
    """The round at hand: `hosts` with the parts of each, and `nodes`, all that it measures.

    `began` and `at`, when its clients begin, are seconds since 1970; 0 for at once. Those of the hosts in `late` begin
    somewhat later, when what disturbs them has begun. `shut` are the ports that are shut meanwhile.
    """

    key: str = ""
    hosts: Parts = dataclasses.field(default_factory=dict)
    nodes: list[str] = dataclasses.field(default_factory=list)
    began: float = 0.0
    at: float = 0.0
    late: list[str] = dataclasses.field(default_factory=list)
    seconds: int = 0
    shut: ShutPorts | None = None


PLAN: Kind[Measurement] = Kind(
    "performance", Measurement, required("performance: nothing is planned: run the whole playbook.")
)
ROUNDS: Kind[list[str]] = Kind("rounds", list[str], list)
ROUND: Kind[CurrentRound] = Kind("round", CurrentRound, CurrentRound)
