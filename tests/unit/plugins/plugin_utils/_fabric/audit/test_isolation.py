# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The isolation audit, on documents as they should be and on broken ones."""

from __future__ import annotations

import copy
import itertools
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    isolation,
    isolation_leaf,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    attachments,
    nodes,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
    build,
    example,
)

from .isolated import (
    FAR,
    LEAF,
    NODE,
    RAIL_2,
    TEXT,
    edges_of,
    failures,
    in_plane,
    of_leaf,
    rendered,
    top_of_rack,
)

ROOT = Path(__file__).resolve().parents[6]

from ..tenants import evpn
from ..tenants.layouts import may_reach, worlds


@pytest.fixture
def lab():
    return Fabric.load(str(ROOT / "inventories/lab/model/fabric.yml"))


def test_the_planned_fabric_passes(lab):
    """Check that the roles' documents break no rule."""
    registry = Registry.parse(lab, TEXT)
    assert failures(lab, registry, rendered(lab, registry)) == []


def test_shape_of_results(lab):
    """Results have the shape that reports read."""
    registry = Registry.parse(lab, TEXT)
    view = isolation_leaf.LeafView(lab, registry, lab.device(LEAF), {})
    for row in isolation_leaf.static(view):
        assert row["schema"] == 1
        assert (row["fabric"], row["device"], row["place"]) == ("lab", LEAF, LEAF)
        assert row["sentence"].endswith(".")


def _wrong_target(documents):
    vrf = documents[LEAF]["vrf"]["t21-acme"]["router"]["bgp"]
    vrf["route-import"]["from-evpn"]["route-target"]["64512:4000022"] = {}


def _wrong_vrf(documents):
    documents[LEAF]["interface"]["swp1s0"]["vrf"] = "t22-globex"


def _no_vrf(documents):
    del documents[LEAF]["interface"]["swp1s0"]["vrf"]


def _automatic(documents):
    vrf = documents[LEAF]["vrf"]["t21-acme"]["router"]["bgp"]
    vrf["route-import"]["from-evpn"]["route-target"]["auto"] = {}


def _local_leak(documents):
    family = documents[LEAF]["vrf"]["t21-acme"]["router"]["bgp"]["address-family"]["ipv4-unicast"]
    family["route-import"] = {"from-vrf": {"list": {"default": {}}}}


def _loud_quarantine(documents):
    documents[LEAF]["vrf"]["t1-quarantine"]["evpn"] = {"state": "enabled", "vni": {"1": {}}}


def _open_quarantine(documents):
    del documents[LEAF]["interface"]["swp2s0"]["acl"]


def _toothless_list(documents):
    name = next(iter(documents[LEAF]["interface"]["swp2s0"]["acl"]))
    documents[LEAF]["acl"][name]["rule"]["65001"] = {"action": {"permit": {}}}


def _stray_vrf(documents):
    documents[LEAF]["vrf"]["t30-old"] = {"table": "auto"}


def _leaked_default(documents):
    vrf = documents[LEAF]["vrf"]["t21-acme"]["router"]
    vrf["static"] = {"0.0.0.0/0": {"via": {"10.0.0.1": {}}}}


def _missing_route(documents):
    bgp = documents["leaf-p1-su002-r1"]["vrf"]["t21-acme"]["router"]["bgp"]
    bgp["address-family"]["ipv4-unicast"]["redistribute"] = {}


@pytest.mark.parametrize(
    "breakage, check",
    [
        (_wrong_target, "tenant.route_targets"),
        (_wrong_target, "tenant.routes"),
        (_wrong_vrf, "tenant.port_vrf"),
        (_no_vrf, "tenant.port_vrf"),
        (_automatic, "tenant.route_targets"),
        (_local_leak, "tenant.route_targets"),
        (_loud_quarantine, "tenant.quarantine"),
        (_open_quarantine, "tenant.access_lists"),
        (_toothless_list, "tenant.access_lists"),
        (_stray_vrf, "tenant.vrfs"),
        (_leaked_default, "tenant.routes"),
        (_missing_route, "tenant.routes"),
    ],
)
def test_what_is_broken_is_caught(lab, breakage, check):
    """Each way to break isolation fails the check that is for it."""
    registry = Registry.parse(lab, TEXT)
    documents = copy.deepcopy(rendered(lab, registry))
    breakage(documents)
    assert check in {row["id"] for row in failures(lab, registry, documents)}


