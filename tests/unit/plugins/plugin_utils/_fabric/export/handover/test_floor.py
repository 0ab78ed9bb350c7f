# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of devices, and lengths of cables."""

from __future__ import annotations

import itertools

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.floor import (
    Floor,
    Spot,
)

from .reading import FAST, brownfield, places


@pytest.fixture
def floor(tmp_path):
    """Rows A and B, racks of 40 units."""
    racks = "rack,row,position,units\nA1,A,1,40\nA4,A,4,40\nB1,B,1,\n"
    return places(tmp_path, {**FAST}, spots={"su01/h01": ("A1", 4)}, racks=racks).floor


@pytest.mark.parametrize(
    "one, two, metres",
    [
        (Spot("A1", 10), Spot("A1", 20), 10 * 0.04445 + 1),
        (Spot("A1", 40), Spot("A4", 40), 3 * 0.6 + 2 * 0.5 + 1),
        (Spot("A1", 30), Spot("B1", 48), 10 * 0.04445 + 3 + 2 * 0.5 + 1),
        (Spot("X", 1), Spot("X", 3), 2 * 0.04445 + 1),
        (Spot("A1", 0), Spot("A1", 20), None),
        (Spot("A1", 1), Spot("X", 3), None),
        (Spot("", 1), Spot("", 1), None),
    ],
)
def test_a_way(floor, one, two, metres):
    assert floor.route(one, two) == (metres if metres is None else pytest.approx(metres))
    assert floor.route(two, one) == floor.route(one, two)


def test_the_site_states_its_own_terms(tmp_path):
    stated = {"rack_pitch": 1.0, "slack": 0.0, "tray": 0.0, "rack_units": 10, "row_pitch": 2.0}
    racks = "rack,row,position\nA1,A,1\nB3,B,3\n"
    spots = {"su01/h01": ("A1", 10), "su01/h02": ("B3", 10)}
    floor = places(tmp_path, {**FAST, "cabling": stated}, spots=spots, racks=racks).floor
    assert floor.route(Spot("A1", 10), Spot("B3", 10)) == pytest.approx(2 * 1.0 + 2.0)


def test_a_unit_is_read_from_a_site_s_words(tmp_path):
    spots = {"su01/h01": ("A1", "U12"), "su01/h02": ("A1", "7.5"), "su01/h03": ("A1", "")}
    cables = places(tmp_path, {**FAST}, spots=spots, racks="rack,row,position\nA1,A,1\n")
    nodes = list(cables.fabric.nodes())[:4]
    assert [cables.floor.spot(node) for node in nodes] == [
        Spot("A1", 12),
        Spot("A1", 7),
        Spot("A1", 0),
        Spot("su01-rack01", 0),
    ]


def test_the_longest_way_is_that_of_the_farthest_pair():
    cables = brownfield()
    leaves = [s for s in cables.fabric.switches() if s.role == "leaf"]
    nodes = list(cables.fabric.nodes())
    floor = cables.floor
    pairs = itertools.product(map(floor.spot, leaves), map(floor.spot, nodes))
    assert floor.longest(leaves, nodes) == pytest.approx(max(floor.route(a, b) for a, b in pairs))
    assert Floor(cables.fabric).longest([], nodes) is None


def test_heights_are_stated_or_not_known(floor):
    assert floor.height(next(iter(floor._fabric.nodes()))) == 0
    own = brownfield()
    assert [
        own.floor.height(d) for d in (next(own.fabric.nodes()), next(own.fabric.switches()))
    ] == [8, 2]
