# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`evpn` and `nve/vxlan`: the overlay's switch, and a leaf's VXLAN source."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from .context import Context


def evpn(ctx: Context) -> Doc | None:
    """EVPN where the switch runs it; VXLAN on leaves. What they carry belongs to tenants."""
    if not ctx.evpn:
        return None
    made: Doc = {"evpn": {"state": "enabled"}}
    if ctx.role == "leaf":
        source = {"address": ctx.slice["vtep"]}
        vxlan: Doc = {"state": "enabled", "source": source, "arp-nd-suppress": "enabled"}
        made["nve"] = {"vxlan": vxlan}
    return made
