# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of things for a person, and the least that a push assumes."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.context import (
    Names,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.difference import (
    Create,
    Stale,
    Update,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.part import Part
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    DcimObject,
    Ref,
    Thing,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.job import (
    MOST_DELETED,
    PlannedChange,
    WaitingCable,
    name_of,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._jobs.dcim.memory import (
    Memory,
    job,
)

CABLE = Thing("cable", "lab/leaf-1/swp1", "leaf-1 swp1 to node-1 rail0", {})
THERE = DcimObject("cable", "4711", "lab/leaf-1/swp1", "4711", {}, True, (), "")
"""A cable as a DCIM answers it: its name is a number."""


@pytest.mark.parametrize("seen", [Create(CABLE), Update(CABLE, THERE, {}), WaitingCable(CABLE)])
def test_a_thing_of_the_plan_has_its_name_in_the_plan(seen: PlannedChange) -> None:
    assert name_of(seen) == "leaf-1 swp1 to node-1 rail0"


def test_a_stale_cable_is_named_by_its_place_and_not_by_its_number() -> None:
    assert name_of(Stale(THERE)) == "leaf-1/swp1"


def test_a_push_takes_the_whole_fabric_and_deletes_nothing_unless_told() -> None:
    push = job(Memory())
    assert (push.delete, push.most) == (False, MOST_DELETED)
    assert [push.context(part).part.whole for part in push.parts] == [True]


def test_a_part_of_a_push_has_the_names_of_the_push() -> None:
    context = job(Memory(), names=Names(location="Hall 2")).context(Part(sus=(1,), top=False))
    assert (context.part.sus, context.location) == ((1,), Ref("location", "Hall 2"))