def test_missing_and_surplus_are_both_named(lab):
    """A table that lacks one route and has another says both."""
    registry = Registry.parse(lab, TEXT)
    view = isolation_leaf.LeafView(lab, registry, lab.device(LEAF), {})
    routes = {"172.16.0.0/31", "172.18.0.0/31", "172.18.1.0/31", "10.9.9.0/24", "127.0.0.0/8"}
    rows = [r for r in isolation.live(view, {"t21-acme": routes}) if r["tenant"] == "acme"]
    assert "lacks 172.16.1.0/31" in rows[0]["sentence"]
    assert "has 10.9.9.0/24, which is not its own" in rows[0]["sentence"]


def test_a_silent_switch_is_not_green(lab):
    """No routing table is no pass."""
    registry = Registry.parse(lab, TEXT)
    view = isolation_leaf.LeafView(lab, registry, lab.device(LEAF), {})
    assert {row["state"] for row in isolation.live(view, {})} == {"not_run"}


def test_declared_leaks_pass(lab):
    """Check that a declaration of the registry is no breach, in either direction."""
    registry = Registry.parse(
        lab, "leaking: true\n" + TEXT.replace("slug: acme,", "slug: acme, shared: [globex],")
    )
    assert failures(lab, registry, rendered(lab, registry)) == []


def test_moving_nodes_are_excused(lab):
    """A node on its way is no breach of the ports' check."""
    registry = Registry.parse(
        lab, TEXT + "moving: {su01/h01: {from: acme, to: globex, step: shut}}"
    )
    stale = rendered(lab, Registry.parse(lab, TEXT))
    assert failures(lab, registry, stale) == []


# Route targets


def bgp(*, imports=(), exports=(), leaks=(), vni=None):
    """Return a VRF that somebody configured."""
    sides = {
        "route-import": {"from-evpn": {"route-target": {target: {} for target in imports}}},
        "route-export": {"to-evpn": {"route-target": {target: {} for target in exports}}},
        "address-family": {
            "ipv4-unicast": {"route-import": {"from-vrf": {"list": {vrf: {} for vrf in leaks}}}}
        },
    }
    evpn_of = {"state": "enabled", "vni": {vni: {}}} if vni else {}
    return {"evpn": evpn_of, "router": {"bgp": {"state": "enabled", **sides}}}


ELSEWHERE = (
    "tenants:\n"
    "  - {id: 21, slug: acme, nodes: ['su02/[01-02]'], routes: %s}\n"
    "  - {id: 22, slug: globex, nodes: ['su01/h01']}\n"
)


@pytest.mark.parametrize(
    "routes, target, found",
    [
        ("exact", "64512:4000021", "t21-acme"),
        ("rail", "64512:4000021", "t21-acme"),
        ("rail", "64512:24000021", "t21-acme"),
        ("exact", "64512:4000002", "t2-rest"),
        ("exact", "64512:999", "an unknown VRF"),
    ],
)
def test_an_exporter_counts_though_no_leaf_of_it_was_read(lab, routes, target, found):
    """Check that the imports of a leaf are judged by themselves, whichever others answer."""
    registry = Registry.parse(lab, ELSEWHERE % routes)
    document = copy.deepcopy(rendered(lab, registry)[LEAF])
    assert edges_of(lab, registry, {LEAF: document}) == []
    imports = document["vrf"]["t22-globex"]["router"]["bgp"]["route-import"]["from-evpn"]
    imports["route-target"][target] = {}
    assert edges_of(lab, registry, {LEAF: document}) == [("t22-globex", found)]


@pytest.mark.parametrize(
    "name, body, found",
    [
        ("blue", bgp(imports=["64512:4000021"]), ["t21-acme"]),
        ("blue", bgp(imports=["ANY:4000021"]), ["t21-acme"]),
        ("blue", bgp(vni="4000021"), ["t21-acme"]),
        ("blue", bgp(leaks=["t21-acme", "green"]), ["t21-acme"]),
        ("blue", bgp(leaks=["t30-old"]), ["t30-old"]),
        ("mgmt", bgp(leaks=["t21-acme"]), ["t21-acme"]),
        ("default", bgp(leaks=["t1-quarantine"]), ["t1-quarantine"]),
        ("t30-old", bgp(imports=["64512:4000022"]), ["t22-globex"]),
        ("blue", bgp(imports=["64512:77"], exports=["64512:77"], leaks=["green"], vni="77"), []),
        ("blue", bgp(imports=["ANY:77"], exports=["64512:77"]), []),
        ("mgmt", bgp(leaks=["default"]), []),
    ],
)
def test_a_vrf_that_nobody_declared_takes_no_tenants_routes(lab, name, body, found):
    """It may have all others, which are the site's business."""
    registry = Registry.parse(lab, TEXT)
    documents = {LEAF: copy.deepcopy(rendered(lab, registry)[LEAF])}
    documents[LEAF]["vrf"][name] = body
    assert edges_of(lab, registry, documents) == [(name, other) for other in found]


