# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads of a switch what the checks of `validate` look at. Private; never writes.

Five requests: release, applied configuration, interfaces, BGP neighbours, RoCE; one more where the
interfaces come without their LLDP neighbours.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import operational, ranges
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import ApiError

if t.TYPE_CHECKING:
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.api import Api
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.release import Release

Doc = dict[str, t.Any]
Place = tuple[str, str]


@dataclasses.dataclass(frozen=True)
class Reading:
    """What a switch said: see `View` of the checks for each."""

    release: Release
    applied: Doc
    interfaces: Doc
    neighbors: Doc
    lldp: dict[str, list[Place]]
    roce: Doc


def read(api: Api) -> Reading:
    """Read one switch; NvueError as the client raises it."""
    try:
        release = operational.about(api).release
        applied = ranges.expand(operational.applied(api))
        interfaces = _get(api, ("interface",))
        return Reading(
            release=release,
            applied=applied,
            interfaces=interfaces,
            neighbors=_get(api, ("vrf", "default", "router", "bgp", "neighbor")),
            lldp=heard(_with_lldp(api, interfaces)),
            roce=_get(api, ("qos", "roce")),
        )
    finally:
        api.port.close()


def _get(api: Api, path: tuple[str, ...], **params: str) -> Doc:
    """An operational answer; empty where the switch has none."""
    try:
        found = api.get(path, {"rev": "operational", **params})
    except ApiError as exc:
        if exc.status in (400, 404):
            return {}
        raise
    return found if isinstance(found, dict) else {}


def _with_lldp(api: Api, interfaces: Doc) -> Doc:
    if any(isinstance(body, dict) and "lldp" in body for body in interfaces.values()):
        return interfaces
    return _get(api, ("interface",), view="lldp")


def heard(interfaces: Doc) -> dict[str, list[Place]]:
    """LLDP neighbours by port, as (system, port)."""
    found: dict[str, list[Place]] = {}
    for port, body in interfaces.items():
        lldp = body.get("lldp") if isinstance(body, dict) else None
        neighbors = lldp.get("neighbor") if isinstance(lldp, dict) else None
        if isinstance(neighbors, dict):
            found[port] = [
                _place(name, row) for name, row in neighbors.items() if isinstance(row, dict)
            ]
    return found


def _place(name: str, row: Doc) -> Place:
    chassis, port = row.get("chassis"), row.get("port")
    system = chassis.get("system-name") if isinstance(chassis, dict) else None
    far = port.get("name") if isinstance(port, dict) else None
    return str(system or name), str(far or "")
