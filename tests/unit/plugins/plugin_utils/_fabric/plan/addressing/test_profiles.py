# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layout of a profile for host links, and the reasons that it does not fit."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import (
    profiles,
)

from ...fabrics import BY_RAIL, TWO_PLANES, build


@pytest.mark.parametrize("count, bits", [(1, 0), (2, 1), (8, 3), (9, 4)])
def test_bits_for_a_count(count, bits):
    assert profiles.bits_for(count) == bits


@pytest.mark.parametrize(
    "planes, carried",
    [
        ({}, False),
        (TWO_PLANES, True),
        ({**TWO_PLANES, "balancing": "hwplb"}, False),
        (BY_RAIL, False),
    ],
)
def test_the_plane_is_in_an_address_only_where_software_balances_planes(planes, carried):
    fabric = build(planes=planes)
    assert profiles.carries_plane(fabric.description) is carried
    needed = profiles.needs(fabric.clos, fabric.description)
    assert needed["plane"] == (2 if carried else 1)
    assert (needed["rail"], needed["su"], needed["slot"]) == (8, 4, 64)


def test_an_unknown_profile_is_refused_with_the_nearest():
    with pytest.raises(FabricError, match="'octet' is not a profile, did you mean 'octet-v4'"):
        build(addressing={"profile": "octet"})


def test_a_layout_says_for_how_many_tiers_it_is():
    two, three = build(), build(tiers=3, capacity={"pods": 2})
    layout = profiles.link_layout(two.description, two.clos)
    assert profiles.misfits(layout, two.description, two.clos, "octet-v4") == []
    (reason,) = profiles.misfits(layout, two.description, three.clos, "nvidia-guide-v4-2tier")
    assert reason.startswith("nvidia-guide-v4-2tier is for 2 tiers, and tiers is 3")
