# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan that wastes cages says what would save switches; others say nothing."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report.advice import advice
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
    build,
    example,
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_waste_nothing(name):
    assert advice(example(name)) == ""


def test_half_empty_leaves_are_named_with_what_fills_them():
    wasteful = {"sus_per_pod": 16, "slots_per_su": 32}
    assert advice(build(capacity=wasteful)) == (
        "40% of the cages stay empty: capacity.slots_per_su 64 with sus_per_pod 8 saves 64 of 160 switches, for as "
        "many nodes, as long as nothing is built: it renumbers what is there"
    )
    then = build(capacity={"sus_per_pod": 8, "slots_per_su": 64})
    assert sum(then.clos.switches().values()) == 160 - 64
    assert then.clos.nodes == build(capacity=wasteful).clos.nodes


def test_rails_of_one_small_unit_may_share_leaves():
    fabric = build(capacity={"sus_per_pod": 1, "slots_per_su": 16})
    said = advice(fabric)
    assert "wiring.rails_per_leaf" in said
    rails = int(said.partition("rails_per_leaf ")[2].split()[0])
    then = build(capacity={"sus_per_pod": 1, "slots_per_su": 16}, wiring={"rails_per_leaf": rails})
    assert sum(then.clos.switches().values()) < sum(fabric.clos.switches().values())


def test_what_the_address_profile_cannot_number_is_not_advised():
    """Its field of nodes has seven bits."""
    fabric = build(
        capacity={"sus_per_pod": 2, "slots_per_su": 100},
        switches={"host_speed": "200G", "fabric_speed": "400G"},
        addressing={"profile": "nvidia-guide-v4-2tier"},
    )
    assert "slots_per_su" not in advice(fabric)
