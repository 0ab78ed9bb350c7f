# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connection options from task, host variables and environment, in this order.

A task option ``user`` is looked for as the host variable ``spx_nvue_user`` and, where a variable of
that kind exists, as ``SPX_NVUE_USER`` in the environment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .auth import Credentials
from .errors import RefusedError
from .http_stdlib import Endpoint

# The argument specification of the connection, shared by all actions.
SPEC: dict[str, dict[str, str | bool]] = {
    "host": {"type": "str"},
    "port": {"type": "int"},
    "user": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "token": {"type": "str", "no_log": True},
    "ca": {"type": "path"},
    "server_name": {"type": "str"},
    "validate_certs": {"type": "bool"},
    "timeout": {"type": "int"},
}
DEFAULTS: dict[str, int] = {"port": 8765, "validate_certs": True, "timeout": 30}
ENVIRONMENT = {
    "user": "SPX_NVUE_USER",
    "password": "SPX_NVUE_PASSWORD",
    "token": "SPX_NVUE_TOKEN",
    "ca": "SPX_NVUE_CA",
}

# What may stand in a credential: a token goes into a header as it is, the others encoded.
_SENDABLE = {
    "user": re.compile(r"[^\x00-\x1f\x7f:]*"),
    "password": re.compile(r"[^\x00-\x1f\x7f]*"),
    "token": re.compile(r"[\x21-\x7e]*"),
}
_UNSENDABLE = {
    "user": "a colon, a line break or another control character",
    "password": "a line break or another control character",
    "token": "a blank, a line break or another character outside of printable ASCII",
}
_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")


def resolve(
    args: Mapping[str, object],
    variable: Callable[[str], object],
    environment: Mapping[str, str],
    *,
    host: str,
) -> tuple[Endpoint, Credentials]:
    """Return where to connect and as whom; ``variable`` returns a host variable or ``None``."""
    found: dict[str, object] = {}
    for name in SPEC:
        for value in (args.get(name), variable(f"spx_nvue_{name}"), _from(environment, name)):
            if value is not None and value != "":
                found[name] = value
                break
        else:
            found[name] = DEFAULTS.get(name)
    return _endpoint(found, host), Credentials(
        *(_credential(found[name], name) for name in ("user", "password", "token"))
    )


def _from(environment: Mapping[str, str], name: str) -> str | None:
    return environment.get(ENVIRONMENT[name]) if name in ENVIRONMENT else None


def _credential(value: object, name: str) -> str | None:
    """Return a credential without the line end that a file leaves behind it."""
    word = str(value or "").rstrip("\r\n")
    if not _SENDABLE[name].fullmatch(word):
        raise RefusedError(
            f"{name} holds {_UNSENDABLE[name]}, which cannot be sent (its value is not shown); "
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


def check_credentials(credentials: Credentials) -> None:
    """Refuse to start without a token or a user with password."""
    if not credentials.token and not (credentials.user and credentials.password):
        raise RefusedError(
            "No credentials: set user and password, or token, in the task, in module_defaults "
            "(group/spectrum_x.fabric.nvue), as spx_nvue_user ... or as SPX_NVUE_USER, "
            "SPX_NVUE_PASSWORD, SPX_NVUE_TOKEN."
        )
