# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two automation accounts of a switch get new passwords, one after the other. Private.

The next account is written by the login of the run, jobs move to it, and it writes the spare one, which they have left.
What a switch has is seen by logins alone, so that the same run again finishes what a killed one began:

    next account    spare account    what is left
    old             old              both
    new             old              the spare one
    new             new              nothing

One login fails at most: that of the first account which has its old password. The other account clears it.
"""

from __future__ import annotations

import ctypes
import dataclasses
import secrets
import string
import typing as t

from ..._fabric.description.errors import FabricError
from ..._nvue.change import login as logins
from ..._nvue.change.converge import Terms, converge
from ..._nvue.change.plan import Wish
from ..._nvue.document.paths import to_text
from ..._nvue.document.release import Release
from ..._nvue.document.shapes import below, mapping
from ..._nvue.document.tree import put
from ..._nvue.errors import ApiError, LoginError, NvueError, RefusedError
from ..._nvue.wire import actions, operational
from ..._nvue.wire.api import Api
from ..run_store import Kind, required
from . import change
from . import outcome as outcomes

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from ..._nvue.wire.auth import Auth
    from .wish import SwitchWish

Plain = dict[str, object]
ROLE = "switch_base"
"""Role that has the accounts."""
USERS = ("system", "aaa", "user")
FORMS = ("hashed-password", "password")
"""Forms of a password by REST: the documented one, and where an account cannot log in by it (3341214) plain text."""
RESTRICTED_SINCE = Release(5, 15)
"""First release that lets an account wait after a failed login (NVIDIA's schema)."""
TIMER = 90
"""Seconds after which a switch restores a password whose login was not proven (ours)."""
CLEARED = 30.0
_LIBRARIES = ("libcrypt.so.1", "libcrypt.so.2")
_SALT = string.ascii_letters + string.digits + "./"


@dataclasses.dataclass(frozen=True)
class Accounts:
    """Logins of the two accounts with their new passwords."""

    next: Auth
    spare: Auth


@dataclasses.dataclass(frozen=True)
class AccountProgress:
    """Progress on a switch: whether its spare account has its old password, and whether hashes lock accounts out."""

    due: bool
    plain: bool = False


@dataclasses.dataclass(frozen=True)
class JobsMove:
    """Move of jobs to an account: the hook for it, empty where nothing is to be moved."""

    user: str
    hook: str


_NONE = required("run store: no login is proven: run the whole playbook.")
PROGRESS: Kind[AccountProgress] = Kind("accounts", AccountProgress, _NONE)
JOBS: Kind[JobsMove] = Kind("jobs", JobsMove, _NONE)


class Rotation:
    """Rotation of the accounts of one switch; `api` has the login of the run."""

    def __init__(
        self, api: Api, accounts: Accounts, wanted: SwitchWish, how: change.Conditions
    ) -> None:
        self.api, self.accounts, self.wanted, self.how = api, accounts, wanted, how
        for auth in (accounts.next, accounts.spare):
            api.hide(auth.secrets())

    def first(self) -> tuple[Plain, AccountProgress]:
        """Give the next account its password; the result of a task, and what is left."""
        accounts = self.accounts
        other = self._opened(accounts.next)
        if works(other):
            due = not works(self._opened(accounts.spare))
            if due:
                self._relieve(other, accounts.spare)
            return {"changed": False}, AccountProgress(due)
        if not works(self.api):
            raise RefusedError(
                f"{self.api.port.target}: neither the new login of {accounts.next.user} nor that of "
                f"{self.api.auth.user} works: give the login that the switch has, and run again."
            )
        self._relieve(self.api, accounts.next)
        due = not self.api.auth.same(accounts.spare)
        result, plain = self._write(self.api, accounts.next)
        return result, AccountProgress(due, plain)

    def second(self, progress: AccountProgress) -> Plain:
        """Give the spare account its password, by the login of the next one."""
        if not progress.due:
            return {"changed": False}
        if self.how.check:
            return {"changed": True}
        api = self._opened(self.accounts.next)
        return self._write(api, self.accounts.spare, plain=progress.plain)[0]

    def _opened(self, auth: Auth) -> Api:
        api = Api(self.api.port, dataclasses.replace(auth), clock=self.api.clock)
        api.hide([*auth.secrets(), *self.api.auth.secrets()])
        return api

    def _relieve(self, api: Api, auth: Auth) -> None:
        """Clear the failed login of an account, or wait as long as the switch asks for."""
        if self.how.check or operational.about(api).release < RESTRICTED_SINCE:
            return
        try:
            job = actions.start(api, logins.RESTRICTIONS, "clear", {"user": str(auth.user)})
            actions.follow(api, job, within=CLEARED)
        except NvueError:
            api.clock.sleep(logins.pause(operational.applied(api)))

    def _write(self, api: Api, auth: Auth, *, plain: bool = False) -> tuple[Plain, bool]:
        """Write a password in the first form of which a login works; the second value: it was the plain one."""
        for form in FORMS[plain:]:
            try:
                return self._written(api, auth, form), form == FORMS[-1]
            except LoginError:
                if form == FORMS[-1]:
                    raise
                self._relieve(api, auth)
        raise AssertionError

    def _written(self, api: Api, auth: Auth, form: str) -> Plain:
        word = str(auth.password)
        place = (*USERS, str(auth.user))
        wish = put(
            self._account(api, auth), (*place, form), hashed(word) if form == FORMS[0] else word
        )
        outcome = converge(api, Wish(wish, rotate=(to_text((*place, form)),)), self._terms(auth))
        return outcomes.result(outcome, api, diff=self.how.diff)

    def _terms(self, auth: Auth) -> Terms:
        timer = self.how.given["confirm_timeout"] or TIMER
        made = change.terms(self.wanted, self.how, write=not self.how.check)
        return dataclasses.replace(made, login=auth, confirm=timer)

    def _account(self, api: Api, auth: Auth) -> Doc:
        """Return the role of an account that the switch does not have; RefusedError where it has another one."""
        users = below(operational.applied(api), *USERS)
        own = mapping(users.get(str(api.auth.user), {})).get("role")
        if auth.user in users:
            role = mapping(users[str(auth.user)]).get("role")
            if own is None or role in (own, None):
                return {}
            said = f"account {auth.user} has the role {role}, and {api.auth.user} has {own}"
        elif own:
            return put({}, (*USERS, str(auth.user), "role"), own)
        else:
            said = f"account {auth.user} is not configured, and the role of {api.auth.user} is not known"
        raise RefusedError(
            f"{api.port.target}: {said}: give both the same role in switch_base_users, and run playbook switches."
        )


def works(api: Api) -> bool:
    """Log in over a connection of its own; False where the switch refuses the login."""
    try:
        logins.log_in(api)
    except ApiError as exc:
        if exc.status != 401:
            raise
        return False
    return True


def hashed(password: str) -> str:
    """Return a password as crypt(3) hashes it by SHA-512, with a salt of its own."""
    salt = "".join(secrets.choice(_SALT) for _ in range(16))
    for name in _LIBRARIES:
        try:
            function = ctypes.CDLL(name).crypt
        except (AttributeError, OSError):
            continue
        function.restype = ctypes.c_char_p
        made: bytes | None = function(password.encode(), f"$6${salt}".encode())
        if made and made.startswith(b"$6$"):
            return made.decode("ascii")
    raise FabricError.of(
        f"controller: {_LIBRARIES[0]} is missing, which hashes passwords: install libcrypt1, or libxcrypt."
    )
