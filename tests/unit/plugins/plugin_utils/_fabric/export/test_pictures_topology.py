# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fabric's first plane as a picture."""

from __future__ import annotations

import itertools

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.pictures_topology import (
    draw,
    spread,
)

from ..fabrics import example


@pytest.mark.parametrize("count, most", [(1, 1e9), (4, 1e9), (4, 10)])
def test_spots_are_centred_equal_and_apart(count, most):
    spots = spread([*range(count)], 100, 200, most=most, gap=4)
    widths = {round(spot.width, 6) for spot in spots}
    assert len(widths) == 1
    assert max(widths) <= most
    middle = (spots[0].x + spots[-1].x + spots[-1].width) / 2
    assert middle == pytest.approx(200)
    for one, two in itertools.pairwise(spots):
        assert two.x - one.x - one.width == pytest.approx(4)


def test_three_tiers_have_super_spines():
    two, three = ("".join(draw(example(name)).lines()) for name in ("lab", "lab-3tier"))
    assert "super-spine" in three
    assert "super-spine" not in two
