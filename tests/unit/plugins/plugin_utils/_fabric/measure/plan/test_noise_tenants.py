# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two tenants of a test come and go, and what a killed run left of them is found."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import (
    noise_tenants,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.tenants.memory import (
    Leaves,
    Memory,
    clock,
)

LAB = example("lab")
LEAVES = [LAB.name(switch) for switch in LAB.switches() if switch.role == "leaf"]
H01, H02, H03 = (f"worker-su01-rack0{rack}-h0{n}" for rack, n in ((1, 1), (1, 2), (2, 3)))
FAR = ("worker-su02-rack01-h01", "worker-su02-rack01-h02", "worker-su02-rack02-h03")
ALL = "rest: [{nodes: ['*/[01-03]'], acceptance: burn-in}]\n"
ACME = "tenants: [{id: 65535, slug: acme, nodes: [su02/h03]}]\n"
SOME = ACME + "rest: [{nodes: ['*/[01-02]', su01/h03], acceptance: b}]\n"
HELD = {"quiet": [H01, FAR[0]], "noisy": [H02, FAR[1]]}


def world(text):
    """A registry, and leaves that run it."""
    registry = Registry.parse(LAB, text)
    documents = {
        name: compose.document(LAB, name, ["tenants"], tenants=registry) for name in LEAVES
    }
    return registry, Memory(LAB, documents)


def vrfs(made):
    """The VRFs in which each node's ports are."""
    return {
        LAB.name(node): {
            made.documents[row["peer"]["device"]]["interface"][row["peer"]["port"]]["vrf"]
            for row in LAB.slice(node)["ports"]
        }
        for node in LAB.nodes()
    }


@pytest.mark.parametrize("text", [ALL, SOME])
def test_nodes_enter_two_tenants_and_come_back_to_what_was_there(text):
    registry, made = world(text)
    before, where = dict(made.documents), vrfs(made)
    noise_tenants.enter(registry, Leaves(made), HELD, clock(), 5)
    ids = (65535, 65534) if text == ALL else (65534, 65533)
    names = {slug: f"t{number}-{slug}" for slug, number in zip(noise_tenants.SLUGS, ids)}
    moved = {node: {names[slug]} for slug, nodes in HELD.items() for node in nodes}
    assert vrfs(made) == where | moved
    found = noise_tenants.stranded(registry, Leaves(made), LEAVES)
    assert found == {node: sorted(vrf) for node, vrf in sorted(moved.items())}
    noise_tenants.leave(registry, Leaves(made), found)
    assert made.documents == before
    assert noise_tenants.stranded(registry, Leaves(made), LEAVES) == {}


def test_a_tenant_of_the_site_is_no_tenant_of_a_test():
    registry, made = world(ALL + "tenants: [{id: 21, slug: quiet, nodes: []}]\n")
    with pytest.raises(FabricError, match="the registry has a tenant quiet"):
        noise_tenants.enter(registry, Leaves(made), HELD, clock(), 5)
    registry, made = world("tenants: [{id: 21, slug: noisy, nodes: ['*/h01']}]\n")
    assert noise_tenants.stranded(registry, Leaves(made), LEAVES) == {}


def test_a_port_that_somebody_has_moved_meanwhile_is_refused():
    registry, made = world(ALL)
    noise_tenants.enter(registry, Leaves(made), HELD, clock(), 5)
    found = noise_tenants.stranded(registry, Leaves(made), LEAVES)
    port = LAB.slice(H01)["ports"][0]["peer"]
    made.documents[port["device"]]["interface"][port["port"]]["vrf"] = "t99-other"
    with pytest.raises(FabricError, match="where this run has not put it"):
        noise_tenants.leave(registry, Leaves(made), found)


def test_nodes_of_a_tenant_stay_where_they_are():
    registry = Registry.parse(LAB, SOME)
    noise_tenants.must_rest(registry, HELD["quiet"])
    with pytest.raises(FabricError, match=f"{FAR[2]} belong to a tenant"):
        noise_tenants.must_rest(registry, [H01, FAR[2]])
