# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: exit_code
type: aggregate
short_description: An exit code that separates breaches, silent devices and untrusted certificates
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Ansible ends with 2 when a task failed and with 4 when a device did not answer, and with both
    it reports one. With this callback the exit code is a sum of bits, so that no two are mixed up.
  - V(2) is a task that failed, a breach, or a check in which a run that writes would be refused. A
    playbook that only announces a refusal ends with 2 as well, and one in which no task has the name of
    C(--start-at-task).
  - V(4) is a device that did not answer.
  - V(8) is a device whose certificate was not trusted; it answers, so it is not among those of V(4).
  - V(6), V(10), V(12) and V(14) are several of these in one run.
requirements:
  - Enabled in the configuration, C(callbacks_enabled = spectrum_x.fabric.exit_code).
"""

from typing import Any

from ansible import context
from ansible.plugins.callback import CallbackBase

from ..plugin_utils._edge.faults import watched
from ..plugin_utils._edge.outcome import Outcome, believed, own_codes


@watched
class CallbackModule(CallbackBase):
    """Ends the run with the code that says all, where Ansible's own does not."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "spectrum_x.fabric.exit_code"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self._outcome = Outcome()
        self._outcome.sought = bool(context.CLIARGS.get("start_at_task"))

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        """The run begins."""
        self._outcome.sought = False

    def v2_runner_on_ok(self, result: Any) -> None:
        """Done; what it announces may decide."""
        found = believed(result.task, result.result)
        self._outcome.heard(result.host.get_name(), result.task_name, found)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """Failed."""
        self.v2_runner_on_ok(result)
        if not ignore_errors:
            name = result.host.get_name()
            found = believed(result.task, result.result)
            self._outcome.failed(name, name, result.task_name, found)

    def v2_playbook_on_stats(self, stats: Any) -> None:
        """After the last play."""
        code = self._outcome.code(stats)
        if own_codes(stats) != [code]:
            raise SystemExit(code)
