# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an applied change does to traffic, as data.

Sources: ``D517`` and ``D518`` are the user guides of those releases (Equal Cost Multipath,
Quality of Service, BFD, Optional BGP Configuration, Access Control Lists, User Accounts);
*inferred* rows follow from them without being written there.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effect:
    """A change at ``place`` has this effect; ``only`` restricts it to one kind of change."""

    place: str
    klass: str
    effect: str
    source: str
    only: str = ""
    """`change`: not when it appears for the first time; `swap`: a key goes and another one takes its place."""


@dataclass(frozen=True)
class Klass:
    """A class of effects: whether it must be allowed, and the confirm timer it needs."""

    gated: bool
    timer: int  # seconds; our choice, the command line's own default is 600


CLASSES = {
    "switchd_reload": Klass(gated=True, timer=600),
    "frr_restart": Klass(gated=True, timer=300),
    "breakout": Klass(gated=True, timer=600),
    "renumber": Klass(gated=True, timer=300),
    # No effect of a change: the switch does not report sessions that the change may lose.
    "unread_sessions": Klass(gated=True, timer=180),
    "session_flap": Klass(gated=False, timer=300),
    "port_flap": Klass(gated=False, timer=300),
}
DEFAULT_TIMER = 180

_AR = "switchd reloads (restarts up to 5.12), every port flaps"
_SNIPPET = "switchd reloads, as the snippet lists it, and every port may flap"
_QOS = "switchd reloads, short loss on every port"
_RESTART = "switchd restarts, every port goes down"
_PEER = "the BGP session is reset"
_KNOWN = "hosts and neighbours use the old value"

EFFECTS = (
    Effect("router/adaptive-routing", "switchd_reload", _AR, "D517"),
    Effect("interface/*/router/adaptive-routing", "switchd_reload", _AR, "D517"),
    Effect("system/config/snippet/spx-ar-profile", "switchd_reload", _SNIPPET, "D516"),
    Effect("system/config/snippet/adaptive_routing_conf-snippet", "switchd_reload", _AR, "D516"),
    Effect("qos", "switchd_reload", _QOS, "D517"),
    Effect("interface/*/qos", "switchd_reload", _QOS, "D517 (inferred for ports)"),
    Effect("system/forwarding/hash-seed", "switchd_reload", _RESTART, "D517"),
    Effect("system/forwarding/resource-mode", "switchd_reload", _RESTART, "D518"),
    Effect("router/bgp/wait-for-install", "switchd_reload", _RESTART, "D517"),
    Effect("system/acl/mode", "switchd_reload", "switchd reloads", "D517"),
    Effect("router/bfd/state", "frr_restart", "FRR restarts, every session is reset", "D517"),
    Effect("evpn/l3vxi", "frr_restart", "EVPN and VXLAN are rebuilt", "D518"),
    Effect(
        "router/bgp/graceful-restart/mode",
        "frr_restart",
        "every BGP session is reset",
        "D517",
        only="change",
    ),
    *(
        Effect(
            f"router/bgp/{leaf}",
            "frr_restart",
            "every BGP session is reset",
            "inferred",
            only="change",
        )
        for leaf in ("autonomous-system", "router-id")
    ),
    Effect(
        "vrf/*/router/bgp/autonomous-system",
        "frr_restart",
        "every BGP session of the VRF is reset",
        "inferred",
        only="change",
    ),
    # An address, a router ID or an ASN that others use.
    *(
        Effect(f"interface/*/{family}/address/*", "renumber", _KNOWN, "inferred", only="swap")
        for family in ("ipv4", "ipv6")
    ),
    *(
        Effect(place, "renumber", _KNOWN, "inferred", only="change")
        for place in (
            "nve/vxlan/source/address",
            "router/bgp/router-id",
            "router/bgp/autonomous-system",
            "vrf/*/router/bgp/router-id",
            "vrf/*/router/bgp/autonomous-system",
            "vrf/*/router/bgp/neighbor/*/remote-as",
            "vrf/*/router/bgp/peer-group/*/remote-as",
        )
    ),
    Effect(
        "vrf/*/router/bgp/route-export/to-evpn/route-target/*",
        "renumber",
        "leaves with the old value exchange no routes of the VRF with it",
        "inferred",
        only="swap",
    ),
    Effect(
        "interface/*/link/breakout", "breakout", "the ports of the cage are created again", "D517"
    ),
    *(
        Effect(f"vrf/*/router/bgp/{kind}/*/{leaf}", "session_flap", _PEER, "D517")
        for kind in ("neighbor", "peer-group")
        for leaf in ("update-source", "multihop-ttl", "password", "capabilities")
    ),
    Effect("vrf/*/router/bgp/neighbor/*/peer-group", "session_flap", _PEER, "D517"),
    *(
        Effect(
            f"vrf/*/router/bgp/{kind}/*/remote-as", "session_flap", _PEER, "inferred", only="change"
        )
        for kind in ("neighbor", "peer-group")
    ),
    *(
        Effect(f"interface/*/link/{leaf}", "port_flap", "the port flaps", "inferred", only="change")
        for leaf in ("speed", "fec", "auto-negotiate", "lanes")
    ),
    # A state is a key, so that it comes or goes and never changes; one that nobody set is up.
    Effect("interface/*/link/state/down", "port_flap", "the port goes down or up", "inferred"),
)

# Places by which no BGP session can be lost, so that nothing is waited for after their change.
QUIET = (
    "interface/*/description",
    "router/bgp/graceful-shutdown",
    "system/aaa",
    "system/dns",
    "system/hostname",
    "system/lldp",
    "system/message",
    "system/ntp",
    "system/snmp-server",
    "system/syslog",
    "system/telemetry",
    "system/date-time",
    "vrf/*/router/bgp/neighbor/*/description",
)
# Places that can drop one protocol of a neighbour and let another pass.
FILTERS = ("acl", "interface/*/acl", "system/acl", "system/control-plane")

# Changes that end sessions of people; refused for the account that is logged in (D517).
ACCOUNT = "system/aaa/user"
PASSWORDS = ("hashed-password", "password")
