# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the checks of a switch fail their task."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.action import validate_switch as action
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate.results import (
    Subject,
)


@pytest.mark.parametrize(
    "states, fail, strict, said",
    [
        (["pass", "not_realised"], True, True, None),
        (["fail"], False, True, None),
        (["fail", "not_run"], True, False, "0"),
        (["fail", "not_run"], True, True, "0\n1"),
        (["pass", "not_run"], True, False, None),
    ],
)
def test_outcome(states: list[str], fail: bool, strict: bool, said: str | None) -> None:
    about = Subject("lab", "leaf", "leaf")
    rows: list[Any] = [about.result("x", state, str(n)) for n, state in enumerate(states)]
    made = action._outcome(rows, {"fail": fail, "strict": strict})
    assert (made.get("failed", False), made.get("msg")) == (said is not None, said)
