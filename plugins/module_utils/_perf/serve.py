# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements in processes of their own, which end by themselves and are found again.

Each task has a process that starts its program, reads the counters around it and leaves the measurement as a note
below /run/spectrum-x/measure. It lives without Ansible's connection, and no longer than the limit of the task. What
a run that was killed has left is known by two marks: the note has process and start time of the process, and
everything that it started has the variable `process.MARK` in its environment. Nothing else is ever ended.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, cast

from .._nic.errors import NicError
from .._nic.read.cc import started
from .._nic.state import FOLDER, load, save
from .._nic.tools import Host
from . import process
from .records import FAILED, NOT_RUN, Measurement, nothing
from .task import Task, is_collective, is_server, limit, run, side, slug

if TYPE_CHECKING:
    from .records import Job

NOTES = f"{FOLDER}/measure"
READY = 10
"""Seconds until a server of perftest has opened its device and listens. Ours."""
READY_COMMAND = 2
"""The same for a command of the site, which may not listen on a TCP port at all."""
LISTEN = "0A"
"""The state of a socket that listens, in /proc/net/tcp (Linux kernel, proc_net_tcp)."""
ALONE = 15
"""Seconds after the beginning of the clients when a server that still listens has none. Ours."""
LOST = "the process that measured has ended without a result"
FARTHEST = 600
"""Seconds that a beginning may lie ahead."""


class LeftoverProcess(NamedTuple):
    """A process of ours: what it is, its start time, and the task's file name."""

    pid: int
    started: int
    name: str
    slug: str


# Beginning


def begin(host: Host, task: Task, *, patience: float = 60, at: float = 0) -> None:
    """Start a task in the background.

    `at` is the second since 1970 when it begins, 0 for at once. In check mode nothing is started.
    """
    ahead = _ahead(at)
    if ahead > FARTHEST:
        raise NicError(
            f"at is {ahead:.0f} s ahead; at most {FARTHEST} s are allowed: check the clocks."
        )
    save(host, slug(task), {"pid": 0, "id": task["id"], "side": side(task)}, NOTES)
    if not host.check_mode:
        detached(lambda noted: _work(host, task, patience=patience, ahead=ahead, noted=noted))


def begin_all(host: Host, tasks: Sequence[Task], *, patience: float = 60, at: float = 0) -> None:
    """Start all of them; NicError before anything is started where a port of a server is taken."""
    end(host, tasks)
    for task in tasks:
        if is_server(task) and listens(host, port_of(task)):
            raise NicError(
                f"{task['id']}: another process of this host listens on port {port_of(task)}; choose "
                "another port, or end it."
            )
    for task in tasks:
        begin(host, task, patience=patience, at=at)


def detached(work: Callable[[Callable[[], None]], None]) -> None:
    """`work` in a process of its own session; this one goes on as soon as that has noted itself."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        os.waitpid(child, 0)
        os.read(reading, 1)
        os.close(reading)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            _let_go(writing)
            work(lambda: os.close(writing))
    finally:
        os._exit(0)


def _let_go(kept: int) -> None:
    """Release the terminal and Ansible's connection, which waits for its streams to be closed."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.closerange(3, kept)
    os.closerange(kept + 1, 4096)


def _work(
    host: Host, task: Task, *, patience: float, ahead: float, noted: Callable[[], None]
) -> None:
    name = slug(task)
    os.environ[process.MARK] = f"{_mark(host)}{name}"
    save(host, name, {**itself(host), "id": task["id"], "side": side(task)}, NOTES)
    noted()
    host.sleep(ahead)
    try:
        made = run(
            host,
            task,
            report=f"{NOTES}/{name}.report",
            patience=patience,
            ended=lambda: bool(load(host, f"{name}.ending", NOTES)),
        )
    except NicError as exc:
        made = nothing(task["id"], side(task), FAILED, str(exc))
    save(host, f"{name}.result", made, NOTES)


def itself(host: Host) -> dict[str, int]:
    """Return the identity of this process for a note, so that `runs` finds it."""
    return {"pid": os.getpid(), "started": _started(host, os.getpid())}


