# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inventory groups of tenants."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import (
    groups,
)

from .rows import ACME


def test_groups(lab, tmp_path):
    """Inventory groups hold node names; quarantine has none."""
    path = tmp_path / "t.yml"
    path.write_text(ACME + "rest: [{nodes: [su01/h02], acceptance: a}]")
    assert groups.of_registry(lab, str(path)) == {
        "spx_tenant_rest": ["worker-su01-rack01-h02"],
        "spx_tenant_acme": ["worker-su01-rack01-h01"],
        "spx_tenant_globex": [],
    }
