# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Front end, storage and border against the plan: what is wrong is said, and what was not read passes nowhere."""

from __future__ import annotations

import copy
import dataclasses

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import networks
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.networks_view import (
    NetworksReading,
    esi,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.sessions import peer_of

from .networked import ISP, VTEPS, but, leaf, segment

UP = {"state": "established"}


def states(rows):
    return {row["id"]: row["state"] for row in rows}


def wrong(view, check):
    rows = [row for row in networks.check(view) if row["state"] != "pass"]
    assert {row["id"] for row in rows} <= {check}, rows
    return [(row["state"], row["sentence"]) for row in rows]


def test_leaves_as_planned_pass_every_check():
    one, two = leaf(0), leaf(1)
    found = [*networks.check(one), *networks.check(two), *networks.pair(one, two)]
    known = {name for name in table("checks_networks") if name.startswith("network.")}
    assert states(found) == dict.fromkeys(known, "pass")


def test_a_flag_that_is_set_is_on_or_enabled():
    one, two = leaf(0), leaf(1)
    for view in (one, two):
        for body in view.read.segments.values():
            body["flags"] = dict.fromkeys(body["flags"], "enabled")
    found = states([*networks.check(one), *networks.pair(one, two)])
    assert (found["network.segment"], found["network.pair"]) == ("pass", "pass")


def test_nothing_passes_that_was_not_read():
    unread = dataclasses.replace(leaf(), read=NetworksReading())
    found = states(networks.check(unread))
    assert found.pop("network.session") == "fail"
    assert set(found.values()) == {"not_run"}
    for one, two in ((unread, leaf(1)), (leaf(0), unread), (leaf(0), None)):
        (row,) = networks.pair(one, two)
        assert (row["id"], row["state"]) == ("network.pair", "not_run")


@pytest.mark.parametrize("state", ["active", "Idle (Prefix Count)", None])
def test_a_session_that_is_down_and_what_is_not_known_then(state):
    heard = {ISP: peer_of({"state": state})} if state else {}
    neighbors = {**leaf().read.neighbors, "t21-acme": heard}
    found = networks.check(but(leaf(), neighbors=neighbors))
    rows = [row for row in found if row["state"] != "pass"]
    assert states(rows) == {
        "network.session": "fail",
        "network.accepted": "not_run",
        "network.refused": "not_run",
        "network.announced": "not_run",
    }
    assert rows[0]["port"] == "swp9s0"
    assert rows[0]["tenant"] == "acme"
    assert f"is {(state or 'missing').lower()}: check the link isp-a" in rows[0]["sentence"]


def test_a_session_of_a_summary_without_its_state_is_not_known():
    neighbors = {**leaf().read.neighbors, "t21-acme": {ISP: peer_of({"remote-as": 65001})}}
    found = networks.check(but(leaf(), neighbors=neighbors))
    rows = states([row for row in found if row["state"] != "pass"])
    assert set(rows.values()) == {"not_run"}
    assert rows["network.session"] == "not_run"


KEY, OTHER_KEY = ("t21-acme", ISP), ("t34-umbrella", "swp9s0.3034")


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (["10.208.40.0/23"], "brings 10.208.40.0/23, which the registry does not accept"),
        (["198.51.0.0/16"], "brings 198.51.0.0/16"),
        ([f"198.51.100.{n}/32" for n in range(6)], "brings 6 prefixes, more than 5 (50 % of 10)"),
    ],
)
def test_what_a_session_may_not_bring(found, words):
    view = leaf()
    came = {**view.read.received, KEY: found}
    seen = but(view, accepted={**view.read.accepted, KEY: found}, received=came)
    found = [row["sentence"] for row in networks.check(seen, ["network.accepted"])]
    assert [words in sentence for sentence in found] == [True], found


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (["10.208.40.0/24"], "which the switch refuses (10.208.40.0/24 overlaps 10.208.40.0/23 of"),
        (["10.128.0.7/32", "198.51.0.0/16"], "gives 10.128.0.7/32, which the switch refuses"),
        (["::/0"], "gives ::/0, which the switch refuses: ask"),
    ],
)
def test_a_peer_that_leaks_in_vain_is_reported(found, words):
    """A default, a prefix of another owner, and one of the fabric's blocks."""
    view = leaf()
    came = [*view.read.accepted[OTHER_KEY], *found]
    seen = but(view, received={**view.read.received, OTHER_KEY: came})
    (row,) = [row for row in networks.check(seen) if row["state"] != "pass"]
    assert (row["id"], row["state"], row["port"]) == ("network.refused", "fail", "swp9s0.3034")
    assert words in row["sentence"], row


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            ["198.51.0.0/16", "203.0.113.0/24"],
            "gives 198.51.0.0/16, 203.0.113.0/24 beside its list",
        ),
        (["10.216.40.0/24"], "No peer outside gives"),  # the owner's storage
        (["10.208.40.0/24"], "No peer outside gives"),  # it comes back over the other leaf
    ],
)
def test_what_a_peer_may_give_in_vain(found, words):
    """A provider has more than the list, and what the owner announced on another leaf."""
    view = leaf()
    came = [*view.read.accepted[OTHER_KEY], *found]
    home = {"t34-umbrella": ["10.208.40.0/23", "10.216.40.0/23"]}
    seen = but(view, received={**view.read.received, OTHER_KEY: came})
    rows = networks.check(dataclasses.replace(seen, home=home), ["network.refused"])
    assert {row["state"] for row in rows} == {"pass"}
    assert any(words in row["sentence"] for row in rows), rows


