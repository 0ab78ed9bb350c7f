# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Short levels, so that a proof does not last ten minutes; and a controller that dies in level noise."""

from __future__ import annotations

DOCUMENTATION = """
name: brief_levels
type: aggregate
short_description: Measure rails for three seconds, noise once and bandwidth alone; of collectives one operation
description:
  - With E(SPX_KILL_IN), such as C(noise/together-), the controller and all its workers are killed while a round is
    measured whose key begins so.
"""

import os

from ansible.plugins.callback import CallbackBase
from lab.killing import end, own_group

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import jobs
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan.levels import (
    LEVELS,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.measure import (
    host,
    rounds,
)

RAILS, NOISE, COLLECTIVES = "rails", "noise", "collectives"


class CallbackModule(CallbackBase):
    """Changes the levels in the process from which Ansible forks its workers."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "brief_levels"

    def __init__(self):
        super().__init__()
        LEVELS[RAILS] = LEVELS[RAILS]._replace(seconds=3)
        level = LEVELS[NOISE]
        parameters = {**level.parameters, "kinds": level.parameters["kinds"][:1]}
        # perftest needs three seconds: one counts, with a second at both ends.
        LEVELS[NOISE] = level._replace(seconds=3, repeats=1, parameters=parameters)
        level = LEVELS[COLLECTIVES]
        parameters = {**level.parameters, "operations": ("all_reduce",), "splits": ()}
        LEVELS[COLLECTIVES] = level._replace(parameters=parameters)
        jobs.HEAD = host.HEAD = 2
        rounds.TURN = 2.0
        if phase := os.environ.get("SPX_KILL_IN"):
            self._kill_in(phase)

    @staticmethod
    def _kill_in(beginning):
        """End all when a host is about to be asked what it measured in such a round."""
        group, options = own_group(), host._options

        def watched(word, current, name):
            if word == "collect" and current.key.startswith(beginning):
                end(group)
            return options(word, current, name)

        host._options = watched
