# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows: a last day with a reason, and a time from and until which something may stop."""

from __future__ import annotations

import datetime

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.description import (
    WorkWindow,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.windows import (
    Window,
    is_open,
)

TODAY = datetime.date(2026, 11, 25)


@pytest.mark.parametrize(
    "text, words",
    [
        ("2026-11-24 CHG-42", "it expired on 2026-11-24"),
        ("2026-11-31 CHG-42", "write its last day and the reason"),
        ("2026-11-25", "write its last day and the reason"),
        ("CHG-42 2026-11-25", "write its last day and the reason"),
    ],
)
def test_a_window_without_day_or_reason_is_none(text, words):
    with pytest.raises(FabricError, match=words):
        Window.of(text, TODAY)


@pytest.mark.parametrize(
    "now, seconds, is_so",
    [
        ("2026-12-31T00:59:00+00:00", 0, False),
        ("2026-12-31T01:00:00+00:00", 0, True),
        ("2026-12-31T02:50:00+00:00", 600, True),
        ("2026-12-31T02:50:01+00:00", 600, False),
        ("2026-12-31T04:00:01+01:00", 0, False),
    ],
)
def test_a_window_is_open_as_long_as_the_work_takes(now, seconds, is_so):
    times = {"from": "2026-12-31T02:00+01:00", "until": "2026-12-31T04:00+01:00"}
    row = WorkWindow.model_validate({"where": ["su01"], "reason": "CHG-42", **times})
    assert is_open(row, datetime.datetime.fromisoformat(now), seconds) is is_so
