# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions that a change must not lose."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import peers, proof
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import Wish
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApplyError,
    RefusedError,
    UnfitError,
)

from ..changing import BGP, IDLE, NEIGHBORS, PEERS, ROCE, SESSIONS, Make, fails, old, run, sessions


def test_a_timer_too_short_to_see_a_loss_is_told(ready: Make) -> None:
    up = sessions("established", "established")
    switch = ready(applied=old(**PEERS), script={f"GET {NEIGHBORS}": [up]})
    (warning,) = run(switch, Wish({"acl": {"a": {"type": "ipv4"}}}), confirm=12).warnings
    assert warning.startswith("Confirmed after 6 s without a loss, half of the roll-back timer")


def test_sessions_that_were_down_are_reported_and_not_required(ready: Make) -> None:
    half = sessions("established", "active")
    outcome = run(ready(applied=old(**PEERS), script={f"GET {NEIGHBORS}": [half]}))
    assert outcome.warnings == [
        "Not Established before the change, so not waited for: default/swp2."
    ]


def test_of_many_sessions_that_were_down_three_are_named() -> None:
    peers = {f"swp{n}": {} for n in range(1, 8)}
    document = {"vrf": {"default": {"router": {"bgp": {"neighbor": peers}}}}}
    down = proof.Sessions(down=frozenset(("default", peer) for peer in peers))
    (sentence,) = down.not_awaited(document)
    assert sentence.endswith("default/swp1, default/swp2, default/swp3 and 4 more.")


UNREAD = [
    ({"swp1": BGP}, "1 BGP session (default/swp2), so a loss of it by the "
     "change would not show;"),
    ({}, "2 BGP sessions (default/swp1, default/swp2), so a loss of them by "
     "the change would not show;"),
    ({"swp1": {"bgp-state": "Established"}, "swp2": BGP}, "1 BGP session (default/swp1)"),
    ({"swp1": {"state": "up"}, "swp2": {"state": {}}}, "2 BGP sessions ("),
    (Reply(404, {}, b'{"title": "Not Found"}'), "2 BGP sessions ("),
    (Reply(400, {}, b'{"title": "Bad Request"}'), "2 BGP sessions ("),
]  # fmt: skip


@pytest.mark.parametrize("answer, words", UNREAD)
def test_sessions_that_are_not_reported_stop_the_write(
    ready: Make, answer: Any, words: str
) -> None:
    switch = ready(applied=old(**PEERS), script={f"GET {NEIGHBORS}": [answer]})
    said = fails(switch, kind=RefusedError)
    assert said.startswith(f"leaf-01: the switch does not report the state of {words}")
    assert said.endswith("(playbooks take it as -e spx_allow_disruptive=unread_sessions).")
    assert switch.writes() == []
    switch = ready(applied=old(**PEERS), script={f"GET {NEIGHBORS}": [answer]})
    outcome = run(switch, write=False)
    assert outcome.warnings == [f"Would be refused: {said}"]
    assert switch.writes() == []


@pytest.mark.parametrize("detail", [{"swp1": {}, "swp2": {}}, Reply(400, {}, b'{"title": "?"}')])
def test_a_summary_without_states_stops_the_write_also_of_what_nobody_listed(
    ready: Make, detail: Any
) -> None:
    summary = {"swp1": {"remote-as": 65199}, "swp2": BGP, "192.0.2.9": {"remote-as": 65200}}
    switch = ready(applied=old(**PEERS), script={f"GET {NEIGHBORS}": [summary, detail]})
    said = fails(switch, kind=RefusedError)
    assert "the state of 2 BGP sessions (default/192.0.2.9, default/swp1)" in said
    assert f"{SESSIONS}&view=detail" in switch.log
    assert switch.writes() == []


def test_unread_sessions_can_be_allowed_and_are_named(ready: Make) -> None:
    switch = ready(applied=old(**PEERS), script={f"GET {NEIGHBORS}": [{"swp1": BGP}]})
    assert run(switch, allow_disruptive=frozenset({"unread_sessions"})).warnings == [
        "Not reported before the change, so not waited for: default/swp2."
    ]
    switch = ready(applied=old(**PEERS), script={f"GET {NEIGHBORS}": [{"swp1": IDLE}]})
    said = fails(switch, ROCE, RefusedError, allow_disruptive=frozenset({"unread_sessions"}))
    assert "in service (the state of the BGP session default/swp2 could not be read)" in said


def test_many_unread_sessions_are_counted(ready: Make) -> None:
    peers = {f"swp{n}": {} for n in range(1, 8)}
    doc = {"vrf": {"default": {"router": {"bgp": {"neighbor": peers}}}}}
    said = fails(ready(applied=old(**doc)), kind=RefusedError)
    assert "7 BGP sessions (default/swp1, default/swp2, " in said
    assert "default/swp3 and 4 more)" in said


@pytest.mark.parametrize("state", ["Idle", "Connect", "Active", "OpenSent", "OpenConfirm",
                                   "Clearing", "Deleted", "Idle (Admin)", "Idle (PfxCt)"])  # fmt: skip
