# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fabric's first plane as a picture."""

from __future__ import annotations

import re

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.pictures_topology import (
    draw,
    spread,
)

from ..fabrics import example


@pytest.mark.parametrize("count, most", [(1, 1e9), (4, 1e9), (4, 10)])
def test_spots_are_in_the_middle_of_equal_shares(count, most):
    spots = spread(count, 100, 200, most=most, gap=4)
    assert [spot.middle for spot in spots] == pytest.approx(
        [100 + 200 / count * (n + 0.5) for n in range(count)]
    )
    assert [spot.width for spot in spots] == pytest.approx([min(200 / count - 4, most)] * count)


def shapes(name):
    return "".join(draw(example(name)).lines())


@pytest.mark.parametrize(
    "name, words",
    [
        ("h200-2048", ["SU 2", "SU 4", "512 × 400G", "h64", "r8"]),
        ("multiplane-16384", ["SU 2", "SU 64", "58 more", "32 × 400G", "h32"]),
        ("max-524288", ["SU 8", "pod 2", "pod 128", "125 more", "4,096 × 400G", "512 nodes"]),
    ],
)
def test_one_su_is_drawn_and_the_others_are_bundles(name, words):
    text = shapes(name)
    assert [word for word in words if f">{word}<" not in text] == []
    assert len(re.findall(r">h[0-9]+<", text)) == example(name).clos.slots
    assert text.count('class="bundle"') > 2


def test_a_small_fabric_has_no_bundles_of_sus():
    assert "a bundle of cables" not in shapes("lab")


def test_three_tiers_have_super_spines():
    two, three = ("".join(draw(example(name)).lines()) for name in ("lab", "lab-3tier"))
    assert "super-spine" in three
    assert "super-spine" not in two
