# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: exit_code
type: aggregate
short_description: Tell a breach together with unreachable devices apart
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Ansible ends with 2 when a task failed and with 4 when a device did not answer, and of both it
    tells one. With this callback a run in which both happened ends with 6.
requirements:
  - Enabled in the configuration, C(callbacks_enabled = spectrum_x.fabric.exit_code).
"""

from typing import Any

from ansible.plugins.callback import CallbackBase

BOTH = 6


class CallbackModule(CallbackBase):
    """Ends the run with 6 where a device failed and another was unreachable."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "spectrum_x.fabric.exit_code"
    CALLBACK_NEEDS_ENABLED = True

    def v2_playbook_on_stats(self, stats: Any) -> None:
        """After the last play."""
        if stats.failures and stats.dark:
            raise SystemExit(BOTH)
