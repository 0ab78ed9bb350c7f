# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The choice of a dialect."""

from __future__ import annotations

import typing as t

from .client import Client, Server
from .nautobot import Nautobot
from .netbox import NetBox
from .port import DcimError

if t.TYPE_CHECKING:
    from .port import Dcim

DIALECTS = ("netbox", "nautobot")
WORKERS = 2
"""Requests at once. More than the server has workers only wait there."""


def open_dcim(
    dialect: str,
    url: str,
    token: str,
    *,
    ca: str | None = None,
    validate_certs: bool = True,
    timeout: float = 120.0,
    workers: int = WORKERS,
) -> Dcim:
    """Return the port to a DCIM; ``DcimError`` for what a user gave wrong. Nothing is sent yet.

    ``timeout`` in seconds bounds one request: a list of 200 cables takes NetBox about 21 s of CPU.
    """
    server = Server(url, ca, validate_certs, timeout)
    if dialect == "netbox":
        return NetBox(Client(server, netbox_authorization(token)), workers=workers)
    if dialect == "nautobot":
        return Nautobot(Client(server, f"Token {token}"), workers=workers)
    raise DcimError(f"kind is {dialect!r}; one of {', '.join(DIALECTS)} is allowed.")


def netbox_authorization(token: str) -> str:
    """Return the header for a token of NetBox: those of version 2 begin with ``nbt_``."""
    return f"Bearer {token}" if token.startswith("nbt_") else f"Token {token}"
