# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small switch behind the port: revisions, a roll-back timer, sessions that follow what it runs.

Written from the published life of a revision and the two public forms of commit-confirm, for drills
that are too many for a server. Time passes by a clock of its own.

    form "confirm"   state confirm after the reload, answered by {"state": "confirm_yes"}
    form "ays"       state ays after the reload, answered by
                     {"state": "apply", "auto-prompt": {"ays": "ays_yes"}}

``greedy`` takes an automatic answer of the first request for the answer to that question too.
``warns`` asks ays before the reload, unless it was answered beforehand. ``shows`` the configuration of
before (old) or of the revision (new) until the confirmation. ``rebases`` puts the changes of a
revision on what is applied when its apply begins; otherwise its whole document becomes the applied one.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api, Clock
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth

JSON = {"content-type": "application/json"}
BUSY = {"apply", "checking", "verifying", "ays", "reloading", "reloaded", "confirm",
        "confirm_yes", "ays_yes"}  # fmt: skip
HOLD = 9.0
PEERS = ("swp1", "swp2")
STARTED = {
    "system": {"hostname": "leaf-01"},
    "interface": {name: {"type": "swp"} for name in PEERS},
    "vrf": {"default": {"router": {"bgp": {"neighbor": {name: {} for name in PEERS}}}}},
}


@dataclass
class Revision:
    """One revision: what it holds, its state, and when that state ends by itself."""

    config: dict[str, Any]
    user: str = ""
    changes: list[Any] = field(default_factory=list)
    state: str = "pending"
    until: float = math.inf
    timer: float = 0.0
    prompts: dict[str, str] = field(default_factory=dict)
    loaded: bool = False
    progress: str = ""
    message: str = ""

    def shown(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "message": self.message,
            "user": self.user,
            "transition": {"issue": {}, "progress": self.progress},
        }


