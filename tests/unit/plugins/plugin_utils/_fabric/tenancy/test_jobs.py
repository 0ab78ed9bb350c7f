# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tenant playbooks are told: plans, gates on a leaf, hand-over, health."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import (
    desk,
    jobs,
    schema,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cabling import (
    Node,
)

sys.path.insert(0, str(Path(__file__).parent))

import evpn

TEXT = (
    "tenants:\n"
    "  - {id: 21, slug: acme, nodes: ['*/h01'], networks: [east-west, storage], shared: [storage]}\n"
    "  - {id: 22, slug: globex, nodes: [su02/h02]}\n"
    "rest: [{nodes: [su01/h02], acceptance: burn-in}]\n"
    "health: {worker-su01-rack01-h02: {since: '2026-11-01', passed: [wipe], no_hook: [acceptance]}}\n"
    "retired: [{id: 30, slug: initech}]\n"
)
NAME = "worker-su01-rack01-h01"


@pytest.fixture
def ask(lab, tmp_path):
    """Return a function that puts a question to the desk, over a registry file."""
    path = tmp_path / "tenants.yml"
    path.write_text(TEXT)

    def _ask(term, **asked):
        answer = desk.answer(lab, term, asked, str(path))
        json.dumps(answer)
        return answer

    return _ask


def test_onboarding_touches_the_tenants_leaves(ask):
    """Leaves of its nodes and no others; what is not realised is said."""
    plan = ask("onboard", tenant="globex")
    assert plan["leaves"] == ["leaf-p1-su002-r1", "leaf-p1-su002-r2"]
    assert plan["lines"][0].startswith("onboard globex (id 22): 1 node into t22-globex")
    assert any("not imported: storage" in line for line in ask("onboard", tenant="acme")["lines"])


def test_onboarding_with_nodes(ask):
    """Nodes from quarantine and rest may come along; another tenant's may not."""
    plan = ask("onboard", tenant="globex", nodes=["su01/[02-03]"])
    assert plan["added"] == ["worker-su01-rack01-h02", "worker-su01-rack02-h03"]
    assert len(plan["leaves"]) == 4
    with pytest.raises(FabricError, match=r"worker-su01-rack01-h01 is acme's: move it with"):
        ask("onboard", tenant="globex", nodes=["su01/h01"])


@pytest.mark.parametrize(
    "quota, moving, part",
    [
        (
            "quotas: {nodes: 1}",
            "",
            "tenants[1].quotas.nodes: globex has 2 nodes and its quota is 1",
        ),
        ("quotas: {gpus: 2}", "", "tenants[1].quotas.gpus: globex has 4 gpus and its quota is 2"),
        (
            "quotas: {nodes: 2}",
            "moving: {su02/h01: {from: acme, to: globex, step: wipe}}\n",
            "globex has 3 nodes and its quota is 2",
        ),
        ("quotas: {nodes: 2}", "", None),
    ],
)
def test_a_move_that_could_not_end_does_not_begin(lab, registry, quota, moving, part):
    """The end is judged before the drain, with what else is on its way there."""
    text = TEXT.replace("slug: globex,", f"slug: globex, {quota},") + moving
    held, node = registry(text), lab.device(NAME)
    if part is None:
        assert jobs.moving(lab, held, [node], "globex", applied={})["nodes"]
        return
    with pytest.raises(FabricError) as caught:
        jobs.moving(lab, held, [node], "globex", applied={})
    (said,) = caught.value.sentences
    assert part in said
    assert jobs.moving(lab, held, [node], "quarantine", applied={})["nodes"]


def test_nor_one_whose_leaves_would_be_full(lab, registry):
    """As many VRFs as there is room for, and a node that would bring one more."""
    held = registry("vrfs_per_leaf: 2\n" + TEXT)
    moved = lab.device("worker-su01-rack02-h03")
    with pytest.raises(FabricError, match="pod01/su01 would hold 3 VRFs with an L3VNI, and 2"):
        jobs.moving(lab, held, [moved], "globex", applied={})
    assert jobs.moving(lab, held, [moved], "acme", applied={})["nodes"]


UNWIPED = "health: {worker-su01-rack02-h03: {since: '2026-11-22', passed: []}}\n"


