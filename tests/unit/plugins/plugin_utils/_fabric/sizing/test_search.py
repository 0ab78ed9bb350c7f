# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The search finds what holds the nodes, and lists what is not built yet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import places
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.clos import (
    count,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing import search
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.request import (
    Request,
    base,
    checked,
)

BASE = base(checked(Request(gpus=8)))


def best(nodes, **more):
    return search.best(BASE, nodes, **{"built": nodes, "order": search.fewest, **more})


@given(st.integers(1, 20_000))
def test_every_form_holds_the_nodes(nodes):
    found = list(search.forms(BASE, nodes, built=nodes))
    assert found
    assert min(form.clos.nodes for form in found) >= nodes
    assert all(
        form.clos.tiers == 2 for form in found if form.clos.pods == 1 and not form.clos.groups
    )


def test_the_example_of_2048_gpus_is_what_a_person_would_plan():
    d = best(256)
    assert (d.tiers, d.capacity.sus_per_pod, d.capacity.slots_per_su) == (2, 4, 64)
    assert d.addressing.profile == "nvidia-guide-v4-2tier"


def test_the_largest_example_is_found_and_one_node_more_is_not():
    d = best(65_536)
    assert (d.tiers, d.capacity.pods, d.capacity.sus_per_pod) == (3, 128, 8)
    assert best(65_537) is None


def test_what_is_wanted_limits_the_choice():
    shared, alone = best(32), best(32, wanted=lambda form: form.clos.rails_per_leaf == 1)
    assert shared.wiring.rails_per_leaf == 2
    assert alone.wiring.rails_per_leaf == 1
    assert sum(count(shared).switches().values()) < sum(count(alone).switches().values())


@given(st.data())
def test_absent_is_all_that_is_not_built(data):
    nodes = data.draw(st.integers(1, 3000))
    clos = count(
        data.draw(
            st.sampled_from([form.description for form in search.forms(BASE, nodes, built=1)])
        )
    )
    built = data.draw(st.integers(1, clos.nodes))
    gone = set()
    for text in search.absent(clos, built):
        gone.update(places.expand(text, limits=clos.limits))
    left = [
        node
        for node in range(clos.nodes)
        if not any(_place(clos, node)[:n] in gone for n in (1, 2, 3))
    ]
    assert left == list(range(built))


def _place(clos, node):
    rest, slot = divmod(node, clos.slots)
    pod, su = divmod(rest, clos.sus)
    return pod, su, slot


@pytest.mark.parametrize("most", [0, 1, 7, 64, 100])
def test_the_largest_that_fits(most):
    assert search.largest(lambda number: number <= most, 100) == most
