# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches in batches, and none where one of them was not compared."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.action.switch_batches import _open

SPINES = ["spine-p1-s01", "spine-p1-s02"]


def test_spines_are_never_in_one_batch(results):
    (found,) = results({"spectrum_x.fabric.switch_batches": {"hosts": SPINES}})
    assert sorted([*found["batches"]["first"], *found["batches"]["rest"]]) == SPINES
    assert found["lines"]


def test_check_mode_plans_no_batch(results):
    task = {"spectrum_x.fabric.switch_batches": {"hosts": SPINES}}
    (found,) = results(task, arguments=["--check"])
    assert (found["batches"]["first"], found["batches"]["rest"]) == ([], [])
    assert found["lines"]


@pytest.mark.parametrize(
    "row, approved, holds",
    [
        ({"changes": []}, False, False),
        ({"skipped": True}, False, False),
        ({"changes": [], "would_refuse": ["x"]}, False, True),
        ({}, False, True),
        ({"failed": True}, False, True),
        ({"failed": True}, True, False),
        ({"failed": True, "unreachable": True}, True, True),
    ],
)
def test_which_result_keeps_every_switch_unchanged(row, approved, holds):
    assert _open({"leaf": row}, approved=approved) == (["leaf"] if holds else [])
