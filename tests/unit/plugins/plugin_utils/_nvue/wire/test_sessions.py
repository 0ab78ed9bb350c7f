# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP sessions in the forms of the guides: in detail, as a summary, and with what is not known."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire import sessions

EVPN = "l2vpn-evpn"
PLACE = "/vrf/default/router/bgp/neighbor"
PLAIN, DETAIL = f"GET {PLACE}?rev=operational", f"GET {PLACE}?rev=operational&view=detail"
COUNTED = {"rx-prefix": 57, "tx-prefix": 81, "update-group": 2}
WHOLE = {
    "address-family": {"ipv4-unicast": {"rx-prefix": 12, "tx-prefix": 13}, EVPN: COUNTED},
    "bgp-version": 4,
    "session-state": "established",
}
"""Shortened from the guide of 5.19, Troubleshooting BGP, --view=detail; the state as its one neighbour has it."""
SUMMARY = {"remote-as": 65199, "message-stats": {"rx-total": 28703}}
REFUSED = Reply(400, {"content-type": "application/json"}, b'{"title": "Invalid view"}')


@pytest.mark.parametrize(
    "neighbor, state, text",
    [
        ({"state": "Established"}, "established", "established"),
        ({"state": "Idle (Admin)"}, "idle", "idle (admin)"),
        ({"state": "enabled", "session-state": "established"}, "established", "established"),
        ({"state": "enabled", "session-state": "idle"}, "idle", "idle"),
        ({"state": "enabled"}, "", ""),
        ({"state": "unheard"}, "", ""),
        ({"state": {}}, "", ""),
        ({"state": None}, "", ""),
        ({"state": "established", "session-state": "unheard"}, "", ""),
        (SUMMARY, "", ""),
    ],
)
def test_a_state_is_one_that_frr_knows(neighbor, state, text):
    peer = sessions.peer_of(neighbor)
    assert (peer.state, peer.text) == (state, text)


@pytest.mark.parametrize(
    "families, carries",
    [
        ({EVPN: {"enable": "on"}}, True),
        ({EVPN: {"enable": "off", "rx-prefix": 0}}, False),
        ({EVPN: {"state": "enabled"}}, True),
        ({EVPN: {"state": "disabled", **COUNTED}}, False),
        ({EVPN: {"state": "Disabled", **COUNTED}}, False),
        ({EVPN: {"state": "suspended", **COUNTED}}, None),
        ({EVPN: COUNTED}, True),
        ({EVPN: {}}, None),
        ({EVPN: None}, None),
        ({"ipv4-unicast": COUNTED}, False),
        ({}, False),
        (None, None),
    ],
)
def test_evpn_goes_by_its_value(families, carries):
    assert sessions.peer_of({"address-family": families}).carries(EVPN) is carries


@pytest.mark.parametrize(
    "plain, detail, families, state, carries, requests",
    [
        (WHOLE, WHOLE, True, "established", True, 1),
        ({"state": "established"}, WHOLE, False, "established", None, 1),
        ({"state": "idle"}, WHOLE, True, "idle", True, 2),
        (SUMMARY, WHOLE, False, "established", True, 2),
        (SUMMARY, SUMMARY, True, "", None, 2),
        (SUMMARY, REFUSED, True, "", None, 2),
        ({"state": "established"}, REFUSED, True, "established", None, 2),
    ],
)
def test_what_a_summary_lacks_is_asked_for_once_more(
    switch, plain, detail, families, state, carries, requests
):
    answers = [{"swp51": plain}, detail if detail is REFUSED else {"swp51": detail}]
    made = switch(script={f"GET {PLACE}": answers})
    (peer,) = sessions.peers(made.api(), "default", families=families).values()
    assert (peer.state, peer.carries(EVPN)) == (state, carries)
    assert made.log == [PLAIN, DETAIL][:requests]


def test_states_of_several_vrfs_with_those_that_are_not_known(switch):
    neighbors = {"swp1": {"state": "Established"}, "swp2": {"state": "Idle"}, "swp3": {}}
    made = switch(script={f"GET {PLACE}": [neighbors]})
    found = sessions.states(made.api(), ["default", "blue"])
    assert found == {
        ("default", "swp1"): "established",
        ("default", "swp2"): "idle",
        ("default", "swp3"): "",
    }
    assert sessions.established(found) == {("default", "swp1")}
