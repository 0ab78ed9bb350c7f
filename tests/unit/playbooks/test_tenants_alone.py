# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A tenant's playbook touches the tenant it names, and no node goes from customer to customer unwiped.

Real ansible-playbook processes over doubles of the lab's leaves.
"""

from __future__ import annotations

import json
import re

import pytest
from leaves import ACME, GLOBEX, NODE, nothing_done

pytestmark = pytest.mark.slow

OTHER, IDLE = "worker-su01-rack01-h02", "worker-su01-rack02-h03"
MOVE = {"spx_tenant": "globex", "spx_nodes": NODE, "spx_registry_write": "true", "spx_wait": 5}


def documents(lab):
    """What each leaf has applied, as text."""
    return {name: json.dumps(double.applied) for name, double in lab.doubles.items()}


@pytest.mark.parametrize(
    "lab", ["rest: [{nodes: [su02/h03], acceptance: burn-in}]\n"], indirect=True
)
def test_an_onboarding_names_who_waits_and_leaves_them(lab):
    """The registry has two new tenants and a new node in rest; one tenant is onboarded."""
    lab.registry.write_text(
        "tenants:\n" + ACME + GLOBEX + "rest: [{nodes: ['*/h03'], acceptance: burn-in}]\n"
    )
    code, output = lab.run("tenant_onboard", spx_tenant="acme", spx_wait=5)
    assert code == 0, output
    assert lab.vrf_of(NODE) == {"t21-acme"}
    assert lab.vrf_of(OTHER) == {"t1-quarantine"}
    assert lab.vrf_of(IDLE) == {"t1-quarantine"}
    assert not any("t22-globex" in text for text in documents(lab).values())
    assert f"waiting: {OTHER}" in output
    assert "run tenant_onboard -e spx_tenant=globex for them, or switches" in output
    assert f"waiting: {IDLE}" in output
    nothing_done(lab, "tenant_onboard", spx_tenant="acme")


@pytest.mark.parametrize("lab", ["tenants:\n" + ACME + GLOBEX], indirect=True)
def test_no_node_goes_to_another_customer_without_a_wipe(lab):
    """Refused before a leaf or the registry is written, in one sentence."""
    lab.committing()
    (lab.folder / "hooks" / "wipe.yml").unlink()
    before, registry = documents(lab), lab.registry.read_text()
    code, output = lab.run("tenant_move", **MOVE)
    assert code == 2, output
    said = re.sub(r"\s+", " ", output)
    assert f"{NODE} (acme)" in said
    assert "hooks/wipe.yml" in said
    assert "Finalization of task args" not in output
    assert documents(lab) == before
    assert lab.registry.read_text() == registry
