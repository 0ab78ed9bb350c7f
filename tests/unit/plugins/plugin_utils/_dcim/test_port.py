# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that a scope reads as a whole."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    Ref,
)

from .example import SCOPE

LEAF, SPINE = Ref("device", "lab/leaf-1"), Ref("device", "lab/spine-1")


def test_a_part_owns_its_devices_and_not_those_beyond() -> None:
    part = SCOPE._replace(devices={LEAF.key: "leaf-1"}, beyond={SPINE.key: "spine-1"})
    assert [part.owns(each) for each in (LEAF, SPINE, None)] == [True, False, False]


def test_all_of_a_fabric_owns_every_device_that_is_known() -> None:
    assert [SCOPE.owns(each) for each in (LEAF, SPINE, None)] == [True, True, False]
