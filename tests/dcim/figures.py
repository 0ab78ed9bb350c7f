# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of a playbook: time and memory of its own, and CPU of the DCIM, counted apart."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from dcim import daemons
from dcim.project import Project
from dcim.servers import Server
from playing import BINARY, SETTINGS

TICKS = os.sysconf("SC_CLK_TCK")
BUSY = 0.05
"""Seconds of CPU within a second above which a server is at work."""
SHARE = 4
"""Least ratio of a playbook's run time to the time for which it was stopped."""


@dataclass(frozen=True)
class Spent:
    """Seconds of the wall clock, of the client's CPU and of the server's; the client's MiB at most.

    `requests` are those that the server answered.
    """

    wall: float
    client: float
    server: float
    memory: float
    requests: int
    output: str

    @property
    def beside(self) -> float:
        """Seconds that are not the server's own, if it had a core for itself."""
        return max(0.0, self.wall - self.server)


def spent(
    project: Project,
    playbook: str,
    *words: str,
    seconds: int = 7200,
    meanwhile: Callable[[], object] | None = None,
) -> Spent:
    """Run a playbook that has to go well, and count what it costs.

    `meanwhile` is called again and again: the playbook is stopped for it, and its server has nothing to do. That time
    does not count.
    """
    asked, before, started = len(project.server.requests()), cpu(project.server), time.monotonic()
    log = project.folder / "figures.log"
    with log.open("w", encoding="utf-8") as said:
        process = _begun(project, [f"spectrum_x.fabric.{playbook}", *words], said, seconds)
        used, stopped = _ended(process, project.server, meanwhile)
    output = log.read_text(encoding="utf-8")
    assert process.returncode == 0, output
    return Spent(
        wall=time.monotonic() - started - stopped,
        client=used.ru_utime + used.ru_stime,
        server=cpu(project.server) - before,
        memory=used.ru_maxrss / 1024,
        requests=len(project.server.requests()) - asked,
        output=output,
    )


def _begun(
    project: Project, words: list[str], said: IO[str], seconds: int
) -> subprocess.Popen[bytes]:
    """A process of its own, so that the kernel counts it and what it began alone."""
    argv = [
        *("timeout", str(seconds), str(BINARY), "-i", "inventory"),
        *words,
        *project.settings(),
    ]
    return subprocess.Popen(
        argv,
        cwd=project.folder,
        env=os.environ | SETTINGS | project.environment(),
        stdin=subprocess.DEVNULL,
        stdout=said,
        stderr=subprocess.STDOUT,
    )


def _ended(
    process: subprocess.Popen[bytes], server: Server, meanwhile: Callable[[], object] | None
) -> tuple[os.struct_rusage, float]:
    """Return the resources of a process until its end, and the seconds for which it was stopped."""
    stopped, due = 0.0, time.monotonic() + 60
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return used, stopped
        if meanwhile and time.monotonic() > due:
            last = _stopped(process.pid, server, meanwhile)
            stopped += last
            due = time.monotonic() + SHARE * last
        time.sleep(0.05)


def _stopped(process: int, server: Server, meanwhile: Callable[[], object]) -> float:
    """Stop a process and all below it, let its server end what it has begun, and go on after a call; its seconds."""
    every = (process, *_below(process))
    _told(every, signal.SIGSTOP)
    try:
        _idle(server)
        began = time.monotonic()
        meanwhile()
        return time.monotonic() - began
    finally:
        _told(every, signal.SIGCONT)


def _told(processes: Iterable[int], what: signal.Signals) -> None:
    for each in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, what)


def _idle(server: Server) -> None:
    """Return when a server is no longer at work."""
    used = BUSY + 1
    while used > BUSY:
        before = cpu(server)
        time.sleep(1)
        used = cpu(server) - before


def cpu(server: Server) -> float:
    """Seconds of CPU that a DCIM and its database have used since they were started."""
    first = [daemons.running(server.folder / f"{name}.pid") for name in ("gunicorn", "postgres")]
    ticks = sum(_ticks(pid) for root in first if root for pid in (root, *_below(root)))
    return ticks / TICKS


def _below(process: int) -> list[int]:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        words = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        return [found for word in words for found in (int(word), *_below(int(word)))]
    return []


def _ticks(process: int) -> int:
    """Ticks of a process and of its children that have ended: fields 14 to 17 of proc(5)."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(int(field) for field in stat[11:15])
    return 0


def say(name: str, value: float, unit: str) -> None:
    """Print a measure, as benchmarks do."""
    line = json.dumps({"name": name, "value": round(value, 2), "unit": unit})
    print(line, file=sys.stdout, flush=True)