@pytest.mark.parametrize(
    "rest, text",
    [
        ("", UNWIPED),
        ("rest: [{nodes: [su01/h03]}]\n", UNWIPED),
        ("", UNWIPED.replace("[]", "[acceptance]")),
    ],
)
def test_a_node_that_is_not_wiped_enters_by_tenant_move_alone(lab, registry, rest, text):
    """Onboarding and resizing run no hook on what enters; a move wipes what was in quarantine."""
    held = registry("tenants: [{id: 22, slug: globex, nodes: [su02/h02]}]\n" + rest + text)
    node, name = lab.device("worker-su01-rack02-h03"), "worker-su01-rack02-h03"
    said = (
        f"spx_nodes: {name} left a tenant and has not been wiped since .*: move it with tenant_move "
        f"-e spx_tenant=globex -e spx_nodes={name}, which wipes it"
    )
    with pytest.raises(FabricError, match=said):
        jobs.onboarding(lab, held, "globex", extra=[node])
    with pytest.raises(FabricError, match=said):
        jobs.resizing(lab, held, "globex", [*held.nodes_of("globex"), node])
    plan = jobs.moving(lab, held, [node], "globex", applied={})
    assert plan["nodes"][name]["steps"][:2] == ["open", "wipe"]
    port = {"vrf": "t2-rest", "link": {"state": {"up": {}}}}
    applied = {"leaf-p1-su001-r1": {"interface": {"swp2s0": port}}}
    with pytest.raises(FabricError, match="is in t2-rest and has not been wiped since it left a"):
        jobs.moving(lab, held, [node], "globex", applied=applied)
    assert jobs.moving(lab, held, [node], "quarantine", applied=applied)["nodes"]


def test_nor_is_it_the_tenants_that_lists_it(lab, registry):
    """A registry edited by hand: the node waits, and every job of its tenant says for what."""
    held = registry("tenants: [{id: 22, slug: globex, nodes: ['su01/[02-03]']}]\n" + UNWIPED)
    assert len(held.nodes_of("globex")) == 1
    with pytest.raises(FabricError, match="has not been wiped since"):
        jobs.onboarding(lab, held, "globex")
    with pytest.raises(FabricError, match="waits in quarantine for its wipe: take it out of"):
        jobs.offboarding(lab, held, "globex")
    moving = held.with_moves(
        {
            lab.device("worker-su01-rack02-h03"): schema.Moving.model_validate(
                {"from": "quarantine", "to": "globex", "step": "wipe"}
            )
        }
    )
    assert jobs.onboarding(lab, moving, "globex")["nodes"] == ["worker-su01-rack01-h02"]


def test_a_node_that_nobody_rented_yet_is_onboarded(lab, registry):
    """Nothing is known of it, or that it is wiped, or that the site wipes nothing."""
    text = "tenants: [{id: 22, slug: globex}]\n"
    for known in (
        "",
        UNWIPED.replace("[]", "[wipe]"),
        UNWIPED.replace("[]", "[], no_hook: [wipe]"),
    ):
        plan = jobs.onboarding(
            lab, registry(text + known), "globex", extra=[lab.device("worker-su01-rack02-h03")]
        )
        assert plan["added"] == ["worker-su01-rack02-h03"]


@pytest.mark.parametrize("slug, part", [("acm", "did you mean 'acme'"), ("rest", "is reserved")])
def test_unknown_tenants(ask, slug, part):
    """A wrong slug is one sentence."""
    with pytest.raises(FabricError, match=part):
        ask("onboard", tenant=slug)


def test_every_bad_node_is_named(ask):
    """All bad texts in one go."""
    with pytest.raises(FabricError) as caught:
        ask("leaves", nodes=["su09/h01", "nowhere", "su01/h01"])
    assert len(caught.value.sentences) == 2


def test_resizing(ask):
    """What comes, what goes, and who is asked."""
    plan = ask("resize", tenant="acme", nodes=["su02/h01", "su01/h03"])
    assert plan["add"] == ["worker-su01-rack02-h03"]
    assert plan["remove"] == [NAME]
    assert len(plan["enters"]) == 2
    assert len(plan["watched"]) == 4


