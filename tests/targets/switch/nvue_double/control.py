# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Control of a double by a test, beyond any client: one class, used in-process and over HTTP.

Over HTTP (a port or a unix socket of its own) each method is `POST /<method>` with its arguments
as a JSON object; `GET /<name>` reads log, state, report, options, applied.
"""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from . import profiles, reports, tree
from .certificates import CertificateError
from .images import ImageFile, make
from .lifecycle import RealiseError
from .switch import Switch


class Control:
    """Orders to one double; every method returns plain data."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch

    def fault(self, kind: str, count: int | None = 1, **parameters: Any) -> None:
        """Order a fault (kinds and parameters: faults.KINDS)."""
        self._switch.faults.order(kind, count, **parameters)

    def profile(self, names: str | list[str]) -> None:
        """Become a switch of data/profiles.yml; a document of a profile counts from the start only."""
        profile = profiles.of_names(names)
        self._switch.options.change(profile.options)
        profile.order(self._switch.faults)

    def clear_faults(self) -> None:
        """Forget ordered faults, an apply that never ends, struck or withheld sessions and lost management."""
        self._switch.faults.clear()
        self._switch.refuse_logins(0.0)
        self.reports("full")
        self._switch.operational.recover()
        self._switch.operational.still.clear()
        self._switch.find_management()

    def busy(self, seconds: float) -> str:
        """Have somebody else's apply in progress; returns its revision id."""
        return self._switch.occupy(seconds)

    def options(self, **changes: Any) -> dict[str, Any]:
        """Change options (release, serial, step_seconds, ...); returns all of them."""
        self._switch.options.change(changes)
        plain = dict(vars(self._switch.options))
        plain["known_issues"] = sorted(plain["known_issues"])
        for secret in ("password", "users"):
            plain.pop(secret)
        return plain

    def sessions(self, state: str, vrf: str | None = None, neighbor: str | None = None) -> None:
        """Set the state of simulated BGP sessions: all, or those of a VRF, or one."""
        switch = self._switch
        if vrf is None and neighbor is None:
            switch.options.session_state = state
            switch.operational.sessions.clear()
            return
        for name, body in switch.running.get("vrf", {}).items():
            for peer in body.get("router", {}).get("bgp", {}).get("neighbor", {}):
                if vrf in (None, name) and neighbor in (None, peer):
                    switch.operational.sessions[name, peer] = state

    def reports(self, how: str, vrf: str | None = None, neighbor: str | None = None) -> None:
        """Set how BGP sessions are reported (reports.REPORTS): all, or those of a VRF, or one."""
        switch = self._switch
        if how not in reports.REPORTS:
            raise ValueError(f"reports '{how}' is not one of {reports.REPORTS}")
        if vrf is None and neighbor is None:
            switch.options.session_report = how
            switch.operational.withheld.clear()
        elif how == "not_found" and neighbor is not None:
            raise ValueError("reports 'not_found' is for all neighbours of a VRF; use left_out")
        else:
            switch.operational.withheld[vrf or "*", neighbor or "*"] = how

    def links(self, state: str, interface: str | None = None) -> None:
        """Set the state of simulated links: all, or one."""
        if interface is None:
            self._switch.options.link_state = state
        else:
            self._switch.operational.links[interface] = state

    def operational(self, path: list[str], value: Any) -> None:
        """Lay a value on top of the operational answers at `path`."""
        operational = self._switch.operational
        operational.extra = tree.overlay(operational.extra, tree.wrap(path, value))

    def password(self, user: str, password: str, role: str = "system-admin") -> None:
        """Give a user a password, as on the console."""
        self._switch.set_password(user, password, role)

    def certificate(self, name: str, pem: str) -> None:
        """Import a certificate with its key, as on the console."""
        try:
            self._switch.certificates.add("certificate", name, pem)
        except CertificateError as error:
            raise ValueError(str(error)) from error

    def foreign(self, document: dict[str, Any], replace: bool = False) -> None:
        """Have somebody else change the applied configuration by hand."""
        switch = self._switch
        revision = switch.revisions.create("someone-else")
        doc = document if replace else switch.schema.merge(revision.doc, document, [])
        breaches = switch.schema.check(doc, [], patch=False)
        if breaches:
            raise ValueError(f"{breaches[0].location}: {breaches[0].reason}")
        revision.doc = switch.revisions.applied = doc
        revision.state, revision.was_applied = "applied_and_saved", True
        switch.revisions.current.state = "inactive"
        switch.revisions.current = revision
        switch.after_commit()
        switch.save()

    def draft(self, document: dict[str, Any]) -> str:
        """Have somebody else prepare a change; its revision's id."""
        revision = self._switch.revisions.create("someone-else")
        revision.doc = self._switch.schema.merge(revision.doc, document, [])
        return revision.id

    def foreign_commit(
        self, document: dict[str, Any], seconds: int = 600, message: str = ""
    ) -> str:
        """Have somebody else apply a change that waits for a confirmation; its revision's id."""
        switch = self._switch
        revision = switch.revisions.create("someone-else")
        revision.doc = switch.schema.merge(revision.doc, document, [])
        revision.message, revision.prompts = message, {"ays": "ays_yes"}
        revision.controls = {"confirm": seconds}
        switch.start_apply(revision)
        return revision.id

    def reboot(self, seconds: float | None = None) -> None:
        """Restart the switch."""
        self._switch.start_reboot(seconds)

    async def power(self) -> None:
        """Boot a switch that did not come back."""
        await self._switch.power()

    def image(self, name: str, release: str, build: str = "") -> None:
        """Put an image into the folder of images, as by scp."""
        self._switch.images.files[name] = ImageFile(make(release, build))

    def restart_service(self) -> None:
        """Restart the API service: tokens die, and a refusal of all logins ends."""
        self._switch.restart_service()

    def clear_log(self) -> None:
        """Forget the requests so far."""
        self._switch.log.clear()

    def log(self) -> dict[str, Any]:
        """Requests, and what the documentation advises against."""
        log = self._switch.log
        return {"requests": log.plain(), "violations": list(log.violations)}

    def applied(self) -> dict[str, Any]:
        """The applied configuration as stored, secrets and ranges included."""
        return self._switch.revisions.applied

    def state(self) -> dict[str, Any]:
        """Revisions, what went wrong, waiting faults, and actions done."""
        switch = self._switch
        keys = switch.options.issue_keys
        return {
            "revisions": {name: rev.view(keys) for name, rev in switch.revisions.by_id.items()},
            "errors": list(switch.faults_seen),
            "faults": [fault.kind for fault in switch.faults.waiting],
            "actions": [list(item) for item in switch.jobs.done],
        }

    def report(self) -> dict[str, Any]:
        """Report of the realised and the unrealised parts."""
        realiser = self._switch.realiser
        return {"backend": "none"} if realiser is None else realiser.report()

    async def realise_again(self) -> None:
        """Bring the applied document to life once more (ports appeared, say)."""
        await self._switch.realise(self._switch.running)


READS = ("log", "applied", "state", "report", "options")


def application(control: Control) -> web.Application:
    """The control API over HTTP."""

    async def call(request: web.Request) -> web.Response:
        name = request.match_info["name"]
        reading = request.method == "GET"
        if name.startswith("_") or not hasattr(control, name) or (reading and name not in READS):
            return web.json_response({"error": f"no order '{name}'"}, status=404)
        text = await request.text()
        try:
            answer = getattr(control, name)(**(json.loads(text) if text else {}))
            if hasattr(answer, "__await__"):
                answer = await answer
        except (ValueError, TypeError, RealiseError) as error:
            return web.json_response({"error": str(error)}, status=400)
        return web.json_response(answer)

    app = web.Application()
    app.router.add_route("*", "/{name}", call)
    return app
