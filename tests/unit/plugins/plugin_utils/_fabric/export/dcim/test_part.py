# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a fabric."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.part import (
    WHOLE,
    Part,
    parts,
    place_of,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

POD = Part(pods=(1,), top=False)
SU = Part(pods=(0,), sus=(0,), top=False)
TOP = Part(pods=())


@pytest.mark.parametrize(
    "part, key, inside",
    [
        (WHOLE, "lab-3tier/t2-rest", True),
        (WHOLE, "other/t2-rest", False),
        (TOP, "lab-3tier/t2-rest", True),
        (TOP, "lab-3tier/super-spine-p1-g01-s01/swp1", True),
        (TOP, "lab-3tier/spine-p1-pod01-s01", False),
        (POD, "lab-3tier/t2-rest", False),
        (POD, "lab-3tier/super-spine-p1-g01-s01/swp1", False),
        (POD, "lab-3tier/spine-p1-pod02-s01/swp1", True),
        (POD, "lab-3tier/spine-p1-pod01-s01/swp1", False),
        (POD, "lab-3tier/worker-pod02-su01-rack01-h01", True),
        (SU, "lab-3tier/leaf-p1-pod01-su001-r1/swp1s0", True),
        (SU, "lab-3tier/spine-p1-pod01-s01", False),
    ],
)
def test_what_a_part_holds(part, key, inside):
    assert part.holds(example("lab-3tier"), key) is inside


@pytest.mark.parametrize("name", ["lab", "lab-3tier", "h200-2048"])
def test_parts_have_every_device_once(name):
    fabric = example(name)
    found = [device for part in parts(fabric) for device in part.devices(fabric)]
    assert len(set(found)) == len(found)
    assert set(found) == set(fabric.devices())


def test_the_place_in_a_key():
    assert place_of("lab/leaf-p1-su001-r1/swp1s0") == "leaf-p1-su001-r1"
    assert place_of("lab/t2-rest") == "t2-rest"
