# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values and counts as a person reads them."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.difference import (
    CHANGED,
    Conflict,
    Create,
    Stale,
    Update,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    DcimObject,
    Ref,
    Thing,
    Value,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.job import (
    PlannedChange,
    WaitingCable,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.lines import (
    conflict,
    each,
    few,
    text,
)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "empty"),
        ("", "empty"),
        ((), "empty"),
        (0, "0"),
        (False, "False"),
        (Ref("rack", "lab/R1"), "lab/R1"),
        ((Ref("a", "x"), "y"), "x, y"),
    ],
)
def test_values(value: Value, said: str) -> None:
    assert text(value) == said


def test_counts() -> None:
    assert (few(1, "thing"), few(2, "thing")) == ("1 thing", "2 things")


PORT = Thing("interface", "lab/a/swp1", "a swp1", {})
THERE = DcimObject("interface", "1", "lab/a/swp1", "swp1", {}, True, (), "")


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (Create(PORT), "create: interface a swp1"),
        (WaitingCable(PORT), "wait: interface a swp1"),
        (Stale(THERE), "stale: interface a/swp1"),
        (
            Update(PORT, THERE, {"vrf": ("", Ref("vrf", "lab/t2")), "mtu": (9166, 1500)}),
            "change: interface a swp1: mtu from 1500 to 9166; vrf from lab/t2 to empty",
        ),
        (Update(PORT, THERE, {}), "change: interface a swp1: our field and tag"),
    ],
)
def test_one_change_is_a_line(seen: PlannedChange, said: str) -> None:
    assert each(seen) == said


def test_a_conflict_names_both_values() -> None:
    said = conflict(Conflict(PORT, THERE, {"mtu": (9166, None)}, CHANGED))
    assert (
        said
        == "interface a swp1: somebody changed what we wrote: mtu is 9166 in the plan and empty in the DCIM."
    )
