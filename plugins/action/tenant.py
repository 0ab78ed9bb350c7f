# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.tenant``; documented in the module of that name."""

from __future__ import annotations

import json
import typing as t

from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.tenant import edit, evidence, plan, step

_DO = {
    "edit": edit.run,
    "record": edit.record,
    "plan": plan.run,
    "step": step.run,
    "confirm": evidence.run,
}


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
        plain = json.loads(json.dumps(args))  # without Ansible's tags and lazy containers
        return _DO[plain["do"]](self, plain, stated)
