# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials for the switch: a user with password, or a token.

Reading starts with the user's password (HTTP Basic). Before the first write a token is fetched
where the release has them (5.14 and newer), so that a login by TACACS or RADIUS happens once and
not with every poll; it is renewed before a confirm timer starts.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass, field

from ..._http import strict_json
from ..._http.secret_words import basic_word


@dataclass
class LoginLimit:
    """Limit of failed logins, which keeps an account from being locked.

    A switch locks it after five within 15 minutes, and asks for 15 s after each (D518, User Accounts). So the next
    one comes ``pause`` seconds after a failed one, and none where nothing is ``left``. With ``patient`` a refusal
    counts as one that may be over in a moment. ``note`` hears of each.
    """

    pause: float = 240.0
    left: int = 1000
    patient: bool = False
    until: float = float("-inf")
    refusal: str = ""
    note: Callable[[LoginLimit], None] = lambda _limit: None

    def refuse(self, now: float, refusal: str) -> None:
        """Count a failed login."""
        self.left, self.until, self.refusal = self.left - 1, now + self.pause, refusal
        self.note(self)

    def forbids(self, now: float) -> bool:
        """Return whether a login may not be tried now."""
        return bool(self.refusal) and (self.left < 1 or now < self.until)

    @property
    def again(self) -> bool:
        """Return whether a refused login is worth another try."""
        return self.patient and self.left > 0


@dataclass
class Auth:
    """User and password, or a token, or both; the password renews a token that has expired."""

    user: str | None = None
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    fetched: float = field(default=float("-inf"), init=False)
    """Time at which the token was fetched, in Unix time."""

    @property
    def can_fetch(self) -> bool:
        """Return whether user and password are known."""
        return bool(self.user and self.password)

    def secrets(self) -> list[str]:
        """Return the words that must never be shown."""
        coded = basic_word(self.user, self.password) if self.user and self.password else None
        return [word for word in (self.password, coded, self.token) if word]

    def take(self, token: str, now: float) -> None:
        """Use a token fetched at ``now`` (Unix time) from now on."""
        self.token, self.fetched = token, now

    def same(self, other: Auth) -> bool:
        """Return whether another login has the same user and password."""
        return (self.user, self.password) == (other.user, other.password)

    def is_fresh(self, now: float) -> bool:
        """Return whether the token was fetched within the last half minute."""
        return now - self.fetched < 30.0

    def header(self, *, basic: bool = False) -> dict[str, str]:
        """Return the Authorization header; ``basic`` asks for user and password."""
        if self.token and not basic:
            return {"authorization": f"Bearer {self.token}"}
        if not (self.user and self.password):
            return {}
        return {"authorization": f"Basic {basic_word(self.user, self.password)}"}

    def seconds_left(self, now: float) -> float | None:
        """Return how long the token lives (``now`` in Unix time), ``None`` when it does not say."""
        expires = expiry(self.token) if self.token else None
        return None if expires is None else expires - now


def expiry(token: str) -> float | None:
    """Return the ``exp`` of a JSON web token in Unix time; ``None`` when there is none."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        padded = parts[1] + "=" * (-len(parts[1]) % 4)
        claims = strict_json.parse(base64.urlsafe_b64decode(padded))
    except (ValueError, binascii.Error):
        return None
    found = claims.get("exp") if isinstance(claims, dict) else None
    return float(found) if isinstance(found, int | float) else None
