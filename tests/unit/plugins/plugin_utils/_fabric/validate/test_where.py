# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A choice of places means devices, with the leaves that chosen nodes meet."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import where

LEAVES_1 = {"leaf-p1-su001-r1", "leaf-p1-su001-r2"}


@pytest.mark.parametrize(
    "text, switches, nodes",
    [
        ("spine-p1-s01", {"spine-p1-s01"}, 0),
        ("worker-su01-rack01-h01", LEAVES_1, 1),
        ("su01/h02", LEAVES_1, 1),
        ("su01", LEAVES_1, 3),
        ("pod01", LEAVES_1 | {"leaf-p1-su002-r1", "leaf-p1-su002-r2"}, 6),
    ],
)
def test_devices(healthy, text, switches, nodes):
    found = where.devices(healthy().ctx.fabric, text)
    assert {name for name in found if not name.startswith("worker")} == switches
    assert len(found - switches) == nodes


def test_what_is_nothing_is_refused(healthy):
    with pytest.raises(FabricError, match="'moon' is no device, place or tenant"):
        where.devices(healthy().ctx.fabric, "moon")
