# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that a real Slurm started: they meet in the shared folder, as those of a real program meet by MPI.

The first one runs for all of them, and the others end when it has ended. Who the others are and where they run is what
they say themselves, so that a launcher which places them wrongly is seen. Variables are those of srun's manual page.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import pathlib
import platform
import time
from collections.abc import Callable
from typing import Any

from nicsim import paths
from nicsim.call import ToolError

SECONDS = 60
"""Seconds that a process waits for the others to begin. Ours."""
PAUSE = 0.1
AGREED = "NCCL_TESTS_SPLIT", "NCCL_TESTS_SPLIT_MASK", "NCCL_IB_DISABLE"
"""Variables that all processes of a job need alike."""


def started() -> bool:
    """Is this one process of several that srun started, without a stand-in of it?"""
    return int(os.environ.get("SLURM_STEP_NUM_TASKS") or 1) > 1


def together(run: Callable[[list[tuple[str, int]]], int]) -> int:
    """The first process calls `run` with (node, processes) in the order of ranks; each returns its status."""
    rank, count = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_STEP_NUM_TASKS"])
    job = f"slurm-{os.environ['SLURM_JOB_ID']}.{os.environ['SLURM_STEP_ID']}"
    folder = paths.flows_folder() / job
    folder.mkdir(parents=True, exist_ok=True)
    said = {"node": platform.node(), **{name: os.environ.get(name, "") for name in AGREED}}
    _write(folder / str(rank), said)
    if rank:
        return int(_read(folder / "status"))
    status = 1
    try:
        status = run(_places([_read(folder / str(number), SECONDS) for number in range(count)]))
    finally:
        _write(folder / "status", status)
    return status


def _places(said: list[dict[str, str]]) -> list[tuple[str, int]]:
    """Neighbours of one node count together, as a launcher states them."""
    for name in AGREED:
        if len({row[name] for row in said}) > 1:
            raise ToolError(f"the processes have different values of {name}", 1, "stderr")
    groups = itertools.groupby(row["node"] for row in said)
    return [(node, len(list(group))) for node, group in groups]


def _write(file: pathlib.Path, content: Any) -> None:
    part = file.with_name(f".{file.name}")
    part.write_text(json.dumps(content), encoding="utf-8")
    part.rename(file)


def _read(file: pathlib.Path, seconds: float = math.inf) -> Any:
    """Return the contents of the file, once it is there; without `seconds` srun ends a process that waits in vain."""
    until = time.monotonic() + seconds
    while not file.exists():
        if time.monotonic() > until:
            raise ToolError(f"process {file.name} of the job did not begin", 1, "stderr")
        time.sleep(PAUSE)
    return json.loads(file.read_text(encoding="utf-8"))
