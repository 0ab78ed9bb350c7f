# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The port to the host: tools that are run, files below /sys that are read and written.

Everything else in this package reaches the machine through a `Host`. A test hands it a fake
runner and a folder; the modules hand it `system_runner` and `/`. Every change of the machine is a
`Step` and goes through `Host.perform`, which alone honours check mode.
"""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from .. import _files
from .errors import NicError
from .ownership import exposure

Item = TypeVar("Item")
Answer = TypeVar("Answer")

MISSING = 127
TIMED_OUT = 124
CLEAN_UP = 20
"""Seconds that a tool has to end by itself: bfb-install gives functions their driver back."""
LAST_WORDS = 5
"""Seconds that a killed tool may take to let go of its output."""

# The open source build of the firmware tools differs by its prefix only.
OPEN_NAMES = {
    "mlxconfig": "mstconfig",
    "mlxreg": "mstreg",
    "mlxfwreset": "mstfwreset",
    "mlxfwmanager": "mstfwmanager",
    "mlxprivhost": "mstprivhost",
    "flint": "mstflint",
}


# Where systemd looks too, after the folders of PATH that only root can write.
FOLDERS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")

# Tool -> the package of DOCA-Host that brings it.
PACKAGES = {
    "mlxconfig": "mft", "flint": "mft", "mlxreg": "mft", "mlxfwreset": "mft", "mlxfwmanager": "mft",
    "mlnx_qos": "mlnx-tools", "cma_roce_tos": "mlnx-tools",
    "cma_roce_mode": "mlnx-tools", "bfb-install": "rshim",
}  # fmt: skip
OF_SYSTEM = {
    "setpci": "pciutils",
    "ethtool": "ethtool",
    "ib_write_bw": "perftest",
    "ib_write_lat": "perftest",
}
"""Tool -> its package of the distribution."""


class Result(NamedTuple):
    """Result of a tool; rc 127 = not installed, 124 = stopped after its time limit."""

    rc: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Both streams, output first."""
        return f"{self.out}\n{self.err}" if self.err else self.out


Runner = Callable[[Sequence[str], float], Result]


def system_runner(argv: Sequence[str], timeout: float) -> Result:
    """Run a tool in a session of its own; after `timeout` seconds all of it is ended."""
    env = {**os.environ, "LC_ALL": "C", "PATH": search_path(os.environ.get("PATH", ""))}
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            start_new_session=True,
            universal_newlines=True,
            errors="replace",
        )
    except OSError as exc:
        return Result(MISSING, "", f"{argv[0]}: {exc.strerror}")
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        return Result(TIMED_OUT, *_ended(process))
    return Result(process.returncode, out, err)


@functools.lru_cache(maxsize=8)
def search_path(stated: str) -> str:
    """The folders of a PATH without those that others than root can write, then `FOLDERS`."""
    kept = [name for name in stated.split(":") if name.startswith("/") and not exposure(name)]
    return ":".join(dict.fromkeys((*kept, *FOLDERS)))


def _ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Terminate a tool, let it clean up, kill it if it does not end, and return its output."""
    _signal(process, signal.SIGTERM)
    quiet, late = False, time.monotonic() + CLEAN_UP
    while not quiet and process.poll() is None and time.monotonic() < late:
        quiet, out, err = _rest(process, 0.5)
    _signal(process, signal.SIGKILL)
    if not quiet:
        _quiet, out, err = _rest(process, LAST_WORDS)
    return out, err


def _signal(process: subprocess.Popen[str], number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _rest(process: subprocess.Popen[str], limit: float) -> tuple[bool, str, str]:
    """(is that all, output, errors): a tool in the kernel's hands, or a daemon of it, may never let go."""
    try:
        return True, *process.communicate(timeout=limit)
    except subprocess.TimeoutExpired as exc:
        return False, _text(exc.stdout), _text(exc.stderr)


def _text(said: str | bytes | None) -> str:
    return said.decode(errors="replace") if isinstance(said, bytes) else said or ""


@dataclass(frozen=True)
class Step:
    """One change: a command (`argv`) or a line written to a file (`path`, `text`)."""

    target: str
    setting: str
    before: object
    after: object
    argv: tuple[str, ...] = ()
    path: str = ""
    text: str = ""
    timeout: float = 0

    @property
    def command(self) -> str:
        """The change as a person would type it."""
        return " ".join(self.argv) if self.argv else f"echo {self.text} > {self.path}"


