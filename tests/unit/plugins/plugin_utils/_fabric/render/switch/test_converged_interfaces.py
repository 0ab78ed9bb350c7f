# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports and bonds of converged switches."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import get

from . import converged_fabric as made


def interfaces(load, switch, **more):
    return compose.render(made.context(load, switch, **more), ["interfaces"])


def test_a_bond_of_a_node(load):
    """LACP with bypass for PXE, the MTU of hosts, and one Ethernet segment."""
    doc = interfaces(load, made.FRONT)["interface"]
    assert doc["bond1"] == {
        "type": "bond",
        "description": "worker-su01-rack01-h01",
        "bond": {"member": {"swp1s0": {}}, "mode": "lacp", "lacp-bypass": "enabled"},
        "link": {"mtu": 9166},
        "evpn": {
            "multihoming": {
                "segment": {
                    "state": "enabled",
                    "local-id": 1,
                    "mac-address": "44:38:39:ff:02:00",
                    "df-preference": 32767,
                }
            }
        },
    }
    assert doc["swp1s0"] == {
        "type": "swp",
        "description": "worker-su01-rack01-h01 front1",
        "link": {"mtu": 9166},
    }


def test_only_the_front_end_passes_traffic_without_lacp(load):
    doc = interfaces(load, made.STORAGE)["interface"]
    assert [name for name in doc if get(doc, (name, "bond", "lacp-bypass"))] == []
    assert doc["bond5001"]["description"] == "vast-1"


def test_leaves_of_a_pair_agree_on_segments_and_share_the_forwarding(load):
    """The same identifiers on both; each is preferred for every other segment."""
    one, other = (
        interfaces(load, made.FRONT._replace(index=member))["interface"] for member in (0, 1)
    )
    for name in ("bond1", "bond2", "bond3"):
        a, b = (dict(doc[name]["evpn"]["multihoming"]["segment"]) for doc in (one, other))
        assert {a.pop("df-preference"), b.pop("df-preference")} == {50000, 32767}
        assert a == b
    assert get(one, ("bond1", "evpn", "multihoming", "segment", "df-preference")) == 32767
    assert get(one, ("bond2", "evpn", "multihoming", "segment", "df-preference")) == 50000


@pytest.mark.parametrize("switch", made.ALL, ids=lambda switch: switch.role)
def test_uplinks_are_tracked_where_there_are_segments(load, switch):
    doc = interfaces(load, switch)["interface"]
    tracked = {name for name in doc if get(doc, (name, "evpn", "multihoming", "uplink"))}
    with_nodes = switch.role in ("front_end_leaf", "storage_leaf")
    assert tracked == ({"swp31s0", "swp31s1"} if with_nodes else set())


def test_mtu_by_kind(load):
    """Fabric links, hosts and arrays, and the outside."""
    border, storage = (
        interfaces(load, switch)["interface"] for switch in (made.BORDER, made.STORAGE)
    )
    assert border["swp31s0"]["link"]["mtu"] == 9216
    assert border["swp9"]["link"]["mtu"] == 1500
    assert storage["swp20s0"]["link"]["mtu"] == 9166
    assert border["swp9"]["description"] == "isp-a"
    assert border["swp10"]["description"] == "spare"


def test_cages_are_broken_out(load):
    doc = interfaces(load, made.BORDER)["interface"]
    assert doc["swp31"] == {"type": "swp", "link": {"breakout": {"2x": {}}}}
    assert "breakout" not in doc["swp9"]["link"]


@pytest.mark.parametrize("switch", made.ALL, ids=lambda switch: switch.role)
def test_the_bridge_and_the_gateways_mac_are_on_leaves(load, switch):
    doc = interfaces(load, switch)
    if switch == made.SPINE:
        assert set(doc) == {"interface"}
        return
    assert doc["bridge"] == {"domain": {"br_default": {"type": "vlan-aware"}}}
    assert doc["router"] == {"vrr": {"state": "enabled"}}
    assert doc["system"]["global"] == {
        "anycast-mac": "44:38:39:ff:00:ff",
        "fabric-mac": "44:38:39:ff:00:ff",
        "reserved": {"vlan": {"internal": {"range": "2-10"}}},
    }


def test_a_link_between_switches_that_is_numbered(load):
    def numbered(slice_):
        slice_["ports"][-1] |= {"address": "100.64.0.1", "length": 31}

    doc = interfaces(load, made.FRONT, change=numbered)["interface"]
    assert doc["swp31s1"]["ipv4"] == {"address": {"100.64.0.1/31": {}}}
    assert doc["swp31s1"]["link"] == {"mtu": 9216, "state": {"up": {}}}
