# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What NVIDIA renamed in the NVUE object model, as data.

The neutral document is spelled as in Cumulus Linux 5.16 and newer. Each row says how releases
before ``since`` spell the same thing. Sources: ``D515`` and ``D510`` are the pages *New and
Changed NVUE Commands* and *What's New* of those releases' user guides at
docs.nvidia.com/networking-ethernet-software; ``NETLAB`` is the routing template of
ipspace/netlab; *inferred* marks what follows from neither in so many words.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....module_utils._json import Json
from ..errors import RefusedError
from .paths import Path, to_text
from .release import Release
from .shapes import mapping


@dataclass(frozen=True)
class Move:
    """A subtree that stood elsewhere; each ``*`` of one side is the same key on the other."""

    new: str
    old: str
    since: str
    source: str

    def spelled(self, value: Json, _path: Path, _release: Release) -> Json:
        """Return what the old place holds; ``None`` for nothing."""
        return value

    def read(self, value: Json) -> tuple[Json, Json]:
        """Return what the new place holds, and what stays at the old one; ``None`` for nothing."""
        return value, None


class Presence(Move):
    """A switched leaf (``enabled``) that was the presence of an old key."""

    def spelled(self, value: Json, _path: Path, _release: Release) -> Json:
        """Return the key of what is enabled."""
        return {} if value == "enabled" else None

    def read(self, _value: Json) -> tuple[Json, Json]:
        """Return that the key is there."""
        return "enabled", None


class Family(Move):
    """Addresses of one family, which were in one collection with those of the other."""

    def read(self, value: Json) -> tuple[Json, Json]:
        """Return the addresses of the family, and the others."""
        parts: tuple[dict[str, Json], dict[str, Json]] = ({}, {})
        for key, body in mapping(value).items():
            parts[(":" in key) != ("/ipv6/" in self.new)][key] = body
        return parts[0] or None, parts[1] or None


class Keyed(Move):
    """A collection that was a single word: ``{RED: {}}`` was ``RED``. Spelled the old way."""

    def spelled(self, value: Json, path: Path, release: Release) -> Json:
        """Return the only member; refuse several."""
        if isinstance(value, dict) and len(value) > 1:
            raise RefusedError(
                f"{to_text(path)} has the members {', '.join(sorted(value))}; {release} takes one."
            )
        return next(iter(value), None) if isinstance(value, dict) else value

    def read(self, value: Json) -> tuple[Json, Json]:
        """Return the word as the key of a collection."""
        return value if isinstance(value, dict) else {str(value): {}}, None


@dataclass(frozen=True)
class Feature:
    """A place that releases before ``since``, or from ``until`` on, cannot express."""

    place: str
    since: str
    source: str
    until: str = ""
    value: str = ""


_BUFFERS = "qos/advance-buffer-config/*"
_OTLP = "system/telemetry/export/otlp/grpc"
_COMMUNITY = "router/policy/route-map/*/rule/*/set/community"

# Taken in this order in both directions: inner renames before the outer ones.
MOVES = (
    Presence("interface/*/ipv4/dhcp-client/state", "interface/*/ip/address/dhcp", "5.15", "D515"),
    Presence("interface/*/ipv6/dhcp-client/state", "interface/*/ip/address/dhcp6", "5.15", "D515"),
    *(
        Family(f"interface/*/{family}/{place}", f"interface/*/ip/{place}", "5.15", "D515")
        for place in ("address", "gateway", "vrr/address")
        for family in ("ipv4", "ipv6")
    ),
    Move("interface/*/vrf", "interface/*/ip/vrf", "5.15", "D515"),
    Move("interface/*/ipv4/forward", "interface/*/ip/ipv4/forward", "5.15", "D515"),
    Move("interface/*/ipv6/forward", "interface/*/ip/ipv6/forward", "5.15", "D515"),
    Move("interface/*/ipv6/state", "interface/*/ip/ipv6/state", "5.15", "D515"),
    Move(
        "interface/*/ipv6/neighbor-discovery",
        "interface/*/ip/neighbor-discovery",
        "5.15",
        "D515",
    ),
    Move("interface/*/ipv4/igmp", "interface/*/ip/igmp", "5.15", "D515"),
    Move(
        "system/date-time/timezone",
        "system/timezone",
        "5.16",
        "D516; the page of 5.15 still has the old place",
    ),
    Move("system/lldp", "service/lldp", "5.15", "D515"),
    Move("system/snmp-server", "service/snmp-server", "5.11", "REF"),
    Move("system/telemetry", "service/telemetry", "5.10", "D510"),
    Move("vrf/*/dhcp-server-v4/subnet", "service/dhcp-server/*/pool", "5.15", "D515"),
    Move("vrf/*/dhcp-server-v4/static-host", "service/dhcp-server/*/static", "5.15", "D515"),
    Move("vrf/*/dhcp-server-v4", "service/dhcp-server/*", "5.15", "D515"),
    Move("vrf/*/dhcp-server-v6/subnet", "service/dhcp-server6/*/pool", "5.15", "D515"),
    Move("vrf/*/dhcp-server-v6/static-host", "service/dhcp-server6/*/static", "5.15", "D515"),
    Move("vrf/*/dhcp-server-v6", "service/dhcp-server6/*", "5.15", "D515"),
    Move(
        "system/telemetry/ai-ethernet-stats",
        "system/telemetry/adaptive-routing-stats",
        "5.14",
        "D514",
    ),
    Move(f"{_OTLP}/certificate", f"{_OTLP}/cert-id", "5.15", "D515"),
    Move(f"{_OTLP}/destination/*/certificate", f"{_OTLP}/destination/*/cert-id", "5.15", "D515"),
    Move(f"{_BUFFERS}/ingress-service-pool", f"{_BUFFERS}/ingress-pool", "5.11", "D511"),
    Move(f"{_BUFFERS}/egress-service-pool", f"{_BUFFERS}/egress-pool", "5.11", "D511"),
    Move(f"{_COMMUNITY}/0:0", f"{_COMMUNITY}/internet", "5.14", "D514"),
    *(
        Keyed(place, place, since, source)
        for place, since, source in (
            (
                "service/ntp/*/listen",
                "5.15",
                "D515 (a word in the command; inferred for the model)",
            ),
            ("vrf/*/router/static/*/via/*/interface", "5.10.1", "NETLAB"),
            (
                "vrf/*/router/bgp/address-family/*/route-import/from-vrf/list",
                "5.14",
                "D514 (scalar before; inferred from the release's list of changes)",
            ),
        )
    ),
)

