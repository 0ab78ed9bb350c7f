# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A controller that dies: ansible-playbook and all its workers, at once, at a place of tenant_move."""

from __future__ import annotations

DOCUMENTATION = """
name: kill_at
type: aggregate
short_description: Kill the controller at a place
description:
  - E(SPX_KILL_AT) is C(STEP recorded), when the step is noted and nothing of it done, or C(STEP half), when the first
    switch of the step has changed.
"""

import os

from ansible.plugins.callback import CallbackBase
from lab.killing import end, own_group

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.move_run import (
    Mover,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch import leaves


class CallbackModule(CallbackBase):
    """Watches what a step does, in the workers that Ansible forks from here, and ends them all."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "kill_at"

    def __init__(self):
        super().__init__()
        self._step, _blank, self._when = os.environ["SPX_KILL_AT"].partition(" ")
        self._reached = False
        self._group = own_group()
        self._watch(Mover, "begin", self._begun)
        self._watch(leaves.NvueLeaf, "bring", self._brought)

    @staticmethod
    def _watch(kind, name, look):
        """Have a look after each call of a method."""
        method = getattr(kind, name)

        def watched(own, *args):
            answer = method(own, *args)
            look(own, *args)
            return answer

        setattr(kind, name, watched)

    def _begun(self, _mover, step):
        """The step is noted."""
        self._reached = step == self._step
        if self._reached and self._when == "recorded":
            end(self._group)

    def _brought(self, leaf, *_job):
        """One switch of the step is through."""
        if self._reached and self._when == "half" and leaf.results[-1].get("changed"):
            end(self._group)