def test_offboarding(ask):
    """All nodes of the tenant; one that has left is nothing to do."""
    assert len(ask("offboard", tenant="acme")["nodes"]) == 2
    assert ask("offboard", tenant="initech") == {
        "there": False,
        "nodes": [],
        "leaves": [],
        "lines": ["initech has left already"],
    }


@pytest.mark.parametrize(
    "text, part",
    [
        (
            "moving: {su02/h02: {from: globex, to: acme, step: join}}",
            "is moving from globex to acme",
        ),
        (
            "moving: {su01/h01: {from: acme, to: globex, step: shut}}",
            "is moving from acme to globex",
        ),
    ],
)
def test_what_hangs_on_a_tenant_is_said_before_anything_is_taken_from_it(lab, registry, text, part):
    """Offboarding ends with its entry gone, which could not be written else."""
    held = registry(TEXT + text)
    with pytest.raises(FabricError, match=part):
        jobs.offboarding(lab, held, "acme")


def test_who_shares_with_a_tenant_is_named(lab, registry):
    """As before."""
    held = registry(TEXT.replace("slug: globex,", "slug: globex, shared: [acme],"))
    with pytest.raises(
        FabricError, match="globex shares with acme: take acme out of its key shared"
    ):
        jobs.offboarding(lab, held, "acme")


def test_a_killed_job_still_has_its_nodes(lab, registry):
    """From quarantine on they are no longer the tenant's, and still the job's."""
    name = "worker-su01-rack01-h01"
    held = registry(TEXT + "moving: {su01/h01: {from: acme, to: quarantine, step: open}}")
    assert name in jobs.offboarding(lab, held, "acme")["nodes"]
    others = list(held.nodes_of("acme"))
    assert jobs.resizing(lab, held, "acme", others)["remove"] == [name]
    with pytest.raises(FabricError, match="is moving: let tenant_move finish first"):
        jobs.resizing(lab, held, "acme", [*others, lab.device(name)])


def test_storage_hooks_get_every_network_of_the_tenant(lab, registry):
    """What leaves is the old tenant's set, what comes the new one's."""
    held = registry(TEXT)
    node = lab.device("worker-su01-rack01-h01")
    plan = jobs.moving(lab, held, [node], "globex", applied={})
    row = plan["nodes"][NAME]
    networks = [{part["network"] for part in row[f"{side}_prefixes"]} for side in ("old", "new")]
    assert networks == [{"east-west", "storage"}, {"east-west"}]


def test_leaves_out_of_service_are_not_dialled(load, registry):
    """Nor is a node moved whose ports all rest."""
    rest = {"since": "2026-01-01", "reason": "dead"}
    fabric = load(out_of_service=[{"device": "leaf-p1-su001-r2", **rest}])
    node = fabric.device("worker-su01-rack01-h01")
    held = registry(TEXT, fabric)
    assert jobs.leaves_of(fabric, [node]) == ["leaf-p1-su001-r1"]
    plan = jobs.moving(fabric, held, [node], "globex", applied={})
    assert "leaf-p1-su001-r2" not in plan["watched"]
    fabric = load(out_of_service=[{"device": "worker-su01-rack01-h01", **rest}])
    with pytest.raises(FabricError, match="has no port in service, so it cannot be moved"):
        jobs.moving(fabric, registry(TEXT, fabric), [node], "globex", applied={})


@pytest.mark.parametrize(
    ("to", "acceptance", "nodes", "leaves"),
    [
        ("rest", "burn-in", ["su02/h03"], 4),
        ("rest", "other", ["su02/h03"], 2),
        ("rest", None, ["su02/h03"], 0),
        ("globex", None, ["su01/h02"], 2),
    ],
)
def test_the_leaves_of_an_acceptance_group_change_with_it(ask, to, acceptance, nodes, leaves):
    """Whoever is in it already must be let through to the newcomer, and not to who has left."""
    plan = ask("move", tenant=to, nodes=nodes, acceptance=acceptance)
    (row,) = plan["nodes"].values()
    assert len(row["group_leaves"]) == leaves
    assert {*row["group_leaves"]} <= {*plan["watched"]}
    assert "leaf-p1-su001-r1" in row["group_leaves"] or acceptance != "burn-in"


