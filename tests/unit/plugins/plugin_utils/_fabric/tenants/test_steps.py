# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of steps is whole, and no way through it joins two customers."""

from __future__ import annotations

import itertools

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import schema, steps
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.steps import (
    STEPS,
    TABLE,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

HOOKS = ["drain", "storage_remove", "wipe", "firmware", "acceptance", "storage_add", "release"]
"""In the order in which they run."""
ENDS = ("acme", "globex", "rest", "quarantine")
WAYS = [(one, two) for one, two in itertools.permutations(ENDS, 2) if one != two]


def test_every_step_of_the_registry_is_in_the_table_once():
    assert tuple(step.name for step in TABLE) == schema.STEPS


def test_the_collection_has_files_of_those_hooks_alone_that_run_where_a_site_has_none():
    """The hooks of a move run where the site has them; the guide names each."""
    assert [hook for step in TABLE for hook in step.hooks] == HOOKS
    files = {path.stem for path in (INVENTORIES.parent / "playbooks" / "hooks").glob("*.yml")}
    assert files == {"credentials", "drain", "resume", "registry_commit"}
    assert {*steps.REMEMBERED} <= {*HOOKS}


def test_a_step_writes_or_proves_or_runs_hooks():
    for step in TABLE:
        assert bool(step.hooks) != bool(step.proof) or step.name == "verify", step.name
        assert not (step.writes and step.hooks), step.name
        assert step.proof if step.writes else not (step.through or step.out_of), step.name


@pytest.mark.parametrize(("from_", "to"), WAYS)
def test_a_way_follows_the_table_and_ends_where_it_shall(from_, to):
    way = steps.of(from_, to)
    assert list(way) == [name for name in schema.STEPS if name in way]
    record = schema.MovingRecord.model_validate({"from": from_, "to": to, "step": way[0]})
    whose, up = STEPS[way[-1]].place
    assert (steps.slug_of(whose, record), up) == (to, True)
    customers = {"acme", "globex"}
    assert ("wipe" in way) == (to != "quarantine" and from_ != "rest")
    assert ("drain" in way) == (from_ in customers)


@pytest.mark.parametrize(("from_", "to"), WAYS)
def test_ports_are_down_wherever_they_leave_a_customer(from_, to):
    """They go down before the VRF changes, and come up in no other customer's."""
    record = schema.MovingRecord.model_validate(
        {"from": from_, "to": to, "step": steps.of(from_, to)[0]}
    )
    places = [(from_, True)]
    for name in steps.of(from_, to):
        step = STEPS[name]
        places += [STEPS[step.through].place] if step.through else []
        places.append(step.place)
    seen = [(steps.slug_of(whose, record), up) for whose, up in places]
    for (old, was_up), (new, is_up) in itertools.pairwise(seen):
        if old != new and old in ("acme", "globex"):
            assert not was_up
            assert (new, is_up) == ("quarantine", False)
        if old != new and new in ("acme", "globex"):
            assert (old, was_up) == ("quarantine", False)
