# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cages and the ports they break out into."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cages import (
    Block,
    gbps,
    joined,
    parse,
)


def test_a_speed_is_a_number():
    assert [gbps(text) for text in ("200G", "400G", "800G")] == [200, 400, 800]


@pytest.mark.parametrize(
    "breakout, names", [(1, ["swp3", "swp4"]), (2, ["swp3s0", "swp3s1"]), (4, ["swp3s0", "swp3s1"])]
)
def test_ports_are_named_by_cage_and_part(breakout, names):
    assert [Block(3, breakout, 6).name(n) for n in (0, 1)] == names


@pytest.mark.parametrize("breakout, cages", [(1, 5), (2, 3), (4, 2)])
def test_whole_cages_are_counted(breakout, cages):
    assert Block(1, breakout, 5).cages == cages


@pytest.mark.parametrize("breakout", [1, 2, 4])
def test_names_lead_back(breakout):
    block = Block(3, breakout, 7)
    assert [block.index(*parse(block.name(n))) for n in range(7)] == list(range(7))
    assert block.index(*parse(block.name(7))) is None
    assert block.index(2, None if breakout == 1 else 0) is None
    assert block.index(3, 0 if breakout == 1 else None) is None
    assert block.index(3, breakout) is None


def test_ports_of_two_speeds_have_cages_of_their_own():
    """Five ports of two a cage, then six of four a cage: 3 + 2 cages, and every name leads back."""
    block = joined(Block(3, 2, 5), Block(6, 4, 6))
    names = [block.name(n) for n in range(11)]
    assert names[:5] == ["swp3s0", "swp3s1", "swp4s0", "swp4s1", "swp5s0"]
    assert names[5:] == ["swp6s0", "swp6s1", "swp6s2", "swp6s3", "swp7s0", "swp7s1"]
    assert [block.index(*parse(name)) for name in names] == list(range(11))
    assert block.index(*parse("swp5s1")) is block.index(*parse("swp7s2")) is None
    assert (block.cages, block.count) == (5, 11)
    assert [block.breakout_of(n) for n in (4, 5)] == [2, 4]


@pytest.mark.parametrize("text", ["eth0", "swp0", "swp1s8", "swp1s", "swp1000", "xswp1"])
def test_other_names_are_no_ports(text):
    assert parse(text) is None
