# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests of clients: one record each, and those that the documentation advises against."""

from __future__ import annotations

import re
import time
from dataclasses import asdict, dataclass, field
from typing import Any

_SECRET = re.compile(r"(password|passphrase|secret|key|community)", re.IGNORECASE)


@dataclass
class Request:
    """One request: `path` without the base, decoded; `status` 0 while none was sent."""

    method: str
    path: str
    query: dict[str, str]
    user: str | None
    auth: str
    body: Any
    status: int = 0
    at: float = field(default_factory=time.time)
    peer: str | None = None

    @property
    def writes(self) -> bool:
        """Check whether this request needs the right to write."""
        return self.method in ("POST", "PATCH", "DELETE", "PUT")

    @property
    def changes(self) -> bool:
        """Check whether it could change the switch: a ping is an action and changes nothing."""
        return self.writes and not (isinstance(self.body, dict) and list(self.body) == ["@ping"])


class RequestLog:
    """All requests since the last clear, in order of arrival."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.violations: list[str] = []

    def clear(self) -> None:
        """Forget requests and violations."""
        self.requests.clear()
        self.violations.clear()

    def violation(self, sentence: str) -> None:
        """Record something the documentation advises against."""
        self.violations.append(sentence)

    @property
    def writes(self) -> list[Request]:
        """Every request that could change the switch."""
        return [request for request in self.requests if request.changes]

    def matching(self, method: str, pattern: str = ".*") -> list[Request]:
        """Requests of a method whose path matches a regular expression entirely."""
        return [
            request
            for request in self.requests
            if request.method == method and re.fullmatch(pattern, request.path)
        ]

    def plain(self) -> list[dict[str, Any]]:
        """The requests as plain data, with what `changes` says and asterisks for secrets."""
        return [
            {**asdict(request), "body": _masked(request.body), "changes": request.changes}
            for request in self.requests
        ]


def _masked(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        key: "***" if isinstance(inner, str) and _is_secret(key, inner) else _masked(inner)
        for key, inner in value.items()
    }


def _is_secret(key: str, text: str) -> bool:
    return _SECRET.search(key) is not None or "PRIVATE KEY-----" in text
