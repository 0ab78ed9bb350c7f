# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`router/policy`: the route-maps of the underlay.

Only the loopbacks enter BGP. A leaf announces how many paths it has; the tiers above add up what
they receive, so that traffic follows the capacity that is left.
"""

from __future__ import annotations

import typing as t

from ...catalog.roles import ROLES

if t.TYPE_CHECKING:
    from .....module_utils._json import Doc
    from .context import Context

LOOPBACKS = "spx-fabric-loopbacks"
_BANDWIDTH = {"spx-fabric-origin": "multipaths", "spx-fabric-cumulative": "cumulative"}


def weight_of(role: str) -> str:
    """Return the route-map of what a role announces: leaves state their own paths, what is above adds them up."""
    return "spx-fabric-origin" if ROLES[role].tier == 1 else "spx-fabric-cumulative"


def policy(ctx: Context) -> Doc | None:
    """Route-maps: what is redistributed, and the bandwidth community of what is sent."""
    weight = weight_of(ctx.role)
    return {
        "router": {
            "policy": {
                "route-map": {
                    LOOPBACKS: _rule({"match": {"type": "ipv4", "interface": "lo"}}),
                    weight: _rule({"set": {"ext-community-bw": _BANDWIDTH[weight]}}),
                }
            }
        }
    }


def _rule(what: Doc) -> Doc:
    return {"rule": {"10": {"action": {"permit": {}}, **what}}}
