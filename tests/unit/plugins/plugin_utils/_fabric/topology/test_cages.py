# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cages and the ports they break out into."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cages import (
    Block,
    gbps,
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


@pytest.mark.parametrize("text", ["eth0", "swp0", "swp1s8", "swp1s", "swp1000", "xswp1"])
def test_other_names_are_no_ports(text):
    assert parse(text) is None
