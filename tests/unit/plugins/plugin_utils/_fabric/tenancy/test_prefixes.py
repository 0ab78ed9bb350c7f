# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prefix sets of tenants and services."""

from __future__ import annotations

import ipaddress

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import (
    prefixes,
)


def test_prefix_sets(lab, registry):
    """One row for each plane and rail; neighbours collapse."""
    found = registry("tenants: [{id: 21, slug: acme, nodes: ['su01/[01-02]']}]")
    assert prefixes.tenant_prefixes(lab, found, "acme") == [
        {"network": "east-west", "plane": 0, "rail": 0, "prefixes": ["172.16.0.0/30"]},
        {"network": "east-west", "plane": 0, "rail": 1, "prefixes": ["172.18.0.0/30"]},
    ]


def test_prefix_sets_of_networks(lab, registry):
    """The storage and front-end networks have blocks of their own."""
    found = registry(
        "tenants: [{id: 21, slug: acme, nodes: [su01/h01], networks: [storage, front-end]}]"
    )
    rows = prefixes.tenant_prefixes(lab, found, "acme")
    assert [row["network"] for row in rows] == ["front-end", "storage"]
    assert rows[0]["prefixes"] != rows[1]["prefixes"]


def test_prefix_sets_over_ipv6(load, registry):
    """IPv6 profiles collapse likewise."""
    fabric = load(addressing={"profile": "nvidia-guide-v6"})
    found = registry("tenants: [{id: 21, slug: acme, nodes: ['su01/[01-02]']}]", fabric)
    (first, *_others) = prefixes.tenant_prefixes(fabric, found, "acme")
    assert all(ipaddress.ip_network(prefix).version == 6 for prefix in first["prefixes"])
