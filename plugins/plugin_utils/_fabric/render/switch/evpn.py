# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`evpn` and `nve/vxlan`: the overlay's switch, and a leaf's VXLAN source."""

from __future__ import annotations

import typing as t

from . import converged

if t.TYPE_CHECKING:
    from .....module_utils._json import Doc
    from .context import Context


def evpn(ctx: Context) -> Doc | None:
    """EVPN where the switch runs it; VXLAN on leaves. What they carry belongs to tenants.

    Multihoming is on at every VTEP of the converged fabric, as the Cumulus Linux user guide (5.18, EVPN
    Multihoming) recommends, so that no packet arrives twice.
    """
    if not ctx.evpn:
        return None
    made: Doc = {"evpn": {"state": "enabled"}}
    if ctx.role in converged.LEAVES:
        made["evpn"] = {"state": "enabled", "multihoming": {"state": "enabled"}}
    if "vtep" in ctx.slice:
        source = {"address": ctx.slice["vtep"]}
        vxlan: Doc = {"state": "enabled", "source": source, "arp-nd-suppress": "enabled"}
        made["nve"] = {"vxlan": vxlan}
    return made
