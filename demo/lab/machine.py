# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requirements of the lab on the machine, and the processes it leaves running there.

A process is remembered as "pid starttime", so that a number which the kernel has given to
somebody else in the meantime is never signalled.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

from lab.errors import LabError
from lab.shell import have, run

MARK = "SPX_LAB"
"""Environment variable, with the lab's name, of every process the lab starts on the machine."""
PROGRAMS = {
    "ip": "iproute2",
    "nsenter": "util-linux",
    "unshare": "util-linux",
    "openssl": "openssl",
    "ssh-keygen": "openssh-client",
}
"""Programs that every lab needs here, and their packages."""
WATCHERS = 1024
"""Inotify instances of the machine's root that several labs side by side take, and some to spare."""


def preflight() -> None:
    """Raise LabError when this machine cannot hold a lab at all."""
    if os.geteuid() != 0:
        raise LabError("containers with cables need root; run the same command with sudo")
    for program, package in PROGRAMS.items():
        if not have(program):
            raise LabError(f"{program} is not installed; install the package {package}")
    _make_room()
    _try_kernel()


def _make_room() -> None:
    """Let systemd, udevd and lldpd of many containers watch files: each takes a few instances.

    All containers count as one user, whom Linux gives 128; beyond, units fail without a word.
    """
    limit = pathlib.Path("/proc/sys/fs/inotify/max_user_instances")
    with contextlib.suppress(OSError, ValueError):
        if int(limit.read_text(encoding="utf-8")) < WATCHERS:
            limit.write_text(f"{WATCHERS}\n", encoding="utf-8")


def _try_kernel() -> None:
    """Make a veth pair on a bridge inside a namespace that vanishes with the command."""
    for kind, link in (
        ("veth", "link add spxa type veth peer name spxb"),
        ("bridge", "link add spxc type bridge"),
    ):
        done = run(["unshare", "--net", "ip", *link.split()], check=False)
        if done.returncode:
            words = done.stderr.strip() or f"exit code {done.returncode}"
            raise LabError(
                f"this kernel gives no {kind} device ({words}); load its module or change kernel"
            )


def spawn(argv: Sequence[str], *, lab: str, role: str, log: pathlib.Path) -> str:
    """Start `argv` detached, its output in `log`; return its "pid starttime"."""
    environment = {
        **os.environ,
        MARK: lab,
        f"{MARK}_ROLE": role,
        "PYTHONPATH": str(pathlib.Path(__file__).resolve().parents[1]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as sink:
        child = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
            env=environment,
        )
    return f"{child.pid} {started(child.pid)}"


def started(pid: int) -> int | None:
    """Return the start time of a process in clock ticks since boot; None when it is gone."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])


def alive(process: str | None) -> int | None:
    """Return the pid of a "pid starttime" that still runs, else None."""
    if not process:
        return None
    pid, dummy, since = process.partition(" ")
    return int(pid) if since.isdigit() and started(int(pid)) == int(since) else None


def stop(process: str | None, *, how: int = signal.SIGKILL, patience: float = 5) -> None:
    """Signal a "pid starttime" and wait at most `patience` seconds for its end."""
    pid = alive(process)
    if pid is None:
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, how)
    deadline = time.monotonic() + patience
    while alive(process) and time.monotonic() < deadline:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        time.sleep(0.02)
    if alive(process) and how != signal.SIGKILL:
        stop(process)


def marked(lab: str) -> Iterator[str]:
    """Find the lab's own processes by their environment: "pid starttime" of each."""
    wanted = f"{MARK}={lab}".encode()
    role = f"{MARK}_ROLE=".encode()
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            words = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if wanted in words and any(word.startswith(role) for word in words):
            yield f"{folder.name} {started(int(folder.name))}"


PYTHON = sys.executable
"""The interpreter for the lab's own helpers inside namespaces."""
