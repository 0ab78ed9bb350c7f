# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Proof of a login, for changes after which somebody may not get in any more.

Nothing of such a change is confirmed before a new login has worked: else the timer of the switch restores what was.
After a change of authentication the API may answer 401 until its services restart (known bug 3442569), so the login is
tried more than once, less often than a switch locks the account, and not before the pause that it asks for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ....module_utils._json import Doc
from ..document.paths import Globs, parse
from ..document.shapes import below
from ..document.tree import Change
from ..errors import NvueError, RefusedError
from ..wire import operational
from ..wire.api import Api
from ..wire.auth import Auth, LoginLimit

PLACES = ("system/aaa", "system/api", "system/security/password-hardening", "system/ssh-server")
_PLACES = Globs(PLACES)
RESTRICTIONS = parse("system/aaa/authentication/restrictions")
PAUSE, TRIES = 30.0, 3
"""Seconds between failed logins of a proof, and how many of them there are (ours)."""
REATTEMPT, ATTEMPTS = 15, 5
"""Pause after a failed login, and failed logins that lock an account, unless stated (D518, User Accounts)."""


def at_stake(changes: Iterable[Change]) -> bool:
    """Return whether a change may keep somebody from logging in."""
    return any(_PLACES.covers(change.path) for change in changes)


def pause(applied: Doc) -> float:
    """Return how long a switch lets an account wait after a failed login, in seconds."""
    stated = below(applied, *RESTRICTIONS)
    return 1.0 + _number(stated, "lockout-reattempt", REATTEMPT) + _number(stated, "fail-delay", 0)


def limit(applied: Doc, tries: int = TRIES) -> LoginLimit:
    """Return the limit of failed logins of a proof: fewer than lock an account."""
    most = _number(below(applied, *RESTRICTIONS), "lockout-attempts", ATTEMPTS) - 2
    return LoginLimit(max(PAUSE, pause(applied)), max(1, min(tries, most)), patient=True)


def _number(stated: Doc, key: str, default: int) -> int:
    value = stated.get(key)
    return value if isinstance(value, int) else default


@dataclasses.dataclass
class LoginProof:
    """Login that has to work once before a change is confirmed; the change is followed with it from then on."""

    probe: Api
    tokens: bool
    """Set where the release issues tokens: then one is fetched by the login."""
    works: bool = False

    @property
    def refused(self) -> bool:
        """Return whether the switch refused the login, and no try of it has worked since."""
        return bool(self.probe.limit.refusal) and not self.works

    def lost(self, api: Api) -> list[str]:
        """Return the login until it has worked."""
        if not self.works:
            try:
                log_in(self.probe, tokens=self.tokens)
            except NvueError as exc:
                return [f"the login of user {self.probe.auth.user} ({str(exc).rstrip('.')})"]
            self.works, api.auth = True, self.probe.auth
        return []


def log_in(api: Api, *, tokens: bool = False) -> None:
    """Log in by user and password, over a connection of its own."""
    api.port.close()
    if tokens:
        api.fetch_token()
    else:
        operational.about(api)


def proof(api: Api, before: Doc, new: Auth | None) -> LoginProof:
    """Return the proof by another login, which is tried once, or by one's own; RefusedError without a password."""
    auth = new or api.auth
    if not auth.can_fetch:
        raise RefusedError(
            f"{api.port.target}: the change touches who may log in ({', '.join(PLACES)}), so that a new login has to "
            "work before it is confirmed: give user and password, and no token alone."
        )
    probe = Api(api.port, Auth(auth.user, auth.password), clock=api.clock)
    api.hide(probe.auth.secrets())
    api.limit = limit(before)
    probe.limit = limit(before, 1) if new else api.limit
    made = LoginProof(probe, tokens=bool(api.auth.token))
    if new and new.user == api.auth.user:
        api.succeed = lambda: not made.works and not made.lost(api)
    return made
