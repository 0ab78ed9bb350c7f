# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lease of a host for measurements: one run at a time, as two would slow each other and stop the other's servers.

A run holds the host from its beginning until it lets go. Of two that begin together the first that asks has it. One
that was killed is not heard any more, and holds it for `HELD` seconds beyond what it has started; what ranks of a
collective are, `keeper.py` looks for. The same run, begun again, has the same name and is not refused.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from .. import _files
from .._nic.errors import NicError
from .._nic.state import FOLDER, load, save
from .._nic.tools import Host

NOTE = "measure-run"
HELD = 600
"""Seconds that a run may leave a host alone between two rounds. Ours."""


def other(host: Host, run: str) -> str:
    """Describe another run that holds the host; empty where none does. An empty `run` is not refused."""
    note = load(host, NOTE)
    name, until, heard = (note.get(key) for key in ("run", "until", "heard"))
    if not run or name == run or not isinstance(until, float) or not isinstance(heard, float):
        return ""
    now = host.clock()
    if not heard <= now < until:
        return ""
    return (
        f"run {name} measures there, reported {now - heard:.0f} s ago, and counts as ended after "
        f"{until - now:.0f} s without a report"
    )


def take(host: Host, run: str, seconds: float) -> None:
    """Hold the host while tasks of so many seconds run; NicError where another run holds it."""
    if held := claim(host, run, seconds):
        raise NicError(f"{held}: wait for its end, or choose other nodes.")


def claim(host: Host, run: str, seconds: float) -> str:
    """Hold the host as `take` does; what is said of another run that holds it, empty where none does.

    Nobody else looks and notes meanwhile.
    """
    with _alone(host):
        if held := other(host, run):
            return held
        if run:
            now = host.clock()
            save(host, NOTE, {"run": run, "heard": now, "until": now + seconds + HELD})
        return ""


def renew(host: Host, *, busy: bool) -> bool:
    """Renew the lease of the run that holds the host, and return whether there is one; a `busy` run counts as alive."""
    with _alone(host):
        note, now = load(host, NOTE), host.clock()
        heard, until = note.get("heard"), note.get("until")
        if not isinstance(heard, float) or not isinstance(until, float):
            return False
        if not heard <= now < until:
            return False
        if busy:
            save(host, NOTE, {**note, "heard": now, "until": max(until, now + HELD)})
        return True


@contextmanager
def _alone(host: Host) -> Iterator[None]:
    """The kernel lets one process at a time have the lock, and takes it from one that ends."""
    if host.check_mode:
        yield
        return
    try:
        handle = _files.lock(host.path(f"{FOLDER}/{NOTE}.lock"))
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)
    except OSError as exc:
        raise NicError(f"{FOLDER}/{NOTE}.lock: it cannot be locked: {exc.strerror}.") from exc


def release(host: Host, run: str) -> None:
    """Let go of the host; one that another run holds stays held.

    Nobody else looks and notes meanwhile: who found the run there just before would note it again.
    """
    with _alone(host):
        if not host.check_mode and load(host, NOTE).get("run") == run:
            host.path(f"{FOLDER}/{NOTE}.json").unlink(missing_ok=True)
