# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One leaf as the isolation audit sees it, and ports of nodes that move: up in one place only."""

from __future__ import annotations

import copy
import itertools
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    isolation,
    isolation_leaf,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    attachments,
    schema,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

from ..fabrics import example
from .isolated import LEAF, MOVE, NODE, TEXT, edges_of, failures, of_leaf, rendered, top_of_rack

ROOT = Path(__file__).resolve().parents[6]


@pytest.fixture
def lab():
    return Fabric.load(str(ROOT / "inventories/lab/model/fabric.yml"))


@pytest.mark.parametrize("vrf", ["t21-acme", "t2-rest", "t1-quarantine", "t30-old"])
@pytest.mark.parametrize("name", ["vlan10", "swp3s0", "swp1s0.100", "eth0"])
def test_only_host_ports_are_in_tenants_vrfs(lab, name, vrf):
    """Neither an uplink nor an interface that is not of the plan."""
    registry = Registry.parse(lab, TEXT)
    document = compose.document(lab, LEAF, tenants=registry)
    document["interface"].setdefault(name, {})["vrf"] = vrf
    (row,) = of_leaf(lab, registry, document)
    assert (row["id"], row["port"], row["found"]) == ("tenant.port_vrf", name, vrf)
    assert f"Interface {name} of {LEAF} is in {vrf}" in row["sentence"]


@pytest.mark.parametrize(
    "from_, to, good, bad",
    [
        ("acme", "globex", "t21-acme t1-quarantine t2-rest t22-globex", "t23-initech default blue"),
        ("acme", "rest", "t21-acme t1-quarantine t2-rest", "t22-globex default"),
        ("acme", "quarantine", "t21-acme t1-quarantine", "t2-rest t22-globex"),
        ("rest", "globex", "t2-rest t1-quarantine t22-globex", "t21-acme"),
        ("quarantine", "globex", "t1-quarantine t2-rest t22-globex", "t21-acme"),
    ],
)
def test_a_moving_port_is_somewhere_on_its_way(lab, from_, to, good, bad):
    """Its old tenant's, quarantine, rest and its new tenant's VRF, as its steps are; nowhere else."""
    text = MOVE.replace("['*/h01']", "[su02/h01]" if from_ != "acme" else "['*/h01']")
    registry = Registry.parse(lab, text % (from_, to, "release"))
    document = copy.deepcopy(rendered(lab, registry)[LEAF])
    quarantined = rendered(lab, Registry.parse(lab, text % (from_, to, "open")))[LEAF]
    document["acl"].update(quarantined["acl"])
    port = document["interface"]["swp1s0"] = copy.deepcopy(quarantined["interface"]["swp1s0"])
    for vrf in good.split():
        port["vrf"] = vrf
        assert of_leaf(lab, registry, document) == []
    for vrf in [*bad.split(), None]:
        port["vrf"] = vrf
        (row,) = of_leaf(lab, registry, document)
        assert (row["id"], row["port"], row["found"]) == ("tenant.port_vrf", "swp1s0", vrf)
        assert row["expected"] == good.split()


PAIRS = [pair for pair in itertools.pairwise(schema.STEPS) if pair != ("accept", "join")]
SHUT = [("accept", "quarantine"), ("quarantine", "join")]
"""Out of rest a node is shut in quarantine first, as nobody may be up there and with a tenant."""


@pytest.mark.parametrize("recorded", schema.STEPS)
@pytest.mark.parametrize("before, after", PAIRS + SHUT)
def test_a_node_that_is_fine_on_its_way_is_excused(lab, recorded, before, after):
    """Wherever it is, whatever its record says, and with one leaf a step further than the other."""
    documents = rendered(lab, Registry.parse(lab, MOVE % ("acme", "globex", before)))
    ahead = rendered(lab, Registry.parse(lab, MOVE % ("acme", "globex", after)))
    documents[LEAF] = ahead[LEAF]
    registry = Registry.parse(lab, MOVE % ("acme", "globex", recorded))
    assert failures(lab, registry, documents) == []


def both_ends(fabric, first, second):
    """Return a registry and documents in which a node is at one step on rail 1, another on rail 2."""
    registry = Registry.parse(fabric, MOVE % ("acme", "globex", "join"))
    documents = rendered(fabric, Registry.parse(fabric, MOVE % ("acme", "globex", second)))
    other = rendered(fabric, Registry.parse(fabric, MOVE % ("acme", "globex", first)))
    return registry, {**documents, LEAF: other[LEAF]}


