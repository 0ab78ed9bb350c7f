# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tenant of a node: by the lists of the registry, and by the record of its move."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import schema
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.steps import STEPS

from .rows import ACME


def test_holdings(registry):
    """Lists, groups, and quarantine for whoever is named nowhere."""
    found = registry(ACME + "rest: [{nodes: [su01/h02], acceptance: burn-in}]")
    assert found.holding(Node(0, 0, 0)).slug == "acme"
    assert (found.holding(Node(0, 0, 1)).slug, found.holding(Node(0, 0, 1)).group) == (
        "rest",
        "burn-in",
    )
    assert found.holding(Node(0, 0, 2)).slug == "quarantine"
    assert found.group("burn-in") == [Node(0, 0, 1)]


@pytest.mark.parametrize("step", schema.STEPS)
def test_a_moving_record_stands_for_the_place(registry, step):
    """Every step has a place of the node: one VRF, ports up or not."""
    text = ACME + f"moving: {{su01/h01: {{from: acme, to: globex, step: {step}}}}}"
    holding = registry(text).holding(Node(0, 0, 0))
    whose, up = STEPS[step].place
    assert holding.slug == {"from": "acme", "to": "globex"}.get(whose, whose)
    assert holding.up is up


def test_groups(registry):
    """Inventory groups hold node names; quarantine has none."""
    assert registry(ACME + "rest: [{nodes: [su01/h02], acceptance: a}]").groups() == {
        "spx_tenant_rest": ["worker-su01-rack01-h02"],
        "spx_tenant_acme": ["worker-su01-rack01-h01"],
        "spx_tenant_globex": [],
    }
