# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans of tenant playbooks: onboarding, resizing, offboarding."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    attachments,
    schema,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    jobs,
    move_plan,
)

from ..tenants import NODE, TENANTS, WIPED, WIPES

UNWIPED = "health: {worker-su01-rack02-h03: {since: '2026-11-22', had: acme, passed: []}}\n"


def names(fabric, nodes):
    """The names of some nodes."""
    return [fabric.name(node) for node in nodes]


def test_onboarding_touches_the_tenants_leaves(ask):
    """Leaves of its nodes and no others; what is not realised is said."""
    plan = ask("onboard", tenant="globex")
    assert plan.leaves == ["leaf-p1-su002-r1", "leaf-p1-su002-r2"]
    assert plan.lines[0].startswith("onboard globex (id 22): 1 node into t22-globex")
    assert any("not imported: storage" in line for line in ask("onboard", tenant="acme").lines)


def test_onboarding_with_nodes(ask, lab):
    """Nodes from quarantine and rest may come along; another tenant's may not."""
    plan = ask("onboard", tenant="globex", nodes=["su01/[02-03]"])
    assert names(lab, plan.add) == ["worker-su01-rack01-h02", "worker-su01-rack02-h03"]
    assert len(plan.leaves) == 4
    with pytest.raises(FabricError, match=r"worker-su01-rack01-h01 is acme's: move it with"):
        ask("onboard", tenant="globex", nodes=["su01/h01"])


@pytest.mark.parametrize(
    "rest, text",
    [
        ("", UNWIPED),
        ("rest: [{nodes: [su01/h03]}]\n", UNWIPED),
        ("", UNWIPED.replace("[]", "[acceptance]")),
    ],
)
def test_a_node_that_is_not_wiped_enters_by_tenant_move_alone(lab, registry, rest, text):
    """Onboarding and resizing run no hook on what enters; a move wipes what was in quarantine."""
    held = registry("tenants: [{id: 22, slug: globex, nodes: [su02/h02]}]\n" + rest + text)
    node, name = lab.device("worker-su01-rack02-h03"), "worker-su01-rack02-h03"
    said = (
        rf"spx_nodes: {name} \(acme\) has not been wiped since its last customer: move it with tenant_move "
        f"-e spx_tenant=globex -e spx_nodes={name}, which wipes it"
    )
    with pytest.raises(FabricError, match=said):
        jobs.onboarding(held, "globex", extra=[node])
    with pytest.raises(FabricError, match=said):
        jobs.resizing(held, "globex", [*held.nodes_of("globex"), node])
    plan = move_plan.plan(lab, held, [node], move_plan.Order("globex", applied={}, **WIPES))
    assert plan["nodes"][name]["steps"][:2] == ["open", "wipe"]
    port = {"vrf": "t2-rest", "link": {"state": {"up": {}}}}
    applied = {"leaf-p1-su001-r1": {"interface": {"swp2s0": port}}}
    said = r"is in t2-rest, and nothing shows that it was wiped since its last customer \(acme\)"
    with pytest.raises(FabricError, match=said):
        move_plan.plan(lab, held, [node], move_plan.Order("globex", applied=applied, **WIPES))
    assert move_plan.plan(lab, held, [node], move_plan.Order("quarantine", applied=applied))[
        "nodes"
    ]


def test_nor_is_it_the_tenants_that_lists_it(lab, registry):
    """A registry edited by hand: the node waits, and every job of its tenant says for what."""
    held = registry("tenants: [{id: 22, slug: globex, nodes: ['su01/[02-03]']}]\n" + UNWIPED)
    assert len(held.nodes_of("globex")) == 1
    with pytest.raises(FabricError, match="has not been wiped since"):
        jobs.onboarding(held, "globex")
    with pytest.raises(FabricError, match="waits in quarantine for its wipe: take it out of"):
        jobs.offboarding(held, "globex")
    begun = held.with_moves(
        {
            lab.device("worker-su01-rack02-h03"): schema.MovingRecord.model_validate(
                {"from": "quarantine", "to": "globex", "step": "wipe"}
            )
        }
    )
    assert jobs.onboarding(begun, "globex").enter == [lab.device("worker-su01-rack01-h02")]


def test_a_node_that_nobody_rented_yet_is_onboarded(lab, registry):
    """The registry lists no customer of it, or records the wipe after the last one; the plan says which."""
    text = "tenants: [{id: 22, slug: globex}]\n"
    reason = "clean: {on: '2026-11-22', by: elsewhere, reason: reinstalled by hand, nic: elsewhere}"
    for known, evidence in (
        ("", "wipe not needed, as the registry lists no customer of it"),
        (UNWIPED.replace("passed: []", WIPED), "wiped on 2026-11-01 by the hook wipe of the run"),
        (UNWIPED.replace("passed: []", reason), "wiped elsewhere by 2026-11-22: reinstalled by"),
    ):
        plan = jobs.onboarding(
            registry(text + known), "globex", extra=[lab.device("worker-su01-rack02-h03")]
        )
        assert names(lab, plan.add) == ["worker-su01-rack02-h03"]
        assert any(f"  su01/h03: {evidence}" in line for line in plan.lines), plan.lines


@pytest.mark.parametrize(
    "slug, part",
    [("acm", "did you mean 'acme'"), ("rest", "is not a tenant, and this playbook works on one")],
)
def test_unknown_tenants(ask, slug, part):
    """A wrong slug is one sentence."""
    with pytest.raises(FabricError, match=part):
        ask("onboard", tenant=slug)


