# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`system/api`: the configuration API listens on the out-of-band address only."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from .context import Context


def api(ctx: Context) -> Doc | None:
    """The API's listener, and its certificate where one is named."""
    own = ctx.slice["management"].partition("/")[0]
    made: Doc = {"listening-address": {own: {}}}
    if ctx.options.get("api_certificate"):
        made["certificate"] = ctx.options["api_certificate"]
    return {"system": {"api": made}}
