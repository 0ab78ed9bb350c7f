# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host that does not come to an end is unreachable, and holds up nobody else. Private.

The keyword ``timeout`` of a task would end it as failed, which is a breach and no missing answer.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

from ansible.errors import AnsibleConnectionFailure

WORK: dict[str, tuple[str, int]] = {
    "look": ("a look at it", 300),
    "tools": ("a look at its tools", 120),
    "identify": ("a look at its identity", 60),
    "links": ("a wait for its links", 60),
    "files": ("its files and units", 600),
    "network": ("its network", 600),
    "measure": ("a measurement", 900),
}
"""Work of a module on a host, and an ample limit for it in seconds."""
NIC = {
    "config": ("settings", "", 120),
    "firmware": ("firmware", "install_timeout", 2400),
    "qos": ("QoS", "", 120),
    "reset": ("a reset", "timeout", 300),
    "roce": ("RoCE", "cc_timeout", 60),
}
"""Parts of module nic: what it does, the option that says how long, and the seconds of a card without that."""
NIC_ANYWAY = 900
"""Seconds of module nic that no card takes: its tools, and others that set the cards, for whom it waits."""
LONGER = ("seconds", "patience", "attempt", "settle_timeout", "until")
"""Options of a module that say how long it takes beside that, in seconds."""


class _LateError(BaseException):
    """The time is over; no handler of a connection may take it for an error of its own."""


def of_module(module: str, options: Mapping[str, object]) -> tuple[str, int]:
    """Return what a module of the collection does by its options, and its seconds."""
    if module.endswith(".nic"):
        return _of_nic(options)
    word = "measure" if module.endswith(".measure") else str(options.get("do") or "look")
    what, seconds = WORK[word]
    return what, seconds + sum(_number(options.get(name)) for name in LONGER)


def _of_nic(options: Mapping[str, object]) -> tuple[str, int]:
    """Card after card; a reset takes its time twice, as the card has as long to answer again."""
    part = next((name for name in NIC if options.get(name) is not None), "config")
    what, option, seconds = NIC[part]
    stated = options.get(part)
    given = stated.get(option) if isinstance(stated, dict) else None
    cards = options.get("nics")
    each = (_number(given) or seconds) * (2 if part == "reset" else 1)
    return f"{what} of its NICs", NIC_ANYWAY + each * (len(cards) if isinstance(cards, list) else 1)


def _number(value: object) -> int:
    return int(value) if isinstance(value, (int, float, str)) and value else 0


@contextlib.contextmanager
def within(seconds: float, name: str, what: str) -> Iterator[None]:
    """AnsibleConnectionFailure where the block takes longer; what it has started is ended.

    An earlier alarm, as that of the keyword ``timeout``, stays in charge.
    """
    if signal.getitimer(signal.ITIMER_REAL)[0] > 0:
        yield
        return
    before = signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except _LateError:
        _end_children()
        raise AnsibleConnectionFailure(
            f"{name}: {what} did not end within {seconds:g} s: look for a process or disk that hangs there, then run "
            "again."
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _late(_number: int, _frame: object) -> None:
    raise _LateError


def _end_children() -> None:
    """End what this process has started, as ssh, and what that has started; a worker of Ansible did so for this task.

    A module on a local connection is no child of its own: a shell is, and tools of the module have groups of their own.
    """
    started = list(_started(os.getpid()))  # a parent that ends leaves its children to another one
    groups = {_group(pid) for pid in started} - {os.getpgrp(), 0}
    for end, numbers in ((os.killpg, groups), (os.kill, started)):
        for number in numbers:
            with contextlib.suppress(OSError):
                end(number, signal.SIGTERM)


def _started(pid: int) -> Iterator[int]:
    """Yield the processes below one, those of its threads too."""
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for word in children.read_text(encoding="ascii").split():
                yield int(word)
                yield from _started(int(word))


def _group(pid: int) -> int:
    """Return the process group of a process, 0 of one that has ended."""
    try:
        return os.getpgid(pid)
    except OSError:
        return 0
