# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The difference between a switch and a wish."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.converge import entry
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import (
    HeldPlaces,
    Wish,
    make,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import (
    Release,
    parse,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    RefusedError,
)

from ..changing import ROTATED, USER, Make, fails, old, run


def test_replaced_touches_nothing_outside_of_what_it_owns(ready: Make) -> None:
    interface = {
        "swp1": {"type": "swp", "link": {"mtu": 1500}, "description": "foreign"},
        "swp2": {"type": "swp", "link": {"mtu": 1500}},
        "eth0": {"type": "eth", "link": {"mtu": 1500}},
    }
    switch = ready(applied=old(interface=interface))
    wish = Wish(
        {"interface": {"swp1": {"link": {"mtu": 9216}}}},
        state="replaced",
        owns=("interface/swp*/link",),
    )
    run(switch, wish)
    assert switch.body_of("PATCH /?rev=7") == {
        "interface": {"swp1": {"link": {"mtu": 9216}}, "swp2": {"link": None}}
    }


PEERS = "vrf/A/router/bgp/neighbor"
FAST = {"detect-multiplier": 3, "min-rx-interval": 300, "min-tx-interval": 300}


def peers(**bfd: Any) -> Any:
    rows = {name: {"remote-as": 1, **({"bfd": row} if row else {})} for name, row in bfd.items()}
    return {"vrf": {"A": {"router": {"bgp": {"neighbor": rows}}}}}


def test_a_release_without_bfd_profiles_takes_one_with_its_peer_and_leaves_that_of_others() -> None:
    """The profile that swp9 implies before 5.15 is nobody's own: a wish for swp1 neither needs nor ends it."""
    release = Release(5, 14)
    found = peers(swp9={"enable": "on", **FAST})
    owns = (f"{PEERS}/swp1", "router/bfd/profile/mine")
    wished = {**peers(swp1={"profile": "mine"}), "router": {"bfd": {"profile": {"mine": FAST}}}}
    plan = make(found, Wish(wished, "replaced", owns=owns), release)
    old_peers = plan.bodies()[1]["vrf"]["A"]["router"]["bgp"]["neighbor"]
    assert old_peers["swp1"]["bfd"] == {"enable": "on", **FAST}
    assert "swp9" not in old_peers
    both = peers(swp1={"enable": "on", **FAST}, swp9={"enable": "on", **FAST})
    ended = make(both, Wish(peers(), "replaced", owns=owns), release)
    assert ended.bodies() == ({"vrf": {"A": {"router": {"bgp": {"neighbor": {"swp1": None}}}}}}, {})
    with pytest.raises(RefusedError, match="lies outside owns"):
        make({}, Wish(wished, "replaced", owns=owns[:1]), Release(5, 16))


def test_unmanaged_places_are_left_alone_and_counted(ready: Make) -> None:
    qos = {"roce": {"state": "enabled"}, "pfc": {"mine": {"tx": "enable", "rx": "enable"}}}
    switch = ready(applied=old(qos=qos))
    wish = Wish(
        {"qos": {"roce": {"state": "enabled"}, "pfc": {"mine": {"tx": "disable"}}}},
        state="replaced",
        owns=("qos",),
        unmanaged=("qos/pfc/mine",),
    )
    outcome = run(switch, wish)
    assert (outcome.changed, outcome.plan.foreign) == (False, 2)
    assert switch.writes() == []


@pytest.mark.parametrize(
    "wish, body",
    [
        (Wish({"system": {"hostname": "any"}}, state="deleted"), {"system": {"hostname": None}}),
        (Wish({}, state="deleted", owns=("system",)), {"system": None}),
        (Wish({"system": {"hostname": None}}), {"system": {"hostname": None}}),
    ],
)
def test_deleted(ready: Make, wish: Wish, body: Any) -> None:
    switch = ready()
    run(switch, wish)
    assert switch.body_of("PATCH /?rev=7") == body


@pytest.mark.parametrize(
    "wish, sentence",
    [
        (Wish({"a": {"b": 1}}, state="replaced"), "state replaced needs owns"),
        (
            Wish({"a": {"b": 1}}, state="replaced", owns=("c",)),
            "config has a/b, which lies outside",
        ),
        (Wish({}, state="deleted"), "state deleted needs config or owns"),
        (Wish({}, state="wrong"), "state is 'wrong'; it must be one of merged"),
    ],
)
def test_wishes_that_cannot_be_meant(ready: Make, wish: Wish, sentence: str) -> None:
    switch = ready()
    assert sentence in fails(switch, wish, RefusedError)
    assert switch.writes() == []


class Ports:
    """Keeps swp1, and forbids that swp2 gets a VRF."""

    def hold(self, before: dict, wish: dict) -> HeldPlaces:
        return HeldPlaces(("interface/swp1/vrf", "vrf/tA"), ("stays",), ("drifts",))

    def forbid(self, before: dict, after: dict) -> tuple[str, ...]:
        return ("swp2 is somebody else's.",) if "swp2" in after["interface"] else ()


def test_a_guarded_wish_changes_nothing_it_keeps() -> None:
    before = {"interface": {"swp1": {"vrf": "tA"}}, "vrf": {"tA": {"table": "auto"}}}
    config = {"interface": {"swp1": {"vrf": "tB"}}, "vrf": {"tB": {"table": "auto"}}}
    wish = Wish(config, state="replaced", owns=("interface/swp1/vrf", "vrf/t*"), guard=Ports())
    plan = make(before, wish, Release(5, 16, 1))
    assert plan.after["interface"]["swp1"]["vrf"] == "tA"
    assert sorted(plan.after["vrf"]) == ["tA", "tB"]
    assert plan.foreign == 0
    assert (plan.held.notes, plan.held.drift, plan.forbidden) == (("stays",), ("drifts",), ())


def test_what_a_guard_forbids_is_refused_before_anything_is_written(ready: Make) -> None:
    switch = ready(applied=old(interface={"swp1": {"vrf": "tA"}}))
    wish = Wish({"interface": {"swp2": {"vrf": "tA"}}}, guard=Ports())
    assert "swp2 is somebody else's." in fails(switch, wish, RefusedError)
    assert switch.writes() == []


def test_what_a_switch_adds_by_itself_is_no_surplus(ready: Make) -> None:
    applied = {
        "interface": {"swp1": {"type": "swp", "link": {"mtu": 9216}}},
        "nve": {"vxlan": {"state": "enabled", "flooding": {"x": {"evpn": {}}}}},
    }
    switch = ready(applied=applied)
    wish = Wish(
        {
            "interface": {"swp1": {"link": {"mtu": 9216}}},
            "nve": {"vxlan": {"state": "enabled"}},
        },
        state="replaced",
        owns=("interface/swp*", "nve"),
    )
    assert run(switch, wish).changes == []


@pytest.mark.parametrize(
    "rotate, kept, warnings",
    [
        ((), ["system/aaa/user/ops/hashed-password"], []),
        ((ROTATED,), [], []),
        (
            ("system/aaa/users",),
            ["system/aaa/user/ops/hashed-password"],
            [
                "rotate names 'system/aaa/users', where the wish for a device holds no secret: "
                "nothing is sent there."
            ],
        ),
    ],
)
def test_secrets_that_are_not_compared_are_named(
    ready: Make, rotate: Any, kept: list[str], warnings: list[str]
) -> None:
    switch = ready(applied={"system": {"aaa": {"user": {"ops": {"hashed-password": "*"}}}}})
    outcome = run(switch, Wish(USER, rotate=rotate), write=False)
    assert entry(outcome, "leaf-01")["not_compared"] == kept
    assert outcome.warnings == warnings
    assert bool(outcome.changes) is not bool(kept)


@pytest.mark.parametrize(
    "release, config, doubt",
    [
        (
            "5.16.1",
            {"system": {"hostnam": "a"}},
            "system/hostnam: no key of Cumulus Linux 5.16: write hostname",
        ),
        ("5.19.0", {"system": {"hostname": "a"}}, "5.19.0 is newer than NVIDIA's schema (5.18)"),
        ("5.18.0", {"system": {"hostname": "a"}}, ""),
    ],
)
def test_what_the_schema_does_not_know_is_a_doubt(
    release: str, config: dict[str, Any], doubt: str
) -> None:
    doubts = make({}, Wish(config), parse(release)).doubts
    assert len(doubts) == bool(doubt)
    assert doubt in "".join(doubts)


@pytest.mark.parametrize("place", ["hostname", "hostnam"])
def test_what_a_switch_has_already_is_not_judged(place: str) -> None:
    """Nothing is sent of it, and the switch has taken it; beside a change it is judged again."""
    wish = Wish({"system": {place: "a", "timezon": "x"}})
    plan = make(wish.config, wish, parse("5.16.1"))
    assert (plan.changes, plan.doubts) == ([], ())
    assert len(make({}, wish, parse("5.16.1")).doubts) == (2 if place == "hostnam" else 1)
