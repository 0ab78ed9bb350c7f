# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gates of a move and of an onboarding, on leaves in memory."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    attachments,
    schema,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    gates,
    move_plan,
)

from ...fabrics import build
from ..memory import Leaf, Memory
from ..tenants import NODE, TENANTS, WIPES

MOVING = Node(0, 0, 0)
LEAF, FRONT = "leaf-p1-su001-r1", "front-end-leaf-001-1"


def composed(fabric, registry):
    """Return the documents of a registry's leaves."""
    names = [fabric.name(leaf) for leaf in fabric.switches() if leaf.role == "leaf"]
    return {leaf: compose.document(fabric, leaf, ["tenants"], tenants=registry) for leaf in names}


def rows_of(fabric, registry, to="globex", applied=None):
    order = move_plan.Order(to, applied=applied or {}, **WIPES)
    return move_plan.plan(fabric, registry, [MOVING], order)["nodes"]


class Gates:
    """Leaves whose tables follow from documents, and what the gates of a move from acme to globex object."""

    def __init__(self, fabric, registry, **world):
        self.fabric, self.registry = fabric, registry
        self.world = Memory(fabric, composed(fabric, registry), **world)
        self.rows = rows_of(fabric, registry, applied=self.world.documents)

    def shown(self, step):
        """The leaves show the tables of a step."""
        moves = {
            self.fabric.device(name): schema.MovingRecord.model_validate(row["records"][step])
            for name, row in self.rows.items()
        }
        self.world.documents = composed(self.fabric, self.registry.with_moves(moves))
        return self

    def ask(self, gate):
        """Objections by leaf, of leaves that have any."""
        made = {}
        for name in self.world.documents:
            asked = gate(self.fabric, self.registry, self.rows, Leaf(self.world, name))
            if said := asked.objections():
                made[name] = said
        return made


@pytest.mark.parametrize(("routes", "lacking"), [("exact", 4), ("rail", 4), ("leaf", 4)])
def test_gates_of_all_kinds_of_routes(lab, registry, routes, lacking):
    """A leaf that lacks what covers the node has not got it; one that holds it has not lost it."""
    text = (
        f"tenants: [{{id: 21, slug: acme, routes: {routes}, nodes: ['*/h01', su01/h02]}}, "
        f"{{id: 22, slug: globex, routes: {routes}, nodes: [su02/h02, su01/h03]}}]"
    )
    world = Gates(lab, registry(text))
    assert len(world.ask(gates.ArrivalGate)) == lacking
    held = world.ask(gates.WithdrawalGate)
    assert len(held) == 4
    covering = "172.16.0.0/30" if routes == "leaf" else "172.16.0.0/31"
    assert covering in str(held["leaf-p1-su002-r1"])
    assert world.shown("withdraw").ask(gates.WithdrawalGate) == {}
    assert world.shown("verify").ask(gates.WithdrawalGate) == {}
    assert world.ask(gates.ArrivalGate) == {}


def test_a_leaf_without_the_new_vrf_waits_for_no_route(lab, registry):
    """The tenant's own nodes there still wait; a leaf of the node itself is never excused."""
    text = "tenants: [{id: 21, slug: acme, nodes: ['*/h01']}, {id: 22, slug: globex, nodes: [su02/h02]}]"
    world = Gates(lab, registry(text)).shown("verify")
    assert world.ask(gates.ArrivalGate) == {}
    for leaf in ("leaf-p1-su002-r1", LEAF):
        del world.world.documents[leaf]["vrf"]["t22-globex"]
    assert LEAF in world.ask(gates.ArrivalGate)
    assert "leaf-p1-su002-r1" not in world.ask(gates.ArrivalGate)


def test_what_is_leaked_is_no_leftover(lab, registry):
    """The tenant before still sees the node when the registry lets it reach the new one."""
    text = (
        "leaking: true\ntenants: [{id: 21, slug: acme, nodes: ['*/h01'], shared: [globex]}, "
        "{id: 22, slug: globex, nodes: [su02/h02]}]"
    )
    world = Gates(lab, registry(text)).shown("verify")
    record = schema.MovingRecord.model_validate(world.rows[NODE]["records"]["withdraw"])
    leaking = world.registry
    world.registry = leaking.with_moves({MOVING: record.model_copy(update={"step": "verify"})})
    assert world.ask(gates.WithdrawalGate) == {}
    world.registry = leaking.with_moves({MOVING: record})
    assert world.ask(gates.WithdrawalGate)


