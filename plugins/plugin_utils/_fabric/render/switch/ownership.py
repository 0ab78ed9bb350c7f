# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of a switch that a role owns, as path globs: `catalog/ownership.yaml` for one device.

On switches of the converged fabric two roles own other places: `catalog/ownership_converged.yaml`; on those of the
out-of-band network the underlay does: `catalog/ownership_oob.yaml`.

    interface/{host}/vrf   ->   interface/swp1s0/vrf, interface/swp1s1/vrf ...

A glob covers the place and everything below it; `*` matches within one key.
"""

from __future__ import annotations

import typing as t

from ...catalog.data import table
from ...description.errors import FabricError, nearest
from ...plan.topology.cabling import DOWN, UP
from . import bgp, system

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from .context import Context


def owned(ctx: Context, roles: Iterable[str]) -> list[str]:
    """The globs of some roles on one switch, sorted."""
    data = table("ownership")
    if ctx.converged:
        data = {**data, **table("ownership_converged")}
    if ctx.oob:
        data = {**data, **table("ownership_oob")}
    made: set[str] = set()
    for role in roles:
        if role not in data:
            raise FabricError.of(
                f"'{role}' owns nothing{nearest(role, data)}: use one of {', '.join(data)}."
            )
        for glob in data[role]:
            made.update(_expand(ctx, glob))
        made.update(_conditional(ctx, role))
    if not ctx.slice["management_gateway"]:
        made.discard("interface/eth0/ipv4")
    return sorted(made)


def _expand(ctx: Context, glob: str) -> list[str]:
    if "{cage}" in glob:
        return [glob.replace("{cage}", name) for name in ctx.cages]
    for word, rows in (
        ("{port}", ctx.ports),
        ("{host}", ctx.host_ports),
        ("{fabric}", ctx.fabric_ports),
        ("{edge}", [row for row in ctx.ports if row["kind"] not in (UP, DOWN)]),
    ):
        if word in glob:
            return [glob.replace(word, row["port"]) for row in rows]
    return [glob]


def _conditional(ctx: Context, role: str) -> list[str]:
    """Places owned only when the role knows what is there."""
    if role == "switch_base":
        zone = ["system/date-time/timezone"] if ctx.options.get("timezone") else []
        return zone + system.account_places(ctx)
    if role == "switch_underlay" and bgp.forwarding(ctx):
        return ["system/forwarding/resource-mode"]
    if role == "switch_bootstrap" and ctx.options.get("api_certificate"):
        return ["system/api/certificate"]
    if role == "switch_tenants" and ctx.networks is not None:
        return [f"vrf/{row['vrf']}" for row in ctx.networks]
    if role == "switch_tenants" and ctx.tenants is not None:
        return [f"vrf/{name}" for name in ctx.tenants.own_vrf_names()]
    return []
