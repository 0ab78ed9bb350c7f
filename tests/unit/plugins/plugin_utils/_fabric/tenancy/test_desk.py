# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions of playbooks: the gates on a leaf, the hand-over, what is known of idle nodes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import (
    desk,
)

sys.path.insert(0, str(Path(__file__).parent))

import evpn
from tenants import NODE


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
    out = [{"device": "leaf-p1-su002-r1", **rest}, {"device": NODE, "port": "rail2p1", **rest}]
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
    rows = ask("move", tenant="globex", nodes=[NODE])["nodes"]
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
    plan = desk.answer(
        fabric, "move", {"tenant": "globex", "nodes": ["su01/h01"], "hooks": ["wipe"]}, str(path)
    )
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
        asked["hooks"] = ["wipe"]
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
    rows = ask("move", tenant="globex", nodes=[NODE])["nodes"]
    records = {NODE: {"from": "acme", "to": "globex", "step": "shut"}}
    port = {"vrf": "t21-acme", "link": {"state": {"up": {}}}}
    asked = {"rows": rows, "device": "leaf-p1-su001-r1", "moves": records}
    (said,) = ask("placed", **asked, read={"interface": {"swp1s0": port}})
    assert "is in t21-acme and up" in said
    port["link"] = {"state": {"down": {}}}
    assert ask("placed", **asked, read={"interface": {"swp1s0": port}}) == []
    neighbors = {"interface/swp1s0/neighbor": {"ipv4": {}}}
    ((said,),) = ask("resolved", rows=rows, device="leaf-p1-su001-r1", read=neighbors).values()
    assert "does not resolve 172.16.0.0 at swp1s0 (it has no entry)" in said
    assert ask("silent", rows=rows, device="leaf-p1-su001-r1", read=neighbors) == [
        {"port": "swp1s0", "address": "172.16.0.0", "vrf": "t22-globex"}
    ]
    assert ask("silent", rows=rows, device="leaf-p1-su001-r1") == []
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
            "had": "globex",
            "wipe": "wiped on 2026-11-01 by the hook wipe of the run bastion/7/0a1b2c3d",
            "passed": [],
            "no_hook": ["acceptance"],
            "group": "burn-in",
        }
    ]
    assert len(rows["quarantine"]) == 2
    (said,) = [line for line in rows["lines"] if "worker-su01-rack01-h02" in line]
    assert said.startswith(
        "  worker-su01-rack01-h02 (had globex) since 2026-11-01, wiped on 2026-11-01"
    )
    assert said.endswith("passed nothing yet, no hook acceptance")


def test_a_registry_a_step_further(ask, lab):
    """Extra and gone nodes, and moves, are laid over the file for one question."""
    asked = {"tenant": "globex", "extra": ["su01/h03"], "gone": ["su02/h02"]}
    assert [node["name"] for node in ask("handover", **asked)["nodes"]] == [
        "worker-su01-rack02-h03"
    ]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"from": "acme", "to": "rest", "step": "shutt"}, ", step: 'shutt' is not allowed"),
        ("rest", ": 'rest' is not allowed: use a mapping of keys."),
    ],
)
def test_a_wrong_moving_record_is_a_sentence(ask, record, said):
    node = "worker-su02-rack01-h01"
    with pytest.raises(FabricError, match=f"^moving record of {node}{said}"):
        ask("handover", tenant="acme", moves={node: record})


def test_unknown_questions(ask):
    """A question that does not exist is one sentence."""
    with pytest.raises(FabricError, match="did you mean 'onboard'"):
        ask("onbord")


@pytest.mark.parametrize(
    ("goal", "part"),
    [("storage", "'storage' is a service"), ("acm", "'acm' is no tenant of")],
)
@pytest.mark.parametrize("term", ["leaves", "move"])
def test_where_nothing_can_be_moved_is_said_before_a_switch_is_asked(ask, term, goal, part):
    with pytest.raises(FabricError, match=part):
        ask(term, tenant=goal, nodes=["su01/h01"])
    assert ask("leaves", nodes=["su01/h01"]) == ask("leaves", tenant="rest", nodes=["su01/h01"])
