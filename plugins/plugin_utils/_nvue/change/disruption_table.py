# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Effects of an applied change on traffic, as data.

Sources: ``D517`` and ``D518`` are the user guides of those releases (Equal Cost Multipath,
Quality of Service, BFD, Optional BGP Configuration, Access Control Lists, User Accounts);
*inferred* rows follow from them without being written there.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effect:
    """A change at one of the places has this effect; ``only`` restricts it to one kind of change."""

    klass: str
    effect: str
    source: str
    places: tuple[str, ...]
    only: str = ""
    """`change`: not when it appears for the first time; `swap`: a key goes and another one takes its place."""


@dataclass(frozen=True)
class DisruptionClass:
    """A class of effects: whether it must be allowed, and the confirm timer it needs."""

    gated: bool
    timer: int  # seconds; our choice, the command line's own default is 600


CLASSES = {
    "switchd_reload": DisruptionClass(gated=True, timer=600),
    "frr_restart": DisruptionClass(gated=True, timer=300),
    "breakout": DisruptionClass(gated=True, timer=600),
    "renumber": DisruptionClass(gated=True, timer=300),
    # No effect of a change: the switch does not report sessions that the change may lose.
    "unread_sessions": DisruptionClass(gated=True, timer=180),
    "session_flap": DisruptionClass(gated=False, timer=300),
    "port_flap": DisruptionClass(gated=False, timer=300),
    "telemetry_restart": DisruptionClass(gated=False, timer=180),
}
DEFAULT_TIMER = 180

_AR = "switchd reloads (restarts up to 5.12), every port flaps"
_SNIPPET = "switchd reloads, as the snippet lists it, and every port may flap"
_QOS = "switchd reloads, short loss on every port"
_RESTART = "switchd restarts, every port goes down"
_RESET = "every BGP session is reset"
_PEER = "the BGP session is reset"
_GAP = "telemetry restarts: its series have a gap, and its health counters begin again"
_KNOWN = "hosts and neighbours use the old value"
_BGP, _NEIGHBOR, _GROUP = (
    f"vrf/*/router/bgp{below}" for below in ("", "/neighbor/*", "/peer-group/*")
)

EFFECTS = (
    Effect("switchd_reload", _AR, "D517",
           ("router/adaptive-routing", "interface/*/router/adaptive-routing")),
    Effect("switchd_reload", _SNIPPET, "D516", ("system/config/snippet/spx-ar-profile",)),
    Effect("switchd_reload", _AR, "D516",
           ("system/config/snippet/adaptive_routing_conf-snippet",)),
    Effect("switchd_reload", _QOS, "D517 (inferred for ports)", ("qos", "interface/*/qos")),
    Effect("switchd_reload", _RESTART, "D517, D518 for the resource mode",
           ("system/forwarding/hash-seed", "system/forwarding/resource-mode",
            "router/bgp/wait-for-install")),
    Effect("switchd_reload", _RESTART, "D518 VLAN-aware Bridge Mode (its Linux commands; inferred for NVUE)",
           ("system/global/reserved/vlan/internal",)),
    Effect("switchd_reload", "switchd reloads", "D517", ("system/acl/mode",)),
    Effect("frr_restart", "FRR restarts, every session is reset", "D517", ("router/bfd/state",)),
    Effect("frr_restart", "EVPN and VXLAN are rebuilt", "D518", ("evpn/l3vxi",)),
    Effect("frr_restart", _RESET, "D517", ("router/bgp/graceful-restart/mode",), only="change"),
    Effect("frr_restart", _RESET, "inferred",
           ("router/bgp/autonomous-system", "router/bgp/router-id"), only="change"),
    Effect("frr_restart", "every BGP session of the VRF is reset", "inferred",
           (f"{_BGP}/autonomous-system",), only="change"),
    # An address, a router ID or an ASN that others use.
    Effect("renumber", _KNOWN, "inferred",
           ("interface/*/ipv4/address/*", "interface/*/ipv6/address/*"), only="swap"),
    Effect("renumber", _KNOWN, "inferred",
           ("nve/vxlan/source/address", "router/bgp/router-id", "router/bgp/autonomous-system",
            f"{_BGP}/router-id", f"{_BGP}/autonomous-system", f"{_NEIGHBOR}/remote-as",
            f"{_GROUP}/remote-as"), only="change"),
    Effect("renumber", "leaves with the old value exchange no routes of the VRF with it",
           "inferred", (f"{_BGP}/route-export/to-evpn/route-target/*",), only="swap"),
    Effect("renumber", "packets of the VRF from leaves with the old value are dropped",
           "inferred", ("vrf/*/evpn/vni/*",), only="swap"),
    Effect("breakout", "the ports of the cage are created again", "D517",
           ("interface/*/link/breakout",)),
    Effect("session_flap", _PEER, "D517",
           (*(f"{peer}/{leaf}" for peer in (_NEIGHBOR, _GROUP)
              for leaf in ("update-source", "multihop-ttl", "password", "capabilities")),
            f"{_NEIGHBOR}/peer-group")),
    Effect("session_flap", _PEER, "inferred",
           (f"{_NEIGHBOR}/remote-as", f"{_GROUP}/remote-as"), only="change"),
    Effect("session_flap", _PEER, "inferred",
           (f"{_NEIGHBOR}/local-as", f"{_NEIGHBOR}/ttl-security"), only="change"),
    Effect("port_flap", "the port flaps", "inferred",
           tuple(f"interface/*/link/{leaf}"
                 for leaf in ("speed", "fec", "auto-negotiate", "lanes")), only="change"),
    Effect("port_flap", "the bond goes down and up", "inferred",
           ("interface/*/bond/mode", "interface/*/evpn/multihoming/segment"), only="change"),
    Effect("telemetry_restart", _GAP, "release notes of 5.19, 4214678", ("system/telemetry",)),
    # A state is a key, so that it comes or goes and never changes; one that nobody set is up.
    Effect("port_flap", "the port goes down or up", "inferred", ("interface/*/link/state/down",)),
)  # fmt: skip

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
