# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes of a tenant playbook on a leaf, over random registries and random states of the leaf."""

from __future__ import annotations

import random

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    compose,
    tenants_part,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import schema
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.attachments import (
    on_leaf,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    entry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    Job,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import Wish, make
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import (
    Release,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import merge

SLUGS = {"acme": 21, "globex": 22, "initech": 23}
NODES = [f"su0{su}/h0{host}" for su in (1, 2) for host in (1, 2, 3)]
SEEDS = range(80)
OLD = {"vrf": {"t30-old": {"table": "auto"}}}
"""A VRF of a tenant that has left, and that no leaf needs."""


@pytest.fixture
def lab(load):
    """Return the laboratory."""
    return load()


@pytest.fixture
def registry(lab):
    """Return a function from text to a registry over the laboratory."""
    return lambda text: Registry.parse(lab, text)


def any_registry(draw: random.Random) -> str:
    """A registry of three tenants, two kinds of rest, and nodes that nobody lists."""
    where = [*SLUGS, "rest", "burn-in", "nobody"]
    holds: dict[str, list[str]] = {name: [] for name in where}
    for node in NODES:
        holds[draw.choice(where)].append(node)
    routes = draw.choice(["exact", "leaf"])
    rows = [
        f"{{id: {number}, slug: {slug}, routes: {routes}, nodes: [{', '.join(holds[slug])}]}}"
        for slug, number in SLUGS.items()
    ]
    rest = [
        f"{{nodes: [{', '.join(holds[name])}]{group}}}"
        for name, group in (("rest", ""), ("burn-in", ", acceptance: burn-in"))
        if holds[name]
    ]
    text = f"tenants: [{', '.join(rows)}]\nretired: [{{id: 30, slug: old}}]\n"
    return text + (f"rest: [{', '.join(rest)}]\n" if rest else "")


def any_leaf(lab, leaf, registry, draw: random.Random) -> dict:
    """A leaf as another registry had it, as it comes from the factory, or after somebody's work by hand."""
    found = compose.document(lab, leaf, ["tenants"], tenants=registry(any_registry(draw)))
    kind = draw.choice(["as rendered", "factory", "by hand", "with an old VRF"])
    if kind == "factory":
        return {}
    if kind == "by hand":
        port = draw.choice(sorted(found["interface"]))
        found["interface"][port]["vrf"] = draw.choice(sorted(found["vrf"]))
    return merge(found, OLD) if kind == "with an old VRF" else found


def planned(lab, registry, leaf, found, job):
    """Return the leaf after the plan."""
    part = tenants_part.part(compose.context(lab, leaf, tenants=registry), job)
    wish = Wish(part["config"], "replaced", owns=tuple(part["owns"]), guard=part["guard"])
    return make(found, wish, Release(5, 16, 1)), part


def written(plan):
    """The first two keys of each place that changes."""
    return {tuple(change.path[:2]) for change in plan.changes}


def ports_of(document):
    """The interfaces without bindings of lists where none is left."""
    return {
        name: {key: body for key, body in port.items() if (key, body) != ("acl", {})}
        for name, port in document["interface"].items()
    }


def whole(document):
    """Each port is in a VRF that is there, and binds lists that are there."""
    for name, port in document.get("interface", {}).items():
        assert port.get("vrf") in {None, *document.get("vrf", {})}, name
        assert set(port.get("acl", {})) <= set(document.get("acl", {})), name


@pytest.mark.parametrize("seed", SEEDS)
def test_an_onboarding_writes_places_of_its_tenant_alone(lab, registry, seed):
    """Its VRF, and the ports of its nodes with their lists; rest's VRF where its node left it empty."""
    draw = random.Random(seed)
    leaf = draw.choice(["leaf-p1-su001-r1", "leaf-p1-su002-r2"])
    wished = registry(any_registry(draw))
    found = any_leaf(lab, leaf, registry, draw)
    for slug, number in SLUGS.items():
        nodes = wished.nodes_of(slug)
        ctx = compose.context(lab, leaf, tenants=wished)
        ports = [port for port in on_leaf(lab, ctx.device) if port.node in nodes]
        if not ports:
            continue
        ending = entry.left(wished, ctx.device, nodes, found)
        plan, part = planned(lab, wished, leaf, found, Job(nodes, ending=ending))
        mine = {("vrf", f"t{number}-{slug}"), *(("vrf", name) for name in ending)}
        mine |= {("interface", port.port) for port in ports}
        mine |= {("acl", f"spx-tenant-{port.port}") for port in ports}
        assert written(plan) <= mine
        whole(plan.after)
        there = found.get("interface", {})
        free = {None, *wished.yielding_vrfs(), f"t{number}-{slug}"} - {"t30-old"}
        for port in ports:
            if there.get(port.port, {}).get("vrf") in free:
                assert ports_of(plan.after)[port.port] == ports_of(part["config"])[port.port]
        again, _part = planned(lab, wished, leaf, plan.after, Job(nodes))
        assert not again.changes


@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_of_a_move_writes_places_of_its_node_and_both_tenants(lab, registry, seed):
    """Other ports stay, as do the VRFs of tenants that neither give nor get the node."""
    draw = random.Random(seed)
    leaf = "leaf-p1-su001-r1"
    held = registry(any_registry(draw))
    found = any_leaf(lab, leaf, registry, draw)
    node = lab.device(draw.choice(["worker-su01-rack01-h01", "worker-su01-rack01-h02"]))
    before, to = held.holding(node).slug, draw.choice([*SLUGS, "rest", "quarantine"])
    if before == to:
        return
    record = {"from": before, "to": to, "step": draw.choice(schema.STEPS), "acceptance": "burn-in"}
    moved = held.with_moves({node: schema.MovingRecord.model_validate(record)})
    vrfs = {moved.owner(slug).vrf for slug in (before, to, "rest", "quarantine")}
    job = Job([node], leaving=[node], ending=[held.owner(before).vrf])
    plan, _part = planned(lab, moved, leaf, found, job)
    (port,) = [p.port for p in on_leaf(lab, lab.known(leaf)) if p.node == node]
    mine = {("interface", port), ("acl", f"spx-tenant-{port}"), ("acl", "spx-tenant-rest-burn-in")}
    assert written(plan) <= mine | {("vrf", name) for name in vrfs}
    whole(plan.after)


@pytest.mark.parametrize("seed", range(20))
def test_fleet_runs_bring_the_rest(lab, registry, seed):
    """After one tenant alone, `switches` brings the leaf where it brings it without that."""
    draw = random.Random(seed)
    leaf, wished = "leaf-p1-su001-r1", registry(any_registry(draw))
    found = any_leaf(lab, leaf, registry, draw)
    ports = on_leaf(lab, lab.known(leaf))
    nodes = [port.node for port in ports if wished.holding(port.node).slug in SLUGS][:1]
    if not nodes:
        return
    plan, _part = planned(lab, wished, leaf, found, Job(nodes))
    fleet, _part = planned(lab, wished, leaf, plan.after, Job())
    alone, _part = planned(lab, wished, leaf, found, Job())
    assert ports_of(fleet.after) == ports_of(alone.after)
    assert {**fleet.after, "interface": {}} == {**alone.after, "interface": {}}


def test_who_waits_is_named(lab, registry):
    """By tenant, with what brings them in; who is in another customer's VRF is a drift, and a move is a move."""
    wished = registry(
        "tenants: [{id: 21, slug: acme, nodes: [su01/h01]}, {id: 22, slug: globex, nodes: [su01/h02]}]\n"
        "rest: [{nodes: [su01/h03]}]\n"
    )
    acme = wished.nodes_of("acme")
    found = compose.document(lab, "leaf-p1-su001-r1", ["tenants"], tenants=registry("tenants: []"))
    assert entry.waiting(wished, acme, {"leaf-p1-su001-r1": found}) == [
        "waiting: worker-su01-rack01-h02 of globex on leaf-p1-su001-r1: run tenant_onboard -e spx_tenant=globex for "
        "them, or switches.",
        "waiting: worker-su01-rack02-h03 of rest on leaf-p1-su001-r1: run switches.",
    ]
    there = compose.document(lab, "leaf-p1-su001-r1", ["tenants"], tenants=wished)
    assert entry.waiting(wished, acme, {"leaf-p1-su001-r1": there}) == []
    there["interface"]["swp1s1"]["vrf"] = "t21-acme"
    assert entry.waiting(wished, acme, {"leaf-p1-su001-r1": there}) == []


def test_the_vrf_that_a_node_leaves_stays_as_it_is_where_others_stay(lab, registry):
    """An edited tenant's VRF would differ from the one on its other leaves, which no step of this move writes."""
    leaf, text = "leaf-p1-su001-r1", "tenants: [{{id: 21, slug: acme, {0}nodes: [{1}]}}]\n"
    node = lab.device("worker-su01-rack01-h01")
    record = {"from": "acme", "to": "quarantine", "step": "quarantine"}
    job = Job([node], leaving=[node], ending=["t21-acme"])
    for nodes, touched in (("su01/h01, su01/h03", False), ("su01/h01", True)):
        before = registry(text.format("", nodes))
        found = compose.document(lab, leaf, ["tenants"], tenants=before)
        edited = registry(text.format("routes: rail, ", nodes)).with_moves(
            {node: schema.MovingRecord.model_validate(record)}
        )
        plan, _part = planned(lab, edited, leaf, found, job)
        assert (("vrf", "t21-acme") in written(plan)) is touched
        assert plan.after["interface"]["swp1s0"]["vrf"] == "t1-quarantine"
