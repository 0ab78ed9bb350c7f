# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One lock of the host for all that set its NICs: Ansible's modules, the units, the watchdog.

The units of several cards run at once after a boot and share it, as systemd runs one unit of a card
at a time; every other process has it alone. It ends with the process that holds it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from .. import _files
from .errors import NicError
from .state import FOLDER
from .tools import Host

LOCK = f"{FOLDER}/lock"
LIMIT = 180  # seconds: longer than a look of the watchdog with its repair takes


class Busy(NicError):
    """Another process sets the NICs of this host."""


@contextmanager
def writing(host: Host, *, shared: bool = False, limit: float = LIMIT) -> Iterator[None]:
    """No other process sets the NICs meanwhile; `Busy` after `limit` seconds. Check mode takes no lock.

    Where the folder of notes cannot be written, the work is done without the lock.
    """
    handle = None if host.check_mode else _opened(host)
    if handle is None:
        yield
        return
    mode = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    try:
        if not host.wait(lambda: _taken(handle, mode), limit, every=1):
            raise Busy(
                f"{LOCK}: another process sets the NICs of this host"
                f"{f', for more than {limit:g} s' if limit else ''}: "
                f"find it with `fuser -v {LOCK}`, and run again when it has ended."
            )
        yield
    finally:
        os.close(handle)


def _opened(host: Host) -> int | None:
    try:
        return _files.lock(host.path(LOCK))
    except OSError:
        return None


def _taken(handle: int, mode: int) -> bool:
    try:
        fcntl.flock(handle, mode)
    except BlockingIOError:
        return False
    return True