def test_drifting(ask, lab):
    """A node that a switch has in another customer's VRF stops the onboarding."""
    applied = {"leaf-p1-su001-r1": {"interface": {"swp1s0": {"vrf": "t22-globex"}}}}
    (said,) = ask("drifting", tenant="acme", nodes=[NAME], applied=applied)
    assert "port swp1s0 of leaf-p1-su001-r1 (worker-su01-rack01-h01) is in t22-globex" in said
    applied["leaf-p1-su001-r1"]["interface"]["swp1s0"]["vrf"] = "t1-quarantine"
    assert ask("drifting", tenant="acme", nodes=[NAME], applied=applied) == []


@pytest.mark.parametrize("term", ["drifting", "move"])
def test_a_vrf_that_the_registry_does_not_list_stops_who_would_take_a_port_out(ask, term):
    """It may be a customer's, who would neither be drained nor watched."""
    applied = {"leaf-p1-su001-r1": {"interface": {"swp2s0": {"vrf": "CUST-A"}}}}
    asked = {"tenant": "globex", "nodes": ["worker-su01-rack02-h03"], "applied": applied}
    try:
        (said,) = ask(term, **asked)
    except FabricError as refused:
        (said,) = refused.sentences
    assert "(worker-su01-rack02-h03) is in CUST-A, which may be a customer's and which the" in said
    applied["leaf-p1-su001-r1"]["interface"]["swp2s0"]["vrf"] = "default"
    assert ask("drifting", **asked) == []
    assert ask("move", **asked)["nodes"]


def test_entered(ask):
    """Missing routes of the tenant on a leaf are named; none is an open gate."""
    leaf = "leaf-p1-su001-r1"
    (path,) = [p for p in ask("reads", vrfs=["t21-acme"]) if p.endswith("rib/ipv4")]
    routes = {p: {} for p in ("172.16.0.0/31", "172.16.1.0/31", "172.18.0.0/31")}
    (said,) = ask("entered", tenant="acme", device=leaf, read={path: {"route": routes}})
    assert "lacks 172.18.1.0/31 in the routing table of t21-acme" in said
    routes["172.18.1.0/31"] = {}
    read = {path: {"route": routes}}
    assert ask("entered", tenant="acme", device=leaf, read=read) == []
    (said,) = ask("entered", tenant="acme", device=leaf, read=read, release="5.16.1")
    assert "in the forwarding table of t21-acme" in said


@pytest.mark.parametrize("routes", ["exact", "leaf"])
def test_links_out_of_service_are_not_waited_for(load, tmp_path, routes):
    """Those of a dead leaf and of a port by itself; a prefix that holds others too is."""
    rest = {"since": "2026-01-01", "reason": "dead"}
    out = [{"device": "leaf-p1-su002-r1", **rest}, {"device": NAME, "port": "rail2p1", **rest}]
    fabric, path = load(out_of_service=out), tmp_path / "tenants.yml"
    path.write_text(f"tenants: [{{id: 21, slug: acme, routes: {routes}, nodes: ['*/h01']}}]")
    asked = {"tenant": "acme", "device": "leaf-p1-su001-r1", "read": {}}
    (said,) = desk.answer(fabric, "entered", asked, str(path))
    assert "lacks 172.16.0.0/31, 172.18.1.0/31 in" in said
    path.write_text("tenants: [{id: 21, slug: acme, routes: leaf, nodes: ['*/h01', '*/h02']}]")
    (said,) = desk.answer(fabric, "entered", asked, str(path))
    assert "172.18.0.0/30" in said


