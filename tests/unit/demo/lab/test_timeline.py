# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import array

import pytest
from lab.echo import Probe
from lab.timeline import ANSWERED, LATE, LOST, Flow, timeline, unwrap, verdict


@pytest.mark.parametrize(
    "sequence, sent, expected",
    [
        (0, 1, 0),
        (5, 6, 5),
        (6, 6, None),
        (1, 65540, 65537),
        (65535, 65540, 65535),
        (9, 65540, 9),
    ],
)
def test_unwrap(sequence, sent, expected):
    assert unwrap(sequence, sent) == expected


@pytest.mark.parametrize("seconds, state", [(0.01, ANSWERED), (0.5, LATE), (1.5, LOST)])
def test_verdict(seconds, state):
    assert verdict(seconds) == state


def flow(states, expect="reached"):
    return Flow(Probe("p", "host-1", "10.0.0.1", expect=expect), bytearray(states))


def times(count):
    return array.array("d", [n / 100 for n in range(count)])


def test_a_gap_lies_between_two_answers():
    row = timeline(flow([1, 1, 0, 2, 1]), times(5))
    assert row["gaps"] == [{"from": 0.01, "to": 0.04, "seconds": 0.03, "lost": 1, "late": 1}]
    assert (row["sent"], row["received"], row["lost"], row["late"]) == (5, 4, 1, 1)
    assert row["runs"] == [[1, 2], [0, 1], [2, 1], [1, 1]]
    assert not row["ok"]


@pytest.mark.parametrize(
    "states, first, last",
    [([0, 1], None, 0.01), ([1, 0], 0.0, None), ([0, 0], None, None)],
)
def test_a_gap_at_an_end(states, first, last):
    (gap,) = timeline(flow(states), times(2))["gaps"]
    assert (gap["from"], gap["to"]) == (first, last)


@pytest.mark.parametrize(
    "states, expect, ok",
    [
        ([1, 1], "reached", True),
        ([1, 2], "reached", True),
        ([1, 0], "reached", False),
        ([0, 0], "silent", True),
        ([0, 2], "silent", False),
    ],
)
def test_what_counts(states, expect, ok):
    assert timeline(flow(states, expect), times(2))["ok"] is ok
