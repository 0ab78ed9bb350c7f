# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""VLANs of converged leaves."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    converged_segments,
)

from . import converged_fabric as made


def document(load, switch, **more):
    ctx = made.context(load, switch, **more)
    return converged_segments.segments(ctx, ctx.networks)


def test_a_vlan_with_its_l2vni_and_explicit_route_targets(load):
    doc = document(load, made.FRONT)
    assert doc["bridge"]["domain"]["br_default"]["vlan"] == {
        "11": {"vni": {"4300001": {}}},
        "21": {"vni": {"4300021": {}}},
    }
    target = {"64512:4300021": {}}
    assert doc["evpn"]["vni"]["4300021"] == {"route-target": {"export": target, "import": target}}


def test_an_svi_has_an_own_address_and_the_gateway(load):
    doc = document(load, made.FRONT)
    assert doc["interface"]["vlan21"] == {
        "type": "svi",
        "vlan": 21,
        "vrf": "t21-acme",
        "link": {"mtu": 9166},
        "ipv4": {
            "address": {"10.208.15.254/23": {}},
            "vrr": {
                "address": {"10.208.14.1/23": {}},
                "state": "enabled",
                "vrr-state": {"up": {}},
            },
        },
    }


def test_access_and_trunk(load):
    """A node's bond is an access port; an array's carries tagged VLANs only."""
    edge = {"stp": {"admin-edge": "enabled", "bpdu-guard": "enabled"}}
    ports = document(load, made.STORAGE)["interface"]
    domain = {name: ports[name]["bridge"]["domain"]["br_default"] for name in ("bond1", "bond5001")}
    assert domain["bond1"] == {"access": 2021, **edge}
    assert domain["bond5001"] == {"vlan": {"2021": {}, "2022": {}}, "untagged": "none", **edge}
    assert ports["swp21s0"]["bridge"]["domain"]["br_default"]["vlan"] == {"2021": {}}


def test_storage_on_the_front_end_bond_is_tagged_beside_the_front_end(load):
    rows = made.front_vrfs() + made.storage_vrfs()[:1]
    rows[-1]["segments"][0]["ports"] = [
        {"bond": "bond1", "tagged": True, "node": "h01", "up": True}
    ]
    ports = document(load, made.FRONT, networks=rows)["interface"]
    assert ports["bond1"]["bridge"]["domain"]["br_default"] == {
        "vlan": {"21": {}, "2021": {}},
        "untagged": 21,
        "stp": {"admin-edge": "enabled", "bpdu-guard": "enabled"},
    }


def test_a_port_that_is_not_up_is_in_no_vlan(load):
    rows = made.front_vrfs()
    rows[1]["segments"][0]["ports"][0]["up"] = False
    assert "bond1" not in document(load, made.FRONT, networks=rows)["interface"]


def test_dhcp_requests_go_to_the_servers_in_the_same_vrf(load):
    doc = document(load, made.FRONT)["service"]["dhcp-relay"]
    assert doc["t21-acme"] == {
        "server-group": {
            "spx-relay": {
                "server": {"192.0.2.67": {}},
                "upstream-interface": {"vlan4020_l3": {}},
            }
        },
        "downstream-interface": {"vlan21": {"server-group-name": "spx-relay"}},
        "source-ip": "giaddress",
    }
    assert set(doc) == {"t1-quarantine", "t21-acme"}


def test_on_a_core_the_servers_may_be_behind_its_own_session(load):
    """A relay takes answers from upstream interfaces alone, and the session of a core is on the same switch."""
    doc = document(load, made.CORE)["service"]["dhcp-relay"]
    upstream = doc["t21-acme"]["server-group"]["spx-relay"]["upstream-interface"]
    assert upstream == {"vlan4020_l3": {}, "swp9.3021": {}}


def test_a_vrf_without_l3vni_is_refused(load):
    rows = made.front_vrfs()
    rows[1]["l3vni"] = 0
    with pytest.raises(FabricError) as caught:
        document(load, made.FRONT, networks=rows)
    assert "the VRF t21-acme has VLANs and no L3VNI, which is asymmetric routing" in str(
        caught.value
    )
