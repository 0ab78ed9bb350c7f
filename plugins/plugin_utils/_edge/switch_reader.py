# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads of a switch what the checks of `validate` look at. Private; never writes.

Five requests: release, applied configuration, interfaces, BGP neighbours, RoCE; one more where the
interfaces come without their LLDP neighbours.
"""

from __future__ import annotations

import typing as t

from .._fabric.validate.switch_view import Reading
from .._nvue import operational, ranges
from .._nvue.shapes import below, mapping, mappings

if t.TYPE_CHECKING:
    from .._nvue.api import Api

Doc = dict[str, t.Any]
Place = tuple[str, str]
NEIGHBORS = ("vrf", "default", "router", "bgp", "neighbor")


def read(api: Api) -> Reading:
    """Read one switch; NvueError as the client raises it."""
    try:
        release = operational.about(api).release
        applied = ranges.expand(operational.applied(api))
        interfaces, lldp = operational.read(api, ("interface",), _with_neighbours) or ({}, {})
        if not any("lldp" in body for body in interfaces.values()):
            lldp = operational.read(api, ("interface",), heard, view="lldp") or {}
        return Reading(
            release=release,
            applied=applied,
            interfaces=interfaces,
            neighbors=operational.read(api, NEIGHBORS, mappings) or {},
            lldp=lldp,
            roce=operational.read(api, ("qos", "roce"), mapping) or {},
        )
    finally:
        api.port.close()


def _with_neighbours(found: t.Any) -> tuple[Doc, dict[str, list[Place]]]:
    return mappings(found), heard(found)


def heard(interfaces: t.Any) -> dict[str, list[Place]]:
    """LLDP neighbours by port, as (system, port)."""
    return {
        port: operational.neighbours(body["lldp"])
        for port, body in mappings(interfaces).items()
        if "neighbor" in below(body, "lldp")
    }