@pytest.mark.parametrize("device, expected", [("leaf-p1-su002-r1", 1), ("spine-p1-s01", 0)])
def test_withdrawn_on_one_leaf(ask, device, expected):
    """Each leaf answers for itself; one that does not have the VRF has nothing to say."""
    rows = ask("move", tenant="globex", nodes=[NAME])["nodes"]
    rib, bgp, fib = ask("reads", vrfs=["t21-acme"], release="5.16.1")
    asked = {"rows": rows, "device": device}
    read = {rib: {"route": {"172.16.0.0/31": {}}}, bgp: None}
    assert len(ask("withdrawn", **asked, read=read)) == expected
    read = {rib: {}, bgp: {}, fib: {"route": {"172.16.0.0/31": {}}}}
    assert len(ask("withdrawn", **asked, read=read, release="5.16.1")) == expected
    assert ask("withdrawn", **asked, read=read, release="5.15.3") == {}
    gone = dict.fromkeys([rib, bgp, fib])
    assert ask("withdrawn", **asked, read=gone, release="5.16.1") == {}
    body = {"router": {"bgp": {"state": "enabled"}}}
    there = {device: {"vrf": {"t21-acme": body}}}
    said = ask("withdrawn", **asked, read=read | {bgp: None}, applied=there)
    assert len(said) == expected


def test_a_release_that_tells_no_fib_is_named(ask):
    """In the report of a move, with the leaf."""
    leaf = "leaf-p1-su001-r1"
    assert ask("untold", device=leaf, release="5.15.3") == f"{leaf} (Cumulus Linux 5.15.3)"
    assert ask("untold", device=leaf, release="5.16.0") == ""


def test_arrived_by_plane(load, tmp_path):
    """A leaf of one plane is not asked for another plane's links."""
    fabric = load("b300-4096")
    path = tmp_path / "tenants.yml"
    path.write_text("tenants: [{id: 21, slug: acme, nodes: [su01/h01]}, {id: 22, slug: globex}]")
    plan = desk.answer(fabric, "move", {"tenant": "globex", "nodes": ["su01/h01"]}, str(path))
    asked = {"rows": plan["nodes"], "device": "leaf-p2-su001-r1", "read": {}}
    ((said,),) = desk.answer(fabric, "arrived", asked, str(path)).values()
    assert said.count("/31") == fabric.clos.rails


class Gates:
    """Leaves as switches, and what the gates of a move from acme to globex say of their tables."""

    def __init__(self, fabric, path, text):
        path.write_text(text)
        self.fabric, self.path = fabric, str(path)
        self.leaves = [fabric.name(leaf) for leaf in fabric.switches() if leaf.role == "leaf"]
        asked = {"tenant": "globex", "nodes": ["su01/h01"], "applied": self.documents({})}
        self.rows = desk.answer(fabric, "move", asked, self.path)["nodes"]

    def documents(self, moves):
        registry = desk.as_asked(
            self.fabric, desk.Registry.load(self.fabric, self.path), {"moves": moves}
        )
        return {
            leaf: compose.document(self.fabric, leaf, ["tenants"], tenants=registry)
            for leaf in self.leaves
        }

    def moves(self, step):
        return {name: row["records"][step] for name, row in self.rows.items()}

    def ask(self, question, vrf, *, step, shown=None):
        """Answers by leaf while the leaves show the tables of a step, or of none."""
        documents = self.documents(self.moves(shown) if shown else {})
        places = [f"vrf/{vrf}/router/{kind}/ipv4" for kind in ("rib", "fib")]
        places.append(f"vrf/{vrf}/router/bgp/address-family/ipv4-unicast/route")
        made = {}
        for leaf in self.leaves:
            routes = {prefix: {} for prefix in evpn.table(documents, leaf, vrf)}
            asked = {"device": leaf, "rows": self.rows, "moves": self.moves(step)}
            asked |= {"read": dict.fromkeys(places, routes), "release": "5.16.1"}
            if said := desk.answer(self.fabric, question, asked, self.path):
                made[leaf] = said
        return made


@pytest.mark.parametrize(("routes", "lacking"), [("exact", 4), ("rail", 4), ("leaf", 4)])
def test_gates_of_all_kinds_of_routes(lab, tmp_path, routes, lacking):
    """A leaf that lacks what covers the node has not got it; one that holds it has not lost it."""
    text = (
        f"tenants: [{{id: 21, slug: acme, routes: {routes}, nodes: ['*/h01', su01/h02]}}, "
        f"{{id: 22, slug: globex, routes: {routes}, nodes: [su02/h02]}}]"
    )
    gates = Gates(lab, tmp_path / "tenants.yml", text)
    assert len(gates.ask("arrived", "t22-globex", step="verify")) == lacking
    assert gates.ask("arrived", "t22-globex", step="verify", shown="verify") == {}
    held = gates.ask("withdrawn", "t21-acme", step="withdraw")
    assert len(held) == 4
    covering = "172.16.0.0/30" if routes == "leaf" else "172.16.0.0/31"
    assert covering in str(held["leaf-p1-su002-r1"])
    for step in ("withdraw", "verify"):
        assert gates.ask("withdrawn", "t21-acme", step=step, shown=step) == {}


