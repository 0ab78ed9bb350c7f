# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The forms in which a release, or a switch that differs, reports BGP sessions.

`Form` takes an answer in the double's own words (a session has `state` and the address families that run) to those
of data/operational_shapes.yml: which keys a collection keeps, and by which key the state of a session goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import tree

PLACE = ["vrf", "*", "router", "bgp", "neighbor"]
FAMILIES = ("ipv4-unicast", "ipv6-unicast", "l2vpn-evpn")

DETAIL = ("view", "whole", "single", "none")
"""Places that have the detail of a session: `view` as published (the neighbour's own place and view=detail, before the
release of the summary all), `whole` all of them, `single` the neighbour's own place only, `none` nowhere."""
SUMMARY = ("table", "bare")
"""The content of a summary: the columns of the published table, or nothing that tells whether a session is up."""
STATE_KEYS = ("state", "session-state")
INACTIVE = ("left_out", "present")
"""Families that a session does not run: not there, or there with the word for off."""

BARE = [["*", "remote-as"]]


@dataclass
class Form:
    """The form of one answer: what a summary keeps (None: all), the key of the state, more words beside it.

    `inactive` is the content of a family that a session does not run (None: no such family is shown).
    """

    summary: list[list[str]] | None
    state_key: str
    inactive: dict[str, Any] | None
    detail: dict[str, Any]

    def write(self, path: list[str], answer: Any) -> Any:
        """The answer at `path` in this form; below a session nothing changes."""
        if answer is tree.MISSING or not within(path):
            return answer
        document = tree.wrap(path, answer)
        shown = {vrf: self._vrf(body) for vrf, body in document.get("vrf", {}).items()}
        return tree.get({**document, "vrf": shown} if shown else document, path)

    def _vrf(self, body: Any) -> Any:
        sessions = tree.get(body, PLACE[2:])
        if not isinstance(sessions, dict):
            return body
        shown = {name: self._session(session) for name, session in sessions.items()}
        if self.summary is not None:
            shown = _kept(shown, self.summary)
        router = body["router"]
        return {**body, "router": {**router, "bgp": {**router["bgp"], "neighbor": shown}}}

    def _session(self, session: dict[str, Any]) -> dict[str, Any]:
        shown = tree.overlay(self.detail, session)
        if "state" in shown:
            shown[self.state_key] = shown.pop("state")
        if self.inactive is not None:
            absent = {name: dict(self.inactive) for name in FAMILIES}
            shown["address-family"] = {**absent, **shown.get("address-family", {})}
        return shown


def within(path: list[str]) -> bool:
    """Whether sessions are at, above or below a path."""
    return all(part in ("*", key) for part, key in zip(PLACE, path))


def _kept(sessions: dict[str, Any], patterns: list[list[str]]) -> dict[str, Any]:
    """Of each session what the patterns name; one without any of it is an empty object."""
    kept: dict[str, Any] = {name: {} for name in sessions}
    for pattern in patterns:
        part = tree.pointer_match(sessions, pattern)
        kept = kept if part is tree.MISSING else tree.overlay(kept, part)
    return kept
