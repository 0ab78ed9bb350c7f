# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Guard of a leaf: `switches` never removes a customer's ports or VRFs."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    leaf_guard,
    schema,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import Wish, make
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import (
    Release,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import (
    get,
    merge,
)

from .converged_lab import laboratory
from .tenants import WIPED

LEAF, NAME, FIRST = "leaf-p1-su001-r1", "worker-su01-rack01-h01", Node(0, 0, 0)
ACME = "tenants: [{id: 21, slug: acme, nodes: [su01/h01]}]\n"


@pytest.fixture
def run(lab, registry):
    """Return a function: what becomes of a leaf that holds `before` when `after` is wished."""

    def _run(before: str | dict, after: str, *, leaving=(), ending=()):
        found = before if isinstance(before, dict) else rendered(before)
        wished = registry(after)
        ctx = compose.context(lab, LEAF, tenants=wished)
        wish = Wish(
            compose.render(ctx, ["tenants"]),
            state="replaced",
            owns=tuple(compose.owns(ctx, ["tenants"])),
            guard=leaf_guard.Guard(lab, wished, ctx.device, leaving, ending),
        )
        return make(found, wish, Release(5, 16, 1))

    def rendered(text):
        return compose.document(lab, LEAF, ["tenants"], tenants=registry(text))

    _run.rendered = rendered
    return _run


def test_a_customer_is_not_evicted(run):
    """The registry lost the tenant: its port and VRF stay, and one sentence says so."""
    plan = run(ACME, "tenants: []")
    assert not plan.changes
    assert plan.held.drift == (
        f"tenant drift: port swp1s0 of {LEAF} ({NAME}) is in t21-acme, registry says quarantine "
        "(t1-quarantine): run tenant_move, or correct the registry.",
    )


@pytest.mark.parametrize(
    "after",
    [
        "tenants: []",
        ACME,
        ACME.replace("slug: acme", "slug: acme, vrf: CUST-B"),
        "tenants: [{id: 22, slug: globex, nodes: [su01/h01]}]",
    ],
)
def test_a_vrf_that_the_registry_does_not_list_may_be_a_customers(run, after):
    """Its row is missing, or the key is lost or wrong: its port stays, and that is said."""
    before = run.rendered(ACME.replace("slug: acme", "slug: acme, vrf: CUST-A"))
    plan = run(before, after)
    assert plan.after["interface"]["swp1s0"] == before["interface"]["swp1s0"]
    assert plan.after["vrf"]["CUST-A"] == before["vrf"]["CUST-A"]
    (said,) = plan.held.drift
    assert f"port swp1s0 of {LEAF} ({NAME}) is in CUST-A, registry says" in said


@pytest.mark.parametrize("vrf", [None, "default", "t1-quarantine", "t2-rest"])
def test_nobody_is_evicted_from_a_vrf_that_yields(run, vrf):
    """A port without a VRF, in the switch's own, or of the house."""
    before = run.rendered("tenants: []")
    port = {key: value for key, value in before["interface"]["swp1s0"].items() if key != "vrf"}
    before["interface"]["swp1s0"] = port | ({"vrf": vrf} if vrf else {})
    plan = run(before, ACME)
    assert get(plan.after, ("interface", "swp1s0", "vrf")) == "t21-acme"
    assert plan.held.drift == ()


RETIRED = "retired: [{id: 21, slug: acme}]\n"
HAD = "health: {worker-su01-rack01-h01: {had: acme}}\n"


@pytest.mark.parametrize("after", ["tenants: []\n", ACME.replace("21, slug: acme", "22, slug: b")])
def test_a_retired_row_alone_takes_no_port(run, after):
    """Written by hand it names no node: who takes the port out forgets that it has to be wiped."""
    plan = run(ACME, after + RETIRED)
    assert get(plan.after, ("interface", "swp1s0", "vrf")) == "t21-acme"
    (said,) = plan.held.drift
    assert "is in t21-acme, whose tenant has left" in said
    assert "add worker-su01-rack01-h01: {had: SLUG} under health" in said
    clean = HAD.replace("had: acme", f"had: acme, {WIPED}")
    assert run(ACME, after + RETIRED + clean).held.drift == plan.held.drift
    plan = run(ACME, after + RETIRED + HAD)
    assert get(plan.after, ("interface", "swp1s0", "vrf")) == "t1-quarantine"


def test_what_a_retired_tenant_left_goes(run):
    """It has left, and its node is recorded as not wiped: the port goes back, and the VRF with it."""
    plan = run(ACME, "tenants: []\n" + RETIRED + HAD)
    assert plan.held.drift == ()
    assert get(plan.after, ("interface", "swp1s0", "vrf")) == "t1-quarantine"
    assert get(plan.after, ("vrf", "t21-acme")) is None


def test_a_move_without_its_record_is_not_undone(run):
    """Shut in quarantine while the registry lists it: a fleet run does not open it in the tenant's VRF."""
    moving = ACME + "moving: {su01/h01: {from: acme, to: quarantine, step: quarantine}}"
    plan = run(moving, ACME)
    assert get(plan.after, ("interface", "swp1s0", "vrf")) == "t1-quarantine"
    assert get(plan.after, ("interface", "swp1s0", "link", "state")) == {"down": {}}
    assert "is shut, as in the middle of a move" in plan.held.drift[0]
    assert run(moving, "tenants: []").held.drift == ()


def test_nor_taken_by_another(run):
    """The registry gives the node to another tenant: only tenant_move carries that out."""
    plan = run(ACME, "tenants: [{id: 22, slug: globex, nodes: [su01/h01]}]")
    assert get(plan.after, ("interface", "swp1s0", "vrf")) == "t21-acme"
    assert "t21-acme" in plan.after["vrf"]
    assert len(plan.held.drift) == 1


def test_the_named_node_leaves(run):
    """A tenant playbook for the node may take it out, and end the VRF."""
    plan = run(ACME, "tenants: []", leaving=[Node(0, 0, 0)], ending=["t21-acme"])
    assert get(plan.after, ("interface", "swp1s0", "vrf")) == "t1-quarantine"
    assert list(plan.after["vrf"]) == ["t1-quarantine"]
    assert plan.held.drift == ()


def test_a_vrf_without_ports_stays(run):
    """A customer's VRF that the registry does not have here is reported, not deleted."""
    before = run.rendered("tenants: []")
    before = merge(before, {"vrf": {"t30-old": {"table": "auto"}, "mine": {"table": "auto"}}})
    plan = run(before, "tenants: []")
    assert not plan.changes
    assert len(plan.held.drift) == 1
    assert "has the VRF t30-old" in plan.held.drift[0]


def test_out_of_quarantine_is_free(run):
    """A node goes from quarantine to its tenant in any run: nobody is evicted."""
    plan = run("tenants: []", ACME)
    assert get(plan.after, ("interface", "swp1s0", "vrf")) == "t21-acme"
    assert plan.held.drift == plan.held.notes == ()


@pytest.mark.parametrize(
    "listed, drift", [(ACME, 1), ("rest: [{nodes: [su01/h01]}]\n", 1), ("tenants: []\n", 0)]
)
@pytest.mark.parametrize("fresh", [True, False])
def test_a_node_that_is_not_wiped_stays_in_quarantine(run, listed, drift, fresh):
    """It left a tenant: an edit of the registry brings it nowhere, nor does a new leaf."""
    unwiped = "health: {worker-su01-rack01-h01: {passed: []}}\n"
    plan = run({} if fresh else "tenants: []", listed + unwiped)
    assert get(plan.after, ("interface", "swp1s0", "vrf")) == "t1-quarantine"
    again = run(plan.after, listed + unwiped)
    assert not again.changes
    assert len(again.held.drift) == drift
    assert all("has not been wiped since: run tenant_move -e spx_" in s for s in again.held.drift)
    wiped = unwiped.replace("passed: []", WIPED)
    assert run(plan.after, listed + wiped).held.drift == ()
    moving = f"moving: {{su01/h01: {{from: quarantine, to: acme, step: join, {WIPED}}}}}\n"
    if listed == ACME:
        joined = run({}, listed + unwiped + moving)
        assert get(joined.after, ("interface", "swp1s0", "vrf")) == "t21-acme"


@pytest.mark.parametrize("applied", ["shut", "quarantine", "open", "rest"])
@pytest.mark.parametrize("recorded", ["drain", "withdraw", "join"])
def test_a_move_is_neither_advanced_nor_undone(run, applied, recorded):
    """Whatever step the record says, a fleet run leaves the moving ports as they are."""
    record = "moving: {{su01/h01: {{from: acme, to: rest, step: {}}}}}"
    before = run.rendered(ACME + record.format(applied))
    plan = run(before, ACME + record.format(recorded))
    for key in ("interface", "acl"):
        ours = {name: body for name, body in before[key].items() if name.endswith("swp1s0")}
        assert {name: plan.after[key].get(name) for name in ours} == ours
    assert plan.held.drift == ()
    assert "step" in plan.held.notes[0]


def test_a_fresh_switch_gets_the_move_as_recorded(run):
    """A replaced switch holds nothing to keep: it is rendered as the record says."""
    record = "moving: {su01/h01: {from: acme, to: rest, step: withdraw}}"
    plan = run({}, ACME + record)
    assert get(plan.after, ("interface", "swp1s0", "vrf")) == "t1-quarantine"
    assert get(plan.after, ("interface", "swp1s0", "link", "state")) == {"down": {}}


LEAKING = """leaking: true
tenants:
  - {id: 21, slug: acme, nodes: [su01/h01], shared: [storage]}
services: [{id: 4, slug: storage, nodes: [%s]}]
"""


@pytest.mark.parametrize(
    "before, after, shared",
    [
        (ACME, ACME.replace("acme", "newco").replace("h01", "h02"), "vni 4000021 in t21-newco"),
        (ACME, ACME.replace("acme", "acme2"), "vni 4000021 in t21-acme2"),
        (ACME, ACME.replace("slug: acme", "slug: acme, vrf: GOLD"), "vni 4000021 in GOLD"),
        (ACME, ACME.replace("slug: acme", "slug: acme, vrf: GOLD, l3vni: 7"), "rd 10.134.0.0:21"),
        (
            ACME,
            "tenants: [{id: 22, slug: globex, nodes: [su01/h02], route_targets: "
            "{imports: ['64512:4000021', '1:1'], exports: ['1:1']}}]",
            "route-target 64512:4000021 in t22-globex",
        ),
        (ACME, ACME.replace("acme", "newco").replace("21", "23"), ""),
        (LEAKING % "su01/h02", LEAKING % "su02/h02", ""),
    ],
)
def test_no_two_vrfs_of_a_leaf_have_one_number(run, before, after, shared):
    """Check that places which stay on the leaf keep their numbers alone, whatever the registry has forgotten."""
    plan = run(before, after)
    assert bool(plan.forbidden) == bool(shared)
    for said in plan.forbidden:
        assert f"{LEAF} would have {shared}" in said
        assert "and in t21-acme, which mixes the two" in said
    assert len(plan.forbidden) <= 1


def test_deletions_are_batched(run):
    """No apply deletes more VRFs than the releases bear; the next run deletes the others."""
    before = run.rendered("tenants: []")
    many = {f"t{1000 + n}-x": {"table": "auto"} for n in range(700)}
    plan = run(merge(before, {"vrf": many}), "tenants: []", ending=list(many))
    assert len(plan.after["vrf"]) == 1 + 200
    again = run(plan.after, "tenants: []", ending=list(many))
    assert list(again.after["vrf"]) == ["t1-quarantine"]


@pytest.mark.parametrize(
    "has, wished, refused",
    [
        ("t1-quarantine", "t22-globex", False),
        ("t23-initech", "t22-globex", True),
        ("t23-initech", "t23-initech", False),
        (None, "t22-globex", False),
    ],
)
def test_a_port_is_moved_out_of_the_named_vrfs_alone(lab, registry, has, wished, refused):
    """Another run was quicker: the port is in none of the VRFs where this run has put it."""
    node, leaf = Node(0, 0, 0), lab.device(LEAF)
    held = leaf_guard.Guard(
        lab, registry(ACME), leaf, [node], nodes=[node], only={node: ["t1-quarantine"]}
    )
    before = {"interface": {"swp1s0": {"vrf": has} if has else {}}}
    after = {"interface": {"swp1s0": {"vrf": wished}}}
    assert bool(held.forbid(before, after)) is refused
    assert all("another run moves the node too" in said for said in held.forbid(before, after))


def test_what_another_node_uses_is_not_deleted(lab, registry):
    """The run owns the places of one node; the VRF and the list that it would delete serve another port too."""
    node, leaf = Node(0, 0, 0), lab.device(LEAF)
    owns = ["vrf/t21-acme", "acl/spx-tenant-rest-g1"]
    held = leaf_guard.Guard(lab, registry(ACME), leaf, [node], nodes=[node], owns=owns)
    others = {"swp1s1": {"vrf": "t21-acme", "acl": {"spx-tenant-rest-g1": {}, "foreign": {}}}}
    before = {"interface": others, "vrf": {"t21-acme": {}}}
    assert held.hold(before, {}).keep == tuple(owns)
    before["interface"] = {"swp1s0": others["swp1s1"]}
    assert held.hold(before, {}).keep == ()


# The other networks

FRONT = "front-end-leaf-001-1"
TEXT = """\
tenants:
  - {id: 21, slug: acme, nodes: [su01/h01], networks: [east-west, front-end]}
  - {id: 22, slug: globex, nodes: [su01/h02], networks: [east-west, front-end]}
"""


@pytest.fixture
def leaf(registry):
    """Return (registry, guard, document): acme has the first node, as the leaf has it too."""
    fabric = laboratory()

    def _leaf(*, moving=None, **more):
        found = registry(TEXT, fabric)
        document = compose.document(fabric, FRONT, ["tenants"], tenants=found)
        if moving:
            found = found.with_moves({FIRST: schema.MovingRecord.model_validate(moving)})
        return found, leaf_guard.Guard(fabric, found, fabric.known(FRONT), **more), document

    return _leaf


def into(document, vlan):
    """The document with the first node's bond in another VLAN."""
    document["interface"]["bond1"]["bridge"]["domain"]["br_default"]["access"] = vlan
    return document


def test_what_is_in_its_place_is_not_held(leaf):
    _registry, guard, document = leaf()
    assert guard.hold(document, document).keep == ()
    assert guard.hold({}, document).drift == ()


def test_a_port_with_another_customer_stays_there(leaf):
    """With its VLAN and its VRF: somebody may be at work."""
    _registry, guard, document = leaf()
    held = guard.hold(into(document, 22), document)
    assert held.drift == (
        f"tenant drift: port bond1 of {FRONT} ({NAME}) is in t22-globex, registry says acme (t21-acme): run "
        "tenant_move, or correct the registry.",
    )
    assert {"interface/bond1/bridge", "interface/swp1s0/link/state", "vrf/t22-globex"} <= {
        *held.keep
    }
    assert {"interface/vlan22", "bridge/domain/br_default/vlan/22"} <= {*held.keep}


@pytest.mark.parametrize("vlan, held", [(11, False), (12, False), (77, True)])
def test_only_the_house_yields(leaf, vlan, held):
    _registry, guard, document = leaf()
    assert bool(guard.hold(into(document, vlan), document).drift) is held


def test_a_shut_port_of_a_tenant_is_not_opened_by_a_fleet_run(leaf):
    """A run of another registry may have shut it; the tenant's own job opens it."""
    _registry, guard, document = leaf()
    document["interface"]["swp1s0"]["link"]["state"] = {"down": {}}
    assert guard.hold(document, document).drift == (
        f"tenant drift: port bond1 of {FRONT} ({NAME}) is shut, as in the middle of a move whose record is not in the "
        "registry, which says acme: run tenant_onboard -e spx_tenant=acme.",
    )
    _registry, guard, _document = leaf(nodes=[FIRST])
    assert guard.hold(document, document).drift == ()


def test_a_moving_node_stays_as_it_is_but_for_its_own_run(leaf):
    moving = {"from": "acme", "to": "globex", "step": "join"}
    _registry, guard, document = leaf(moving=moving)
    (note,) = guard.hold(document, document).notes
    assert "stays as it is until tenant_move continues" in note
    _registry, guard, _document = leaf(moving=moving, nodes=[FIRST], leaving=[FIRST])
    assert guard.hold(document, document).keep == ()


def test_a_port_that_another_run_has_moved_is_not_taken(leaf):
    moving = {"from": "acme", "to": "quarantine", "step": "shut"}
    only = {FIRST: ["t21-acme", "t1-quarantine"]}
    _registry, guard, document = leaf(moving=moving, nodes=[FIRST], leaving=[FIRST], only=only)
    assert guard.forbid(document, document) == ()
    (said,) = guard.forbid(into(copy.deepcopy(document), 22), document)
    assert said.startswith(
        f"{NAME} is moving: port bond1 of {FRONT} is in t22-globex, where this run"
    )


def test_the_vrf_of_a_port_that_a_job_does_not_name_stays(leaf):
    """Check a place that the job would delete: changes there are not held."""
    _registry, guard, document = leaf(nodes=[FIRST], owns=["vrf/*"])
    wish = {**document, "vrf": {"t21-acme": document["vrf"]["t21-acme"]}}
    assert {*guard.hold(document, wish).keep} == {"vrf/t1-quarantine", "vrf/t22-globex"}


def test_a_vrf_that_nobody_knows_stays(leaf):
    _registry, guard, document = leaf()
    held = guard.hold(
        {**document, "vrf": {**document["vrf"], "s77-hooli": {}, "mgmt": {}}}, document
    )
    assert held.keep == ("vrf/s77-hooli",)
    assert "has the VRF s77-hooli, whose tenant the registry does not list" in held.drift[0]


def test_a_vrf_of_a_former_tenant_goes(leaf, registry):
    _registry, guard, document = leaf()
    left = registry(TEXT + "retired: [{id: 77, slug: hooli}]\n", guard.fabric)
    before = {**document, "vrf": {**document["vrf"], "s77-hooli": {}, "t77-hooli": {}}}
    held = leaf_guard.Guard(guard.fabric, left, guard.leaf).hold(before, document)
    assert (held.keep, held.drift) == ((), ())


def test_a_core_says_each_port_once(registry):
    """A core has the front end and the storage of a node: each port is looked at by itself."""
    fabric = laboratory(core=True)
    text = TEXT.replace("front-end]", "front-end, storage]")
    found, leaf = registry(text, fabric), fabric.known("converged-core-1")
    document = compose.document(fabric, "converged-core-1", ["tenants"], tenants=found)
    document["interface"]["swp3s0"]["link"]["state"] = {"down": {}}
    assert len(leaf_guard.Guard(fabric, found, leaf).hold(document, document).drift) == 1