def test_what_is_leaked_is_no_leftover(lab, tmp_path):
    """The tenant before still sees the node when the registry lets it reach the new one."""
    text = (
        "leaking: true\ntenants: [{id: 21, slug: acme, nodes: ['*/h01'], shared: [globex]}, "
        "{id: 22, slug: globex, nodes: [su02/h02]}]"
    )
    gates = Gates(lab, tmp_path / "tenants.yml", text)
    assert gates.ask("withdrawn", "t21-acme", step="verify", shown="verify") == {}
    assert gates.ask("withdrawn", "t21-acme", step="withdraw", shown="verify")


def test_placed_and_resolved(ask, lab, registry):
    """What a leaf has of the node's port, and whether it resolves the host."""
    rows = ask("move", tenant="globex", nodes=[NAME])["nodes"]
    records = {NAME: {"from": "acme", "to": "globex", "step": "shut"}}
    port = {"vrf": "t21-acme", "link": {"state": {"up": {}}}}
    asked = {"rows": rows, "device": "leaf-p1-su001-r1", "moves": records}
    (said,) = ask("placed", **asked, read={"interface": {"swp1s0": port}})
    assert "is in t21-acme and up" in said
    port["link"] = {"state": {"down": {}}}
    assert ask("placed", **asked, read={"interface": {"swp1s0": port}}) == []
    neighbors = {"interface/swp1s0/neighbor": {"ipv4": {}}}
    ((said,),) = ask("resolved", rows=rows, device="leaf-p1-su001-r1", read=neighbors).values()
    assert "does not resolve 172.16.0.0 at swp1s0 (it has no entry)" in said
    assert ask("mute", rows=rows, device="leaf-p1-su001-r1", read=neighbors) == ""
    assert ask("mute", rows=rows, device="leaf-p1-su001-r1") == "leaf-p1-su001-r1"
    assert ask("mute", rows=rows, device="leaf-p1-su002-r1") == ""


def test_handover(ask):
    """Nodes with addresses and gateways, VRFs of each network, prefix sets, facts for NCCL."""
    made = ask("handover", tenant="acme")
    assert [vrf["l3vni"] for vrf in made["vrfs"]] == [4_000_021, 4_200_021]
    assert made["nodes"][0]["ports"][0] == {
        "port": "rail1p1",
        "rail": 0,
        "plane": 0,
        "address": "172.16.0.0",
        "gateway": "172.16.0.1",
    }
    assert made["nccl"]["path_mtu"] == 9166
    assert made["nccl"]["cross_rail"]
    assert made["nccl"]["versions"] == {"ra": "2.1.2", "nccl": ["2.29.2"], "hpcx": ["2.26"]}


def test_health(ask):
    """Quarantine, rest and moves, with what is known of them."""
    rows = ask("health")
    assert rows["rest"] == [
        {
            "node": "worker-su01-rack01-h02",
            "since": "2026-11-01",
            "passed": ["wipe"],
            "no_hook": ["acceptance"],
            "group": "burn-in",
        }
    ]
    assert len(rows["quarantine"]) == 2
    lines = ask("health_lines")
    assert "  worker-su01-rack01-h02 since 2026-11-01, passed wipe, no hook acceptance" in lines


