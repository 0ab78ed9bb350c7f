# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DHCP relay and VRR in the spelling of an older release, and back."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import (
    dialect,
    dialect_gateways,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import get
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError

RELAY = {
    "server-group": {
        "default": {
            "server": {"192.0.2.67": {}},
            "upstream-interface": {"vlan4020_l3": {}, "swp51": {}},
        }
    },
    "downstream-interface": {"vlan21": {"server-group-name": "default"}},
    "source-ip": "giaddress",
}
SVI = {
    "type": "svi",
    "vlan": 21,
    "vrf": "RED",
    "ipv4": {
        "address": {"10.0.0.2/24": {}},
        "vrr": {
            "address": {"10.0.0.1/24": {}},
            "state": "enabled",
            "vrr-state": {"up": {}},
            "mac-address": "44:38:39:ff:00:ff",
        },
    },
}
NEUTRAL = {"interface": {"vlan21": SVI}, "service": {"dhcp-relay": {"RED": RELAY}}}


def test_before_5_14_a_relay_has_servers_and_interfaces():
    old = dialect.to_release(NEUTRAL, parse("5.13.0"))
    assert old["service"]["dhcp-relay"]["RED"] == {
        "interface": {"vlan21": {}, "vlan4020_l3": {}, "swp51": {}},
        "server": {"192.0.2.67": {}},
        "source-ip": "giaddress",
    }


def test_before_5_15_vrr_is_below_ip_and_its_state_is_the_word_enable():
    old = dialect.to_release(NEUTRAL, parse("5.14.0"))
    assert old["interface"]["vlan21"] == {
        "type": "svi",
        "vlan": 21,
        "ip": {
            "vrf": "RED",
            "address": {"10.0.0.2/24": {}},
            "vrr": {
                "address": {"10.0.0.1/24": {}},
                "enable": "on",
                "state": {"up": {}},
                "mac-address": "44:38:39:ff:00:ff",
            },
        },
    }
    assert old["service"]["dhcp-relay"]["RED"] == RELAY


@pytest.mark.parametrize("release", ["5.9.0", "5.13.0", "5.14.0", "5.15.0", "5.18.0"])
def test_there_and_back_nothing_is_lost(release):
    before = copy.deepcopy(NEUTRAL)
    assert (
        dialect.from_release(dialect.to_release(NEUTRAL, parse(release)), parse(release)) == before
    )
    assert before == NEUTRAL


def test_vrr_of_both_families():
    doc = copy.deepcopy(NEUTRAL)
    vrr = {"address": {"2001:db8::1/64": {}}, "state": "enabled", "vrr-state": {"up": {}}}
    del doc["interface"]["vlan21"]["ipv4"]["vrr"]["mac-address"]
    doc["interface"]["vlan21"]["ipv6"] = {"address": {"2001:db8::2/64": {}}, "vrr": vrr}
    assert dialect.from_release(dialect.to_release(doc, parse("5.12.0")), parse("5.12.0")) == doc


def test_vrr_without_an_address_is_ipv4s():
    doc = {"interface": {"vlan21": {"ip": {"vrr": {"enable": "off"}}}}}
    found = dialect.from_release(doc, parse("5.12.0"))
    assert get(found, ("interface", "vlan21", "ipv4", "vrr")) == {"state": "disabled"}


def test_several_groups_have_no_old_spelling():
    doc = copy.deepcopy({"service": {"dhcp-relay": {"RED": RELAY}}})
    doc["service"]["dhcp-relay"]["RED"]["server-group"]["b"] = {}
    with pytest.raises(RefusedError, match="has the members b, default"):
        dialect_gateways.relays_to_old(doc, parse("5.13.0"))


def test_a_relay_without_servers_is_kept():
    doc = {"service": {"dhcp-relay": {"RED": {"source-ip": "auto"}}}}
    before = copy.deepcopy(doc)
    dialect_gateways.relays_to_old(doc, parse("5.13.0"))
    assert doc == before
    dialect_gateways.relays_to_new(doc)
    assert doc == before