@pytest.mark.parametrize(
    "first, second, vrfs",
    [
        ("drain", "join", ["t21-acme", "t22-globex"]),
        ("verify", "drain", ["t21-acme", "t22-globex"]),
        ("drain", "rest", ["t21-acme", "t2-rest"]),
        ("shut", "join", None),
        ("rest", "join", ["t2-rest", "t22-globex"]),
        ("join", "accept", ["t2-rest", "t22-globex"]),
        ("quarantine", "join", None),
        ("drain", "open", None),
    ],
)
def test_no_node_is_up_with_its_old_and_its_new_tenant(lab, first, second, vrfs):
    """Over all leaves; what the graph needs of a document is enough."""
    registry, documents = both_ends(lab, first, second)
    views = [isolation_leaf.LeafView(lab, registry, lab.device(n), d) for n, d in documents.items()]
    short = {view.subject.device: isolation.for_graph(view) for view in views}
    assert set(short[LEAF]["interface"]) == {"swp1s0"}
    assert set(short[LEAF]["interface"]["swp1s0"]) == {"vrf", "link"}
    for whole in (documents, short):
        rows = [r for r in isolation.graph(lab, registry, whole) if r["state"] == "fail"]
        assert [row["found"] for row in rows] == ([vrfs] if vrfs else [])
        assert {row["id"] for row in rows} <= {"tenant.port_vrf"}
        assert all(NODE in row["sentence"] for row in rows)


@pytest.mark.parametrize("from_", ["rest", "quarantine"])
def test_no_node_is_up_in_rest_and_with_its_tenant(lab, from_):
    """Nor is one that was nobody's before."""
    text = TEXT.replace("nodes: ['*/h01']", "nodes: [su02/h01]")
    text += "moving: {su01/h01: {from: %s, to: globex, step: %s}}"
    held = {
        step: Registry.parse(lab, text % (from_, step)) for step in ("rest", "quarantine", "join")
    }
    ahead, behind = rendered(lab, held["join"]), rendered(lab, held["rest"])
    (row,) = [
        r
        for r in isolation.graph(lab, held["join"], {**behind, LEAF: ahead[LEAF]})
        if r["state"] == "fail"
    ]
    assert row["found"] == ["t2-rest", "t22-globex"]
    shut = {**rendered(lab, held["quarantine"]), LEAF: ahead[LEAF]}
    rows = isolation.graph(lab, held["join"], shut)
    assert [r for r in rows if r["state"] == "fail"] == []


def test_no_node_is_up_twice_on_one_leaf():
    """A top-of-rack leaf has all ports of a node, so it shows it by itself, and once."""
    fabric = top_of_rack()
    registry = Registry.parse(fabric, MOVE % ("acme", "globex", "join"))
    documents = copy.deepcopy(rendered(fabric, registry))
    ports = attachments.of_node(fabric, registry.fabric.device(NODE))
    leaf, one = ports[0].leaf, ports[0].port
    assert {port.leaf for port in ports} == {leaf}
    documents[leaf]["interface"][one]["vrf"] = "t21-acme"
    (row,) = of_leaf(fabric, registry, documents[leaf], leaf)
    assert (row["id"], row["port"]) == ("tenant.port_vrf", one)
    assert "at once" in row["sentence"]
    assert edges_of(fabric, registry, documents) == []


# Whose VRF it is

OWNERS = "tenants: [{id: 21, slug: acme, nodes: ['*/h01']}, {id: 22, slug: globex}]\n"
MOVING = "moving: {su01/h01: {from: acme, to: globex, step: withdraw}}\n"


@pytest.fixture(name="registry")
def _registry():
    return Registry.parse(example("lab"), OWNERS + MOVING)


def test_the_way_of_a_node_begins_and_ends_with_its_tenants(registry):
    (record,) = registry.moves.values()
    found = isolation_leaf.way(registry, record)
    assert (found[0], found[-1]) == ("t21-acme", "t22-globex")
    assert "t1-quarantine" in found
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    "vrf, own, slug",
    [
        ("t21-acme", True, "acme"),
        ("t1-quarantine", True, "quarantine"),
        ("t99-unknown", True, None),
        ("blue", False, None),
    ],
)
def test_which_vrfs_are_ours(registry, vrf, own, slug):
    assert isolation_leaf.ours(registry, vrf) is own
    assert isolation_leaf.slug_of(registry, vrf) == slug
