# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A switch that answers from a script and remembers every request."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlencode

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.ranges import expand
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import TransportError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api, Clock
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.states import Kind, kind

from .changing import Make, old
from .faithful import merge

Answer = Reply | Exception | Callable[[], Any] | Any


class Time:
    """A clock that only sleeps and requests move."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def clock(self) -> Clock:
        return Clock(now=lambda: self.seconds, wall=lambda: self.seconds, sleep=self.sleep)

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


@dataclass
class FakeSwitch:
    """Answers reads from ``applied`` and the revision from ``states``; ``script`` overrules.

    ``script`` maps ``"METHOD /path"`` to a list of answers, the last of which is repeated: plain
    data, a ``Reply``, an exception to raise, or a function. Once the revision shows as applied,
    ``applied`` has what was sent.
    """

    applied: dict[str, Any] = field(default_factory=dict)
    build: str = "Cumulus Linux 5.16.1"
    states: list[Any] = field(default_factory=lambda: ["checking", "reloading", "confirm"])
    confirmed: list[Any] = field(default_factory=lambda: ["confirm_yes", "applied_and_saved"])
    operational: dict[str, Any] = field(default_factory=dict)
    script: dict[str, list[Answer]] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    closed: int = 0
    time: Time = field(default_factory=Time)
    target: str = "leaf-01:8765"

    def close(self) -> None:
        self.closed += 1

    def request(
        self,
        method: str,
        path: str,
        params: Mapping[str, str],
        body: bytes | None,
        headers: Mapping[str, str],
    ) -> Reply:
        assert path.startswith("/nvue_v1/")
        place = path.removeprefix("/nvue_v1")
        query = f"?{urlencode(params, doseq=True)}" if params else ""
        self.log.append(f"{method} {place}{query}")
        self.bodies.append(None if body is None else json.loads(body))
        self.headers.append(headers)
        self.time.sleep(0.01)
        return self._reply(self._answer(method, place, params))

    def _answer(self, method: str, place: str, params: Mapping[str, str]) -> Answer:
        scripted = self.script.get(f"{method} {place}")
        if scripted:
            answer = scripted.pop(0) if len(scripted) > 1 else scripted[0]
            return self._with_own(answer) if f"{method} {place}" == "GET /revision" else answer
        own = max(self._opened(), key=int, default="")
        if method == "GET" and place == f"/revision/{own}":
            return self._revision()
        if method == "POST" and place == "/revision":
            return {own: {"state": "pending", "transition": {"issue": {}, "progress": ""}}}
        if method == "PATCH" and place == f"/revision/{own}":
            if self.bodies[-1]["state"] == "confirm_yes":
                self.states = self.confirmed
            return {"state": self.bodies[-1]["state"]}
        if method == "GET":
            return self._read(place, params)
        return self.bodies[-1] or {}

    def _with_own(self, listed: Any) -> Any:
        """Add the revision that was opened, which every list of a switch has."""
        return {**self._opened(), **listed} if isinstance(listed, dict) else listed

    def _opened(self) -> dict[str, Any]:
        count = self.log.count("POST /revision")
        return {str(7 + n): {"state": "pending"} for n in range(count)}

    def _revision(self) -> Answer:
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        if isinstance(state, str) and kind(state) is Kind.SUCCESS:
            self._commit()
        if isinstance(state, str):
            return {"state": state, "transition": {"issue": {}, "progress": ""}}
        return state

    def _commit(self) -> None:
        self.applied = copy.deepcopy(expand(self.applied))
        for entry, body in zip(self.log, self.bodies):
            if entry.startswith("PATCH /?rev="):
                merge(self.applied, body)

    def _read(self, place: str, params: Mapping[str, str]) -> Answer:
        if place == "/revision":
            listed = {"applied": {"state": "applied"}, "5": {"state": "applied_and_saved"}}
            return self._with_own(listed)
        if place == "/system" and params["rev"] == "operational":
            return {"build": self.build, "hostname": "cumulus"}
        if place == "/":
            return self.applied
        node: Any = self.operational
        for key in place.strip("/").split("/"):
            node = node.get(unquote(key)) if isinstance(node, dict) else None
        return absent() if node is None else node

    def _reply(self, answer: Answer) -> Reply:
        if callable(answer):
            answer = answer()
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Reply):
            return answer
        return Reply(200, {"content-type": "application/json"}, json.dumps(answer).encode())

    def writes(self) -> list[str]:
        """Return the requests that are no GET."""
        return [entry for entry in self.log if not entry.startswith("GET")]

    def body_of(self, request: str) -> Any:
        """Return the body of the only request that begins like this."""
        (found,) = [body for entry, body in zip(self.log, self.bodies) if entry.startswith(request)]
        return found

    def api(self, **credentials: Any) -> Api:
        auth = Auth(**(credentials or {"user": "admin", "password": "hunter22"}))
        return Api(self, auth, clock=self.time.clock())


def absent() -> Reply:
    """Return what a switch says of an item that it does not have."""
    body = b'{"title": "Not Found", "detail": "The requested item does not exist."}'
    return Reply(404, {"content-type": "application/json"}, body)


def gone() -> TransportError:
    """Return what a dropped connection raises."""
    return TransportError("leaf-01:8765: the connection was closed.")


@pytest.fixture
def switch() -> Callable[..., FakeSwitch]:
    """Make a switch of given contents."""
    return FakeSwitch


@pytest.fixture
def dropped() -> Callable[[], TransportError]:
    """Make a dropped connection."""
    return gone


def html(status: int) -> Reply:
    """Return what the web server in front of the API says."""
    page = "<html><head><title>x</title></head><body><h1>Bad Gateway</h1></body></html>"
    return Reply(status, {"content-type": "text/html"}, page.encode())


@pytest.fixture
def page() -> Callable[[int], Reply]:
    """Make an HTML error page."""
    return html


@pytest.fixture
def ready(switch: Make) -> Make:
    """Make a switch that gives tokens and has an old host name."""

    def make(**given: Any) -> Any:
        given.setdefault("applied", old())
        given["script"] = {"GET /api-token": [{"token": "t0ken-canary"}], **given.get("script", {})}
        return switch(**given)

    return make
