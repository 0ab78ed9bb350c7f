# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Racks and units that cannot be, or that nobody stated, are counted."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.remarks import (
    doubts,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

from .reading import FAST, places

RACKS = "rack,row,position\nN1,A,1\n"
LEAVES = "leaf-p1-su001-r1", "leaf-p1-su001-r2"


def said(tmp_path, spots):
    return list(doubts(places(tmp_path, dict(FAST), spots=spots, racks=RACKS).fabric))


def test_two_devices_in_a_unit_are_named(tmp_path):
    first, _open = said(tmp_path, dict.fromkeys(LEAVES, ("N1", 40)))
    assert first == (
        f"1 place cannot be as stated, first: in rack N1, {LEAVES[1]} and {LEAVES[0]} are both in unit 40: correct "
        "devices.csv."
    )


def test_devices_without_a_place_are_counted(tmp_path):
    (only,) = said(tmp_path, {LEAVES[0]: ("N1", 40)})
    assert " devices have no rack or no unit in devices.csv, first " in only
    assert only.endswith(": parts and lengths of their cables are to be chosen.")


def test_devices_whose_power_no_rack_counts_are_named(tmp_path):
    """Leaves and spines have no rack; nodes are in those that the plan computes, which racks.csv lacks."""
    data = {**FAST, "cabling": {"power": {"leaf": 1.5}}}
    racks = "rack,row,position,kw\nN1,A,1,9\n"
    found = places(tmp_path, data, spots={LEAVES[0]: ("N1", 40)}, racks=racks)
    *_open, last = doubts(found.fabric)
    assert last.startswith(
        f"15 devices of a kind in cabling.power are in no rack of cabling.racks, first {LEAVES[1]}: "
    )
    assert last.endswith("no kw counts them: state their racks in devices.csv.")


def test_where_no_place_is_stated_nothing_is_said():
    assert list(doubts(example("lab"))) == []


def test_a_whole_plant_has_no_doubts():
    assert list(doubts(example("brownfield-256"))) == []