@dataclass
class Host:
    """A machine: `run` starts tools, `sysfs` replaces /sys and `root` is before every other path.

    `writes` are the changes asked for (in check mode too), `done` those that succeeded, so that
    nothing stays half-applied without being said: `made` are their steps, `written` the differences
    of files.
    """

    run: Runner = system_runner
    check_mode: bool = False
    sysfs: str = "/sys"
    root: str = ""
    timeout: float = 60
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    made: list[Step] = field(default_factory=list)
    written: list[dict[str, str]] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def wait(self, ready: Callable[[], bool], limit: float, every: float = 2) -> bool:
        """Ask `ready` every few seconds; False when `limit` seconds went by without a yes."""
        end = self.clock() + limit
        while not ready():
            if self.clock() >= end:
                return False
            self.sleep(every)
        return True

    def answer(self, read: Callable[[], Answer], limit: float, every: float) -> Answer | None:
        """Wait until a card is back and return its answer; None after `limit` seconds without one."""
        said: list[Answer] = []

        def ready() -> bool:
            with suppress(NicError):
                said[:] = [read()]
            return any(said)

        return said[0] if self.wait(ready, limit, every=every) else None

    def path(self, name: str) -> Path:
        """The place of the absolute file `name` on this machine."""
        if name.startswith("/sys/"):
            return Path(self.sysfs + name[4:])
        return Path(self.root + name)

    def ask(self, *argv: str, timeout: float | None = None) -> Result:
        """Run a tool that changes nothing."""
        self.reads.append(" ".join(argv))
        return self._start(argv, timeout or self.timeout)

    def attempt(self, step: Step) -> Result:
        """Make the change, or only note it in check mode; the answer is the caller's to judge."""
        self.writes.append(step.command)
        if self.check_mode:
            return Result(0, "", "")
        if step.path:
            result = self._write(step)
        else:
            result = self._start(step.argv, step.timeout or self.timeout)
        if not failed(result):
            self.done.append(step.command)
            self.made.append(step)
        return result

    def perform(self, step: Step) -> Result:
        """`attempt`, with NicError when the tool or the file refuses."""
        result = self.attempt(step)
        if result.rc == MISSING and step.argv:
            raise NicError(f"{step.target}: {not_installed(step.argv[0])}")
        if failed(result):
            raise NicError(f"{step.target}: setting {step.setting} failed: {reason(result)}.")
        return result

    def untaken(self, left: Iterable[Step]) -> None:
        """Steps that reported success and are still to be made: they changed nothing, or less."""
        self.made += [replace(step, after=step.before) for step in left]

    def content(self, name: str, *, links: bool = False, device: bool = False) -> bytes:
        """The bytes of a file; OSError where it cannot be read, NicError where it is not one to be read.

        What a `sysfs` of its own lacks is read from the kernel's. `links` and `device` are those of `_files`.
        """
        most = _files.KERNEL if name.startswith(("/proc/", "/sys/")) else _files.MOST
        place, kernel = self.path(name), Path(self.root + name)
        try:
            if place != kernel and not place.exists():
                place = kernel
            return _files.content(place, most=most, links=links, device=device)
        except _files.IrregularError as exc:
            raise NicError(
                f"{name}: {exc.strerror}: a regular file of at most {most >> 20} MiB is read: remove it, and run "
                "again."
            ) from exc

    def text(self, name: str, *, links: bool = False, device: bool = False) -> str | None:
        """The stripped content of a file, None where it is missing or cannot be read; see `content`."""
        try:
            said = self.content(name, links=links, device=device)
        except OSError:
            return None
        return said.decode("utf-8", errors="replace").strip()

    def number(self, name: str) -> int | None:
        """The whole number that a file holds, None where it holds none."""
        text = self.text(name) or ""
        return int(text) if text.isdecimal() else None

    def entries(self, name: str) -> list[str]:
        """The sorted names in a folder, [] where it is missing."""
        try:
            return sorted(entry.name for entry in self.path(name).iterdir())
        except OSError:
            return []

    def files(self, folder: str) -> list[str]:
        """The sorted paths in a folder of what is no folder itself, [] where it is missing."""
        paths = [f"{folder}/{name}" for name in self.entries(folder)]
        return [path for path in paths if not self.path(path).is_dir()]

    def exists(self, name: str) -> bool:
        """Is there such a file, folder or device?"""
        return self.path(name).exists()

    def _write(self, step: Step) -> Result:
        try:
            self.path(step.path).write_text(step.text, encoding="utf-8")
        except OSError as exc:
            return Result(1, "", f"{step.path}: {exc.strerror}")
        return Result(0, "", "")

    def _start(self, argv: Sequence[str], timeout: float) -> Result:
        tool, other = argv[0], OPEN_NAMES.get(argv[0], "")
        result = self.run([self.names.get(tool, tool), *argv[1:]], timeout)
        if result.rc == MISSING and other and tool not in self.names:
            second = self.run([other, *argv[1:]], timeout)
            if second.rc != MISSING:
                self.names[tool] = other
                return second
        return result


def runs(host: Host, program: str) -> bool:
    """Does a process of this name run?"""
    pids = (name for name in host.entries("/proc") if name.isdigit())
    return any(host.text(f"/proc/{pid}/comm") == program for pid in pids)


def failed(result: Result) -> bool:
    """Firmware tools print `-E-`; some of them leave rc 0."""
    return result.rc != 0 or any(line.startswith("-E-") for line in result.text.splitlines())


def installed(host: Host, program: str) -> bool:
    """Check whether there is such a program, where tools are looked for."""
    folders = search_path(os.environ.get("PATH", "")).split(":")
    places = [program] if "/" in program else [f"{folder}/{program}" for folder in folders]
    return any(os.access(host.path(place), os.X_OK) for place in places)


def not_installed(tool: str) -> str:
    """The sentence for a tool that the host lacks: the package that brings it, and who installs it."""
    package = PACKAGES.get(tool)
    if package is None:
        named = OF_SYSTEM.get(tool, "that has it")
        return f"{tool} is not installed on this host; install the package {named}."
    return (
        f"{tool} is not installed; install DOCA-Host (package {package}), which the playbook dpus "
        "does where manage lists dpu_doca."
    )


def reason(result: Result) -> str:
    """The shortest true explanation in a failed tool's answer."""
    if result.rc == TIMED_OUT:
        return "it did not end within its time limit"
    lines = [line.strip() for line in result.text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("-E-")]
    said = (errors or lines or [f"exit status {result.rc}"])[-1 if not errors else 0]
    return said.replace("-E- ", "").rstrip(".")


def side_by_side(
    work: Callable[[Item], Answer], items: Iterable[Item], most: int = 8
) -> list[Answer]:
    """`work` for each item, up to `most` at a time (one tool per card), results in order."""
    todo = list(items)
    if len(todo) < 2:
        return [work(item) for item in todo]
    with ThreadPoolExecutor(max_workers=min(most, len(todo))) as pool:
        return list(pool.map(work, todo))
