# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of each playbook of tenants: steps, hooks, edits of the registry, and what is said before."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import (
    jobs,
    procedure,
    steps,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.leaf import (
    LeafError,
)

from .memory import Leaf, Leaves, Memory
from .tenants import NODE, TENANTS

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
        made = procedure.plan(self.fabric, self.registry, self.at, order)
        assert json.loads(json.dumps(made)) == made  # it becomes a fact
        return made


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
    assert made["enter"] == {}
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
    networks = {row["name"]: {p["network"] for p in row["prefixes"]} for row in rows}
    assert networks["storage_remove"] == {"east-west", "storage"}  # acme's
    assert networks["storage_add"] == {"east-west"}  # globex's
    assert made["lines"][-3:] == [
        "  hooks of the site: storage_remove, wipe, storage_add",
        "  hooks that the site lacks: drain, firmware, acceptance, release; nothing is done there",
        "  disturbed: the ports of 1 node on 2 leaves, and nobody else",
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
    assert made["edits"] == {
        "nodes": {
            "slug": "acme",
            "add_nodes": [SPARE_NAME],
            "remove_nodes": [],
            "health": {SPARE_NAME: {}},
        }
    }
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
