# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a node that are out of service."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.desired import (
    desired,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
)

PCI = [f"0000:{bus:02x}:00.0" for bus in range(0x18, 0x20)]


def of(fabric, **settings):
    name = fabric.name(next(fabric.nodes()))
    return desired(fabric, name, registry=Registry.empty(fabric), settings=settings)


def test_a_node_out_of_service_says_why():
    plain = build(nics={"pci": PCI})
    row = {
        "device": plain.name(next(plain.nodes())),
        "since": "2026-11-20",
        "reason": "mainboard ordered",
    }
    resting = build(nics={"pci": PCI}, out_of_service=[row])
    assert [of(fabric)["resting"] for fabric in (plain, resting)] == ["", "mainboard ordered"]