def _started(host: Host, pid: int) -> int:
    """Start time of a process, 0 where it has ended; one that nobody has waited for (Z) has ended too."""
    stat = host.text(f"/proc/{pid}/stat") or ""
    return 0 if stat.rpartition(")")[2].split()[:1] in (["Z"], ["X"]) else started(stat)


# Waiting


def ready(host: Host, task: Task) -> str:
    """Wait until a server listens; why it does not, "" where it does or where the task is none."""
    if not is_server(task) or is_collective(task):
        return ""
    port, tool = port_of(task), cast("Job", task)["tool"]
    seconds = READY_COMMAND if tool == "command" else READY
    host.wait(lambda: listens(host, port) or _ended(host, task), seconds, every=0.1)
    made = _result(host, task)
    if made:
        return made["sentence"]
    if listens(host, port) or tool == "command":
        return ""
    return f"{tool} does not listen on port {port} after {seconds} s."


def port_of(task: Task) -> int:
    """The TCP port of a job."""
    return cast("Job", task)["port"]


def started_as(host: Host, task: Task) -> dict[str, str]:
    """{id, side, sentence}: what `ready` says of a task that was begun; nothing in check mode."""
    sentence = "" if host.check_mode else ready(host, task)
    return {"id": task["id"], "side": side(task), "sentence": sentence}


def listens(host: Host, port: int) -> bool:
    """Does a process of this host listen on the TCP port?"""
    rows = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in (host.text(f"/proc/net/{name}") or "").splitlines()[1:]
    ]
    return any(
        len(row) > 3 and row[3] == LISTEN and int(row[1].rpartition(":")[2], 16) == port
        for row in rows
    )


def outcomes(
    host: Host, tasks: Iterable[Task], seconds: Callable[[Task], float], *, at: float = 0
) -> list[Measurement]:
    """The measurements in order; each may take `seconds` of its task, counted from now for all of them."""
    if host.check_mode:
        return [
            nothing(task["id"], side(task), NOT_RUN, "nothing runs in check mode.")
            for task in tasks
        ]
    began = host.clock()
    return [
        outcome(host, task, max(0.0, seconds(task) - (host.clock() - began)), at=at)
        for task in tasks
    ]


def outcome(host: Host, task: Task, seconds: float, *, at: float = 0) -> Measurement:
    """Return the measurement of a task; after `seconds` a running one is ended, and its result so far counts.

    A server of perftest whose client has not come `ALONE` seconds after `at` is ended then.
    """
    if not load(host, slug(task), NOTES):
        return nothing(task["id"], side(task), NOT_RUN, "it was not started on this host.")
    host.wait(lambda: _ended(host, task) or _alone(host, task, at), seconds, every=0.1)
    if not _ended(host, task):
        _cut_short(host, task)
    made = _result(host, task)
    if made is None:
        end(host, [task])
    return made or nothing(task["id"], side(task), FAILED, f"{LOST}; run it again.")


def _alone(host: Host, task: Task, at: float) -> bool:
    """perftest lets go of its port as soon as the client has come."""
    waits = at and is_server(task) and time.time() > at + ALONE
    return bool(waits) and cast("Job", task)["tool"] != "command" and listens(host, port_of(task))


def _cut_short(host: Host, task: Task) -> None:
    """Ask what runs of a task to end, each process once: mpirun takes a second request for a kill."""
    name = slug(task)
    save(host, f"{name}.ending", {"asked": True}, NOTES)
    asked: set[LeftoverProcess] = set()

    def over() -> bool:
        fresh = [left for left in _marked(host, {name}) if left not in asked]
        _signal(host, fresh, signal.SIGTERM)
        asked.update(fresh)
        return _ended(host, task)

    host.wait(over, 2 * process.LAST_WORDS, every=0.1)


def whole(task: Task, patience: float, *, at: float = 0) -> float:
    """Seconds from now after which a task has its measurement."""
    return _ahead(at) + limit(task, patience) + 2 * process.LAST_WORDS


