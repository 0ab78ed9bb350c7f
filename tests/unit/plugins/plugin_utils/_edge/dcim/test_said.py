# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values and counts as a person reads them."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.dcim.said import (
    conflict,
    few,
    text,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.dcim.difference import (
    CHANGED,
    Conflict,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.dcim.things import (
    Found,
    Ref,
    Thing,
    Value,
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


def test_a_conflict_names_both_values() -> None:
    thing = Thing("interface", "lab/a/swp1", "a swp1", {})
    found = Found("interface", "1", "lab/a/swp1", "swp1", {}, True, (), "")
    said = conflict(Conflict(thing, found, {"mtu": (9166, None)}, CHANGED))
    assert (
        said
        == "interface a swp1: somebody changed what we wrote: mtu is 9166 in the plan and empty in the DCIM."
    )
