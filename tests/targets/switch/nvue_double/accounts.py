# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users, passwords, roles and tokens.

Basic authentication and roles: user guide (NVUE API, user accounts). Tokens exist from 5.14 and
die with their time, a change of the local accounts, a restart of the service, or a reboot.
"""

from __future__ import annotations

import base64
import copy
import ctypes
import ctypes.util
import hashlib
import hmac
import json
import secrets
import time
from dataclasses import dataclass
from typing import Any

ADMIN_ROLES = {"system-admin", "nvue-admin"}
DEFAULT_PASSWORD = "cumulus"


@dataclass
class Account:
    """A local user: either a plain password known to the double, or a crypt(3) hash."""

    role: str
    password: str | None = None
    hashed: str | None = None


class Accounts:
    """The local users of a switch."""

    def __init__(self) -> None:
        self.users: dict[str, Account] = {}
        self.own_hashes: set[str] = set()
        self._tried: dict[tuple[str, str, str], bool] = {}
        self._key = secrets.token_bytes(16)

    def add(self, name: str, password: str, role: str) -> None:
        """Create a user (or give it a new password), as on the console."""
        self.users[name] = Account(role, password)
        self.forget_tokens()

    def default_password_in_use(self, name: str) -> bool:
        """Check whether the factory's account still has the factory's password."""
        user = self.users.get(name)
        return user is not None and self.check(name, DEFAULT_PASSWORD)

    def check(self, name: str, password: str) -> bool:
        """Check whether the password is right."""
        user = self.users.get(name)
        if user is None:
            return False
        if user.password is not None:
            return hmac.compare_digest(user.password.encode(), password.encode())
        known = (name, user.hashed or "", hashlib.sha256(password.encode()).hexdigest())
        if known not in self._tried:
            right = user.hashed is not None and _crypt(password, user.hashed) == user.hashed
            self._tried[known] = right
        return self._tried[known]

    def may_write(self, name: str) -> bool:
        """Check whether the user's role may change the configuration."""
        return self.users[name].role in ADMIN_ROLES

    def hash(self, password: str) -> str:
        """Hash a plain password as the switch does it when it gets one."""
        hashed = _crypt(password, f"$6${secrets.token_hex(6)}")
        if hashed is None:
            raise ValueError("this machine has no crypt(3) with SHA-512")
        self.own_hashes.add(hashed)
        return hashed

    def snapshot(self) -> dict[str, Account]:
        """The accounts as they are, for a roll-back."""
        return copy.deepcopy(self.users)

    def restore(self, users: dict[str, Account]) -> None:
        """Have the accounts of a snapshot again."""
        if users != self.users:
            self.users = copy.deepcopy(users)
            self.forget_tokens()

    def follow(self, configured: dict[str, Any], lock_out: bool = False) -> None:
        """Take over `system.aaa.user` of a document that now runs.

        With `lock_out` a hash that came from outside opens nothing (known issue 3341214).
        """
        before = {name: (user.role, user.hashed) for name, user in self.users.items()}
        for name in [name for name in self.users if name not in configured]:
            del self.users[name]
        for name, body in configured.items():
            user = self.users.setdefault(name, Account("nvue-monitor"))
            user.role = body.get("role", user.role)
            hashed = body.get("hashed-password")
            if hashed and hashed != "*" and hashed != user.hashed:
                spoilt = lock_out and hashed not in self.own_hashes
                user.hashed, user.password = "!" if spoilt else hashed, None
        after = {name: (user.role, user.hashed) for name, user in self.users.items()}
        if before != after:
            self.forget_tokens()

    def forget_tokens(self) -> None:
        """Make every token invalid."""
        self._key = secrets.token_bytes(16)

    def issue(self, name: str, minutes: int) -> str:
        """A token for `name`."""
        head = _b64(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
        body = _b64(json.dumps({"sub": name, "exp": time.time() + 60 * minutes}).encode())
        return f"{head}.{body}.{self._signature(f'{head}.{body}')}"

    def holder(self, token: str) -> str | None:
        """Owner of this token; None when it is forged or has expired."""
        signed, dummy, signature = token.rpartition(".")
        if not hmac.compare_digest(self._signature(signed), signature):
            return None
        body = signed.partition(".")[2]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        name = str(claims["sub"])
        return name if claims["exp"] > time.time() and name in self.users else None

    def _signature(self, text: str) -> str:
        return _b64(hmac.new(self._key, text.encode(), hashlib.sha256).digest())


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _crypt(password: str, setting: str) -> str | None:
    library = ctypes.util.find_library("crypt") or "libcrypt.so.1"
    function = ctypes.CDLL(library).crypt
    function.restype = ctypes.c_char_p
    answer = function(password.encode(), setting.encode())
    return answer.decode() if answer else None
