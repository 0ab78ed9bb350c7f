# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`router/adaptive-routing`: state and profile of the switch, and the ports that its role wants.

Ports of a kind are all on or all off, built or not: members of one ECMP group must agree, and
turning one on later would reload the forwarding daemon and flap every port. The speed of the links
is checked with the description.
"""

from __future__ import annotations

import typing as t

from ...._nvue.document.release import parse
from ...catalog.data import table
from ...description.errors import FabricError

if t.TYPE_CHECKING:
    from collections.abc import Mapping

    from .....module_utils._json import Doc
    from .context import Context, Row


def adaptive_routing(ctx: Context) -> Doc | None:
    """Global state and profile, its snippet, and the state of the role's ports."""
    if not ctx.description.routing.adaptive_routing:
        return None
    data = table("adaptive_routing")
    rows = ports(ctx)
    _check(ctx, data)
    on = {"router": {"adaptive-routing": {"state": "enabled"}}}
    return {
        "router": {"adaptive-routing": {"state": "enabled", "profile": data["profile"]}},
        "system": {"config": {"snippet": _snippet(ctx, data["snippet"])}},
        "interface": {row["port"]: on for row in rows},
    }


def ports(ctx: Context) -> list[Row]:
    """The ports on which a switch of this role routes adaptively."""
    fabric = "converged" if ctx.converged else ctx.fabric.clos.tiers
    kinds = table("adaptive_routing")["ports"][fabric][ctx.role]
    return [row for row in ctx.ports if row["kind"] in kinds]


def _snippet(ctx: Context, row: Mapping[str, t.Any]) -> Doc:
    known = row["by_release"].items()
    later = next(v for since, v in known if not since or ctx.everywhere_since(parse(since)))
    values = {**row["values"], **later, **(ctx.options.get("ar_values") or {})}
    content = "".join(f"{key} = {value}\n" for key, value in values.items())
    return {row["name"]: {"file": row["file"], "content": content, "services": row["services"]}}


def _check(ctx: Context, data: Mapping[str, t.Any]) -> None:
    if ctx.asic not in data["asics"]:
        raise FabricError.of(
            f"{ctx.slice['name']}: adaptive routing does not exist on {ctx.asic}, only on "
            f"{', '.join(data['asics'])}: set routing.adaptive_routing to false."
        )
