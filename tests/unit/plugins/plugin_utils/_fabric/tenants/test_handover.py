# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts for a tenant's administrators on the first day."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.handover import (
    handover,
    nccl,
)

from ..fabrics import BY_RAIL, TWO_PLANES, build
from .tenants import TENANTS


def test_a_tenant_gets_its_nodes_with_every_port(lab, registry):
    found = handover(lab, registry(TENANTS), "acme")
    assert found["tenant"] == {"id": 21, "slug": "acme", "host_access": "none"}
    assert [node["name"] for node in found["nodes"]] == [
        "worker-su01-rack01-h01",
        "worker-su02-rack01-h01",
    ]
    port = found["nodes"][0]["ports"][0]
    assert (port["port"], port["rail"], port["address"]) == ("rail1p1", 0, "172.16.0.0")
    assert found["nccl"]["path_mtu"] == 9166
    assert list(found["wipe"]) == ["nic_elsewhere"]


def test_how_the_site_wipes_is_told(load, registry):
    fabric = load(wipe={"elsewhere": "the image server"})
    found = handover(fabric, registry(TENANTS, fabric), "globex")
    assert found["wipe"]["elsewhere"] == "the image server"


def test_facts_for_a_collective_library_follow_from_the_planes():
    one, split, rails = build(), build(planes=TWO_PLANES), build(planes=BY_RAIL)
    assert nccl(one, mtu=1)["plane_mode"] == "none"
    assert nccl(split, mtu=1)["plane_mode"] == "split"
    assert len(nccl(split, mtu=1)["interfaces"]) == 2 * len(nccl(one, mtu=1)["interfaces"])
    assert [nccl(f, mtu=1)["cross_rail"] for f in (one, split, rails)] == [True, True, False]
