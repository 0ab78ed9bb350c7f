# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of a host, checked before anything is started: no value may be taken for an option of a program."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Union, cast

from .._nic.errors import NicError
from .._nic.tools import Host
from . import command, nccl, perftest
from .records import CLIENT, SERVER, Collective, Job, Measurement, Port

Task = Union[Job, Collective]

RANGES = {
    "port": (1, 65535),
    "size": (1, 2**31),
    "qps": (1, 16384),
    "seconds": (1, 86400),
    "dscp": (0, 63),
    "priority": (-1, 7),
    "gpus_per_node": (0, 64),
    "iterations": (1, 100_000_000),
    "warmup": (0, 100_000_000),
    "cycles": (0, 1_000_000),
}
"""Option -> lowest and highest value; QPs as perftest takes them (MAX_QP_NUM)."""
PATTERNS = {
    "interface": r"[A-Za-z0-9][\w.-]{0,14}",
    "operation": r"[a-z][a-z_]*",
    "launcher": r"|(/[\w./+-]*/)?(mpirun|srun)",
    "smallest": r"\d+[KMGTkmgt]?",
    "largest": r"\d+[KMGTkmgt]?",
    "folder": r"|/[\w./+-]*",
}
NODE = r"[A-Za-z0-9][\w.-]*"
VARIABLE = r"[A-Za-z_]\w*"


def tasks_from(jobs: Iterable[object], collectives: Iterable[object]) -> list[Task]:
    """The tasks of module measure; NicError with one sentence where a value is not allowed or a name is used twice."""
    tasks = [*map(_job, jobs), *map(_collective, collectives)]
    seen: set[str] = set()
    for task in tasks:
        if slug(task) in seen:
            raise NicError(f"{task['id']}: two tasks of this host have this id and the same side.")
        seen.add(slug(task))
    return tasks


def ports_from(rails: Iterable[object]) -> list[Port]:
    """The ports of rails; NicError with one sentence where a value is not allowed."""
    found = [cast("dict[str, Any]", one) for one in rails]
    for sentence in (text for port in found for text in _breaches(port)):
        raise NicError(f"rails: {sentence}")
    return [cast("Port", port) for port in found]


def _job(given: object) -> Task:
    return cast("Job", _checked(given))


def _collective(given: object) -> Task:
    found = cast("Collective", _checked(given))
    variables = {str(key): str(value) for key, value in found["environment"].items()}
    return {**found, "environment": variables}


def _checked(given: object) -> dict[str, Any]:
    task = cast("dict[str, Any]", given)
    for sentence in _breaches(task):
        raise NicError(f"{task['id']}: {sentence}")
    return task


def _breaches(task: dict[str, Any]) -> Iterator[str]:
    for key, (low, high) in RANGES.items():
        if key in task and not low <= task[key] <= high:
            yield f"{key} is {task[key]}; it has to be from {low} to {high}."
    for key, pattern in PATTERNS.items():
        if key in task and not re.fullmatch(pattern, task[key]):
            yield f"{key} is {task[key]!r}, which is not allowed there."
    for key in ("address", "peer"):
        if key in task and not _is_address(task[key]):
            yield f"{key} is {task[key]!r}; it has to be an address without length."
    for port in task.get("rails") or ():
        yield from _breaches(port)
    for node in task.get("nodes", ()):
        if not re.fullmatch(NODE, node):
            yield f"nodes has {node!r}, which is neither a name nor an IPv4 address."
    for name in task.get("environment", ()):
        if not re.fullmatch(VARIABLE, name):
            yield f"environment has {name!r}, which is not the name of a variable."


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_collective(task: Task) -> bool:
    """Is it a run of nccl-tests?"""
    return "operation" in task


def side(task: Task) -> str:
    """`server` or `client`; the host that starts a run of nccl-tests is a client."""
    return CLIENT if is_collective(task) else cast("Job", task)["side"]


def slug(task: Task) -> str:
    """A name for files: one for each task and side."""
    return hashlib.sha256(f"{side(task)} {task['id']}".encode()).hexdigest()[:16]


def limit(task: Task, patience: float) -> float:
    """Seconds after which the task has ended, whatever happens."""
    if is_collective(task):
        return nccl.limit(cast("Collective", task))
    job = cast("Job", task)
    of_tool = command.limit if job["tool"] == "command" else perftest.limit
    return of_tool(job, patience)


def run(
    host: Host, task: Task, *, report: str, patience: float, ended: Callable[[], bool]
) -> Measurement:
    """Run it here and now, and judge it."""
    if is_collective(task):
        return nccl.measure(host, cast("Collective", task), ended, hostfile=report)
    job = cast("Job", task)
    if job["tool"] == "command":
        return command.measure(host, job, patience, ended)
    return perftest.measure(host, job, report, patience, ended)


def is_server(task: Task) -> bool:
    """Does it wait for another host?"""
    return side(task) == SERVER
