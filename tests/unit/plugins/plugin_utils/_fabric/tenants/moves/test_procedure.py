# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of each playbook of tenants: steps, hooks, edits of the registry, and what is said before."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    attachments,
    steps,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    entry,
    jobs,
    move_plan,
    procedure,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    LeafError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.move_run import (
    Mover,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.records import (
    Job,
    RegistryEdit,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.observed_ports import (
    seen,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import records

from ..converged_lab import laboratory
from ..memory import Book, Leaf, Leaves, Memory, clock
from ..tenants import NODE, TENANTS, WIPED

TO_GLOBEX = list(steps.of("acme", "globex"))
HANDS_BACK = list(steps.of("acme", "quarantine"))
PLACE = "su01/h01"
FAR = "leaf-p1-su002-r1"
SPARE, SPARE_NAME = "su02/h03", "worker-su02-rack02-h03"


class Watched(Leaves):
    """Leaves in memory; those in `silent` do not answer, and nobody may change any."""

    silent = ()

    def each(self, names, work):
        def answering(leaf: Leaf):
            if leaf.name in self.silent:
                raise LeafError(f"{leaf.name}: does not answer.")
            return work(leaf)

        return super().each(names, answering)


def as_kept(job):
    """A job as playbooks read it, which the store of the run returns as it was."""
    kept = json.loads(json.dumps(records.plain(job)))
    assert records.typed(Job, kept, "job") == job
    return kept


def rows_of(kept):
    """The moves of nodes of a job that was kept."""
    return records.typed(Job, kept, "job").nodes


class World(Memory):
    """The laboratory, its leaves as a registry has them."""

    def __init__(self, fabric, registry):
        self.registry = registry
        names = [fabric.name(switch) for switch in fabric.switches() if switch.role == "leaf"]
        made = {
            name: compose.document(fabric, name, ["tenants"], tenants=registry) for name in names
        }
        super().__init__(fabric, made)
        self.at = Watched(self)

    def brought(self, name, document):
        raise AssertionError(f"{name} was changed by a plan")

    def plan(self, job, tenant, nodes=(), **more):
        given = {"written": True, "hooks": ["wipe"], "today": "2026-11-23", **more}
        order = procedure.Order(job, tenant, nodes=jobs.expand(self.fabric, nodes), **given)
        return as_kept(procedure.plan(self.fabric, self.registry, self.at, order))


MANAGED = ("switch_base", "switch_underlay", "switch_roce", "switch_tenants")


@pytest.fixture
def world(load, registry):
    """Return a function that makes a world of a registry's text."""

    def _world(text=TENANTS, *, manage=MANAGED):
        fabric = load(manage=list(manage))
        return World(fabric, registry(text, fabric))

    return _world


def said(exc):
    """The sentences of a refusal as one text."""
    return " ".join(exc.value.sentences)


def test_a_move(world):
    made = world().plan("move", "globex", [PLACE], hooks=["wipe", "storage_add"])
    assert made["steps"] == TO_GLOBEX
    assert list(made["nodes"]) == [NODE]
    assert made["enter"] is None
    begin, end = made["edits"]["begin"], made["edits"]["end"]
    assert begin["moves"][NODE] == {"from": "acme", "to": "globex", "step": "drain"}
    assert begin["moves_at"] == {NODE: ""}
    assert (end["slug"], end["add_nodes"], end["take"]) == ("globex", [NODE], True)
    assert (end["moves"], end["moves_at"]) == ({NODE: {}}, {NODE: "release"})
    assert end["health"] == {NODE: {}}


def test_hooks_of_a_move_are_told_who_and_whence(world):
    site = ["wipe", "storage_remove", "storage_add"]
    made = world().plan("move", "globex", [PLACE], hooks=site)
    assert {step: [row["name"] for row in rows] for step, rows in made["hooks"].items()} == {
        "drain": ["storage_remove"],
        "wipe": ["wipe"],
        "accept": [],
        "release": ["storage_add"],
    }
    rows = [row for each in made["hooks"].values() for row in each]
    assert {(row["node"], row["from"], row["to"]) for row in rows} == {(NODE, "acme", "globex")}
    (bmc,) = world().fabric.locate({row["bmc"] for row in rows}.pop())
    assert (bmc["device"], bmc["unit"]) == (NODE, "bmc")
    networks = {row["name"]: {p["network"] for p in row["prefixes"]} for row in rows}
    assert networks["storage_remove"] == {"east-west", "storage"}  # acme's
    assert networks["storage_add"] == {"east-west"}  # globex's
    assert made["lines"][-3:] == [
        "  hooks of the site: storage_remove, wipe, storage_add",
        "  missing hooks (skipped): drain, firmware, acceptance, release",
        "  disturbed: the ports of 1 node on 2 leaves, and no others",
    ]
    assert world().plan("move", "globex", [PLACE], hooks=site, check=True)["lines"] == made["lines"]


@pytest.mark.parametrize("to", ["rest", "quarantine"])
def test_what_is_known_of_a_node_in_the_house_is_kept(world, to):
    end = world().plan("move", to, [PLACE])["edits"]["end"]
    known = end["health"][NODE]
    assert (known["since"], known["had"]) == ("2026-11-23", "acme")
    assert ("clean" in known) == (to == "rest")


def test_a_move_that_is_done_has_nothing_to_do(world):
    made = world().plan("move", "acme", [PLACE])
    assert (made["steps"], made["edits"], made["hooks"]) == ([], {}, {})
    assert f"{NODE} is acme's already" in made["lines"]


def test_onboarding(world):
    made = world().plan("onboard", "acme", [SPARE])
    assert made["steps"] == ["enter"]
    assert (made["extra"], made["gone"], made["nodes"]) == ([SPARE_NAME], [], {})
    assert SPARE_NAME in made["enter"]["nodes"]
    assert NODE in made["enter"]["nodes"]
    assert {*made["enter"]["ending"]} == {*made["leaves"]}
    (edit,) = made["edits"].values()
    assert records.typed(RegistryEdit, edit, "edit") == RegistryEdit(
        slug="acme", add_nodes=[SPARE_NAME], health={SPARE_NAME: {}}
    )
    assert not any("hooks of the site" in line for line in made["lines"])


def test_onboarding_what_the_registry_has_edits_nothing(world):
    made = world().plan("onboard", "acme", written=False)
    assert (made["steps"], made["edits"]) == (["enter"], {})


def test_resizing(world):
    made = world().plan("resize", "acme", ["su02/h01", SPARE])
    assert made["steps"] == [*HANDS_BACK, "enter"]
    assert (made["extra"], made["gone"]) == ([SPARE_NAME], [NODE])
    assert NODE not in made["enter"]["nodes"]
    assert made["edits"]["begin"]["moves"][NODE]["to"] == "quarantine"
    edit = made["edits"]["nodes"]
    assert (edit["add_nodes"], edit["remove_nodes"]) == ([SPARE_NAME], [NODE])
    left = {"since": "2026-11-23", "had": "acme", "passed": []}
    assert edit["health"] == {SPARE_NAME: {}, NODE: left}
    assert (edit["moves"], edit["moves_at"]) == ({NODE: {}}, {NODE: HANDS_BACK[-1]})


@pytest.mark.parametrize("job", ["onboard", "resize", "offboard"])
def test_what_a_playbook_would_pass_over_is_refused(world, job):
    """Of a tenant that is to give back one node, offboarding would take all of them."""
    with pytest.raises(FabricError) as caught:
        world().plan(job, "globex", acceptance="burn-in")
    assert str(caught.value) == (
        f"variable spx_acceptance: tenant_{job} brings no node to rest: leave it out, or run tenant_move."
    )
    if job != "offboard":
        return
    with pytest.raises(FabricError) as caught:
        world().plan(job, "globex", [PLACE])
    assert str(caught.value) == (
        "variable spx_nodes: tenant_offboard takes back all nodes of globex: leave it out, or give these nodes back "
        "with tenant_move -e spx_tenant=quarantine."
    )


@pytest.mark.parametrize(("job", "tenant"), [("move", "globex"), ("offboard", "acme")])
def test_an_approved_file_cannot_hold_a_move(world, job, tenant):
    """Its second step would be refused, with the node drained and its record written."""
    nodes = [PLACE] if job == "move" else []
    with pytest.raises(FabricError) as caught:
        world().plan(job, tenant, nodes, approved=True)
    assert str(caught.value) == (
        "variable spx_approved: a move changes each leaf several times, and a file holds one change of each: leave it "
        "out."
    )
    assert world().plan("onboard", "acme", approved=True)["steps"] == ["enter"]


def strange(made, vrf):
    """Put a port of the spare node into a VRF, as a killed run and an edit of the registry left it."""
    (row,) = [r for r in made.fabric.slice(SPARE_NAME)["ports"] if r["peer"]["device"] == FAR]
    made.documents[FAR]["interface"][row["peer"]["port"]]["vrf"] = vrf
    return row["peer"]["port"]


@pytest.mark.parametrize(
    ("job", "nodes"), [("onboard", []), ("offboard", []), ("resize", ["su02/h01"])]
)
def test_somebody_else_in_the_vrf_of_a_tenant_stops_its_job(world, job, nodes):
    """Its VRF would be handed over, or its tenant retired, with a node of nobody's in it."""
    made = world()
    port = strange(made, "t21-acme")
    with pytest.raises(FabricError) as caught:
        made.plan(job, "acme", nodes)
    assert str(caught.value) == (
        f"tenant drift: port {port} of {FAR} ({SPARE_NAME}) is in t21-acme, and registry says quarantine: run "
        f"tenant_move -e spx_tenant=quarantine -e spx_nodes={SPARE_NAME}, and run again."
    )


def test_who_is_on_its_way_there_or_away_is_no_stranger(world):
    for ends in ("from: acme, to: quarantine", "from: quarantine, to: acme"):
        made = world(TENANTS + f"moving: {{{SPARE_NAME}: {{{ends}, step: open}}}}\n")
        strange(made, "t21-acme")
        assert made.plan("onboard", "acme")["steps"] == ["enter"]
    made = world()
    strange(made, "t21-acme")
    assert SPARE_NAME in made.plan("onboard", "acme", [SPARE])["enter"]["nodes"]


def test_offboarding(world):
    made = world().plan("offboard", "globex")
    assert made["steps"] == HANDS_BACK
    (name,) = made["nodes"]
    end = made["edits"]["end"]
    assert (end["slug"], end["state"], end["remove_nodes"]) == ("globex", "absent", [name])
    assert end["health"][name]["had"] == "globex"
    assert "clean" not in end["health"][name]


def test_a_tenant_that_has_left_has_nothing_to_do(world):
    made = world().plan("offboard", "initech", written=False)
    assert (made["steps"], made["edits"]) == ([], {})
    assert made["lines"] == ["initech has left already"]


ORDERS = [
    ("move", "globex", [PLACE]),
    ("resize", "acme", ["su02/h01"]),
    ("offboard", "globex", []),
]


@pytest.mark.parametrize(("job", "tenant", "nodes"), ORDERS)
@pytest.mark.parametrize("how", ["check", "unmanaged"])
def test_nothing_moves_in_check_mode_or_where_tenants_are_not_managed(
    world, job, tenant, nodes, how
):
    made = world(manage=MANAGED if how == "check" else MANAGED[:-1]).plan(
        *(job, tenant, nodes), written=how == "check", check=how == "check"
    )
    assert made["acts"] is False
    assert {*made["steps"]} <= {"enter"}
    assert (made["hooks"], "begin" in made["edits"], "end" in made["edits"]) == ({}, False, False)
    assert made["nodes"]  # who would move is known all the same
    unmanaged = [line for line in made["lines"] if "does not list switch_tenants" in line]
    assert len(unmanaged) == (how == "unmanaged")


def test_check_mode_shows_who_would_enter(world):
    made = world().plan("onboard", "acme", [SPARE], check=True)
    assert (made["acts"], made["steps"]) == (False, ["enter"])
    assert made["edits"]["nodes"]["add_nodes"] == [SPARE_NAME]


@pytest.mark.parametrize(("job", "tenant", "nodes"), ORDERS)
def test_a_move_without_a_record_is_refused(world, job, tenant, nodes):
    with pytest.raises(FabricError) as caught:
        world().plan(job, tenant, nodes, written=False)
    assert said(caught).startswith(
        "variable spx_registry_write: a move needs its record in the registry: add -e spx_registry_write=true"
    )
    assert len(caught.value.sentences) == 1
    checked = world().plan(job, tenant, nodes, written=False, check=True)
    assert checked["lines"][-1] == said(caught)
    assert checked["nodes"] == world().plan(job, tenant, nodes, check=True)["nodes"]


def test_a_record_that_somebody_has_written_will_do(world):
    with pytest.raises(FabricError) as caught:
        world().plan("move", "globex", [PLACE], written=False)
    proposed = {NODE: {"from": "acme", "to": "globex", "step": "drain"}}
    flow = f"{{{NODE}: {{from: acme, to: globex, step: drain}}}}"
    assert said(caught).endswith(f", or write and commit moving: {flow}.")
    made = world(f"{TENANTS}moving: {json.dumps(proposed)}\n").plan(
        *("move", "globex", [PLACE]), written=False
    )
    assert made["steps"] == TO_GLOBEX


@pytest.mark.parametrize(("job", "tenant", "nodes"), [*ORDERS, ("onboard", "acme", [])])
def test_one_leaf_that_does_not_answer_refuses_everything(world, job, tenant, nodes):
    here = world()
    for leaf in here.plan(job, tenant, nodes)["leaves"]:
        here.at.silent = [leaf]
        with pytest.raises(FabricError) as caught:
            here.plan(job, tenant, nodes)
        assert caught.value.sentences == [f"{leaf}: does not answer."]


def test_a_leaf_that_only_watches_is_asked_too(world):
    here = world()
    made = here.plan("move", "globex", [PLACE])
    watching = {*made["watched"]} - {*made["leaves"]}
    assert watching
    here.at.silent = watching
    with pytest.raises(FabricError) as caught:
        here.plan("move", "globex", [PLACE])
    assert len(caught.value.sentences) == len(watching)


def test_nodes_are_not_moved_to_a_service(world):
    text = TENANTS + "services: [{id: 4, slug: storage}]\n"
    with pytest.raises(FabricError, match="'storage' is a service"):
        world(text).plan("move", "storage", [PLACE])


def test_every_job_of_the_playbooks_has_a_plan():
    assert {job for job, _tenant, _nodes in ORDERS} | {"onboard"} == {*procedure.JOBS}


# A tenant with all networks, on the converged laboratory

ALL = "networks: [east-west, front-end, storage]"
NETWORKS = f"""\
tenants:
  - id: 21
    slug: acme
    nodes: [su01/h01, su02/h01]
    {ALL}
    external_peers: [{{name: isp, link: isp-a, asn: 64496}}]
  - {{id: 22, slug: globex, nodes: [su01/h02], {ALL}}}
rest: [{{nodes: [su01/h03]}}]
health: {{worker-su01-rack02-h03: {{{WIPED}}}}}
"""


class Beside(Memory):
    """The converged laboratory, whose leaves take what they are brought.

    `refuses` are leaves, with how many changes each takes before it takes none.
    """

    def __init__(self, fabric, registry):
        self.registry, self.order = registry, []
        made = {
            fabric.name(switch): compose.document(fabric, switch, ["tenants"], tenants=registry)
            for switch in fabric.switches()
            if "leaf" in switch.role
        }
        super().__init__(fabric, made)
        self.at = Leaves(self)
        self.wrong, self.refuses = [], {}

    def brought(self, name, document):
        if name in self.refuses:
            self.refuses[name] -= 1
            if self.refuses[name] < 0:
                raise LeafError(f"{name}: refused.")
        super().brought(name, document)
        self.order.append(name)
        self.look()

    def noted(self, records):
        """Records are kept in the rows of the plan."""

    def look(self):
        """No node is up with two customers, on whichever networks."""
        for node in self.fabric.nodes():
            ports = seen(self.registry, self.documents, attachments.of_node(self.fabric, node))
            with_ = {port.vrf for port in ports if port.up} - {"t1-quarantine", "t2-rest"}
            if len(with_) > 1:
                self.wrong.append((self.fabric.name(node), with_))

    def plan(self, job, tenant, nodes=(), **more):
        given = {"written": True, "hooks": ["wipe"], "today": "2026-11-23", **more}
        order = procedure.Order(job, tenant, nodes=jobs.expand(self.fabric, nodes), **given)
        return as_kept(procedure.plan(self.fabric, self.registry, self.at, order))

    def move(self, made, *, at="", refuses=None):
        """Carry out the steps of a move without hooks; from the step `at` on, leaves refuse."""
        rows = rows_of(made)
        mover = Mover(self.fabric, self.registry, self.at, Book(self), rows, clock(), wait=0)
        for step in made["steps"]:
            if step in steps.STEPS and not steps.STEPS[step].hooks:
                self.refuses = dict(refuses or {}) if step == at else self.refuses
                mover.begin(step)
                mover.carry_out(step)


@pytest.fixture
def beside(load, registry):
    """Return the converged laboratory with two tenants on all networks."""
    fabric = load("lab-converged")
    return Beside(fabric, registry(NETWORKS, fabric))


def access(world, leaf, bond):
    """Return the VLAN of a bond, None where it is shut."""
    return (
        world.documents[leaf]["interface"][bond]
        .get("bridge", {})
        .get("domain", {})
        .get("br_default", {})
        .get("access")
    )


PAIRS = ("front-end-leaf-001-1", "front-end-leaf-001-2", "storage-leaf-001-1", "storage-leaf-001-2")


def test_a_node_moves_with_all_its_networks(beside):
    """Its address on the front end changes, which the plan says; others keep theirs."""
    made = beside.plan("move", "globex", [PLACE])
    assert [line for line in made["lines"] if "address" in line] == [
        "  front-end: its address changes by DHCP, from 10.208.14.0/23 to 10.208.16.0/23 (VLAN 22)",
        "  storage: its address changes by DHCP, from 10.216.14.0/23 to 10.216.16.0/23 (VLAN 2022)",
    ]
    assert set(PAIRS) <= set(made["leaves"])
    before = {leaf: access(beside, leaf, "bond2") for leaf in PAIRS}
    beside.move(made)
    assert [access(beside, leaf, "bond1") for leaf in PAIRS] == [22, 22, 2022, 2022]
    assert {leaf: access(beside, leaf, "bond2") for leaf in PAIRS} == before
    assert beside.wrong == []


def test_the_other_networks_are_shut_first_and_opened_last(beside):
    made = beside.plan("move", "globex", [PLACE])
    beside.move(made)
    rails = {at.leaf for at in move_plan.changed(rows_of(made)[NODE], "east-west")}
    shut, joined = beside.order[:6], beside.order[-6:]
    assert set(shut[:4]) == set(joined[2:]) == set(PAIRS)
    assert set(shut[4:]) == set(joined[:2]) == rails


RAIL = "leaf-p1-su001-r1"
FAILED = [  # step, leaf, changes that it takes before, owners on the rails, the front end and storage
    ("shut", PAIRS[0], 0, "acme", "acme", ""),
    ("shut", PAIRS[2], 0, "acme", "", "acme"),
    ("shut", RAIL, 0, "acme", "", ""),
    ("quarantine", PAIRS[0], 0, "", "", ""),
    ("quarantine", RAIL, 0, "", "", ""),
    ("open", PAIRS[0], 0, "quarantine", "quarantine", ""),
    ("open", RAIL, 0, "quarantine", "", ""),
    ("rest", PAIRS[0], 0, "rest", "quarantine rest", ""),
    ("rest", RAIL, 0, "quarantine rest", "quarantine", ""),
    ("join", PAIRS[0], 0, "rest", "rest", ""),
    ("join", PAIRS[0], 1, "globex", "globex", "globex"),
    ("join", PAIRS[2], 1, "globex", "globex", "globex"),
    ("join", RAIL, 0, "rest", "", ""),
    ("join", RAIL, 1, "", "", ""),
]


@pytest.mark.parametrize(("at", "leaf", "changes", "rails", "front", "storage"), FAILED)
def test_where_a_node_is_when_one_network_fails(beside, at, leaf, changes, rails, front, storage):
    """Page networks_tenants, When one network fails: a node has less, never more."""
    made = beside.plan("move", "globex", [PLACE])
    with pytest.raises(FabricError, match=f"{leaf}: refused"):
        beside.move(made, at=at, refuses={leaf: changes})
    ports = attachments.of_node(beside.fabric, beside.fabric.slot(PLACE))
    found = {"rails": set(), "front-end": set(), "storage": set()}
    for port in seen(beside.registry, beside.documents, ports):
        network = next((name for name in found if port.leaf.startswith(name)), "rails")
        found[network].update([port.vrf.partition("-")[2]] if port.up else [])
    assert {network: " ".join(sorted(owners)) for network, owners in found.items()} == {
        "rails": rails, "front-end": front, "storage": storage
    }  # fmt: skip
    assert beside.wrong == []


def test_in_quarantine_a_node_has_no_storage(beside):
    beside.move(beside.plan("move", "quarantine", [PLACE]))
    assert [access(beside, leaf, "bond1") for leaf in PAIRS] == [11, 11, None, None]
    (swp,) = {
        port.swp
        for port in attachments.of_node(beside.fabric, beside.fabric.slot(PLACE))
        if port.leaf == PAIRS[2]
    }
    assert "down" in beside.documents[PAIRS[2]]["interface"][swp]["link"]["state"]


def test_a_tenant_ends_on_all_networks(beside):
    """Its nodes leave first, then its sessions and its storage."""
    made = beside.plan("offboard", "acme")
    assert made["steps"] == [*HANDS_BACK, procedure.LEAVE]
    assert "on 3 leaves of the converged fabric" in " ".join(made["lines"])
    beside.move(made)
    gone = beside.registry.with_nodes(
        "quarantine", jobs.expand(beside.fabric, ["su01/h01", "su02/h01"])
    )
    entry.leave(gone, beside.at, "acme", made["others"])
    for name, document in beside.documents.items():
        assert not {"t21-acme", "s21-acme"} & document.get("vrf", {}).keys(), name
        assert not {"vlan21", "vlan2021"} & document.get("interface", {}).keys(), name
    assert "t22-globex" in beside.documents[PAIRS[0]]["vrf"]


def test_a_tenant_is_onboarded_on_all_networks(beside):
    """A node of rest enters last on the converged leaves; nobody else changes."""
    made = beside.plan("onboard", "globex", ["su01/h03"])
    assert made["enter"]["others"] == [*PAIRS]
    assert "  storage: s22-globex, VLAN 2022, 10.216.16.0/23, L3VNI 4200022" in made["lines"]
    nodes = jobs.expand(beside.fabric, made["enter"]["nodes"])
    then = beside.registry.with_nodes("globex", jobs.expand(beside.fabric, made["extra"]))
    entry.enter(
        *(then, beside.at, nodes, made["enter"]["ending"]),
        others=made["enter"]["others"],
        tenants=["globex"],
    )
    assert [access(beside, leaf, "bond3") for leaf in PAIRS] == [22, 22, 2022, 2022]
    assert set(beside.order[-4:]) == set(PAIRS)
    assert beside.wrong == []


def test_a_tenant_is_resized_on_all_networks(beside):
    """One node is given back before another one comes, and the tenant stays where it is."""
    made = beside.plan("resize", "acme", ["su02/h01", "su01/h03"])
    assert {*made["enter"]["others"]} >= {*PAIRS}
    beside.move(made)
    gone = beside.registry.with_nodes("quarantine", jobs.expand(beside.fabric, made["gone"]))
    then = gone.with_nodes("acme", jobs.expand(beside.fabric, made["extra"]))
    nodes = jobs.expand(beside.fabric, made["enter"]["nodes"])
    entry.enter(
        *(then, beside.at, nodes, made["enter"]["ending"]),
        others=made["enter"]["others"],
        tenants=["acme"],
    )
    assert [access(beside, leaf, "bond1") for leaf in PAIRS] == [11, 11, None, None]
    assert [access(beside, leaf, "bond3") for leaf in PAIRS] == [21, 21, 2021, 2021]
    assert beside.wrong == []
    border = beside.documents["border-leaf-01-1"]
    assert "t21-acme" in border["vrf"]


def test_a_session_that_stays_down_is_a_gate(beside):
    world = beside
    paths = {"vrf/t21-acme/router/bgp/neighbor": {"swp1s0.3021": {"state": "Idle (Admin)"}}}
    border = ["border-leaf-01-1", PAIRS[0]]
    port = next(
        port["port"]
        for port in world.fabric.slice(world.fabric.known(border[0]))["ports"]
        if "link" in port
    )
    world.tables = {path: {f"{port}.3021": body["swp1s0.3021"]} for path, body in paths.items()}
    with pytest.raises(FabricError) as caught:
        entry.await_sessions(world.registry, world.at, "acme", border, clock(), 5)
    assert said(caught) == (
        f"border-leaf-01-1: the session of acme with isp ({port}.3021, link isp-a) in t21-acme is idle: check whether "
        "the neighbour has AS 64496, its end of the link and the password, and run again."
    )
    world.tables = {path: {f"{port}.3021": {"state": "Established"}} for path in paths}
    assert entry.await_sessions(world.registry, world.at, "acme", border, clock(), 5) is None


def test_a_port_of_somebody_else_in_the_tenants_vlan_stops_the_job(beside):
    """Also on the converged leaves."""
    document = beside.documents[PAIRS[0]]["interface"]
    document["bond2"]["bridge"]["domain"]["br_default"]["access"] = 21
    with pytest.raises(FabricError) as caught:
        beside.plan("onboard", "acme")
    assert (
        f"tenant drift: port bond2 of {PAIRS[0]} (worker-su01-rack01-h02) is in t21-acme, and registry says globex: "
        "run tenant_move -e spx_tenant=globex -e spx_nodes=worker-su01-rack01-h02, and run again."
    ) in caught.value.sentences


def test_onboarding_touches_as_few_leaves_in_a_large_fabric(load, registry):
    """The leaves of its nodes, arrays and links, whatever the size."""
    fabric = load("b300-1024-converged")
    found = registry(NETWORKS.split("rest:", maxsplit=1)[0].replace("su02/h01", "su01/h03"), fabric)
    job = jobs.onboarding(found, "acme")
    assert len(job.others) == 2 + 2 + 1


def test_a_route_to_a_routed_link_in_the_old_vrf_stops_the_move(registry):
    """Every leaf that may have the VRF is asked: of the tenant's nodes, of arrays, of its links outside."""
    fabric = laboratory(front_end={"attachment": "routed"})
    world = Beside(fabric, registry(NETWORKS, fabric))
    made = world.plan("move", "globex", [PLACE])
    row = rows_of(made)[NODE]
    assert row["others_links"] == {"t21-acme": ["10.160.0.0/31", "10.160.0.2/31"]}
    assert {"border-leaf-01-1", *PAIRS} <= {*row["old_watched"]}
    assert "  front-end: into t22-globex, its addresses stay" in made["lines"]
    path = "vrf/t21-acme/router/rib/ipv4"
    world.tables = {path: {"route": {"10.160.0.2/31": {}}}}
    with pytest.raises(FabricError) as caught:
        world.move({**made, "steps": ["shut", "quarantine", "withdraw"]})
    assert (
        f"{NODE} stays in quarantine: border-leaf-01-1 still holds 10.160.0.2/31 in the routing table of t21-acme"
    ) in said(caught)
