# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ids of things in Nautobot."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.ids import (
    link_id,
    new_id,
)


def test_ids_are_the_same_for_ever() -> None:
    """A DCIM has them: with others, a push would take its own things for those of somebody else."""
    assert new_id("device", "lab/leaf-1") == "faaf9b54-5838-59a6-9aa3-07eba7d35e04"
    assert new_id("interface", "lab/leaf-1") != new_id("device", "lab/leaf-1")
    assert link_id("ipam/ip-address-to-interface", "one", "two") == (
        "58919422-4168-5148-937d-764549f78d3b"
    )
