# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Spectrum-X profile of NVIDIA's on a scratch switch, beside the planned document of the switch. Private.

From 5.18 on (Beta) `system do-spx profile` takes breakouts of uplinks and downlinks, and collectors of telemetry. What
its activation generates is on no page, so that only these are compared.
"""

from __future__ import annotations

import typing as t

from ..._nvue.document.ranges import expand
from ..._nvue.document.shapes import below, mapping, mappings
from ..._nvue.document.tree import get
from ..._nvue.wire import operational
from .rows import NOT_SEEN, Row, row

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ....module_utils._json import Doc
    from ..._nvue.wire.api import Api

PART = "profile"
PLACE = ("system", "do-spx")
NOTHING = "what a profile of NVIDIA's generates is not published: not compared"
_COLLECTORS = ("system", "telemetry", "export", "otlp", "grpc", "destination")


def compare(api: Api, document: Doc) -> list[Row]:
    """Readable settings of each profile against a planned document in the neutral spelling (one GET)."""
    found = operational.read(api, PLACE, mapping) or {}
    profiles = mappings(below(found, "profile"))
    rows = [row(PART, "activated profile", [NOTHING], NOT_SEEN)]
    if document:
        for name, body in profiles.items():
            wrong = [*_breakouts(body, document), *_collectors(body, document)]
            rows.append(row(PART, f"profile {name}", wrong))
    return rows


def _breakouts(profile: Doc, document: Doc) -> Iterator[str]:
    for side in ("uplink", "downlink"):
        ports = expand({"interface": below(profile, side)})
        for port, body in mappings(below(ports, "interface")).items():
            there, here = body.get("breakout"), _breakout(document, port)
            if there != here:
                yield f"{side} {port} has breakout {there} there, {here} in the plan"


def _breakout(document: Doc, port: str) -> str:
    modes: Mapping[str, object] = below(document, "interface", port, "link", "breakout")
    return next(iter(modes), "1x")


def _collectors(profile: Doc, document: Doc) -> Iterator[str]:
    for address, body in mappings(below(profile, "otlp-destination")).items():
        planned = get(document, (*_COLLECTORS, address, "port"))
        if str(body.get("otlp-port")) != str(planned):
            yield f"collector {address} has port {body.get('otlp-port')} there, {planned} in the plan"
