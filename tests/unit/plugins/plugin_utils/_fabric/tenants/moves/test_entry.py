# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes enter their tenant's VRF: not from another's, nobody else with them, and until their routes are there."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    entry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    Clock,
)

from ..memory import Leaves, Memory, clock
from ..tenants import NODE, TENANTS

LEAF, OTHER = "leaf-p1-su001-r1", "leaf-p1-su002-r1"
FEW = "tenants: [{id: 21, slug: acme, nodes: [su01/h01, su01/h02, su02/h01]}]\n"
BEFORE = FEW.replace("su01/h02, ", "")
NEW = "worker-su01-rack01-h02"


@pytest.fixture
def made(lab, registry):
    """Return a function from a registry's text to its leaves."""

    def _made(text):
        held = registry(text)
        names = [lab.name(switch) for switch in lab.switches() if switch.role == "leaf"]
        documents = {name: compose.document(lab, name, ["tenants"], tenants=held) for name in names}
        return Memory(lab, documents)

    return _made


def port_of(world, node, leaf=LEAF):
    """The port of a node on a leaf."""
    rows = world.fabric.slice(node)["ports"]
    return next(row["peer"]["port"] for row in rows if row["peer"]["device"] == leaf)


def test_a_node_in_another_tenants_vrf_does_not_enter(made, lab, registry):
    world, held = made(TENANTS), registry(TENANTS)
    nodes = [lab.device(NODE)]
    entry.may_enter(held, "acme", nodes, world.documents)
    documents = copy.deepcopy(world.documents)
    documents[LEAF]["interface"][port_of(world, NODE)]["vrf"] = "t22-globex"
    with pytest.raises(FabricError) as caught:
        entry.may_enter(held, "acme", nodes, documents)
    (said,) = caught.value.sentences
    assert said.startswith(f"tenant drift: port {port_of(world, NODE)} of {LEAF} ({NODE}) is in")
    assert said.endswith(f"run tenant_move -e spx_tenant=acme -e spx_nodes={NODE}.")


def test_a_node_of_unknown_customers_does_not_enter_unwiped(made, lab, registry):
    """Check nodes of a fabric that had customers before its registry began: a record has to show the wipe."""
    world, nodes = made(BEFORE), [lab.device(NEW)]
    entry.may_enter(registry(FEW), "acme", nodes, world.documents)
    with pytest.raises(FabricError, match=f"{NEW} would enter acme unwiped"):
        entry.may_enter(registry(FEW + "customers_before: true\n"), "acme", nodes, world.documents)


def test_who_else_waits_is_said_and_how_they_enter(made, lab, registry):
    world, held = made(BEFORE), registry(FEW)
    document = world.documents[LEAF]
    (said,) = entry.waiting(held, [lab.device(NODE)], {LEAF: document})
    assert said == (
        f"waiting: {NEW} of acme on {LEAF}: run tenant_onboard -e spx_tenant=acme for them, or switches."
    )
    assert entry.waiting(held, [lab.device(NEW)], {LEAF: document}) == []
    assert entry.waiting(held, [], {OTHER: world.documents[OTHER]}) == []


def test_nodes_of_the_house_wait_for_switches(made, lab, registry):
    text = FEW.replace("su01/h02, ", "") + "rest: [{nodes: [su01/h02]}]\n"
    (said,) = entry.waiting(registry(text), [], {LEAF: made(BEFORE).documents[LEAF]})
    assert said == f"waiting: {NEW} of rest on {LEAF}: run switches."


def test_a_node_that_moves_does_not_wait(made, lab, registry):
    text = FEW + "moving: {su01/h02: {from: quarantine, to: acme, step: open}}\n"
    document = made(BEFORE).documents[LEAF]
    assert entry.waiting(registry(text), [], {LEAF: document}) == []


def test_rest_may_be_empty_behind_the_last_who_leaves_it(made, lab, registry):
    rested = BEFORE + "rest: [{nodes: [su01/h02]}]\n"
    document, leaf = made(rested).documents[LEAF], lab.device(LEAF)
    assert entry.left(registry(FEW), leaf, [lab.device(NEW)], document) == ["t2-rest"]
    assert entry.left(registry(FEW), leaf, [lab.device(NODE)], document) == []
    more = "rest: [{nodes: [su01/h02, su01/h03]}]\n"
    document = made(BEFORE + more).documents[LEAF]
    stays = registry(FEW + "rest: [{nodes: [su01/h03]}]\n")
    assert entry.left(stays, leaf, [lab.device(NEW)], document) == []


def test_who_enters_and_nobody_else(made, lab, registry):
    text = FEW.replace("su01/h02", "su01/h02, su01/h03")
    world = made(BEFORE)
    entry.enter(registry(text), Leaves(world), [lab.device(NEW)], {LEAF: []})
    vrfs = {
        name: world.documents[LEAF]["interface"][port_of(world, name)].get("vrf")
        for name in (NODE, NEW, "worker-su01-rack02-h03")
    }
    assert [*vrfs.values()] == ["t21-acme", "t21-acme", "t1-quarantine"]


def wait_for(world, registry, time):
    entry.await_routes(registry(FEW), Leaves(world), "acme", [LEAF], time, wait=3)


def test_a_route_that_never_comes_is_named_after_the_wait(made, registry):
    """That of the tenant's node at another leaf, which has lost all of its configuration."""
    world, time = made(FEW), clock()
    wait_for(world, registry, time)
    assert time.now() == 0
    (route,) = world.documents[OTHER]["interface"][port_of(world, "worker-su02-rack01-h01", OTHER)][
        "ipv4"
    ]["address"]
    world.documents[OTHER] = {}
    with pytest.raises(FabricError) as caught:
        wait_for(world, registry, time)
    (said,) = caught.value.sentences
    assert said.startswith(f"{LEAF} lacks ")
    assert route.rpartition(".")[0] in said
    assert "of t21-acme: check whether the hosts' ports are up" in said
    assert 3 <= time.now() < 4


def test_a_route_that_comes_late_is_enough(made, registry):
    world = made(FEW)
    document, time = world.documents.pop(OTHER), clock()

    def sleep(seconds):
        time.sleep(seconds)
        if time.now() >= 2:
            world.documents[OTHER] = document

    wait_for(world, registry, Clock(time.now, sleep))
    assert time.now() == 2


@pytest.mark.parametrize("term", ["enter", "move"])
def test_a_vrf_that_the_registry_does_not_list_stops_who_would_take_a_port_out(ask, term):
    """It may be a customer's, who would neither be drained nor watched."""
    applied = {"leaf-p1-su001-r1": {"interface": {"swp2s0": {"vrf": "CUST-A"}}}}
    asked = {"tenant": "globex", "nodes": ["worker-su01-rack02-h03"], "applied": applied}
    said = r"\(worker-su01-rack02-h03\) is in CUST-A, which may be a customer's and which the"
    with pytest.raises(FabricError, match=said):
        ask(term, **asked)
    applied["leaf-p1-su001-r1"]["interface"]["swp2s0"]["vrf"] = "default"
    ask("enter", **asked)
    assert ask("move", **asked)["nodes"]
