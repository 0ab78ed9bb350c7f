# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving a node: order of steps, what is resumed after a kill, gates, and isolation all along."""

from __future__ import annotations

import itertools

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import isolation_leaf
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    attachments,
    schema,
    steps,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    move,
    move_plan,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.move_run import (
    Mover,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.observed_ports import (
    ObservedPort,
    seen,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.steps import STEPS

from .. import evpn
from ..memory import Book, Leaves, Memory, clock
from ..tenants import WIPES

TWO = (
    "tenants:\n"
    "  - {id: 21, slug: acme, nodes: ['*/h01']}\n"
    "  - {id: 22, slug: globex, nodes: ['*/h02']}\n"
)
NODE, NAME = Node(0, 0, 0), "worker-su01-rack01-h01"
ENDS = ("acme", "globex", "rest", "quarantine")
LOOKED = ("shut", "open", "rest", "join")


def record(from_, to, step):
    """Return a moving record."""
    return schema.MovingRecord.model_validate({"from": from_, "to": to, "step": step})


@pytest.fixture
def world(lab, registry):
    """Return the laboratory's leaves as switches that hold documents."""
    return World(lab, registry(TWO))


class World(Memory):
    """Leaves that hold documents, one node that moves, and a run that can be killed anywhere."""

    def __init__(self, fabric, registry):
        self.fabric, self.registry = fabric, registry
        self.leaves = [fabric.name(leaf) for leaf in fabric.switches() if leaf.role == "leaf"]
        super().__init__(fabric, {leaf: self.document(leaf, registry) for leaf in self.leaves})
        self.ports = attachments.of_node(fabric, NODE)
        self.seen_forbidden = []

    def document(self, leaf, registry):
        return compose.document(self.fabric, leaf, ["tenants"], tenants=registry)

    def host(self, node, rail=0):
        port = attachments.of_node(self.fabric, node)[rail]
        return port.leaf, port.port

    def hosts(self):
        return {node: [self.host(node, r) for r in range(2)] for node in self.fabric.nodes()}

    def plan(self, to="globex"):
        made = move_plan.plan(
            self.fabric, self.registry, [NODE], move_plan.Order(to, applied=self.documents, **WIPES)
        )
        return made["nodes"].get(NAME)

    def write(self, row, step):
        """Write the record, as a run that may edit the registry does before a step."""
        record = schema.MovingRecord.model_validate(row["records"][step])
        self.registry = self.registry.with_moves({NODE: record})

    def apply(self, leaf):
        self.documents[leaf] = self.document(leaf, self.registry)
        self.look()

    def carried(self, row, step):
        """Write the records of the steps before one, and apply what they change."""
        for done in row["steps"][: row["steps"].index(step)]:
            self.write(row, done)
            for port in row["ports"] if STEPS[done].writes else ():
                self.apply(port.leaf)

    def finish(self, to):
        self.registry = self.registry.with_moves({NODE: None}).with_nodes(to, [NODE])

    def look(self):
        """No host of acme ever reaches one of globex; the moving node never both."""
        hosts = self.hosts()
        for (one, ends), (two, others) in itertools.permutations(hosts.items(), 2):
            if NODE in (one, two) or (one.slot, two.slot) not in ((0, 1), (1, 0)):
                continue
            for source, target in itertools.product(ends, others):
                if evpn.reaches(self.documents, source, target):
                    self.seen_forbidden.append((one, two))
        mine = hosts[NODE]
        acme = any(evpn.reaches(self.documents, s, t) for s in mine for t in hosts[Node(0, 1, 0)])
        other = any(evpn.reaches(self.documents, s, t) for s in mine for t in hosts[Node(0, 1, 1)])
        if acme and other:
            self.seen_forbidden.append(NODE)
        moving = NODE in self.registry.moves
        if moving and isolation_leaf.both(self.fabric, self.registry, NODE, self.documents):
            self.seen_forbidden.append(NODE)

    def taken_on(self, row, step):
        """Return the record of a run before it writes a document."""
        moving = schema.MovingRecord.model_validate({**row["record"], "step": step})
        found = seen(self.registry, self.documents, move_plan.changed(row))
        options = {"step": step, "way": row["steps"], "before": row["seen"]}
        return move.taken_on(self.registry, NODE, moving, found, **options)

    def run(self, to="globex", *, killed_after=None, write=True):
        """Carry the move out; raise Killed after so many actions. Return the steps done."""
        self.left = itertools.count() if killed_after is None else iter(range(killed_after))
        self.writes = write
        plan = move_plan.plan(
            self.fabric, self.registry, [NODE], move_plan.Order(to, applied=self.documents, **WIPES)
        )
        rows = plan["nodes"]
        mover = Mover(
            *(self.fabric, self.registry, Leaves(self), Book(self), rows, clock()), wait=3
        )
        for step in plan["steps"]:
            mover.begin(step)
            if not STEPS[step].hooks:
                mover.carry_out(step)
            self.tick()
        if rows:
            self.finish(to)
        return plan["steps"]

    def tick(self):
        if next(self.left, None) is None:
            raise KilledError

    def noted(self, records):
        """A record is written; a run that may not write the registry writes none."""
        made = schema.MovingRecord.model_validate(records[NAME])
        self.registry = self.registry.with_moves({NODE: made}) if self.writes else self.registry
        self.tick()

    def brought(self, name, document):
        self.documents[name] = document
        self.look()
        self.tick()


class KilledError(Exception):
    """The controller is gone."""


ACTIONS = 11 + 6 * 2 + 11
"""Records, two leaves in each of six documents (join has two), ends of steps."""


def test_the_whole_move(world):
    """All steps in order; the node ends with the new tenant and reaches it, not the old one."""
    assert world.run() == list(schema.STEPS)
    mine, new, old = world.host(NODE), world.host(Node(0, 1, 1)), world.host(Node(0, 1, 0))
    assert evpn.reaches(world.documents, mine, new)
    assert evpn.reaches(world.documents, new, mine)
    assert not evpn.reaches(world.documents, mine, old)
    assert world.seen_forbidden == []


@pytest.mark.parametrize("step", LOOKED)
def test_a_slower_run_does_not_take_the_released_node_back(world, step):
    """It was started twice; the other one has ended while this one was in a hook."""
    slower = world.plan()
    world.run()
    said = world.taken_on(slower, step)
    if step == "join":  # it would change nothing
        assert said == []
        return
    assert len(said) == 2
    assert "is in t22-globex and up, where this run has not put it: another run moves" in said[0]


def killed_before_its_last_apply(world, step):
    """A run is killed at a step, its apply is not; the row of the next run, which has looked before it took effect."""
    row = world.plan()
    world.carried(row, step)
    world.write(row, step)
    next_run = world.plan()
    world.write(row, "quarantine" if step == "join" else step)
    world.apply(next_run["ports"][1].leaf)
    return next_run


@pytest.mark.parametrize("step", [step for step in LOOKED if step != "rest"])
def test_a_leaf_may_end_late_what_a_killed_run_asked_of_it(world, step):
    """The next run is at the same step, and takes that for its own."""
    next_run = killed_before_its_last_apply(world, step)
    assert next_run["steps"][0] == step
    assert world.taken_on(next_run, step) == []


def test_a_node_that_comes_late_into_rest_stops_a_run_that_wipes_it_again(world):
    """The next run but one wipes it."""
    next_run = killed_before_its_last_apply(world, "rest")
    assert next_run["steps"][0] == "open"
    assert "is in t2-rest and up, where this run" in world.taken_on(next_run, "open")[0]
    world.write(next_run, "open")
    assert world.plan()["steps"][:2] == ["open", "wipe"]


@pytest.mark.parametrize(
    "step", ["quarantine", "open", "wipe", "rest", "accept", "join", "release"]
)
def test_a_leaf_that_starts_again_as_it_was_stops_the_run(world, step):
    """Its ports are in the old VRF, where this run saw them first: no hook is run, and nothing released."""
    row, first = world.plan(), dict(world.documents)
    world.carried(row, step)
    assert world.taken_on(row, step) == []
    again = row["ports"][1].leaf
    world.documents[again] = first[again]
    (text,) = world.taken_on(row, step)
    assert f"of {again} is in t21-acme and up, where this run has not put it" in text


@pytest.mark.parametrize("step", ["wipe", "rest"])
def test_a_port_that_is_with_the_new_customer_too_early_stops_the_run(world, step):
    """Before any other leaf is changed: at this one's the rest would be up, here the new customer's VRF."""
    row = world.plan()
    world.carried(row, step)
    world.write(row, step)
    world.registry = world.registry.with_moves(
        {NODE: schema.MovingRecord.model_validate(row["records"]["join"])}
    )
    world.apply(row["ports"][1].leaf)
    world.write(row, step)
    row = world.plan()
    (text,) = world.taken_on(row, row["steps"][0])
    assert "is in t22-globex and up, where this run has not put it" in text
    assert text.endswith("or put the port into t1-quarantine by hand, and run again.")


def test_addresses_do_not_change(world):
    """The port keeps its address all along."""
    leaf, port = world.host(NODE)
    before = world.documents[leaf]["interface"][port]["ipv4"]
    world.run()
    assert world.documents[leaf]["interface"][port]["ipv4"] == before


@pytest.mark.parametrize("killed_after", range(ACTIONS))
def test_killed_anywhere_and_run_again(world, killed_after):
    """Wherever the controller is killed, the next run finishes, and isolation held throughout."""
    with pytest.raises(KilledError):
        world.run(killed_after=killed_after)
    assert world.seen_forbidden == []
    world.run()
    assert world.registry.holding(NODE).slug == "globex"
    for port in world.ports:
        assert world.documents[port.leaf]["interface"][port.port]["vrf"] == "t22-globex"
    assert world.seen_forbidden == []


@pytest.mark.parametrize("killed_after", range(0, ACTIONS, 3))
def test_killed_with_a_record_that_is_never_written(world, killed_after):
    """A record that a person committed says drain for ever: the switches tell how far it came."""
    world.registry = world.registry.with_moves({NODE: record("acme", "globex", "drain")})
    with pytest.raises(KilledError):
        world.run(killed_after=killed_after, write=False)
    world.run(write=False)
    assert world.seen_forbidden == []
    leaf, port = world.host(NODE)
    assert world.documents[leaf]["interface"][port]["vrf"] == "t22-globex"


@pytest.mark.parametrize("killed_after", range(2, ACTIONS - 8, 4))
def test_killed_twice(world, killed_after):
    """Two kills in a row are no worse than one."""
    for after in (killed_after, 3):
        with pytest.raises(KilledError):
            world.run(killed_after=after)
    world.run()
    assert world.registry.holding(NODE).slug == "globex"
    assert world.seen_forbidden == []


def test_a_second_run_has_nothing_to_do(world):
    """Once it has moved, a move of the node is nothing."""
    world.run()
    before = dict(world.documents)
    assert world.run() == []
    assert world.documents == before


@pytest.mark.parametrize("to", ["rest", "quarantine"])
def test_to_the_house(world, to):
    """Into rest or quarantine; nobody reaches the node there."""
    world.run(to)
    assert world.registry.holding(NODE).slug == to
    others = [world.host(node) for node in world.fabric.nodes() if node != NODE]
    assert not any(evpn.reaches(world.documents, other, world.host(NODE)) for other in others)
    assert not any(evpn.reaches(world.documents, world.host(NODE), other) for other in others)


@pytest.mark.parametrize("from_, to", list(itertools.permutations(ENDS, 2)))
def test_order_of_steps(from_, to):
    """Every pair of ends has an order; a node out of a tenant is shut before its VRF changes."""
    order = steps.of(from_, to)
    assert order
    assert [schema.STEPS.index(step) for step in order] == sorted(map(schema.STEPS.index, order))
    if from_ in ("acme", "globex"):
        assert order[:4] == ("drain", "shut", "quarantine", "withdraw")
    assert ("wipe" in order) == (from_ != "rest" and to != "quarantine")


def test_a_leaf_that_rolled_back_takes_the_move_back(world):
    """A port found with the old tenant after it left: everything is shut again first."""
    with pytest.raises(KilledError):
        world.run(killed_after=15)
    leaf, _port = world.host(NODE)
    stale = world.registry.with_moves({NODE: record("acme", "globex", "drain")})
    world.documents[leaf] = world.document(leaf, stale)
    assert world.plan()["steps"][0] == "shut"
    world.run()
    assert world.registry.holding(NODE).slug == "globex"


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("recorded", ["withdraw", "wipe", "rest", "join"])
def test_ports_back_with_the_old_tenant_are_shut_first_whether_up_or_not(registry, recorded, up):
    """A wipe of a node whose ports the old tenant may open is no wipe."""
    held = registry(TWO)
    found = ports(held, ("acme", up), ("acme", up))
    assert move.resume(held, record("acme", "globex", recorded), found).step == "shut"


@pytest.mark.parametrize(
    "from_, slug, step",
    [("acme", "quarantine", "open"), ("rest", "quarantine", "open"), ("acme", "rest", "rest")],
)
@pytest.mark.parametrize("recorded", ["verify", "release"])
def test_a_node_that_was_put_back_joins_again(registry, from_, slug, step, recorded):
    """Also where nobody could write into the registry that it was."""
    held = registry(TWO)
    found = [ObservedPort(leaf, "swp1s0", held.owner(slug).vrf, True) for leaf in ("one", "two")]
    assert move.resume(held, record(from_, "globex", recorded), found).step == step


@pytest.mark.parametrize(
    "slugs, step",
    [
        (("rest", "rest"), "accept"),
        (("quarantine", "quarantine"), "open"),
        (("rest", "quarantine"), "open"),
    ],
)
@pytest.mark.parametrize("to", ["globex", "rest"])
def test_a_node_that_failed_its_acceptance_begins_with_the_wipe(registry, slugs, step, to):
    """On its leaves, or on the one that was reached; a node still in rest is asked again."""
    held = registry(TWO)
    found = [ObservedPort(slug, "swp1s0", held.owner(slug).vrf, True) for slug in slugs]
    assert move.resume(held, record("acme", to, "accept"), found).step == step


def ports(registry, *places):
    """Return the ports of a node as leaves have them: (slug or VRF, up) each."""
    return [
        ObservedPort(
            f"leaf-{n}", "swp1s0", registry.owners[v].vrf if v in registry.owners else v, up
        )
        for n, (v, up) in enumerate(places, 1)
    ]


@pytest.mark.parametrize("from_", ["acme", "rest", "quarantine"])
@pytest.mark.parametrize("other", [("rest", True), ("globex", True)])
def test_a_join_that_was_killed_is_done_again(registry, from_, other):
    """Its ports are shut in quarantine before the first joins, so a part of them is found there."""
    held = registry(TWO)
    found = ports(held, ("quarantine", False), other)
    assert move.resume(held, record(from_, "globex", "join"), found).step == "join"


def test_a_node_that_another_clone_is_joining_is_left_to_it(registry):
    """Its second leaf would join when this run has wiped the node."""
    held = registry(TWO)
    found = ports(held, ("globex", True), ("quarantine", False))
    with pytest.raises(
        FabricError, match=r"is up in t22-globex, and another port of the node is shut"
    ):
        move.begin(held, NODE, "rest", found)


def test_a_node_whose_record_was_lost_still_comes_from_its_tenant(registry):
    """The old VRF's leaves are watched again, and the withdrawal is not skipped."""
    held = registry(TWO)
    found = ports(held, ("quarantine", False), ("quarantine", False))
    made = move.begin(held, NODE, "globex", found)
    assert (made.from_, move.resume(held, made, found).step) == ("acme", "withdraw")


@pytest.mark.parametrize(
    "places, remedy",
    [
        ((("acme", True), ("quarantine", True)), "run tenant_onboard -e spx_tenant=acme."),
        ((("acme", True), ("acme", False)), "run tenant_onboard -e spx_tenant=acme."),
        ((("t30-old", True), ("t30-old", True)), "run tenant_onboard -e spx_tenant=acme."),
    ],
)
def test_a_node_that_is_astray_is_not_wiped(registry, places, remedy):
    """Half an onboarding, or a leaf that rolled back, is no move, and it is not 'already there'."""
    held = registry(TWO)
    with pytest.raises(FabricError, match="that needs no move") as refused:
        move.begin(held, NODE, "acme", ports(held, *places))
    assert str(refused.value).endswith(remedy)
    there = ports(held, ("acme", True), ("acme", True))
    assert move.begin(held, NODE, "acme", there) is None


def test_a_node_at_work_is_not_wiped_for_a_leaf_that_came_back(registry):
    """It was away while the node moved: no step of a move leaves a node with two tenants."""
    held = registry(TWO)
    found = ports(held, ("acme", True), ("globex", True))
    with pytest.raises(FabricError, match="a move would shut and wipe the whole node") as refused:
        move.begin(held, NODE, "acme", found)
    assert "port swp1s0 of leaf-2 is still in t22-globex" in str(refused.value)
    assert str(refused.value).endswith("run tenant_onboard -e spx_tenant=acme.")
    assert move.begin(held, NODE, "quarantine", found).from_ == "acme"
    assert move.begin(held, NODE, "acme", ports(held, ("globex", True), ("globex", True)))


def test_a_node_that_a_third_tenant_has_is_not_taken_from_it(registry):
    """The registry lists it under acme, and somebody has moved it to globex without a commit here."""
    held = registry(TWO)
    found = ports(held, ("globex", True), ("globex", True))
    with pytest.raises(FabricError) as refused:
        move.begin(held, NODE, "quarantine", found, from_="acme")
    assert len(refused.value.sentences) == 2
    assert refused.value.sentences[0].startswith(
        "spx_nodes: worker-su01-rack01-h01 goes from acme to quarantine, and port swp1s0 of leaf-1 is in t22-globex, "
        "which is globex's: where that tenant has the node, commit the move that was made"
    )
    assert move.begin(held, NODE, "quarantine", found).from_ == "globex"
    own = ports(held, ("acme", True), ("quarantine", False))
    assert move.begin(held, NODE, "quarantine", own, from_="acme").from_ == "acme"


@pytest.mark.parametrize("to", ["globex", "rest"])
def test_a_node_that_no_move_brought_to_its_goal_is_not_there_already(registry, to):
    """Its ports are there by hand, or the registry was restored from before the move: nobody wiped it."""
    held = registry(TWO)
    found = ports(held, (to, True), (to, True))
    with pytest.raises(FabricError) as refused:
        move.begin(held, NODE, to, found)
    assert str(refused.value) == (
        f"spx_nodes: the leaves have {NAME} in {held.owner(to).vrf}, and the registry lists it under acme, so "
        "nothing shows that it was wiped on its way: use the registry of the run that moved it, or run tenant_move -e "
        f"spx_tenant=acme -e spx_nodes={NAME} first, and run again."
    )
    assert move.begin(held.with_nodes(to, [NODE]), NODE, to, found) is None


@pytest.mark.parametrize("listed", ["quarantine", "rest"])
def test_a_node_in_quarantine_needs_no_move_there(registry, listed):
    """It is where nobody must be wiped; a fleet run brings a clean node back to rest."""
    held = registry(TWO).with_nodes(listed, [NODE])
    found = ports(held, ("quarantine", True), ("quarantine", True))
    assert move.begin(held, NODE, "quarantine", found) is None


@pytest.mark.parametrize("listed", ["acme", "quarantine", "rest"])
def test_the_way_out_of_a_tenant_that_the_registry_does_not_say_is_a_wipe(registry, world, listed):
    """To where the registry says, from where the ports are; a node that was wiped in rest is not wiped twice."""
    world.registry = registry(TWO).with_nodes("globex", [NODE])
    for leaf in world.leaves:
        world.apply(leaf)
    world.registry = registry(TWO).with_nodes(listed, [NODE])
    with pytest.raises(FabricError, match=f"run tenant_move -e spx_tenant={listed} "):
        world.plan("globex")
    row = world.plan(listed)
    assert (row["record"]["from"], row["record"]["to"]) == ("globex", listed)
    assert ("wipe" in row["steps"]) is (listed != "quarantine")
    if listed == "quarantine":
        assert row["health"] == {"had": "globex", "passed": []}
    world.run(listed)
    world.finish(listed)
    assert ("wipe" in world.plan("globex")["steps"]) is (listed != "rest")


def test_another_goal_is_refused(world):
    """A node on its way somewhere is not sent elsewhere."""
    world.registry = world.registry.with_moves({NODE: record("acme", "globex", "wipe")})
    with pytest.raises(
        FabricError, match=r"is moving from acme to globex .* or take its record out of moving"
    ):
        world.plan("rest")


def test_the_registry_was_edited_first(world, registry):
    """The lists already say globex, the switches acme: the switches say where it comes from."""
    text = TWO.replace("['*/h01']", "[su02/h01]").replace("['*/h02']", "['*/h02', su01/h01]")
    world.registry = registry(text)
    assert world.plan()["record"]["from"] == "acme"


REST = {"since": "2026-01-01", "reason": "dead"}


def test_what_a_dead_leaf_has_is_deferred(load, registry):
    """It is named, and neither read nor changed."""
    fabric = load(out_of_service=[{"device": "leaf-p1-su001-r2", **REST}])
    plan = move_plan.plan(
        fabric, registry(TWO, fabric), [NODE], move_plan.Order("globex", applied={}, **WIPES)
    )
    row = plan["nodes"][NAME]
    assert [at.nic for at in row["ports"] if at.deferred] == ["rail2p1"]
    assert [at.nic for at in move_plan.changed(row)] == ["rail1p1"]
    assert any("deferred" in line for line in plan["lines"])


@pytest.mark.parametrize(
    "row",
    [{"device": NAME, "port": "rail2p1"}, {"device": "leaf-p1-su001-r2", "port": "swp1s0"}],
)
@pytest.mark.parametrize("killed_after", [None, *range(0, ACTIONS, 3)])
def test_a_port_out_of_service_moves_with_its_node(load, registry, row, killed_after):
    """Its leaf is in service: it leaves the tenant before with the others, and stays shut."""
    fabric = load(out_of_service=[{**row, **REST}])
    world = World(fabric, registry(TWO, fabric))
    leaf, port = world.host(NODE, 1)
    told = world.plan()
    assert not any(at.deferred for at in told["ports"])
    if killed_after is None:
        assert world.run() == list(schema.STEPS)
    else:
        with pytest.raises(KilledError):
            world.run(killed_after=killed_after)
        world.run()
    held = world.documents[leaf]["interface"][port]
    assert (held["vrf"], held["link"]["state"]) == ("t22-globex", {"down": {}})
    assert world.seen_forbidden == []
    assert world.run() == []


def test_a_port_out_of_service_that_is_still_open_is_shut_first(load, registry):
    """As one in service would be: a leaf may not have heard yet that it is out of service."""
    fabric = load(out_of_service=[{"device": NAME, "port": "rail2p1", **REST}])
    held = registry(TWO, fabric)
    found = [
        ObservedPort("leaf-1", "swp1s0", "t1-quarantine", True),
        ObservedPort("leaf-2", "swp1s0", "t21-acme", True, resting=True),
    ]
    assert move.resume(held, record("acme", "globex", "wipe"), found).step == "shut"
    said = move.misplaced(held, NODE, record("acme", "globex", "open"), found)
    assert len(said) == 1
    assert "step open puts it in t1-quarantine, shut" in said[0]


# Gates


def test_misplaced(lab, registry):
    """A port elsewhere is reported as moving, with what it should be."""
    found = [ObservedPort("leaf-1", "swp1", "t21-acme", True)]
    (said,) = move.misplaced(registry(TWO), NODE, record("acme", "globex", "quarantine"), found)
    assert said.startswith(f"{NAME} is moving: port swp1 of leaf-1 is in t21-acme and up")
