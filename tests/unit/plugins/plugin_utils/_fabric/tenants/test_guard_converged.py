# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places that stay on a leaf of the converged fabric, whatever a run wants."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import schema
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.guard_converged import (
    NetGuard,
)

from .converged_lab import laboratory

LEAF, FIRST, NAME = "front-end-leaf-001-1", Node(0, 0, 0), "worker-su01-rack01-h01"
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
        document = compose.document(fabric, LEAF, ["tenants"], tenants=found)
        if moving:
            found = found.with_moves({FIRST: schema.Moving.model_validate(moving)})
        return found, NetGuard(fabric, found, fabric.known(LEAF), **more), document

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
        f"tenant drift: port bond1 of {LEAF} ({NAME}) is in t22-globex, registry says acme: run tenant_move, or "
        "correct the registry.",
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
        f"tenant drift: port bond1 of {LEAF} ({NAME}) is shut on the network front-end, registry says acme: run "
        "tenant_onboard -e spx_tenant=acme.",
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
    (said,) = guard.forbid(into(document, 22), document)
    assert said.startswith(
        f"{NAME} is moving: port bond1 of {LEAF} is up in t22-globex, where this run"
    )


def test_the_vrf_of_a_port_that_a_job_does_not_name_stays(leaf):
    """Check a place that the job would delete: changes there are not held."""
    _registry, guard, document = leaf(nodes=[FIRST])
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
    held = NetGuard(guard.fabric, left, guard.leaf).hold(before, document)
    assert (held.keep, held.drift) == ((), ())


def test_a_core_says_each_port_once(registry):
    """A core has the front end and the storage of a node: each port is looked at by itself."""
    fabric = laboratory(core=True)
    text = TEXT.replace("front-end]", "front-end, storage]")
    found, leaf = registry(text, fabric), fabric.known("converged-core-1")
    document = compose.document(fabric, "converged-core-1", ["tenants"], tenants=found)
    document["interface"]["swp3s0"]["link"]["state"] = {"down": {}}
    assert len(NetGuard(fabric, found, leaf).hold(document, document).drift) == 1
