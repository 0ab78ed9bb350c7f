# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Start of a measurement's programs: bounded in time, bound to a NUMA node, found by PATH.

`timeout` of coreutils ends a program at its time even where the process that watches it is gone.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .. import _text
from .._nic.tools import TIMED_OUT, Host, Result, installed, reason

MARK = "SPECTRUM_X_MEASURE"
"""A variable in the environment of everything that a measurement starts: what is left of it is found by it."""
KILLED = {137: 9, 143: 15, -9: 9, -15: 15}
"""Signal of a program that was ended, by its exit status from a shell and from Python."""
LATE = "did not end within its time limit"
LAST_WORDS = 5
"""Seconds between the request to end and the kill."""
SLACK = 30
"""Seconds that a program may take beyond its run: set-up, registering memory, the report. Ours."""
LONGEST = 300
"""Characters of a tool's own words that a sentence quotes."""


STAMPED = r"(?:\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}|\d{4}-\d\d-\d\d[ T][\d:.,]{8,18}(?:Z|[+-][\d:]{4,5})?) ?"
TAG = (
    r"\[[^\[\]\s]{1,200}\](?:\[[^\[\]\s]{1,200}\])?(?:<std\w{3}>:)? ?|<std\w{3}>: ?|\s*\d{1,7}[:>] "
)
PREFIX = re.compile(rf"^(?:{STAMPED})?(?:{TAG})?")
"""Prefix of a line by a launcher: `[1,0]<stdout>:` of Open MPI 4, `[prterun-n1-7@1,0]<stdout>:` of 5, `[0] ` of hydra,
`0: ` of srun, and the time before it (their manual pages)."""
FRAME = re.compile(r"-{74}$")
"""Line above and below what mpirun and prterun say themselves; that of perftest is longer."""
COURSE = re.compile(
    r"$|[#*]|-{20,}|\d+ +\d+ +[a-z]|Primary job +terminated|a non-zero exit code|thus causing|the job to be terminated"
    r"|(?:Process name|Exit code):|.{1,100}(?: NCCL INFO |exited with non-zero status|aborted, but has no info)"
)
"""Beginning of lines of a launcher, and of NCCL, that say only that something has failed, or how it went before."""


class Run(NamedTuple):
    """The end of a program: `force` says how it was ended, in words, and is empty where it ended by itself."""

    result: Result
    seconds: float
    force: str = ""


def run(
    host: Host, argv: Sequence[str], seconds: float, ended: Callable[[], bool] = lambda: False
) -> Run:
    """Run a command that `timeout` ends after so many seconds. `ended`: did this collection end it before?

    Its exit status after a signal is that of a kill too, so that the time decides. The kernel counts in oom_kill what
    it ended for want of memory (Documentation/admin-guide/mm of Linux).
    """
    began, before = host.clock(), _starved(host)
    result = host.ask(*argv, timeout=seconds + 2 * LAST_WORDS)
    took, number = host.clock() - began, KILLED.get(result.rc)
    force = LATE if result.rc == TIMED_OUT or (number and (took >= seconds or ended())) else ""
    if number and not force:
        why = ": the kernel of this host was out of memory" if _starved(host) > before else ""
        force = f"was killed ({signal.Signals(number).name}){why}"
    return Run(result, took, force)


def _starved(host: Host) -> int:
    rows = (host.text("/proc/vmstat") or "").split("\n")
    return sum(int(row.split()[1]) for row in rows if re.fullmatch(r"oom_kill \d{1,18}", row))


def cause(result: Result, *patterns: re.Pattern[str]) -> str:
    """Return why a program failed: the first line that a pattern fits, the weightiest pattern first.

    Else the first words in a frame of the launcher, else the last line that is more than its course.
    """
    every = [PREFIX.sub("", line).rstrip() for line in result.text.splitlines()]
    for pattern in patterns:
        found = next(filter(None, map(pattern.search, every)), None)
        if found:
            return _text.line(next(filter(None, (*found.groups(), found.group()))), LONGEST).rstrip(
                "."
            )
    framed = next((n for n, line in enumerate(every) if FRAME.match(line)), len(every))
    words_of_frame: list[str] = []
    for line in every[framed + 1 :]:
        if COURSE.match(line.strip()) and words_of_frame:
            break
        words_of_frame += [] if COURSE.match(line.strip()) else [line.strip()]
    rest = [line for line in every if not COURSE.match(line.strip())]
    told = " ".join(words_of_frame) or (rest or [""])[-1]
    return words(result._replace(out=told, err="")) if told else f"exit status {result.rc}"


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