def test_a_session_that_is_reported_down_is_read(ready: Make, state: str) -> None:
    answer = {"swp1": BGP, "swp2": {"state": state}}
    outcome = run(ready(applied=old(**PEERS), script={f"GET {NEIGHBORS}": [answer]}))
    assert outcome.warnings == [
        "Not Established before the change, so not waited for: default/swp2."
    ]


@pytest.mark.parametrize(
    "bgp",
    [
        {"neighbor": {"swp1": {"shutdown": "enabled"}}},
        {"state": "disabled", "neighbor": {"swp1": {}}},
    ],
)
def test_a_session_that_is_switched_off_need_not_be_reported(ready: Make, bgp: Any) -> None:
    assert run(ready(applied=old(vrf={"default": {"router": {"bgp": bgp}}}))).changed


def test_a_session_that_no_document_lists_must_stay_up(ready: Make) -> None:
    """A dynamic neighbor; or all, where the applied configuration was answered with nothing."""
    up, half = sessions("established", "established"), sessions("established", "active")
    switch = ready(
        script={f"GET {NEIGHBORS}": [up, half]},
        states=["reloading", *["confirm"] * 4, "confirm_fail"],
    )
    said = fails(switch, kind=ApplyError)
    assert "because of what was lost: BGP session default/swp2." in said
    switch = ready(script={f"GET {NEIGHBORS}": [up]})
    said = fails(switch, ROCE, RefusedError)
    assert "in service (the BGP session default/swp1 is Established)" in said


def test_an_entry_that_is_no_neighbor_is_no_answer(ready: Make) -> None:
    switch = ready(applied=old(**PEERS), script={f"GET {NEIGHBORS}": [{"swp1": BGP, "swp2": "up"}]})
    said = fails(switch, kind=UnfitError)
    assert said.endswith("a mapping of names to mappings was expected.")
    assert switch.log.count(SESSIONS) == 3
    assert switch.writes() == []


@pytest.mark.parametrize(
    "change",
    [
        {"vrf": {"default": {"router": {"bgp": {"neighbor": {"swp2": None}}}}}},
        {"vrf": {"default": {"router": {"bgp": {"neighbor": {"swp2": {"shutdown": "enabled"}}}}}}},
        {"interface": {"swp2": {"link": {"state": {"down": {}}}}}},
        {"vrf": {"default": {"router": {"bgp": {
            "peer-group": {"g": {"shutdown": "enabled"}},
            "neighbor": {"swp2": {"peer-group": "g"}}}}}}},
    ],
)  # fmt: skip
def test_sessions_that_the_new_document_ends_are_not_waited_for(ready: Make, change: Any) -> None:
    up, half = sessions("established", "established"), sessions("established", "idle")
    switch = ready(applied=old(**PEERS), script={f"GET {NEIGHBORS}": [up, half]})
    assert run(switch, Wish(change)).changed


def _document(*names: str, evpn: tuple[str, ...] = (), vrf: str = "default") -> dict[str, Any]:
    """A document with neighbours, some of which carry EVPN by their peer group."""
    neighbors = {name: {"peer-group": "o" if name in evpn else "u"} for name in names}
    group = {"o": {"address-family": {"l2vpn-evpn": {"state": "enabled"}}}, "u": {}}
    return {"vrf": {vrf: {"router": {"bgp": {"neighbor": neighbors, "peer-group": group}}}}}


REPLACED: list[tuple[Any, Any, list[tuple[str, set[str]]]]] = [
    (_document("swp1", "swp2"), _document("10.0.0.1"), [("default", {"10.0.0.1"})]),
    (_document("swp1", "swp2"), _document("swp2", "10.0.0.1"), []),
    (_document("swp1", "swp2"), _document("swp3", "10.0.0.1"), [("default", {"swp3", "10.0.0.1"})]),
    (_document("swp1"), _document("swp9"), [("default", {"swp9"})]),
    (_document("swp1"), {}, []),
    (_document("swp9"), _document("swp8"), []),
    (_document("swp1", vrf="t"), _document("a", vrf="t"), []),
    (
        _document("swp1", "swp2", evpn=("swp1", "swp2")),
        _document("swp1", "swp2", "10.0.0.1", evpn=("10.0.0.1",)),
        [("EVPN in default", {"10.0.0.1"})],
    ),
    # The session that carries it from now on is up already, and comes back.
    (
        _document("swp1", "swp2", evpn=("swp1",)),
        _document("swp1", "swp2", evpn=("swp2",)),
        [],
    ),
]
"""Documents before and after, while swp1 and swp2 are up in VRF default, and what is replaced by what."""


@pytest.mark.parametrize(("before", "after", "expected"), REPLACED)
def test_sessions_of_which_none_stays(before: Any, after: Any, expected: Any) -> None:
    own = set(peers.listed(before)) & {("default", "swp1"), ("default", "swp2")}
    found = proof.Sessions(up=frozenset(own)).replaced(before, after)
    assert found == [(what, {("default", name) for name in names}) for what, names in expected]


def test_a_session_that_nobody_lists_stays() -> None:
    up = frozenset({("default", "swp1"), ("default", "dynamic")})
    held = proof.Sessions(up=up, strangers=frozenset({("default", "dynamic")}))
    assert held.replaced(_document("swp1"), _document("10.0.0.1")) == []
