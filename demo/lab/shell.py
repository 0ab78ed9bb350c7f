# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command, bounded in time; a failure is one sentence with the command's own last words."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from lab.errors import LabError

T = TypeVar("T")
R = TypeVar("R")

PARALLEL = 4
"""Commands run side by side: more only queue up on the two cores the lab is made for."""


def run(
    argv: Sequence[str],
    *,
    check: bool = True,
    timeout: float = 60,
    text: str | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `argv` with `text` on its input and return what it printed.

    Raises LabError when it is missing, takes longer than `timeout` seconds, or (with `check`)
    ends with another code than 0.
    """
    try:
        done = subprocess.run(
            list(argv),
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            env=None if env is None else dict(env),
            check=False,
        )
    except FileNotFoundError as exc:
        raise LabError(f"{argv[0]} is not installed; run demo/lab/setup.sh, or install it") from exc
    except subprocess.TimeoutExpired as exc:
        raise LabError(f"`{brief(argv)}` did not end within {timeout:g} seconds") from exc
    if check and done.returncode:
        raise LabError(f"`{brief(argv)}` failed: {last_words(done)}")
    return done


def brief(argv: Sequence[str]) -> str:
    """Return the command on one line of at most 120 characters."""
    line = shlex.join(argv).replace("\n", " ")
    return line if len(line) <= 120 else line[:117] + "..."


def last_words(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last line the command said, or its exit code."""
    lines = [line for line in (done.stderr + "\n" + done.stdout).splitlines() if line.strip()]
    errors = [line for line in done.stderr.splitlines() if line.strip()]
    chosen = (errors or lines or [f"exit code {done.returncode}"])[-1]
    return chosen.strip()


def have(program: str) -> bool:
    """Return whether `program` is on the PATH."""
    return shutil.which(program) is not None


def in_parallel(work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Return `work(item)` of every item, in order; the first failure is raised at the end."""
    with ThreadPoolExecutor(max_workers=PARALLEL) as pool:
        return list(pool.map(work, list(items)))
