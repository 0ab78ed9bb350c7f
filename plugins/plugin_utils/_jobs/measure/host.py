# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One node's part in a round: its servers, its clients, what its servers saw, and the end of all. Private.

The record `round` of the run's store says who does what: who is server and client, and when they begin.
"""

from __future__ import annotations

import os
import socket
import time
import typing as t

from ..._fabric.description.words import some
from ..._fabric.measure.judge.answers import is_time
from ..._fabric.measure.plan.jobs import CLIENTS, COLLECTIVES, HEAD, SERVERS, rails_of
from .records import PLAN, ROUND

if t.TYPE_CHECKING:
    from ....module_utils._perf.records import Port
    from ..run import Result, Run
    from .records import CurrentRound, Measurement

WAITS = 60
"""Seconds beyond its run for which a server waits for a client that Ansible has yet to reach (ours)."""
SLACK = 60
"""Seconds that a measurement may take beyond its run: set-up, registering memory, its report (ours)."""


def take_part(run: Run, name: str, word: str, measure: t.Callable[[Result], Result]) -> Result:
    """Return what module measure answers on a node; a failure of it is no failure of the task, as others measure on.

    A node that does not answer is unreachable, as everywhere. `measure` runs the module there.
    """
    current = run.store.get(ROUND)
    options = _options(word, current, name, lambda: rails_of(run.fabric(), name))
    if run.check or options is None:
        return {"skipped": True, "msg": f"{name} has no part in it."}
    options["run"] = owner(run.store.get(PLAN)) if run.store.at(PLAN.name) else ""
    found = measure(options)
    if found.get("unreachable"):
        return dict(found)
    said = str(found.get("msg") or "the module failed") if found.get("failed") else ""
    return {
        "changed": False,
        "device": name,
        "do": word,
        "round": current.key,
        "measurements": found.get("measurements") or [],
        "sentence": said,
        "now": found["now"] if is_time(found.get("now")) else "",
        "at": time.time(),
        "held": found.get("held") or "",
    }


def owner(facts: Measurement) -> str:
    """The name under which a run holds hosts; the same where it goes on after it was killed."""
    return f"{facts.run} of {socket.gethostname()} with report {os.path.abspath(facts.report)}"


def refuse(answers: t.Mapping[str, t.Mapping[str, object]]) -> Result:
    """Return as `held` the nodes on which other runs measure, with the first one's message; empty without any.

    `answers` are results of a task by host. The playbook lets go of the others before it ends with that.
    """
    held = {name: said for name, row in answers.items() if (said := row.get("held"))}
    why = next(iter(held.values()), "")
    names = ", ".join(some(list(held)))
    choose = "wait for its end, or choose other nodes with spx_nodes."
    return {"changed": False, "held": f"{names}: {why}: {choose}" if held else ""}


def _options(
    word: str, current: CurrentRound, name: str, rails: t.Callable[[], list[Port]]
) -> Result | None:
    """The options of the module for a word; None where the node has nothing to do.

    Clients are started in the background too, so that all of a round run side by side with however few forks. A node
    of a collective that another one starts is held for this run, as it measures too, and keeps for its ranks which
    RDMA devices its rails have.
    """
    mine = current.hosts.get(name, {})
    if word in ("stop", "release"):
        return {"do": word} if word == "release" or mine or not current.key else None
    if word == "serve" and not mine and name in current.nodes:
        return {"do": "serve", "patience": WAITS, "rails": rails()}
    here = {
        "serve": (SERVERS,),
        "start": (CLIENTS, COLLECTIVES),
        "collect": (CLIENTS, SERVERS, COLLECTIVES),
    }
    parts = {part: list(mine.get(part, ())) for part in here[word]}
    if not any(parts.values()):
        return None
    made: Result = {
        "do": "collect" if word == "collect" else "serve",
        "jobs": [*parts.get(CLIENTS, ()), *parts.get(SERVERS, ())],
        "collectives": parts.get(COLLECTIVES, []),
    }
    ahead = max(0.0, current.at - time.time()) if current.at else 0.0
    if word == "start":
        return {**made, "at": current.at + (HEAD if name in current.late else 0)}
    if word == "collect" and current.shut:  # the job goes on until it is ended
        return {**made, "patience": 1}
    waits = WAITS + ahead if word == "serve" else SLACK + ahead + current.seconds
    return {**made, "patience": int(waits)}
