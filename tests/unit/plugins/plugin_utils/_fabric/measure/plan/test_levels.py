# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import limits
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import (
    levels,
    records,
)

LEVELS = levels.LEVELS


def test_levels_build_on_earlier_ones_and_from_bisection_on_they_load_the_spines():
    order = list(LEVELS)
    assert order == ["pairs", "rails", "bisection", "collectives", "noise", "failover"]
    for name, level in LEVELS.items():
        assert set(level.after) <= set(order[: order.index(name)])
        assert level.shares_spines == (order.index(name) >= order.index("bisection"))
        assert level.cuts == (name == "failover")


@pytest.mark.parametrize("name", LEVELS)
def test_a_level_says_what_it_shows_and_disturbs_and_where_its_parameters_are_from(name):
    level = LEVELS[name]
    for sentence in (level.shows, level.disturbs):
        assert sentence.endswith(".")
        assert len(sentence.split()) <= 25
    assert "ours" in level.source
    assert level.seconds > 0
    assert level.tools
    assert set(level.parameters.get("kinds", ())) <= set(records.KINDS)


def test_what_a_level_asks_for_has_limits():
    known = limits.figures()
    for name in ("pairs", "rails", "bisection"):
        assert {(name, kind) for kind in LEVELS[name].parameters["kinds"]} <= known


def test_levels_are_chosen_in_their_order():
    assert [level.name for level in levels.chosen(["rails", "pairs", "rails"])] == [
        "pairs",
        "rails",
    ]
    with pytest.raises(FabricError) as refused:
        levels.chosen(["pairs", "bisect", "all"])
    assert refused.value.sentences == [
        "spx_level: 'bisect' is not a level, did you mean 'bisection': use pairs, rails, bisection, "
        "collectives, noise, failover.",
        "spx_level: 'all' is not a level: use pairs, rails, bisection, collectives, noise, failover.",
    ]
