# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""For how long a change has to be watched before its sessions have outlived it."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import peers
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.paths import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import (
    Change,
    Doc,
)

PLAIN = {"neighbor": {"swp1": {"peer-group": "up"}}}
BFD = {"neighbor": {"swp1": {"peer-group": "up"}}, "peer-group": {"up": {"bfd": {"profile": "p"}}}}
FAST = {"state": "enabled", "profile": {"p": {"detect-multiplier": 3, "min-rx-interval": 500}}}


def doc(bgp: Doc, bfd: Doc | None = None) -> Doc:
    made: Doc = {"vrf": {"default": {"router": {"bgp": bgp}}}}
    return {**made, "router": {"bfd": bfd}} if bfd else made


def held(**timers: int) -> Doc:
    return {"neighbor": {"swp1": {"timers": timers}}}


@pytest.mark.parametrize(
    "place, before, after, seconds",
    [
        ("system/hostname", doc(PLAIN), doc(PLAIN), 0),
        ("system/aaa/user/x/role", doc(PLAIN), doc(PLAIN), 0),
        ("system/acl/mode", doc(PLAIN), doc(PLAIN), 10),
        ("interface/swp9/vrf", doc(PLAIN), doc(PLAIN), 10),
        ("interface/swp9/vrf", doc(PLAIN), doc(held(hold=30)), 31),
        ("interface/swp9/vrf", doc({**PLAIN, "timers": {"hold": 180}}), doc(PLAIN), 181),
        ("interface/swp9/vrf", doc(held(hold=0)), doc(PLAIN), math.inf),
        ("interface/swp9/vrf", doc(BFD, FAST), doc(BFD, FAST), 2.5),
        ("interface/swp9/vrf", doc(BFD, {**FAST, "state": "disabled"}), doc(BFD, FAST), 10),
        ("interface/swp9/vrf", doc(BFD), doc(BFD, FAST), 10),
        ("acl/spx-control/rule/1", doc(BFD, FAST), doc(BFD, FAST), 10),
        ("interface/swp9/acl/x", doc(BFD, FAST), doc(BFD, FAST), 10),
    ],
)
def test_window(place: str, before: Any, after: Any, seconds: float) -> None:
    changes = [Change(parse(place), None, "x")]
    assert peers.window(changes, {("default", "swp1")}, (before, after)) == seconds
    assert peers.window(changes, set(), (before, after)) == 0


@pytest.mark.parametrize("off", [{"state": "disabled"}, {"shutdown": "enabled"}])
def test_a_neighbour_that_is_switched_off_is_not_wanted_up(off: Doc) -> None:
    after = doc({"neighbor": {"swp1": off, "swp2": {"state": "enabled"}}})
    assert peers.kept(peers.listed(after), after) == {("default", "swp2")}
