# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the test stages in order, cheap failures first; ``make test`` is this without arguments.

    python tests/stages.py                  every stage, stops at the first failure
    python tests/stages.py --all            those of `make test-all` too, whatever fails
    python tests/stages.py lint types       these stages only
    python tests/stages.py --list           the table of stages and their budgets

A stage is one command. Neighbours in the table that keep one core busy run two at a time; their output
is shown when each has ended. A stage passes with exit code 0, says "not available" with 77 (optional
stages only), and fails with any other. A line of its output that begins with ``SKIP: ``, every test that
pytest reports as skipped, and every program that ansible-test misses counts as a skip; with ``CI``
set in the environment a skip fails the run. Output goes to the terminal and to ``build/stages/<name>.log``.

Nothing begins where it could not end: logs that cannot be written, and stages that need root where sudo would
ask for a password, are said at the start.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / "build" / "stages"

BUDGET_TOTAL = 1000
"""Seconds that the stages of `make test` together may take on two quiet cores."""

MADE = ("stages", "links", "code", "ansible_collections", "docs", "dist", "atlas")
"""Folders below build/ that stages write to without being root."""

NOT_AVAILABLE = 77
TIMED_OUT = 124

Say = Callable[[str], None]

SKIP_LINE = re.compile(r"^SKIP: |^WARNING: Required program .* not found")
SKIPPED_TESTS = re.compile(r"^=* ?.*?\b(\d+) skipped\b.* in [\d.]+s")
REASON = re.compile(r"^\s*(?:(?:FAILED|ERROR) \S+\.py\b|\[ERROR\]: |ERROR: )|: error: ")
"""Lines in which pytest, Ansible, sanity tests and type checkers say what is wrong."""
REASONS, WIDTH = 6, 300
"""Lines, and characters of each, by which the end of the output says why a stage failed."""


@dataclass(frozen=True)
class Stage:
    """One row of the table: `budget` and `timeout` are seconds, `needs` a path in the checkout.

    A `narrow` stage keeps about one core busy, so that it shares the machine with another one; one with `root` calls
    sudo where the caller is not root; `lacks` says in a sentence why a machine cannot have an optional one.
    """

    name: str
    command: str
    budget: int
    needs: str
    optional: bool = False
    narrow: bool = False
    root: bool = False
    lacks: Callable[[], str] = str

    @property
    def timeout(self) -> int:
        """Seconds after which a stage is ended: three times its budget, at least two minutes."""
        return max(120, 3 * self.budget)


OS_RELEASE = Path("/etc/os-release")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
"""As tests/atlas/browser.py looks for them."""


def no_browser() -> str:
    """Reason that this machine has no browser and cannot get one as a package; nothing elsewhere."""
    release = OS_RELEASE.read_text(encoding="utf-8") if OS_RELEASE.is_file() else ""
    if any(map(shutil.which, BROWSERS)) or "\nID=ubuntu\n" not in f"\n{release}\n":
        return ""
    return (
        "Ubuntu has no package of Chromium, only a snap: put one of "
        f"{', '.join(BROWSERS)} on PATH to run this stage."
    )


PYTEST = "python -m pytest --numprocesses=3 --dist=loadfile --no-loadscope-reorder"
"""One worker more than cores, as tests of playbooks wait now and then; in the order of folders, as their files, which
have few tests, would come last else, and the last of them alone.
"""

DRILLED = tuple(
    f"tests/unit/playbooks/test_tenant{name}.py" for name in ("_faults", "_hostile", "s_alone")
)
"""Unit tests that take long, and belong to the drill `moves`."""

SMALL = "-m 'not large'"
"""Pytest's words that leave out what `make test-all` runs too."""

