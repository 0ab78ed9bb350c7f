# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Is one switch as the plan says? Pure functions of what was planned and what was read.

Ids and what they say are in `catalog/checks_switch.yaml`. A switch in maintenance, which may have been
forgotten, is not_run, never passed. What work disturbs (`disturbed` in the catalogue: sessions, cables,
counters) is waived there; its release and its configuration are judged as ever.
"""

from __future__ import annotations

import datetime
import functools
import typing as t

from ..._http.certificate import validity
from ..._nvue.change.identity import FACTORY_NAMES
from ..._nvue.document.dialect import from_release
from ..._nvue.document.paths import Globs, to_text
from ..._nvue.document.release import accepted
from ..._nvue.document.tree import get
from ..._nvue.errors import NvueError
from ..catalog.data import table
from . import switch_neighbours, switch_reports, switch_telemetry
from .results import FAIL, failed, not_run, passed, some, waived

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from .results import Check, Finding, Findings, Result
    from .switch_view import View

_SHUTDOWN = "router/bgp/graceful-shutdown"
_AS = ("router", "bgp", "autonomous-system")
_NAME = ("system", "hostname")
_OF_ANY = ("switch.reachable", "switch.release", "switch.certificate", "switch.out_of_service")
"""Checks that say something of a switch that nobody has configured."""
NEVER = "Nothing of the plan was ever configured: run playbook switches."


def check(view: View, asked: t.Sequence[str] = ()) -> list[Result]:
    """Every result of one switch, of the checks asked for."""
    rows, known = table("checks_switch"), {**CHECKS, **_comparing()}
    if unconfigured(view.applied):
        others = [name for name in known if name not in _OF_ANY] if asked else ["switch.drift"]
        known = {**{name: known[name] for name in _OF_ANY}, **dict.fromkeys(others, _never)}
    resting = bool(drained(view))
    return [
        waived(row, "Waived: the switch is in maintenance.")
        if resting and row["state"] == FAIL and rows[row["id"]].get("disturbed")
        else row
        for row in view.subject.judge(known, view, asked)
    ]


def unconfigured(applied: Doc) -> bool:
    """Check whether a switch has the name of the factory and no BGP, so that there is no cable or tenant to judge."""
    return get(applied, _AS) is None and str(get(applied, _NAME) or "") in FACTORY_NAMES


def _never(_view: View) -> Findings:
    yield failed(NEVER)


def reachable(view: View) -> Findings:
    """Pass: the switch answered, or there would be no view."""
    yield passed(f"{view.subject.device} answers.")


def release(view: View) -> Findings:
    """The running release is the description's or an accepted one."""
    description, found = view.ctx.description, str(view.release)
    allowed = [description.release.cumulus, *description.accept_releases]
    says = f"{view.subject.device} runs {found}"
    if any(accepted(view.release, text) for text in allowed):
        yield passed(f"{says}.", expected=allowed, found=found)
    else:
        says += f", expected {' or '.join(allowed)}: upgrade it."
        yield failed(says, expected=allowed, found=found)


def certificate(view: View) -> Findings:
    """Check how long the certificate of the API is good, by the handshake that read the switch."""
    if view.certificate:
        yield expiry(view.subject.device, view.certificate, view.today)
    else:
        yield view.unreported("certificate of its API")


def expiry(device: str, der: bytes, today: datetime.date) -> Finding:
    """Judge the certificate that a switch shows, trusted or not."""
    what, least = (
        f"{device}: the certificate of its API",
        int(table("limits_switch")["certificate-days"]),
    )
    try:
        begins, ends = (moment.date() for moment in validity(der))
    except ValueError as exc:
        return failed(f"{what} is {exc}: import another one, and bind the API to it.")
    terms = {"expected": f"{least} days or more", "found": ends.isoformat()}
    left = (ends - today).days
    if begins > today:
        return failed(f"{what} is good from {begins} on: check the clocks, or renew it.", **terms)
    if left < least:
        spent = f"expired on {ends}" if left < 0 else f"expires on {ends}, in {left} days"
        return failed(f"{what} {spent}: renew it.", **terms)
    return passed(f"{what} is good until {ends}.", **terms)


