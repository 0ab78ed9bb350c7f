# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A callback with a fault ends its run red, one without it as it is."""

from __future__ import annotations

import pytest
from ansible.plugins.callback import CallbackBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.faults import watched


@watched
class Callback(CallbackBase):
    """Fails as it is told to."""

    CALLBACK_NAME = "test"

    def __init__(self, fails=()):
        super().__init__()
        self.fails, self.heard = fails, []

    def v2_runner_on_ok(self, result):
        """Hear a result."""
        self.heard.append(result)
        if "ok" in self.fails:
            raise KeyError(result)

    def v2_playbook_on_stats(self, stats):
        """End."""
        if "stats" in self.fails:
            raise ValueError(stats)


def test_without_a_fault_nothing_changes():
    callback = Callback()
    callback.v2_runner_on_ok("a")
    callback.v2_playbook_on_stats({})
    assert callback.heard == ["a"]


@pytest.mark.parametrize("fails", [["ok"], ["stats"], ["ok", "stats"]])
def test_a_fault_anywhere_ends_the_run_red(fails):
    callback = Callback(fails)
    if "ok" in fails:
        with pytest.raises(KeyError):
            callback.v2_runner_on_ok("a")
    with pytest.raises(SystemExit):
        callback.v2_playbook_on_stats({})


def test_a_fault_that_quotes_a_device_is_one_line(monkeypatch):
    callback, said = Callback(["ok"]), []
    monkeypatch.setattr(callback._display, "error", said.append)
    with pytest.raises(KeyError):
        callback.v2_runner_on_ok("a\n\x1b[31mTASK [forged]" + "x" * 1000)
    with pytest.raises(SystemExit):
        callback.v2_playbook_on_stats({})
    assert len(said[0]) < 400
    assert said[0].isprintable()