def test_every_bad_node_is_named(ask):
    """All bad texts in one go."""
    with pytest.raises(FabricError) as caught:
        ask("move", tenant="rest", nodes=["su09/h01", "nowhere", "su01/h01"])
    assert len(caught.value.sentences) == 2


def test_resizing(ask, lab):
    """Check the nodes that come and go, and the leaves that are changed."""
    plan = ask("resize", tenant="acme", nodes=["su02/h01", "su01/h03"])
    assert names(lab, plan.add) == ["worker-su01-rack02-h03"]
    assert names(lab, plan.remove) == [NODE]
    assert names(lab, plan.enter) == ["worker-su01-rack02-h03", "worker-su02-rack01-h01"]
    assert len(plan.enters) == len(plan.leaves) == 4


def test_a_resizing_over_the_quota_is_refused_before_anything_is_taken(lab, registry):
    """As it would be at its end, with what is given back counted."""
    held = registry(TENANTS.replace("slug: globex,", "slug: globex, quotas: {nodes: 1},"))
    one, two = lab.device("worker-su01-rack02-h03"), lab.device("worker-su02-rack02-h03")
    assert jobs.resizing(held, "globex", [one]).add == [one]
    with pytest.raises(FabricError, match="globex has 2 nodes and its quota is 1"):
        jobs.resizing(held, "globex", [one, two])


def test_offboarding(ask):
    """All nodes of the tenant; one that has left is nothing to do."""
    assert len(ask("offboard", tenant="acme").remove) == 2
    assert ask("offboard", tenant="initech") is None


@pytest.mark.parametrize(
    "text, part",
    [
        (
            "moving: {su02/h02: {from: globex, to: acme, step: join}}",
            "is moving from globex to acme",
        ),
        (
            "moving: {su01/h01: {from: acme, to: globex, step: shut}}",
            "is moving from acme to globex",
        ),
    ],
)
def test_what_hangs_on_a_tenant_is_said_before_anything_is_taken_from_it(lab, registry, text, part):
    """Offboarding ends with its entry gone, which could not be written else."""
    held = registry(TENANTS + text)
    with pytest.raises(FabricError, match=part):
        jobs.offboarding(held, "acme")


def test_who_shares_with_a_tenant_is_named(lab, registry):
    """As before."""
    held = registry(TENANTS.replace("slug: globex,", "slug: globex, shared: [acme],"))
    with pytest.raises(
        FabricError, match="globex shares with acme: take acme out of its key shared"
    ):
        jobs.offboarding(held, "acme")


def test_a_killed_job_still_has_its_nodes(lab, registry):
    """From quarantine on they are no longer the tenant's, and still the job's."""
    name = "worker-su01-rack01-h01"
    held = registry(TENANTS + "moving: {su01/h01: {from: acme, to: quarantine, step: open}}")
    assert lab.device(name) in jobs.offboarding(held, "acme").remove
    others = list(held.nodes_of("acme"))
    assert jobs.resizing(held, "acme", others).remove == [lab.device(name)]
    with pytest.raises(
        FabricError,
        match=r"is moving from .* to .*: finish that first with tenant_move -e spx_tenant=",
    ):
        jobs.resizing(held, "acme", [*others, lab.device(name)])


def test_leaves_out_of_service_are_not_dialled(load, registry):
    """Nor is a node moved whose ports all rest."""
    rest = {"since": "2026-01-01", "reason": "dead"}
    fabric = load(out_of_service=[{"device": "leaf-p1-su001-r2", **rest}])
    node = fabric.device("worker-su01-rack01-h01")
    held = registry(TENANTS, fabric)
    assert attachments.leaves_of(fabric, [node]) == ["leaf-p1-su001-r1"]
    plan = move_plan.plan(fabric, held, [node], move_plan.Order("globex", applied={}, **WIPES))
    assert "leaf-p1-su001-r2" not in plan["watched"]
    fabric = load(out_of_service=[{"device": "worker-su01-rack01-h01", **rest}])
    with pytest.raises(FabricError, match="has no port in service, so it cannot be moved"):
        move_plan.plan(
            fabric,
            registry(TENANTS, fabric),
            [node],
            move_plan.Order("globex", applied={}, **WIPES),
        )


def test_ports_of_a_node(load):
    """A port for each rail and plane, with its leaf."""
    ports = attachments.of_node(load("b300-4096"), Node(0, 0, 0))
    assert len(ports) == 16
    assert {port.plane for port in ports} == {0, 1}


@pytest.mark.parametrize(("slug", "step"), [("acme", "drain"), ("globex", "join")])
def test_a_node_on_its_way_is_not_among_those_of_a_new_size(lab, registry, slug, step):
    """It would be counted, and handed over, before it is there or although it leaves."""
    name = "worker-su01-rack01-h01"
    clean = ", clean: {on: 2026-11-23, by: bmc, run: a/1/b, nic: read}" if step == "join" else ""
    found = registry(
        f"{TENANTS}moving:\n  {name}: {{from: acme, to: globex, step: {step}{clean}}}\n"
    )
    wanted = found.nodes_of(slug)
    assert lab.device(name) in wanted
    with pytest.raises(FabricError) as caught:
        jobs.resizing(found, slug, wanted)
    assert str(caught.value) == (
        f"spx_nodes: {name} is moving from acme to globex (step {step}): finish that first with tenant_move "
        f"-e spx_tenant=globex -e spx_nodes={name}."
    )
