# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.performance``; documented in the module of that name."""

from __future__ import annotations

import json
import typing as t

from ..plugin_utils._edge import role_variables
from ..plugin_utils._edge.action import Action, Plain, on_device
from ..plugin_utils._edge.run import of_task
from ..plugin_utils._jobs.measure import (
    counters,
    failover,
    host,
    plan,
    rounds,
    slow_job,
    tenants,
    verdict,
)

if t.TYPE_CHECKING:
    from collections.abc import Callable

    from ..plugin_utils._jobs.run import Run

STOPPED = "performance_stopped"
"""Variable of hosts that holds what the task returned which ends what a killed run has left."""
REGISTERED = ("performance_served", "performance_started", "performance_collected")
"""Variables of hosts that hold what the parts of a round returned."""
ON_HOST = ("serve", "start", "collect", "stop", "release")

_DO: dict[str, Callable[[Run, Plain, Plain], Plain]] = {
    "plan": lambda run, args, stated: plan.make(run, args, _nodes(stated)),
    "counters": lambda run, _args, _stated: counters.read(run),
    "refuse": lambda _run, _args, stated: host.refuse(_stopped(stated)),
    "next": lambda run, _args, _stated: rounds.following(run),
    "enter": lambda run, args, _stated: tenants.enter(run, args["tenants"]),
    "leave": lambda run, args, _stated: tenants.leave(run, args["tenants"]),
    "round": lambda run, args, _stated: rounds.begin(run, args["round"]),
    "shut": lambda run, _args, _stated: failover.shut(run),
    "judge": lambda run, _args, stated: rounds.judge(run, _answers(stated)),
    "slow_job": lambda run, args, _stated: slow_job.answer(run, args),
    "sum": lambda run, args, _stated: verdict.give(run, strict=args["strict"]),
}


class ActionModule(Action):
    """Plans a measurement, carries out its rounds, and judges them."""

    _requires_connection = True
    RULES: t.ClassVar[Plain] = {"required_if": [["do", "round", ["round"]]]}

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Do what option `do` says."""
        plain = json.loads(json.dumps(args))  # without Ansible's tags and lazy containers
        run = of_task(self, plain, stated)
        if plain["do"] in ON_HOST:
            return self._on_host(run, plain, stated)
        return _DO[plain["do"]](run, plain, stated)

    def _on_host(self, run: Run, args: Plain, stated: Plain) -> Plain:
        """The part of one node in the round at hand."""
        name = str(args["device"] or stated["inventory_hostname"])

        def measure(options: Plain) -> Plain:
            # Its own variables count, also where localhost delegates to it.
            own = (stated.get("hostvars") or {}).get(name) or stated
            state = role_variables.values("dpu_state", own, self._templar.template)
            return on_device(
                self, "measure", {**options, "sysfs_path": str(state["sysfs"])}, stated
            )

        return host.take_part(run, name, args["do"], measure)


def _nodes(stated: Plain) -> t.Collection[str]:
    found: t.Collection[str] = stated.get("groups", {}).get("spx_node", ())
    return found


def _stopped(stated: Plain) -> dict[str, Plain]:
    hosts = stated["hostvars"]
    return {name: hosts[name].get(STOPPED) or {} for name in stated["ansible_play_hosts_all"]}


def _answers(stated: Plain) -> rounds.Answers:
    """The results of tasks on hosts."""
    hosts, rows = stated["hostvars"], list[Plain]()
    for name in stated["ansible_play_hosts_all"]:
        for variable in REGISTERED:
            found = hosts[name].get(variable) or {}
            rows += found.get("results") or [found]
    return rounds.Answers(rows, list(stated["ansible_play_hosts"]))
