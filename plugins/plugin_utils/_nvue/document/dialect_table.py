# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renamed parts of the NVUE object model, as data.

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


class KeyedCollection(Move):
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


class Offload(Move):
    """The engine of BFD, which was a switch; hardware (Spectrum-6) had none."""

    def spelled(self, value: Json, path: Path, release: Release) -> Json:
        """Return the word of the switch; refuse what it could not say."""
        word = {"kernel": "enabled", "control-plane": "disabled"}.get(str(value))
        if word is None:
            raise RefusedError(
                f"{to_text(path)}: {value}: {release} takes kernel or control-plane; choose one, or leave it out."
            )
        return word

    def read(self, value: Json) -> tuple[Json, Json]:
        """Return the engine of a word, and leave what is none."""
        engine = {"enabled": "kernel", "disabled": "control-plane"}.get(str(value))
        return (engine, None) if engine else (None, value)


@dataclass(frozen=True)
class Feature:
    """A place that releases before ``since``, or from ``until`` on, cannot express."""

    place: str
    since: str
    source: str
    until: str = ""


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
        "5.15",
        "NVIDIA's schema of 5.15; the page of 5.15 still has the old place",
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
    Offload(
        "router/bfd/offload-mode",
        "router/bfd/offload",
        "5.19",
        "D519, Upgrade Notes of BFD: enabled becomes kernel, disabled the default control-plane",
    ),
    Move(f"{_BUFFERS}/ingress-service-pool", f"{_BUFFERS}/ingress-pool", "5.11", "D511"),
    Move(f"{_BUFFERS}/egress-service-pool", f"{_BUFFERS}/egress-pool", "5.11", "D511"),
    Move(f"{_COMMUNITY}/0:0", f"{_COMMUNITY}/internet", "5.14", "D514"),
    *(
        KeyedCollection(place, place, since, source)
        for place, since, source in (
            (
                "service/ntp/*/listen",
                "5.15",
                "D515 (a word in the command; inferred for the model)",
            ),
            ("vrf/*/router/static/*/via/*/interface", "5.12", "NVIDIA's schema"),
        )
    ),
)

FEATURES = (
    Feature(
        "vrf/*/router/bgp/address-family/*/route-export/to-evpn/skip-evpn-imported",
        "5.19",
        "D519",
    ),
    Feature("router/bfd/offload", "5.16", "D516, D519", until="5.19"),
)
"""Places that releases newer than NVIDIA's schema have or lack; the schema itself judges older ones."""

# Defaults of a BFD profile (D517), written out where the old spelling has no profile.
BFD_DEFAULTS = {"detect-multiplier": 3, "min-rx-interval": 300, "min-tx-interval": 300}
