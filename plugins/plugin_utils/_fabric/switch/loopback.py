# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`interface/lo`: the switch's own address, and beside it the VXLAN source of a leaf."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from .context import Context


def loopback(ctx: Context) -> Doc | None:
    """Loopback and, on a leaf, VTEP address."""
    own = ctx.slice["loopback"], ctx.slice.get("vtep")
    addresses: Doc = {f"{address}/32": {} for address in own if address}
    return {"interface": {"lo": {"type": "loopback", "ipv4": {"address": addresses}}}}
