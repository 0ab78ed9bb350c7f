# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clock waits until nothing is objected to, and no longer than it may."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    Clock,
)


@pytest.mark.parametrize(
    ("answers", "seconds", "found", "slept"),
    [
        ([[]], 3, [], []),
        ([["no"], ["no"], []], 3, [], [0.2, 0.3]),
        ([["no"]] * 9, 3, ["no"], [0.2, 0.3, 0.5, 1.0, 1.0]),
        ([["no"]], 0, ["no"], []),
    ],
)
def test_waiting(answers, seconds, found, slept):
    pauses, looks = [], iter(answers)
    clock = Clock(lambda: sum(pauses), pauses.append)
    assert clock.wait(seconds, lambda: next(looks)) == found
    assert pauses == slept