@pytest.mark.parametrize(
    ("to", "hooks", "known"),
    [
        ("rest", ["wipe", "firmware", "acceptance"], ["wipe", "firmware", "acceptance"]),
        ("rest", ["acceptance", "drain"], ["acceptance"]),
        ("rest", [], []),
        ("quarantine", ["wipe", "acceptance"], []),
    ],
)
def test_only_a_hook_that_is_there_has_passed(ask, to, hooks, known):
    """What is remembered of a node tells it from one that nobody has written."""
    health = ask("move", tenant=to, nodes=[NAME], hooks=hooks)["nodes"][NAME]["health"]
    assert health["passed"] == known
    absent = [hook for hook in ("wipe", "firmware", "acceptance") if hook not in hooks]
    assert health.get("no_hook", []) == (absent if to == "rest" else [])
    assert ask("move", tenant="globex", nodes=[NAME], hooks=hooks)["nodes"][NAME]["health"] == {}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (None, "in acceptance group burn-in: the hook acceptance is not run. To have it tested"),
        (
            "burn-in",
            "in acceptance group burn-in: the hook acceptance is not run. To have it tested",
        ),
        ("other", "in acceptance group burn-in, and does not go to other: name that group under"),
    ],
)
def test_a_node_in_rest_is_not_tested_by_saying_so_again(ask, asked, said):
    """A move that does nothing says what it does not do."""
    port = {"vrf": "t2-rest", "link": {"state": {"up": {}}}}
    applied = {f"leaf-p1-su001-r{n}": {"interface": {"swp1s1": port}} for n in (1, 2)}
    node = "worker-su01-rack01-h02"
    plan = ask("move", tenant="rest", nodes=[node], applied=applied, acceptance=asked)
    assert (plan["there"], plan["nodes"]) == ([node], {})
    assert plan["lines"][0].startswith(f"{node} is in rest already, {said}")


def test_what_a_node_passed_outlives_a_killed_run(ask, lab, registry):
    """The record of each step says what was passed before; a step that comes again takes it back."""
    asked = {"tenant": "rest", "nodes": [NAME], "hooks": ["wipe"]}
    records = ask("move", **asked)["nodes"][NAME]["records"]
    assert "passed" not in records["wipe"]
    assert (records["rest"]["passed"], records["rest"]["no_hook"]) == (["wipe"], ["firmware"])
    node, later = lab.device(NAME), {"hooks": ["acceptance"], "applied": {}}
    held = registry(TEXT).with_moves({node: schema.Moving.model_validate(records["accept"])})
    row = jobs.moving(lab, held, [node], "rest", **later)["nodes"][NAME]
    assert row["health"] == {"passed": ["wipe", "acceptance"], "no_hook": ["firmware"]}
    assert row["back"] == {"from": "acme", "to": "rest", "step": "open"}
    again = {**records["accept"], "step": "wipe"}
    held = registry(TEXT).with_moves({node: schema.Moving.model_validate(again)})
    row = jobs.moving(lab, held, [node], "rest", **later)["nodes"][NAME]
    assert row["health"] == {"passed": ["acceptance"], "no_hook": ["wipe", "firmware"]}


def test_a_registry_a_step_further(ask, lab):
    """Extra and gone nodes, and moves, are laid over the file for one question."""
    asked = {"tenant": "globex", "extra": ["su01/h03"], "gone": ["su02/h02"]}
    assert [node["name"] for node in ask("handover", **asked)["nodes"]] == [
        "worker-su01-rack02-h03"
    ]


def test_unknown_questions(ask):
    """A question that does not exist is one sentence."""
    with pytest.raises(FabricError, match="did you mean 'onboard'"):
        ask("onbord")


def test_ports_of_a_node(load):
    """A port for each rail and plane, with its leaf."""
    ports = jobs.ports_of(load("b300-4096"), Node(0, 0, 0))
    assert len(ports) == 16
    assert {port["plane"] for port in ports} == {0, 1}


@pytest.mark.parametrize(
    ("goal", "part"),
    [("storage", "'storage' is a service"), ("acm", "'acm' is no tenant of")],
)
@pytest.mark.parametrize("term", ["leaves", "move"])
def test_where_nothing_can_be_moved_is_said_before_a_switch_is_asked(ask, term, goal, part):
    with pytest.raises(FabricError, match=part):
        ask(term, tenant=goal, nodes=["su01/h01"])
    assert ask("leaves", nodes=["su01/h01"]) == ask("leaves", tenant="rest", nodes=["su01/h01"])
