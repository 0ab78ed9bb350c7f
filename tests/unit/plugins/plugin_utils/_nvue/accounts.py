# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A switch that asks who logs in, as the user guide of 5.18 says: Basic by what runs, tokens, restrictions.

An account waits 15 s after each failed login, and is locked after five; another account clears that. Hashes are
written as ``H(password)``. ``trap``: an account whose hash came by the API cannot log in (known bug 3341214).
``deaf``: seconds after a reload in which every login is refused (3442569).
"""

from __future__ import annotations

import base64
import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api, Clock
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth

from .faithful import JSON, STARTED, Faithful, Revision

REFUSED = Reply(401, JSON, b'{"title": "Unauthorized", "status": 401}')
WAIT, ATTEMPTS = 15.0, 5


def users(**passwords: str) -> dict[str, Any]:
    """Return a configuration with accounts of these passwords."""
    body = {name: {"hashed-password": f"old H({word})", "role": "system-admin"}
            for name, word in passwords.items()}  # fmt: skip
    return {**copy.deepcopy(STARTED), "system": {"hostname": "leaf-01", "aaa": {"user": body}}}


@dataclass
class AccountSwitch(Faithful):
    """The switch; ``failed`` has the time and user of each failed login that still counts, ``heard`` of all users."""

    trap: bool = False
    deaf: float = 0.0
    applied: dict[str, Any] = field(default_factory=lambda: users(a="a1", b="b1"))

    def __post_init__(self) -> None:
        super().__post_init__()
        self.failed: list[tuple[float, str]] = []
        self.heard: list[str] = []
        self.cleared: list[str] = []
        self.confirmed_by: list[str] = []
        self.deaf_until, self.tokens = -math.inf, 0

    # logins

    def request(
        self, method: str, path: str, params: Any, body: bytes | None, headers: Mapping[str, str]
    ) -> Reply:
        kind, _blank, word = headers["authorization"].partition(" ")
        if kind == "Bearer":
            user, _dot, number = word.rpartition(".")
            good = number == str(self.tokens) and self.seconds > self.deaf_until
        else:
            user, _colon, password = base64.b64decode(word).decode().partition(":")
            good = self._let_in(user, password)
        if not good:
            self.sleep(0.01)
            return REFUSED
        if path.endswith("/api-token"):
            self.sleep(0.01)
            return Reply(200, JSON, f'{{"token": "{user}.{self.tokens}"}}'.encode())
        if body and b"_yes" in body and b'"confirm"' not in body:
            self.confirmed_by.append(user)
        return super().request(method, path, params, body, headers)

    def _let_in(self, user: str, password: str) -> bool:
        mine = [when for when, name in self.failed if name == user]
        waits = bool(mine) and self.seconds < mine[-1] + WAIT
        if not waits and len(mine) < ATTEMPTS and self._right(user, password):
            self.failed = [one for one in self.failed if one[1] != user]
            return True
        self.failed.append((self.seconds, user))
        self.heard.append(user)
        return False

    def _right(self, user: str, password: str) -> bool:
        body = self.running["system"].get("aaa", {}).get("user", {}).get(user, {})
        known = [body.get("password"), body.get("hashed-password")]
        right = [password, f"old H({password})", *([] if self.trap else [f"H({password})"])]
        return self.seconds > self.deaf_until and any(word in right for word in known)

    # accounts of a configuration

    def _run(self, config: dict[str, Any]) -> None:
        if self.running.get("system", {}).get("aaa") != config.get("system", {}).get("aaa"):
            self.tokens, self.deaf_until = self.tokens + 1, self.seconds + self.deaf
        super()._run(config)

    def _reload(self, one: Revision) -> None:
        for body in one.config["system"].get("aaa", {}).get("user", {}).values():
            if "password" in body:  # the switch hashes it, and keeps the hash alone
                body["hashed-password"] = f"old H({body.pop('password')})"
        super()._reload(one)

    def shown(self) -> dict[str, Any]:
        made = copy.deepcopy(super().shown())
        for body in made["system"].get("aaa", {}).get("user", {}).values():
            body["hashed-password"] = "*"
        return made

    def _answer(self, method: str, place: str, params: Any, body: Any) -> tuple[int, Any]:
        if method == "POST" and place == "system/aaa/authentication/restrictions":
            user = body["@clear"]["parameters"]["user"]
            self.cleared.append(user)
            self.failed = [one for one in self.failed if one[1] != user]
            return 200, 1
        if place == "action/1":
            return 200, {"state": "action_success"}
        return super()._answer(method, place, params, body)

    def log_in(self, user: str, password: str) -> Api:
        """Return the API as a user opens it."""
        clock = Clock(now=lambda: self.seconds, wall=lambda: self.seconds, sleep=self.sleep)
        return Api(self, Auth(user, password), clock=clock)
