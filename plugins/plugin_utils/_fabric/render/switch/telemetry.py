# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`system/telemetry`: which statistics a switch exports by OTLP, and to which collectors."""

from __future__ import annotations

import typing as t

from ...._nvue.document.release import Release
from ...catalog.data import table
from ...description import endpoints
from ...description.errors import FabricError

if t.TYPE_CHECKING:
    from .....module_utils._json import Doc
    from .context import Context

# Where a collector listens unless the description says otherwise: the switch's own default (D517).
PORT = 8443
# Groups of statistics that a collector gets unless the role says otherwise.
GROUPS = ("interface-stats", "buffer-stats", "ai-ethernet-stats")
# Lossy and lossless, as RoCE lossless numbers them [inferred from published OTLP set-ups].
_PRIORITY_GROUPS = ("0", "1")
_PRIORITY_SINCE, _PHY_SINCE = Release(5, 11), Release(5, 12)  # the 5.11 and 5.12 pages What's New


def telemetry(ctx: Context, vrf: str) -> Doc:
    """The export to the collectors of the description; empty without any.

    FabricError for a certificate of a collector that the description does not list, and for collectors without one
    where others, or the switch itself, have one.
    """
    ends = [endpoints.split(text, PORT) for text in ctx.description.management.telemetry]
    if not ends:
        return {}
    stated = ctx.options.get("telemetry_groups") or GROUPS
    groups: dict[str, Doc] = {group: {"export": {"state": "enabled"}} for group in stated}
    if "interface-stats" in groups:
        groups["interface-stats"] |= _classes(ctx)
    return {
        "export": {"vrf": vrf, "otlp": {"state": "enabled", "grpc": _grpc(ctx, ends)}},
        **groups,
    }


def _grpc(ctx: Context, ends: list[tuple[str, int]]) -> Doc:
    """The connection: verified by a certificate authority, or plainly insecure."""
    options = ctx.options
    own = options.get("telemetry_certificates") or {}
    if unknown := sorted(own.keys() - dict(ends).keys()):
        raise FabricError.of(
            f"switch_base_telemetry_certificates: {unknown[0]} is not a collector of management.telemetry: use one of "
            f"{', '.join(host for host, _port in ends)}."
        )
    made: Doc = {
        "destination": {
            host: {"port": port, **({"certificate": own[host]} if host in own else {})}
            for host, port in ends
        }
    }
    stated = {
        "certificate": options.get("telemetry_certificate"),
        "client-certificate": options.get("telemetry_client_certificate"),
    }
    made |= {key: value for key, value in stated.items() if value}
    bare = [host for host, _port in ends if host not in own and "certificate" not in made]
    if bare and (own or "client-certificate" in made):
        raise FabricError.of(
            f"switch_base_telemetry_certificates: {bare[0]} has no certificate authority, and an export with "
            "certificates verifies each collector: state one for it, or one for all in "
            "switch_base_telemetry_certificate."
        )
    return made | ({"insecure": "enabled"} if bare else {})


def _classes(ctx: Context) -> Doc:
    """Counters that interface statistics leave out by default: bit errors, and marks, pauses and drops by class."""
    qos = table("qos")
    classes = sorted({str(number) for number in qos["priority_to_traffic_class"].values()})
    made: Doc = {
        "egress-buffer": {"traffic-class": {number: {} for number in classes}},
        "ingress-buffer": {"priority-group": {number: {} for number in _PRIORITY_GROUPS}},
    }
    if ctx.everywhere_since(_PRIORITY_SINCE):
        made["switch-priority"] = {qos["roce_priority"]: {}}
    if ctx.everywhere_since(_PHY_SINCE):
        made["class"] = {"phy": {"state": "enabled"}}
    return made
