# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tenants as a picture."""

from __future__ import annotations

import re

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.pictures_tenants import (
    draw,
    holders,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

from ..fabrics import example

TEXT = "tenants: [{id: 21, slug: acme, nodes: ['su01/*']}]\nrest: [{nodes: [su02/h01]}]\n"


def test_each_slot_has_its_holder():
    fabric = example("lab")
    found = holders(fabric, Registry.parse(fabric, TEXT))
    assert found == {
        (0, 0): ["acme", "acme", "acme", "not built"],
        (0, 1): ["rest", "quarantine", "quarantine", "not built"],
    }


def test_the_legend_counts_every_holder():
    fabric = example("lab")
    text = "".join(draw(fabric, Registry.parse(fabric, TEXT)).lines())
    for word in ("acme", "rest", "quarantine", "not built: 2 nodes"):
        assert word in text


@pytest.mark.parametrize("name, nodes", [("b300-4096", 512), ("multiplane-16384", 0)])
def test_nodes_are_cells_up_to_512_and_shares_of_their_su_beyond(name, nodes):
    text = "".join(draw(example(name)).lines())
    assert len(re.findall(r">h[0-9]+<", text)) == nodes
