# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a tenant is handed over."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import (
    handover,
)

from .tenants import TENANTS


def test_handover(lab, registry):
    """Nodes with addresses and gateways, VRFs of each network, prefix sets, facts for NCCL."""
    made = handover.handover(lab, registry(TENANTS), "acme")
    assert [vrf["l3vni"] for vrf in made["vrfs"]] == [4_000_021, 4_200_021]
    assert made["nodes"][0]["ports"][0] == {
        "port": "rail1p1",
        "rail": 0,
        "plane": 0,
        "address": "172.16.0.0",
        "gateway": "172.16.0.1",
    }
    assert made["nccl"]["path_mtu"] == 9166
    assert made["nccl"]["cross_rail"]
    assert made["nccl"]["versions"] == {"ra": "2.1.2", "nccl": ["2.29.2"], "hpcx": ["2.26"]}
