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
import signal

from ansible.plugins.callback import CallbackBase

APPLY = "Configure the tenants of the switch"


class CallbackModule(CallbackBase):
    """Watches the names of tasks, and ends the process group."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "kill_at"

    def __init__(self):
        super().__init__()
        self._step, _blank, self._when = os.environ["SPX_KILL_AT"].partition(" ")
        self._reached = False
        if os.getpgid(0) != os.getpid():
            os.setpgid(0, 0)

    def v2_playbook_on_task_start(self, task, is_conditional):
        """Steps are told apart by the names of their tasks."""
        name = task.get_name()
        if "Carry it out: " in name:
            self._reached = name.endswith(f": {self._step}")
            if self._reached and self._when == "recorded":
                self._end()

    def v2_runner_on_ok(self, result):
        """One switch of the step is through."""
        task = getattr(result, "task", None) or result._task
        data = getattr(result, "result", None) or result._result
        if (
            self._reached
            and self._when == "half"
            and APPLY in task.get_name()
            and data.get("changed")
        ):
            self._end()

    def _end(self):
        os.killpg(os.getpgid(0), signal.SIGKILL)
