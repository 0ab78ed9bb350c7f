# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Daemons that end with their instance, whatever became of the program that started them.

A daemon writes its own process id, and when it was born, before it becomes what it shall be. So a kill at any
moment leaves either no daemon or a file by which the next start ends it; a process id that was given out again
is told by its birth.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

SUFFIX = ".pid"
NOTE = """echo "$$ $(cut -d' ' -f22 /proc/$$/stat) $(cat /proc/sys/kernel/random/boot_id)" >"$0" && exec "$@\""""
"""Field 22 is the start of the process in clock ticks since boot: proc(5)."""

NO_ROOT = ("unshare", "--user", "--map-user=1000", "--map-group=1000", "--")
"""PostgreSQL refuses to run as root. Here root becomes nobody in particular, who still owns the files of root."""


class Failed(Exception):
    """A sentence for the person who runs the program."""


def unprivileged(command: Sequence[str | Path]) -> list[str]:
    """The words of a command that runs without root's rights."""
    return [*(NO_ROOT if os.geteuid() == 0 else ()), *map(str, command)]


def birth(pid: int) -> str:
    """Start time of a process, as its pid file has it; nothing where it runs no more."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *fields = stat.rpartition(")")[2].split()
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    return "" if state in "ZX" else f"{fields[18]} {boot}"


def note_self(path: Path) -> None:
    """Write a pid file for this process, whole or not at all: who reads half of one takes the process for ended."""
    part = path.with_suffix(".part")
    part.write_text(f"{os.getpid()} {birth(os.getpid())}\n", encoding="utf-8")
    part.replace(path)


def running(path: Path) -> int | None:
    """The process of a pid file while it runs."""
    try:
        pid, _space, born = path.read_text(encoding="utf-8").strip().partition(" ")
    except OSError:
        return None
    return int(pid) if pid.isdigit() and born and birth(int(pid)) == born else None


def start(
    name: str, command: Sequence[str | Path], *, folder: Path, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a daemon in a session of its own; `folder` gets its pid file and its log."""
    note = ["sh", "-c", NOTE, str(folder / f"{name}{SUFFIX}")]
    with (folder / f"{name}.log").open("ab") as log:
        return subprocess.Popen(
            [*note, *unprivileged(command)],
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def call(
    command: Sequence[str | Path],
    *,
    folder: Path,
    environment: Mapping[str, str],
    seconds: int = 120,
) -> str:
    """Run a command to its end and return what it printed; raises `Failed` with its last line."""
    done = subprocess.run(
        unprivileged(command),
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise Failed(f"{Path(command[0]).name} {command[1]} ended with {done.returncode}: {last}")
    return done.stdout


def wait(pid: int, seconds: float) -> bool:
    """Wait until a process ends, and return whether it was in time; it may be a child of this one or not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        if not birth(pid):
            return True
        time.sleep(0.05)
    return False


def end(path: Path) -> None:
    """End the daemon of a pid file at once, as nothing of it is kept.

    PostgreSQL is asked to, as its processes leave the group of the first.
    """
    if pid := running(path):
        if path.name == f"postgres{SUFFIX}":
            os.kill(pid, signal.SIGQUIT)
            wait(pid, 5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        wait(pid, 5)
    path.unlink(missing_ok=True)
