# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.tenant``; documented in the module of that name."""

from __future__ import annotations

import json
import typing as t

from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.run import of_task
from ..plugin_utils._jobs.tenant import edit, evidence, plan, step


class ActionModule(Action):
    """Edits the registry, plans a job of a tenant, takes one of its steps, or keeps what a hook confirms."""

    RULES: t.ClassVar[Plain] = {
        "required_if": [
            ["do", "plan", ["job"]],
            ["do", "step", ["step"]],
            ["do", "record", ["edit"]],
            ["do", "confirm", ["what", "by"]],
        ]
    }

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Do what option `do` says."""
        given = json.loads(json.dumps(args))  # without Ansible's tags and lazy containers
        run = of_task(self, given, stated)
        if given["do"] == "edit":
            return edit.carry_out(run, edit.of_options(given))
        if given["do"] == "record":
            return edit.record(run, given["edit"])
        if given["do"] == "plan":
            return plan.make(run, given["job"], given["slug"], given["nodes"] or [])
        if given["do"] == "confirm":
            row = {key: given[key] for key in ("by", "note", "machine")}
            return evidence.confirm(run.store, given["what"], **row)
        due = step.DueStep(given["step"], given["part"], given["hook"], given["failure"])
        return step.take(run, due)