def out_of_service(view: View) -> Findings:
    """Entries of out_of_service that name this switch and have run out."""
    mine = [row for row in view.ctx.description.out_of_service if row.device == view.subject.device]
    for row in mine:
        if row.until and datetime.date.fromisoformat(row.until) < view.today:
            what = f"{row.device} {row.port}" if row.port else row.device
            says = (
                f"{what} is out of service since {row.since} and was to be back by {row.until} "
                f"({row.reason}): repair it or move the day."
            )
            yield failed(says, row.port, row.until, view.today.isoformat())
    if mine:
        yield passed(f"{len(mine)} things are out of service, none for too long.")


# Maintenance


def maintenance(view: View) -> Findings:
    """Check whether the switch is in maintenance, and name the way back."""
    device, places = view.subject.device, drained(view)
    if not places:
        yield passed(f"{device} is not in maintenance.")
        return
    back = f"unset {' and '.join(places)}"
    if _SHUTDOWN in places:
        back = f"run playbook maintenance with spx_device={device} and spx_state=leave"
    says = (
        f"{device} is in maintenance ({', '.join(places)}), so nothing shows it carrying traffic: "
        f"when the work is done, {back}."
    )
    yield not_run(says, found=places)


def drained(view: View) -> list[str]:
    """Return the places that drain the switch; none where its configuration cannot be read as that of its release."""
    try:
        return drained_by(from_release(view.applied, view.release))
    except NvueError:
        return []


def drained_by(doc: Doc) -> list[str]:
    """The settings that put a switch into maintenance: the playbook's, or those of a person. An unknown value does."""
    shut = get(doc, tuple(_SHUTDOWN.split("/")), "disabled") != "disabled"
    units = get(doc, ("maintenance", "unit"), {})
    return ([_SHUTDOWN] if shut else []) + [
        f"maintenance/unit/{name}"
        for name, body in sorted(units.items() if isinstance(units, dict) else ())
        if isinstance(body, dict) and body.get("mode", "disabled") != "disabled"
    ]


# The applied configuration against what the roles render


def _comparing() -> dict[str, Check[View]]:
    """The checks that have `paths` in the catalogue; drift is what none of these looks at."""
    paths = {name: row["paths"] for name, row in table("checks_switch").items() if "paths" in row}
    every = Globs(glob for globs in paths.values() for glob in globs)
    made: dict[str, Check[View]] = {
        name: functools.partial(_compared, at=Globs(globs).covers) for name, globs in paths.items()
    }
    made["switch.drift"] = functools.partial(_compared, at=lambda path: not every.covers(path))
    return {**made, "switch.foreign": _foreign}


def _compared(view: View, at: t.Callable[[tuple[str, ...]], bool]) -> Findings:
    if not view.parts:
        yield not_run("No role of this collection manages the switch.")
        return
    try:
        changes = [change for change in view.plan.changes if at(change.path)]
    except NvueError as exc:
        yield not_run(f"It could not be compared: {exc}")
        return
    if not changes:
        yield passed()
        return
    places = {c.path[1] if c.path[0] == "interface" and len(c.path) > 1 else None for c in changes}
    port = places.pop() if len(places) == 1 else None
    paths = [to_text(change.path) for change in changes]
    if len(changes) == 1:
        says = f"1 setting differs from the plan: {paths[0]}: run playbook switches."
        yield failed(says, port, changes[0].after, changes[0].before)
    else:
        says = f"{len(paths)} settings differ from the plan: {some(paths)}: run playbook switches."
        yield failed(says, port, found=paths)


def _foreign(view: View) -> Findings:
    """Count the settings beside the plan; the check of drift reports where they cannot be compared."""
    try:
        count = view.plan.foreign if view.parts else 0
    except NvueError:
        return
    if count:
        yield passed(f"{count} foreign settings are left alone.", found=count)


CHECKS: dict[str, Check[View]] = {
    "switch.reachable": reachable,
    "switch.release": release,
    "switch.certificate": certificate,
    "switch.maintenance": maintenance,
    "switch.bgp.session": switch_reports.sessions,
    "switch.evpn.session": switch_reports.evpn,
    "switch.bgp.unexpected": switch_reports.unexpected,
    "switch.link.state": switch_reports.links,
    "switch.lldp.neighbour": switch_neighbours.neighbours,
    "switch.lldp.swap": switch_neighbours.swaps,
    "switch.link.errors": switch_reports.errors,
    "switch.link.ber": switch_reports.rates,
    "switch.watchdog.deadlock": switch_reports.deadlocks,
    "switch.roce.operational": switch_reports.roce,
    switch_telemetry.CHECK: switch_telemetry.telemetry,
    "switch.out_of_service": out_of_service,
}
"""The check of each id, but for those that compare configurations."""
