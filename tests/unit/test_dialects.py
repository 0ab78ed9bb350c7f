# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of `make dialects`."""

from __future__ import annotations

import pytest
from schema import dialects


def test_what_changed_for_a_setting_of_a_role_is_a_line() -> None:
    (line,) = [
        line for line in dialects.changes("5.17", "5.18") if line.startswith("qos/roce/mode:")
    ]
    before, after = line.split(" -> ")
    assert "dci-1" in after
    assert "dci-1" not in before


def test_a_setting_that_no_role_owns_has_no_line() -> None:
    assert dialects.is_owned("qos/roce/mode")
    assert not dialects.is_owned("system/aaa/user")
    assert not [line for line in dialects.changes("5.13", "5.14") if line.startswith("system/aaa")]


def test_a_release_without_a_schema_is_one_sentence() -> None:
    with pytest.raises(SystemExit, match=r"'5\.19': allowed: 5\.0, .*: choose two of these"):
        dialects.changes("5.18", "5.19")