STAGES = (
    Stage("format", "tests/setup/format.sh", 5, "pyproject.toml"),
    Stage("changelog", "tests/setup/changelog.sh", 5, "changelogs/config.yaml"),
    Stage("layers", "tests/setup/layers.sh", 5, "plugins"),
    Stage("golden", f"{PYTEST} tests/golden", 15, "tests/golden"),
    Stage("types", "tests/setup/types.sh", 20, "plugins", narrow=True),
    Stage("lint", "tests/setup/lint.sh", 120, ".ansible-lint", narrow=True),
    Stage("sanity", "tests/setup/sanity.sh", 105, "plugins", narrow=True),
    Stage(
        *("atlas", "python -m pytest tests/atlas", 50, "tests/atlas"),
        optional=True,
        narrow=True,
        lacks=no_browser,
    ),
    Stage("package", "python -m pytest tests/package", 45, "tests/package", narrow=True),
    Stage(
        *(
            "unit",
            " ".join([PYTEST, SMALL, "tests/unit", *(f"--ignore={path}" for path in DRILLED)]),
        ),
        *(350, "tests/unit"),
    ),
    Stage(
        *("prove", f"tests/prove/run.sh tests/prove -n 2 --dist loadfile {SMALL}", 400),
        "tests/prove/run.sh",
        narrow=True,
        root=True,
    ),
    Stage("docs", "tests/setup/docs.sh", 170, "docs/docsite", narrow=True),
    Stage("molecule", "tests/molecule.sh", 85, "tests/molecule.sh", narrow=True, root=True),
    Stage(
        "newest-core", "tests/setup/other_core.sh", 100, "tests/unit", optional=True, narrow=True
    ),
    Stage(
        *("kernel", f"tests/kernel/run.sh tests/kernel {SMALL}", 30, "tests/kernel"),
        optional=True,
        narrow=True,
        root=True,
    ),
)

LARGE = (
    Stage("prove", "tests/prove/run.sh", 500, "tests/prove/run.sh", root=True),
    Stage("kernel", "tests/kernel/run.sh", 180, "tests/kernel", optional=True, root=True),
    Stage("large", f"{PYTEST} tests/unit -m large", 400, "tests/unit"),
    Stage("dcim", "tests/dcim/run.sh", 90, "tests/dcim", optional=True),
    Stage(
        "check-schema",
        "tests/setup/schema.sh check",
        120,
        "tests/schema",
        optional=True,
        narrow=True,
    ),
    Stage("pylint", "tests/setup/sanity.sh --test pylint", 200, "plugins"),
    Stage("cores", "tests/setup/other_core.sh 2.20 3.12", 100, "tests/unit", optional=True),
)
"""Stages of `make test-all`, in place of those of the same name or after all others.

They add tests with the mark `large`, which show on a larger fabric or by whole playbooks what a faster test shows too,
and tools that seldom find more.
"""

RUNNING: set[subprocess.Popen[str]] = set()
"""Commands of stages that have not ended."""
ENDING = threading.Event()
"""Set while `RUNNING` is being ended, so that a command which begins in that moment ends too."""

PENDING: frozenset[str] = frozenset()
"""Stages whose content is still to come: while its `needs` is missing such a stage is reported
as pending. Any other stage fails without its content. Empty this set as the content arrives."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of a stage: `state` is ok, failed, timed out, not available or pending.

    `reasons` are the lines by which a bad one said why.
    """

    stage: Stage
    state: str
    seconds: float = 0.0
    skips: int = 0
    reasons: tuple[str, ...] = ()

    @property
    def bad(self) -> bool:
        """Check whether the run is red because of this stage."""
        return self.state in ("failed", "timed out")


def count_skips(lines: list[str]) -> int:
    """Return the number of skips that the output of a stage admits."""
    total = 0
    for line in lines:
        if SKIP_LINE.match(line):
            total += 1
        elif match := SKIPPED_TESTS.match(line):
            total += int(match.group(1))
    return total


