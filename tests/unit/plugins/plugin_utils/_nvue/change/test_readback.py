# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The applied configuration beside the plan: only what the next run would change is a difference."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import readback
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import (
    HeldPlaces,
    Wish,
    make,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import (
    Release,
)

from ..changing import ROTATED, USER, Make

NEW = Release(5, 16, 1)
OLD = {"system": {"hostname": "old"}}
PORTS = Wish({"interface": {"swp1": {"vrf": "RED"}}}, "replaced", ("interface/swp*",))


def compared(switch: Make, wish: Wish, before: Any, now: Any, **more: Any) -> readback.Readback:
    plan = make(before, wish, more.get("release", NEW))
    return readback.read(switch(applied=now).api(), plan, wish)


@pytest.mark.parametrize(
    "now",
    [
        {"interface": {"swp1": {"vrf": "RED"}}},
        {"interface": {"swp1": {"vrf": "RED", "type": "swp"}, "eth0": {"type": "eth"}}},
        {"interface": {"swp1-1": {"vrf": "RED"}}, "system": {"hostname": "theirs"}},
    ],
)
def test_what_is_not_ours_and_what_a_switch_adds_is_no_difference(switch: Make, now: Any) -> None:
    assert compared(switch, PORTS, {}, now) == readback.Readback()


def test_an_old_release_is_compared_in_its_own_spelling(switch: Make) -> None:
    now = {"interface": {"swp1": {"ip": {"vrf": "RED"}}}}
    assert compared(switch, PORTS, {}, now, release=Release(5, 13, 0)) == readback.Readback()


def test_what_is_ours_and_differs_is_named(switch: Make) -> None:
    now = {"interface": {"swp1": {"vrf": "BLUE"}, "swp2": {"vrf": "RED"}}}
    found = compared(switch, PORTS, {}, now)
    assert found.named() == "interface/swp1/vrf, interface/swp2/vrf"
    assert found.foreign
    now = {"interface": {f"swp{n}": {"vrf": "X"} for n in range(2, 8)}}
    assert compared(switch, PORTS, {}, now).named().endswith("swp3/vrf and 4 more")


def test_the_old_configuration_is_known(switch: Make) -> None:
    found = compared(switch, PORTS, OLD, OLD)
    assert (found.differences, found.old, found.foreign) == (("interface/swp1/vrf",), True, False)


@pytest.mark.parametrize("rotate", [(), (ROTATED,)])
def test_a_secret_is_compared_by_its_presence(switch: Make, rotate: Any) -> None:
    wish = Wish(USER, rotate=rotate)
    starred = {"system": {"aaa": {"user": {"ops": {"hashed-password": "*"}}}}}
    assert not compared(switch, wish, {}, starred).differences
    found = compared(switch, wish, {}, OLD)
    assert found.differences == ("system/aaa/user/ops/hashed-password",)
    wish = Wish({"system": {"snmp-server": {"readonly-community": {"canary-word": {}}}}})
    assert "canary" not in compared(switch, wish, {}, OLD).named()


def test_what_a_guard_kept_stays_out_of_it(switch: Make) -> None:
    """The guard is not put again: after the change it may keep other places."""

    class Theirs:
        def hold(self, before: Any, wish: Any) -> HeldPlaces:
            return HeldPlaces(
                ("interface/swp2",) if "swp2" in before["interface"] else ("interface/swp1",)
            )

        def forbid(self, before: Any, after: Any) -> tuple[str, ...]:
            return ()

    wish = Wish(PORTS.config, PORTS.state, PORTS.owns, guard=Theirs())
    before = {"interface": {"swp2": {"vrf": "BLUE"}}}
    now = {"interface": {"swp2": {"vrf": "BLUE"}}}
    assert compared(switch, wish, before, now).differences == ("interface/swp1/vrf",)


@pytest.mark.parametrize(
    ("now", "same"),
    [
        ({"interface": {"swp1-2": {"vrf": "RED"}}}, True),
        ({"interface": {"swp2": {"vrf": "RED"}, "swp1": {"vrf": "RED"}}}, True),
        ({"interface": {"swp1": {"vrf": "RED"}}}, False),
        ({"interface": {"swp1-3": {"vrf": "RED"}}}, False),
    ],
)
def test_the_base_is_the_same_in_any_form(switch: Make, now: Any, same: bool) -> None:
    plan = make({"interface": {"swp1-2": {"vrf": "RED"}}}, Wish({}), NEW)
    fake = switch(applied=now)
    assert readback.is_base(fake.api(), plan) is same
    assert fake.log == ["GET /?rev=applied&filled=false"]