def test_a_leaf_that_does_not_keep_what_it_receives_says_nothing_of_it():
    """It reports no received routes, or fewer than it accepted."""
    view = leaf()
    for found in ([], ["0.0.0.0/0"], None):
        ((state, _sentence),) = wrong(
            but(view, received={**view.read.received, KEY: found}), "network.refused"
        )
        assert state == "not_run"


def test_a_default_that_nobody_asked_for_is_not_let_in_by_a_list():
    view = leaf()
    seen = but(view, accepted={**view.read.accepted, OTHER_KEY: ["0.0.0.0/0"]})
    (row,) = networks.check(seen, ["network.accepted"])
    assert "brings 0.0.0.0/0" in row["sentence"]


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            ["10.208.14.0/23", "10.208.40.0/23"],
            "announces 10.208.40.0/23, which is not the tenant's",
        ),
        (["10.208.14.0/23", "0.0.0.0/0"], "announces 0.0.0.0/0"),
        ([], "does not announce 10.208.14.0/23"),
    ],
)
def test_what_a_peer_hears(found, words):
    view = leaf()
    ((state, sentence),) = wrong(
        but(view, announced={**view.read.announced, KEY: found}), "network.announced"
    )
    assert (state, words in sentence) == ("fail", True), sentence


LINKS = {
    "10.160.0.0/30": ["10.160.0.0/31", "10.160.0.2/31"],
    "fd04::4/126": ["fd04::4/127", "fd04::6/127"],
}


@pytest.mark.parametrize("own", LINKS)
@pytest.mark.parametrize("heard", [0, 1, 2])
def test_a_peer_hears_each_link_of_routed_nodes(own, heard):
    """Check links of a tenant that are stated for several at once; the VRF has a route to each, and to hosts."""
    view, links = leaf(), LINKS[own]
    view.vrfs[0]["sessions"][0]["announce"] = [own]
    hosts = [f"{link.partition('/')[0]}/{'128' if ':' in link else '32'}" for link in links]
    there = ["0.0.0.0/0", *links, *hosts]
    read = dataclasses.replace(
        view.read,
        announced={**view.read.announced, KEY: links[:heard]},
        routes={**view.read.routes, "t21-acme": there},
    )
    seen = dataclasses.replace(view, read=read, owned={"t21-acme": [own]})
    found = [sentence for _state, sentence in wrong(seen, "network.announced")]
    lacks = ", ".join(links[heard:])
    said = f"t21-acme: the session 'isp-a' does not announce {lacks}: run switches."
    assert found == ([said] if lacks else [])


def test_what_a_peer_should_hear_is_not_known_without_the_table():
    view = leaf()
    rows = networks.check(but(view, routes={**view.read.routes, "t21-acme": None}))
    assert {row["id"] for row in rows if row["state"] == "not_run"} == {
        "network.announced",
        "network.default",
        "network.transit",
    }


@pytest.mark.parametrize(
    ("vrf", "routes", "words"),
    [
        ("t34-umbrella", ["10.208.40.0/23", "0.0.0.0/0"], "has a default route, and no peer"),
        ("t34-umbrella", ["10.208.40.0/23", "::/0"], "has a default route, and no peer"),
        ("t21-acme", ["10.208.14.0/23"], "has no default route, which a peer of it is to give"),
    ],
)
def test_defaults(vrf, routes, words):
    view = leaf()
    ((state, sentence),) = wrong(
        but(view, routes={**view.read.routes, vrf: routes}), "network.default"
    )
    assert (state, words in sentence) == ("fail", True), sentence


@pytest.mark.parametrize(
    ("leaks", "reaches", "fails"),
    [
        ([], {}, True),
        ([{"vrf": "t34-umbrella", "prefixes": []}], {}, False),
        ([], {"t21-acme": ["t34-umbrella"]}, False),
        ([{"vrf": "storage", "prefixes": []}], {}, True),
    ],
)
@pytest.mark.parametrize("prefix", ["10.208.40.0/23", "10.208.40.7/32"])
def test_a_way_from_one_tenant_to_another(leaks, reaches, fails, prefix):
    view = leaf()
    vrfs = copy.deepcopy(list(view.vrfs))
    vrfs[0]["leaks"] = leaks
    routes = {**view.read.routes, "t21-acme": [*view.read.routes["t21-acme"], prefix]}
    view = dataclasses.replace(but(view, routes=routes), vrfs=vrfs, reaches=reaches)
    found = wrong(view, "network.transit")
    assert len(found) == fails
    assert all(f"has {prefix}, which is of t34-umbrella" in sentence for _state, sentence in found)


