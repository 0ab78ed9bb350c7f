# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans are joined in order, and their steps are shown as one difference."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.plan.base import (
    Plan,
    differences,
    joined,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Step


def step(setting, before, after, target="rail1p1"):
    return Step(target, setting, before, after, argv=("true",))


def test_plans_keep_their_order():
    one, two = step("a", 0, 1), step("b", 0, 1)
    total = joined([Plan((one,), deferred=("later",)), Plan((two,), missing=("no tool",))])
    assert total == Plan((one, two), missing=("no tool",), deferred=("later",))
    assert joined([]) == Plan()


def test_steps_of_one_setting_are_one_difference():
    steps = [step("gap", 12, 20), step("gap", 20, 33), step("mtu", 1500, 9166, "rail2p1")]
    assert differences(steps) == {
        "before": {"rail1p1": {"gap": 12}, "rail2p1": {"mtu": 1500}},
        "after": {"rail1p1": {"gap": 33}, "rail2p1": {"mtu": 9166}},
    }


def test_an_entry_that_a_later_step_puts_back_is_none():
    steps = [step("map", {26: 3, 48: 6}, {26: 0, 48: 0}), step("map", {26: 0}, {26: 3})]
    assert differences(steps) == {
        "before": {"rail1p1": {"map": {48: 6}}},
        "after": {"rail1p1": {"map": {48: 0}}},
    }


def test_the_result_has_all_plans():
    step = Step("rail1p1", "gap", 12, 33, argv=("set", "33"))
    outcome = joined([Plan(missing=("no tool",)), Plan((step,), deferred=("later",))])
    assert outcome.steps
    assert outcome.as_result() == {
        "changed": True,
        "diff": {"before": {"rail1p1": {"gap": 12}}, "after": {"rail1p1": {"gap": 33}}},
        "commands": ["set 33"],
        "skipped": ["no tool"],
        "warnings": ["no tool."],
        "deferred": ["later"],
    }
