# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`qos`: RoCE lossless, and every number behind it written out, so that it can be compared.

PFC constants are keyed by (ASIC, port speed, cable length); a key that the catalog lacks is
refused, because wrong headroom loses frames only under load, when nobody looks. A length that the
description states is `cable-length` of each PFC profile (NVUE has had it there, and not at
`qos.roce`, since 5.3); the default of 100 m chooses the constants and is not sent.
"""

from __future__ import annotations

import typing as t

from ...catalog.data import table
from ...description.errors import FabricError
from ...plan.topology.cages import gbps
from . import converged

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from .....module_utils._json import Doc, Json
    from .context import Context, PfcRow, Row

DEFAULT = "default-global"
SHAPER = "spx-cnp"
OUTSIDE = "spx-external"
"""The profile of ports to the outside and to servers: no PFC there, and what comes in is in no lossless class."""
_LOSSY = (
    converged.EXTERNAL,
    *(kind.kind for kind in converged.EQUIPMENT.values() if not kind.lossless),
)


class Qos(t.TypedDict):
    """The part of the catalog that is the same on every switch."""

    trust: str
    port_default_priority: int
    dscp_per_priority: int
    priority_to_traffic_class: dict[str, int]
    scheduler: Doc
    cnp_priority: str
    pfc_watchdog: dict[str, Json]
    outside: dict[str, Doc]


def roce(ctx: Context) -> Doc | None:
    """RoCE, buffers, PFC, ECN and scheduling of the switch; watchdog and profiles of its ports."""
    made: Doc = {"qos": _switch(ctx), "interface": _ports(ctx)}
    if "vtep" in ctx.slice:
        words = table("qos")["vxlan_dscp"]
        made["nve"] = {
            "vxlan": {
                "encapsulation": {"dscp": {"action": words["encapsulation"]}},
                "decapsulation": {"dscp": {"action": words["decapsulation"]}},
            }
        }
    return made


def _switch(ctx: Context) -> Doc:
    data: Qos = table("qos")
    made: Doc = {
        "roce": {"state": "enabled", "mode": "lossless"},
        "traffic-pool": _pools(ctx),
        "pfc": _pfc(ctx),
        "mapping": {DEFAULT: _mapping(data)},
        "egress-queue-mapping": {DEFAULT: {"switch-priority": _traffic_classes(data)}},
        "egress-scheduler": {DEFAULT: {"traffic-class": data["scheduler"]}},
        "congestion-control": {DEFAULT: {"traffic-class": ecn(ctx)}},
    }
    if ctx.description.qos.pfc_watchdog:
        made["pfc-watchdog"] = {
            k: data["pfc_watchdog"][k] for k in ("polling-interval", "robustness")
        }
    if _outside(ctx):
        made["mapping"] = {
            **t.cast("Doc", made["mapping"]),
            OUTSIDE: dict(data["outside"]["mapping"]),
        }
    if ctx.options.get("advanced_buffers"):
        made["advance-buffer-config"] = {DEFAULT: ctx.options["advanced_buffers"]}
    if ctx.options.get("cnp_shaper_kbps"):
        rate = {data["cnp_priority"]: {"max-rate": ctx.options["cnp_shaper_kbps"]}}
        made["egress-shaper"] = {SHAPER: {"traffic-class": rate}}
    return made


def _pools(ctx: Context) -> Doc:
    qos = ctx.description.qos
    return {
        "default-lossy": {"memory-percent": qos.lossy_percent},
        "roce-lossless": {"memory-percent": qos.lossless_percent},
    }


def _mapping(data: Qos) -> Doc:
    step = data["dscp_per_priority"]
    return {
        "trust": data["trust"],
        "port-default-sp": data["port_default_priority"],
        "dscp": {str(dscp): {"switch-priority": dscp // step} for dscp in range(64)},
        "pcp": {str(pcp): {"switch-priority": pcp} for pcp in range(8)},
    }


def _traffic_classes(data: Qos) -> Doc:
    return {sp: {"traffic-class": tc} for sp, tc in data["priority_to_traffic_class"].items()}


def ecn(ctx: Context) -> Doc:
    """ECN thresholds by traffic class: the catalog's, with what the option `ecn` changes."""
    stated, known = ctx.options.get("ecn") or {}, table("qos")["ecn"]
    if unknown := [tc for tc in stated if tc not in known]:
        raise FabricError.of(
            f"variable switch_roce_ecn.{unknown[0]}: the catalog has no ECN of this traffic class: use "
            f"{', '.join(known)}."
        )
    return {tc: {**row, **stated.get(tc, {})} for tc, row in known.items()}


