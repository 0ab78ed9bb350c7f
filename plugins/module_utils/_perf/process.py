# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Start of a measurement's programs: bounded in time, bound to a NUMA node, found by PATH.

`timeout` of coreutils ends a program at its time even where the process that watches it is gone.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from .. import _text
from .._nic.tools import TIMED_OUT, Host, Result, reason, search_path

MARK = "SPECTRUM_X_MEASURE"
"""A variable in the environment of everything that a measurement starts: what is left of it is found by it."""
ENDED = (TIMED_OUT, 137, 143, -9, -15)
"""Exit statuses of a program that was ended: by `timeout`, by the kill after it, by a signal."""
LAST_WORDS = 5
"""Seconds between the request to end and the kill."""
SLACK = 30
"""Seconds that a program may take beyond its run: set-up, registering memory, the report. Ours."""
LONGEST = 300
"""Characters of a tool's own words that a sentence quotes."""


def installed(host: Host, program: str) -> bool:
    """Is there such a program, as tools are found?"""
    folders = search_path(os.environ.get("PATH", "")).split(":")
    places = [program] if "/" in program else [f"{folder}/{program}" for folder in folders]
    return any(os.access(host.path(place), os.X_OK) for place in places)


def bounded(argv: Sequence[str], seconds: float) -> list[str]:
    """The command, which ends after so many seconds whatever becomes of its parent."""
    return ["timeout", "-k", str(LAST_WORDS), str(int(seconds)), *argv]


def pinned(host: Host, argv: Sequence[str], numa: int | None) -> list[str]:
    """The command on the processors and the memory of a NUMA node, by numactl or taskset where they are installed."""
    if numa is None:
        return list(argv)
    if installed(host, "numactl"):
        return ["numactl", f"--cpunodebind={numa}", f"--membind={numa}", *argv]
    cpus = host.text(f"/sys/devices/system/node/node{numa}/cpulist")
    if cpus and installed(host, "taskset"):
        return ["taskset", "-c", cpus, *argv]
    return list(argv)


def words(result: Result) -> str:
    """Return the output of a failed program, on one line of bounded length."""
    return _text.line(reason(result), LONGEST)
