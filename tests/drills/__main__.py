# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the drills: what a hostile operator, network or disk does to a run. ``make drill`` runs them all.

    make drill DRILL="kills disk"   these drills only

They are stages of a table of their own, run and bounded as those of ``tests/stages.py``.
"""

from __future__ import annotations

import sys

import stages
from stages import Stage

PYTEST = "python -m pytest -q --durations=5"
SPREAD = f"{PYTEST} --numprocesses=3 --dist=load"
"""A drill waits for roll-back timers most of the time, so that three cases share two cores."""

SUSPECTS = "tests/unit/plugins/plugin_utils/_fabric/measure/judge/test_suspects.py"
MOVES = "tests/unit/plugins/plugin_utils/_fabric/tenants/moves/test_move_run.py"

SLOW = " ".join(
    ["tests/kernel/slow_rails.py"]
    + [f"tests/kernel/networks/slow_{name}.py" for name in ("core", "shared", "hosts")]
)

BUDGET = 150 * 60
"""Seconds that all drills together may take on two cores."""


SLURM = "slurm-client,slurmctld,slurmd,munge"


def _story(name: str, file: str, budget: int, *, packages: str = "") -> Stage:
    """A story of tests/prove that takes too long for ``make prove``; `packages` are further ones of its devices."""
    with_packages = f"env SPX_LAB_PACKAGES={packages} " if packages else ""
    command = f"{with_packages}tests/prove/run.sh tests/prove/{file}.py"
    return Stage(name, command, budget, "tests/prove/run.sh", root=True)


DRILLS = (
    Stage("histories", f"env SPX_HISTORIES=20000 python -m pytest -q {MOVES}", 280, MOVES),
    Stage("kills", f"{SPREAD} tests/drills/test_kills.py", 240, "tests/drills"),
    Stage("moves", f"{SPREAD} {' '.join(stages.DRILLED)}", 220, stages.DRILLED[0]),
    Stage("two", f"{SPREAD} tests/drills/test_two_controllers.py", 300, "tests/drills"),
    Stage("dead", f"{SPREAD} tests/drills/test_dead_leaf.py", 200, "tests/drills"),
    Stage(
        *("disk", f"{SPREAD} tests/drills/test_full_disk.py tests/drills/test_read_only_disk.py"),
        *(180, "tests/drills"),
    ),
    Stage("node", f"{SPREAD} tests/drills/test_node_attacks.py", 240, "tests/drills"),
    Stage("liars", f"{SPREAD} tests/drills/test_lying_switches.py", 400, "tests/drills"),
    Stage("neighbours", f"{SPREAD} tests/drills/test_lying_neighbours.py", 120, "tests/drills"),
    Stage("silent", f"{PYTEST} tests/drills/test_silent_hosts.py", 450, "tests/drills"),
    Stage("clock", f"{SPREAD} tests/drills/test_clock.py", 150, "tests/drills"),
    Stage("forged", f"{PYTEST} tests/drills/test_forged_results.py", 60, "tests/drills"),
    Stage("answers", f"{SPREAD} tests/drills/test_hostile_answers.py", 270, "tests/drills"),
    Stage("text", f"{SPREAD} tests/drills/test_hostile_text.py", 60, "tests/drills"),
    Stage("culprits", f"env SPX_CULPRITS=15 python -m pytest -q {SUSPECTS}", 200, SUSPECTS),
    _story("failover", "slow_failover", 300),
    _story("outside", "slow_outside", 300),
    _story("ipv6", "slow_ipv6", 300),
    _story("planes", "slow_two_planes", 1000),
    _story("levels", "slow_levels", 1800),
    _story("slurm", "slow_slurm", 750, packages=SLURM),
    Stage(
        *("packets", f"tests/kernel/run.sh {SLOW}", 280, "tests/kernel/run.sh"),
        optional=True,
        root=True,
    ),
    Stage(
        *("hosts", "tests/molecule.sh host_all host_validate host_tampered", 600),
        "tests/molecule.sh",
        root=True,
    ),
)

if __name__ == "__main__":
    stages.STAGES, stages.LARGE, stages.BUDGET_TOTAL = DRILLS, (), BUDGET
    sys.exit(stages.main())
