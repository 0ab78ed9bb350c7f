# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One node's part in a round: its servers, its clients, what its servers saw, and the end of all. Private.

The fact spx_fact_round of localhost says who does what: {key, hosts: {name: {server, client, collective}}}.
"""

from __future__ import annotations

import typing as t

from ..._fabric.performance.jobs import ROLES

if t.TYPE_CHECKING:
    from ..action import Action, Plain

MODULE = "spectrum_x.fabric.measure"
FACT = "spx_fact_round"


def run(task: Action, args: Plain, stated: Plain) -> Plain:
    """What module measure answers; a failure of it is no failure of the task, as others measure on.

    A node that does not answer is unreachable, as everywhere.
    """
    name, word = str(args["device"] or stated["inventory_hostname"]), args["do"]
    current = of_round(stated)
    options = _options(word, current["hosts"].get(name, {}))
    if task._task.check_mode or options is None:
        return {"skipped": True, "msg": f"{name} has no part in it."}
    found = task._execute_module(module_name=MODULE, module_args=options, task_vars=stated)
    if found.get("unreachable"):
        return dict(found)
    said = str(found.get("msg") or "the module failed") if found.get("failed") else ""
    return {
        "changed": False,
        "device": name,
        "round": current["key"],
        "part": word,
        "measurements": found.get("measurements") or [],
        "sentence": f"{name}: {said}" if said else "",
    }


def of_round(stated: Plain) -> Plain:
    """The round that localhost has planned; of no host without one."""
    facts: t.Any = stated.get("hostvars", {}).get("localhost") or {}
    found = (facts.get("ansible_facts") or {}).get(FACT) or facts.get(FACT)
    return dict(found or {"key": "", "hosts": {}})


def _options(word: str, mine: t.Mapping[str, t.Any]) -> Plain | None:
    """The options of the module for a word; None where the node has nothing to do."""
    if word == "stop":
        return {"do": "stop"}
    jobs = [job for role in ROLES[word] for job in mine.get(role, ())]
    return {"do": word, "jobs": jobs} if jobs else None
