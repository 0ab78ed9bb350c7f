# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import (
    known_bugs,
    preflight,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.preflight_table import (
    CONDITIONS,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import diff, put

BGP = "vrf/RED/router/bgp"


def at(*places: tuple[str, Any]) -> dict[str, Any]:
    doc: dict[str, Any] = {}
    for place, value in places:
        doc = put(doc, tuple(place.split("/")), value)
    return doc


AGGREGATE = at((f"{BGP}/address-family/ipv4-unicast/aggregate-route/10/summary-only", "enabled"))
VNI = ("vrf/RED/evpn/vni/4001", {})

# (bug, release that has it, release that does not, before, after)
CASES: list[tuple[int, str, str, dict[str, Any], dict[str, Any]]] = [
    (5040890, "5.16.0", "5.18.0", {}, AGGREGATE),
    (
        5172071,
        "5.17.0",
        "5.18.0",
        at((f"{BGP}/peer-group/old", {}), (f"{BGP}/neighbor/swp1/peer-group", "old")),
        at((f"{BGP}/neighbor/swp1/peer-group", "new")),
    ),
    (
        4871161,
        "5.18.0",
        "5.9.0",
        at((f"{BGP}/autonomous-system", 1), VNI),
        at((f"{BGP}/autonomous-system", 2), VNI),
    ),
    (
        4871161,
        "5.17.0",
        "5.9.0",
        at(("router/bgp/autonomous-system", 1), VNI),
        at(("router/bgp/autonomous-system", 2), VNI),
    ),
    (5217091, "5.18.0", "5.17.0", {}, at((f"{BGP}/neighbor/swp1/type", "unnumbered"))),
    (4648833, "5.16.0", "5.14.0", {}, at(("interface/swp1/link/auto-negotiate", "disabled"))),
    (5041774, "5.17.0", "5.18.0", {}, at(("router/bgp/graceful-restart/mode", "full"), VNI)),
    (5072739, "5.17.0", "5.16.0", {"vrf": {f"t{n}": {} for n in range(501)}}, {"vrf": {}}),
    (5221592, "5.17.0", "5.16.0", {}, at(("router/adaptive-routing/state", "enabled"))),
    (5135125, "5.16.5", "5.18.0", {}, at(("interface/swp1/link/breakout/2x", {}))),
    (
        4933966,
        "5.16.4",
        "5.16.5",
        at(("interface/swp1/link/breakout/4x", {})),
        at(("interface/swp1/link/breakout/2x", {})),
    ),
    (4992204, "5.15.0", "5.17.0", {}, at(("nve/vxlan/port", 4789))),
    (
        4964154,
        "5.15.0",
        "5.17.0",
        {},
        at((f"{BGP}/address-family/ipv4-unicast/route-import/from-vrf/list/B", {})),
    ),
    (
        4895582,
        "5.16.0",
        "5.17.0",
        {},
        at((f"{BGP}/peer-group/a/allow-my-asn", {"occurrences": 1, "origin": "enabled"})),
    ),
    (4905123, "5.16.0", "5.17.0", {}, at(("router/bgp/graceful-restart/mode", "full"))),
    (
        5146168,
        "5.17.0",
        "5.18.0",
        {},
        at(("system/telemetry/export/otlp/grpc/destination/2001:db8::1/port", 4317)),
    ),
    (5215333, "5.18.0", "5.17.0", {}, at(("interface/swp1/description", "straße"))),
    (4608614, "5.16.0", "5.9.0-none", {}, at(("system/aaa/user/a/ssh/authorized-key/k/key", "A"))),
]


@pytest.mark.parametrize("bug, bad, good, before, after", CASES)
def test_each_bug_where_it_lives_and_not_elsewhere(
    bug: int, bad: str, good: str, before: dict[str, Any], after: dict[str, Any]
) -> None:
    def said(release: str) -> str:
        found = preflight.inspect(CONDITIONS, parse(release), diff(before, after), before, after)
        return " ".join(found[0] + found[1])

    assert f"Known bug {bug} of " in said(bad)
    if "none" not in good:
        assert f"Known bug {bug} of " not in said(good)


def test_every_bug_has_a_case() -> None:
    changes = {bug.id for bug in known_bugs.every() if bug.moment == "change"}
    assert changes == {case[0] for case in CASES} == set(CONDITIONS)


@pytest.mark.parametrize(
    "moment, release, bugs",
    [("busy", "5.17.0", 1), ("busy", "5.18.0", 0), ("failure", "5.16.5", 1),
     ("failure", "5.16.1", 0), ("no_diff", "5.17.0", 1), ("no_diff", "5.18.0", 0)],
)  # fmt: skip
def test_some_bugs_speak_at_other_moments(moment: str, release: str, bugs: int) -> None:
    assert len(preflight.said_at(moment, parse(release))) == bugs


@pytest.mark.parametrize(
    "before, after",
    [
        (at((f"{BGP}/autonomous-system", 1)), at((f"{BGP}/autonomous-system", 2))),
        (at(VNI), at(VNI, (f"{BGP}/autonomous-system", 2))),
        (at((f"{BGP}/peer-group/old", {})), {}),
        (
            at((f"{BGP}/peer-group/up/bfd/profile", "x")),
            at((f"{BGP}/peer-group/up", {}), (f"{BGP}/neighbor/swp9/peer-group", "up")),
        ),
        (
            at((f"{BGP}/peer-group/old", {})),
            at(("vrf/BLUE/router/bgp/neighbor/swp9/peer-group", "up"), (f"{BGP}/state", "enabled")),
        ),
        ({"vrf": {f"t{n}": {} for n in range(500)}}, {}),
        ({}, at((f"{BGP}/peer-group/a/allow-my-asn", {"occurrences": 1}))),
        (
            at(("router/bgp/autonomous-system", 1), (f"{BGP}/autonomous-system", 9), VNI),
            at(("router/bgp/autonomous-system", 2), (f"{BGP}/autonomous-system", 9), VNI),
        ),
    ],
)
def test_near_misses_are_no_refusals(before: dict[str, Any], after: dict[str, Any]) -> None:
    _warnings, refusals = preflight.inspect(
        CONDITIONS, parse("5.17.0"), diff(before, after), before, after
    )
    assert refusals == []


@pytest.mark.parametrize(
    "bug, after",
    [
        (5041774, at(("router/bgp/graceful-restart/mode", "helper-only"), VNI)),
        (5041774, at(("router/bgp/graceful-restart/mode", "full"))),
        (4648833, at(("interface/swp1/link/auto-negotiate", "enabled"))),
    ],
)
def test_near_misses_are_no_warnings(bug: int, after: dict[str, Any]) -> None:
    warnings, _refusals = preflight.inspect(CONDITIONS, parse("5.17.0"), diff({}, after), {}, after)
    assert not any(str(bug) in warning for warning in warnings)


def test_refusals_are_one_sentence_each() -> None:
    before, after = {}, {"a": "ß"}
    _warnings, refusals = preflight.inspect(
        CONDITIONS, parse("5.18.0"), diff(before, after), before, after
    )
    assert refusals == [
        "Known bug 5215333 of 5.18.0: a value that is not ASCII crashes the validation of NVUE "
        "(a); refused, write it in ASCII."
    ]
