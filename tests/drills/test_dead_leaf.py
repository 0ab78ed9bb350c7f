# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill: a leaf dies in the middle of a run and comes back later; the next run finishes.

That a leaf dies between two changes of a move is in tests/unit/playbooks/test_tenant_faults.py.
"""

from __future__ import annotations

from typing import Any

import pytest
from drills.running import OTHER, Site, changed, sentence
from unit.playbooks.leaves import ACME, GLOBEX, NODE, Lab

LEAF, LAST = "leaf-p1-su001-r1", "leaf-p1-su002-r2"
FAR = "leaf-p1-su002-r1"
"""A leaf of the old tenant on which the node has no port."""


def dies(double: Any) -> None:
    """It answers nobody until it is repaired."""
    double.control.fault("drop_connection", None)


def loses_power(double: Any) -> None:
    """It comes back by itself, with what it had saved."""
    double.control.reboot(seconds=3.0)


def loses_its_management(double: Any) -> None:
    """It answers nobody until it has rolled back."""
    double.control.fault("lost_management", seconds=None)


def asked(double: Any) -> bool:
    return bool(double.log.matching("PATCH", "/revision/.*"))


def drafted(double: Any) -> bool:
    return bool(double.log.matching("PATCH", "/"))


def loading(double: Any) -> bool:
    return any(found.state == "reloading" for found in double.switch.revisions.by_id.values())


def opened(double: Any) -> bool:
    return bool(double.log.matching("POST", "/revision"))


def compared(double: Any) -> bool:
    return bool(double.log.matching("GET", "/"))


CASES = {
    "it dies before its turn": (LAST, compared, dies, "no connection|was closed|reset|answer"),
    "it dies when a draft is opened": (LEAF, opened, dies, ""),
    "it dies with a draft": (LEAF, drafted, dies, ""),
    "it loses power as it loads": (LEAF, loading, loses_power, "restarted"),
    "it cannot be reached with the change": (LEAF, drafted, loses_its_management, "rolled back"),
}


@pytest.mark.parametrize("what", CASES)
def test_the_next_run_finishes(site: Site, what: str) -> None:
    name, reached, dying, words = CASES[what]
    double = site.doubles[name]
    double.control.options(step_seconds=0.1)
    double.log.clear()
    site.plan(OTHER)
    run = site.start("switches", "--limit", "spx_leaf")
    run.wait_for(lambda: reached(double))
    dying(double)
    code, output = run.end()
    assert code in (2, 4), output
    sentence(output)
    said = " ".join(line for line in output.splitlines() if name in line)
    assert any(word in output for word in words.split("|")), output
    assert "fatal" in said, output

    site.heal()
    for other, found in site.doubles.items():
        wanted = [site.before[other], site.expected(other, OTHER)]
        assert found.applied in wanted, f"{other} has half of the change"
    assert site.doubles[name].applied == site.before[name]
    code, output = site.run("switches", "--limit", "spx_leaf")
    assert code == 0, output
    site.settled([leaf for leaf in site.doubles if leaf.startswith("leaf")], OTHER)
    code, output = site.run("switches", "--limit", "spx_leaf")
    assert (code, changed(output)) == (0, 0), output


@pytest.mark.parametrize("leaves", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_a_leaf_that_is_only_asked_dies_in_a_move(leaves: Lab) -> None:
    """Nobody knows whether it still leads to the node: the node does not go on."""
    leaves.committing()
    goal = {"spx_tenant": "globex", "spx_nodes": NODE, "spx_registry_write": "true", "spx_wait": 5}
    leaves.after_apply = lambda _name: leaves.doubles[FAR].switch.faults.order(
        "drop_connection", None
    )
    code, output = leaves.run("tenant_move", **goal)
    assert code in (2, 4), output
    sentence(output)
    assert FAR in output
    assert leaves.vrf_of(NODE) <= {"t21-acme", "t1-quarantine"}
    assert not (leaves.folder / f"wiped-{NODE}").exists(), "a node that may be reached was wiped"
    leaves.after_apply = lambda _name: None
    leaves.doubles[FAR].control.clear_faults()
    code, output = leaves.run("tenant_move", **goal)
    assert code == 0, output
    assert leaves.vrf_of(NODE) == {"t22-globex"}
