# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NTP, DNS, syslog and BFD in the spelling of an older release, and back."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import (
    dialect_services as services,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError

OLD = parse("5.12.0")
NEW_WORDS = {
    "system": {
        "ntp": {"state": "enabled", "vrf": "mgmt", "server": {"192.0.2.1": {}}},
        "dns": {"server": {"192.0.2.2": {"vrf": "mgmt"}}, "search": {"example": {}}},
        "syslog": {"server": {"192.0.2.3": {"vrf": "default", "port": 514}}},
    }
}
OLD_WORDS = {
    "service": {
        "ntp": {"mgmt": {"server": {"192.0.2.1": {}}}},
        "dns": {"mgmt": {"server": {"192.0.2.2": {}}, "search": {"example": {}}}},
        "syslog": {"default": {"server": {"192.0.2.3": {"port": 514}}}},
    }
}


def test_services_stand_below_their_vrf_in_an_older_release_and_come_back():
    doc = copy.deepcopy(NEW_WORDS)
    services.services_to_old(doc, OLD)
    assert doc == OLD_WORDS
    services.services_to_new(doc)
    assert doc == NEW_WORDS


@pytest.mark.parametrize(
    "system, words",
    [
        ({"ntp": {"state": "disabled"}}, "system/ntp/state cannot be disabled"),
        ({"dns": {"server": {"192.0.2.2": {"priority": 1}}}}, "192.0.2.2/priority has no spelling"),
        ({"syslog": {"format": {}}}, "system/syslog/format has no spelling"),
    ],
)
def test_what_an_older_release_cannot_say_is_refused(system, words):
    with pytest.raises(RefusedError, match=words):
        services.services_to_old({"system": system}, OLD)


def test_ntp_of_two_vrfs_stays_as_the_switch_spells_it():
    doc = {"service": {"ntp": {"mgmt": {}, "default": {}}}}
    before = copy.deepcopy(doc)
    services.services_to_new(doc)
    assert doc == before


def peer(bfd):
    return {"vrf": {"default": {"router": {"bgp": {"neighbor": {"swp1": {"bfd": bfd}}}}}}}


def test_a_bfd_profile_is_written_into_each_peer_and_is_a_profile_again():
    timers = {"detect-multiplier": 3, "min-rx-interval": 150}
    doc = {**peer({"profile": "fast"}), "router": {"bfd": {"profile": {"fast": timers}}}}
    services.bfd_to_old(doc, OLD)
    inline = doc["vrf"]["default"]["router"]["bgp"]["neighbor"]["swp1"]["bfd"]
    assert "router" not in doc
    assert inline["state"] == "enabled"
    assert timers.items() <= inline.items()
    services.bfd_to_new(doc)
    (name,) = doc["router"]["bfd"]["profile"]
    assert doc["vrf"]["default"]["router"]["bgp"]["neighbor"]["swp1"]["bfd"] == {"profile": name}
    assert timers.items() <= doc["router"]["bfd"]["profile"][name].items()


def test_a_bfd_profile_that_nobody_defined_is_refused():
    with pytest.raises(RefusedError, match="fast is used by a BGP peer but not defined"):
        services.bfd_to_old(peer({"profile": "fast"}), OLD)
