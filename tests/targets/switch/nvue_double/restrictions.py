# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restrictions of logins (`system.aaa.authentication.restrictions`, since 5.15, on by default).

Published (user guide of 5.18, User Accounts, AAA Authentication Restrictions): they hold for the API too; after each
failed login of an account the next one has to wait for `lockout-reattempt` seconds (15) and `fail-delay` (0) more;
after `lockout-attempts` (5) failures in a row the account is locked; fewer in 15 minutes are forgotten; the action
`clear` of another account ends both. Inferred: a right password is refused in the wait without being counted, a wrong
one is counted and the wait begins anew; a lock lasts until it is cleared or the switch boots; before 5.15 nothing is
restricted; the action names the account by the parameter `user`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import tree
from .options import Options

PLACE = ["system", "aaa", "authentication", "restrictions"]
SINCE = "5.15"
BUG = "4993970"
"""Of 5.18: a lockout may not hold for failed logins over REST. Shown when a test asks for it."""
DEFAULTS = {
    "lockout-state": "enabled",
    "lockout-reattempt": 15,
    "lockout-attempts": 5,
    "fail-delay": 0,
}
WINDOW = 900.0
"""Seconds after which failures that did not lock are forgotten."""


@dataclass(frozen=True)
class Limits:
    """The wait after a failed login, in seconds of this double, and the failures that lock."""

    wait: float
    attempts: int


@dataclass
class Failures:
    """The failed logins of one account in a row."""

    first: float
    count: int = 0
    last: float = 0.0


def limits(running: Mapping[str, Any], options: Options) -> Limits | None:
    """The limits that a running document sets; None where logins are not restricted."""
    if not options.parsed_release.at_least(SINCE) or BUG in options.known_issues:
        return None
    stored = tree.get(running, PLACE)
    words = {**DEFAULTS, **(stored if isinstance(stored, dict) else {})}
    if words["lockout-state"] == "disabled":
        return None
    wait = (words["lockout-reattempt"] + words["fail-delay"]) * options.login_scale
    return Limits(wait, words["lockout-attempts"])


class Restrictions:
    """The failed logins of every account."""

    def __init__(self) -> None:
        self.by_user: dict[str, Failures] = {}

    def admit(self, name: str, right: bool, bounds: Limits) -> bool:
        """Check whether a login succeeds whose password is right or wrong, and remember it."""
        now = time.monotonic()
        failures = self._recent(name, now, bounds)
        locked = failures.count >= bounds.attempts
        blocked = locked or (failures.count > 0 and now < failures.last + bounds.wait)
        if not right:
            failures.count, failures.last = failures.count + 1, now
            self.by_user[name] = failures
        elif not blocked:
            self.by_user.pop(name, None)
        return right and not blocked

    def _recent(self, name: str, now: float, bounds: Limits) -> Failures:
        failures = self.by_user.get(name, Failures(now))
        stale = failures.count < bounds.attempts and now > failures.first + WINDOW
        return Failures(now) if stale else failures

    def clear(self, name: str | None = None) -> None:
        """Forget the failures of one account, or of all."""
        for user in [name] if name else list(self.by_user):
            self.by_user.pop(user, None)