def reasons(lines: list[str]) -> tuple[str, ...]:
    """Return the last lines that name an error, each once; the last lines of all where none does."""
    said = [line.strip() for line in lines if line.strip()]
    telling = dict.fromkeys(line for line in said if REASON.search(line))
    return tuple(line[:WIDTH] for line in [*telling][-REASONS:] or said[-REASONS // 2 :])


def show(line: str) -> None:
    """Pass a line on to the terminal at once."""
    sys.stdout.write(line)
    sys.stdout.flush()


def copy_output(source: TextIO, log: TextIO, lines: list[str], say: Say) -> None:
    """Say each line, write it to the log, and keep it, until the source ends."""
    for line in source:
        say(line)
        log.write(line)
        lines.append(line.rstrip("\n"))


def signal_group(group: int, signum: signal.Signals) -> None:
    """Signal a group of processes; one that sudo has made root's is signalled by sudo."""
    try:
        os.killpg(group, signum)
    except PermissionError:
        command = ["sudo", "-n", "kill", f"-{signum.value}", "--", f"-{group}"]
        subprocess.run(command, stdin=subprocess.DEVNULL, check=False)


def end_group(process: subprocess.Popen[str]) -> None:
    """End a stage with everything it started: asked first, after ten seconds made to."""
    for signum in (signal.SIGTERM, signal.SIGKILL):
        try:
            signal_group(process.pid, signum)
        except ProcessLookupError:
            return
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            continue


def environment() -> dict[str, str]:
    """Return an environment with the tools of this interpreter first and output fit for a log.

    Python keeps what it has compiled, also where the caller's does not: else each process compiles all that it imports.
    """
    tools = str(Path(sys.executable).parent)
    path = os.pathsep.join((tools, os.environ.get("PATH", os.defpath)))
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PATH": path, "NO_COLOR": "1", "ANSIBLE_NOCOLOR": "1", "COLUMNS": "120"}


def execute(stage: Stage, log: TextIO, say: Say) -> tuple[int, list[str]]:
    """Return the exit code of the stage's command and the lines it printed."""
    lines: list[str] = []
    process = subprocess.Popen(
        shlex.split(stage.command),
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    RUNNING.add(process)
    if ENDING.is_set():
        end_group(process)
    assert process.stdout is not None
    told = (process.stdout, log, lines, say)
    reader = threading.Thread(target=copy_output, args=told, daemon=True)
    reader.start()
    try:
        code = process.wait(stage.timeout)
    except subprocess.TimeoutExpired:
        code = TIMED_OUT
    finally:
        end_group(process)
        RUNNING.discard(process)
        reader.join(5)
    return code, lines


def state_of(stage: Stage, code: int) -> str:
    """Return the word for an exit code."""
    if code == 0:
        return "ok"
    if code == NOT_AVAILABLE and stage.optional:
        return "not available"
    return "timed out" if code == TIMED_OUT else "failed"


def run(stage: Stage, say: Say = show) -> Outcome:
    """Run one stage to its end or its time limit."""
    if not (ROOT / stage.needs).exists():
        return Outcome(stage, "pending" if stage.name in PENDING else "failed")
    if stage.optional and (why := stage.lacks()):
        say(f"not available: {why}\n")
        return Outcome(stage, "not available")
    LOGS.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with (LOGS / f"{stage.name}.log").open("w", encoding="utf-8") as log:
        code, lines = execute(stage, log, say)
    seconds = time.monotonic() - start
    outcome = Outcome(stage, state_of(stage, code), seconds, count_skips(lines))
    return replace(outcome, reasons=reasons(lines)) if outcome.bad else outcome


def outcomes_of(chosen: list[Stage]) -> Generator[Outcome, None, None]:
    """Run stages in order, narrow neighbours two at a time; whoever stops asking ends what still runs."""
    numbers = {stage.name: f"[{number}/{len(chosen)}]" for number, stage in enumerate(chosen, 1)}

    def begin(stage: Stage, words: str = "") -> None:
        print(f"==> {numbers[stage.name]} {stage.name}: {stage.command}{words}", flush=True)

    for narrow, neighbours in groupby(chosen, key=lambda stage: stage.narrow):
        if narrow:
            yield from side_by_side(list(neighbours), begin)
            continue
        for stage in neighbours:
            begin(stage)
            yield run(stage)


def side_by_side(
    stages: list[Stage], begin: Callable[[Stage, str], None]
) -> Generator[Outcome, None, None]:
    """Run stages two at a time; each is shown as a whole when it has ended."""
    heard: dict[str, list[str]] = {stage.name: [] for stage in stages}
    pool = ThreadPoolExecutor(max_workers=2)

    def begun(stage: Stage) -> Outcome:
        begin(stage, " (its output is shown when it has ended)")
        return run(stage, heard[stage.name].append)

    try:
        running = [pool.submit(begun, stage) for stage in stages]
        for done in as_completed(running):
            outcome = done.result()
            show("".join(heard[outcome.stage.name]))
            yield outcome
    finally:
        ENDING.set()
        pool.shutdown(wait=False, cancel_futures=True)
        for process in tuple(RUNNING):
            end_group(process)
        pool.shutdown()
        ENDING.clear()


def announce(outcome: Outcome) -> None:
    """Print the line that closes a stage."""
    stage = outcome.stage
    text = f"<== {stage.name}: {outcome.state}, {outcome.seconds:.1f} s of {stage.budget} s"
    if outcome.state == "timed out":
        text += f" (ended after {stage.timeout} s)"
    elif outcome.seconds > stage.budget:
        text += " (OVER BUDGET)"
    if outcome.skips:
        text += f", {outcome.skips} SKIPPED"
    if outcome.seconds == 0 and outcome.state in ("failed", "pending"):
        text += f": {stage.needs} does not exist"
    print(text + "\n", flush=True)


def summarise(outcomes: list[Outcome], chosen: list[Stage], wall: float = 0.0) -> None:
    """Print one row per chosen stage, those that did not run included, and what the whole took."""
    done = {outcome.stage.name: outcome for outcome in outcomes}
    print(f"{'stage':<14}{'result':<16}{'seconds':>9}{'budget':>8}{'skips':>7}")
    for stage in chosen:
        outcome = done.get(stage.name, Outcome(stage, "not run"))
        print(
            f"{stage.name:<14}{outcome.state:<16}{outcome.seconds:>9.1f}"
            f"{stage.budget:>8}{outcome.skips:>7}"
        )
    skips = sum(outcome.skips for outcome in outcomes)
    print(f"{'total':<30}{wall:>9.1f}{together(chosen):>8.0f}{skips:>7}")


def verdict(outcomes: list[Outcome], wall: float = 0.0) -> int:
    """Print the last lines and return the exit code of the run; `wall` seconds beyond the budget are no failure.

    Why a stage failed stands here once more, as a CI often keeps no more than the end.
    """
    if wall > BUDGET_TOTAL:
        print(
            f"OVER BUDGET: the whole run took {wall:,.0f} s, which shall be at most {BUDGET_TOTAL:,} s; no failure, "
            "but on an idle machine of two cores one of the stages above is to be made faster."
        )
    bad = [outcome.stage.name for outcome in outcomes if outcome.bad]
    skipped = [outcome.stage.name for outcome in outcomes if outcome.skips]
    if skipped:
        print(f"SKIPPED tests in: {', '.join(skipped)}")
    if bad:
        for outcome in outcomes:
            for line in outcome.reasons:
                print(f"{outcome.stage.name}: {line}")
        print(f"FAILED: {', '.join(bad)} (output in {LOGS.relative_to(ROOT)}/)")
        return 1
    if skipped and os.environ.get("CI"):
        print("FAILED: on CI nothing may be skipped; install what the skipped tests name.")
        return 1
    print("All stages are green.")
    return 0


def together(stages: Sequence[Stage]) -> float:
    """Return the seconds of stages by their budgets; a narrow one goes to the core that is free first."""
    seconds = 0.0
    for narrow, neighbours in groupby(stages, key=lambda stage: stage.narrow):
        cores = [0.0, 0.0]
        for stage in neighbours:
            core = cores.index(min(cores)) if narrow else 0
            cores[core] += stage.budget
        seconds += max(cores)
    return seconds


def chosen_stages(names: list[str], *, large: bool) -> list[Stage]:
    """Return the stages of these names in the order of the table; without names all, those of `LARGE` if asked."""
    table = {stage.name: stage for stage in STAGES}
    more = {stage.name: stage for stage in LARGE}
    if large:
        table |= more
    elif names:
        table |= {name: stage for name, stage in more.items() if name not in table}
    known = table.keys()
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"There is no stage {unknown[0]!r}; the stages are {', '.join(sorted(known))}.")
    return [stage for name, stage in table.items() if not names or name in names]


def owner(path: Path) -> str:
    """Owner of a path, or of the nearest folder above it that exists."""
    while not path.exists() and path != path.parent:
        path = path.parent
    try:
        return path.owner()
    except KeyError:
        return str(path.stat().st_uid)


def unwritable() -> str:
    """Reason that the folders of stages cannot be written, and the remedy; nothing where they can."""
    build = LOGS.parent
    try:
        LOGS.mkdir(parents=True, exist_ok=True)
    except PermissionError as exc:
        wrong = Path(exc.filename)
    else:
        made = [build, *(build / name for name in MADE), *LOGS.glob("*.log")]
        denied = [path for path in made if path.exists() and not os.access(path, os.W_OK)]
        if not denied:
            return ""
        wrong = denied[0]
    return (
        f"{wrong} cannot be written, as it belongs to {owner(wrong)}: run "
        "`sudo tests/setup/tree.sh back`, which gives what root has made here back to you."
    )


def sudo_is_silent() -> bool:
    """Check whether sudo asks for no password of a process that has no terminal, as stages have none."""
    try:
        return not subprocess.run(
            ["sudo", "-n", "true"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
        ).returncode
    except OSError:
        return False


def refuse(chosen: list[Stage]) -> None:
    """End with a sentence where a chosen stage could only fail, before any of them takes its time."""
    if wrong := unwritable():
        sys.exit(wrong)
    rooted = [stage.name for stage in chosen if stage.root]
    if rooted and os.geteuid() and not sudo_is_silent():
        others = " ".join(stage.name for stage in chosen if not stage.root)
        sys.exit(
            f"Stages that need root: {', '.join(rooted)}; you are not, and sudo is missing or would ask for a "
            "password, which nobody can give in a stage: run as root, allow sudo without a password, or leave "
            f"them out: python tests/stages.py {others}"
        )


def main() -> int:
    """Run the stages that the command line names; return 0 when none is red."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="STAGE", help="only these stages")
    parser.add_argument("--keep-going", action="store_true", help="go on after a failure")
    parser.add_argument(
        "--all", action="store_true", help="with those of test-all, on after failures"
    )
    parser.add_argument("--list", action="store_true", help="print the stages and their budgets")
    options = parser.parse_args()
    if together(STAGES) > BUDGET_TOTAL:
        sys.exit(f"The budgets in {__file__} exceed {BUDGET_TOTAL} s together; lower one.")
    chosen = chosen_stages(options.names, large=options.all)
    outcomes: list[Outcome] = []
    if options.list:
        summarise(outcomes, chosen)
        return 0
    refuse(chosen)
    begun = time.monotonic()
    with closing(outcomes_of(chosen)) as following:
        for outcome in following:
            outcomes.append(outcome)
            announce(outcome)
            if outcome.bad and not (options.keep_going or options.all):
                break
    wall = time.monotonic() - begun
    summarise(outcomes, chosen, wall)
    return verdict(outcomes, wall)


if __name__ == "__main__":
    sys.exit(main())