@dataclass
class Faithful:
    """The switch. ``running`` is what it forwards by, ``applied`` what it keeps."""

    form: str = "confirm"
    greedy: bool = False
    warns: bool = False
    final: str = "applied_and_saved"
    shows: str = "old"
    rebases: bool = False
    applied: dict[str, Any] = field(default_factory=lambda: copy.deepcopy(STARTED))
    seconds: float = 1000.0
    target: str = "leaf-01:8765"

    def __post_init__(self) -> None:
        self.running = copy.deepcopy(self.applied)
        self.revisions: dict[str, Revision] = {"1": Revision({}, state="applied")}
        self.log: list[str] = []
        self.bodies: list[Any] = []
        self.starved_since = math.inf

    # the port

    def close(self) -> None:
        """Nothing is open."""

    def request(
        self,
        method: str,
        path: str,
        params: Mapping[str, str],
        body: bytes | None,
        headers: Mapping[str, str],
    ) -> Reply:
        assert "authorization" in headers
        self.sleep(0.01)
        place = unquote(path.removeprefix("/nvue_v1")).strip("/")
        content = None if body is None else json.loads(body)
        self.log.append(f"{method} /{place}")
        self.bodies.append(content)
        status, answer = self._answer(method, place, params, content)
        return Reply(status, JSON, json.dumps(answer).encode())

    def _answer(self, method: str, place: str, params: Any, body: Any) -> tuple[int, Any]:
        if method == "GET":
            return self._read(place, params)
        if method == "POST" and place == "revision":
            name = str(len(self.revisions) + 1)
            self.revisions[name] = Revision(copy.deepcopy(self.applied))
            return 200, {name: self.revisions[name].shown()}
        if method == "PATCH" and place == "" and self._draft(params.get("rev")):
            merge(self.revisions[params["rev"]].config, body)
            self.revisions[params["rev"]].changes.append(body)
            return 200, body
        if method == "PATCH" and place.startswith("revision/"):
            return self._order(place.partition("/")[2], body)
        return 404, {"title": "Not Found", "status": 404}

    def _draft(self, name: Any) -> bool:
        return name in self.revisions and self.revisions[name].state == "pending"

    def _read(self, place: str, params: Any) -> tuple[int, Any]:
        if place == "api-token":
            return 200, {"token": "t0ken"}
        if place == "system" and params["rev"] == "operational":
            return 200, {"build": "Cumulus Linux 5.16.1", "hostname": "leaf-01"}
        if place == "" and params["rev"] == "applied":
            return 200, self.shown()
        if place == "revision":
            return 200, {name: one.shown() for name, one in self.revisions.items()}
        if place.startswith("revision/") and place[9:] in self.revisions:
            return 200, self.revisions[place[9:]].shown()
        if place == "vrf/default/router/bgp/neighbor":
            return 200, {name: {"state": state} for name, state in self.sessions().items()}
        if place == "interface":
            return 200, {name: {"link": {"state": {"up": {}}}} for name in PEERS}
        return 404, {"title": "Not Found", "status": 404}

    def _order(self, name: str, body: Any) -> tuple[int, Any]:
        one = self.revisions.get(name)
        if one is None:
            return 404, {"title": "Not Found", "status": 404}
        word, prompts = body["state"], body.get("auto-prompt", {})
        if one.state == "pending" and word == "apply":
            self._apply(one, body, prompts)
        elif one.state == "confirm" and word in ("confirm_yes", "confirm_no"):
            self._decide(one, word)
        elif one.state == "ays" and word == "apply" and "ays" in prompts:
            self._decide(one, prompts["ays"])
        else:
            return 400, {"title": "Bad Request", "detail": f"{word} in state {one.state}"}
        return 200, one.shown()

    def shown(self) -> dict[str, Any]:
        waits = any(one.state in ("ays", "confirm") for one in self.revisions.values())
        return self.running if self.shows == "new" and waits else self.applied

    def theirs(self, change: dict[str, Any], user: str = "ops") -> None:
        """Somebody else applies a change at once."""
        merge(self.applied, copy.deepcopy(change))
        self._run(self.applied)
        name = str(len(self.revisions) + 1)
        self.revisions[name] = Revision(copy.deepcopy(self.applied), user, state="applied")

    # the life of a revision

    def _apply(self, one: Revision, body: Any, prompts: dict[str, str]) -> None:
        if self.rebases:
            one.config = copy.deepcopy(self.applied)
            for change in one.changes:
                merge(one.config, change)
        if one.config == self.applied:
            one.progress = "no config diff"
            return
        assert not any(other.state in BUSY for other in self.revisions.values()), "two applies"
        one.timer = body.get("state-controls", {}).get("confirm", 0)
        one.prompts, one.message = prompts, body.get("message", "")
        self._enter(one, "checking", 0.3)

    def _enter(self, one: Revision, state: str, seconds: float = math.inf) -> None:
        since = one.until if one.until < self.seconds else self.seconds
        one.state, one.until = state, since + seconds

    def _decide(self, one: Revision, word: str) -> None:
        if word.endswith("_yes"):
            self._enter(one, word, 0.1)
        elif one.loaded:
            self._roll_back(one)
        else:
            self._enter(one, "ays_fail")

    def _roll_back(self, one: Revision) -> None:
        self._run(self.applied)
        self._enter(one, "confirm_fail")

    def _run(self, config: dict[str, Any]) -> None:
        self.running = copy.deepcopy(config)
        starved = "cut" in self.running.get("acl", {})
        self.starved_since = min(self.starved_since, self.seconds) if starved else math.inf

    def _ended(self, one: Revision) -> None:
        """Leave a state whose time is over."""
        if one.state == "checking":
            asks = self.warns and "ays" not in one.prompts
            self._enter(one, "ays", 30) if asks else self._reload(one)
        elif one.state == "ays_yes" and not one.loaded:
            self._reload(one)
        elif one.state == "reloading":
            self._enter(one, "reloaded", 0.1)
        elif one.state == "reloaded" and self._waits(one):
            self._enter(one, self.form, one.timer)
        elif one.state in ("reloaded", "ays_yes", "confirm_yes"):
            self.applied = copy.deepcopy(one.config)
            self._enter(one, self.final)
        elif one.loaded:
            self._roll_back(one)
        else:
            self._enter(one, "ays_fail")

    def _reload(self, one: Revision) -> None:
        self._enter(one, "reloading", 1.0)
        one.loaded = True
        self._run(one.config)

    def _waits(self, one: Revision) -> bool:
        answered = one.prompts.get(self.form) and (self.form == "confirm" or self.greedy)
        return bool(one.timer) and not answered

    # what follows from it

    def sessions(self) -> dict[str, str]:
        lost = self.seconds - self.starved_since > HOLD
        listed = self.running["vrf"]["default"]["router"]["bgp"]["neighbor"]
        return dict.fromkeys(listed, "active" if lost else "established")

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        for one in self.revisions.values():
            while one.until <= self.seconds:
                self._ended(one)

    def api(self, port: Any = None) -> Api:
        clock = Clock(now=lambda: self.seconds, wall=lambda: self.seconds, sleep=self.sleep)
        return Api(port or self, Auth("admin", "hunter22"), clock=clock)


def merge(doc: dict[str, Any], change: dict[str, Any]) -> None:
    for key, value in change.items():
        if value is None:
            doc.pop(key, None)
        elif isinstance(value, dict):
            below = doc.get(key)
            doc[key] = below if isinstance(below, dict) else {}
            merge(doc[key], value)
        else:
            doc[key] = value
