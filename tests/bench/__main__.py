# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the benchmarks: every other module of this folder, each in a process of its own.

    make bench                           all of them, in the order of their names
    make bench BENCH="plan inventory"    bench_plan.py and bench_inventory.py only

A benchmark is a file ``bench_<name>.py`` which prints JSON lines, each an object with ``name``,
``value`` (a number) and ``unit``, and which may print anything else on its standard error. It finds
the collection as ``ansible_collections.spectrum_x.fabric`` on its path, the checkout as its working
folder, and, in ``SPX_BENCH_PYAVD``, the interpreter of a separate environment with pyavd where
``make bench`` made one. The lines are passed on as they come, and kept in ``build/bench.jsonl``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TextIO

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

import alone

IN_A_LAB = {"bench_hosts"}
"""Their containers have namespaces of their own, and building the images takes the network."""

TIMEOUT, LONGER = 600, {"bench_dcim": 10800, "bench_dcim_again": 1800}
"""Seconds after which a benchmark is given up; real servers take two hours on a slow machine."""


def chosen(names: list[str]) -> list[Path]:
    """Return the benchmarks of these names, or all."""
    known = {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))}
    for name in names:
        if name not in known:
            sys.exit(
                f"There is no benchmark {name!r}; there are: {', '.join(known) or 'none yet'}."
            )
    return [path for name, path in known.items() if not names or name in names]


def is_measure(line: str) -> bool:
    """Check whether a line is an object with a name, a number and a unit."""
    try:
        measure = json.loads(line)
    except ValueError:
        return False
    return (
        isinstance(measure, dict)
        and {"name", "value", "unit"} <= measure.keys()
        and isinstance(measure["value"], (int, float))
    )


def environment() -> dict[str, str]:
    """Return the environment in which benchmarks find the collection."""
    tree = subprocess.run(
        [ROOT / "tests" / "setup" / "tree.sh", "links"], capture_output=True, text=True, check=True
    ).stdout.strip()
    own = ("demo", "tests", "tests/targets/switch")
    path = os.pathsep.join([tree, *(str(ROOT / folder) for folder in own)])
    return os.environ | {"PYTHONPATH": path, "ANSIBLE_COLLECTIONS_PATH": tree}


def run(path: Path, log: TextIO) -> str | None:
    """Run one benchmark; return a sentence when it failed."""
    try:
        done = subprocess.run(
            [sys.executable, path],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            timeout=LONGER.get(path.stem, TIMEOUT),
            preexec_fn=None if path.stem in IN_A_LAB else alone.enter,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{path.name} did not end within {LONGER.get(path.stem, TIMEOUT)} s."
    sys.stdout.write(done.stdout)
    sys.stdout.flush()
    log.write(done.stdout)
    if done.returncode:
        return f"{path.name} ended with exit code {done.returncode}."
    strays = [line for line in done.stdout.splitlines() if not is_measure(line)]
    return f"{path.name} printed a line that is no measure: {strays[0]!r}." if strays else None


def main() -> int:
    """Run what the command line names; return 0 when all of it ended well."""
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / "bench.jsonl").open("w", encoding="utf-8") as log:
        failures = [failure for path in chosen(sys.argv[1:]) if (failure := run(path, log))]
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
