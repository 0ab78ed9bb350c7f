# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holdings of owners."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import prefixes

TWO = (
    "tenants:\n"
    "  - {id: 21, slug: acme, nodes: ['*/h01']}\n"
    "  - {id: 22, slug: globex, nodes: [su02/h02]}\n"
)


@pytest.mark.parametrize(
    "text, slug",
    [
        ("worker-su01-rack01-h01", "acme"),
        ("su01/h01", "acme"),
        ("leaf-p1-su001-r1:swp1s0", "acme"),
        ("worker-su01-rack01-h01:rail2p1", "acme"),
        ("172.16.1.2", "globex"),
        ("172.16.1.3", "globex"),
        ("su01/h02", "quarantine"),
    ],
)
def test_tenant_of(lab, registry, text, slug):
    """A node, a place, a port at either end and either address say the same."""
    (row,) = prefixes.tenant_of(lab, registry(TWO), text)
    assert row["slug"] == slug


def test_tenant_of_a_spine(lab, registry):
    """A switch is nobody's."""
    with pytest.raises(NotInFabric, match="so it has no tenant"):
        prefixes.tenant_of(lab, registry(TWO), "spine-p1-s01")
