# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The DHCP relays that a document asks for; tests/kernel has packets pass them."""

from __future__ import annotations

import pytest
from realiser import relay
from realiser.shell import CommandError

DOCUMENT = {
    "interface": {
        "vlan21": {"ipv4": {"address": {"10.1.0.250/23": {}}, "vrr": {"address": {"10.1.0.1/23": {}}}}}
    },
    "service": {
        "dhcp-relay": {
            "RED": {
                "server-group": {
                    "g": {"server": {"192.0.2.1": {}, "192.0.2.2": {}}, "upstream-interface": {"vlan4000_l3": {}}}
                },
                "downstream-interface": {"vlan21": {"server-group-name": "g"}},
            }
        }
    },
}  # fmt: skip


def test_a_relay_has_the_leafs_own_address_and_the_servers_of_its_vrf():
    words = ["--dhcp-relay=10.1.0.250,192.0.2.1", "--dhcp-relay=10.1.0.250,192.0.2.2"]
    assert relay.relays(DOCUMENT) == {"RED": words}
    assert relay.relays({}) == {}


def test_without_the_program_a_document_with_a_relay_is_refused(monkeypatch):
    monkeypatch.setattr(relay.shutil, "which", lambda _name: None)
    relays = relay.Relays()
    relays.follow({})
    with pytest.raises(CommandError, match=r"run tests/setup/packages\.sh lab"):
        relays.follow({"RED": ["--dhcp-relay=10.1.0.250,192.0.2.1"]})


def test_a_relay_ends_when_it_is_wanted_no_more(monkeypatch):
    begun = []

    class Process:
        def __init__(self, command, **_more):
            begun.append((command[3], self))
            self.ended = False

        def terminate(self):
            self.ended = True

        def wait(self, _seconds):
            assert self.ended

    monkeypatch.setattr(relay.shutil, "which", lambda name: name)
    monkeypatch.setattr(relay.subprocess, "Popen", Process)
    relays = relay.Relays()
    for wanted in ({"RED": ["a"], "BLUE": ["b"]}, {"RED": ["a"], "BLUE": ["c"]}, {"RED": ["a"]}):
        relays.leave(wanted)
        relays.follow(wanted)
    assert sorted(name for name, _process in begun) == ["BLUE", "BLUE", "RED"]
    assert [name for name, process in begun if not process.ended] == ["RED"]
