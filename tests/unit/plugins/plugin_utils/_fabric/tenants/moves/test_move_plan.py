# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a move: what forbids it, who watches, and what is remembered of the node."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import schema
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    move_plan,
)

from ..tenants import NODE, TENANTS, WIPED, WIPES


@pytest.mark.parametrize(
    "quota, begun, part",
    [
        (
            "quotas: {nodes: 1}",
            "",
            "tenants[1].quotas.nodes: globex has 2 nodes and its quota is 1",
        ),
        ("quotas: {gpus: 2}", "", "tenants[1].quotas.gpus: globex has 4 gpus and its quota is 2"),
        (
            "quotas: {nodes: 2}",
            "moving: {su02/h01: {from: acme, to: globex, step: wipe}}\n",
            "globex has 3 nodes and its quota is 2",
        ),
        ("quotas: {nodes: 2}", "", None),
    ],
)
def test_a_move_that_could_not_end_does_not_begin(lab, registry, quota, begun, part):
    """The end is judged before the drain, with what else is on its way there."""
    text = TENANTS.replace("slug: globex,", f"slug: globex, {quota},") + begun
    held, node = registry(text), lab.device(NODE)
    if part is None:
        assert move_plan.plan(lab, held, [node], move_plan.Order("globex", applied={}, **WIPES))[
            "nodes"
        ]
        return
    with pytest.raises(FabricError) as caught:
        move_plan.plan(lab, held, [node], move_plan.Order("globex", applied={}, **WIPES))
    (said,) = caught.value.sentences
    assert part in said
    assert move_plan.plan(lab, held, [node], move_plan.Order("quarantine", applied={}))["nodes"]


def test_nor_one_whose_leaves_would_be_full(lab, registry):
    """As many VRFs as there is room for, and a node that would bring one more."""
    held = registry("vrfs_per_leaf: 2\n" + TENANTS)
    moved = lab.device("worker-su01-rack02-h03")
    with pytest.raises(FabricError, match="pod01/su01 would hold 3 VRFs with an L3VNI, and 2"):
        move_plan.plan(lab, held, [moved], move_plan.Order("globex", applied={}, **WIPES))
    assert move_plan.plan(lab, held, [moved], move_plan.Order("acme", applied={}, **WIPES))["nodes"]


def test_storage_hooks_get_every_network_of_the_tenant(lab, registry):
    """Check the sets: the old tenant's leaves, the new one's comes."""
    held = registry(TENANTS)
    node = lab.device("worker-su01-rack01-h01")
    plan = move_plan.plan(lab, held, [node], move_plan.Order("globex", applied={}, **WIPES))
    row = plan["nodes"][NODE]
    networks = [{part["network"] for part in row[f"{side}_prefixes"]} for side in ("old", "new")]
    assert networks == [{"east-west", "storage"}, {"east-west"}]


@pytest.mark.parametrize(
    ("to", "acceptance", "nodes", "leaves"),
    [
        ("rest", "burn-in", ["su02/h03"], 4),
        ("rest", "other", ["su02/h03"], 2),
        ("rest", None, ["su02/h03"], 0),
        ("globex", None, ["su01/h02"], 2),
    ],
)
def test_the_leaves_of_an_acceptance_group_change_with_it(ask, to, acceptance, nodes, leaves):
    """Whoever is in it already must be let through to the newcomer, and not to who has left."""
    plan = ask("move", tenant=to, nodes=nodes, acceptance=acceptance)
    (row,) = plan["nodes"].values()
    assert len(row["group_leaves"]) == leaves
    assert {*row["group_leaves"]} <= {*plan["watched"]}
    assert "leaf-p1-su001-r1" in row["group_leaves"] or acceptance != "burn-in"


@pytest.mark.parametrize(
    ("to", "hooks", "known"),
    [
        ("rest", ["wipe", "firmware", "acceptance"], ["firmware", "acceptance"]),
        ("rest", ["wipe", "acceptance", "drain"], ["acceptance"]),
        ("rest", ["wipe"], []),
        ("quarantine", ["wipe", "acceptance"], []),
    ],
)
def test_only_a_hook_that_is_there_has_passed(ask, to, hooks, known):
    """Check that the record of a node distinguishes it from one that nobody has written."""
    health = ask("move", tenant=to, nodes=[NODE], hooks=hooks)["nodes"][NODE]["health"]
    assert health["passed"] == known
    absent = [hook for hook in ("firmware", "acceptance") if hook not in hooks]
    assert health.get("no_hook", []) == (absent if to == "rest" else [])
    assert health["had"] == "acme"
    assert ("clean" in health) == (to == "rest")
    assert ask("move", tenant="globex", nodes=[NODE])["nodes"][NODE]["health"] == {}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (None, "in acceptance group burn-in: the hook acceptance is not run. To have it tested"),
        (
            "burn-in",
            "in acceptance group burn-in: the hook acceptance is not run. To have it tested",
        ),
        ("other", "in acceptance group burn-in, and does not go to other: name that group under"),
    ],
)
def test_a_node_in_rest_is_not_tested_by_saying_so_again(ask, asked, said):
    """A move that does nothing says what it does not do."""
    port = {"vrf": "t2-rest", "link": {"state": {"up": {}}}}
    applied = {f"leaf-p1-su001-r{n}": {"interface": {"swp1s1": port}} for n in (1, 2)}
    node = "worker-su01-rack01-h02"
    plan = ask("move", tenant="rest", nodes=[node], applied=applied, acceptance=asked)
    assert (plan["there"], plan["nodes"]) == ([node], {})
    assert plan["lines"][0].startswith(f"{node} is in rest already, {said}")


