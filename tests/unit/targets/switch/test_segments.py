# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ethernet segments as the double shows them without a realiser."""

from __future__ import annotations

from typing import Any

import pytest
from nvue_double.operational import Operational
from nvue_double.options import Options
from nvue_double.segments import simulated
from nvue_double.switch import Switch

BONDS: dict[str, Any] = {
    "bond1": {
        "bridge": {"domain": {"br_default": {"untagged": 21, "vlan": {"2021": {}, "9": {}}}}},
        "evpn": {"multihoming": {"segment": {"local-id": 1}}},
    },
    "bond2": {
        "evpn": {
            "multihoming": {
                "segment": {"identifier": "00:AA:00:00:00:00:00:00:00:01", "df-preference": 50000}
            }
        }
    },
    "bond3": {"evpn": {"multihoming": {"segment": {"local-id": 3, "state": "disabled"}}}},
    "bond4": {"bond": {"member": {"swp9": {}}}},
}
DOCUMENT = {
    "evpn": {"multihoming": {"segment": {"mac-address": "44:38:39:FF:02:00"}}},
    "bridge": {
        "domain": {
            "br_default": {
                "vlan": {"21": {"vni": {"4300021": {}}}, "2021": {"vni": {"4400021": {}}}}
            }
        }
    },
    "interface": BONDS,
}


def test_segments_of_bonds() -> None:
    found = simulated(DOCUMENT, lambda name: name != "bond2", "enabled")
    one, two = found["03:44:38:39:ff:02:00:00:00:01"], found["00:aa:00:00:00:00:00:00:00:01"]
    assert len(found) == 2
    assert (one["local-interface"], one["df-preference"], one["vni-count"]) == ("bond1", 32767, 2)
    assert (one["flags"]["oper-up"], "oper-up" in two["flags"]) == ("enabled", False)
    assert (two["df-preference"], two["remote-vtep"]) == (50000, {})


@pytest.mark.parametrize("release, word", [("5.18.0", "enabled"), ("5.13.0", "on")])
def test_the_words_are_those_of_the_release(release: str, word: str) -> None:
    switch = Switch(Options(release=release, link_state="up"))
    switch.running = DOCUMENT
    shown = Operational(switch).get(["evpn", "multihoming", "esi", "03:44:38:39:ff:02:00:00:00:01"])
    assert shown["flags"]["local"] == word