def pfc_row(ctx: Context, speed: str) -> PfcRow:
    """The PFC constants of a port speed, as {port_buffer, xoff, xon, source, ...}; bytes."""
    asic, cable = ctx.asic, ctx.description.switches.cable_length
    own: Iterable[PfcRow] = ctx.options.get("pfc") or ()
    for rows in (own, table("qos")["pfc"]):
        fitting = [row for row in rows if _fits(row, asic=asic, speed=speed, cable=cable)]
        if fitting:
            return min(fitting, key=lambda row: int(row["cable_max"]))
    raise FabricError.of(
        f"{ctx.slice['name']}: no PFC constants are known for {asic}, {speed} and cables of "
        f"{cable} m: lower switches.cable_length, or state a row of your own in switch_roce_pfc."
    )


def _fits(row: PfcRow, *, asic: str, speed: str, cable: int) -> bool:
    return row["asic"] == asic and row["speed"] == speed and cable <= int(row["cable_max"])


def _pfc(ctx: Context) -> Doc:
    made: Doc = {name: _profile(ctx, speed) for name, speed in pfc_profiles(ctx).items()}
    if _outside(ctx):
        stated = table("qos")["outside"]["pfc"]
        made[OUTSIDE] = {"switch-priority": {table("qos")["roce_priority"]: {}}, **stated}
    return made


def _outside(ctx: Context) -> list[Row]:
    return [row for row in ctx.ports if row["kind"] in _LOSSY]


def _profile(ctx: Context, speed: str) -> Doc:
    row = pfc_row(ctx, speed)
    profile: Doc = {
        "switch-priority": {table("qos")["roce_priority"]: {}},
        "port-buffer": row["port_buffer"],
        "xoff-threshold": row["xoff"],
        "xon-threshold": row["xon"],
    }
    switches = ctx.description.switches
    if "cable_length" in switches.model_fields_set:
        profile["cable-length"] = switches.cable_length
    return profile


def pfc_profiles(ctx: Context) -> dict[str, str]:
    """PFC profiles as name -> speed: one for the switch, one more where the constants differ."""
    lossless = {row["speed"] for row in ctx.ports if row["kind"] not in _LOSSY}
    speeds = sorted(lossless, key=gbps, reverse=True)
    made = {DEFAULT: speeds[0]}
    first = _constants(pfc_row(ctx, speeds[0]))
    for speed in speeds[1:]:
        if _constants(pfc_row(ctx, speed)) != first:
            made[f"spx-{speed.lower()}"] = speed
    return made


def _constants(row: PfcRow) -> tuple[int, int, int]:
    return row["port_buffer"], row["xoff"], row["xon"]


def _ports(ctx: Context) -> Doc:
    own = {speed: name for name, speed in pfc_profiles(ctx).items() if name != DEFAULT}
    shaped = bool(ctx.options.get("cnp_shaper_kbps"))
    watchdog = ctx.description.qos.pfc_watchdog
    state = table("qos")["pfc_watchdog"]["port_state"]
    made: Doc = {}
    for row in ctx.ports:
        if row["kind"] in _LOSSY:
            made[row["port"]] = {"qos": {key: {"profile": OUTSIDE} for key in ("mapping", "pfc")}}
            continue
        qos: Doc = {"pfc-watchdog": {"state": state}} if watchdog else {}
        if row["speed"] in own:
            qos["pfc"] = {"profile": own[row["speed"]]}
        if shaped and row["kind"] == "host":
            qos["egress-shaper"] = {"profile": SHAPER}
        if qos:
            made[row["port"]] = {"qos": qos}
    return made
