# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tenants of nodes, and nodes that move."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    atlas_data,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)


def test_holders_and_moves() -> None:
    fabric = example("lab")
    text = """
tenants:
  - {id: 21, slug: acme, nodes: ["su01/h01"]}
moving:
  su02/h03: {from: acme, to: rest, step: wipe}
"""
    registry = Registry.parse(fabric, text)
    content = atlas_data.Content(fabric, registry, {}).whole()
    slugs = [owner["slug"] for owner in content["owners"]]
    runs = [(count, slugs[code] if code >= 0 else None) for count, code in content["holders"]]
    assert runs == [(1, "acme"), (2, "quarantine"), (1, None), (3, "quarantine"), (1, None)]
    assert content["moving"] == {"6": "acme to rest, step wipe"}
    assert registry.holding(Node(1 - 1, 1, 2)).slug == "quarantine"
    colours = {owner["slug"]: owner["colour"] for owner in content["owners"]}
    assert (colours["acme"], colours["quarantine"], colours["storage"]) == (0, None, None)
