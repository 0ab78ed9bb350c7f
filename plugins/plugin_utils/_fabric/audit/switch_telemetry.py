# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check of a switch's export to its collectors, from two readings of `system/telemetry/health` (5.12 and newer).

Its keys are those that NVIDIA's switch tests read: `export-destination-status.<host:port>.{connectivity, counter,
drop-counter}`.
"""

from __future__ import annotations

import typing as t

from ..._nvue.document.shapes import MisfitError, below, mappings
from ..catalog import telemetry as catalog
from ..description import endpoints
from ..render.switch.telemetry import PORT
from .results import failed, not_run, passed

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from .results import Finding, Findings
    from .switch_view import View

PLACE = ("system", "telemetry", "health")
CHECK = "switch.telemetry"
_STATUS = "export-destination-status"
_NO_WAIT = 2
"""Readings of a check that does not wait for exports to rise."""


def telemetry(view: View) -> Findings:
    """Each collector is connected, gets samples, and none of them are dropped."""
    ends = view.ctx.description.management.telemetry
    if not ends or not catalog.sends(view.ctx.asic):
        return
    if not view.health:
        yield view.unreported("health of its telemetry")
        return
    first, last = view.health[0], view.health[-1]
    waited = len(view.health) > _NO_WAIT
    good = 0
    for text in ends:
        finding = _collector(
            view.subject.device, text, _row(first, text), _row(last, text), waited=waited
        )
        good += finding is None
        if finding:
            yield finding
    if good == len(ends):
        yield passed(f"{good} collectors are connected.", expected=len(ends), found=good)


def rises(first: Doc, last: Doc, ends: t.Iterable[str]) -> bool:
    """Check whether more was exported to each collector in the second reading than in the first."""
    pairs = [(_number(_row(first, x), "counter"), _number(_row(last, x), "counter")) for x in ends]
    return all(now is not None and before is not None and now > before for before, now in pairs)


def _row(health: Doc, text: str) -> Doc:
    """Return the row of a collector, which the switch names by address and port."""
    host, port = endpoints.split(text, PORT)
    try:
        rows = mappings(below(health, _STATUS))
    except MisfitError:
        return {}
    names = (f"{host}:{port}", f"[{host}]:{port}", host)
    return next((rows[name] for name in names if name in rows), {})


def _collector(device: str, text: str, before: Doc, now: Doc, *, waited: bool) -> Finding | None:
    """Return what is wrong with the export to one collector; `waited` for it to rise."""
    state = str(now.get("connectivity") or "")
    sent, dropped = _number(now, "counter"), _number(now, "drop-counter")
    lost = (dropped or 0) - (_number(before, "drop-counter") or 0)
    if not state or sent is None or dropped is None:
        return not_run(f"{device} reports no export to {text}: nothing is known of it.")
    if state != "Pass":
        remedy = (
            "check that it listens, and that the authority of its certificate is on the switch."
        )
        says = f"{device} has no connection to the collector {text} ({state}): {remedy}"
        return failed(says, expected="Pass", found=state)
    if lost > 0:
        says = f"{device} dropped {lost} samples for the collector {text} during this check: relieve the collector."
        return failed(says, expected=0, found=lost)
    if not sent or (waited and sent == _number(before, "counter")):
        says = f"{device} sends nothing to the collector {text}: check its groups of statistics."
        return failed(says, found=sent)
    return None


def _number(row: Doc, key: str) -> int | None:
    """Return a count, None for what is none."""
    text = str(row.get(key, ""))
    return int(text) if text.isascii() and text.isdigit() else None
