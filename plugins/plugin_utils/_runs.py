# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The name of a run: ``machine/process/beginning``, which no other run ever has.

It is that of the process of ``ansible-playbook``, whose children the workers are that carry out actions.
The beginning is in clock ticks since the boot, as ``/proc`` tells it (proc(5), stat); a system
without ``/proc`` tells none, and of its runs none is known to be at work.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

_STATE, _STARTTIME = 0, 19
"""Fields 3 and 22 of ``/proc/PID/stat``, counted from behind the name of the program."""
_DEAD = "ZX"
"""States of a process that has ended and whose parent has not asked how."""


def this() -> str:
    """The name of the run that a worker works for."""
    return _name(os.getppid())


def at_work(name: str) -> bool:
    """Whether another run of this machine is still going on; of other machines nothing is known."""
    process = name.split("/")[-2] if name.count("/") == 2 else ""
    return name != this() and process.isdecimal() and name == _name(int(process), unknown="")


def _name(process: int, *, unknown: str = "0") -> str:
    return f"{socket.gethostname()}/{process}/{_began(process) or unknown}"


def _began(process: int) -> str:
    """When a process began, as text; empty when it has ended, or where nothing is told."""
    try:
        told = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = told.rpartition(")")[2].split()
    return "" if fields[_STATE] in _DEAD else fields[_STARTTIME]
