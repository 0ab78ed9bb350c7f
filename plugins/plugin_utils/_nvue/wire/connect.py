# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the variables of a task to the API of its switch. Nothing is dialled yet.

Options of the connection come from the task, host variables and the environment, in this order. A
task option ``user`` is looked for as the host variable ``spx_nvue_user`` and, where a variable of
that kind exists, as ``SPX_NVUE_USER`` in the environment.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Mapping

from ..._http.connection import Endpoint
from ..errors import RefusedError
from .api import Api
from .auth import Auth
from .port import HttpsPort

# The options of the connection, and what they are unless stated.
OPTIONS: dict[str, int | None] = {
    "host": None,
    "port": 8765,
    "user": None,
    "password": None,
    "token": None,
    "ca": None,
    "server_name": None,
    "validate_certs": True,
    "timeout": 30,
}
IN_ENVIRONMENT = ("user", "password", "token", "ca")

# What may stand in a credential, and what may not: a token goes into a header as it is, the others
# encoded.
_SENDABLE = {
    "user": (
        r"[^\x00-\x1f\x7f:]*",
        "a colon, a line break or another control character",
    ),
    "password": (r"[^\x00-\x1f\x7f]*", "a line break or another control character"),
    "token": (
        r"[\x21-\x7e]*",
        "a blank, a line break or another character outside of printable ASCII",
    ),
}
_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")


def open_api(
    args: Mapping[str, object],
    task_vars: Mapping[str, object],
    template: Callable[[object], object],
    *,
    expired: str = "",
) -> Api:
    """Return the API of the host of a task; ``template`` resolves what a variable holds.

    A certificate of the SHA-256 ``expired`` is accepted though it has expired.
    """

    def variable(name: str) -> object:
        return template(task_vars[name]) if name in task_vars else None

    host = str(variable("ansible_host") or task_vars.get("inventory_hostname", ""))
    endpoint, auth = resolve(args, variable, os.environ, host=host)
    if not auth.token and not auth.can_fetch:
        raise RefusedError(f"No credentials: {_lacking(args, variable)}")
    return Api(HttpsPort(dataclasses.replace(endpoint, expired=expired)), auth)


def _lacking(args: Mapping[str, object], variable: Callable[[str], object]) -> str:
    """Describe what is missing: the other half of a login, where one is stated, in the same place."""
    for name, other in (("user", "password"), ("password", "user")):
        for (stated, value), (lacks, _value) in zip(
            _places(name, args, variable, os.environ), _places(other, args, variable, os.environ)
        ):
            if value not in (None, ""):
                return f"{stated} is set, and {lacks} is not: set it too, or a token instead."
    return (
        "set user and password, or token, in the task, in module_defaults (group/spectrum_x.fabric.nvue), as "
        "spx_nvue_user ... or as SPX_NVUE_USER, SPX_NVUE_PASSWORD, SPX_NVUE_TOKEN."
    )


def _places(
    name: str,
    args: Mapping[str, object],
    variable: Callable[[str], object],
    environment: Mapping[str, str],
) -> list[tuple[str, object]]:
    """Return where an option may be stated, in the order in which it counts, with the value there."""
    word = f"SPX_NVUE_{name.upper()}" if name in IN_ENVIRONMENT else ""
    own = f"spx_nvue_{name}"
    return [(f"option {name}", args.get(name)), (own, variable(own)), (word, environment.get(word))]


def resolve(
    args: Mapping[str, object],
    variable: Callable[[str], object],
    environment: Mapping[str, str],
    *,
    host: str,
) -> tuple[Endpoint, Auth]:
    """Return where to connect and as whom; ``variable`` returns a host variable or ``None``."""
    found: dict[str, object] = {}
    for name, default in OPTIONS.items():
        stated = _places(name, args, variable, environment)
        found[name] = next((value for _place, value in stated if value not in (None, "")), default)
    return _endpoint(found, host), Auth(*(_credential(found[name], name) for name in _SENDABLE))


def named_login(
    name: str, variable: Callable[[str], object], environment: Mapping[str, str]
) -> Auth:
    """Return a login of its own, such as ``next``: spx_nvue_next_user and spx_nvue_next_password."""
    words = []
    for kind in ("user", "password"):
        own = f"spx_nvue_{name}_{kind}"
        stated = (variable(own), environment.get(own.upper()))
        words.append(_credential(next((v for v in stated if v not in (None, "")), None), kind))
    return Auth(*words)


def _credential(value: object, name: str) -> str | None:
    """Return a credential without the line end that a file leaves behind it."""
    word = str(value or "").rstrip("\r\n")
    sendable, others = _SENDABLE[name]
    if not re.fullmatch(sendable, word):
        raise RefusedError(
            f"{name} holds {others}, which cannot be sent (its value is not shown); "
            "check where it comes from."
        )
    return word or None


def _endpoint(found: Mapping[str, object], host: str) -> Endpoint:
    return Endpoint(
        host=str(found["host"] or host),
        port=_number(found["port"], "port", 1, 65535),
        timeout=float(_number(found["timeout"], "timeout", 1, 600)),
        validate_certs=_truth(found["validate_certs"], "validate_certs"),
        ca=str(found["ca"]) if found["ca"] else None,
        server_name=str(found["server_name"]) if found["server_name"] else None,
    )


def _number(value: object, name: str, least: int, most: int) -> int:
    try:
        number: int = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        number = least - 1
    if not least <= number <= most:
        raise RefusedError(f"{name} is {value!r}; it must be a number from {least} to {most}.")
    return number


def _truth(value: object, name: str) -> bool:
    word = str(value).lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise RefusedError(f"{name} is {value!r}; it must be true or false.")
