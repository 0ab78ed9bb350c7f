# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real ansible-playbook processes: a run whose hosts do not answer, and a node that is accepted by a level.

Hosts are closed ports of this machine. What hosts measure is played in tests of the action.
"""

from __future__ import annotations

import json
import re

import pytest

NODE, PARTNER = "worker-su01-rack02-h03", "worker-su02-rack02-h03"
REST = "rest: [{nodes: ['*/[01-03]'], acceptance: burn-in}]\n"

pytestmark = pytest.mark.slow


@pytest.mark.large
@pytest.mark.parametrize("lab", [REST], indirect=True)
def test_a_run_without_an_answer_ends_with_its_reports_and_leaves_the_leaves_as_they_were(lab):
    """Nothing is proven (2), and hosts do not answer (4); the two tenants of level noise came and went."""
    (lab.folder / "ansible.cfg").write_text(
        "[defaults]\ncallbacks_enabled = spectrum_x.fabric.exit_code\n"
    )
    before = {name: json.dumps(double.applied) for name, double in lab.doubles.items()}
    code, output = lab.run("performance", spx_level="noise", spx_report="report")
    assert code == 6, output
    assert "Nothing was measured, so nothing is proven" in output
    assert {name: json.dumps(double.applied) for name, double in lab.doubles.items()} == before
    seen = {vrf for _leaf, document in lab.history for vrf in document["vrf"]}
    assert {"t65535-quiet", "t65534-noisy"} <= seen
    (path,) = (lab.folder / "report" / "performance").glob("*Z.json")
    record = json.loads(path.read_text())
    assert {test["state"] for test in record["tests"]} == {"not_run"}
    assert {path.name for path in path.parent.iterdir()} == {
        f"{path.stem}{ending}" for ending in (".json", ".xml", ".html", "-handover.html")
    }


@pytest.mark.parametrize(
    "lab", ["rest: [{nodes: [su02/h03], acceptance: burn-in}]\n"], indirect=True
)
def test_a_node_that_cannot_be_measured_goes_back_into_quarantine(lab):
    lab.committing()
    described = lab.folder / "model" / "fabric.yml"
    described.write_text(described.read_text() + "acceptance_level: rails\n")
    move = {"spx_tenant": "rest", "spx_nodes": NODE, "spx_acceptance": "burn-in"}
    move["spx_factory"] = "true"  # no host answers: somebody vouches for it
    code, output = lab.run("tenant_move", **move, spx_registry_write="true", spx_wait=5)
    said = re.sub(r"\s+", " ", output)
    assert code == 2, output
    assert "acceptance: level rails of playbook performance, node by node" in said
    assert f"{NODE} did not pass the hook acceptance" in said
    assert f"{NODE} went back into quarantine" in said
    assert lab.vrf_of(NODE) == {"t1-quarantine"}
    folder = lab.folder / "report" / "accepted" / NODE / "performance"
    record = json.loads(next(folder.glob("*Z.json")).read_text())
    assert record["nodes"] == [NODE, PARTNER]
    assert {test["state"] for test in record["tests"]} == {"not_run"}