FIRST = esi({"local_id": 1, "mac": "44:38:39:ff:02:00"})


def test_the_identifier_of_a_segment():
    assert FIRST == "03:44:38:39:ff:02:00:00:00:01"
    assert (
        esi({"local_id": 4_000_001, "mac": "44:38:39:FF:03:01"}) == "03:44:38:39:ff:03:01:3d:09:01"
    )


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (None, f"border-leaf-01-1 has no segment {FIRST}"),
        (segment("bond9", VTEPS[1], forwards=True), "is on bond9"),
        (
            segment("bond1", "10.0.0.9", forwards=True),
            "is shared with 10.0.0.9, expected border-leaf-01-2",
        ),
        (
            {**segment("bond1", VTEPS[1], forwards=True), "remote-vtep": {}},
            "is shared with nobody, expected border-leaf-01-2 (10.201.128.1)",
        ),
        (
            {
                **segment("bond1", VTEPS[1], forwards=True),
                "flags": {"local": "on", "oper-up": "off"},
            },
            "is not oper-up, ready-for-bgp",
        ),
    ],
)
def test_a_segment_that_is_not_as_planned(body, words):
    view = leaf()
    segments = {name: row for name, row in view.read.segments.items() if name != FIRST}
    segments |= {FIRST: body} if body else {}
    ((state, sentence),) = wrong(but(view, segments=segments), "network.segment")
    assert (state, words in sentence) == ("fail", True), sentence


def test_a_partner_out_of_service_and_bonds_out_of_use_are_not_asked_for():
    view = leaf()
    alone = {
        name: {**row, "remote-vtep": {}}
        for name, row in view.read.segments.items()
        if name == FIRST
    }
    vrfs = copy.deepcopy(list(view.vrfs))
    vrfs[1]["segments"][0]["ports"][0]["up"] = False
    view = dataclasses.replace(but(view, segments=alone), partner=None, vrfs=vrfs)
    assert wrong(view, "network.segment") == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            segment("bond1", VTEPS[0], forwards=True),
            "designated-forward on border-leaf-01-2: check",
        ),
        (
            {**segment("bond1", VTEPS[0], forwards=True), "flags": {"local": "on"}},
            "unknown on border-leaf-01-2",
        ),
        (None, "is bond1 on border-leaf-01-1 and no bond on border-leaf-01-2: run switches"),
    ],
)
def test_leaves_that_do_not_agree(body, words):
    one, two = leaf(0), leaf(1)
    segments = {name: row for name, row in two.read.segments.items() if name != FIRST}
    segments |= {FIRST: body} if body else {}
    rows = networks.pair(one, but(two, segments=segments))
    assert {row["state"] for row in rows} == {"fail"}
    assert words in " ".join(row["sentence"] for row in rows)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"vnis": ["4100021", "4300021", "4100034"]}, "has no VNI 4300034"),
        ({"vnis": ["4300021", "4300034", "4100034"]}, "has no VNI 4100021"),
        (
            {
                "interfaces": {
                    "vlan21": {"link": {"oper-status": "down"}},
                    "vlan34": {"link": {"oper-status": "up"}},
                }
            },
            "vlan21 of border-leaf-01-1 is down",
        ),
    ],
)
def test_vlans(changes, words):
    ((state, sentence),) = wrong(but(leaf(), **changes), "network.vlan")
    assert (state, words in sentence) == ("fail", True), sentence


def test_a_vlan_whose_state_is_not_reported_is_not_known():
    view = but(leaf(), interfaces={"vlan21": {"link": {"oper-status": "up"}}})
    ((state, sentence),) = wrong(view, "network.vlan")
    assert (state, "reports no state of vlan34" in sentence) == ("not_run", True)


@pytest.mark.parametrize(
    ("found", "words"),
    [([], "has no server"), (["192.0.2.9"], "has the servers 192.0.2.9, expected 192.0.2.67")],
)
def test_a_relay_with_other_servers(found, words):
    relays = {"t21-acme": found, "t34-umbrella": ["192.0.2.67"]}
    ((state, sentence),) = wrong(but(leaf(), relays=relays), "network.relay")
    assert (state, words in sentence) == ("fail", True), sentence


def test_what_work_on_a_leaf_disturbs_is_waived_there_and_nothing_else():
    view = but(leaf(), segments={}, relays={})
    found = {row["id"]: row["state"] for row in networks.check(view, maintenance=True)}
    assert (found["network.segment"], found["network.relay"]) == ("waived", "fail")
