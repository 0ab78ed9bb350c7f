# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections of a task, by the variables of its host: the API of a switch, and Ansible's own connection. Private."""

from __future__ import annotations

import os
import typing as t

from .._fabric.catalog import variables
from .._fabric.description.errors import FabricError
from .._jobs import kinds
from .._jobs.switch import backup
from .._jobs.switch.credentials import Accounts
from .._nvue.errors import RefusedError
from .._nvue.wire import connect
from .role_variables import Template, VariableMap, origin, rendered
from .run_store import store

if t.TYPE_CHECKING:
    from .._nvue.wire.api import Api
    from .._nvue.wire.auth import Auth, LoginLimit

CONNECTION = "ansible_connection"
_NETWORK = ("network_cli", "netconf", "httpapi")
"""Connections of ansible.netcommon, of whatever collection."""
EXPIRED, BACKUP = "spx_accept_expired", "spx_backup"
_OWN = frozenset({"ansible_host", *(f"spx_nvue_{name}" for name in connect.OPTIONS)})


def open_api(args: VariableMap, stated: VariableMap, template: Template) -> Api:
    """Return the API of a task's switch; NvueError names a variable whose template fails, with its file."""
    try:
        own = {n: rendered(n, value, template) for n, value in stated.items() if n in _OWN}
        expired = _expired(stated, template)
    except FabricError as exc:
        raise RefusedError(str(exc)) from exc
    name = {"inventory_hostname": stated.get("inventory_hostname", "")}
    api = connect.open_api(args, {**name, **own}, lambda value: value, expired=expired)
    _remember(api)
    return api


def _remember(api: Api) -> None:
    """Let the tasks of a run fail by one failed login of a switch together, as five of them lock the account."""
    key = f"{api.port.target} {api.auth.user}"
    known = store.get(kinds.LOGIN_REFUSAL, of=key)
    api.limit.until, api.limit.refusal = known.until, known.sentence

    def note(limit: LoginLimit) -> None:
        store.put(kinds.LOGIN_REFUSAL, kinds.LoginRefusal(limit.until, limit.refusal), of=key)

    api.limit.note = note


def accounts(stated: VariableMap, template: Template, now: Auth) -> Accounts | None:
    """Return the logins that accounts are to get, beside that of the run; None where none is stated."""

    def variable(name: str) -> object:
        return rendered(name, stated[name], template) if name in stated else None

    following, spare = (connect.named_login(n, variable, os.environ) for n in ("next", "spare"))
    if not any((following.user, following.password, spare.user, spare.password)):
        return None
    spare.user = spare.user or now.user
    for name, auth in (("next", following), ("spare", spare)):
        if not auth.can_fetch:
            raise RefusedError(
                f"spx_nvue_{name}_user and spx_nvue_{name}_password: one is missing: state both accounts with their "
                f"new passwords, as variables or as SPX_NVUE_{name.upper()}_USER and SPX_NVUE_{name.upper()}_PASSWORD."
            )
    if following.user == spare.user:
        raise RefusedError(
            f"spx_nvue_next_user: {following.user} is the spare account too: name the other one of the two accounts."
        )
    return Accounts(following, spare)


def _expired(stated: VariableMap, template: Template) -> str:
    """Return the SHA-256 of a certificate that may have expired: that of the backup, where the run accepts it."""
    named = [name for name in (EXPIRED, BACKUP) if name in stated]
    given = variables.check({name: rendered(name, stated[name], template) for name in named})
    if not given.get(EXPIRED):
        return ""
    if not given.get(BACKUP):
        raise FabricError.of(
            f"variable {EXPIRED}: it needs the certificates of the backups: add -e {BACKUP}=..."
        )
    return backup.load(str(given[BACKUP]), str(stated.get("inventory_hostname"))).certificate


def refuse_network_connection(device: str, stated: VariableMap, template: Template) -> None:
    """FabricError for a connection of network modules, which our actions and modules do not use.

    Ansible opens the connection of a host before any task of it, also for a task that needs none.
    """
    value = stated.get(CONNECTION)
    word = str(rendered(CONNECTION, value, template) or "")
    if word.rpartition(".")[2] in _NETWORK:
        where = origin(value)
        raise FabricError.of(
            f"variable {CONNECTION}{where and f' ({where})'}: '{word}' is not a connection for {device}: remove the "
            "variable for the hosts of the fabric, or set it to ssh in group_vars of their group."
        )