@pytest.mark.parametrize("six", [False, True])
def test_a_routed_link_is_looked_for_among_routes_of_its_version(registry, six):
    """Of the old tenant's VRF on a leaf of the front end; what other tables have does not matter."""
    addressing = {"profile": "octet-v4", "routed_ports": "numbered-127" if six else "numbered-31"}
    routed = {"front_end": {"host_speed": "200G", "attachment": "routed"}}
    fabric = build(addressing=addressing, networks=routed)
    (link, *_rest) = attachments.routed_prefixes(fabric, [MOVING], "front-end")
    row = {"old_watched": [FRONT], "others_links": {"t21-acme": [link]}, "record": {"from": "acme"}}
    world = Memory(fabric, {FRONT: {"vrf": {"t21-acme": {}}}})
    version, other = ("ipv6", "ipv4") if six else ("ipv4", "ipv6")
    head = "vrf/t21-acme/router"

    def objections(route):
        body = {"route": {prefix: {} for prefix in route}}
        world.tables = {
            f"{head}/{kind}/{one}": table
            for one, table in ((version, body), (other, {}))
            for kind in ("rib", "fib")
        }
        world.tables[f"{head}/bgp/address-family/{version}-unicast/route"] = body["route"]
        leaf = Leaf(world, FRONT)
        return gates.WithdrawalGate(fabric, registry(TENANTS), {NODE: row}, leaf).objections()

    unlike = "2001:db8::/64" if six else "192.0.2.0/24"
    assert objections([unlike]) == {}
    assert NODE in objections([unlike, link])


@pytest.mark.parametrize(
    ("release", "kind", "objects"),
    [("5.16.1", "fib", True), ("5.15.3", "fib", False), ("5.15.3", "rib", True)],
)
def test_a_route_in_any_table_that_is_asked_for_holds_the_node(
    lab, registry, release, kind, objects
):
    """A release before 5.16 is not asked for its FIB, which the gate notes with the leaf."""
    world = Gates(lab, registry(TENANTS), release=release).shown("withdraw")
    world.world.tables = {f"vrf/t21-acme/router/{kind}/ipv4": {"route": {"172.16.0.0/31": {}}}}
    assert bool(world.ask(gates.WithdrawalGate)) is objects
    gate = gates.WithdrawalGate(lab, world.registry, world.rows, Leaf(world.world, LEAF))
    assert gate.note.no_fib == ("" if release == "5.16.1" else f"{LEAF} (Cumulus Linux 5.15.3)")


def test_a_table_that_a_leaf_owes_and_does_not_report_holds_the_node(lab, registry):
    """It has the VRF, and BGP in it: silence shows nothing."""
    world = Gates(lab, registry(TENANTS)).shown("withdraw")
    path = "vrf/t21-acme/router/bgp/address-family/ipv4-unicast/route"
    world.world.tables = {path: None}
    body = {"router": {"bgp": {"state": "enabled"}}}
    world.world.documents["leaf-p1-su002-r1"]["vrf"]["t21-acme"] = body
    (said,) = world.ask(gates.WithdrawalGate)["leaf-p1-su002-r1"][NODE]
    assert "has t21-acme and reports no BGP table of it" in said


def test_arrived_by_plane(load, registry):
    """A leaf of one plane is not asked for another plane's links."""
    fabric = load("b300-4096")
    held = registry(
        "tenants: [{id: 21, slug: acme, nodes: [su01/h01], host_access: managed}, {id: 22, slug: globex}]",
        fabric,
    )
    rows, leaf = rows_of(fabric, held), "leaf-p2-su001-r1"
    asked = gates.ArrivalGate(fabric, held, rows, Leaf(Memory(fabric, {leaf: {}}), leaf))
    [[said]] = list(asked.objections().values())
    assert said.count("/31") == fabric.clos.rails