def test_a_vrf_that_nobody_declared_gives_no_routes_to_tenants(lab):
    """Whoever exports a tenant's route target puts routes into its VRF."""
    registry = Registry.parse(lab, TEXT)
    documents = copy.deepcopy(rendered(lab, registry))
    documents[FAR]["vrf"]["blue"] = bgp(exports=["64512:4000021"])
    assert ("t21-acme", "blue") in edges_of(lab, registry, documents)


@pytest.mark.parametrize("vrf", ["mgmt", "blue", "default", None])
def test_other_vrfs_are_the_sites_business(lab, vrf):
    """An interface of the site in a VRF of the site is none of ours."""
    registry = Registry.parse(lab, TEXT)
    document = compose.document(lab, LEAF, tenants=registry)
    document["interface"]["vlan10"] = {"vrf": vrf}
    assert of_leaf(lab, registry, document) == []


FABRICS = {name: (lambda name=name: example(name)) for name in EXAMPLES if name != "max-524288"}
FABRICS["top-of-rack"] = top_of_rack
FABRICS["over-ipv6"] = lambda: build(addressing={"profile": "nvidia-guide-v6"})


@pytest.mark.parametrize("name", FABRICS)
def test_all_that_the_plan_puts_into_vrfs_passes(name):
    """Whole documents, of every example and wiring: tenants, a group, a node alone, quarantine."""
    fabric = FABRICS[name]()
    acme, globex, group, alone = map(fabric.name, itertools.islice(fabric.nodes(), 4))
    text = (
        "tenants:\n"
        f"  - {{id: 21, slug: acme, nodes: [{acme}], routes: rail}}\n"
        f"  - {{id: 22, slug: globex, nodes: [{globex}]}}\n"
        f"rest: [{{nodes: [{group}], acceptance: burn-in}}, {{nodes: [{alone}]}}]\n"
    )
    registry = Registry.parse(fabric, text)
    leaves = [leaf for leaf in itertools.islice(fabric.switches(), 400) if leaf.role == "leaf"]
    documents = {}
    for leaf in leaves[:3]:
        documents[fabric.name(leaf)] = compose.document(fabric, leaf, tenants=registry)
        found = of_leaf(fabric, registry, documents[fabric.name(leaf)], fabric.name(leaf))
        assert found == []
    assert edges_of(fabric, registry, documents) == []


# Route tables


def tables(fabric, registry, documents, name):
    """Return the judge of a leaf's tables, and the tables as they should be."""
    view = isolation_leaf.LeafView(fabric, registry, fabric.device(name), documents[name])
    plane = in_plane(fabric, documents, fabric.device(name).plane)
    return view, {vrf: evpn.table(plane, name, vrf) for vrf in documents[name]["vrf"]}


def judged(view, found):
    """Return {VRF: (missing, surplus)} of the tables that fail."""
    rows = [row for row in isolation.live(view, found) if row["state"] == "fail"]
    vrf_of = {row["slug"]: row["vrf"] for row in view.vrfs}
    return {
        vrf_of[row["tenant"]]: (row["expected"]["missing"], row["found"]["surplus"]) for row in rows
    }


LINKS = {"172.16.0.0/31", "172.18.0.0/31"}
"""Of su01/h01: rail 1 and rail 2."""


@pytest.mark.parametrize(
    "row, excused",
    [
        ({"device": NODE, "port": "rail2p1"}, {"172.18.0.0/31"}),
        ({"device": RAIL_2, "port": "swp1s0"}, {"172.18.0.0/31"}),
        ({"device": NODE}, LINKS),
        ({"device": RAIL_2}, {"172.18.0.0/31"}),
        ({"device": "spine-p1-s01"}, set()),
        ({"device": "worker-su01-rack01-h02"}, set()),
    ],
)
def test_what_is_out_of_service_may_be_missing_and_nothing_else(load, row, excused):
    """The links of that port, node or leaf; as a surplus they are what they are."""
    fabric = load(out_of_service=[{"since": "2026-01-01", "reason": "dead", **row}])
    registry = Registry.parse(fabric, TEXT)
    view, found = tables(fabric, registry, rendered(fabric, registry), FAR)
    assert judged(view, found) == {}
    lacking = {**found, "t21-acme": found["t21-acme"] - LINKS}
    missing = sorted(LINKS - excused)
    assert judged(view, lacking) == ({"t21-acme": (missing, [])} if missing else {})
    other = {**found, "t22-globex": found["t22-globex"] | LINKS}
    assert judged(view, other) == {"t22-globex": ([], sorted(LINKS))}


