# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rented nodes are not measured, nodes that do not reach each other neither, and spines of others need a window."""

from __future__ import annotations

import datetime

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.windows import (
    Window,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import (
    node_selection,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan.records import (
    Level,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

TODAY = datetime.date(2026, 11, 25)
H01, H02, H03 = (f"worker-su01-rack0{rack}-h0{n}" for rack, n in ((1, 1), (1, 2), (2, 3)))
OTHER = "worker-su02-rack01-h01"
REST = "rest: [{nodes: ['*/h01', 'su01/h02'], acceptance: burn-in}]\n"
MANAGED = "tenants: [{id: 21, slug: acme, nodes: ['*/h01'], host_access: managed}]\n"
RENTED = "tenants: [{id: 21, slug: acme, nodes: ['*/h01']}]\n"


def chosen(text, *nodes, fabric=None):
    fabric = fabric or example("lab")
    return node_selection.choose(fabric, Registry.parse(fabric, text), nodes)


def refused(text, *nodes, **more):
    with pytest.raises(FabricError) as caught:
        chosen(text, *nodes, **more)
    return str(caught.value)


def test_the_nodes_of_the_only_acceptance_group_are_measured_by_default():
    found = chosen(REST)
    assert found.nodes == (H01, H02, OTHER)
    assert found.whose == "acceptance group burn-in of rest"


def test_a_tenant_that_allows_it_is_measured_where_its_nodes_are_named():
    assert chosen(MANAGED, "*/h01").whose == "tenant acme"


SERVICE = "services: [{id: 4, slug: storage, nodes: ['*/h01']}]\n"
MOVES = f"moving: {{{H01}: {{from: rest, to: quarantine, step: shut}}}}\n"


@pytest.mark.parametrize(
    "text, nodes, words",
    [
        (RENTED, ["su01/h01"], f"{H01} is rented to acme, which has host_access none"),
        (REST, ["su01/h03"], f"{H03} is in quarantine, where it reaches no other node"),
        (SERVICE, ["su01/h01"], f"{H01} offers the service storage to tenants"),
        (REST + MOVES, ["su01/h01"], f"{H01} is moving from rest to quarantine"),
        ("rest: [{nodes: ['*/h01']}]\n", ["su01/h01"], "in rest without an acceptance group"),
        (
            MANAGED + "rest: [{nodes: ['*/h02'], acceptance: b}]\n",
            ["*/h01", "*/h02"],
            "acme, rest (b)",
        ),
        (REST, ["su01/h01"], "1 node in service of 1 node: a measurement needs 2"),
        ("", [], "rest has no node with an acceptance group"),
        (
            "rest: [{nodes: ['*/h01'], acceptance: a}, {nodes: ['*/h02'], acceptance: b}]\n",
            [],
            "rest has the acceptance groups a, b, which do not reach each other",
        ),
    ],
)
def test_what_may_not_be_measured_is_refused(text, nodes, words):
    said = refused(text, *nodes)
    assert words in said
    assert said.startswith("spx_nodes: ")


def test_a_node_out_of_service_is_left_out_and_named():
    away = {"device": H02, "since": "2026-11-01", "reason": "no power"}
    fabric = build(**SMALL, out_of_service=[away])
    found = chosen(REST, fabric=fabric)
    assert found.nodes == (H01, OTHER)
    assert found.left_out == {H02: "it is out of service: no power"}


SMALL = {"capacity": {"sus_per_pod": 2, "slots_per_su": 4, "nodes_per_rack": 2}}


def test_a_node_is_accepted_with_one_partner_of_each_kind():
    fabric = example("lab")
    registry = Registry.parse(fabric, REST.replace("'*/h01'", "'*/h01', '*/h03'"))
    assert node_selection.partners(fabric, registry, H03).nodes == (H03, H01, OTHER)
    alone = Registry.parse(fabric, "rest: [{nodes: ['su01/h01'], acceptance: b}]\n")
    with pytest.raises(
        FabricError, match="has no partner to be measured with in acceptance group b"
    ):
        node_selection.partners(fabric, alone, H01)


def test_partners_that_move_themselves_come_last():
    fabric = example("lab")
    accepting = f"{{from: quarantine, to: rest, step: accept, acceptance: b, {CLEAN}}}"
    text = f"rest: [{{nodes: ['su01/h02'], acceptance: b}}]\nmoving: {{{H01}: {accepting}, {H03}: {accepting}}}\n"
    registry = Registry.parse(fabric, text)
    assert node_selection.partners(fabric, registry, H03).nodes == (H03, H02)


CLEAN = "clean: {on: '2026-11-25', by: bmc, run: r, nic: read}"


# Others


def level(name="bisection", *, spines=True, cuts=False):
    return Level(name, (), (), "It shows.", "It disturbs.", spines, cuts, (), 10, 1, {}, "ours")


@pytest.mark.parametrize(
    "text, found",
    [
        (REST, {}),
        (REST + "tenants: [{id: 21, slug: acme, nodes: ['su01/h03']}]\n", {"acme": [H03]}),
        (REST + "tenants: [{id: 21, slug: a, nodes: ['su01/h03'], host_access: managed}]\n", {}),
        (REST + "services: [{id: 4, slug: storage, nodes: ['su01/h03']}]\n", {"storage": [H03]}),
    ],
)
def test_who_rents_nodes_on_the_same_spines(text, found):
    fabric = example("lab")
    registry = Registry.parse(fabric, text)
    beside = node_selection.beside(fabric, registry, (H01, H02))
    assert node_selection.rented(registry, beside) == found


def test_another_pod_is_disturbed_only_over_super_spines():
    fabric = example("lab-3tier")
    first, *_more, last = [fabric.name(node) for node in fabric.nodes()]
    near = [fabric.name(node) for node in fabric.nodes(pods=[0])][:2]
    registry = Registry.parse(fabric, f"tenants: [{{id: 21, slug: acme, nodes: [{last}]}}]\n")
    assert first in near
    assert node_selection.beside(fabric, registry, near) == {}
    beyond = [fabric.name(node) for node in fabric.nodes(pods=[1])][:1]
    assert node_selection.beside(fabric, registry, [first, *beyond]) == {"acme": [last]}


def test_a_level_on_the_spines_of_rented_nodes_needs_a_window():
    others = {"acme": [H03]}
    said = node_selection.forbidden(level(), others, None)
    assert said.startswith("level bisection: 1 rented node of acme share the spines")
    assert node_selection.forbidden(level(spines=False), others, None) == ""
    assert node_selection.forbidden(level(spines=False, cuts=True), others, None) != ""
    assert node_selection.forbidden(level(), {}, None) == ""
    window = Window.of("2026-11-25 CHG-42, agreed with acme", TODAY)
    assert window.reason == "CHG-42, agreed with acme"
    assert node_selection.forbidden(level(), others, window) == ""
