# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill: a run of `switches` is killed at every place of a change; the next one finishes.

The steps of a tenant's move are killed in tests/unit/playbooks/test_tenant_faults.py.
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from typing import Any

import pytest
from drills.running import COMMUNITY, HASH, OTHER, Site, busy, changed, eventually, gone
from playing import written
from unit.playbooks.fleet import SPINE

SECOND = "spine-p1-s02"
SPINES = (SPINE, SECOND)
HELD = 1.5
"""Seconds for which a switch lets a run wait at the place where it is killed."""


@dataclass(frozen=True)
class Place:
    """Place at which a run is killed: at the n-th request of a kind, or in a state of its revision."""

    method: str = ""
    path: str = ""
    nth: int = 1
    state: str = ""
    device: str = SPINE

    def hold(self, double: Any) -> None:
        """Have the switch take its time there."""
        if self.method:
            path = self.path.replace(".*", "*")
            double.control.fault("delay", self.nth, method=self.method, path=path, seconds=HELD)
        elif self.state in ("checking", "reloading"):
            double.control.fault("apply_slow", at=self.state, seconds=HELD)

    def reached(self, double: Any) -> bool:
        """Check whether the run is there."""
        if self.method:
            return len(double.log.matching(self.method, self.path)) >= self.nth
        state = {"asks": double.switch.options.confirm_form}.get(self.state, self.state)
        return any(found.state == state for found in double.switch.revisions.by_id.values())


PLACES = {
    "while the release is read": Place("GET", "/system"),
    "while the configuration is read": Place("GET", "/", 2),
    "while sessions are read": Place("GET", "/vrf.*", 2),
    "when a draft is opened": Place("POST", "/revision"),
    "when the draft is written": Place("PATCH", "/"),
    "when it looks for others": Place("GET", "/revision"),
    "when it asks for the apply": Place("PATCH", "/revision/.*"),
    "while the switch checks": Place(state="checking"),
    "while the switch reloads": Place(state="reloading"),
    "while the timer runs": Place(state="asks"),
    "when it confirms": Place("PATCH", "/revision/.*", 2),
    "while the switch saves": Place(state="auto_saving"),
    "between two switches": Place("POST", "/revision", device=SECOND),
}
WHOLE = [(place, "all", form) for place, form in zip(PLACES, ["confirm", "ays"] * len(PLACES))]
PARTS = [
    ("when the draft is written", "controller", "confirm"),
    ("when it asks for the apply", "controller", "ays"),
    ("while the timer runs", "controller", "confirm"),
    ("when a draft is opened", "worker", "ays"),
    ("while the timer runs", "worker", "confirm"),
]


def killed(site: Site, place: Place, who: str) -> tuple[int, str]:
    """Kill a run at a place; (rc, output) once nothing of it is left."""
    home = site.folder / "home"
    double = site.doubles[place.device]
    double.log.clear()
    place.hold(double)
    environment = {"HOME": str(home), "TMPDIR": str(home), "ANSIBLE_LOG_PATH": str(home / "log")}
    words = ("--limit", "spx_spine", "-vvv", "--diff")
    run = site.start("switches", *words, spx_report="report", environment=environment)
    run.wait_for(lambda: place.reached(double))
    left = run.kill(who)
    code, output = run.end()
    if who == "worker":
        assert gone(left), "workers outlive their run"
    double.control.clear_faults()
    return code, output


@pytest.mark.parametrize("where, who, form", [*WHOLE, *PARTS])
def test_the_next_run_heals(site: Site, where: str, who: str, form: str) -> None:
    (site.folder / "home").mkdir(exist_ok=True)
    for name in SPINES:
        site.doubles[name].control.options(confirm_form=form, step_seconds=0.05)
    site.plan(OTHER)
    code, output = killed(site, PLACES[where], who)
    assert code != 0, output
    if who != "worker":
        assert code == -signal.SIGKILL, output
    assert secrets_on_disk(site) == []

    code, output = site.run("switches", "--limit", "spx_spine")
    assert code == 0, output
    site.settled(SPINES, OTHER)
    writes = [len(site.doubles[name].log.writes) for name in SPINES]
    code, output = site.run("switches", "--limit", "spx_spine")
    assert (code, changed(output)) == (0, 0), output
    assert [len(site.doubles[name].log.writes) for name in SPINES] == writes
    assert eventually(lambda: not any(busy(site.doubles[name]) for name in SPINES))


def secrets_on_disk(site: Site) -> list[str]:
    """The files in which a killed run left a password of the switches."""
    words = [HASH.encode(), COMMUNITY.encode(), site.doubles[SPINE].password.encode()]
    found = written(site.folder)
    assert any(re.search("log$", path.name) for path in found)
    return [str(path) for path, text in found.items() if any(word in text for word in words)]
