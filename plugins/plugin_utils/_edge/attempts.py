# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller's half of a change that a host takes back by itself: come again over a fresh connection. Private."""

from __future__ import annotations

import time
import typing as t

from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.connection import ConnectionBase

Plain = dict[str, object]
_ENDS = ("failed", "unreachable", "msg")
AGAIN = 2.0
"""Seconds between two tries to reach the host: a bond takes some until it carries."""


def made(execute: t.Callable[[Plain], Plain], connection: ConnectionBase, *, seconds: int) -> Plain:
    """Return the module's answer, after the change was confirmed on the host.

    `execute` runs the module with further options. A host that cannot be reached within half of the
    `seconds` of the attempt is given up, and takes the change back.
    """
    try:
        found = execute({})
    except AnsibleConnectionFailure as exc:
        raise AnsibleConnectionFailure(_lost(exc, seconds)) from exc
    token = found.pop("attempt", "")
    if not token:
        return found
    answer = _confirmed(lambda: execute({"confirm": token}), connection, seconds)
    wrong: Plain = {key: answer[key] for key in _ENDS if key in answer}
    return found | wrong


def _confirmed(confirm: t.Callable[[], Plain], connection: ConnectionBase, seconds: int) -> Plain:
    until = time.monotonic() + seconds / 2
    while True:
        try:
            _forget(connection)
            return confirm()
        except AnsibleConnectionFailure as exc:
            if time.monotonic() > until:
                raise AnsibleConnectionFailure(_lost(exc, seconds)) from exc
            time.sleep(AGAIN)


def _forget(connection: ConnectionBase) -> None:
    """A connection that is kept open proves nothing; one that opens for each task has nothing to forget."""
    if getattr(type(connection), "reset", None) not in (None, ConnectionBase.reset):
        connection.reset()


def _lost(exc: Exception, seconds: int) -> str:
    said = str(exc).rstrip(".")
    return f"{said}. If it has started to change its network, it reverts the change within {seconds} s."