def test_what_a_node_passed_outlives_a_killed_run(ask, lab, registry):
    """The record of each step says what was passed before; a step that comes again takes it back."""
    asked = {"tenant": "rest", "nodes": [NODE], "hooks": ["wipe"]}
    records = ask("move", **asked)["nodes"][NODE]["records"]
    assert "clean" not in records["wipe"]
    assert (records["rest"]["clean"]["by"], records["rest"]["no_hook"]) == ("hook", ["firmware"])
    node, later = lab.device(NODE), {"hooks": ["acceptance"], "applied": {}}
    held = registry(TENANTS).with_moves(
        {node: schema.MovingRecord.model_validate(records["accept"])}
    )
    row = move_plan.plan(lab, held, [node], move_plan.Order("rest", **later))["nodes"][NODE]
    clean = records["rest"]["clean"]
    accepted = {"on": "1970-01-01", "by": "hook", "run": "unnamed"}
    known = {"had": "acme", "clean": clean, "accepted": accepted}
    assert row["health"] == {**known, "passed": ["acceptance"], "no_hook": ["firmware"]}
    joined = registry(TENANTS).with_moves(
        {node: schema.MovingRecord.model_validate({**records["accept"], "accepted": accepted})}
    )
    row = move_plan.plan(lab, joined, [node], move_plan.Order("rest", **later))["nodes"][NODE]
    assert "accepted" not in row["back"]
    assert row["back"] == {"from": "acme", "to": "rest", "step": "open"}
    again = {**records["accept"], "step": "wipe"}
    held = registry(TENANTS).with_moves({node: schema.MovingRecord.model_validate(again)})
    with pytest.raises(FabricError, match="would go to rest without a wipe"):
        move_plan.plan(lab, held, [node], move_plan.Order("rest", **later))


def test_a_record_of_a_run_at_work_is_refused_in_the_plan(lab, registry):
    """Also for runs that have no leave to write the registry, and for check mode."""
    text = f"moving: {{{NODE}: {{from: acme, to: globex, step: drain, run: bastion/7/0a1b2c3d}}}}\n"
    held, node, asked = registry(TENANTS + text), lab.device(NODE), []

    def at_work(run):
        asked.append(run)
        return True

    with pytest.raises(FabricError, match=r"the run bastion/7/0a1b2c3d .* still works on its move"):
        move_plan.plan(lab, held, [node], move_plan.Order("globex", {}, at_work=at_work, **WIPES))
    assert asked == ["bastion/7/0a1b2c3d"]
    plan = move_plan.plan(lab, held, [node], move_plan.Order("globex", {}, written=True, **WIPES))
    assert (plan["runs"], plan["ended"]) == ({NODE: "bastion/7/0a1b2c3d"}, {NODE: "release"})
    assert "run" not in plan["nodes"][NODE]["record"]
    assert move_plan.plan(lab, held, [node], move_plan.Order("globex", {}, **WIPES))["ended"] == {
        NODE: "drain"
    }


@pytest.mark.parametrize(
    "record", ["", "moving: {su01/h03: {from: quarantine, to: globex, step: open}}\n"]
)
def test_a_third_tenants_port_is_not_taken_along(lab, registry, record):
    """Whoever is at work there is on no leaf drained, nor watched; with a record and without one."""
    third = "  - {id: 23, slug: initech, nodes: [su02/h03]}\n"
    held = registry(TENANTS.replace("rest:", f"{third}rest:") + record)
    first = "t1-quarantine" if record else "t21-acme"
    vrfs = {"leaf-p1-su001-r1": first, "leaf-p1-su001-r2": "t23-initech"}
    applied = {leaf: {"interface": {"swp2s0": {"vrf": vrf}}} for leaf, vrf in vrfs.items()}
    node, order = lab.device("worker-su01-rack02-h03"), move_plan.Order("globex", applied, **WIPES)
    with pytest.raises(FabricError, match="leaf-p1-su001-r2 is in t23-initech, which is initech's"):
        move_plan.plan(lab, held, [node], order)


CLAIM = "moving: {%s: {from: %s, to: globex, step: join%s}}\n"


def test_a_record_that_claims_a_step_behind_the_wipe_must_say_so(lab, registry):
    """Only a move from rest has none."""
    order, idle = move_plan.Order("globex", {}), "worker-su01-rack01-h02"
    with pytest.raises(FabricError, match="record says step join, and no wipe, which comes before"):
        move_plan.plan(
            lab, registry(TENANTS + CLAIM % (NODE, "acme", "")), [lab.device(NODE)], order
        )
    for name, from_, said in ((NODE, "acme", f", {WIPED}"), (idle, "rest", "")):
        held = registry(TENANTS + CLAIM % (name, from_, said))
        row = move_plan.plan(lab, held, [lab.device(name)], order)["nodes"][name]
        assert row["steps"][0] == "join"
