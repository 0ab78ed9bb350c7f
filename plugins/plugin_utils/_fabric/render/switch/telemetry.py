# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`system/telemetry`: which statistics a switch exports by OTLP, and to which collectors."""

from __future__ import annotations

import typing as t

from .....module_utils._json import Doc
from ...._nvue.document.release import Release
from ...catalog import telemetry as catalog
from ...catalog.data import table
from ...description import endpoints
from ...description.errors import FabricError

if t.TYPE_CHECKING:
    from ...plan.slices import SwitchSlice
    from .context import Context

# Where a collector listens unless the description says otherwise: the switch's own default (D517).
PORT = 8443
# Lossy and lossless, as RoCE lossless numbers them [inferred from published OTLP set-ups].
_PRIORITY_GROUPS = ("0", "1")
_PRIORITY_SINCE, _PHY_SINCE = Release(5, 11), Release(5, 12)  # the 5.11 and 5.12 pages What's New
_LABELS_SINCE, _LISTS_SINCE = Release(5, 11), Release(5, 18)  # metric lists are Beta in 5.17
LIST = "spx"
"""Name of the metric list; that it names metrics as OTLP does is [inferred]."""
_EXPORT: Doc = {"export": {"state": "enabled"}}
_ROUTER_STEP, _ROUTER_MOST = 10, 60  # D512: multiples of 10 seconds up to 60


def telemetry(ctx: Context, vrf: str) -> Doc:
    """The export to the collectors of the description; empty without any, and on an ASIC that has no export.

    FabricError for a certificate of a collector that the description does not list, and for collectors without one
    where others, or the switch itself, have one.
    """
    ends = [endpoints.split(text, PORT) for text in ctx.description.management.telemetry]
    if not ends or not catalog.sends(ctx.asic):
        return {}
    releases = ctx.description.releases
    groups = ctx.options.get("telemetry_groups") or catalog.default_groups(releases)
    if why := catalog.groups_refusal(groups, releases):
        raise FabricError.of(f"switch_base_telemetry_groups: {why}")
    return {
        "export": {"vrf": vrf, "otlp": {"state": "enabled", "grpc": _grpc(ctx, ends)}},
        **{group: _group(ctx, group) for group in groups},
        **_labels(ctx),
        **_list(ctx, groups),
    }


def _group(ctx: Context, group: str) -> Doc:
    """One group of statistics: its export, the parts that are off by default, and the interval."""
    interval = ctx.options.get("telemetry_interval") or catalog.INTERVAL
    slow = max(interval, catalog.SLOW)
    if group == "platform-stats":
        kept = catalog.kept(ctx.description.releases, [group]).values()
        classes = sorted(
            {row.klass for row in kept if ctx.everywhere_since(row.since) and row.klass}
        )
        state: Doc = {"state": "enabled", "sample-interval": slow}
        return {**_EXPORT, "class": dict.fromkeys(classes, state)}
    if group == "router":
        each = min(_ROUTER_MOST, -(-interval // _ROUTER_STEP) * _ROUTER_STEP)
        return {**_EXPORT, "sample-interval": str(each), "bgp": _EXPORT, "rib": _EXPORT}
    if group == "software-stats":
        return {"systemd": {**_EXPORT, "sample-interval": slow}}
    if group == "histogram":  # stores of time series lose what is sent as a difference
        return {**_EXPORT, "temporality": "cumulative"}
    classes_of = _classes(ctx) if group == "interface-stats" else {}
    return {**_EXPORT, "sample-interval": interval, **classes_of}


def _labels(ctx: Context) -> Doc:
    """Labels of all metrics: the place. Tenant and far end change with the registry and the cables, and are joined."""
    if not ctx.everywhere_since(_LABELS_SINCE):
        return {}
    labels = {"fabric": ctx.description.name, **place(ctx.slice)}
    return {"label": {name: {"description": text} for name, text in labels.items()}}


def place(row: SwitchSlice) -> dict[str, str]:
    """Return the labels of a switch: role, and plane, pod, SU and rail, counted from 1, where it has them."""
    keys: tuple[t.Literal["plane", "pod", "su"], ...] = ("plane", "pod", "su")
    made: dict[str, str] = {
        "role": row["role"],
        **{key: str(row[key] + 1) for key in keys if key in row},
    }
    rails = row.get("rails") or []
    return {**made, "rail": "-".join(str(rail + 1) for rail in rails)} if rails else made


def _list(ctx: Context, groups: t.Collection[str]) -> Doc:
    """The metric list, where every release takes one; older ones send whole groups to the collector."""
    if not ctx.everywhere_since(_LISTS_SINCE):
        return {}
    names = catalog.kept(ctx.description.releases, groups)
    return {
        "metric-list": {LIST: {"metric": {name: {} for name in sorted(names)}}},
        "include-list": LIST,
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
