# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions of the known bugs that a change triggers, by NVIDIA's id; ``known_bugs.yaml`` has the rest of each."""

from __future__ import annotations

from .preflight import (
    Condition,
    both,
    full_restart_with_l3vni,
    no_negotiation,
    not_ascii,
    occurrences_and_origin,
    otlp_to_ipv6,
    peers_moved_and_group_gone,
    removes,
    sets,
    unsets,
    vni_of_changed_vrf,
)

_NEIGHBOR = "vrf/*/router/bgp/neighbor/*"

CONDITIONS: dict[int, Condition] = {
    5040890: sets("vrf/*/router/bgp/address-family/ipv4-unicast/aggregate-route"),
    5172071: peers_moved_and_group_gone,
    4871161: vni_of_changed_vrf,
    5072739: removes("vrf", 500),
    5221592: sets("router/adaptive-routing/state"),
    5217091: sets(f"{_NEIGHBOR}/type"),
    5135125: sets("interface/*/link/breakout"),
    4933966: both(sets("interface/*/link/breakout/2x"), unsets("interface/*/link/breakout/4x")),
    4648833: no_negotiation,
    4992204: sets("nve/vxlan/port"),
    4964154: sets("vrf/*/router/bgp/address-family/*/route-import/from-vrf"),
    4895582: occurrences_and_origin,
    4905123: sets("router/bgp/graceful-restart/mode"),
    5041774: full_restart_with_l3vni,
    5146168: otlp_to_ipv6,
    5215333: not_ascii,
    4608614: sets("system/aaa/user/*/ssh/authorized-key"),
}
