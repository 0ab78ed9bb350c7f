# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.performance``; documented in the module of that name."""

from __future__ import annotations

import json
import typing as t

from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.performance import counted, cut, ending, host, plan, rounds, tenants

_DO = {
    "plan": plan.run,
    "counters": counted.run,
    "refuse": host.refuse,
    "next": rounds.following,
    "enter": tenants.enter,
    "leave": tenants.leave,
    "round": rounds.begin,
    "shut": cut.run,
    "judge": rounds.judge,
    "sum": ending.run,
    **dict.fromkeys(("serve", "start", "collect", "stop", "release"), host.run),
}


class ActionModule(Action):
    """Plans a measurement, carries out its rounds, and judges them."""

    _requires_connection = True
    RULES: t.ClassVar[Plain] = {"required_if": [["do", "round", ["round"]]]}

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Do what option `do` says."""
        plain = json.loads(json.dumps(args))  # without Ansible's tags and lazy containers
        return _DO[plain["do"]](self, plain, stated)
