# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import disruption
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.disruption_table import (
    CLASSES,
    EFFECTS,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.paths import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import Change

BEFORE = {
    "interface": {"swp1": {}, "swp2s0": {}, "eth0": {}},
    "vrf": {
        "default": {"router": {"bgp": {"neighbor": {"swp1": {"peer-group": "up"}, "swp2s0": {}}}}},
        "RED": {"router": {"bgp": {"neighbor": {"10.0.0.1": {}}}}},
    },
}
ALL = ("RED/10.0.0.1", "default/swp1", "default/swp2s0")


def change(place: str, before: Any = "a", after: Any = "b") -> Change:
    return Change(parse(place), before, after)


@pytest.mark.parametrize(
    "changed, classes",
    [
        (change("router/adaptive-routing/state", None), {"switchd_reload"}),
        (change("interface/swp1/router/adaptive-routing/state", None), {"switchd_reload"}),
        (change("qos/roce/mode"), {"switchd_reload"}),
        (change("system/config/snippet/spx-ar-profile/content"), {"switchd_reload"}),
        (change("system/config/snippet/mine/content"), set()),
        (change("system/forwarding/hash-seed"), {"switchd_reload"}),
        (change("system/forwarding/resource-mode"), {"switchd_reload"}),
        (change("router/bgp/wait-for-install"), {"switchd_reload"}),
        (change("system/acl/mode"), {"switchd_reload"}),
        (change("router/bfd/state", None), {"frr_restart"}),
        (change("router/bfd/profile/up/min-rx-interval"), set()),
        (change("router/bgp/graceful-restart/mode"), {"frr_restart"}),
        (change("router/bgp/graceful-restart/mode", None), set()),
        (change("interface/swp1/link/breakout/2x", None, {}), {"breakout"}),
        (change("vrf/default/router/bgp/neighbor/swp1/peer-group"), {"session_flap"}),
        (change("vrf/default/router/bgp/peer-group/up/password"), {"session_flap"}),
        (change("vrf/default/router/bgp/neighbor/swp1/remote-as", None), set()),
        (change("interface/swp1/link/mtu"), set()),
        (change("interface/swp1/link/state/down", None, {}), {"port_flap"}),
        (change("interface/swp1/link/state/down", {}, None), {"port_flap"}),
        (change("interface/swp1/link/state/up", None, {}), set()),
        (change("system/hostname"), set()),
        (change("system/telemetry/interface-stats/sample-interval"), {"telemetry_restart"}),
    ],
)
def test_classes(changed: Change, classes: set[str]) -> None:
    found = disruption.classify([changed])
    assert {item.klass for item in found} == classes


PEER = "vrf/default/router/bgp/neighbor/swp1/remote-as"
TARGET = "vrf/t21-acme/router/bgp/route-export/to-evpn/route-target"
OLD, NEW = (
    "interface/swp1/ipv4/address/172.16.0.0%2F31",
    "interface/swp1/ipv4/address/10.0.0.0%2F31",
)


@pytest.mark.parametrize(
    "changes, places",
    [
        ([change(OLD, {}, None), change(NEW, None, {})], [OLD]),
        (
            [change(OLD, {}, None), change("interface/swp1/ipv6/address/fd00::%2F127", None, {})],
            [OLD],
        ),
        ([change(OLD, {}, None)], []),
        ([change(NEW, None, {})], []),
        ([change(OLD, {}, None), change(NEW.replace("swp1", "swp2"), None, {})], []),
        (
            [
                change("interface/eth0/ipv4/address/dhcp", {}, None),
                change(NEW.replace("swp1", "eth0"), None, {}),
            ],
            [],
        ),
        ([change("nve/vxlan/source/address")], ["nve/vxlan/source/address"]),
        ([change("nve/vxlan/source/address", None)], []),
        ([change("router/bgp/router-id")], ["router/bgp/router-id"]),
        ([change("router/bgp/autonomous-system")], ["router/bgp/autonomous-system"]),
        ([change(PEER)], [PEER]),
        (
            [
                change(f"{TARGET}/64512:4100021", {}, None),
                change(f"{TARGET}/64513:5100021", None, {}),
            ],
            [f"{TARGET}/64512:4100021"],
        ),
        (
            [
                change("vrf/t21-acme/evpn/vni/4100021", {}, None),
                change("vrf/t21-acme/evpn/vni/5100021", None, {}),
            ],
            ["vrf/t21-acme/evpn/vni/4100021"],
        ),
        ([change(f"{TARGET}/64512:4100021", None, {})], []),
    ],
)
def test_a_value_that_others_use_is_renumbered_only_while_it_is_replaced(
    changes: list[Change], places: list[str]
) -> None:
    found = [item for item in disruption.classify(changes) if item.klass == "renumber"]
    assert [place for item in found for place in item.places] == places
    assert all(item.gated for item in found)


@pytest.mark.parametrize(
    "changed, ports, sessions, restarts",
    [
        (change("qos/roce/mode"), ("swp1", "swp2s0"), (), 1),
        (change("interface/swp1/link/breakout/2x"), ("swp1",), (), 0),
        (change("interface/swp2s0/link/speed"), ("swp2s0",), (), 0),
        (change("interface/swp1/link/state/down", None, {}), ("swp1",), (), 0),
        (change("router/bfd/state"), (), ALL, 1),
        (change("vrf/RED/router/bgp/autonomous-system"), (), ("RED/10.0.0.1",), 1),
        (change("vrf/default/router/bgp/peer-group/up/remote-as"), (), ("default/swp1",), 0),
        (change("vrf/default/router/bgp/neighbor/swp2s0/password"), (), ("default/swp2s0",), 0),
        (change("vrf/default/router/bgp/neighbor/swp1/type", "x", None), (), ("default/swp1",), 0),
        (change("system/hostname"), (), (), 0),
    ],
)
def test_impact(changed: Change, ports: Any, sessions: Any, restarts: int) -> None:
    found = disruption.impact(disruption.classify([changed]), BEFORE, [changed])
    assert found["ports_flapped"] == list(ports)
    assert found["sessions_reset"] == list(sessions)
    assert len(found["restarts"]) == restarts


def test_the_gravest_class_sets_the_timer() -> None:
    both = [change("vrf/default/router/bgp/neighbor/swp1/password"), change("qos/roce/mode")]
    assert disruption.timer(disruption.classify(both)) == 600
    assert disruption.timer(disruption.classify(both[:1])) == 300
    assert disruption.timer([]) == 180


def test_every_effect_has_a_class_and_a_source() -> None:
    assert {row.klass for row in EFFECTS} == set(CLASSES) - {"unread_sessions"}
    assert all(row.source for row in EFFECTS)
