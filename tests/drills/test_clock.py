# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill: the clock of the controller jumps during a run, back an hour or forward a day.

Timers go on as they were set, a change is confirmed only after its proof, and the registry knows who moves a node.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from drills.running import OTHER, TIMER, Run, Site, busy, changed, eventually, sentence
from drills.test_full_disk import BOTH, MOVE, said, step_of
from unit.playbooks.fleet import SPINE
from unit.playbooks.leaves import NODE, Lab, confirm

JUMPS = {"an hour back": -3600, "a day forward": 86400}
PLACES = {
    "as it reads": ("GET", "/"),
    "as it drafts": ("PATCH", "/"),
    "as it applies": ("PATCH", "/revision/.*"),
}
jumps = pytest.mark.parametrize("jump", JUMPS)


class Clock:
    """The clock of the runs that have its environment."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock"
        own = str(Path(__file__).with_name("clock"))
        path = [own, *filter(None, [os.environ.get("PYTHONPATH")])]
        self.environment = {"PYTHONPATH": os.pathsep.join(path), "SPX_CLOCK": str(self._file)}

    def jump(self, seconds: int) -> None:
        """Be off by some seconds from now on."""
        part = self._file.with_suffix(".part")
        part.write_text(str(seconds))
        part.replace(self._file)

    def off(self) -> float:
        """By how much the clock of a process is off."""
        command = [sys.executable, "-c", "import time; print(time.time())"]
        shown = subprocess.run(
            command, env=os.environ | self.environment, capture_output=True, text=True, check=True
        )
        return float(shown.stdout) - time.time()


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    made = Clock(tmp_path)
    made.jump(1000)
    assert made.off() > 900, "no process has this clock"
    made.jump(0)
    return made


def jumping(site: Site, clock: Clock, jump: str, place: str) -> tuple[int, str, float]:
    """A run during which the clock jumps at a place: (rc, output, seconds)."""
    double = site.doubles[SPINE]
    double.log.clear()
    begun = time.monotonic()
    run = Run(site.folder, "switches", "--limit", SPINE, environment=clock.environment)
    run.wait_for(lambda: bool(double.log.matching(*PLACES[place])))
    clock.jump(JUMPS[jump])
    return *run.end(), time.monotonic() - begun


@jumps
@pytest.mark.parametrize("place", PLACES)
def test_a_change_is_confirmed_and_stays(site: Site, clock: Clock, jump: str, place: str) -> None:
    site.doubles[SPINE].control.options(step_seconds=0.1)
    site.plan(OTHER)
    code, output, _seconds = jumping(site, clock, jump, place)
    assert code == 0, output
    time.sleep(TIMER / 4)
    site.settled([SPINE], OTHER)
    code, output = Run(
        site.folder, "switches", "--limit", SPINE, environment=clock.environment
    ).end()
    assert (code, changed(output)) == (0, 0), output


@jumps
def test_a_change_without_its_proof_is_rolled_back_in_time(
    site: Site, clock: Clock, jump: str
) -> None:
    """The wait for sessions ends neither at once nor an hour later."""
    double = site.doubles[SPINE]
    double.control.options(step_seconds=0.1)
    site.plan(OTHER)
    double.control.fault("session_down")
    code, output, seconds = jumping(site, clock, jump, "as it applies")
    assert code == 2, output
    sentence(output)
    assert f"rolled back after {TIMER} s" in said(output), output
    assert TIMER / 2 < seconds < TIMER + 60
    assert eventually(lambda: not busy(double))
    assert double.applied == site.before[SPINE]


WAITING = """
- name: Say that the wipe is at work
  ansible.builtin.copy: {{dest: "{folder}/wiping", content: ""}}
  delegate_to: localhost
- name: Wipe
  ansible.builtin.wait_for: {{path: "{folder}/go", timeout: 120}}
  delegate_to: localhost
"""


@pytest.mark.parametrize("leaves", [BOTH], indirect=True)
@jumps
def test_a_move_goes_on_and_nobody_takes_it_over(leaves: Lab, clock: Clock, jump: str) -> None:
    """A second run that starts with the other time sees that the first is at work; the first ends as if alone."""
    leaves.committing()
    tasks = [*yaml.safe_load(WAITING.format(folder=leaves.folder)), confirm("wiped", "bmc")]
    leaves.hook("wipe", yaml.safe_dump(tasks))
    first = Run(leaves.folder, "tenant_move", environment=clock.environment, **MOVE)
    first.wait_for((leaves.folder / "wiping").exists)
    clock.jump(JUMPS[jump])
    before = leaves.registry.read_text()
    code, output = Run(leaves.folder, "tenant_move", environment=clock.environment, **MOVE).end()
    assert code == 2, output
    assert "is still at work on its move" in said(output), output
    assert leaves.registry.read_text() == before
    (leaves.folder / "go").touch()
    code, output = first.end()
    assert code == 0, output
    assert (step_of(leaves), leaves.vrf_of(NODE)) == (None, {"t22-globex"})
    code, output = Run(leaves.folder, "tenant_move", environment=clock.environment, **MOVE).end()
    assert (code, changed(output)) == (0, 0), output