def test_links_of_moving_nodes_are_excused_on_their_way_only(lab):
    """In a third tenant's VRF they are a leak."""
    text = (
        TEXT.replace("['*/h02']", "[su02/h02]") + "  - {id: 23, slug: initech, nodes: [su02/h03]}\n"
    )
    registry = Registry.parse(
        lab, text + "moving: {su01/h01: {from: acme, to: globex, step: withdraw}}"
    )
    view, found = tables(lab, registry, rendered(lab, registry), FAR)
    assert judged(view, found) == {}
    passing = {vrf: found[vrf] | LINKS for vrf in ("t21-acme", "t22-globex", "t1-quarantine")}
    assert judged(view, {**found, **passing}) == {}
    strange = {**found, "t23-initech": found["t23-initech"] | LINKS}
    assert judged(view, strange) == {"t23-initech": ([], sorted(LINKS))}


COLLAPSED = (
    "tenants:\n"
    "  - {id: 21, slug: acme, nodes: ['su01/[01-04]', 'su02/[01-04]'], routes: leaf}\n"
    "  - {id: 22, slug: globex, nodes: [su01/h05, su02/h05], routes: leaf}\n"
)


def test_collapsed_routes_pass_their_own_audit():
    """Every leaf of the tenant, which has its own links besides what all announce."""
    fabric = example("h200-2048")
    registry = Registry.parse(fabric, COLLAPSED)
    documents = rendered(fabric, registry)
    assert failures(fabric, registry, documents) == []


@pytest.mark.parametrize("routes", ["exact", "rail", "leaf"])
def test_all_kinds_of_routes_pass_at_the_top_of_a_rack(routes):
    """Also where all links of a leaf collapse, over the rails too."""
    fabric = top_of_rack()
    text = "tenants: [{id: 21, slug: acme, nodes: ['su01/*'], routes: %s}]"
    registry = Registry.parse(fabric, text % routes)
    assert failures(fabric, registry, rendered(fabric, registry)) == []


@pytest.mark.parametrize(
    "before, recorded", [("drain", "shut"), ("shut", "drain"), ("drain", "join"), ("join", "drain")]
)
def test_moving_nodes_are_excused_where_routes_collapse(before, recorded):
    """Check that routes which come and go with nodes hold their neighbours' links too, and no others."""
    fabric = example("h200-2048")
    text = COLLAPSED + "moving: {su01/h01: {from: acme, to: globex, step: %s}}"
    documents = rendered(fabric, Registry.parse(fabric, text % before))
    registry = Registry.parse(fabric, text % recorded)
    assert failures(fabric, registry, documents) == []
    view, found = tables(fabric, registry, documents, LEAF)
    wide = {**found, "t21-acme": found["t21-acme"] | {"172.16.0.0/27"}}
    assert judged(view, wide) == {"t21-acme": ([], ["172.16.0.0/27"])}


# Random small fabrics and layouts


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(world=worlds())
def test_random_fabrics_are_isolated(tmp_path, world):
    """In every world: the audit passes, nobody reaches whom the registry does not let reach,
    and on its own rail and plane everybody reaches whom it does."""
    described, text = world
    path = tmp_path / "fabric.yml"
    path.write_text(yaml.safe_dump(described))
    try:
        fabric = Fabric.load(str(path))
    except FabricError as exc:
        pytest.fail(str(exc))
    registry = Registry.parse(fabric, text)
    documents = rendered(fabric, registry)
    assert failures(fabric, registry, documents) == []
    built = list(fabric.nodes())
    for one in built:
        for two in built:
            if one != two:
                check_pair(fabric, registry, documents, one, two)


def check_pair(fabric, registry, documents, one, two):
    """Compare what the registry lets two nodes do with what documents do, port by port."""
    allowed = may_reach(registry, one, two)
    for here in attachments.of_node(fabric, one):
        plane = in_plane(fabric, documents, here.plane)
        for there in attachments.of_node(fabric, two):
            if there.plane != here.plane:
                continue
            found = evpn.reaches(plane, (here.leaf, here.port), (there.leaf, there.port))
            if not allowed:
                assert not found, (one, two, here, there)
            elif here.rail == there.rail:
                assert found, (one, two, here, there)


def test_compress_in_random_layouts(lab):
    """The texts of a layout name its nodes."""
    held = list(lab.nodes())[::2]
    texts = nodes.compress(lab, held)
    assert [node for text in texts for node in nodes.expand(lab, text)] == held