def test_resolved(lab, registry):
    """A port that does not resolve its host asks for it once, from the new VRF, and objects."""
    world = Gates(lab, registry(TENANTS))
    leaf = Leaf(world.world, LEAF)
    gate = gates.NeighbourGate(lab, world.registry, world.rows, leaf)
    assert (gate.objections(), gate.note.no_neighbors, world.world.pings) == ({}, LEAF, [])
    world.world.tables = {"interface/swp1s0/neighbor": {"ipv4": {}}}
    for _look in range(2):
        [[said]] = list(gate.objections().values())
        assert "does not resolve 172.16.0.0 at swp1s0 (it has no entry)" in said
        assert world.world.pings == [(LEAF, "t22-globex", "172.16.0.0")]
    assert gate.note.no_neighbors == ""
    known = {"lladdr": {"0c:42:a1:00:00:01": {"state": {"reachable": {}}}}}
    world.world.tables = {"interface/swp1s0/neighbor": {"ipv4": {"172.16.0.0": known}}}
    assert gate.objections() == {}


def entered(fabric, held, tables, release="5.15.3"):
    world = Memory(fabric, {LEAF: {}}, release)
    world.tables = tables
    leaf = Leaf(world, LEAF)
    return gates.not_entered(held, "acme", leaf, leaf.applied())


def test_entered(lab, registry):
    """Missing routes of the tenant on a leaf are named; none is an open gate."""
    held, routes = registry(TENANTS), {}
    for prefix in ("172.16.0.0/31", "172.16.1.0/31", "172.18.0.0/31"):
        routes[prefix] = {}
    tables = {"vrf/t21-acme/router/rib/ipv4": {"route": routes}}
    (said,) = entered(lab, held, tables)
    assert "lacks 172.18.1.0/31 in the routing table of t21-acme" in said
    routes["172.18.1.0/31"] = {}
    assert entered(lab, held, tables) == []
    (said,) = entered(lab, held, tables, "5.16.1")
    assert "in the forwarding table of t21-acme" in said


@pytest.mark.parametrize("routes", ["exact", "leaf"])
def test_links_out_of_service_are_not_waited_for(load, registry, routes):
    """Those of a dead leaf and of a port by itself; a prefix that holds others too is."""
    rest = {"since": "2026-01-01", "reason": "dead"}
    out = [{"device": "leaf-p1-su002-r1", **rest}, {"device": NODE, "port": "rail2p1", **rest}]
    fabric = load(out_of_service=out)
    held = registry(
        f"tenants: [{{id: 21, slug: acme, routes: {routes}, nodes: ['*/h01']}}]", fabric
    )
    (said,) = entered(fabric, held, {})
    assert "lacks 172.16.0.0/31, 172.18.1.0/31 in" in said
    text = "tenants: [{id: 21, slug: acme, routes: leaf, nodes: ['*/h01', '*/h02']}]"
    (said,) = entered(fabric, registry(text, fabric), {})
    assert "172.18.0.0/30" in said


STATE = {"lladdr": {"48:b0:2d:00:00:01": {"flag": {"router": {}}, "state": {"reachable": {}}}}}


def state(word):
    """Return the neighbors of a port, with the host in one state, as words or as choices."""
    return {"ipv4": {"10.0.0.0": {"lladdr": {"48:b0:2d:00:00:01": {"state": word}}}}}


@pytest.mark.parametrize(
    ("table", "states"),
    [
        (None, None),
        ({"ipv4": {"10.0.0.0": {}}}, None),
        ({"10.0.0.0": {}}, None),
        ({"ipv4": {}}, set()),
        ({}, set()),
        ({"ipv4": {"10.0.0.0": STATE}}, {"reachable"}),
        *((state({word: {}}), {word}) for word in sorted(gates.RESOLVED)),
        *((state(word), {*word}) for word in ({"failed": {}}, {"incomplete": {}})),
        (state("failed"), {"failed"}),
    ],
)
def test_states_of_a_neighbor(table, states):
    """A switch that reports neighbors must report the host; one that reports less is named."""
    assert gates.neighbor_states(table, "10.0.0.0") == states
