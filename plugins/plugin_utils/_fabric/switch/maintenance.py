# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`router/bgp/graceful-shutdown`: asks neighbours to prefer every other way, before work begins."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from .context import Context


def maintenance(ctx: Context) -> Doc | None:
    """Graceful shutdown while the option `maintenance` is true."""
    if not ctx.options.get("maintenance"):
        return None
    return {"router": {"bgp": {"graceful-shutdown": "enabled"}}}