# Leaves that said ``state: enabled|disabled`` before 5.15, in the neutral spelling.
# Every other ``state`` was ``enable``, every other enabled/disabled was on/off (D515, *On/Off*).
KEEPS_STATE = (
    ("system/aaa/user/*/state", "5.11", "D511: state replaces enable; an older REF differs"),
    ("system/api/state", "5.6", "REF API: introduced as state in 5.6"),
    ("system/config/auto-save/state", "5.10", "D510"),
    ("system/lldp/state", "5.11", "D511: service lldp state"),
    ("system/security", "5.9", "REF"),
    ("system/snmp-server/state", "5.11", "not among the on/off changes of D515"),
    ("system/ssh-server", "5.6", "REF"),
    ("system/telemetry/*/export", "5.9", "REF Telemetry"),
    ("system/telemetry/export", "5.9", "REF Telemetry"),
)

# Leaves for which ``on`` or ``off`` is a word of its own in every release, or free text.
FREE_WORDS = frozenset(
    {"content", "description", "fec", "full-name", "hostname", "mode", "name", "post-login",
     "pre-login"}
)  # fmt: skip

_PREFIX_LIMITS = "vrf/*/router/bgp/{}/*/address-family/*/prefix-limits/inbound/reestablish-wait"

FEATURES = (
    Feature(
        "vrf/*/router/bgp/address-family/*/route-export/to-evpn/skip-evpn-imported",
        "5.19",
        "D519",
    ),
    Feature(_PREFIX_LIMITS.format("neighbor"), "5.14", "D514"),
    Feature(_PREFIX_LIMITS.format("peer-group"), "5.14", "D514"),
    Feature("interface/*/link-tracking", "5.18", "D518"),
    Feature("system/link-tracking", "5.18", "D518"),
    Feature("system/do-spx", "5.18", "D518"),
    Feature("evpn/l3vxi", "5.18", "D518"),
    Feature("vrf/*/router/bgp/plane-id", "5.18", "D518"),
    Feature("interface/*/link/debounce", "5.17", "D517"),
    Feature("interface/*/qos/shared-headroom-pool", "5.17", "D517"),
    Feature("qos/advance-buffer-config/*/shared-headroom", "5.17", "D517"),
    Feature("system/telemetry/metric-list", "5.17", "D517"),
    Feature(
        "vrf/*/router/bgp/address-family/l2vpn-evpn/advertise/ipv4-unreachability",
        "5.17",
        "D517",
    ),
    Feature("router/bfd/offload", "5.16", "D516"),
    Feature("vrf/*/router/bgp/soo-source", "5.16", "D516"),
    Feature("system/api/compression", "5.16", "D516"),
    Feature("system/telemetry/export/otlp/grpc/client-certificate", "5.16", "D516"),
    Feature("interface/*/qos/headroom", "5.16", "D516"),
    Feature("system/telemetry/buffer-stats", "5.12", "D512"),
    Feature("system/telemetry/interface-stats/class/phy", "5.12", "D512"),
    Feature("system/telemetry/interface-stats/switch-priority", "5.11", "D511"),
    Feature("system/telemetry/export/otlp", "5.10", "D510"),
    Feature("system/syslog/selector", "5.13", "D513"),
    Feature("system/lldp/state", "5.11", "D511"),
    Feature("system/api/token-expiration", "5.14", "D514"),
    Feature("system/forwarding/packet-trim", "5.14", "D514"),
    Feature("interface/*/packet-trim", "5.14", "D514"),
    Feature("maintenance", "5.13", "D513"),
    Feature("qos/roce/mode", "5.18", "D518", value="dci-1"),
    Feature("qos/roce/mode", "5.14", "D514", value="lossy-multi-tc"),
    Feature("qos/roce/mode", "5.12", "D512", value="lossless-single-ipool"),
    Feature("system/docker/state", "5.9", "RN516 4824902, D518", until="5.17"),
)

# Neutral places that must be gone once a document is spelled the old way.
NEW_ONLY = (
    "interface/*/ipv4",
    "interface/*/ipv6",
    "router/bfd",
    "system/dns",
    "system/lldp",
    "system/ntp",
    "vrf/*/router/bgp/neighbor/*/bfd/profile",
    "vrf/*/router/bgp/peer-group/*/bfd/profile",
)

# Defaults of a BFD profile (D517), written out where the old spelling has no profile.
BFD_DEFAULTS = {"detect-multiplier": 3, "min-rx-interval": 300, "min-tx-interval": 300}