def _ahead(at: float) -> float:
    return max(0.0, at - time.time()) if at else 0.0


def _ended(host: Host, task: Task) -> bool:
    """Check whether there is a result, or no process that will write one. The result is looked for once more then."""
    return _result(host, task) is not None or not runs(host, load(host, slug(task), NOTES))


def _result(host: Host, task: Task) -> Measurement | None:
    found = load(host, f"{slug(task)}.result", NOTES)
    return cast("Measurement", found) if found else None


def runs(host: Host, note: dict[str, object]) -> bool:
    """Check whether the process of a note still runs."""
    pid = note.get("pid")
    return isinstance(pid, int) and pid > 0 and _started(host, pid) == note.get("started")


# Ending


def end(host: Host, tasks: Iterable[Task] | None = None) -> list[str]:
    """End what is left of the tasks, of all without `tasks`, and forget them; one sentence for each process.

    In check mode the sentences alone.
    """
    names = {slug(task) for task in tasks} if tasks is not None else _noted(host)
    everything = tasks is None
    found = [*_watchers(host, names), *_marked(host, None if everything else names)]
    if not host.check_mode:
        _finish(
            host, lambda: [*_watchers(host, names), *_marked(host, None if everything else names)]
        )
        for name in sorted(names):
            _forget(host, name)
    return [
        f"{left.name} (process {left.pid}) was left by an earlier measurement." for left in found
    ]


def _noted(host: Host) -> set[str]:
    return {name.split(".")[0] for name in host.entries(NOTES) if not name.startswith(".")}


def _watchers(host: Host, names: Iterable[str]) -> list[LeftoverProcess]:
    """The processes that watch over a task, by note and start time; one that has its result ends by itself."""
    notes = {name: load(host, name, NOTES) for name in sorted(names)}
    return [
        LeftoverProcess(int(note["pid"]), int(note["started"]), "the watcher", name)
        for name, note in notes.items()
        if runs(host, note) and not load(host, f"{name}.result", NOTES)
    ]


def _marked(host: Host, names: set[str] | None) -> list[LeftoverProcess]:
    """The processes whose environment has our mark, of these tasks or of all."""
    return [left for left in _all_marked(host) if names is None or left.slug in names]


def measures(host: Host) -> bool:
    """Check whether a program of a measurement runs here, also one that another host has started."""
    return any(_all_marked(host))


def _mark(host: Host) -> str:
    """Prefix of the mark's value: the folder of the notes."""
    return f"{host.path(NOTES)}/"


def _all_marked(host: Host) -> Iterator[LeftoverProcess]:
    mark = f"{process.MARK}={_mark(host)}".encode()
    for pid in (int(name) for name in host.entries("/proc") if name.isdigit()):
        since = _started(host, pid)
        with suppress(OSError):
            words = host.content(f"/proc/{pid}/environ").split(b"\0")
            found = [
                word[len(mark) :].decode(errors="replace")
                for word in words
                if word.startswith(mark)
            ]
            if found and since and pid != os.getpid():
                yield LeftoverProcess(
                    pid, since, host.text(f"/proc/{pid}/comm") or "a process", found[0]
                )


def _finish(host: Host, remaining: Callable[[], list[LeftoverProcess]]) -> None:
    """Ask them to end, and kill what has not ended some seconds later."""
    _signal(host, remaining(), signal.SIGTERM)
    if not host.wait(lambda: not remaining(), process.LAST_WORDS, every=0.1):
        _signal(host, remaining(), signal.SIGKILL)
        host.wait(lambda: not remaining(), process.LAST_WORDS, every=0.1)


def _signal(host: Host, processes: Iterable[LeftoverProcess], number: int) -> None:
    for left in processes:
        if _started(host, left.pid) == left.started:
            with suppress(ProcessLookupError):
                os.kill(left.pid, number)


def _forget(host: Host, name: str) -> None:
    for ending in (".json", ".result.json", ".ending.json", ".report"):
        host.path(f"{NOTES}/{name}{ending}").unlink(missing_ok=True)
