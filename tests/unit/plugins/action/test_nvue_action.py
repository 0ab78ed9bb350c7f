# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An action is started only where writing is allowed and credentials are known."""

from __future__ import annotations

TASK = {"path": "interface/swp1", "action": "clear"}


def test_what_is_not_started_says_so(results):
    planned, refused = results(
        {"spectrum_x.fabric.nvue_action": {**TASK, "write": False}},
        {"spectrum_x.fabric.nvue_action": TASK},
    )
    assert planned["changed"]
    assert planned["msg"] == "clear on interface/swp1 was not started."
    assert refused["failed"]
    assert "No credentials" in refused["msg"]
