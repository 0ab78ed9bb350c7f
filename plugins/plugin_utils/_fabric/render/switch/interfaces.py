# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`interface/swp*`: breakout of cages; MTU, state and link address of every planned port; loopback."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from .....module_utils._json import Doc
    from ...plan.slices import ConvergedPort
    from .context import Context, Row


def interfaces(ctx: Context) -> Doc | None:
    """Cages and ports. Whether a host port is up, and all that is routed there, is its tenant's."""
    made: Doc = {name: cage(factor) for name, factor in ctx.cages.items()}
    mtu = ctx.slice["mtu"]
    for row in ctx.ports:
        host = row["kind"] == "host"
        link: Doc = {"mtu": mtu["host" if host else "fabric"]}
        port: Doc = {"type": "swp", "description": _description(row), "link": link}
        if not host:
            link["state"] = {"down" if ctx.shut(row) else "up": {}}
            if "address" in row:
                port |= address(row)
        made[row["port"]] = port
    return {"interface": made}


def cage(factor: int) -> Doc:
    """A cage that is broken out."""
    return {"type": "swp", "link": {"breakout": {f"{factor}x": {}}}}


def _description(row: Row) -> str:
    # No comma: cabling checks on the switch split at it.
    return f"{row['peer']['device']} {row['peer']['port']}"


def address(row: Row | ConvergedPort) -> Doc:
    """The address of a port that has one."""
    family = "ipv6" if ":" in row["address"] else "ipv4"
    return {family: {"address": {f"{row['address']}/{row['length']}": {}}}}


def loopback(ctx: Context) -> Doc | None:
    """Loopback and, on a leaf, VTEP address."""
    own = ctx.slice["loopback"], ctx.slice.get("vtep")
    addresses: Doc = {f"{address}/32": {} for address in own if address}
    return {"interface": {"lo": {"type": "loopback", "ipv4": {"address": addresses}}}}
