# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ailments for the mender, of which one look is not enough; answers as ip(8) and FRR 8.4 print them."""

from __future__ import annotations

import json

import pytest
from realiser import mend, vty

VRF, LINE = "t21-red", "router bgp 65001 vrf t21-red"
HOST = {"dst": "10.0.0.4/31", "dev": "swp1", "protocol": "kernel"}
REMOTE = {"dst": "10.0.1.2/31", "gateway": "10.1.0.2", "dev": "br4000021", "protocol": "bgp"}
BORDERS = {
    "dst": "default",
    "nexthops": [{"gateway": f"10.1.0.{n}", "dev": "br4000021"} for n in (2, 3)],
}
PATHS = {
    "10.0.0.4/31": [{"bestpath": True, "nexthops": [{"ip": "0.0.0.0"}]}],
    "10.0.1.2/31": [{"bestpath": True, "nexthops": [{"ip": "10.1.0.2"}]}],
}
PORT = {
    "ifname": "swp1",
    "flags": ["UP", "LOWER_UP"],
    "addr_info": [{"local": "10.0.0.5", "prefixlen": 31, "scope": "global"}],
}
OVER = {
    "dst": "10.1.0.2",
    "nexthops": [{"gateway": "169.254.0.1", "dev": dev} for dev in ("swp3", "swp4")],
}
BGP = "show bgp vrf all ipv4 unicast json"
CONNECTED = "show ip route vrf all connected json"
KNOWN, ALSO_KNOWN = ({"dst": f"10.1.0.{n}", "dev": "br4000021"} for n in (2, 3))
ROUTER = {"dst": "fe80::1", "dev": "swp4", "lladdr": "02:00:00:00:00:04", "router": None}


@pytest.fixture
def switch(monkeypatch):
    """(a mender of one VRF, what its commands answer, the commands that change something)."""
    answers = {
        f"ip -4 -n {VRF} -j route show proto bgp": [REMOTE, BORDERS],
        f"ip -n {VRF} -j neigh show nud noarp": [KNOWN, ALSO_KNOWN],
        BGP: {VRF: {"routes": PATHS}},
        f"ip -4 -n {VRF} -j route": [HOST, REMOTE],
        CONNECTED: {"10.0.0.4/31": [{"vrfName": VRF}]},
        f"ip -n {VRF} -j addr show up": [PORT],
        "ip -j route show proto bgp": [OVER],
        "ip -4 route show proto bgp": ["10.1.0.2 nexthop via inet6 fe80::1 dev swp3"],
        "ip -j neigh show 169.254.0.1": [{"dev": "swp3"}, {"dev": "swp4"}],
        "ip -6 -j neigh show": [ROUTER],
    }
    done = []

    def run(argv):
        command = " ".join(argv)
        if command in answers:
            return json.dumps(answers[command])
        if " show " in command:
            return ""
        done.append(command)
        return ""

    monkeypatch.setattr(mend, "run", run)
    monkeypatch.setattr(vty, "shown", lambda command: json.dumps(answers.get(command, {})))
    monkeypatch.setattr(vty, "configured", lambda _daemon, lines: done.append(" ".join(lines)))
    made = mend.Mender()
    made._instances = {VRF: (LINE, 4000021)}
    return made, answers, done


def test_who_is_well_is_left_alone(switch):
    mender, _answers, done = switch
    for _look in range(2):
        mender.look()
    assert (mender.mended, done) == ([], [])


@pytest.mark.parametrize(
    "place, answer, said, cure",
    [
        (f"ip -n {VRF} -j neigh show nud noarp", [ALSO_KNOWN], f"router MAC: {VRF} 10.1.0.2", "distance bgp"),
        (f"ip -n {VRF} -j neigh show nud noarp", [KNOWN], f"router MAC: {VRF} 10.1.0.3", "distance bgp"),
        (f"ip -4 -n {VRF} -j route", [HOST], f"route: {VRF} 10.0.1.2/31", "distance bgp"),
        (
            CONNECTED,
            {},
            f"connected network: {VRF} swp1 10.0.0.5/31",
            f"ip -n {VRF} addr add 10.0.0.5/31 dev swp1",
        ),
        (
            "ip -j neigh show 169.254.0.1",
            [{"dev": "swp3"}],
            "neighbour: swp4 02:00:00:00:00:04",
            "ip neigh replace 169.254.0.1 lladdr 02:00:00:00:00:04 dev swp4 nud permanent",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_in_two_looks_is_mended_and_counted(switch, place, answer, said, cure):
    mender, answers, done = switch
    answers[place] = answer
    mender.look()
    assert (mender.mended, done) == ([], [])
    mender.look()
    assert mender.mended == [said]
    assert cure in done[-1]


def test_close_looks_end_when_nothing_changes_and_begin_when_something_does(switch, monkeypatch):
    mender, answers, _done = switch
    now = [1000.0]
    monkeypatch.setattr(mend.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(mender, "_thread", object())
    assert mender.unsettled()
    now[0] += mend.UNSETTLED + 1
    assert not mender.unsettled()
    answers["ip -4 route show proto bgp"] = ["10.1.0.2 via inet6 fe80::1 dev swp3"]
    assert mender.unsettled()
    now[0] += mend.UNSETTLED + 1
    assert not mender.unsettled()
    mender.follow({VRF: (LINE, 4000021)})
    assert mender.unsettled()


def test_with_devices_a_lost_router_mac_is_found_among_those_of_all_vrfs(monkeypatch):
    hop = {"dev": "br4000021", "gateway": "10.1.0.2"}
    other = {"dev": "swp3", "gateway": "169.254.0.1"}
    rows = {"route": [{"dst": "10.0.1.0/24", "nexthops": [hop, other]}], "neigh": []}
    done = []

    def run(argv):
        return json.dumps(next((rows[word] for word in rows if word in argv), []))

    monkeypatch.setattr(mend, "run", run)
    monkeypatch.setattr(vty, "configured", lambda _daemon, lines: done.append(lines))
    mender = mend.Mender("kernel")
    mender._instances = {VRF: (LINE, 4000021)}
    for _look in range(2):
        mender.look(whole=False)
    assert mender.mended == [f"router MAC: {VRF} 10.1.0.2"]
    assert len(done) == 1
    rows["neigh"] = [{"dev": "br4000021", "dst": "10.1.0.2"}]
    for _look in range(2):
        mender.look(whole=False)
    assert len(done) == 1
