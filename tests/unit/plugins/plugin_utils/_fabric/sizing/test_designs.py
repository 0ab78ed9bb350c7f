# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each proposed design loads, plans and holds what was asked; two or three differ."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.description import (
    Description,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.load import (
    typed,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.yaml_source import (
    Source,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report import (
    earlier_plan,
    plan_difference,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report.advice import advice
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.designs import (
    chosen,
    designs,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.request import (
    Request,
)

ASKS = st.builds(
    Request,
    gpus=st.integers(1, 40_000),
    switch=st.sampled_from(["", "SN5600", "SN5640", "SN5400", "SN6600_LD"]),
    rails=st.sampled_from([0, 1, 2, 4, 8]),
    gpus_per_node=st.sampled_from([0, 4, 8]),
)


@settings(max_examples=30)
@given(ASKS)
def test_every_design_loads_and_holds_what_was_asked(ask):
    found = designs(ask)
    assert 1 <= len(found) <= 3
    for design in found:
        data = design.fabric.description.model_dump(exclude_defaults=True)
        again = Fabric(*_loaded(data))
        assert sum(1 for _node in again.nodes()) == design.nodes
        assert design.nodes * design.gpus_per_node >= ask.gpus
        some = next(again.devices())
        assert again.slice(some)["name"] == again.name(some)


def _loaded(data):
    source = Source("fabric.yml", data, {})
    return typed(Description, source), source


@pytest.mark.parametrize("gpus", [8, 256, 1024, 2048, 8192, 20_000])
def test_nothing_that_plan_advises_is_better_than_the_first(gpus):
    assert advice(designs(Request(gpus=gpus))[0].fabric) == ""


def test_designs_grow_without_a_change_of_the_asked_part():
    first, *others = designs(Request(gpus=2048))
    assert first.fabric.clos.gpus == 2048
    assert [design.fabric.clos.gpus for design in others] == [4096, 8192]
    assert "fewest switches" in first.reason


@pytest.mark.parametrize(
    "ask",
    [
        Request(gpus=20, rails=2, final_gpus=64),
        Request(gpus=256),
        Request(gpus=300, switch="SN5400"),
    ],
)
def test_growing_to_the_capacity_moves_no_cable_and_renumbers_nothing(ask):
    grown = 0
    for design in designs(ask):
        whole = design.fabric.description.model_copy(update={"absent": []})
        later = Fabric(whole, design.fabric.source)
        rows = list(plan_difference.against(earlier_plan.computed(design.fabric), later))
        assert [row for row in rows if plan_difference.renumbers(row)] == []
        grown += len(rows)
    assert grown


def test_a_small_fabric_has_the_choice_between_full_leaves_and_one_rail():
    first, second, third = designs(Request(gpus=256))
    assert first.fabric.clos.rails_per_leaf > second.fabric.clos.rails_per_leaf == 1
    assert third.fabric.clos.gpus == 512


def test_the_final_size_is_the_capacity_and_the_asked_one_is_built():
    design = designs(Request(gpus=256, final_gpus=2048))[0]
    assert (design.nodes, design.fabric.clos.nodes) == (32, 256)
    assert design.fabric.description.absent == ["su01/[33-64]", "su[02-04]"]


def test_a_size_that_does_not_fit_is_one_sentence_with_the_nearest_that_does():
    with pytest.raises(FabricError) as caught:
        designs(Request(gpus=600_000))
    (sentence,) = caught.value.sentences
    assert sentence == (
        "variable spx_gpus: 600000 GPUs do not fit three tiers of the SN5600: use 524288 or fewer."
    )
    assert designs(Request(gpus=524_288))[0].fabric.clos.gpus == 524_288


def test_a_design_is_chosen_by_its_number():
    assert chosen(Request(gpus=2048), 2).fabric.clos.gpus == 4096
    with pytest.raises(FabricError, match="spx_design: 4 is not allowed: use 1 to 3"):
        chosen(Request(gpus=2048), 4)
