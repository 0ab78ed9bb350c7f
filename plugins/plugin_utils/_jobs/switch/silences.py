# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Silences of Alertmanager for a switch that is worked on: its own alerts, and those at the far ends of its cables.

Each has an end, so that a run that was killed silences nothing for ever. Work on a switch does not wait for messages:
where Alertmanager does not answer, the run warns.
"""

from __future__ import annotations

import datetime
import re
import typing as t

from ..._http.service import Service, ServiceError, of_site

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._fabric.plan.fabric import Fabric

_BY = "spectrum_x.fabric"
_PATH = "/api/v2/silences"
_LABELS = ("device", "far_device")
"""Labels by which an alert names a switch: its own, and that at the other end of a cable."""
_ACTIVE = ("active", "pending")
_ID = re.compile(r"[0-9A-Za-z-]{1,64}")

Result = dict[str, t.Any]


def silence(
    plan: Fabric, device: str, *, enter: bool, hours: int, now: datetime.datetime, check: bool
) -> Result:
    """Silence a switch that enters maintenance until the end, or lift the silences of one that leaves."""
    url = plan.description.monitoring and plan.description.monitoring.alertmanager
    if not url:
        return {"skipped": True, "msg": "the description states no monitoring.alertmanager."}
    if check:
        return {"skipped": True, "msg": "check mode silences nothing."}
    service = of_site(url)
    try:
        own = dict(_own(service, device))
        if enter:
            ends = now + datetime.timedelta(hours=hours)
            for label in _LABELS:
                service.post(_PATH, _silence(device, label, now, ends, own.get(label)))
        else:
            for number in own.values():
                service.delete(f"/api/v2/silence/{number}")
    except ServiceError as exc:
        return {"changed": False, "warnings": [f"{device}: its alerts are as before: {exc}"]}
    return {"changed": enter or bool(own)}


def _own(service: Service, device: str) -> Iterator[tuple[str, str]]:
    """Yield (label, id) of the silences of a switch that are ours and not over."""
    found = service.get(_PATH)
    for row in found if isinstance(found, list) else ():
        if not isinstance(row, dict) or row.get("createdBy") != _BY:
            continue
        state, number = row.get("status"), str(row.get("id"))
        alive = isinstance(state, dict) and state.get("state") in _ACTIVE
        for label in _LABELS:
            if alive and row.get("matchers") == [_matcher(label, device)] and _ID.fullmatch(number):
                yield label, number


def _silence(
    device: str, label: str, now: datetime.datetime, ends: datetime.datetime, number: str | None
) -> dict[str, object]:
    """Return a silence; with the id of an earlier one it is that one, with a new end."""
    return {
        **({"id": number} if number else {}),
        "matchers": [_matcher(label, device)],
        "startsAt": now.isoformat(),
        "endsAt": ends.isoformat(),
        "createdBy": _BY,
        "comment": f"maintenance of {device}",
    }


def _matcher(label: str, device: str) -> dict[str, object]:
    return {"name": label, "value": device, "isRegex": False, "isEqual": True}
