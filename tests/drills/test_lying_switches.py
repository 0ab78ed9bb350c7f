# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill: a switch says that a change is applied and has another configuration, or gives the draft of somebody else.

The run fails with a sentence that names the switch, nothing of the other's draft is applied, and nobody goes on as if.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from drills.running import OTHER, Site, busy, changed, eventually, sentence
from unit.playbooks.fleet import SPINE
from unit.playbooks.leaves import ACME, GLOBEX, LEAF, NODE, Lab

THEIRS = {"system": {"message": {"pre-login": "theirs"}}}
BOTH = "tenants:\n" + ACME + GLOBEX
MOVE = {"spx_tenant": "globex", "spx_nodes": NODE, "spx_registry_write": "true", "spx_wait": 5}


def said(output: str) -> str:
    return " ".join(output.split())


def finishes(site: Site) -> None:
    """The next run brings the switch to its plan, and the third has nothing to do."""
    site.heal()
    code, output = site.run("switches", "--limit", SPINE)
    assert code == 0, output
    ntp = site.doubles[SPINE].applied["system"]["ntp"]["server"]
    assert set(ntp) == {OTHER}
    code, output = site.run("switches", "--limit", SPINE)
    assert (code, changed(output)) == (0, 0), output


@pytest.mark.parametrize("shows", ["old", "new"])
@pytest.mark.parametrize("form", ["confirm", "ays"])
@pytest.mark.parametrize(
    "doc", [{}, {"system": {"ntp": {"server": {"192.0.2.99": {}}}}}], ids=["the old one", "another"]
)
def test_it_says_applied_and_reverts(
    site: Site, shows: str, form: str, doc: dict[str, Any]
) -> None:
    """Neither the run nor its report says that the switch has the change."""
    double = site.doubles[SPINE]
    double.control.options(confirm_form=form, applied_during_confirm=shows)
    site.plan(OTHER)
    double.control.fault("applied_and_reverts", doc=doc)
    report = site.folder / f"report-{form}-{shows}-{len(doc)}"
    code, output = site.run("switches", "--limit", SPINE, spx_report=report)
    assert code == 2, output
    sentence(output)
    assert f"{SPINE}" in output
    assert "does not have the planned configuration: system/ntp/server" in said(output), output
    assert changed(output) == 0, output
    found = report / "changes" / f"{SPINE}.json"
    told = json.loads(found.read_text()) if found.exists() else {}
    assert not {"applied", "confirmed"} & {key for key, value in told.items() if value}, told
    double.control.options(applied_during_confirm="old")
    finishes(site)


def test_it_gives_the_draft_of_somebody_else(site: Site) -> None:
    """Their draft stays as it is, and what the switch runs too."""
    double = site.doubles[SPINE]
    site.plan(OTHER)
    name = double.control.draft(THEIRS)
    double.control.fault("foreign_draft")
    code, output = site.run("switches", "--limit", SPINE)
    assert code == 2, output
    sentence(output)
    assert f"the switch gave revision {name} (state pending) as a new draft" in said(output), output
    assert double.control.state()["revisions"][name]["state"] == "pending"
    assert eventually(lambda: not busy(double))
    assert double.applied == site.before[SPINE]
    finishes(site)
    assert double.control.state()["revisions"][name]["state"] == "pending"


GOALS = (("globex", "t21-acme", "t22-globex"), ("acme", "t22-globex", "t21-acme"))
MOST = 10
"""More changes than a move makes on one leaf."""


@pytest.mark.parametrize("leaves", [BOTH], indirect=True)
@pytest.mark.parametrize("lie", ["applied_and_reverts", "foreign_draft"])
def test_a_leaf_lies_at_each_change_of_a_move(leaves: Lab, lie: str) -> None:
    """The step is not done, a node that the old tenant may reach is not wiped, and the next run finishes."""
    leaves.committing()
    double, wiped = leaves.doubles[LEAF], leaves.folder / f"wiped-{NODE}"
    if lie == "foreign_draft":
        double.control.draft(THEIRS)
    for number in range(MOST):
        goal, old, new = GOALS[number % 2]
        wiped.unlink(missing_ok=True)
        lies_after(leaves, lie, number)
        code, output = leaves.run("tenant_move", **{**MOVE, "spx_tenant": goal})
        leaves.after_apply = lambda _name: None
        double.control.clear_faults()
        leaves.documents[LEAF] = double.applied
        if code == 0:
            break
        assert code == 2, output
        sentence(output)
        assert f"{LEAF}: " in output, output
        assert not (wiped.exists() and old in leaves.vrf_of(NODE)), output
        assert "theirs" not in json.dumps(double.applied)
        code, output = leaves.run("tenant_move", **{**MOVE, "spx_tenant": goal})
        assert code == 0, output
        assert leaves.vrf_of(NODE) == {new}
    assert 5 <= number < MOST, (
        "a move changes a leaf more often than that, and less often than the most"
    )


def lies_after(lab: Lab, lie: str, count: int) -> None:
    """Let a leaf lie once, at its change number `count` (from 0) of the next run."""
    seen = [0]

    def applied(name: str) -> None:
        seen[0] += name == LEAF
        if name == LEAF and seen[0] == count:
            lab.doubles[LEAF].switch.faults.order(lie, 1)

    lab.after_apply = applied
    if not count:
        lab.doubles[LEAF].switch.faults.order(lie, 1)
