# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The name of a run, ``machine/process/number``, and whether another run is still at work.

A run holds a socket of its name in Linux' abstract namespace (unix(7)) from before Ansible forks its
workers, which inherit it: so the name is taken as long as any of them lives, also one that waits for
a hook after ``ansible-playbook`` itself was killed, and free again without anybody's tidying up. Runs
see each other where they share a network namespace; of others nothing is known, nor where a system
has no such sockets.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import socket
import time

PATIENCE = 15.0
"""Seconds that the workers of a killed run may take to end before it counts as at work."""
_MOST = 40
"""Characters of the machine's name, as the name of a socket has 107 at most."""


def _held(name: str) -> socket.socket | None:
    """The socket of a name; None where somebody has it. OSError where there are none."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        made.bind(f"\0spectrum_x.fabric/{name}")
    except OSError as exc:
        made.close()
        if exc.errno == errno.EADDRINUSE:
            return None
        raise
    return made


_NAME = f"{socket.gethostname()[:_MOST]}/{os.getpid()}/{secrets.token_hex(4)}"
with contextlib.suppress(OSError, AttributeError):
    if _own := _held(_NAME):
        _own.detach()  # stays open as long as this process, and those that it forks


def this() -> str:
    """The name of this run."""
    return _NAME


def at_work(name: str, *, patience: float = PATIENCE) -> bool:
    """Check whether another run of this machine still lasts after some seconds of waiting."""
    if not name or name == _NAME:
        return False
    until = time.monotonic() + patience
    while _taken(name):
        if time.monotonic() >= until:
            return True
        time.sleep(0.2)
    return False


def _taken(name: str) -> bool:
    try:
        found = _held(name)
    except (OSError, AttributeError, ValueError):
        return False
    if found is None:
        return True
    found.close()
    return False
