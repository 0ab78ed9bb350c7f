# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.nic``; documented in the module of that name."""

from __future__ import annotations

from ..plugin_utils._edge.action import Action, Plain, on_device


class ActionModule(Action):
    """Has the module work on the host; one that hangs there is unreachable."""

    _requires_connection = True

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Pass on what the task gives: parts exclude each other, so that one without a value must not be there."""
        return on_device(self, "nic", _given(args), stated)


def _given(args: Plain) -> Plain:
    """Return options without those that have no value, at every level."""
    return {
        name: _given(value) if isinstance(value, dict) else value
        for name, value in args.items()
        if value is not None
    }
