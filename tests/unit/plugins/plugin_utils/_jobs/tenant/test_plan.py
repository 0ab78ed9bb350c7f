# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A job is planned for a tenant and all of its leaves, or refused; nothing is changed."""

from __future__ import annotations

import json

import pytest
import yaml

PLAN = "spectrum_x.fabric.tenant"


def task(job, **options):
    """A task that plans a job."""
    return {PLAN: {"do": "plan", "job": job, **options}}


def test_what_cannot_be_planned_is_one_sentence(results):
    nothing, unknown, nobody, nodes = results(
        {PLAN: {"do": "plan"}},
        task("onboard", slug="nobody"),
        task("onboard"),
        task("move", slug="acme", nodes=["su09/h01"]),
    )
    assert all(found["failed"] for found in (nothing, unknown, nobody, nodes))
    assert nothing["msg"].endswith("do is plan but all of the following are missing: job")
    assert "nobody" in unknown["msg"]
    assert nobody["msg"] == ("variable spx_tenant: this playbook needs it: add -e spx_tenant=...")
    assert nodes["msg"].startswith("spx_nodes: ")


def test_a_leaf_that_the_inventory_lacks_is_named(results):
    (found,) = results(task("onboard", slug="acme"))
    assert found["failed"]
    assert found["msg"].startswith("inventory: leaf-p1-su001-r1 is not in it")


def test_what_the_house_has_is_told_and_kept_where_a_report_is_asked_for(project, results):
    report = {"spx_report": str(project / "kept")}
    (plain,) = results(task("rest_health"))
    assert any(line.startswith("quarantine: ") for line in plain["lines"])
    assert not (project / "kept").exists()
    _begun, found = results({"keep": {"variables": report}}, task("rest_health"))
    assert found["changed"] is False
    kept = json.loads((project / "kept" / "rest_health.json").read_text())
    assert (kept["lines"], kept["fabric"]) == (found["lines"], "lab")


@pytest.mark.parametrize("job", ["onboard", "offboard"])
def test_a_tenant_without_nodes_is_planned_where_manage_lists_no_tenants(project, results, job):
    """Nobody moves, so that the plan has no steps of a move."""
    path = project / "model" / "fabric.yml"
    described = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**described, "manage": ["switch_base"]}))
    registry = "tenants: [{id: 21, slug: acme, nodes: []}]\nretired: [{id: 22, slug: globex}]\n"
    (project / "model" / "tenants.yml").write_text(registry)
    slug = {"onboard": "acme", "offboard": "globex"}[job]
    (found,) = results(task(job, slug=slug))
    assert not found.get("failed"), found
    assert found["only_planned"] is False
    assert "manage of the description does not list switch_tenants" in found["lines"][-1]


def test_a_site_that_has_a_level_and_a_hook_of_acceptance_is_refused(project, results):
    path = project / "model" / "fabric.yml"
    path.write_text(path.read_text() + "acceptance_level: pairs\n")
    hook = project / "hooks" / "acceptance.yml"
    hook.parent.mkdir()
    hook.write_text("- name: Test the node\n  ansible.builtin.command: test-node\n")
    move = task("move", slug="rest", nodes=["su01/h03"])
    _begun, found = results({"keep": {"fabric": {"hooks": [str(hook.parent)]}}}, move)
    assert "the description says pairs, and the site has the hook" in found["msg"]


def test_a_hook_that_sets_a_fact_is_refused_with_the_line_to_write(project, results):
    hooks = project / "hooks"
    hooks.mkdir()
    facts = {"wipe": "node_wiped", "registry_commit": "registry_committed"}
    for name, fact in facts.items():
        text = f"- name: Report\n  ansible.builtin.set_fact: {{{fact}: true}}\n"
        (hooks / f"{name}.yml").write_text(text)
    move = task("move", slug="rest", nodes=["su01/h03"])
    _begun, found = results({"keep": {"fabric": {"hooks": [str(hooks)]}}}, move)
    assert found["msg"].splitlines() == [
        f"{hooks}/wipe.yml: node_wiped: a fact is not evidence: write spectrum_x.fabric.tenant: {{do: confirm, "
        "what: wiped, by: bmc|provisioner|hand} in its place.",
        f"{hooks}/registry_commit.yml: registry_committed: a fact is not evidence: write spectrum_x.fabric.tenant: "
        "{do: confirm, what: committed, by: git|hand} in its place.",
    ]
