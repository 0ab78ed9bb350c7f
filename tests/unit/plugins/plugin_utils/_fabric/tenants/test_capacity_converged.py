# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of VRFs of the leaves of the converged fabric."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    capacity_converged,
)

from .converged_lab import laboratory
from .rows import refused


def tenants(count, networks, more=""):
    rows = (
        f"  - {{id: {16 + n}, slug: n{n}, networks: [{networks}]{more}}}\n" for n in range(count)
    )
    return "tenants:\n" + "".join(rows)


@pytest.fixture
def held(registry):
    """Return a function from a text to the registry over the converged laboratory."""
    return lambda text, **more: registry(text, laboratory(**more))


@pytest.mark.parametrize("mode", ["per-tenant", "shared"])
def test_every_tenant_with_storage_has_a_vrf_where_arrays_are(held, mode):
    """One is the service's; 65 VLANs are reserved for L3VNIs, and 94 can be."""
    more = {"storage": {"mode": mode}}
    assert held(tenants(64, "storage"), **more)
    assert refused(held, tenants(65, "storage"), **more) == [
        "tenants.yml line 1, tenants: the leaves storage-leaf-001 would hold 66 VRFs, and they have room for 65 (a "
        "VLAN for each L3VNI, and 255 VRFs at most): raise vrfs_per_leaf, or take storage off the networks of some "
        "tenants, "
        "or cable arrays to other pairs and spread them."
    ]
    assert held("vrfs_per_leaf: 94\n" + tenants(65, "storage"), **more)


def test_every_session_has_a_vrf_on_its_pair(held):
    peer = ", external_peers: [{name: a, link: isp-a, asn: 64496}]"
    assert held(tenants(65, "front-end", peer))
    (said,) = refused(held, tenants(66, "front-end", peer))
    assert "the leaves border-leaf-01 would hold 66 VRFs" in said
    assert said.endswith("raise vrfs_per_leaf, or spread the sessions over other pairs.")


def test_nodes_of_a_pair_bring_their_owners(held):
    """Check that a node without a right to storage has its port in quarantine there."""
    found = held("tenants: [{id: 21, slug: acme, nodes: [su01/h01], networks: [front-end]}]")
    assert capacity_converged.held(found) == {
        ("front_end_leaf", 0): {"t1-quarantine", "t21-acme"},
        ("storage_leaf", 0): {"s1-quarantine", "s4-storage"},
    }


def test_a_core_has_the_vrfs_of_all_networks(held):
    """Two of each tenant, with quarantine and the service's: a VLAN for each of their L3VNIs."""
    peer = ", external_peers: [{name: a, link: isp-a, asn: 64496}]"
    assert held(tenants(32, "front-end, storage", peer), core=True)
    (said,) = refused(held, tenants(33, "front-end, storage", peer), core=True)
    assert "the leaves converged-core would hold 67 VRFs, and they have room for 65" in said
    assert said.endswith("or use leaves below spines (no networks.core).")


def test_without_a_converged_fabric_nothing_is_counted(registry):
    assert registry(tenants(300, "storage"))
