# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loopback of a switch, and the VXLAN source of a leaf."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch.compose import (
    context,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch.loopback import (
    loopback,
)


def addresses(fabric, name):
    return set(loopback(context(fabric, name))["interface"]["lo"]["ipv4"]["address"])


def test_a_leaf_has_two_addresses_and_a_spine_one(load):
    fabric = load()
    leaf, spine = fabric.slice("leaf-p1-su001-r1"), fabric.slice("spine-p1-s01")
    assert addresses(fabric, "leaf-p1-su001-r1") == {f"{leaf['loopback']}/32", f"{leaf['vtep']}/32"}
    assert addresses(fabric, "spine-p1-s01") == {f"{spine['loopback']}/32"}
